//! The name of a conversation behind Azure Bot Service.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::activity::ConversationId;
use crate::azure_bot::auth::Caller;
use crate::store::{Conversation, ConversationStore, StoreError};

/// The beginning of the ids of these conversations in the store. No conversation of the embedded channel is called so.
const PREFIX: &str = "azure:";

/// The name in place of the channel where another agent is the other side.
const AGENT: &str = "agent";

/// The name in place of a channel that gives none, or one that means something else here.
const UNNAMED: &str = "unknown";

/// The characters of a channel's name in an id in the store. They are there for people to read; the digest alone tells
/// conversations apart.
const MAX_CHANNEL: usize = 40;

/// The name under which the world knows a conversation behind Azure Bot Service: `{channelId}:{conversation.id}`, or
/// `agent:{appId}:{conversation.id}` where another agent is the other side.
///
/// Channel and agent come first because ids of conversations are unique within them alone: no agent can name a conversation of
/// a channel or of another agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicName(String);

impl PublicName {
    /// The name of the conversation that the channel `channel_id` calls `conversation_id`, as this caller sees it. The part
    /// behind a colon in the id of a channel, as in `msteams:COPILOT`, is no part of the name: the conversations are the same.
    #[must_use]
    pub fn new(caller: &Caller, channel_id: &str, conversation_id: &str) -> Self {
        Self(match caller {
            Caller::Agent { app_id } => format!("{AGENT}:{app_id}:{conversation_id}"),
            Caller::Channel | Caller::Emulator | Caller::Anonymous => {
                let channel = match outer(channel_id) {
                    "" | AGENT | "azure" => UNNAMED,
                    channel => channel,
                };
                format!("{channel}:{conversation_id}")
            }
        })
    }

    /// A name that somebody has written down; `None` when it is none. Whether there is such a conversation is for the store to say.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (channel, conversation) = text.split_once(':')?;
        let is_name = !channel.is_empty() && !conversation.is_empty() && !text.starts_with(PREFIX);
        is_name.then(|| Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the conversation in the store: `azure:`, the channel, and a digest of the name. Ids of channels are longer than
    /// ours may be, and have characters that may not stand in a path.
    #[must_use]
    pub fn id(&self) -> ConversationId {
        let channel = self.0.split(':').next().unwrap_or_default();
        let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let channel: String = channel.chars().take(MAX_CHANNEL).map(legal).collect();
        let digest = URL_SAFE_NO_PAD.encode(digest(&SHA256, self.0.as_bytes()));
        format!("{PREFIX}{channel}:{digest}").parse().expect("a short name and a digest are a conversation id")
    }
}

impl fmt::Display for PublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The channel without the part of it that stands behind a colon, as in `msteams:COPILOT`.
pub(crate) fn outer(channel_id: &str) -> &str {
    channel_id.split(':').next().unwrap_or_default()
}

/// The conversation that somebody calls so: by its public name, or by its id in the store.
///
/// # Errors
/// When the store fails.
pub async fn find(store: &dyn ConversationStore, called: &str) -> Result<Option<Conversation>, StoreError> {
    if let Some(name) = PublicName::parse(called)
        && let Some(found) = store.find(&name.id()).await?
    {
        return Ok(Some(found));
    }
    match called.parse() {
        Ok(id) => store.find(&id).await,
        Err(_) => Ok(None),
    }
}

/// Whether the conversation is one behind Azure Bot Service, of which the embedded channel knows nothing.
pub fn is_behind_azure(id: &ConversationId) -> bool {
    id.as_str().starts_with(PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::direct_line::Owner;

    fn agent(app_id: &str) -> Caller {
        Caller::Agent { app_id: app_id.to_owned() }
    }

    #[test]
    fn a_name_is_the_channel_and_what_it_calls_the_conversation() {
        let name = |caller: &Caller, channel, id| PublicName::new(caller, channel, id).to_string();
        assert_eq!(
            name(&Caller::Channel, "msteams", "19:a@thread.tacv2;messageid=1"),
            "msteams:19:a@thread.tacv2;messageid=1"
        );
        assert_eq!(name(&Caller::Channel, "msteams:COPILOT", "a:1"), "msteams:a:1");
        assert_eq!(name(&agent("7d0a"), "msteams", "a:1"), "agent:7d0a:a:1");
    }

    #[test]
    fn nobody_can_name_the_conversation_of_another_agent_or_an_id_of_the_store() {
        let of_the_agent = PublicName::new(&agent("7d0a"), "webchat", "c1");
        for (caller, channel, id) in [
            (Caller::Channel, "agent", "7d0a:c1"),
            (Caller::Anonymous, "agent:7d0a", "c1"),
            (Caller::Emulator, "", "agent:7d0a:c1"),
            (agent("7d0b"), "agent", "c1"),
            (Caller::Channel, "azure", "agent:x"),
        ] {
            let name = PublicName::new(&caller, channel, id);
            assert_ne!(name, of_the_agent);
            assert_ne!(name.id(), of_the_agent.id());
            assert_eq!(PublicName::parse(name.as_str()), Some(name));
        }
    }

    #[test]
    fn what_is_written_down_is_a_name_when_it_has_two_parts() {
        assert!(PublicName::parse("msteams:19:a/b?c#d%e@x").is_some());
        for text in ["", "c1", ":c1", "msteams:", "azure:msteams:abc"] {
            assert_eq!(PublicName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_name_has_a_legal_id_of_its_own() {
        let long = "x".repeat(10_000);
        let names =
            ["msteams:a", "msteams:b", "msteams:A", "Ä.x/y:z", "agent:7d0a:c", long.as_str(), &format!("{long}:1")];
        let ids: Vec<ConversationId> = names.iter().map(|name| PublicName((*name).to_owned()).id()).collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(is_behind_azure(id) && id.as_str().len() <= 90, "{id}");
            assert!(!ids[..index].contains(id), "{id}");
            assert_eq!(Owner::of(id), Owner::CHANNEL);
        }
        let msteams = ids[0].as_str().strip_prefix("azure:msteams:").expect("the channel is there to be read");
        assert_eq!(msteams.len(), 43);
    }
}
