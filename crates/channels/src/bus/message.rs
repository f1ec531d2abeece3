//! The messages of the bus, as JSON with a version. A version that is unknown here is ignored, so that two versions of citewire can
//! serve one cluster during an upgrade.

use std::borrow::Cow;

use bytestring::ByteString;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::activity::{Activity, Watermark};

const VERSION: u32 = 1;

/// Something that a node tells the readers of a conversation on other nodes. Frames are JSON objects, as sockets send them.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// An activity that is not recorded and that a node shows as it comes: typing, or what a bot streams.
    Shown {
        /// The activity.
        frame: ByteString,
        /// It is to be shown after this one.
        after: Option<Watermark>,
        /// The livestream that the activity says it belongs to.
        stream: Option<String>,
    },
    /// The whole of a livestream so far. Readers that come late need nothing else.
    Piece {
        /// The name of the stream.
        stream: String,
        /// The frame with which it began.
        first: ByteString,
        /// The activity.
        frame: ByteString,
        /// Its number in the stream, which the activity has as `streamSequence`.
        number: u32,
        /// It is to be shown after this one.
        after: Option<Watermark>,
    },
    /// The end of a stream of which nothing stays. Each node makes the activity that takes back what was shown.
    Withdrawal {
        /// The name of the stream.
        stream: String,
        /// It is to be shown after this one.
        after: Option<Watermark>,
    },
    /// The message with which a stream ends is recorded.
    End {
        /// The name of the stream.
        stream: String,
    },
    /// A stream goes on.
    Alive {
        /// The name of the stream.
        stream: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Shown,
    Piece,
    Withdrawal,
    End,
    Alive,
}

/// A message on the wire. Its version and its sender come first, so that a node knows its own messages by their first bytes.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    v: u32,
    node: &'a str,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Watermark>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    first: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    frame: Option<&'a RawValue>,
}

/// The bytes with which every message of a node begins.
pub(super) fn beginning(node: &str) -> String {
    format!("{{\"v\":{VERSION},\"node\":\"{node}\"")
}

impl Message {
    /// The stream that it belongs to.
    pub(super) fn stream(&self) -> Option<&str> {
        match self {
            Self::Shown { stream, .. } => stream.as_deref(),
            Self::Piece { stream, .. }
            | Self::Withdrawal { stream, .. }
            | Self::End { stream }
            | Self::Alive { stream } => Some(stream),
        }
    }

    /// How many bytes it takes, roughly.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Piece { first, frame, .. } if first == frame => frame.len(),
            Self::Piece { first, frame, .. } => first.len() + frame.len(),
            Self::Shown { frame, .. } => frame.len(),
            Self::Withdrawal { .. } | Self::End { .. } | Self::Alive { .. } => 0,
        }
    }

    /// The message as this node sends it; `None` where a frame is no JSON.
    pub(super) fn encode(&self, node: &str) -> Option<String> {
        let raw = |frame| serde_json::from_str::<&RawValue>(frame).ok();
        let stream = self.stream().map(str::to_owned);
        let bare =
            |kind| Wire { v: VERSION, node, kind, stream: stream.clone(), after: None, first: None, frame: None };
        let wire = match self {
            Self::Shown { frame, after, .. } => Wire { after: *after, frame: Some(raw(frame)?), ..bare(Kind::Shown) },
            Self::Piece { first, frame, after, .. } => {
                // A frame that is its own first is sent once.
                let first = if first == frame { None } else { Some(raw(first)?) };
                Wire { after: *after, first, frame: Some(raw(frame)?), ..bare(Kind::Piece) }
            }
            Self::Withdrawal { after, .. } => Wire { after: *after, ..bare(Kind::Withdrawal) },
            Self::End { .. } => bare(Kind::End),
            Self::Alive { .. } => bare(Kind::Alive),
        };
        serde_json::to_string(&wire).ok()
    }

    /// Reads a message; `None` where this version does not understand it.
    pub(super) fn decode(text: &[u8]) -> Option<Self> {
        let Wire { v, kind, stream, after, first, frame, .. } = serde_json::from_slice(text).ok()?;
        if v != VERSION {
            return None;
        }
        // A frame that is not shown ends the message: one that is left out would be taken for one that is not there.
        let shown = |raw: Option<&RawValue>| raw.map(ephemeral).map_or(Some(None), |frame| frame.map(Some));
        let (first, frame) = (shown(first)?, shown(frame)?);
        let first = first.map(|(first, _)| first);
        Some(match kind {
            Kind::Shown => Self::Shown { frame: frame?.0, after, stream },
            Kind::Piece => {
                let (frame, number) = frame?;
                Self::Piece { stream: stream?, first: first.unwrap_or_else(|| frame.clone()), frame, number, after }
            }
            Kind::Withdrawal => Self::Withdrawal { stream: stream?, after },
            Kind::End => Self::End { stream: stream? },
            Kind::Alive => Self::Alive { stream: stream? },
        })
    }
}

