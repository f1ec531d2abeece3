//! The settings of the bus.

use super::reading::parsed;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    secret!(
        "bus.url",
        Said("none"),
        "Redis or Valkey, `redis://…` or `rediss://…`: brings livestreams to readers on all nodes.",
        parsed,
        |raw, address| raw.bus.address = Some(address)
    ),
    text!("bus.namespace", Is("default"), "Differs between clusters that share a bus.", |raw, namespace| raw
        .bus
        .namespace =
        namespace),
];
