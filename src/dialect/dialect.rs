//! The choice of a dialect.

use std::fmt;
use std::str::FromStr;

use super::{m365_copilot, plain, teams, web_chat};
use crate::activity::Activity;
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::report::Entry;

/// What a channel wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Web Chat and everything that speaks Direct Line.
    WebChat,
    /// Microsoft Teams.
    Teams,
    /// Microsoft 365 Copilot.
    M365Copilot,
    /// A text that is read as it stands: SMS, e-mail.
    Plain,
}

/// What the caller wants of the activity itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wishes {
    /// Readers are asked what they think.
    pub feedback: bool,
    /// The text alone names the sources.
    pub self_contained: bool,
    /// A message that is too large stays whole, for whoever sends it in [parts](Dialect::parts).
    pub in_parts: bool,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 4] = [Self::WebChat, Self::Teams, Self::M365Copilot, Self::Plain];

    /// What the channel asks of the text.
    #[must_use]
    pub fn rules(self) -> Rules {
        match self {
            Self::WebChat => Rules::web_chat(),
            Self::Teams | Self::M365Copilot => Rules::teams(),
            Self::Plain => Rules::plain(),
        }
    }

    /// What the channel asks of the graph.
    #[must_use]
    pub fn graph_rules(self) -> GraphRules {
        match self {
            Self::WebChat => GraphRules::web_chat(),
            Self::Teams => GraphRules::teams(),
            Self::M365Copilot => GraphRules::m365_copilot(),
            Self::Plain => GraphRules::plain(),
        }
    }

    /// The message as the channel wants it; `entries` takes what had to be left out.
    #[must_use]
    pub fn message(self, text: String, message: Message, wishes: Wishes, entries: &mut Vec<Entry>) -> Activity {
        match self {
            Self::WebChat => web_chat::message(text, message, wishes),
            Self::Teams => teams::message(text, message, wishes, entries),
            Self::M365Copilot => m365_copilot::message(text, message, wishes, entries),
            Self::Plain => plain::message(text, &message, wishes, entries),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WebChat => "web-chat",
            Self::Teams => "teams",
            Self::M365Copilot => "m365-copilot",
            Self::Plain => "plain",
        })
    }
}

/// Neither a dialect nor a channel id that has one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no dialect or channel is called {given:?}; known are web-chat, teams, m365-copilot, plain, and the channels webchat, \
     directline, emulator, msteams, msteams:COPILOT, email, sms"
)]
pub struct UnknownDialect {
    /// What was given.
    pub given: String,
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    /// Takes the name of a dialect or the id of a channel.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "web-chat" | "webchat" | "directline" | "emulator" => Ok(Self::WebChat),
            "teams" | "msteams" => Ok(Self::Teams),
            "m365-copilot" | "msteams:COPILOT" => Ok(Self::M365Copilot),
            "plain" | "email" | "sms" => Ok(Self::Plain),
            _ => Err(UnknownDialect { given: name.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_channel_ids_lead_to_a_dialect() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        for (id, dialect) in [
            ("webchat", Dialect::WebChat),
            ("directline", Dialect::WebChat),
            ("emulator", Dialect::WebChat),
            ("msteams", Dialect::Teams),
            ("msteams:COPILOT", Dialect::M365Copilot),
            ("email", Dialect::Plain),
            ("sms", Dialect::Plain),
        ] {
            assert_eq!(id.parse(), Ok(dialect), "{id}");
        }
        let error = "fax".parse::<Dialect>().expect_err("no such channel");
        assert!(error.to_string().contains("\"fax\"") && error.to_string().contains("msteams:COPILOT"), "{error}");
    }
}
