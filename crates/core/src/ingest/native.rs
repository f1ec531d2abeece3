//! citewire's own manifest: `{ "text", "sources", "annotations", "label", "interpreter" }` (`docs/manifest.md`).

use std::collections::HashMap;
use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::whole_words;
use super::format::{Format, Members};
use super::json::{self, TextOrNumber, filled, list, number_or_text, text_or_number};
use super::location::{Located, web_url};
use super::native_events::NativeEvents;
use super::span::{Unit, read_span};
use super::unread::unread_sources;
use super::{IngestError, Provider, cohere};
use crate::answer::{Answer, Citation, Interpreter, SensitivityLabel, Source, SourceIndex};
use crate::report::{Entry, Kind};
use crate::text::OffsetIndex;

const MEMBERS: &[&str] = &["annotations", "interpreter", "label", "sources", "text"];

pub(super) const FORMAT: Format = Format {
    provider: Provider::Native,
    sign: "`text`",
    members: &[MEMBERS],
    is_whole: |members| {
        // A `text` that is no string tells how a response is laid out; Cohere's is a string, beside members of its own.
        members.get("text").is_some_and(Value::is_string) && (!cohere::is_first_version(members) || has_lists(members))
    },
    // An error looks alike everywhere, and nothing follows it.
    is_event: |members| {
        ["delta", "sources", "annotations", "label", "interpreter", "done", "error"]
            .iter()
            .any(|name| members.contains_key(*name))
    },
    parse,
    reader: || Box::new(NativeEvents::default()),
};

/// Whether the members have a list that only a manifest has beside its text.
pub(super) fn has_lists(members: &Members) -> bool {
    ["sources", "annotations"].iter().any(|name| members.get(*name).is_some_and(Value::is_array))
}

#[derive(Deserialize)]
struct Manifest {
    text: Option<String>,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<Option<WireSource>>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Annotation>,
    label: Option<WireLabel>,
    interpreter: Option<WireInterpreter>,
}

/// A manifest with its text and no other members: whoever has more of them may have another format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultlessManifest {
    text: String,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<Option<WireSource>>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Annotation>,
    label: Option<WireLabel>,
    interpreter: Option<WireInterpreter>,
}

