//! Reads the spans of a mapping, and resolves them when text and sources are whole.

use std::collections::{BTreeMap, HashMap};
use std::ops::{Bound, Range};

use serde_json::Value;

use super::super::annotated::{each_once, whole_words};
use super::super::span::{Unit, find_quote, read_span};
use super::mapping::{Cites, PlacePaths, Spans};
use super::oddities::Oddities;
use super::options::Names;
use super::path::{Found, Path, shown};
use crate::answer::{Citation, Source, SourceIndex};
use crate::report::{Entry, Kind};
use crate::text::{OffsetIndex, Span};

/// A span as it was found, before the text is whole.
#[derive(Debug)]
pub(super) struct FoundSpan {
    pointer: String,
    place: Place,
    quote: Option<String>,
    /// The names of its sources, with their JSON pointers; `None` for the sources around it or in it.
    named: Option<(Vec<(String, String)>, Names)>,
}

#[derive(Debug)]
enum Place {
    /// Only the quote says it.
    Quoted,
    Point(usize, Unit),
    Ends(usize, usize, Unit),
    /// An offset is missing or is none.
    Nowhere,
}

impl Spans {
    /// Reads one span.
    pub(super) fn read(&self, found: &Found<'_>, odd: &mut Oddities) -> FoundSpan {
        let place = match &self.place {
            PlacePaths::Quoted => Place::Quoted,
            PlacePaths::Point(at, unit) => {
                offset("start", at, found, odd).map_or(Place::Nowhere, |at| Place::Point(at, *unit))
            }
            PlacePaths::Ends { start, end, unit } => {
                let start = offset("spans.start", start, found, odd);
                let end = offset("spans.end", end, found, odd);
                // Writers leave out a start of 0.
                end.map_or(Place::Nowhere, |end| Place::Ends(start.unwrap_or_default(), end, *unit))
            }
            PlacePaths::Length { start, length, unit } => {
                let start = offset("spans.start", start, found, odd).unwrap_or_default();
                let length = offset("spans.length", length, found, odd);
                length.map_or(Place::Nowhere, |length| Place::Ends(start, start.saturating_add(length), *unit))
            }
        };
        let named = match &self.cites {
            Cites::Enclosing => None,
            Cites::Named(paths, names) => Some((named(paths, found, odd), *names)),
        };
        FoundSpan { pointer: found.pointer.clone(), place, quote: quote(&self.text, found), named }
    }
}

/// The offset that the first path with a value finds; negative ones and texts that are no numbers are none.
fn offset(member: &str, paths: &[Path], found: &Found<'_>, odd: &mut Oddities) -> Option<usize> {
    let mut values = paths.iter().flat_map(|path| path.find(found.value, &found.pointer));
    let Found { pointer, value } = values.find(|found| !found.value.is_null())?;
    let offset = match value {
        Value::Number(number) => whole(number.as_f64()?),
        Value::String(text) => text.trim().parse().ok().and_then(whole),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    if offset.is_none() {
        odd.add("mapping-type", format!("`{member}` finds no offset here: it {}", shown(value)), &pointer);
    }
    offset
}

fn whole(number: f64) -> Option<usize> {
    (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as usize)
}

fn quote(paths: &[Path], found: &Found<'_>) -> Option<String> {
    let mut texts = paths.iter().flat_map(|path| path.find(found.value, ""));
    texts.find_map(|found| found.value.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
}

/// The names that the first path with a value finds.
fn named(paths: &[Path], found: &Found<'_>, odd: &mut Oddities) -> Vec<(String, String)> {
    for path in paths {
        let mut names = Vec::new();
        for Found { pointer, value } in path.find(found.value, &found.pointer) {
            match value {
                Value::String(name) => names.push((pointer, name.trim().to_owned())),
                Value::Number(name) => names.push((pointer, name.to_string())),
                Value::Null => {}
                Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                    let message = format!("`spans.sources` ({}) finds no id here: it {}", path.written(), shown(value));
                    odd.add("mapping-type", message, &pointer);
                }
            }
        }
        if !names.is_empty() {
            return names;
        }
    }
    Vec::new()
}

/// Finds the sources of spans.
struct Known<'s> {
    count: usize,
    by_id: HashMap<&'s str, SourceIndex>,
    by_address: HashMap<&'s str, SourceIndex>,
    by_pointer: BTreeMap<&'s str, SourceIndex>,
}

impl<'s> Known<'s> {
    fn of(sources: &'s [Source]) -> Self {
        let mut known = Self {
            count: sources.len(),
            by_id: HashMap::new(),
            by_address: HashMap::new(),
            by_pointer: BTreeMap::new(),
        };
        for (at, source) in sources.iter().enumerate() {
            let index = SourceIndex(at);
            if let Some(id) = &source.id {
                known.by_id.entry(id).or_insert(index);
            }
            let url = source.url.as_ref().map(crate::url::WebUrl::as_str);
            for address in [source.address.as_deref(), url].into_iter().flatten() {
                known.by_address.entry(address).or_insert(index);
            }
            known.by_pointer.entry(&source.pointer).or_insert(index);
        }
        known
    }

    fn named(&self, name: &str, names: Names) -> Option<SourceIndex> {
        let by_name = || self.by_id.get(name).or_else(|| self.by_address.get(name)).copied();
        let place = |first: usize| {
            let place = name.parse::<usize>().ok()?.checked_sub(first)?;
            (place < self.count).then_some(SourceIndex(place))
        };
        match names {
            Names::Places => by_name().or_else(|| place(1)),
            Names::PlacesFrom0 => place(0),
            Names::Ids => by_name(),
        }
    }

