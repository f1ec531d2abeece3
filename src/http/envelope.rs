//! The two forms of a request body: a wrapped answer, or a raw answer as the provider sent it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::query::Query;
use crate::convert::{Conversion, Options, UnknownOutgoingForm};
use crate::dialect::{Dialect, UnknownDialect};
use crate::ingest::{UnknownFormat, handed_down};
use crate::text::echo;

/// A request to convert an answer, with its options.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The answer, in the bytes in which it arrived, or those of the text that holds it.
    pub(crate) answer: Cow<'a, [u8]>,
    /// The place of the answer in the body, as a JSON pointer.
    pub(crate) at: &'static str,
    /// The options of the conversion.
    pub(crate) conversion: Conversion,
    /// The output of a second step that read the answer; only where [`parse_steps`](Self::parse_steps) reads it.
    pub(crate) reshaped: Option<&'a RawValue>,
}

/// A wrapped answer with conversion options. You can also send the raw answer as the body, with `from` and `channel` in the
/// query.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: `Request::parse` keeps the bytes of the answer")]
pub(crate) struct AnswerRequest {
    /// The format of the answer; `auto` detects it.
    #[schema(example = "citewire", default = "auto")]
    from: Option<String>,
    /// The output dialect (`web-chat`, `teams`, `m365-copilot`, `plain`, `slack`, `slack-blocks`, `google-chat`, `telegram`,
    /// `line` or `email-html`), or a channel id with a dialect of its own, such as `msteams`.
    #[schema(example = "web-chat", default = "web-chat")]
    channel: Option<String>,
    /// Conversion options; the server refuses unknown options.
    options: Option<Options>,
    /// The answer, as the provider sent it; a stream as text: server-sent events, or one JSON object per line.
    #[schema(value_type = Object, example = json!({
        "text": "Leave is 30 days [1].",
        "sources": [{ "title": "Leave policy", "url": "https://hr.example/leave" }]
    }))]
    answer: Value,
}

/// A wrapped answer, optionally with the result of a second model. You can also send the raw answer as the body, with `from`
/// in the query.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: `Request::parse` keeps the bytes of the answer")]
pub(crate) struct RecordsRequest {
    /// The format of the answer; `auto` detects it.
    #[schema(example = "gemini", default = "auto")]
    from: Option<String>,
    /// Ignored.
    channel: Option<String>,
    /// Conversion options; the server refuses unknown options.
    options: Option<Options>,
    /// The answer, as the provider sent it; a stream as text: server-sent events, or one JSON object per line.
    #[schema(value_type = Object, example = json!({
        "text": "Leave is 30 days [1].",
        "sources": [{ "title": "Leave policy", "url": "https://hr.example/leave" }]
    }))]
    answer: Value,
    /// The result of a second model that rewrote the answer: its text, or its response as the provider sent it. It replaces
    /// `text` in the response; citewire does not scan it for markers.
    #[schema(value_type = Option<Object>, example = json!("{\"days\": 30}"))]
    reshaped: Option<Value>,
}

