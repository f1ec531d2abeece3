//! The authenticated caller, and the sender of its activities.

use super::{Claims, DirectLineError, Owner};
use crate::activity::{ChannelAccount, Role};

/// The authenticated caller: with the secret, or with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// May reach every conversation of the owner of the secret, and speak for anyone.
    Secret(Owner),
    /// May reach one conversation, and speak for its user.
    Token(Claims),
}

/// The sender of the activity: the user of the token, else the user for whom the conversation was started, else whom
/// the client names. The bearer of the secret may speak for anyone, also as a bot.
pub(super) fn sender(
    caller: &Caller,
    claimed: Option<ChannelAccount>,
    started_for: Option<String>,
) -> Result<ChannelAccount, DirectLineError> {
    let mut from = claimed.unwrap_or_default();
    let named = from.id.take().filter(|id| !id.is_empty());
    let named = named.map(|id| user_id(id, "/from/id"));
    from.id = match caller {
        Caller::Secret(_) => named.transpose()?.or(started_for),
        Caller::Token(claims) => match claims.user.clone().or(started_for) {
            Some(known) => Some(known),
            None => named.transpose()?,
        },
    };
    if from.id.is_none() {
        return Err(DirectLineError::NoSender);
    }
    from.role = match (caller, from.role.take()) {
        (Caller::Secret(_), Some(Role::Bot)) => Some(Role::Bot),
        (Caller::Secret(_) | Caller::Token(_), _) => Some(Role::User),
    };
    Ok(from)
}

/// The longest id of a user, in characters. Ids are kept for every conversation, and noted in memory.
const MAX_USER_ID: usize = 64;

/// The id, if it is one that a client may give to a user. It stands at `pointer` in the body.
pub(super) fn user_id(id: String, pointer: &'static str) -> Result<String, DirectLineError> {
    if id.chars().count() > MAX_USER_ID || id.chars().any(char::is_control) {
        return Err(DirectLineError::UserId { pointer, limit: MAX_USER_ID });
    }
    Ok(id)
}

/// Whether [`sender`] needs not be told for whom the conversation was started.
pub(super) fn is_said_by_caller(caller: &Caller, claimed: Option<&ChannelAccount>) -> bool {
    match caller {
        Caller::Secret(_) => claimed.and_then(|from| from.id.as_ref()).is_some_and(|id| !id.is_empty()),
        Caller::Token(claims) => claims.user.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(user: Option<&str>) -> Caller {
        let claims = serde_json::json!({"conv": "c1", "user": user, "kind": "token", "nbf": 0, "exp": 1, "jti": "1"});
        Caller::Token(serde_json::from_value(claims).expect("claims"))
    }

    fn from(id: &str, role: Role) -> Option<ChannelAccount> {
        Some(ChannelAccount::new(id, role))
    }

    #[test]
    fn the_user_of_the_token_replaces_whom_the_client_names() {
        let sender = sender(&claims(Some("dl_a")), from("mallory", Role::Bot), None).expect("a sender");
        assert_eq!((sender.id.as_deref(), sender.role), (Some("dl_a"), Some(Role::User)));
    }

    #[test]
    fn only_the_secret_speaks_as_a_bot() {
        let spoken =
            sender(&Caller::Secret(Owner::CHANNEL), from("b", Role::Bot), Some("dl_a".into())).expect("a sender");
        assert_eq!((spoken.id.as_deref(), spoken.role), (Some("b"), Some(Role::Bot)));
        let claimed = sender(&claims(None), from("b", Role::Bot), None).expect("a sender");
        assert_eq!(claimed.role, Some(Role::User));
    }

    #[test]
    fn whom_the_conversation_was_started_for_is_asked_only_where_it_matters() {
        for caller in [Caller::Secret(Owner::CHANNEL), claims(None), claims(Some("dl_a"))] {
            for claimed in [None, from("", Role::User), from("b", Role::User)] {
                let with = |started_for: Option<&str>| {
                    sender(&caller, claimed.clone(), started_for.map(str::to_owned)).ok().and_then(|sender| sender.id)
                };
                let matters = with(None) != with(Some("dl_c"));
                assert_eq!(is_said_by_caller(&caller, claimed.as_ref()), !matters, "{caller:?} {claimed:?}");
            }
        }
    }

    /// A longer id is refused where it would be used, and left alone where the token says who speaks.
    #[test]
    fn an_id_that_a_client_makes_up_is_short() {
        let (longest, longer) = ("\u{e4}".repeat(64), "x".repeat(65));
        for caller in [Caller::Secret(Owner::CHANNEL), claims(None)] {
            let taken = sender(&caller, from(&longest, Role::User), None).expect("a sender");
            assert_eq!(taken.id.as_deref(), Some(&*longest));
            for id in [&*longer, "a\0b", "a\nb"] {
                let refused = sender(&caller, from(id, Role::User), None).expect_err("refused");
                assert!(matches!(refused, DirectLineError::UserId { pointer: "/from/id", limit: 64 }), "{refused}");
            }
        }
        let known = sender(&claims(Some("dl_a")), from(&longer, Role::User), None).expect("a sender");
        assert_eq!(known.id.as_deref(), Some("dl_a"));
    }

    #[test]
    fn somebody_must_be_the_sender() {
        assert!(matches!(sender(&claims(None), from("", Role::User), None), Err(DirectLineError::NoSender)));
        assert!(matches!(sender(&Caller::Secret(Owner::CHANNEL), None, None), Err(DirectLineError::NoSender)));
    }
}
