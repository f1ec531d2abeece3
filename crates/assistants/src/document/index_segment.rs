//! A part of the full-text index that never changes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::file::FileContent;
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
    /// The end of each stem in `stems`, and of its postings in `postings`.
    ends: Vec<(usize, usize)>,
    postings: Vec<u8>,
}

/// A document of a segment.
#[derive(Clone, Debug)]
pub(super) struct SegmentDocument {
    pub(super) path: Arc<str>,
    pub(super) digest: [u8; 32],
    /// The number of its passages.
    pub(super) passages: usize,
}

/// A row that has a stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) row: u32,
    pub(super) counts: Counts,
}

/// How often a row has a stem, in its parts. More than a few times says no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) text: u8,
    /// The nearest heading.
    pub(super) heading: u8,
    /// The title of the document, and the headings above the nearest one.
    pub(super) above: u8,
}

/// The most of each part that one byte of a posting has room for: four, two and two bits.
const MOST: Counts = Counts { text: 15, heading: 3, above: 3 };

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

    fn to_byte(self) -> u8 {
        let Self { text, heading, above } = self;
        text.min(MOST.text) | heading.min(MOST.heading) << 4 | above.min(MOST.above) << 6
    }

    fn of_byte(byte: u8) -> Self {
        Self { text: byte & 15, heading: byte >> 4 & 3, above: byte >> 6 }
    }
}

impl Segment {
    /// Indexes documents.
    pub(super) fn of(contents: &[&FileContent]) -> Self {
        let mut builder = SegmentBuilder::default();
        for content in contents {
            builder.add(content);
        }
        builder.end()
    }

    /// The segments as one, with the rows for which a place is kept.
    pub(super) fn merged(parts: &[(&Self, &[bool])]) -> Self {
        let mut builder = SegmentBuilder::default();
        for (segment, is_kept) in parts {
            let mut rows = Vec::with_capacity(segment.lengths.len());
            for (document, range) in segment.ranges() {
                let is_kept = range.start < range.end && is_kept.get(range.start).copied().unwrap_or_default();
                let first = builder.lengths.len();
                rows.extend(range.clone().map(|row| u32::try_from(first + row - range.start).ok().filter(|_| is_kept)));
                if is_kept {
                    builder.documents.push(document.clone());
                    builder.lengths.extend_from_slice(segment.lengths.get(range).unwrap_or_default());
                }
            }
            for at in 0..segment.ends.len() {
                for Posting { row, counts } in segment.postings_at(at) {
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

    /// The rows that have this stem, or one that begins so; a row once for each stem.
    pub(super) fn postings(&self, stem: &str, is_prefix: bool) -> impl Iterator<Item = Posting> {
        let first = self.partition(|other| other < stem);
        let fits = move |at: &usize| {
            let other = self.stem(*at);
            if is_prefix { other.starts_with(stem) } else { other == stem }
        };
        (first..self.ends.len()).take_while(fits).flat_map(move |at| self.postings_at(at))
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
        self.stems.get(self.range(at, |end| end.0)).unwrap_or_default()
    }

    fn postings_at(&self, at: usize) -> impl Iterator<Item = Posting> {
        let mut bytes = self.postings.get(self.range(at, |end| end.1)).unwrap_or_default().iter().copied();
        let mut row = 0;
        std::iter::from_fn(move || {
            row += number(&mut bytes)?;
            Some(Posting { row, counts: Counts::of_byte(bytes.next()?) })
        })
    }

    fn range(&self, at: usize, end: impl Fn(&(usize, usize)) -> usize) -> Range<usize> {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, &end);
        let end = self.ends.get(at).map_or(start, &end);
        start..end
    }
}

/// Reads a number of seven bits a byte, the lowest first.
fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes.next()?;
        number |= u32::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(number);
        }
        shift += 7;
    }
}

fn push_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A segment while it is put together.
#[derive(Default)]
struct SegmentBuilder {
    documents: Vec<SegmentDocument>,
    lengths: Vec<u16>,
    /// The postings of each stem with the last row in them.
    by_stem: HashMap<Box<str>, (u32, Vec<u8>)>,
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
        self.documents.push(SegmentDocument {
            path: content.document.path.as_str().into(),
            digest: content.digest,
            passages: content.passages.len(),
        });
    }

    /// Rows of a stem come in their order.
    fn post(&mut self, stem: &str, row: u32, counts: Counts) {
        let (last, bytes) = match self.by_stem.get_mut(stem) {
            Some(posted) => posted,
            None => self.by_stem.entry(stem.into()).or_default(),
        };
        push_number(row - *last, bytes);
        bytes.push(counts.to_byte());
        *last = row;
    }

    fn end(self) -> Segment {
        let mut by_stem = Vec::from_iter(self.by_stem);
        by_stem.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let mut segment = Segment { documents: self.documents, lengths: self.lengths, ..Segment::default() };
        segment.postings.reserve_exact(by_stem.iter().map(|(_, (_, bytes))| bytes.len()).sum());
        for (stem, (_, bytes)) in by_stem {
            segment.stems.push_str(&stem);
            segment.postings.extend_from_slice(&bytes);
            segment.ends.push((segment.stems.len(), segment.postings.len()));
        }
        segment.stems.shrink_to_fit();
        segment.ends.shrink_to_fit();
        segment.lengths.shrink_to_fit();
        segment
    }
}
