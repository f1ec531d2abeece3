//! A part of the full-text index that never changes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::file::FileContent;
use super::postings::{Counts, Entry, Posting, PostingList, PostingWriter};
use super::words::{Case, SearchWord, each_word};

/// The passages of some documents by the stems of their words.
#[derive(Debug, Default)]
pub(super) struct Segment {
    /// The documents in the order of their rows.
    pub(super) documents: Vec<SegmentDocument>,
    /// The number of words of each row, those of its title and headings included.
    pub(super) lengths: Vec<u16>,
    /// All stems, in alphabetical order and one behind the other.
    stems: String,
    /// A stem for each, with its postings.
    ends: Vec<StemEnd>,
    postings: Vec<u8>,
    entries: Vec<Entry>,
}

/// The end of a stem in `stems`, of its postings in `postings` and of the places to enter these in `entries`.
#[derive(Clone, Copy, Debug, Default)]
struct StemEnd {
    stem: u32,
    entry: u32,
    posting: usize,
    /// The number of its postings.
    count: u32,
}

/// A document of a segment.
#[derive(Clone, Debug)]
pub(super) struct SegmentDocument {
    /// The number of its passages.
    pub(super) passages: usize,
}

/// A part of a row.
#[derive(Clone, Copy)]
enum Part {
    Text,
    Heading,
    Above,
}

impl Counts {
    fn of(&mut self, part: Part) -> &mut u8 {
        match part {
            Part::Text => &mut self.text,
            Part::Heading => &mut self.heading,
            Part::Above => &mut self.above,
        }
    }
}

