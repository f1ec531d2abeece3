//! The two forms of a request: an answer wrapped with its options, or a raw answer as the provider sent it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::convert::{Conversion, Options, UnknownOutgoingForm};
use crate::dialect::{Dialect, UnknownDialect};
use crate::ingest::{AnswerFormat, Mappings, UnknownFormat, handed_down};
use crate::text::echo;

/// The members of a JSON object, in the bytes in which they arrived.
pub(crate) type Members<'a> = BTreeMap<String, &'a RawValue>;

/// The settings of a request that stand outside of its body, in the query of its URL.
#[derive(Clone, Copy, Debug)]
pub struct Named<'n> {
    /// The format of a raw answer.
    pub from: Option<&'n str>,
    /// The dialect, or a channel id with a dialect of its own.
    pub channel: Option<&'n str>,
    /// The formats that the configuration describes, which `from` may name.
    pub formats: &'n Mappings,
}

/// A request to convert an answer, with its options.
#[derive(Debug)]
pub struct Request<'a> {
    /// The answer, in the bytes in which it arrived, or those of the text that holds it.
    pub answer: Cow<'a, [u8]>,
    /// The place of the answer in the body, as a JSON pointer.
    pub at: &'static str,
    /// The options of the conversion.
    pub conversion: Conversion,
    /// The output of a second step that read the answer; only where [`parse_steps`](Self::parse_steps) reads it.
    pub reshaped: Option<&'a RawValue>,
}

/// An error in what stands beside an answer.
#[derive(Debug, thiserror::Error)]
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
pub(crate) const KNOWN: [&str; 3] = ["from", "channel", "options"];

/// The members where an answer may be that of two steps.
pub(crate) const KNOWN_OF_STEPS: [&str; 4] = ["from", "channel", "options", "reshaped"];

impl<'a> Request<'a> {
    /// The options of a raw answer that has not arrived yet: it is never wrapped.
    ///
    /// # Errors
    /// When a format or a channel is unknown.
    pub fn of_raw(named: &Named<'_>) -> Result<Conversion, EnvelopeError> {
        let mut conversion = Conversion::to(dialect(named.channel)?);
        conversion.from = format(named.from, named.formats)?;
        Ok(conversion)
    }

    /// Reads a body. It is wrapped when it has a member `answer` at the top, and its format is not named in the URL:
    /// who names it there sends it raw. A body whose `answer` is mere text beside members that a wrapping does not have
    /// is raw as well, because some providers call their text so. In a wrapping, a text holds what the provider sent: a
    /// stream, since that is no JSON.
    ///
    /// # Errors
    /// When a member of the wrapping is unknown or wrong.
    pub fn parse(body: &'a [u8], named: &Named<'_>) -> Result<Self, EnvelopeError> {
        Self::parse_knowing(body, named, &KNOWN)
    }

    /// Parses an answer that may be that of two steps (rule RC-06): `reshaped` is the output of the second one, as text
    /// or as its provider sent it.
    ///
    /// # Errors
    /// When a member of the wrapping is unknown or wrong.
    pub fn parse_steps(body: &'a [u8], named: &Named<'_>) -> Result<Self, EnvelopeError> {
        Self::parse_knowing(body, named, &KNOWN_OF_STEPS)
    }

    /// An answer as the provider sent it, with what stands beside it.
    pub(crate) fn beside(answer: &'a [u8], members: &Members<'a>) -> Result<Self, EnvelopeError> {
        let formats = Mappings::default();
        let mut request = Self::raw(answer, Self::of_raw(&Named { from: None, channel: None, formats: &formats })?);
        request.take(members, &formats)?;
        Ok(request)
    }

    fn raw(body: &'a [u8], conversion: Conversion) -> Self {
        Self { answer: Cow::Borrowed(without_mark(body)), at: "", conversion, reshaped: None }
    }

