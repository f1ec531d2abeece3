//! The channels with rules to check.

use std::fmt;
use std::str::FromStr;

use citewire_core::text::echo;

/// The channel that shows the activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Bot Framework Web Chat, release 4.18.1 and the main branch.
    WebChat,
    /// Microsoft Teams, by its documentation and error texts.
    Teams,
}

/// The name is not a channel with rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownChannel {
    /// A channel of citewire without rules so far.
    #[error("checking for {given:?} is not available yet; available are web-chat, teams")]
    NotYet {
        /// The name.
        given: String,
    },
    /// An unknown channel.
    #[error(
        "unknown channel {:?}; known channels: web-chat, teams, webchat, directline, emulator, msteams",
        echo(given)
    )]
    Unknown {
        /// The name.
        given: String,
    },
}

impl FromStr for Channel {
    type Err = UnknownChannel;

    /// Reads the name of a dialect or a channel id.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "web-chat" | "webchat" | "directline" | "emulator" => Ok(Self::WebChat),
            "teams" | "msteams" => Ok(Self::Teams),
            "m365-copilot" | "msteams:COPILOT" | "plain" | "email" | "sms" => {
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
            Self::Teams => "teams",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_channel_ids_lead_to_a_channel() {
        for name in ["web-chat", "webchat", "directline", "emulator"] {
            assert_eq!(name.parse(), Ok(Channel::WebChat), "{name}");
        }
        for name in ["teams", "msteams"] {
            assert_eq!(name.parse(), Ok(Channel::Teams), "{name}");
        }
        for channel in [Channel::WebChat, Channel::Teams] {
            assert_eq!(channel.to_string().parse(), Ok(channel));
        }
    }

    #[test]
    fn a_dialect_that_cannot_be_checked_is_refused_with_a_reason() {
        let error = "m365-copilot".parse::<Channel>().expect_err("not there yet");
        assert_eq!(error, UnknownChannel::NotYet { given: "m365-copilot".into() });
        assert!(error.to_string().contains("not available yet"), "{error}");
        assert_eq!("fax".parse::<Channel>(), Err(UnknownChannel::Unknown { given: "fax".into() }));
    }
}