    /// The innermost source around a place, else all sources in it.
    fn around(&self, pointer: &str) -> Vec<SourceIndex> {
        let mut outer = Some(pointer);
        while let Some(place) = outer {
            if let Some(index) = self.by_pointer.get(place) {
                return vec![*index];
            }
            outer = place.rsplit_once('/').map(|(parent, _)| parent);
        }
        let inside = format!("{pointer}/");
        let later = self.by_pointer.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded));
        later.take_while(|(place, _)| place.starts_with(&inside)).map(|(_, index)| *index).collect()
    }
}

/// A part of the text, with the JSON pointer of its string.
pub(super) type Part = (String, Range<usize>);

/// Resolves spans to citations. Offsets count within the part of the text beside which a span stands (rule N-10), from before
/// the reasoning at its beginning, without which the answer has its text.
pub(super) fn citations(
    text: &str,
    reasoning: usize,
    parts: &[Part],
    sources: &[Source],
    spans: Vec<FoundSpan>,
    warnings: &mut Vec<Entry>,
) -> Vec<Citation> {
    if spans.is_empty() {
        return Vec::new();
    }
    let known = Known::of(sources);
    let parts: BTreeMap<&str, Range<usize>> =
        parts.iter().map(|(pointer, range)| (pointer.as_str(), range.clone())).collect();
    let mut index: Option<(Range<usize>, OffsetIndex<'_>)> = None;
    let mut citations = Vec::new();
    for span in spans {
        let cited = span.sources(&known, warnings);
        let range = part_of(&parts, &span.pointer).unwrap_or(0..text.len());
        let Some(content) = text.get(range.clone()) else { continue };
        if index.as_ref().is_none_or(|(of, _)| *of != range) {
            index = Some((range.clone(), OffsetIndex::new(content)));
        }
        let Some((_, offsets)) = &index else { continue };
        let place = span.range(content, offsets).map(|found| range.start + found.start..range.start + found.end);
        let place = place.and_then(|place| whole_words(text, place, range.end));
        match place.and_then(|place| behind(reasoning, text, place)) {
            Some(place) if !cited.is_empty() => citations.push(Citation::new(place, cited)),
            Some(_) => {}
            None => {
                let message = "the span covers no text of the answer; its sources are listed, and cited nowhere";
                warnings.push(Entry::in_input(Kind::Note, "annotation-unanchored", span.pointer, message));
            }
        }
    }
    citations
}

/// A span in the text without the reasoning at its beginning.
fn behind(reasoning: usize, text: &str, span: Span) -> Option<Span> {
    let range = span.start().checked_sub(reasoning)?..span.end().checked_sub(reasoning)?;
    Span::new(&text[reasoning..], range).ok()
}

impl FoundSpan {
    fn sources(&self, known: &Known<'_>, warnings: &mut Vec<Entry>) -> Vec<SourceIndex> {
        let Some((named, names)) = &self.named else {
            let around = known.around(&self.pointer);
            if around.is_empty() {
                let message = "no source stands around this span or in it, and `spans.sources` names none";
                warnings.push(Entry::in_input(Kind::Unresolved, "annotation-source", self.pointer.clone(), message));
            }
            return each_once(around);
        };
        let mut found = Vec::with_capacity(named.len());
        for (pointer, name) in named {
            match known.named(name, *names) {
                Some(source) => found.push(source),
                None => {
                    let wanted = match names {
                        Names::Places => "the id or the place",
                        Names::PlacesFrom0 => "the place (counted from 0)",
                        Names::Ids => "the id",
                    };
                    let message = format!("no source has {wanted} {name:?}");
                    warnings.push(Entry::in_input(Kind::Unresolved, "annotation-source", pointer.clone(), message));
                }
            }
        }
        each_once(found)
    }

    /// The bytes of the span in its part of the text; the cited text decides, if it is there.
    fn range(&self, text: &str, offsets: &OffsetIndex<'_>) -> Option<Range<usize>> {
        let (start, unit) = match self.place {
            Place::Point(start, unit) | Place::Ends(start, _, unit) => (Some(start), unit),
            Place::Quoted | Place::Nowhere => (None, Unit::Utf8),
        };
        let quoted = self.quote.as_deref().and_then(|quote| {
            let near = start.and_then(|start| find_quote(text, offsets, start, unit, quote));
            near.or_else(|| memchr::memmem::find(text.as_bytes(), quote.as_bytes()).map(|at| at..at + quote.len()))
        });
        quoted.or_else(|| match self.place {
            Place::Quoted | Place::Nowhere => None,
            Place::Point(at, unit) => {
                let at = unit.byte(offsets, at);
                Some(at..at)
            }
            Place::Ends(start, end, unit) if start < end => read_span(text, offsets, start, end, unit).map(Span::range),
            Place::Ends(..) => None,
        })
    }
}

/// The part of the text that is nearest to a span in the document; `None` where several are equally near.
fn part_of(parts: &BTreeMap<&str, Range<usize>>, pointer: &str) -> Option<Range<usize>> {
    let mut outer = Some(pointer);
    while let Some(place) = outer {
        let inside = format!("{place}/");
        let later = parts.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded));
        let mut near = later.take_while(|(part, _)| part.starts_with(&inside));
        if let Some((_, range)) = near.next() {
            return near.next().is_none().then(|| range.clone());
        }
        outer = place.rsplit_once('/').map(|(parent, _)| parent);
    }
    None
}
