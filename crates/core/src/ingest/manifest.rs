//! Sources, annotations and labels of citewire's own manifest, shared by its whole and its streamed form.

use std::collections::HashMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::annotated::whole_words;
use super::format::Members;
use super::json::{TextOrNumber, filled, list, number_or_text, text_or_number};
use super::location::{Located, web_url};
use super::span::{Unit, read_span};
use crate::answer::{Citation, IdOf, Interpreter, SensitivityLabel, Source, SourceCode, SourceIndex};
use crate::report::{Entry, Kind};
use crate::text::OffsetIndex;

/// Whether `sources` or `annotations` is a list. No other format has such a list beside `text`.
pub(super) fn has_lists(members: &Members) -> bool {
    ["sources", "annotations"].iter().any(|name| members.get(*name).is_some_and(Value::is_array))
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
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) priority: Option<i64>,
    pub(super) color: Option<String>,
    pub(super) encrypted: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct WireInterpreter {
    slogan: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct WireCode {
    text: Option<String>,
    language: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Annotation {
    start: Option<usize>,
    end: Option<usize>,
    unit: Option<Unit>,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<TextOrNumber>,
}

/// Refuses unknown members: a manifest without them is read by this in one pass, and every other one by the type inside. The
/// compiler holds the members of the two against each other.
#[derive(Deserialize)]
pub(super) struct Faultless<T: Strict>(#[serde(deserialize_with = "T::read")] pub(super) T);

/// A part of a manifest that can be read without its unknown members.
pub(super) trait Strict: Sized {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

#[derive(Deserialize)]
#[serde(remote = "WireSource", deny_unknown_fields)]
struct StrictSource {
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
    #[serde(default, deserialize_with = "strict_label")]
    label: Option<Box<WireLabel>>,
    metadata: Option<Value>,
}

#[derive(Deserialize)]
#[serde(remote = "WireLabel", deny_unknown_fields)]
struct StrictLabel {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
    priority: Option<i64>,
    color: Option<String>,
    encrypted: Option<bool>,
}

#[derive(Deserialize)]
#[serde(remote = "WireInterpreter", deny_unknown_fields)]
struct StrictInterpreter {
    slogan: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(remote = "WireCode", deny_unknown_fields)]
struct StrictCode {
    text: Option<String>,
    language: Option<String>,
}

#[derive(Deserialize)]
#[serde(remote = "Annotation", deny_unknown_fields)]
struct StrictAnnotation {
    start: Option<usize>,
    end: Option<usize>,
    unit: Option<Unit>,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<TextOrNumber>,
}

impl Strict for WireSource {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictSource::deserialize(deserializer)
    }
}

impl Strict for WireLabel {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictLabel::deserialize(deserializer)
    }
}

impl Strict for WireInterpreter {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictInterpreter::deserialize(deserializer)
    }
}

impl Strict for WireCode {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictCode::deserialize(deserializer)
    }
}

impl Strict for Annotation {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictAnnotation::deserialize(deserializer)
    }
}

fn strict_label<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<WireLabel>>, D::Error> {
    Ok(Option::<Faultless<WireLabel>>::deserialize(deserializer)?.map(|Faultless(label)| Box::new(label)))
}

impl WireSource {
    pub(super) fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let Located { url, filepath: path_in_url, address } = web_url(self.url, || format!("{pointer}/url"), warnings);
        let label = self.label.map(|label| label.into_label(&format!("{pointer}/label"), warnings));
        Source {
            id: filled(self.id),
            id_of: IdOf::Document,
            title: filled(self.title),
            part: None,
            url,
            address,
            filepath: filled(self.filepath).or(path_in_url),
            chunk_id: None,
            kind: None,
            rank: None,
            page: self.page.and_then(NonZeroU32::new),
            content: filled(self.content),
            is_quotation: false,
            is_quoted: false,
            sentence: None,
            media_type: filled(self.media_type),
            modified: filled(self.modified),
            author: filled(self.author),
            score: self.score.filter(|score| (0.0..=1.0).contains(score)),
            keywords: self.keywords,
            icon: filled(self.icon),
            marker: filled(self.marker),
            label,
            metadata: self.metadata.map(|value| members(value, &pointer, warnings)).unwrap_or_default(),
            pointer,
            raw_scores: None,
            mark: None,
            earlier: None,
        }
    }
}

/// The members of a `metadata` object. PHP and others write an empty list for an empty object. Any other value is dropped
/// with a warning; it must not fail the whole answer.
fn members(metadata: Value, source: &str, warnings: &mut Vec<Entry>) -> Map<String, Value> {
    match metadata {
        Value::Object(members) => return members,
        Value::Array(list) if list.is_empty() => {}
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let message = "the metadata is no object, so nothing in it is read";
            warnings.push(Entry::in_input(Kind::Dropped, "metadata", format!("{source}/metadata"), message));
        }
    }
    Map::new()
}

impl WireLabel {
    pub(super) fn into_label(self, pointer: &str, warnings: &mut Vec<Entry>) -> SensitivityLabel {
        let colour = filled(self.color).and_then(|colour| {
            colour
                .parse()
                .map_err(|error| {
                    let message = format!("{error}; the shield is drawn without a colour");
                    warnings.push(Entry::in_input(Kind::Dropped, "colour", format!("{pointer}/color"), message));
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
    pub(super) fn into_interpreter(self, pointer: &str, warnings: &mut Vec<Entry>) -> Option<Interpreter> {
        let Located { url, filepath: no_url, .. } = web_url(self.url, || format!("{pointer}/url"), warnings);
        let slogan = filled(self.slogan).or_else(|| url.as_ref().map(|url| url.host().to_owned())).or(no_url)?;
        Some(Interpreter::new(slogan, url))
    }
}

impl WireCode {
    /// `None` without a program, which is told.
    pub(super) fn into_code(self, pointer: &str, warnings: &mut Vec<Entry>) -> Option<SourceCode> {
        let Some(text) = self.text.filter(|text| !text.trim().is_empty()) else {
            let message = "the code is left out: it has no `text`";
            warnings.push(Entry::in_input(Kind::Dropped, "code", pointer, message));
            return None;
        };
        Some(SourceCode { text, language: filled(self.language) })
    }
}

/// Resolves annotations to citations, once the whole text has arrived. Each annotation comes with its JSON pointer.
///
/// An annotation names its sources by id, else by place in the list, counted from 1.
pub(super) fn citations(
    text: &str,
    sources: &[Source],
    annotations: Vec<(String, Annotation)>,
    warnings: &mut Vec<Entry>,
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
                None => warnings.push(Entry::in_input(
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
            None => warnings.push(Entry::in_input(
                Kind::Dropped,
                "annotation-unanchored",
                pointer,
                "the annotation spans no text, so it cites nothing",
            )),
        }
    }
    citations
}
