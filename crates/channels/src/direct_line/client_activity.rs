//! An activity as a client or a bot posts it, before it is recorded.

use serde_json::{Map, Value};

use crate::activity::Activity;

/// An activity as a client or a bot sent it, without the members that only the channel may set.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientActivity(Activity);

/// The body is not an activity.
#[derive(Debug, thiserror::Error)]
pub enum ActivityError {
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// The body is JSON, but no object.
    #[error("an activity must be a JSON object")]
    NotAnObject,
    /// `type` is missing, empty or not text.
    #[error("an activity needs a type")]
    NoType,
    /// A member has the wrong type.
    #[error("{pointer}: {reason}")]
    Member {
        /// JSON pointer of the member.
        pointer: String,
        /// The fault.
        reason: String,
    },
}

/// Members that the channel sets, whatever others say (activity specification, A2030, A2040, A2302).
const OURS: [&str; 6] = ["id", "timestamp", "serviceUrl", "channelId", "conversation", "recipient"];

impl ClientActivity {
    /// Reads the body of a post.
    ///
    /// # Errors
    /// When it is no activity.
    pub fn parse(body: &[u8]) -> Result<Self, ActivityError> {
        Self::from_json(serde_json::from_slice(body).map_err(ActivityError::NotJson)?)
    }

    /// Reads what was a body, or a part of one.
    ///
    /// # Errors
    /// When it is no activity.
    pub fn from_json(value: Value) -> Result<Self, ActivityError> {
        let Value::Object(mut members) = value else {
            return Err(ActivityError::NotAnObject);
        };
        for name in OURS {
            members.remove(name);
        }
        if !names_a_type(&members) {
            return Err(ActivityError::NoType);
        }
        let activity = serde_path_to_error::deserialize(Value::Object(members)).map_err(|error| {
            ActivityError::Member { pointer: pointer(error.path()), reason: error.inner().to_string() }
        })?;
        Ok(Self(activity))
    }

    /// The activity.
    #[must_use]
    pub fn into_inner(self) -> Activity {
        self.0
    }
}

fn names_a_type(members: &Map<String, Value>) -> bool {
    members.get("type").and_then(Value::as_str).is_some_and(|kind| !kind.is_empty())
}

/// A JSON pointer (RFC 6901) from the path to a member.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Segment::Enum { .. } | Segment::Unknown => String::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_the_channel_may_say_is_dropped_whatever_its_type() {
        let body = json!({"type": "message", "id": 5, "timestamp": "yesterday", "conversation": "x",
            "serviceUrl": "https://evil.example", "channelId": [], "recipient": 1, "text": "hi"});
        let activity = ClientActivity::parse(body.to_string().as_bytes()).expect("an activity").into_inner();
        assert_eq!(serde_json::to_value(activity).expect("JSON"), json!({"type": "message", "text": "hi"}));
    }

    #[test]
    fn a_fault_is_named_by_its_pointer() {
        let error = ClientActivity::parse(br#"{"type":"message","attachments":[{},{"contentType":5}]}"#);
        let Err(ActivityError::Member { pointer, .. }) = error else { panic!("{error:?}") };
        assert_eq!(pointer, "/attachments/1/contentType");
    }

    #[test]
    fn an_activity_without_a_type_is_none() {
        for body in ["{}", r#"{"type":null}"#, r#"{"type":""}"#, r#"{"type":5}"#] {
            assert!(matches!(ClientActivity::parse(body.as_bytes()), Err(ActivityError::NoType)), "{body}");
        }
    }
}
