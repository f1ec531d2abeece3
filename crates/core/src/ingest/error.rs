//! What can be wrong with an input.

use std::fmt;

/// The input is not what its format promises.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The bytes are not UTF-8.
    #[error("not UTF-8: the byte at offset {offset} does not begin a character")]
    NotUtf8 {
        /// The first byte at fault, counted from 0.
        offset: usize,
    },
    /// The text is not JSON.
    #[error("not JSON: {reason} at line {line}, column {column}")]
    NotJson {
        /// What the parser met.
        reason: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// A member is missing, or has the wrong type or value.
    #[error("{}: {reason}", if pointer.is_empty() { "the document" } else { pointer })]
    Member {
        /// JSON pointer of the member; empty for the whole document.
        pointer: String,
        /// What was met and what is wanted.
        reason: String,
    },
    /// No known format looks like this.
    #[error("the format was not recognized: {seen}; name it with `from`")]
    Unrecognized {
        /// What the envelope shows.
        seen: String,
    },
    /// The format is known, and read by no reader: another one would take the text and lose the sources.
    #[error(
        "this is an answer of {format} ({sign}), which citewire does not read: its sources would be lost; `from` {text_as} \
         reads its text alone"
    )]
    NotRead {
        /// Whose format it is.
        format: &'static str,
        /// What tells it.
        sign: &'static str,
        /// The slug of the format that reads the text.
        text_as: &'static str,
    },
    /// An event of a stream is longer than is taken.
    #[error("{place} is longer than {limit} bytes")]
    EventTooLong {
        /// Which one.
        place: EventPlace,
        /// The limit in bytes.
        limit: usize,
    },
    /// An event of a stream is not what its format promises.
    #[error("{place}: {source}")]
    Event {
        /// Which one.
        place: EventPlace,
        /// What is wrong with it; pointers in it begin at the event.
        source: Box<Self>,
    },
    /// A stream ended before anything of the answer had arrived.
    #[error("the stream contains no answer: {reason}")]
    NoAnswer {
        /// What it holds instead.
        reason: String,
    },
}

/// Where an event stands in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPlace {
    /// Which event it is, counted from 1.
    pub event: usize,
    /// The line on which it begins, counted from 1.
    pub line: usize,
}

impl fmt::Display for EventPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} at line {}", self.event, self.line)
    }
}

impl IngestError {
    /// The JSON pointer of the fault, where there is one; for a fault in a stream it begins at the event.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Member { pointer, .. } => Some(pointer),
            Self::Event { source, .. } => source.pointer(),
            Self::NotUtf8 { .. }
            | Self::NotJson { .. }
            | Self::Unrecognized { .. }
            | Self::NotRead { .. }
            | Self::EventTooLong { .. }
            | Self::NoAnswer { .. } => None,
        }
    }

    /// The event at fault, where the input is a stream.
    #[must_use]
    pub fn place(&self) -> Option<EventPlace> {
        match self {
            Self::Event { place, .. } | Self::EventTooLong { place, .. } => Some(*place),
            Self::NotUtf8 { .. }
            | Self::NotJson { .. }
            | Self::Member { .. }
            | Self::Unrecognized { .. }
            | Self::NotRead { .. }
            | Self::NoAnswer { .. } => None,
        }
    }

    pub(super) fn member(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Member { pointer: pointer.into(), reason: reason.into() }
    }
}
