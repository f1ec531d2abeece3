//! A checked mapping, and what is wrong with one that is not.

use super::super::Provider;
use super::super::span::Unit;
use super::options::{
    EventOptions, FormOption, MappingOptions, MarkerOptions, Names, OffsetUnit, SkipOptions, SoFar, SourceOptions,
    SpanOptions, StreamOptions,
};
use super::path::Path;
use super::several::Several;
use crate::answer::{MarkerGrammar, NumberMeaning};

/// A checked mapping: where a format of its own has text, sources and citations.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// Lives as long as the process, like the names of all formats; a process has few mappings.
    pub(super) name: &'static str,
    pub(super) recognize: Vec<Path>,
    pub(super) text: Vec<Path>,
    pub(super) sources: Vec<Path>,
    pub(super) error: Vec<EventRule>,
    pub(super) json_in: Vec<Path>,
    pub(super) source: SourcePaths,
    pub(super) grammar: MarkerGrammar,
    pub(super) spans: Option<Spans>,
    pub(super) stream: Option<StreamRules>,
}

/// The members of a source. Of several paths, the first that finds a value counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SourcePaths {
    pub(super) id: Vec<Path>,
    pub(super) title: Vec<Path>,
    pub(super) url: Vec<Path>,
    /// Prefixes of an address that are no part of it.
    pub(super) strip: Vec<String>,
    pub(super) filepath: Vec<Path>,
    pub(super) chunk_id: Vec<Path>,
    pub(super) page: Vec<Path>,
    pub(super) content: Vec<Path>,
    pub(super) score: Vec<Path>,
    pub(super) modified: Vec<Path>,
    pub(super) author: Vec<Path>,
    pub(super) media_type: Vec<Path>,
    pub(super) label: Vec<Path>,
    pub(super) marker: Vec<Path>,
}

/// Citations beside the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spans {
    pub(super) each: Vec<Path>,
    pub(super) place: PlacePaths,
    /// The cited text.
    pub(super) text: Vec<Path>,
    pub(super) cites: Cites,
}

/// The position of a span.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlacePaths {
    /// Only the cited text says it.
    Quoted,
    /// One offset: a badge stands there.
    Point(Vec<Path>, Unit),
    Ends {
        start: Vec<Path>,
        end: Vec<Path>,
        unit: Unit,
    },
    Length {
        start: Vec<Path>,
        length: Vec<Path>,
        unit: Unit,
    },
}

/// The sources of a span.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cites {
    /// Those that stand around it or in it.
    Enclosing,
    /// Those that it names.
    Named(Vec<Path>, Names),
}

/// The events of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StreamRules {
    pub(super) recognize: Vec<EventRule>,
    pub(super) text: Vec<EventRule>,
    pub(super) so_far: SoFar,
    pub(super) skip: Option<Skip>,
    pub(super) sources: Vec<EventRule>,
    pub(super) spans: Vec<EventRule>,
    pub(super) end: End,
    pub(super) error: Vec<EventRule>,
}

/// Events whose text is no part of the answer, from the first to the last of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skip {
    pub(super) from: EventRule,
    pub(super) to: EventRule,
}

/// The end sign of a stream (rule N-12).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// The format has none.
    None,
    /// The line `[DONE]`.
    Sentinel,
    Events(Vec<EventRule>),
}

/// An event, and what is read of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EventRule {
    pub(super) event: Option<String>,
    pub(super) when: Option<Path>,
    pub(super) path: Path,
}

/// An error in a mapping, and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", if member.is_empty() { String::new() } else { format!("{member}: ") })]
pub struct MappingError {
    /// The member, with dots between tables; empty for the whole mapping.
    pub member: String,
    /// The error, and what is needed.
    pub reason: String,
}

fn wrong(member: impl Into<String>, reason: impl Into<String>) -> MappingError {
    MappingError { member: member.into(), reason: reason.into() }
}

/// The longest name of a mapping, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The most paths of one member.
const MAX_PATHS: usize = 16;

