//! The root of the graph.

use serde::Serialize;

/// The root entity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {}