/// An error in a wrapped request body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// The format has no such name.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// The channel has no such name.
    #[error(transparent)]
    Channel(#[from] UnknownDialect),
    /// The form of events has no such name.
    #[error(transparent)]
    Events(#[from] UnknownOutgoingForm),
    /// A member beside `answer` has no meaning.
    #[error("unknown member {:?}; the members beside answer are {known}", echo(name))]
    UnknownMember {
        /// The name of the member.
        name: String,
        /// The names that have one, separated by commas.
        known: String,
    },
    /// A member has the wrong type or value.
    #[error("{}: {reason}", echo(pointer))]
    Member {
        /// JSON pointer of the member.
        pointer: String,
        /// The reason why the member is refused.
        reason: String,
    },
}

/// The members that may stand beside `answer`.
const KNOWN: [&str; 3] = ["from", "channel", "options"];

/// The members where an answer may be that of two steps.
const KNOWN_OF_STEPS: [&str; 4] = ["from", "channel", "options", "reshaped"];

impl<'a> Request<'a> {
    /// The options of a raw answer that has not arrived yet: it is never wrapped.
    pub(crate) fn of_raw(query: &Query) -> Result<Conversion, EnvelopeError> {
        let mut conversion = Conversion::to(dialect(query.get("channel").or(query.get("to")))?);
        conversion.from = query.format(query.get("from"))?;
        Ok(conversion)
    }

    /// Reads a body. It is wrapped when it has a member `answer` at the top, and its format is not named in the URL:
    /// who names it there sends it raw. A body whose `answer` is mere text beside members that a wrapping does not have
    /// is raw as well, because some providers call their text so. In a wrapping, a text holds what the provider sent: a
    /// stream, since that is no JSON.
    pub(crate) fn parse(body: &'a [u8], query: &Query) -> Result<Self, EnvelopeError> {
        Self::parse_knowing(body, query, &KNOWN)
    }

    /// Parses an answer that may be that of two steps (rule RC-06): `reshaped` is the output of the second one, as text
    /// or as its provider sent it.
    pub(crate) fn parse_steps(body: &'a [u8], query: &Query) -> Result<Self, EnvelopeError> {
        Self::parse_knowing(body, query, &KNOWN_OF_STEPS)
    }

    fn parse_knowing(body: &'a [u8], query: &Query, known: &[&str]) -> Result<Self, EnvelopeError> {
        let mut conversion = Self::of_raw(query)?;
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let raw = |conversion| Self { answer: Cow::Borrowed(body), at: "", conversion, reshaped: None };
        if query.get("from").is_some() {
            return Ok(raw(conversion));
        }
        // The letters of a name are never written as escapes in practice: most raw bodies are recognised without
        // parsing.
        if memchr::memmem::find(body, b"\"answer\"").is_none() {
            return Ok(raw(conversion));
        }
        // A body that is no JSON object is a stream, or a fault that the conversion names better.
        let Ok(members) = serde_json::from_slice::<BTreeMap<String, &'a RawValue>>(body) else {
            return Ok(raw(conversion));
        };
        let Some(answer) = members.get("answer") else {
            return Ok(raw(conversion));
        };
        if let Some(name) = members.keys().find(|name| *name != "answer" && !known.contains(&name.as_str())) {
            let text = answer.get().starts_with('"');
            let unknown = || EnvelopeError::UnknownMember { name: name.clone(), known: known.join(", ") };
            return if text { Ok(raw(conversion)) } else { Err(unknown()) };
        }
        if let Some(from) = text_member(&members, "from")? {
            conversion.from = query.format(Some(&from))?;
        }
        if let Some(channel) = text_member(&members, "channel")? {
            conversion.to = dialect(Some(&channel))?;
        }
        if let Some(options) = members.get("options").filter(|options| options.get() != "null") {
            conversion.options = parse_options::<Options>(options)?;
        }
        let text = Some(answer.get()).filter(|json| json.starts_with('"'));
        let answer = match text.and_then(|json| serde_json::from_str::<String>(&handed_down(json)).ok()) {
            Some(text) => Cow::Owned(text.into_bytes()),
            None => Cow::Borrowed(answer.get().as_bytes()),
        };
        let reshaped = members.get("reshaped").copied().filter(|reshaped| reshaped.get() != "null");
        Ok(Self { answer, at: "/answer", conversion, reshaped })
    }
}

/// The options of `POST /v1/prompt`. Unknown ones are refused.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptOptions {
    pub(crate) style: Option<String>,
    pub(crate) max_bytes: Option<usize>,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) system: Option<String>,
    pub(crate) sources_only: Option<bool>,
}

/// A request to list sources for a model.
#[derive(Debug)]
pub(crate) struct PromptRequest<'a> {
    /// The manifest, or the list of its sources.
    pub(crate) answer: &'a [u8],
    /// The place of the answer in the body, as a JSON pointer.
    pub(crate) at: &'static str,
    /// The options of the list of sources.
    pub(crate) options: PromptOptions,
}

impl<'a> PromptRequest<'a> {
    /// Reads a body. It is wrapped when it has a member `answer` at the top.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, EnvelopeError> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let members = serde_json::from_slice::<BTreeMap<String, &'a RawValue>>(body).unwrap_or_default();
        let Some(answer) = members.get("answer") else {
            return Ok(Self { answer: body, at: "", options: PromptOptions::default() });
        };
        if let Some(name) = members.keys().find(|name| *name != "answer" && !KNOWN.contains(&name.as_str())) {
            return Err(EnvelopeError::UnknownMember { name: name.clone(), known: KNOWN.join(", ") });
        }
        let options = members.get("options").filter(|options| options.get() != "null");
        let options = options.map(|options| parse_options(options)).transpose()?.unwrap_or_default();
        Ok(Self { answer: answer.get().as_bytes(), at: "/answer", options })
    }
}

fn dialect(name: Option<&str>) -> Result<Dialect, UnknownDialect> {
    name.map_or(Ok(Dialect::WebChat), str::parse)
}

fn text_member(members: &BTreeMap<String, &RawValue>, name: &str) -> Result<Option<String>, EnvelopeError> {
    let Some(value) = members.get(name) else {
        return Ok(None);
    };
    serde_json::from_str(value.get())
        .map_err(|_| EnvelopeError::Member { pointer: format!("/{name}"), reason: "text is required".to_owned() })
}