    fn parse_knowing(body: &'a [u8], named: &Named<'_>, known: &[&str]) -> Result<Self, EnvelopeError> {
        let body = without_mark(body);
        let mut request = Self::raw(body, Self::of_raw(named)?);
        // The letters of a name are never written as escapes in practice: most raw bodies are recognised without
        // parsing.
        if named.from.is_some() || memchr::memmem::find(body, b"\"answer\"").is_none() {
            return Ok(request);
        }
        // A body that is no JSON object is a stream, or a fault that the conversion names better.
        let Ok(mut members) = serde_json::from_slice::<Members<'a>>(body) else {
            return Ok(request);
        };
        let Some(answer) = members.remove("answer") else {
            return Ok(request);
        };
        match refuse_unknown(&members, known) {
            Err(_) if answer.get().starts_with('"') => return Ok(request),
            judged => judged?,
        }
        request.take(&members, named.formats)?;
        let text = Some(answer.get()).filter(|json| json.starts_with('"'));
        request.answer = match text.and_then(|json| serde_json::from_str::<String>(&handed_down(json)).ok()) {
            Some(text) => Cow::Owned(text.into_bytes()),
            None => Cow::Borrowed(answer.get().as_bytes()),
        };
        request.at = "/answer";
        Ok(request)
    }

    /// Takes the members that stand beside the answer.
    fn take(&mut self, members: &Members<'a>, formats: &Mappings) -> Result<(), EnvelopeError> {
        if let Some(from) = text_member(members, "from")? {
            self.conversion.from = format(Some(&from), formats)?;
        }
        if let Some(channel) = text_member(members, "channel")? {
            self.conversion.to = dialect(Some(&channel))?;
        }
        if let Some(options) = options_member::<Options>(members)? {
            self.conversion.options = options;
        }
        self.reshaped = members.get("reshaped").copied().filter(|reshaped| reshaped.get() != "null");
        Ok(())
    }
}

/// The options of a prompt. Unknown ones are refused.
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
pub struct PromptRequest<'a> {
    /// The manifest, or the list of its sources.
    pub(crate) answer: &'a [u8],
    /// The place of the answer in the body, as a JSON pointer.
    pub(crate) at: &'static str,
    /// The options of the list of sources.
    pub(crate) options: PromptOptions,
}

impl<'a> PromptRequest<'a> {
    /// Reads a body. It is wrapped when it has a member `answer` at the top.
    ///
    /// # Errors
    /// When a member of the wrapping is unknown or wrong.
    pub fn parse(body: &'a [u8]) -> Result<Self, EnvelopeError> {
        let body = without_mark(body);
        let mut members = serde_json::from_slice::<Members<'a>>(body).unwrap_or_default();
        let Some(answer) = members.remove("answer") else {
            return Ok(Self { answer: body, at: "", options: PromptOptions::default() });
        };
        refuse_unknown(&members, &KNOWN)?;
        let options = options_member(&members)?.unwrap_or_default();
        Ok(Self { answer: answer.get().as_bytes(), at: "/answer", options })
    }

    /// A manifest, with what stands beside it.
    pub(crate) fn beside(answer: &'a [u8], members: &Members<'_>) -> Result<Self, EnvelopeError> {
        let options = options_member(members)?.unwrap_or_default();
        Ok(Self { answer: without_mark(answer), at: "", options })
    }
}

/// The parameters of a call, which stand beside its answer; none are an empty text.
pub(crate) fn parameters<'a>(parameters: &'a [u8], known: &[&str]) -> Result<Members<'a>, EnvelopeError> {
    if parameters.is_empty() {
        return Ok(Members::new());
    }
    let members: Members<'a> = serde_json::from_slice(parameters).map_err(|error| EnvelopeError::Member {
        pointer: String::new(),
        reason: format!("the parameters are a JSON object: {error}"),
    })?;
    refuse_unknown(&members, known)?;
    Ok(members)
}

fn refuse_unknown(members: &Members<'_>, known: &[&str]) -> Result<(), EnvelopeError> {
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(EnvelopeError::UnknownMember { name: name.clone(), known: known.join(", ") }),
        None => Ok(()),
    }
}

/// A body without the mark of its byte order.
pub(crate) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

fn format(name: Option<&str>, formats: &Mappings) -> Result<AnswerFormat, UnknownFormat> {
    AnswerFormat::named(name.unwrap_or("auto"), formats)
}

fn dialect(name: Option<&str>) -> Result<Dialect, UnknownDialect> {
    name.map_or(Ok(Dialect::WebChat), str::parse)
}

