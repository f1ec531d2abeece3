//! The metadata objects of an activity.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::graph::Message;

/// One entity: the schema.org Message that citewire builds, or what somebody else sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entity {
    /// The root of the activity graph.
    #[serde(skip_deserializing)]
    Message(Box<Message>),
    /// An entity as it came; never interpreted, never changed.
    Other(Map<String, Value>),
    /// Not even an object. Channels pass these through, so we do too.
    Odd(Value),
}
