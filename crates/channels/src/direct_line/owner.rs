//! The owner of a conversation: the channel or an assistant.

use std::fmt;
use std::str::FromStr;

use crate::activity::ConversationId;
use crate::clock::IdSource;

/// The owner of a conversation: an assistant with a secret of its own, or whoever answers on the secret of the channel.
///
/// It is written in the id of the conversation, so that it holds on every node and after a restart, whatever the
/// configuration says by then: `hr.0f5c…` is the conversation of the assistant `hr`, `0f5c…` of the channel itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner(Option<String>);

/// The character between the name of an assistant and the rest of an id. Neither a name nor a fresh id has one.
const SEPARATOR: char = '.';

/// The longest name.
const MAX_NAME: usize = 40;

/// The text is not a valid name of an assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of an assistant has 1 to {MAX_NAME} characters of a-z 0-9 - _ and begins with a letter")]
pub struct InvalidOwner;

impl Owner {
    /// The channel itself.
    pub const CHANNEL: Self = Self(None);

    /// To whom the conversation belongs.
    #[must_use]
    pub fn of(id: &ConversationId) -> Self {
        id.as_str().split_once(SEPARATOR).and_then(|(name, _)| name.parse().ok()).unwrap_or_default()
    }

    /// The name of the assistant; `None` for the channel itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// An id for a new conversation.
    #[must_use]
    pub fn fresh_conversation(&self, ids: &dyn IdSource) -> ConversationId {
        let fresh = ids.fresh().simple();
        let id = match &self.0 {
            Some(name) => format!("{name}{SEPARATOR}{fresh}"),
            None => fresh.to_string(),
        };
        id.parse().expect("a short name and 32 hexadecimal digits are a conversation id")
    }
}

impl FromStr for Owner {
    type Err = InvalidOwner;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let is_name =
            name.len() <= MAX_NAME && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(legal);
        if is_name { Ok(Self(Some(name.to_owned()))) } else { Err(InvalidOwner) }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("the channel"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::RandomIds;

    #[test]
    fn a_conversation_tells_to_whom_it_belongs() {
        for owner in [Owner::CHANNEL, "hr".parse().expect("a name"), "x".repeat(MAX_NAME).parse().expect("a name")] {
            assert_eq!(Owner::of(&owner.fresh_conversation(&RandomIds)), owner);
        }
        for id in ["c1", "0f5c.x", ".x", "HR.x", "hr"] {
            assert_eq!(Owner::of(&id.parse().expect("an id")), Owner::CHANNEL, "{id}");
        }
    }

    #[test]
    fn a_name_can_stand_in_an_id_and_in_an_address() {
        for name in ["", "Hr", "h r", "h.r", "h/r", "1hr", "-hr", "hé", &"x".repeat(MAX_NAME + 1)] {
            assert_eq!(name.parse::<Owner>(), Err(InvalidOwner), "{name}");
        }
    }
}
