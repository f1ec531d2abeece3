//! The settings of outgoing connections.

use std::sync::Arc;
use std::time::Duration;

use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!("egress.allow_hosts", Said("none"), "Private hosts that citewire may call.", |raw, hosts| raw.egress.allow =
        hosts),
    number!("egress.connect_seconds", Is("10"), "Time for connecting.", 1..=300, |raw, seconds| raw
        .egress
        .connect_timeout =
        Duration::from_secs(seconds)),
    number!("egress.total_seconds", Is("30"), "Time for a whole call.", 1..=3600, |raw, seconds| raw
        .egress
        .total_timeout =
        Duration::from_secs(seconds)),
    flag!("redirects.resolve", Is("false"), "Follow sources' redirects for `/v1/records`.", |raw, resolve| raw
        .resolve_redirects =
        resolve),
    text!("redirects.hosts", Said("none"), "Your own redirector hosts.", |raw, hosts| raw.redirectors =
        Arc::new(hosts)),
];