impl Mapping {
    /// Checks a mapping. `name` is how `from` names it.
    ///
    /// # Errors
    /// With the first member that is wrong, and what it needs.
    pub fn new(name: &str, options: &MappingOptions) -> Result<Self, MappingError> {
        check_name(name)?;
        let text = absolute("text", &options.text)?;
        let sources = absolute("sources", &options.sources)?;
        let stream = stream(&options.stream)?;
        if text.is_empty() && stream.as_ref().is_none_or(|stream| stream.text.is_empty()) {
            return Err(wrong("text", "missing; name the path of the text, such as \"$.answer\""));
        }
        let has_sources = !sources.is_empty() || stream.as_ref().is_some_and(|stream| !stream.sources.is_empty());
        if options.source != SourceOptions::default() && !has_sources {
            return Err(wrong("sources", "missing; name the path of the sources that `source` describes"));
        }
        let mapping = Self {
            name: Box::leak(Box::from(name)),
            recognize: absolute("recognize", &options.recognize)?,
            text,
            sources,
            error: error(&options.error)?,
            json_in: absolute("json_in", &options.json_in)?,
            source: source(&options.source)?,
            grammar: grammar(&options.markers),
            spans: spans(&options.spans, &options.stream)?,
            stream,
        };
        Ok(mapping)
    }

    /// The name of the format.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether `auto` may choose it.
    pub(crate) fn is_recognizable(&self) -> bool {
        !self.recognize.is_empty() || self.stream.as_ref().is_some_and(|stream| !stream.recognize.is_empty())
    }
}

fn check_name(name: &str) -> Result<(), MappingError> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    if name == "auto" || name.parse::<Provider>().is_ok() {
        Err(wrong("", format!("{name:?} is a format that citewire knows; choose another name")))
    } else if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(is_letter) {
        let reason = format!("{name:?} is no name; up to {MAX_NAME_BYTES} of a-z, 0-9, `-`, `_` and `.` are allowed");
        Err(wrong("", reason))
    } else {
        Ok(())
    }
}

/// Where a whole answer has its error.
fn error(options: &Several<EventOptions>) -> Result<Vec<EventRule>, MappingError> {
    if options.0.iter().any(|error| error.event.is_some()) {
        return Err(wrong(
            "error.event",
            "a whole answer has no events; name a condition with `when`, or use `stream.error`",
        ));
    }
    rules("error", options)
}

type Parse = fn(&str) -> Result<Path, String>;

fn paths(member: &str, written: &Several<String>, parse: Parse) -> Result<Vec<Path>, MappingError> {
    if written.0.len() > MAX_PATHS {
        return Err(wrong(member, format!("has more than {MAX_PATHS} paths")));
    }
    written.0.iter().map(|path| parse(path).map_err(|reason| wrong(member, reason))).collect()
}

fn absolute(member: &str, written: &Several<String>) -> Result<Vec<Path>, MappingError> {
    paths(member, written, Path::absolute)
}

fn source(options: &SourceOptions) -> Result<SourcePaths, MappingError> {
    let SourceOptions {
        id,
        title,
        url,
        strip,
        filepath,
        chunk_id,
        page,
        content,
        score,
        modified,
        author,
        media_type,
        label,
        marker,
    } = options;
    let relative = |member: &str, written| paths(&format!("source.{member}"), written, Path::relative);
    Ok(SourcePaths {
        id: relative("id", id)?,
        title: relative("title", title)?,
        url: relative("url", url)?,
        strip: strip.0.clone(),
        filepath: relative("filepath", filepath)?,
        chunk_id: relative("chunk_id", chunk_id)?,
        page: relative("page", page)?,
        content: relative("content", content)?,
        score: relative("score", score)?,
        modified: relative("modified", modified)?,
        author: relative("author", author)?,
        media_type: relative("media_type", media_type)?,
        label: relative("label", label)?,
        marker: relative("marker", marker)?,
    })
}

