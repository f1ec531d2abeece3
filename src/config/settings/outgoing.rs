//! Outgoing connections.

use std::sync::Arc;
use std::time::Duration;

use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!(
        "egress.allow_hosts",
        Said("none"),
        "Hosts that may be connected to although they are at private addresses, separated by commas.",
        |raw, hosts| raw.egress.allow = hosts
    ),
    number!(
        "egress.connect_seconds",
        Is("10"),
        "How long it may take until an outgoing connection stands.",
        1..=300,
        |raw, seconds| raw.egress.connect_timeout = Duration::from_secs(seconds)
    ),
    number!(
        "egress.total_seconds",
        Is("30"),
        "How long an outgoing call may take altogether.",
        1..=3600,
        |raw, seconds| raw.egress.total_timeout = Duration::from_secs(seconds)
    ),
    flag!(
        "redirects.resolve",
        Is("false"),
        "Find out where redirects of sources lead, by following them, for `/v1/records`.",
        |raw, resolve| raw.resolve_redirects = resolve
    ),
    text!(
        "redirects.hosts",
        Said("none"),
        "Hosts of your own whose addresses only lead to sources, as those that count who follows a link do, \
         separated by commas.",
        |raw, hosts| raw.redirectors = Arc::new(hosts)
    ),
];
