//! Builds answers from formats that list each source once and cite it by positions in the text. Whole answers and streams
//! use the same steps, so their results cannot differ: a reader adds text part by part, adds or finds sources, and records
//! spans in the provider's units. [`Annotated::finish`] converts the spans when the text is whole.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::span::{Unit, find_quote, read_span};
use crate::answer::{Answer, Citation, Identities, Pages, Source, SourceIndex, is_marker_span};
use crate::report::{Entry, Kind};
use crate::text::{OffsetIndex, Span, word_end};
use crate::url::Tracking;

/// The sources of an answer in order of first mention (rule N-02), each once (rule N-03).
#[derive(Debug)]
pub(super) struct Sources {
    all: Vec<Source>,
    by_key: HashMap<String, SourceIndex>,
    /// The passages that [`add_passage`](Self::add_passage) added.
    passages: HashSet<(SourceIndex, String)>,
    identities: Identities,
    /// The source of each identity.
    by_identity: Vec<SourceIndex>,
    /// The report of what was merged.
    merged: Vec<Entry>,
    /// How many sources [`new_ones`](Self::new_ones) has returned.
    handed: usize,
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            by_key: HashMap::new(),
            passages: HashSet::new(),
            identities: Identities::new(Tracking::Usual, Pages::Split),
            by_identity: Vec::new(),
            merged: Vec::new(),
            handed: 0,
        }
    }
}

impl Sources {
    /// Adds a source that its address identifies, or fills in the known source at the same place of the same document (rule
    /// N-03). A source without an address is always added as new.
    pub(super) fn page(&mut self, source: Source) -> SourceIndex {
        let index = self.push(source);
        let Some(identity) = self.identities.of(&self.all, index.0) else { return index };
        if let Some(known) = self.by_identity.get(identity).copied()
            && let Some(again) = self.all.pop()
        {
            self.merge(known, again, true);
            return known;
        }
        self.by_identity.push(index);
        index
    }

    /// Fills in a known source from one that is the same. The report names it, unless it is only cited `again` under its id
    /// and loses nothing.
    fn merge(&mut self, known: SourceIndex, again: Source, by_address: bool) {
        let first = &mut self.all[known.0];
        let loses_passage = first.content.is_some() && again.content.is_some() && first.content != again.content;
        if by_address || loses_passage {
            let lost = if loses_passage { "; its passage is left out" } else { "" };
            let message = format!("the same document as {}{lost}", first.pointer);
            self.merged.push(Entry::in_input(Kind::Merged, "same-document", again.pointer.clone(), message));
        }
        first.fill_in(again);
    }

    /// Adds a source under the key by which the provider identifies it. If the key is known, the known source takes over the
    /// members that it lacks.
    pub(super) fn known_as(&mut self, key: &str, source: Source) -> SourceIndex {
        if let Some(index) = self.by_key.get(key).copied() {
            self.merge(index, source, false);
            return index;
        }
        let index = self.push(source);
        self.by_key.insert(key.to_owned(), index);
        index
    }

    /// Adds an entry of a list whose places markers count: always as a source of its own. Later mentions of its page are of
    /// the first such entry.
    pub(super) fn entry(&mut self, source: Source) -> SourceIndex {
        let index = self.push(source);
        if self.identities.of(&self.all, index.0) == Some(self.by_identity.len()) {
            self.by_identity.push(index);
        }
        index
    }

    /// Adds a source without a key. It is never merged with another.
    pub(super) fn push(&mut self, source: Source) -> SourceIndex {
        self.all.push(source);
        SourceIndex(self.all.len() - 1)
    }

    /// Adds a passage to a source that may be cited for several of them. Passages are parted by a blank line, and each stands
    /// once.
    pub(super) fn add_passage(&mut self, index: SourceIndex, passage: String) {
        if !self.passages.insert((index, passage.clone())) {
            return;
        }
        let Some(source) = self.all.get_mut(index.0) else { return };
        match &mut source.content {
            Some(content) => {
                content.push_str("\n\n");
                content.push_str(&passage);
            }
            None => source.content = Some(passage),
        }
    }