fn grammar(options: &MarkerOptions) -> MarkerGrammar {
    let forms = options.forms.as_ref();
    let has = |form| forms.is_none_or(|forms| forms.contains(&form));
    MarkerGrammar {
        numbers: has(FormOption::Numbers),
        footnotes: has(FormOption::Footnotes),
        meaning: options.numbers.into(),
        linked: has(FormOption::LinkedNumbers),
        links: has(FormOption::Links),
        documents: has(FormOption::Documents),
        lenticular: has(FormOption::Lenticular),
        lenticular_places: has(FormOption::Lenticular),
        private_use: has(FormOption::PrivateUse),
        names: has(FormOption::Names),
        ..MarkerGrammar::NONE
    }
}

impl From<Names> for NumberMeaning {
    fn from(names: Names) -> Self {
        match names {
            Names::Places => Self::Places,
            Names::PlacesFrom0 => Self::PlacesFromZero,
            Names::Ids => Self::Ids,
        }
    }
}

impl From<OffsetUnit> for Unit {
    fn from(unit: OffsetUnit) -> Self {
        match unit {
            OffsetUnit::Char => Self::Char,
            OffsetUnit::Utf16 => Self::Utf16,
            OffsetUnit::Utf8 => Self::Utf8,
        }
    }
}

fn spans(options: &SpanOptions, stream: &StreamOptions) -> Result<Option<Spans>, MappingError> {
    if *options == SpanOptions::default() && stream.spans.is_empty() {
        return Ok(None);
    }
    let SpanOptions { each, start, end, length, unit, text, sources, names } = options;
    let relative = |member: &str, written| paths(&format!("spans.{member}"), written, Path::relative);
    let each = absolute("spans.each", each)?;
    if each.is_empty() && stream.spans.is_empty() {
        return Err(wrong("spans.each", "missing; name the path of the objects with positions"));
    }
    let (start, end, length) = (relative("start", start)?, relative("end", end)?, relative("length", length)?);
    let unit = unit.map_or(Unit::Char, Unit::from);
    let text = relative("text", text)?;
    let place = match (start.is_empty(), end.is_empty(), length.is_empty()) {
        (_, false, false) => return Err(wrong("spans.length", "`end` is given as well; leave one of them out")),
        (true, true, true) if text.is_empty() => {
            return Err(wrong("spans", "without a position; name `start` and `end`, or the cited `text`"));
        }
        (true, true, _) => PlacePaths::Quoted,
        (true, false, true) => PlacePaths::Point(end, unit),
        (false, true, true) => PlacePaths::Point(start, unit),
        (_, false, true) => PlacePaths::Ends { start, end, unit },
        (false, true, false) => PlacePaths::Length { start, length, unit },
    };
    let cites = match relative("sources", sources)? {
        none if none.is_empty() && *names != Names::Places => {
            return Err(wrong("spans.sources", "missing; name the path of the ids or places that `names` describes"));
        }
        none if none.is_empty() => Cites::Enclosing,
        named => Cites::Named(named, *names),
    };
    Ok(Some(Spans { each, place, text, cites }))
}

fn stream(options: &StreamOptions) -> Result<Option<StreamRules>, MappingError> {
    if *options == StreamOptions::default() {
        return Ok(None);
    }
    let StreamOptions { recognize, text, text_so_far, skip, sources, spans, end, error } = options;
    let text = rules("stream.text", text)?;
    if text.is_empty() {
        return Err(wrong("stream.text", "missing; name the path of the text in an event, such as \"$.delta\""));
    }
    let is_sentinel = end.0.iter().any(|end| end.path.as_deref().is_some_and(|path| path.trim() == "[DONE]"));
    let end = if is_sentinel { End::Sentinel } else { End::Events(rules("stream.end", end)?) };
    Ok(Some(StreamRules {
        recognize: rules("stream.recognize", recognize)?,
        text,
        so_far: *text_so_far,
        skip: skip.as_ref().map(self::skip).transpose()?,
        sources: rules("stream.sources", sources)?,
        spans: rules("stream.spans", spans)?,
        end: if end == End::Events(Vec::new()) { End::None } else { end },
        error: rules("stream.error", error)?,
    }))
}

fn rules(member: &str, events: &Several<EventOptions>) -> Result<Vec<EventRule>, MappingError> {
    if events.0.len() > MAX_PATHS {
        return Err(wrong(member, format!("has more than {MAX_PATHS} events")));
    }
    events.0.iter().map(|event| rule(member, event)).collect()
}

