//! The options for callers of the bot.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use uuid::Uuid;

use super::cloud::guid;
use super::{Cloud, CloudAddresses};

/// The callers that may call the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthOptions {
    /// The app id of the bot, which every token must be for. Without one no token is good.
    pub app_id: Option<Uuid>,
    /// The tenant of the bot. With it, agents of this tenant and of Microsoft's are let in; without, those of all tenants
    /// of the cloud. Set it wherever it is known: whoever owns a tenant can give himself the credentials of a
    /// multi-tenant app there, that of an allowed caller included.
    pub tenant: Option<Uuid>,
    /// The issuers of tokens, and the addresses of their keys.
    pub addresses: CloudAddresses,
    /// The agents that may call. Nobody, when nothing is set.
    pub allowed_callers: AllowedCallers,
    /// Whether the bot's own app id is a caller, as it is with the Emulator.
    pub emulator: bool,
    /// Whether calls without `Authorization` are let in. For development; the server refuses it off loopback.
    pub anonymous: bool,
    /// How long a key set may take to arrive. The channel waits 15 s for everything.
    pub key_timeout: Duration,
}

impl Default for AuthOptions {
    fn default() -> Self {
        Self {
            app_id: None,
            tenant: None,
            addresses: Cloud::default().addresses(),
            allowed_callers: AllowedCallers::default(),
            emulator: false,
            anonymous: false,
            key_timeout: Duration::from_secs(8),
        }
    }
}

impl AuthOptions {
    /// Whether any token of Entra can be good.
    pub(super) fn knows_agents(&self) -> bool {
        self.emulator || !self.allowed_callers.is_nobody()
    }
}

/// Agents that may call, by their app ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedCallers {
    /// Every app of an accepted tenant.
    Any,
    /// These.
    These(BTreeSet<Uuid>),
}

/// The text is not a list of callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{entry:?} is neither an app id (a GUID with hyphens) nor * for all callers")]
pub struct InvalidCaller {
    /// The given value.
    pub entry: String,
}

impl Default for AllowedCallers {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl AllowedCallers {
    /// Reads app ids; `*` among them is all.
    ///
    /// # Errors
    /// When one of them is no app id.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidCaller> {
        let mut these = BTreeSet::new();
        let mut any = false;
        for entry in entries.into_iter().map(str::trim) {
            match guid(entry) {
                Some(app_id) => {
                    these.insert(app_id);
                }
                None if entry == "*" => any = true,
                None => return Err(InvalidCaller { entry: entry.to_owned() }),
            }
        }
        Ok(if any { Self::Any } else { Self::These(these) })
    }

    /// Whether this app may call.
    #[must_use]
    pub fn admits(&self, app_id: Uuid) -> bool {
        match self {
            Self::Any => true,
            Self::These(these) => these.contains(&app_id),
        }
    }

    fn is_nobody(&self) -> bool {
        matches!(self, Self::These(these) if these.is_empty())
    }
}

impl FromStr for AllowedCallers {
    type Err = InvalidCaller;

    /// Reads app ids separated by commas; nothing is nobody.
    fn from_str(text: &str) -> Result<Self, InvalidCaller> {
        Self::parse(text.split(',').filter(|entry| !entry.trim().is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use uuid::uuid;

    use super::*;

    const ONE: Uuid = uuid!("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1");
    const OTHER: Uuid = uuid!("11111111-2222-4333-8444-555555555555");

    fn callers(text: &str) -> AllowedCallers {
        text.parse().expect("callers")
    }

    #[test]
    fn callers_are_named_or_all() {
        let one = callers(" 7D0AC3E4-2b5c-4f0f-9d34-0d3f3ab1c8a1 , ");
        assert!(one.admits(ONE) && !one.admits(OTHER));
        assert!(callers("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1,*").admits(OTHER));
        assert!(!AllowedCallers::default().admits(ONE));
        assert_eq!(callers(""), AllowedCallers::default());
    }

    #[test]
    fn what_is_no_app_id_is_refused() {
        for bad in ["contoso", "**", "7d0ac3e42b5c4f0f9d340d3f3ab1c8a1", "{7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1}"] {
            assert_eq!(bad.parse::<AllowedCallers>(), Err(InvalidCaller { entry: bad.to_owned() }), "{bad}");
        }
    }

    #[test]
    fn tokens_of_entra_are_of_use_only_where_somebody_may_show_one() {
        let nobody = AuthOptions::default();
        assert!(!nobody.knows_agents());
        assert!(AuthOptions { emulator: true, ..nobody.clone() }.knows_agents());
        assert!(AuthOptions { allowed_callers: AllowedCallers::Any, ..nobody }.knows_agents());
    }
}
