//! Who calls, and for whom it may speak.

use super::{Claims, DirectLineError, Owner};
use crate::activity::{ChannelAccount, Role};

/// Who calls: the bearer of the secret, or of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// May reach every conversation of the owner of the secret, and speak for anyone.
    Secret(Owner),
    /// May reach one conversation, and speak for its user.
    Token(Claims),
}

/// Who the activity is from: the user of the token, else the user for whom the conversation was started, else whom
/// the client names. The bearer of the secret may speak for anyone, also as a bot.
pub(super) fn sender(
    caller: &Caller,
    claimed: Option<ChannelAccount>,
    started_for: Option<String>,
) -> Result<ChannelAccount, DirectLineError> {
    let mut from = claimed.unwrap_or_default();
    let named = from.id.take().filter(|id| !id.is_empty());
    from.id = match caller {
        Caller::Secret(_) => named.or(started_for),
        Caller::Token(claims) => claims.user.clone().or(started_for).or(named),
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

    #[test]
    fn somebody_must_be_the_sender() {
        assert!(matches!(sender(&claims(None), from("", Role::User), None), Err(DirectLineError::NoSender)));
        assert!(matches!(sender(&Caller::Secret(Owner::CHANNEL), None, None), Err(DirectLineError::NoSender)));
    }
}