    /// The source with this key, if one was added.
    pub(super) fn find(&self, key: &str) -> Option<SourceIndex> {
        self.by_key.get(key).copied()
    }

    /// Adds a second key to a source. A key that is in use keeps its source.
    pub(super) fn also_known_as(&mut self, key: &str, index: SourceIndex) {
        self.by_key.entry(key.to_owned()).or_insert(index);
    }

    pub(super) fn get_mut(&mut self, index: SourceIndex) -> Option<&mut Source> {
        self.all.get_mut(index.0)
    }

    /// Writes all sources to the answer, in order of first mention, and to its report which were merged.
    pub(super) fn finish(self, answer: &mut Answer) {
        answer.sources = self.all;
        answer.warnings.extend(self.merged);
    }

    /// The number of sources.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The sources added since the last call, for the events of a stream.
    pub(super) fn new_ones(&mut self) -> Vec<Source> {
        let new = self.all[self.handed..].to_vec();
        self.handed = self.all.len();
        new
    }
}

/// Sorts the sources that are cited at one position, and removes duplicates (rule N-05).
pub(super) fn each_once(mut sources: Vec<SourceIndex>) -> Vec<SourceIndex> {
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// A span or a point in one part of the text, in the provider's unit.
#[derive(Debug)]
struct Place {
    part: usize,
    start: usize,
    /// `None` for a point.
    end: Option<usize>,
    unit: Unit,
    /// The text that the provider says is in the span. If it is found, it decides the span, not the offsets.
    quote: Option<String>,
    sources: Vec<SourceIndex>,
    pointer: String,
}

/// Collects the sources and citations of a text that arrives in parts.
#[derive(Debug, Default)]
pub(super) struct Annotated {
    /// The sources so far.
    pub(super) sources: Sources,
    /// The start of each part, as a byte offset in the whole text.
    parts: Vec<usize>,
    /// The length of the text so far, in bytes.
    length: usize,
    places: Vec<Place>,
    /// Parts that are cited as a whole, with their sources.
    blocks: Vec<(usize, Vec<SourceIndex>)>,
}

impl Annotated {
    /// Begins a part of the text: offsets count from its start (rule N-10). Returns its number.
    pub(super) fn begin_part(&mut self) -> usize {
        self.parts.push(self.length);
        self.parts.len() - 1
    }

    /// Records that the text has grown by this number of bytes. Begins the first part if there is none.
    pub(super) fn grow(&mut self, bytes: usize) {
        if self.parts.is_empty() {
            self.begin_part();
        }
        self.length += bytes;
    }

    /// Cites a span of a part. A missing start is 0. If the end is missing or not behind the start, there is no citation,
    /// but the source stays in the list (rule N-06).
    pub(super) fn span(
        &mut self,
        part: usize,
        (start, end, unit): (Option<usize>, Option<usize>, Unit),
        sources: Vec<SourceIndex>,
        pointer: String,
    ) {
        self.quoted_span(part, (start, end, unit), None, sources, pointer);
    }

    /// Cites a span of a part whose text the provider repeats in `quote`. If the quote is not at the start, it is looked for
    /// nearby in the part and then in the whole text, since providers differ in what they count.
    pub(super) fn quoted_span(
        &mut self,
        part: usize,
        (start, end, unit): (Option<usize>, Option<usize>, Unit),
        quote: Option<String>,
        sources: Vec<SourceIndex>,
        pointer: String,
    ) {
        if sources.is_empty() {
            return;
        }
        self.places.push(Place {
            part,
            start: start.unwrap_or_default(),
            end: Some(end.unwrap_or_default()),
            unit,
            quote: quote.filter(|quote| !quote.is_empty()),
            sources: each_once(sources),
            pointer,
        });
    }

    /// Cites a point of a part (rule N-05).
    pub(super) fn point(&mut self, part: usize, at: usize, unit: Unit, sources: Vec<SourceIndex>, pointer: String) {
        self.places.push(Place { part, start: at, end: None, unit, quote: None, sources: each_once(sources), pointer });
    }

    /// Cites all of a part.
    pub(super) fn block(&mut self, part: usize, sources: Vec<SourceIndex>) {
        if !sources.is_empty() {
            self.blocks.push((part, each_once(sources)));
        }
    }

    /// Writes the sources and citations to the answer, whose text must be whole. A span that covers no text becomes a
    /// warning.
    pub(super) fn finish(self, answer: &mut Answer) {
        let Self { sources, parts, places, blocks, .. } = self;
        answer.sources = sources.all;
        let text = answer.text.as_str();
        let range = |part: usize| {
            let start = parts.get(part).copied().unwrap_or(text.len()).min(text.len());
            start..parts.get(part + 1).copied().unwrap_or(text.len()).clamp(start, text.len())
        };
        for (part, sources) in blocks {
            let range = range(part);
            let end = range.start + text[range.clone()].trim_end().len();
            // While a block of blanks streams in, its citation goes behind the last word. The whole answer puts it there,
            // too.
            let word = text[..end].trim_end().len();
            let cited = if end == range.start { word..word } else { range.start..end };
            answer.citations.extend(Span::new(text, cited).ok().map(|span| Citation::new(span, sources)));
        }
        let mut index: Option<(usize, OffsetIndex<'_>)> = None;
        let mut whole: Option<OffsetIndex<'_>> = None;
        for Place { part, start, end, unit, quote, sources, pointer } in places {
            let Some(content) = text.get(range(part)) else { continue };
            if index.as_ref().is_none_or(|(of, _)| *of != part) {
                index = Some((part, OffsetIndex::new(content)));
            }
            let Some((_, offsets)) = &index else { continue };
            let is_quoted = quote.is_some();
            let quoted = quote.and_then(|quote| {
                let here = find_quote(content, offsets, start, unit, &quote);
                let here = here.map(|span| range(part).start + span.start..range(part).start + span.end);
                here.or_else(|| {
                    let offsets = whole.get_or_insert_with(|| OffsetIndex::new(text));
                    find_quote(text, offsets, start, unit, &quote)
                })
            });
            // Parts may follow each other without a blank, so a word ends with its part.
            let whole_words = |span: Range<usize>| {
                let limit = Some(range(part).end).filter(|limit| span.end <= *limit).unwrap_or(text.len());
                whole_words(text, span, limit)
            };
            if let Some(span) = quoted.and_then(whole_words) {
                answer.citations.push(Citation::new(span, sources));
                continue;
            }
            let span = match end {
                None => {
                    let at = unit.byte(offsets, start);
                    Some(at..at)
                }
                Some(end) if start < end => read_span(content, offsets, start, end, unit).map(Span::range),
                Some(_) => None,
            };
            let base = range(part).start;
            let is_contradicted = is_quoted && span.is_some();
            let span = span.and_then(|span| whole_words(base + span.start..base + span.end));
            match span {
                Some(span) => {
                    answer.citations.push(Citation::new(span, sources));
                    answer.warnings.extend(is_contradicted.then(|| contradicted(pointer)));
                }
                None => answer.warnings.push(unanchored(pointer)),
            }
        }
        answer.warnings.extend(sources.merged);
    }
}

fn contradicted(pointer: String) -> Entry {
    let message = "its text stands nowhere near its offsets, which decide where the badge goes";
    Entry::in_input(Kind::Note, "span-text", pointer, message)
}

fn unanchored(pointer: String) -> Entry {
    let message = "the annotation spans no text; its source is listed, and cited nowhere";
    Entry::in_input(Kind::Note, "annotation-unanchored", pointer, message)
}

/// Extends a span to the end of the word in which it ends, so that a badge behind it splits no word and no grapheme cluster
/// (rule N-06). A point moves as a whole. A span that is a marker stays as it is. A word ends at `limit` at the latest.
pub(super) fn whole_words(text: &str, span: Range<usize>, limit: usize) -> Option<Span> {
    if is_marker_span(text.get(span.clone())?) {
        return Span::new(text, span).ok();
    }
    let end = word_end(text.get(..limit)?, span.end);
    let start = if span.is_empty() { end } else { span.start };
    Span::new(text, start..end).ok()
}

/// The cited spans in order, each with the indexes of its sources, counted from 0.
#[cfg(test)]
pub(super) fn cited(answer: &Answer) -> Vec<(&str, Vec<usize>)> {
    let places = |citation: &Citation| citation.sources.iter().map(|source| source.0).collect();
    answer.citations.iter().map(|citation| (&answer.text[citation.span.range()], places(citation))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(url: &str, title: Option<&str>) -> Source {
        Source { url: url.parse().ok(), title: title.map(str::to_owned), ..Source::default() }
    }

    #[test]
    fn a_quote_that_stands_nowhere_near_its_offsets_is_reported() {
        let mut annotated = Annotated::default();
        let part = annotated.begin_part();
        annotated.grow(10);
        let source = annotated.sources.page(web("https://x.example/a", None));
        annotated.quoted_span(part, (Some(0), Some(3), Unit::Char), Some("Tea".into()), vec![source], "/a".into());
        annotated.quoted_span(part, (Some(4), Some(6), Unit::Char), Some("no".into()), vec![source], "/b".into());
        let mut answer = Answer { text: "Tea is hot".into(), ..Answer::default() };
        annotated.finish(&mut answer);
        assert_eq!(cited(&answer), [("Tea", vec![0]), ("is", vec![0])]);
        let told: Vec<_> = answer.warnings.iter().map(|entry| (entry.code, entry.at.pointer())).collect();
        assert_eq!(told, [("span-text", Some("/b"))]);
    }

    #[test]
    fn one_page_is_one_source_and_the_first_title_wins() {
        let mut sources = Sources::default();
        let first = sources.page(web("https://x.example/a?utm_source=openai#top", None));
        assert_eq!(sources.page(web("https://X.example/a", Some("Plan A"))), first);
        assert_eq!(sources.page(web("https://x.example/a", Some("PLAN a"))), first);
        assert_eq!(sources.merged.len(), 2);
        assert_ne!(sources.page(web("https://x.example/a", Some("B"))), first);
        assert_ne!(sources.page(web("https://x.example/a#end", Some("Plan A"))), first);
        assert_ne!(sources.page(web("https://x.example/a?b=1", None)), first);
        assert_ne!(sources.page(web("no address", None)), sources.page(web("", None)));
        assert_eq!(sources.all[0].title.as_deref(), Some("Plan A"));
        assert_eq!((sources.new_ones().len(), sources.new_ones().len()), (6, 0));
    }

    #[test]
    fn places_count_in_their_own_part() {
        let mut annotated = Annotated::default();
        let source = annotated.sources.page(web("https://x.example", None));
        let (first, second) = (annotated.begin_part(), 1);
        annotated.grow("Süß. ".len());
        annotated.span(first, (None, Some(3), Unit::Char), vec![source], "/a".into());
        annotated.span(first, (Some(3), Some(3), Unit::Char), vec![source], "/b".into());
        assert_eq!(annotated.begin_part(), second);
        annotated.grow("Gut.\n".len());
        annotated.point(second, 3, Unit::Utf16, vec![source], "/c".into());
        annotated.block(second, vec![source]);
        let mut answer = Answer { text: "Süß. Gut.\n".into(), ..Answer::default() };
        annotated.finish(&mut answer);
        let cited: Vec<_> = answer.citations.iter().map(|citation| &answer.text[citation.span.range()]).collect();
        assert_eq!(cited, ["Gut.", "Süß", ""]);
        assert_eq!(answer.citations[2].span.start(), "Süß. Gut".len());
        assert_eq!(answer.warnings.len(), 1);
    }
}
