//! Ids of conversations and activities.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Watermark;

/// The id of a conversation: 1 to 128 characters of `A-Z a-z 0-9 - _ . : ;`, which a URL path can hold unescaped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConversationId(String);

/// The text is not a conversation id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a conversation id has 1 to 128 characters of A-Z a-z 0-9 - _ . : ;")]
pub struct InvalidConversationId;

impl ConversationId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ConversationId {
    type Error = InvalidConversationId;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        let legal = |c: char| c.is_ascii_alphanumeric() || "-_.:;".contains(c);
        if id.is_empty() || id.len() > 128 || !id.chars().all(legal) {
            return Err(InvalidConversationId);
        }
        Ok(Self(id))
    }
}

impl FromStr for ConversationId {
    type Err = InvalidConversationId;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        id.to_owned().try_into()
    }
}

impl From<ConversationId> for String {
    fn from(id: ConversationId) -> Self {
        id.0
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of an activity, assigned by the channel that delivers it; opaque to all others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActivityId(String);

impl ActivityId {
    /// The id of the activity at this place in one of citewire's conversations: `<conversation>|0000007`, the form of Azure.
    #[must_use]
    pub fn at(conversation: &ConversationId, watermark: Watermark) -> Self {
        Self(format!("{conversation}|{:07}", watermark.index()))
    }

    /// The place that this id names in `conversation`; `None` if citewire did not make the id for this conversation. The
    /// place may be empty.
    #[must_use]
    pub fn place_in(&self, conversation: &ConversationId) -> Option<Watermark> {
        let (_, digits) = self.0.rsplit_once('|')?;
        digits.parse().ok().filter(|place| Self::at(conversation, *place) == *self)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ActivityId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl fmt::Display for ActivityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_activity_id_names_its_conversation_and_place() {
        let conversation: ConversationId = "c1".parse().expect("an id");
        assert_eq!(ActivityId::at(&conversation, Watermark::FIRST).as_str(), "c1|0000000");
    }

    #[test]
    fn a_place_is_read_back_from_an_id_of_ours_only() {
        let conversation: ConversationId = "c1".parse().expect("an id");
        for place in [0, 7, 12_345_678].map(Watermark::from_index) {
            assert_eq!(ActivityId::at(&conversation, place).place_in(&conversation), Some(place));
        }
        for foreign in ["c2|0000000", "c1|0", "c1|e1", "c1|-000001", "0000000", ""] {
            assert_eq!(ActivityId(foreign.to_owned()).place_in(&conversation), None, "{foreign}");
        }
    }

    #[test]
    fn a_conversation_id_can_stand_in_a_path() {
        for bad in ["", "a/b", "a b", "ä", &"x".repeat(129)] {
            assert_eq!(bad.parse::<ConversationId>(), Err(InvalidConversationId), "{bad:?}");
        }
    }
}
