//! The authenticated caller, and the audience of the token for answers.

use serde::{Deserialize, Serialize};

use super::CloudAddresses;

/// The author of a call that was let in.
///
/// As JSON it is `{"kind": "channel"}` or `{"kind": "agent", "appId": "…"}`, so that it can be kept with a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Caller {
    /// A channel, through the Bot Connector.
    Channel,
    /// Another bot or agent: a skill consumer such as Copilot Studio.
    Agent {
        /// Its app id, in lower case with hyphens.
        app_id: String,
    },
    /// The Emulator, which shows the credentials of the bot itself.
    Emulator,
    /// A caller without a token, in development.
    Anonymous,
}

impl Caller {
    /// For which audience an answer to this caller needs a token. The Bot Connector wants its own scope, and so does what
    /// stands behind the Emulator; an agent refuses that one and wants its own app id. Who came without a token is
    /// answered without one.
    #[must_use]
    pub fn scope(&self, addresses: &CloudAddresses) -> Option<String> {
        match self {
            Self::Channel | Self::Emulator => Some(addresses.channel_scope.clone()),
            Self::Agent { app_id } => Some(format!("{app_id}/.default")),
            Self::Anonymous => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::super::Cloud;
    use super::*;

    fn agent() -> Caller {
        Caller::Agent { app_id: "7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1".to_owned() }
    }

    #[test]
    fn the_scope_of_an_answer_follows_from_the_caller_and_the_cloud() {
        let public = Cloud::Public.addresses();
        let channel = Caller::Channel.scope(&public);
        assert_eq!(channel.as_deref(), Some("https://api.botframework.com/.default"));
        assert_eq!(Caller::Emulator.scope(&public), channel);
        assert_eq!(agent().scope(&public).as_deref(), Some("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1/.default"));
        assert_eq!(Caller::Anonymous.scope(&public), None);
        let government = Caller::Channel.scope(&Cloud::UsGov.addresses());
        assert_eq!(government.as_deref(), Some("https://api.botframework.us/.default"));
        let china = Caller::Channel.scope(&Cloud::China.addresses());
        assert_eq!(china.as_deref(), Some("https://api.botframework.azure.cn/.default"));
    }

    #[test]
    fn a_caller_can_be_kept_as_json() {
        let kept = json!({"kind": "agent", "appId": "7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1"});
        assert_eq!(to_value(agent()).expect("JSON"), kept);
        for caller in [Caller::Channel, agent(), Caller::Emulator, Caller::Anonymous] {
            let json = to_value(&caller).expect("JSON");
            assert_eq!(serde_json::from_value::<Caller>(json).expect("a caller"), caller);
        }
    }
}