fn parse_options<'de, T: serde::Deserialize<'de>>(raw: &'de RawValue) -> Result<T, EnvelopeError> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    let mut track = serde_path_to_error::Track::new();
    T::deserialize(serde_path_to_error::Deserializer::new(&mut deserializer, &mut track)).map_err(|error| {
        let path = track.path();
        let pointer = path.iter().fold("/options".to_owned(), |pointer, segment| match segment {
            serde_path_to_error::Segment::Seq { index } => format!("{pointer}/{index}"),
            serde_path_to_error::Segment::Map { key } => {
                format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            serde_path_to_error::Segment::Enum { .. } | serde_path_to_error::Segment::Unknown => pointer,
        });
        EnvelopeError::Member { pointer, reason: without_position(&error.to_string()).to_owned() }
    })
}

/// Line and column count from the start of the options, which are no place in the body; the pointer says it better.
fn without_position(reason: &str) -> &str {
    reason.rsplit_once(" at line ").map_or(reason, |(reason, _)| reason)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::ingest::{AnswerFormat, Provider};

    fn parse<'a>(body: &'a str, query: &str) -> Result<Request<'a>, EnvelopeError> {
        let request = TestRequest::with_uri(&format!("/?{query}")).to_http_request();
        Request::parse(body.as_bytes(), &Query::of(&request))
    }

    #[test]
    fn a_wrapped_answer_is_passed_on_byte_by_byte() {
        let request = parse(r#"{"from":"citewire", "answer": { "text" :"a\u0062" } }"#, "").expect("a request");
        assert_eq!(*request.answer, *br#"{ "text" :"a\u0062" }"#);
        assert_eq!((request.at, request.conversion.from), ("/answer", Provider::Native.into()));
    }

    #[test]
    fn a_body_without_answer_is_raw() {
        for body in [r#"{"text":"hi"}"#, "data: {}\n\n", "", "[1]"] {
            let request = parse(body, "").expect("a request");
            assert_eq!((&*request.answer, request.at), (body.as_bytes(), ""), "{body}");
        }
    }

    #[test]
    fn a_format_named_in_the_url_makes_the_body_raw() {
        let body = r#"{"answer":"hi","context":[]}"#;
        assert_eq!(&*parse(body, "from=citewire").expect("a request").answer, body.as_bytes());
        assert_eq!(&*parse(body, "").expect("a request").answer, body.as_bytes());
    }

    #[test]
    fn a_wrapped_text_holds_a_stream() {
        let request =
            parse(r#"{"answer": "data: {\"delta\":\"\u00e9\"}\n\n", "channel": "teams"}"#, "").expect("a request");
        assert_eq!((&*request.answer, request.at), ("data: {\"delta\":\"é\"}\n\n".as_bytes(), "/answer"));
        assert_eq!(request.conversion.to, Dialect::Teams);
    }

    /// A text with half a character was no text, and its answer was refused. The halves of two deltas have to meet in it
    /// as they do in a stream that is not wrapped.
    #[test]
    fn a_wrapped_text_may_hold_halves_of_characters() {
        let body = r#"{"answer": "data: {\"delta\":\"\ud83d\"}\n\ndata: {\"delta\":\"\ude00\\ud83d\"}\n\n"}"#;
        let request = parse(body, "").expect("a request");
        assert_eq!(
            String::from_utf8_lossy(&request.answer),
            r#"data: {"delta":"\ud83d"}

data: {"delta":"\ude00\ud83d"}

"#
        );
    }

    #[test]
    fn a_misspelt_member_is_named() {
        let error = parse(r#"{"answer":{},"chanel":"teams"}"#, "").expect_err("misspelt");
        assert!(matches!(error, EnvelopeError::UnknownMember { name, .. } if name == "chanel"));
    }

    #[test]
    fn null_is_the_same_as_absent() {
        let request = parse(r#"{"answer":{},"from":null,"channel":null,"options":null}"#, "").expect("a request");
        assert_eq!(request.conversion.from, AnswerFormat::default());
    }

    #[test]
    fn faults_carry_the_pointer_of_their_member() {
        for (body, wanted) in [
            (r#"{"answer":{},"from":5}"#, "/from"),
            (r#"{"answer":{},"channel":[]}"#, "/channel"),
            (r#"{"answer":{},"options":{"no_such_option":1}}"#, "/options/no_such_option"),
            (r#"{"answer":{},"options":5}"#, "/options"),
        ] {
            let error = parse(body, "").expect_err(body);
            assert!(matches!(&error, EnvelopeError::Member { pointer, .. } if pointer == wanted), "{body}: {error:?}");
        }
    }
}
