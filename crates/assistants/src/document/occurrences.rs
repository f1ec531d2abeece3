//! The passages that have a term of a question.

use super::index_part::IndexPart;
use super::postings::{Counts, PostingList, Postings};

/// A word in the nearest heading counts as much as four in the text; one in the title or a heading above, which other passages share, as
/// one.
const HEADING: f32 = 4.0;

/// How soon more of a word says no more, and how far a long passage is held to be so by its length alone: the usual numbers of BM25.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;

/// The most that a term of weight 1 adds to the weight of a passage, however often that has it.
const MOST: f32 = SATURATION + 1.0;

/// A row of a part, and how often it has a term, weighted by where.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    row: u32,
    count: f32,
}

/// The rows that have a term, in each part of an index.
#[derive(Debug, Default)]
pub(super) struct Occurrences<'i> {
    parts: Vec<PartOccurrences<'i>>,
    /// The number of passages.
    len: usize,
}

#[derive(Debug)]
struct PartOccurrences<'i> {
    /// The place of the part in the index.
    part: usize,
    rows: Rows<'i>,
}

#[derive(Debug)]
enum Rows<'i> {
    /// Those of one stem, as the index has them.
    Stored(PostingList<'i>),
    /// Those of several stems, each row once.
    Joined(Vec<Occurrence>),
}

impl<'i> Occurrences<'i> {
    /// The occurrences of a term that is found as one of these stems, or as what begins so.
    pub(super) fn of(parts: &'i [IndexPart], stems: &[String], is_prefix: bool) -> Self {
        let mut found = Self { parts: Vec::new(), len: 0 };
        for (at, part) in parts.iter().enumerate() {
            let lists = stems.iter().flat_map(|stem| part.segment.postings(stem, is_prefix));
            let rows = match lists.collect::<Vec<_>>().as_slice() {
                [] => continue,
                [list] => Rows::Stored(*list),
                lists => Rows::joined(lists),
            };
            found.len += rows.live(part);
            found.parts.push(PartOccurrences { part: at, rows });
        }
        found
    }

    /// The number of passages that have the term.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Rows<'_> {
    fn joined(lists: &[PostingList<'_>]) -> Self {
        let postings = lists.iter().flat_map(|list| list.iter());
        let mut rows: Vec<Occurrence> =
            postings.map(|posting| Occurrence { row: posting.row, count: weighted(posting.counts) }).collect();
        rows.sort_by_key(|occurrence| occurrence.row);
        rows.dedup_by(|other, first| {
            let is_same = other.row == first.row;
            first.count += if is_same { other.count } else { 0.0 };
            is_same
        });
        Self::Joined(rows)
    }

    /// The number of rows that are passages of the index.
    fn live(&self, part: &IndexPart) -> usize {
        match self {
            Self::Stored(list) if part.is_whole() => list.count as usize,
            Self::Stored(list) => list.iter().filter(|posting| part.place(posting.row).is_some()).count(),
            Self::Joined(rows) => rows.iter().filter(|occurrence| part.place(occurrence.row).is_some()).count(),
        }
    }
}

fn weighted(Counts { text, heading, above }: Counts) -> f32 {
    f32::from(text) + HEADING * f32::from(heading) + f32::from(above)
}

/// A term of a question, which adds to the weights of the passages that have it.
#[derive(Debug)]
pub(super) struct WeighedTerm<'i, 'o> {
    at: usize,
    weight: f32,
    occurrences: &'o Occurrences<'i>,
    /// The average number of words of a passage.
    average: f32,
}

impl<'i, 'o> WeighedTerm<'i, 'o> {
    pub(super) fn new(at: usize, weight: f64, occurrences: &'o Occurrences<'i>, average: f32) -> Self {
        Self { at, weight: weight as f32, occurrences, average }
    }

    /// The place among the terms of the question.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The most that it adds to the weight of a passage.
    pub(super) fn most(&self) -> f32 {
        self.weight * MOST
    }

    /// The number of passages that have it.
    pub(super) fn passages(&self) -> usize {
        self.occurrences.len
    }

    /// Adds to the weight of each row of a part that has the term.
    pub(super) fn add_to_all(&self, part: usize, lengths: &[u16], sums: &mut [f32]) {
        let mut add = |row: u32, count: f32| {
            if let (Some(sum), Some(length)) = (sums.get_mut(row as usize), lengths.get(row as usize)) {
                *sum += added(self.weight, self.average, count, *length);
            }
        };
        match self.rows(part) {
            Some(Rows::Stored(list)) => list.iter().for_each(|posting| add(posting.row, weighted(posting.counts))),
            Some(Rows::Joined(rows)) => rows.iter().for_each(|occurrence| add(occurrence.row, occurrence.count)),
            None => {}
        }
    }

    /// Looks up what it adds to rows of a part.
    pub(super) fn finder<'f>(&'f self, part: usize, lengths: &'f [u16]) -> Finder<'f> {
        let rows = match self.rows(part) {
            Some(Rows::Stored(list)) => FinderRows::Stored(list.iter()),
            Some(Rows::Joined(rows)) => FinderRows::Joined(rows),
            None => FinderRows::Joined(&[]),
        };
        Finder { weight: self.weight, average: self.average, lengths, rows }
    }

    fn rows(&self, part: usize) -> Option<&Rows<'i>> {
        self.occurrences.parts.iter().find(|one| one.part == part).map(|one| &one.rows)
    }
}

/// The weight that a term adds to a passage of this length which has it so often.
fn added(weight: f32, average: f32, count: f32, length: u16) -> f32 {
    let norm = SATURATION * (1.0 - LENGTH + LENGTH * f32::from(length) / average);
    weight * count * MOST / (count + norm)
}

/// Looks up rows of one part, in their order.
#[derive(Debug)]
pub(super) struct Finder<'f> {
    weight: f32,
    average: f32,
    lengths: &'f [u16],
    rows: FinderRows<'f>,
}

#[derive(Debug)]
enum FinderRows<'f> {
    Stored(Postings<'f>),
    Joined(&'f [Occurrence]),
}

impl Finder<'_> {
    /// The weight that the term adds to a row; `None` where it does not have it.
    pub(super) fn added_to(&mut self, row: u32) -> Option<f32> {
        let count = match &mut self.rows {
            FinderRows::Stored(postings) => weighted(postings.find(row)?),
            FinderRows::Joined(rows) => {
                let found = rows.binary_search_by_key(&row, |occurrence| occurrence.row).ok()?;
                rows.get(found)?.count
            }
        };
        Some(added(self.weight, self.average, count, *self.lengths.get(row as usize)?))
    }
}