pub(crate) fn text_member(members: &Members<'_>, name: &str) -> Result<Option<String>, EnvelopeError> {
    read_member(members, name, "text is required")
}

pub(crate) fn read_member<T: for<'de> Deserialize<'de>>(
    members: &Members<'_>,
    name: &str,
    reason: &str,
) -> Result<Option<T>, EnvelopeError> {
    let Some(value) = members.get(name) else {
        return Ok(None);
    };
    serde_json::from_str(value.get())
        .map_err(|_| EnvelopeError::Member { pointer: format!("/{name}"), reason: reason.to_owned() })
}

fn options_member<T: for<'de> Deserialize<'de>>(members: &Members<'_>) -> Result<Option<T>, EnvelopeError> {
    let Some(raw) = members.get("options").filter(|options| options.get() != "null") else {
        return Ok(None);
    };
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    let mut track = serde_path_to_error::Track::new();
    T::deserialize(serde_path_to_error::Deserializer::new(&mut deserializer, &mut track)).map(Some).map_err(|error| {
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
    use super::*;
    use crate::ingest::Provider;

    fn parse_from<'a>(body: &'a str, from: Option<&str>) -> Result<Request<'a>, EnvelopeError> {
        Request::parse(body.as_bytes(), &Named { from, channel: None, formats: &Mappings::default() })
    }

    fn parse(body: &str) -> Result<Request<'_>, EnvelopeError> {
        parse_from(body, None)
    }

    #[test]
    fn a_wrapped_answer_is_passed_on_byte_by_byte() {
        let request = parse(r#"{"from":"citewire", "answer": { "text" :"a\u0062" } }"#).expect("a request");
        assert_eq!(*request.answer, *br#"{ "text" :"a\u0062" }"#);
        assert_eq!((request.at, request.conversion.from), ("/answer", Provider::Native.into()));
    }

    #[test]
    fn a_body_without_answer_is_raw() {
        for body in [r#"{"text":"hi"}"#, "data: {}\n\n", "", "[1]"] {
            let request = parse(body).expect("a request");
            assert_eq!((&*request.answer, request.at), (body.as_bytes(), ""), "{body}");
        }
    }

    #[test]
    fn a_format_named_in_the_url_makes_the_body_raw() {
        let body = r#"{"answer":"hi","context":[]}"#;
        assert_eq!(&*parse_from(body, Some("citewire")).expect("a request").answer, body.as_bytes());
        assert_eq!(&*parse(body).expect("a request").answer, body.as_bytes());
    }

    #[test]
    fn a_wrapped_text_holds_a_stream() {
        let request =
            parse(r#"{"answer": "data: {\"delta\":\"\u00e9\"}\n\n", "channel": "teams"}"#).expect("a request");
        assert_eq!((&*request.answer, request.at), ("data: {\"delta\":\"é\"}\n\n".as_bytes(), "/answer"));
        assert_eq!(request.conversion.to, Dialect::Teams);
    }

    /// A text with half a character was no text, and its answer was refused. The halves of two deltas have to meet in it
    /// as they do in a stream that is not wrapped.
    #[test]
    fn a_wrapped_text_may_hold_halves_of_characters() {
        let body = r#"{"answer": "data: {\"delta\":\"\ud83d\"}\n\ndata: {\"delta\":\"\ude00\\ud83d\"}\n\n"}"#;
        let request = parse(body).expect("a request");
        assert_eq!(
            String::from_utf8_lossy(&request.answer),
            r#"data: {"delta":"\ud83d"}

data: {"delta":"\ude00\ud83d"}

"#
        );
    }

    #[test]
    fn a_misspelt_member_is_named() {
        let error = parse(r#"{"answer":{},"chanel":"teams"}"#).expect_err("misspelt");
        assert!(matches!(error, EnvelopeError::UnknownMember { name, .. } if name == "chanel"));
    }

    #[test]
    fn null_is_the_same_as_absent() {
        let request = parse(r#"{"answer":{},"from":null,"channel":null,"options":null}"#).expect("a request");
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
            let error = parse(body).expect_err(body);
            assert!(matches!(&error, EnvelopeError::Member { pointer, .. } if pointer == wanted), "{body}: {error:?}");
        }
    }
}
