//! The subject of a turn, as the store keeps it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::azure_bot::auth::Caller;
use crate::store::{NewTurn, Turn, TurnKind, TurnRoom};

/// The subject of a turn. It holds everything that another process needs to answer, and no secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum TurnBody {
    /// An activity whose answers go out by calls to its service.
    Delivered {
        /// The caller.
        caller: Caller,
        /// The activity.
        activity: Map<String, Value>,
    },
    /// A call that waits for its answers in a process.
    Bound(Ticket),
    /// A proactive message that a process sends when its turn has come.
    Later(Ticket),
}

/// By what a process finds one of its callers again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Ticket {
    /// The process, whose callers are gone with it.
    pub(crate) process: String,
    /// The number of the call there.
    pub(crate) call: u64,
    /// The name of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

impl TurnBody {
    /// The turn about it.
    pub(crate) fn to_turn(&self, room: TurnRoom, name: Option<String>) -> NewTurn {
        let bound = match self {
            Self::Delivered { .. } => false,
            Self::Bound(_) | Self::Later(_) => true,
        };
        NewTurn { kind: TurnKind::Azure, body: Some(self.to_text()), room, name, bound }
    }

    /// As it is kept.
    fn to_text(&self) -> String {
        serde_json::to_string(self).expect("no map of it has keys that are not text")
    }

    /// The subject of a turn.
    pub(super) fn of(turn: &Turn) -> Result<Self, serde_json::Error> {
        Self::read(turn.body.as_deref().unwrap_or_default())
    }

    fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_kept_is_read_again_and_anything_else_is_an_error() {
        let Value::Object(activity) = json!({"type": "message", "text": "hi"}) else { panic!("an object") };
        let ticket = Ticket { process: "p".to_owned(), call: 7, name: None };
        let bound = TurnBody::Bound(ticket.clone());
        for body in [TurnBody::Delivered { caller: Caller::Channel, activity }, bound, TurnBody::Later(ticket)] {
            assert_eq!(TurnBody::read(&body.to_text()).expect("a body"), body);
        }
        for bad in ["", "{}", r#"{"kind": "later"}"#, r#"{"kind": "bound"}"#, r#"{"kind": "x"}"#] {
            assert!(TurnBody::read(bad).is_err(), "{bad}");
        }
    }
}
