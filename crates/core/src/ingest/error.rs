//! The errors of reading an input.

use std::fmt;

/// An input that does not follow its format.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The bytes are not UTF-8.
    #[error("not UTF-8: the byte at offset {offset} does not begin a character")]
    NotUtf8 {
        /// The offset of the first invalid byte, counted from 0.
        offset: usize,
    },
    /// The text is not JSON.
    #[error("not JSON: {reason} at line {line}, column {column}")]
    NotJson {
        /// The message of the JSON parser.
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
        /// The finding, and what is required.
        reason: String,
    },
    /// No known format has these members or events.
    #[error("the format was not recognized: {seen}; name it with `from`")]
    Unrecognized {
        /// The members that were found.
        seen: String,
    },
    /// The format is known but has no reader. Reading it as another format would keep the text and lose the sources.
    #[error(
        "this is an answer of {format} ({sign}), which citewire does not read by itself: its sources would be lost; \
         {mapping} is a mapping that reads it{}",
        text_as.map(|slug| format!("; `from` {slug} reads its text alone")).unwrap_or_default()
    )]
    NotRead {
        /// The name of the format.
        format: &'static str,
        /// The member that identifies the format.
        sign: &'static str,
        /// The ready mapping that reads it.
        mapping: &'static str,
        /// The slug of the format that reads only the text, if one does.
        text_as: Option<&'static str>,
    },
    /// An event of a stream exceeds the size limit.
    #[error("{place} is longer than {limit} bytes")]
    EventTooLong {
        /// The event.
        place: EventPlace,
        /// The limit in bytes.
        limit: usize,
    },
    /// An event of a stream does not follow its format.
    #[error("{place}: {source}")]
    Event {
        /// The event.
        place: EventPlace,
        /// The error in the event. Pointers in it begin at the event.
        source: Box<Self>,
    },
    /// A stream ended before any text of the answer or an end sign arrived.
    #[error("the stream contains no answer: {reason}")]
    NoAnswer {
        /// The content of the stream instead.
        reason: String,
    },
}

/// The position of an event in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPlace {
    /// The number of the event, counted from 1.
    pub event: usize,
    /// The line on which the event begins, counted from 1.
    pub line: usize,
}

impl fmt::Display for EventPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} at line {}", self.event, self.line)
    }
}

impl IngestError {
    /// JSON pointer of the member at fault, if there is one. In a stream it begins at the event.
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

    /// The event at fault, if the input is a stream.
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
