//! The choice of a dialect.

use std::str::FromStr;

/// What a channel wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Web Chat and everything that speaks Direct Line.
    WebChat,
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
