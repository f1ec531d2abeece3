//! The name of a conversation in another Direct Line.

use std::fmt;
use std::str::FromStr;

use crate::activity::ConversationId;

/// The id of a conversation in another Direct Line. It is opaque, so it may have characters that ids of this server do not
/// have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationName(String);

/// The text is not a valid id of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a conversation id has 1 to 256 visible characters and is neither . nor ..")]
pub struct InvalidConversationName;

impl FromStr for ConversationName {
    type Err = InvalidConversationName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A dot or two would name another call than the one that is meant.
        let is_step = matches!(text, "." | "..");
        let is_odd = text.chars().any(|c| c.is_control() || c.is_whitespace());
        if text.is_empty() || text.len() > 256 || is_step || is_odd {
            return Err(InvalidConversationName);
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<&ConversationId> for ConversationName {
    type Error = InvalidConversationName;

    fn try_from(id: &ConversationId) -> Result<Self, Self::Error> {
        id.as_str().parse()
    }
}

impl ConversationName {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ConversationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_others_are_taken_as_they_are() {
        for good in ["GVpUgLOTjbCJ3wvdHzCGNd-eu", "0b2b1c60|livechat", "a/b", "19:abc@thread.v2"] {
            assert!(good.parse::<ConversationName>().is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a b", "a\nb", &"x".repeat(257)] {
            assert_eq!(bad.parse::<ConversationName>(), Err(InvalidConversationName), "{bad:?}");
        }
    }
}
