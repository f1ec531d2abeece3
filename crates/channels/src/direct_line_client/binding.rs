//! The binding of conversations to another Direct Line: its settings, and their check.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::{Credential, DirectLineUrl};
use crate::activity::ConversationId;
use crate::secret::Secret;

/// The settings of `[direct_line_client]`, as they were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindingSettings {
    /// The Direct Line.
    pub url: Option<DirectLineUrl>,
    /// A token of one conversation.
    pub token: Option<Secret>,
    /// The secret.
    pub secret: Option<Secret>,
    /// The user id under which answers go out.
    pub user: Option<String>,
    /// The conversations that are there.
    pub conversations: BoundConversations,
}

/// Conversations that are bound to another Direct Line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The Direct Line.
    pub url: DirectLineUrl,
    /// The credential that opens it.
    pub credential: Credential,
    /// The user id under which answers go out.
    pub user: String,
    /// The conversations.
    pub conversations: BoundConversations,
}

/// An error in the settings of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableBinding {
    /// Something is set, but not where the other side is.
    #[error("direct_line_client.url is missing: the other settings of direct_line_client need it")]
    NoUrl,
    /// Nothing opens the other side.
    #[error("direct_line_client needs a token or a secret")]
    NoCredential,
    /// It is not clear what opens the other side.
    #[error("direct_line_client takes a token or a secret, not both")]
    TwoCredentials,
    /// No conversation is bound.
    #[error("direct_line_client.conversations is missing: list the ids of the conversations in the other Direct Line")]
    NoConversations,
    /// A token opens one conversation.
    #[error("direct_line_client.token is for one conversation: list exactly one, or set direct_line_client.secret")]
    TokenForMany,
}

/// The user id where none is set.
pub const DEFAULT_USER: &str = "citewire";

impl BindingSettings {
    /// The binding of all settings together; `None` when nothing is set.
    ///
    /// # Errors
    /// With everything that is wrong.
    pub fn resolve(self) -> Result<Option<Binding>, Vec<UnusableBinding>> {
        if self == Self::default() {
            return Ok(None);
        }
        let mut wrong = Vec::new();
        if self.url.is_none() {
            wrong.push(UnusableBinding::NoUrl);
        }
        if self.conversations.is_empty() {
            wrong.push(UnusableBinding::NoConversations);
        }
        let credential = match (self.token, self.secret) {
            (Some(token), None) => Some(Credential::Token(token)),
            (None, Some(secret)) => Some(Credential::Secret(secret)),
            (None, None) => {
                wrong.push(UnusableBinding::NoCredential);
                None
            }
            (Some(_), Some(_)) => {
                wrong.push(UnusableBinding::TwoCredentials);
                None
            }
        };
        if matches!(credential, Some(Credential::Token(_))) && self.conversations.may_be_many() {
            wrong.push(UnusableBinding::TokenForMany);
        }
        match (self.url, credential) {
            (Some(url), Some(credential)) if wrong.is_empty() => {
                let user = self.user.unwrap_or_else(|| DEFAULT_USER.to_owned());
                Ok(Some(Binding { url, credential, user, conversations: self.conversations }))
            }
            _ => Err(wrong),
        }
    }
}

/// Ids of conversations, and prefixes of ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoundConversations {
    exact: BTreeSet<ConversationId>,
    prefixes: BTreeSet<String>,
}

/// How a binding covers an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Not at all.
    None,
    /// By its beginning: bound unless the embedded channel has a conversation of this id.
    Prefix,
    /// By itself: bound in any case.
    Exact,
}

/// The text is not a list of conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "conversations are ids of 1 to 128 characters of A-Z a-z 0-9 - _ . : ; or beginnings of ids with * after them, separated by commas"
)]
pub struct InvalidConversations;

impl FromStr for BoundConversations {
    type Err = InvalidConversations;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bound = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match entry.strip_suffix('*') {
                Some(prefix) if prefix.is_empty() || prefix.parse::<ConversationId>().is_ok() => {
                    bound.prefixes.insert(prefix.to_owned());
                }
                Some(_) => return Err(InvalidConversations),
                None => {
                    bound.exact.insert(entry.parse().map_err(|_| InvalidConversations)?);
                }
            }
        }
        Ok(bound)
    }
}

impl BoundConversations {
    /// Whether no conversation is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.prefixes.is_empty()
    }

    fn may_be_many(&self) -> bool {
        self.exact.len() > 1 || !self.prefixes.is_empty()
    }

    /// How this id is covered.
    #[must_use]
    pub fn coverage(&self, id: &ConversationId) -> Coverage {
        if self.exact.contains(id) {
            Coverage::Exact
        } else if self.prefixes.iter().any(|prefix| id.as_str().starts_with(prefix.as_str())) {
            Coverage::Prefix
        } else {
            Coverage::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> BindingSettings {
        BindingSettings {
            url: Some("https://bot.example/v3/directline".parse().expect("an address")),
            secret: Secret::parse("the-secret-of-the-bot").ok(),
            conversations: "*".parse().expect("conversations"),
            ..BindingSettings::default()
        }
    }

    #[test]
    fn conversations_are_covered_by_id_or_by_beginning() {
        let bound: BoundConversations = " c1, hr-* ,".parse().expect("conversations");
        let coverage = |id: &str| bound.coverage(&id.parse().expect("an id"));
        assert_eq!(
            (coverage("c1"), coverage("hr-7"), coverage("hr-")),
            (Coverage::Exact, Coverage::Prefix, Coverage::Prefix)
        );
        assert_eq!((coverage("c12"), coverage("hr"), coverage("C1")), (Coverage::None, Coverage::None, Coverage::None));
        for bad in ["a b", "c/1", "a*b", "**", "ä*"] {
            assert_eq!(bad.parse::<BoundConversations>(), Err(InvalidConversations), "{bad}");
        }
    }

    #[test]
    fn nothing_set_binds_nothing_and_the_user_has_a_default() {
        assert_eq!(BindingSettings::default().resolve(), Ok(None));
        let binding = settings().resolve().expect("usable").expect("a binding");
        assert_eq!(binding.user, "citewire");
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let token = || Secret::parse("the-token-of-the-user");
        let only_user = BindingSettings { user: Some("u".to_owned()), ..BindingSettings::default() };
        assert_eq!(
            only_user.resolve(),
            Err(vec![UnusableBinding::NoUrl, UnusableBinding::NoConversations, UnusableBinding::NoCredential])
        );
        let both = BindingSettings { token: token().ok(), ..settings() };
        assert_eq!(both.resolve(), Err(vec![UnusableBinding::TwoCredentials]));
        for many in ["*", "a,b", "a*"] {
            let conversations = many.parse().expect("conversations");
            let many = BindingSettings { token: token().ok(), secret: None, conversations, ..settings() };
            assert_eq!(many.resolve(), Err(vec![UnusableBinding::TokenForMany]));
        }
    }
}
