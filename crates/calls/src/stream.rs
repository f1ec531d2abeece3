//! Answers that arrive in pieces.

use serde::Serialize;

use crate::activity::Activity;
use crate::call::MAX_BYTES;
use crate::convert::{ConvertError, Streamed, Streaming, Update};
use crate::error::CallError;
use crate::report::Report;
use crate::request::{KNOWN, Request, parameters};

/// An answer that arrives in pieces. After an error, or its end, it takes nothing more.
#[derive(Debug)]
pub struct Stream {
    /// `None` when the stream has ended.
    streaming: Option<Streaming>,
    /// The bytes that may still come.
    room: usize,
}

/// New text for readers.
#[derive(Serialize)]
struct Shown<'a> {
    kind: &'static str,
    text: &'a str,
}

/// The end of a stream.
#[derive(Serialize)]
struct Ended<'a> {
    message: &'a Activity,
    continues: bool,
    report: &'a Report,
}

impl Stream {
    /// Begins a stream, with the parameters that stand beside a whole answer.
    ///
    /// # Errors
    /// When the parameters are wrong.
    pub fn begin(given: &[u8]) -> Result<Self, CallError> {
        let request = Request::beside(b"", &parameters(given, &KNOWN)?)?;
        Ok(Self { streaming: Some(Streaming::new(request.conversion)), room: MAX_BYTES })
    }

    /// Takes the next bytes. Returns what readers see from now on, `{"kind": "text", "text": …}`, or nothing when that has not
    /// changed. The kind is `informative` for words in place of an answer that cannot be shown yet.
    ///
    /// # Errors
    /// When the answer is unusable or too long, or the stream has ended.
    pub fn push(&mut self, piece: &[u8]) -> Result<Option<Vec<u8>>, CallError> {
        let pushed = self.streaming.as_mut().ok_or(CallError::StreamEnded)?;
        let Some(room) = self.room.checked_sub(piece.len()) else {
            self.streaming = None;
            return Err(CallError::TooLong { limit: MAX_BYTES });
        };
        self.room = room;
        let shown = match pushed.push(piece) {
            Ok(None) => return Ok(None),
            Ok(Some(Update::Text(text))) => Ok(Shown { kind: "text", text }),
            Ok(Some(Update::Informative(text))) => Ok(Shown { kind: "informative", text }),
            Err(error) => Err(unusable(error)),
        };
        let written = shown.and_then(|shown| Ok(serde_json::to_vec(&shown)?));
        if written.is_err() {
            self.streaming = None;
        }
        written.map(Some)
    }

    /// The text so far as an activity of its own, with the claims that it cites in Web Chat; nothing while nothing is shown.
    ///
    /// # Errors
    /// When the stream has ended.
    pub fn so_far(&mut self) -> Result<Option<Vec<u8>>, CallError> {
        let activity = self.streaming.as_mut().ok_or(CallError::StreamEnded)?.so_far();
        Ok(activity.map(|activity| serde_json::to_vec(&activity)).transpose()?)
    }

    /// Ends the stream: `message` equals the one of the whole answer, `continues` says whether it may follow the text shown last,
    /// and `report` is that of the conversion.
    ///
    /// # Errors
    /// When the answer is unusable or refused, or the stream has ended.
    pub fn finish(&mut self) -> Result<Vec<u8>, CallError> {
        let streaming = self.streaming.take().ok_or(CallError::StreamEnded)?;
        let Streamed { message, continues, report, .. } = streaming.end().map_err(unusable)?;
        Ok(serde_json::to_vec(&Ended { message: &message, continues, report: &report })?)
    }
}

fn unusable(source: ConvertError) -> CallError {
    CallError::Convert { source, at: "" }
}
