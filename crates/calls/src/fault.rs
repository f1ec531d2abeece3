//! The code of each error, and its place.

use std::borrow::Cow;

use serde::Serialize;

use crate::check_error::CheckError;
use crate::convert::ConvertError;
use crate::ingest::{EventPlace, IngestError};
use crate::request::EnvelopeError;
use crate::text::echo;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal;)*) => {
        /// A stable code for programs, the same in every process.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// The codes in their order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as programs compare it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

codes! {
    /// The document is not JSON.
    NotJson "not_json";
    /// A member is missing, unknown or wrong.
    InvalidMember "invalid_member";
    /// The answer does not match its format.
    InvalidAnswer "invalid_answer";
    /// No format has this name.
    UnknownFormat "unknown_format";
    /// No channel has this name.
    UnknownChannel "unknown_channel";
    /// No form of events has this name.
    UnknownEvents "unknown_events";
    /// A parameter has no such value.
    InvalidParameter "invalid_parameter";
    /// The answer is longer than is taken.
    BodyTooLong "body_too_long";
    /// An event of the stream is longer than is taken.
    EventTooLong "event_too_long";
    /// There is nothing to mend.
    NotAnActivity "not_an_activity";
    /// Grounding is required, and the answer used no retrieval.
    GroundingNoTools "grounding_no_tools";
    /// Grounding is required, and the answer cites no source.
    GroundingNoCitations "grounding_no_citations";
    /// Support is required, and sources contradict the answer.
    SupportConflict "support_conflict";
    /// The stream has ended, or was given up.
    StreamEnded "stream_ended";
    /// A text of the caller holds half a character.
    HalfACharacter "half_a_character";
    /// citewire failed.
    Internal "internal";
}

/// The code of an error, and its place in what was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code.
    pub code: Code,
    /// JSON pointer of the fault.
    pub pointer: Option<String>,
    /// The event at fault, where the answer is a stream.
    pub place: Option<EventPlace>,
}

impl From<Code> for Fault {
    fn from(code: Code) -> Self {
        Self { code, pointer: None, place: None }
    }
}

impl Fault {
    fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }

    fn member(pointer: &str) -> Self {
        Self::from(Code::InvalidMember).at(pointer)
    }

    /// The fault as programs read it, with its words.
    pub(crate) fn write(&self, detail: &str) -> Vec<u8> {
        #[derive(Serialize)]
        struct Written<'a> {
            code: &'static str,
            detail: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            pointer: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            event: Option<usize>,
            #[serde(skip_serializing_if = "Option::is_none")]
            line: Option<usize>,
        }
        let Self { code, pointer, place } = self;
        let (event, line) = (place.map(|place| place.event), place.map(|place| place.line));
        let written = Written { code: code.as_str(), detail, pointer: pointer.as_deref(), event, line };
        // Texts and numbers always become JSON.
        serde_json::to_vec(&written).unwrap_or_default()
    }
}

impl From<&EnvelopeError> for Fault {
    fn from(error: &EnvelopeError) -> Self {
        match error {
            EnvelopeError::Format(_) => Code::UnknownFormat.into(),
            EnvelopeError::Channel(_) => Code::UnknownChannel.into(),
            EnvelopeError::Events(_) => Code::UnknownEvents.into(),
            EnvelopeError::UnknownMember { name, .. } => {
                Self::member(&format!("/{}", name.replace('~', "~0").replace('/', "~1")))
            }
            EnvelopeError::Member { pointer, .. } => Self::member(pointer),
        }
    }
}

impl From<&CheckError> for Fault {
    fn from(error: &CheckError) -> Self {
        match error {
            CheckError::NotJson(_) | CheckError::Unreadable(_) => Code::NotJson.into(),
            CheckError::Channel(_) => Code::UnknownChannel.into(),
            CheckError::Profile(_) => Code::InvalidParameter.into(),
            CheckError::NotAnActivity(_) => Code::NotAnActivity.into(),
            CheckError::Member { pointer, .. } => Self::member(pointer),
        }
    }
}

/// The fault of a conversion, whose answer stands at this JSON pointer.
pub(crate) fn of_conversion(error: &ConvertError, at: &str) -> Fault {
    match error {
        ConvertError::Ingest(error) => {
            let pointer = error.pointer().map_or_else(|| at.to_owned(), |pointer| format!("{at}{pointer}"));
            let place = error.place();
            if let IngestError::EventTooLong { .. } = error {
                return Fault { place, ..Fault::from(Code::EventTooLong).at(at) };
            }
            // A pointer leads into the body, and a stream is no JSON: there, the place says which event it begins at.
            let pointer = if place.is_some() { at.to_owned() } else { pointer };
            Fault { place, ..Fault::from(Code::InvalidAnswer).at(pointer) }
        }
        ConvertError::GroundingNoTools => Code::GroundingNoTools.into(),
        ConvertError::GroundingNoCitations => Code::GroundingNoCitations.into(),
        ConvertError::SupportConflict { .. } => Code::SupportConflict.into(),
    }
}

/// The longest detail of an error, in characters, and how many of them are its end: parsers repeat what they cannot read, in the
/// middle of what they say.
const MAX_DETAIL: usize = 8_000;
const END_OF_DETAIL: usize = 1_000;

/// The detail without more of the caller's input than a reader needs: quotations in it mostly come from the caller.
#[must_use]
pub fn bounded(detail: String) -> String {
    // Most are short.
    if detail.len() <= MAX_DETAIL / 40 {
        return detail;
    }
    let cut = |detail: &str, quote: char| {
        let quoted = |(place, part)| if place % 2 == 1 { echo(part) } else { Cow::Borrowed(part) };
        let parts: Vec<Cow<'_, str>> = detail.split(quote).enumerate().map(quoted).collect();
        parts.join(quote.encode_utf8(&mut [0; 4]))
    };
    let detail = cut(&cut(&detail, '`'), '"');
    let Some((middle, _)) = detail.char_indices().nth(MAX_DETAIL - END_OF_DETAIL) else { return detail };
    let Some((end, _)) = detail.char_indices().rev().nth(END_OF_DETAIL - 1) else { return detail };
    if end <= middle { detail } else { format!("{} … {}", &detail[..middle], &detail[end..]) }
}