impl Segment {
    /// Indexes documents.
    pub(super) fn of<'c>(contents: impl IntoIterator<Item = &'c FileContent>) -> Self {
        let mut builder = SegmentBuilder::default();
        for content in contents {
            builder.add(content);
        }
        builder.end()
    }

    /// The segments as one, with the documents that are kept.
    pub(super) fn merged(parts: &[(&Self, &[bool])]) -> Self {
        let mut builder = SegmentBuilder::default();
        for (segment, is_kept) in parts {
            let mut rows = Vec::with_capacity(segment.lengths.len());
            for ((document, range), is_kept) in segment.ranges().zip(is_kept.iter().copied()) {
                let first = builder.lengths.len();
                rows.extend(range.clone().map(|row| u32::try_from(first + row - range.start).ok().filter(|_| is_kept)));
                if is_kept {
                    builder.documents.push(document.clone());
                    builder.lengths.extend_from_slice(segment.lengths.get(range).unwrap_or_default());
                }
            }
            for at in 0..segment.ends.len() {
                for Posting { row, counts } in segment.postings_at(at).iter() {
                    if let Some(row) = rows.get(row as usize).copied().flatten() {
                        builder.post(segment.stem(at), row, counts);
                    }
                }
            }
        }
        builder.end()
    }

    /// The documents with their rows.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (&SegmentDocument, Range<usize>)> {
        let mut start = 0;
        self.documents.iter().map(move |document| {
            let range = start..start + document.passages;
            start = range.end;
            (document, range)
        })
    }

    /// The rows that have this stem, or those of each stem that begins so.
    pub(super) fn postings(&self, stem: &str, is_prefix: bool) -> impl Iterator<Item = PostingList<'_>> {
        let first = self.partition(|other| other < stem);
        let fits = move |at: &usize| {
            let other = self.stem(*at);
            if is_prefix { other.starts_with(stem) } else { other == stem }
        };
        (first..self.ends.len()).take_while(fits).map(move |at| self.postings_at(at))
    }

    /// The number of stems for which this holds; those come first.
    fn partition(&self, holds: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(self.stem(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn stem(&self, at: usize) -> &str {
        let (start, end) = self.ends(at);
        self.stems.get(start.stem as usize..end.stem as usize).unwrap_or_default()
    }

    fn postings_at(&self, at: usize) -> PostingList<'_> {
        let (start, end) = self.ends(at);
        PostingList {
            count: end.count,
            bytes: self.postings.get(start.posting..end.posting).unwrap_or_default(),
            entries: self.entries.get(start.entry as usize..end.entry as usize).unwrap_or_default(),
        }
    }

    /// The end of the stem before, and of this one.
    fn ends(&self, at: usize) -> (StemEnd, StemEnd) {
        let end = |at: usize| self.ends.get(at).copied();
        (at.checked_sub(1).and_then(end).unwrap_or_default(), end(at).unwrap_or_default())
    }
}

/// A segment while it is put together.
#[derive(Default)]
struct SegmentBuilder {
    documents: Vec<SegmentDocument>,
    lengths: Vec<u16>,
    by_stem: HashMap<Box<str>, PostingWriter>,
}

impl SegmentBuilder {
    fn add(&mut self, content: &FileContent) {
        let language = content.document.language;
        let stems = language.stems();
        // Words come again and again, and their stems take time.
        let mut known: HashMap<String, String> = HashMap::new();
        for passage in content.passages.iter() {
            let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
            let mut length = 0_usize;
            let (nearest, outer) = match passage.headings.split_last() {
                Some((nearest, outer)) => (nearest.as_str(), outer.join("\n")),
                None => ("", String::new()),
            };
            let above = format!("{}\n{outer}", content.document.title);
            for (text, part) in [(passage.text.as_str(), Part::Text), (nearest, Part::Heading), (&above, Part::Above)] {
                each_word(text, |text, is_unspaced, case| {
                    let word = || SearchWord { text: text.to_owned(), is_unspaced, case };
                    // `IT` is found by itself, and not where `it` is.
                    let name = (case == Case::High).then(word).filter(|word| language.has_stop_word(word));
                    if let Some(name) = name {
                        let count = counts.entry(name.name()).or_default().of(part);
                        *count = count.saturating_add(1);
                    }
                    let stem = match known.get(text) {
                        Some(stem) => stem.clone(),
                        None => {
                            let stem = stems.of(&word());
                            known.insert(text.to_owned(), stem.clone());
                            stem
                        }
                    };
                    let count = counts.entry(stem).or_default().of(part);
                    *count = count.saturating_add(1);
                    length += 1;
                });
            }
            let row = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
            for (stem, counts) in counts {
                self.post(&stem, row, counts);
            }
            self.lengths.push(u16::try_from(length).unwrap_or(u16::MAX));
        }
        self.documents.push(SegmentDocument { passages: content.passages.len() });
    }

    /// Rows of a stem come in their order.
    fn post(&mut self, stem: &str, row: u32, counts: Counts) {
        match self.by_stem.get_mut(stem) {
            Some(writer) => writer.push(row, counts),
            None => self.by_stem.entry(stem.into()).or_default().push(row, counts),
        }
    }

    fn end(self) -> Segment {
        let mut by_stem = Vec::from_iter(self.by_stem);
        by_stem.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let mut segment = Segment { documents: self.documents, lengths: self.lengths, ..Segment::default() };
        segment.postings.reserve_exact(by_stem.iter().map(|(_, writer)| writer.bytes.len()).sum());
        for (stem, writer) in by_stem {
            segment.stems.push_str(&stem);
            segment.postings.extend_from_slice(&writer.bytes);
            segment.entries.extend_from_slice(&writer.entries);
            segment.ends.push(StemEnd {
                stem: u32::try_from(segment.stems.len()).unwrap_or(u32::MAX),
                entry: u32::try_from(segment.entries.len()).unwrap_or(u32::MAX),
                posting: segment.postings.len(),
                count: writer.count,
            });
        }
        segment.stems.shrink_to_fit();
        segment.entries.shrink_to_fit();
        segment.ends.shrink_to_fit();
        segment.lengths.shrink_to_fit();
        segment
    }
}