#[derive(Default, Deserialize)]
pub(super) struct WireSource {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    title: Option<String>,
    url: Option<String>,
    filepath: Option<String>,
    #[serde(default, deserialize_with = "number_or_text")]
    page: Option<u32>,
    content: Option<String>,
    media_type: Option<String>,
    modified: Option<String>,
    author: Option<String>,
    score: Option<f64>,
    #[serde(default, deserialize_with = "list")]
    keywords: Vec<String>,
    icon: Option<String>,
    marker: Option<String>,
    label: Option<Box<WireLabel>>,
    metadata: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireLabel {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
    priority: Option<i64>,
    color: Option<String>,
    encrypted: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct WireInterpreter {
    slogan: Option<String>,
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Annotation {
    start: Option<usize>,
    end: Option<usize>,
    unit: Option<Unit>,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<TextOrNumber>,
}

pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = json::read::<Manifest>(body)?
        .into_answer()
        .ok_or_else(|| IngestError::member("/text", "missing; the text of the answer is wanted"))?;
    answer.oddities.extend(unread_sources(body, MEMBERS, ""));
    Ok(answer)
}

/// The answer in a manifest without a fault; `None` does not say what is wrong.
pub(super) fn parse_faultless(body: &str) -> Option<Answer> {
    let FaultlessManifest { text, sources, annotations, label, interpreter } = serde_json::from_str(body).ok()?;
    Manifest { text: Some(text), sources, annotations, label, interpreter }.into_answer()
}

impl Manifest {
    /// `None` without a text.
    fn into_answer(self) -> Option<Answer> {
        let text = self.text?;
        let mut oddities = Vec::new();
        let sources: Vec<Source> = self
            .sources
            .into_iter()
            .enumerate()
            .map(|(at, source)| source.unwrap_or_default().into_source(format!("/sources/{at}"), &mut oddities))
            .collect();
        let annotations = self.annotations.into_iter().enumerate();
        let annotations = annotations.map(|(at, annotation)| (format!("/annotations/{at}"), annotation)).collect();
        let citations = citations(&text, &sources, annotations, &mut oddities);
        Some(Answer {
            citations,
            label: self.label.map(|label| label.into_label("/label", &mut oddities)),
            interpreter: self
                .interpreter
                .and_then(|interpreter| interpreter.into_interpreter("/interpreter", &mut oddities)),
            complete: true,
            sources,
            oddities,
            text,
            ..Answer::default()
        })
    }
}

impl WireSource {
    pub(super) fn into_source(self, pointer: String, oddities: &mut Vec<Entry>) -> Source {
        let Located { url, filepath: path_in_url, address } = web_url(self.url, || format!("{pointer}/url"), oddities);
        let label = self.label.map(|label| label.into_label(&format!("{pointer}/label"), oddities));
        Source {
            id: filled(self.id),
            title: filled(self.title),
            url,
            address,
            filepath: filled(self.filepath).or(path_in_url),
            chunk_id: None,
            kind: None,
            rank: None,
            page: self.page.and_then(NonZeroU32::new),
            content: filled(self.content),
            media_type: filled(self.media_type),
            modified: filled(self.modified),
            author: filled(self.author),
            score: self.score.filter(|score| (0.0..=1.0).contains(score)),
            keywords: self.keywords,
            icon: filled(self.icon),
            marker: filled(self.marker),
            label,
            metadata: self.metadata.map(|value| members(value, &pointer, oddities)).unwrap_or_default(),
            pointer,
            raw_scores: None,
        }
    }
}

/// The members of metadata. Others write an empty list for an object without members; whatever else is no object says nothing
/// here, and must not cost the answer.
fn members(metadata: Value, source: &str, oddities: &mut Vec<Entry>) -> Map<String, Value> {
    match metadata {
        Value::Object(members) => return members,
        Value::Array(list) if list.is_empty() => {}
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let message = "the metadata is no object, so nothing in it is read";
            oddities.push(Entry::in_input(Kind::Dropped, "metadata", format!("{source}/metadata"), message));
        }
    }
    Map::new()
}

impl WireLabel {
    pub(super) fn into_label(self, pointer: &str, oddities: &mut Vec<Entry>) -> SensitivityLabel {
        let colour = filled(self.color).and_then(|colour| {
            colour
                .parse()
                .map_err(|error| {
                    let message = format!("{error}; the shield is drawn without a colour");
                    oddities.push(Entry::in_input(Kind::Dropped, "colour", format!("{pointer}/color"), message));
                })
                .ok()
        });
        SensitivityLabel {
            id: filled(self.id),
            name: filled(self.name),
            description: filled(self.description),
            priority: self.priority.unwrap_or_default(),
            colour,
            encrypted: self.encrypted.unwrap_or_default(),
        }
    }
}

impl WireInterpreter {
    pub(super) fn into_interpreter(self, pointer: &str, oddities: &mut Vec<Entry>) -> Option<Interpreter> {
        let Located { url, filepath: no_url, .. } = web_url(self.url, || format!("{pointer}/url"), oddities);
        let slogan = filled(self.slogan).or_else(|| url.as_ref().map(|url| url.host().to_owned())).or(no_url)?;
        Some(Interpreter::new(slogan, url))
    }
}

/// What annotations cite, each with its JSON pointer, in a text that has all arrived.
pub(super) fn citations(
    text: &str,
    sources: &[Source],
    annotations: Vec<(String, Annotation)>,
    oddities: &mut Vec<Entry>,
) -> Vec<Citation> {
    if annotations.is_empty() {
        return Vec::new();
    }
    let index = OffsetIndex::new(text);
    let mut by_id = HashMap::new();
    for (at, source) in sources.iter().enumerate() {
        if let Some(id) = &source.id {
            by_id.entry(id.as_str()).or_insert(SourceIndex(at));
        }
    }
    let mut citations = Vec::new();
    for (pointer, annotation) in annotations {
        let mut named = Vec::new();
        for (n, TextOrNumber(name)) in annotation.sources.iter().enumerate() {
            let place = || name.parse::<usize>().ok().filter(|n| (1..=sources.len()).contains(n));
            match by_id.get(name.as_str()).copied().or_else(|| place().map(|n| SourceIndex(n - 1))) {
                Some(source) => named.push(source),
                None => oddities.push(Entry::in_input(
                    Kind::Unresolved,
                    "annotation-source",
                    format!("{pointer}/sources/{n}"),
                    format!("no source has the id or the place {name:?}"),
                )),
            }
        }
        let (start, unit) = (annotation.start.unwrap_or_default(), annotation.unit.unwrap_or_default());
        let span = annotation.end.filter(|end| start < *end).and_then(|end| read_span(text, &index, start, end, unit));
        let span = span.and_then(|span| whole_words(text, span.range(), text.len()));
        match span {
            Some(span) if !named.is_empty() => citations.push(Citation::new(span, named)),
            Some(_) => {}
            None => oddities.push(Entry::in_input(
                Kind::Dropped,
                "annotation-unanchored",
                pointer,
                "the annotation spans no text, so it cites nothing",
            )),
        }
    }
    citations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_the_text_is_optional_and_null_is_absent() {
        let nulls = r#"{"text": "a", "sources": [null, {"id": null, "title": " ", "keywords": null, "metadata": null}],
            "annotations": null, "label": null, "interpreter": null}"#;
        let answer = parse(nulls).expect("an answer");
        assert_eq!(answer.sources.len(), 2);
        assert_eq!(answer.sources[1].title, None);
        assert_eq!(parse(r#"{"text": "a"}"#).expect("an answer").sources, []);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        for (body, message) in [
            (r#"{"text": 5}"#, "/text: invalid type: integer `5`, expected a string"),
            (r#"{"text": "a", "sources": {}}"#, "/sources: invalid type: map, expected a sequence"),
            (
                r#"{"text": "a", "sources": [{}, {"title": []}]}"#,
                "/sources/1/title: invalid type: sequence, expected a string",
            ),
            (r#"{"text": "a", "sources": [{"page": "ii"}]}"#, "/sources/0/page: \"ii\" is no whole number"),
        ] {
            assert_eq!(parse(body).expect_err(body).to_string(), message);
        }
    }

    /// PHP writes `[]` for an object without members, and the whole answer was refused for it.
    #[test]
    fn metadata_that_is_no_object_does_not_cost_the_answer() {
        let body = r#"{"text": "a", "sources": [{"metadata": []}, {"metadata": {"x": [1]}}, {"metadata": "y"}, {"metadata": null}]}"#;
        let answer = parse(body).expect("an answer");
        let members: Vec<usize> = answer.sources.iter().map(|source| source.metadata.len()).collect();
        assert_eq!(members, [0, 1, 0, 0]);
        assert_eq!(answer.oddities.len(), 1);
        assert_eq!(answer.oddities[0].at, crate::report::At::Pointer("/sources/2/metadata".into()));
    }

    #[test]
    fn an_address_that_is_none_is_a_file_name_and_a_dangerous_one_is_dropped() {
        let answer = parse(r#"{"text": "", "sources": [{"url": "a/leave.pdf"}, {"url": "javascript:alert(1)"}]}"#)
            .expect("an answer");
        assert_eq!(answer.sources[0].file_name().as_deref(), Some("leave.pdf"));
        assert_eq!(answer.sources[1], Source { pointer: "/sources/1".into(), ..Source::default() });
        let codes: Vec<_> = answer.oddities.iter().map(|entry| entry.code).collect();
        assert_eq!(codes, ["url-is-file-name", "url-scheme"]);
    }

    #[test]
    fn an_annotation_is_read_in_its_unit_and_names_sources_by_id_or_place() {
        let body = r#"{"text": "Süß 😀 fein.", "sources": [{"id": "A"}, {}], "annotations": [
            {"start": 0, "end": 5, "unit": "char", "sources": ["A", 2]},
            {"start": 7, "end": 11, "unit": "utf16", "sources": ["2"]},
            {"start": 3, "end": 3, "sources": ["A"]},
            {"start": 0, "end": 1, "sources": ["nobody"]}]}"#;
        let answer = parse(body).expect("an answer");
        let found: Vec<_> =
            answer.citations.iter().map(|c| (&answer.text[c.span.range()], c.sources.clone())).collect();
        assert_eq!(found, [("Süß 😀", vec![SourceIndex(0), SourceIndex(1)]), ("fein", vec![SourceIndex(1)])]);
        let codes: Vec<_> = answer.oddities.iter().map(|entry| entry.code).collect();
        assert_eq!(codes, ["annotation-unanchored", "annotation-source"]);
    }

    #[test]
    fn a_span_that_is_a_marker_only_in_another_unit_is_read_in_that_unit() {
        let body = r#"{"text": "é【1】", "sources": [{}], "annotations": [{"start": 1, "end": 4, "unit": "utf8", "sources": [1]}]}"#;
        let answer = parse(body).expect("an answer");
        assert_eq!(&answer.text[answer.citations[0].span.range()], "【1】");
    }
}
