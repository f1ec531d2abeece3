//! The choice of a dialect.

use std::str::FromStr;

use super::web_chat;
use crate::activity::Activity;
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};

/// What a channel wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Web Chat and everything that speaks Direct Line.
    WebChat,
}

impl Dialect {
    /// What the channel asks of the text.
    #[must_use]
    pub fn rules(self) -> Rules {
        match self {
            Self::WebChat => Rules::web_chat(),
        }
    }

    /// What the channel asks of the graph.
    #[must_use]
    pub fn graph_rules(self) -> GraphRules {
        match self {
            Self::WebChat => GraphRules::web_chat(),
        }
    }

    /// The message as the channel wants it.
    #[must_use]
    pub fn message(self, text: String, message: Message) -> Activity {
        match self {
            Self::WebChat => web_chat::message(text, message),
        }
    }
}

/// Neither a dialect nor a channel id that has one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no dialect or channel is called {given:?}; known are web-chat, webchat, directline, emulator")]
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
            _ => Err(UnknownDialect { given: name.to_owned() }),
        }
    }
}
