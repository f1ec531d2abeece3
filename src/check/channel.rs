//! The channels whose rules can be checked.

use std::fmt;
use std::str::FromStr;

/// The channel whose users will see the activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Channel {
    /// Bot Framework Web Chat, release 4.18.1 and the main branch.
    WebChat,
}

/// Not the name of a channel that can be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownChannel {
    /// A channel of citewire whose rules are not written yet.
    #[error("checking for {given:?} is not available yet; available is web-chat")]
    NotYet {
        /// What was asked for.
        given: String,
    },
    /// No channel at all.
    #[error("no channel is called {given:?}; known are web-chat, webchat, directline, emulator")]
    Unknown {
        /// What was asked for.
        given: String,
    },
}

impl FromStr for Channel {
    type Err = UnknownChannel;

    /// Takes the name of a dialect or the id of a channel.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "web-chat" | "webchat" | "directline" | "emulator" => Ok(Self::WebChat),
            "teams" | "msteams" | "m365-copilot" | "msteams:COPILOT" => {
                Err(UnknownChannel::NotYet { given: name.to_owned() })
            }
            _ => Err(UnknownChannel::Unknown { given: name.to_owned() }),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WebChat => "web-chat",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_channel_ids_lead_to_web_chat() {
        for name in ["web-chat", "webchat", "directline", "emulator"] {
            assert_eq!(name.parse(), Ok(Channel::WebChat), "{name}");
        }
    }

    #[test]
    fn teams_is_refused_with_a_reason() {
        let error = "teams".parse::<Channel>().expect_err("not there yet");
        assert_eq!(error, UnknownChannel::NotYet { given: "teams".into() });
        assert!(error.to_string().contains("not available yet"), "{error}");
        assert_eq!("fax".parse::<Channel>(), Err(UnknownChannel::Unknown { given: "fax".into() }));
    }
}