fn rule(member: &str, EventOptions { event, when, path }: &EventOptions) -> Result<EventRule, MappingError> {
    if event.is_none() && when.is_none() && path.is_none() {
        return Err(wrong(member, "an event needs `event`, `when` or `path`"));
    }
    let at = |name: &str| format!("{member}.{name}");
    Ok(EventRule {
        event: event.clone(),
        when: when.as_deref().map(Path::condition).transpose().map_err(|reason| wrong(at("when"), reason))?,
        path: Path::absolute(path.as_deref().unwrap_or("$")).map_err(|reason| wrong(member, reason))?,
    })
}

fn skip(SkipOptions { from, to }: &SkipOptions) -> Result<Skip, MappingError> {
    Ok(Skip { from: rule("stream.skip.from", from)?, to: rule("stream.skip.to", to)? })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(options: Value) -> String {
        let options = serde_json::from_value(options).expect("options");
        Mapping::new("wiki", &options).expect_err("a wrong mapping").to_string()
    }

    #[test]
    fn a_wrong_mapping_is_refused_with_its_member_and_the_mend() {
        for (options, told) in [
            (json!({}), "text: missing; name the path of the text, such as \"$.answer\""),
            (json!({"text": "answer"}), "text: `answer` does not begin with `$`"),
            (json!({"text": "$.a", "source": {"title": "@.t"}}), "sources: missing;"),
            (json!({"text": "$.a", "sources": "$.s", "source": {"title": ["@.t", "t"]}}), "source.title: `t` does"),
            (json!({"text": "$.a", "spans": {"start": "@.s"}}), "spans.each: missing;"),
            (json!({"text": "$.a", "spans": {"each": "$.s"}}), "spans: without a position;"),
            (
                json!({"text": "$.a", "spans": {"each": "$.s", "end": "@.e", "length": "@.l"}}),
                "spans.length: `end` is given as well",
            ),
            (
                json!({"text": "$.a", "spans": {"each": "$.s", "start": "@.e", "names": "ids"}}),
                "spans.sources: missing;",
            ),
            (json!({"stream": {"end": "$.done"}}), "stream.text: missing;"),
            (json!({"stream": {"text": {"when": "type"}}}), "stream.text.when: `type` is no condition"),
            (json!({"stream": {"text": {}}}), "stream.text: an event needs"),
            (json!({"text": "$.a", "error": {"event": "x"}}), "error.event: a whole answer has no events"),
            (json!({"text": "$.a", "error": {"when": "code"}}), "error.when: `code` is no condition"),
            (json!({"stream": {"text": "$.a", "skip": {"from": "a", "to": "$.b"}}}), "stream.skip.from: `a` does"),
        ] {
            let error = refused(options.clone());
            assert!(error.starts_with(told), "{options}: {error}");
        }
        let fine = serde_json::from_value(json!({"text": "$.a"})).expect("options");
        for name in ["auto", "dify", "", "Wiki", "a b", &"a".repeat(65)] {
            assert!(Mapping::new(name, &fine).is_err(), "{name}");
        }
    }

    #[test]
    fn options_are_written_as_they_are_read() {
        let written = json!({"text": "$.a", "sources": ["$.s[*]", "$.t[*]"], "source": {"url": "@.u"},
            "markers": {"forms": ["numbers"], "numbers": "ids"},
            "spans": {"each": "$.x[*]", "start": "@.s", "end": "@.e", "unit": "utf16", "sources": "@.i", "names": "places-from-0"},
            "error": {"when": "@.code != 0", "path": "$.message"},
            "stream": {"text": {"event": "token", "path": "$.t"}, "text_so_far": "auto",
                "skip": {"from": {"event": "thinking"}, "to": "$.thought"}, "end": "[DONE]"}});
        let options: MappingOptions = serde_json::from_value(written.clone()).expect("options");
        assert_eq!(serde_json::to_value(&options).expect("JSON"), written);
        assert!(Mapping::new("wiki", &options).is_ok());
    }
}