/// A frame whose activities are of a kind that is never recorded, with the number of its last one in a stream, and 0 without one:
/// readers have all others from the store alone.
fn ephemeral(raw: &RawValue) -> Option<(ByteString, u32)> {
    let frame: Frame<'_> = serde_json::from_str(raw.get()).ok()?;
    let is_ephemeral = |head: &Head<'_>| head.kind == Activity::EPHEMERAL;
    let data = frame.activities.last()?.channel_data.map(RawValue::get).unwrap_or_default();
    let number = serde_json::from_str::<StreamData>(data).map_or(0, |data| data.stream_sequence);
    frame.activities.iter().all(is_ephemeral).then(|| (ByteString::from(raw.get()), number))
}

/// The members of a frame that are read.
#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    activities: Vec<Head<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    /// Anything at all in what a bot sends.
    #[serde(borrow)]
    channel_data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StreamData {
    stream_sequence: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> [Message; 6] {
        let frame = ByteString::from(
            r#"{"activities":[{"type":"typing","text":"a\u0000b","channelData":{"streamSequence":7,"streamId":"c1|e1"}}]}"#,
        );
        let first = ByteString::from(r#"{"activities":[{"type":"typing","text":"a"}]}"#);
        let (stream, after) = ("c1|e1".to_owned(), Some(Watermark::from_index(7)));
        [
            Message::Shown { frame: frame.clone(), after: None, stream: None },
            Message::Piece { stream: stream.clone(), first, frame: frame.clone(), number: 7, after },
            Message::Piece {
                stream: stream.clone(),
                first: frame.clone(),
                frame: frame.clone(),
                number: 7,
                after: None,
            },
            Message::Withdrawal { stream: stream.clone(), after },
            Message::End { stream: stream.clone() },
            Message::Alive { stream },
        ]
    }

    #[test]
    fn what_is_written_is_read_and_begins_with_its_sender() {
        let node = "9c4e";
        for message in messages() {
            let text = message.encode(node).expect("JSON");
            assert!(text.starts_with(&beginning(node)), "{text}");
            assert_eq!(Message::decode(text.as_bytes()), Some(message), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_ignored() {
        let known = messages()[1].encode("9c4e").expect("JSON");
        let later = known.replace("\"v\":1", "\"v\":2");
        let kind = known.replace("\"piece\"", "\"picture\"");
        let no_object = known.replace(
            r#""frame":{"activities":[{"type":"typing","text":"a\u0000b""#,
            r#""frame":["activities",{"x":[{"y":"z""#,
        );
        let nameless = known.replace("\"stream\"", "\"team\"");
        for text in [&*later, &kind, &no_object, &nameless, &known[..known.len() - 1], "", "[]"] {
            assert!(text != known && Message::decode(text.as_bytes()).is_none(), "{text}");
        }
        for kind in ["message", "event", "Typing", "endOfConversation", ""] {
            let recorded = known.replacen("\"typing\"", &format!("\"{kind}\""), 1);
            assert!(recorded != known && Message::decode(recorded.as_bytes()).is_none(), "{recorded}");
        }
        let beside =
            known.replacen(r#"[{"type":"typing""#, r#"[{"type":"message","text":"FORGED"},{"type":"typing""#, 1);
        assert!(beside != known && Message::decode(beside.as_bytes()).is_none(), "{beside}");
        let twice = known.replacen(r#"{"type":"typing""#, r#"{"type":"typing","type":"message""#, 1);
        assert!(twice != known && Message::decode(twice.as_bytes()).is_none(), "{twice}");
        let more = known.replacen('{', r#"{"more":[1],"#, 1);
        assert!(Message::decode(more.as_bytes()).is_some(), "members may be added without a new version");
    }
}
