//! The settings of the bus.

use super::reading::parsed;
use crate::bus::BusRoots;
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
    text!(
        "bus.root_certificate",
        Said("trusted by the system"),
        "Path of the PEM file with the root of the bus's certificate.",
        |path: &str| BusRoots::read(path).map_err(|error| error.to_string()),
        |raw, roots| raw.bus.roots = Some(roots)
    ),
    text!("bus.namespace", Is("default"), "Differs between clusters that share a bus.", |raw, namespace| raw
        .bus
        .namespace =
        namespace),
];
