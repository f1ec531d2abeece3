//! The metadata objects of an activity.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::graph::Message;

/// One entity: the schema.org Message that citewire builds, or an entity from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entity {
    /// citewire's own Message, the root of the activity's graph.
    #[serde(skip_deserializing)]
    Message(Box<Message>),
    /// An entity as received; never interpreted or changed.
    Other(Map<String, Value>),
    /// A JSON value that is not an object. Channels pass these through, and so does citewire.
    Odd(Value),
}
