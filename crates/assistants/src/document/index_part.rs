//! A part of the index: rows of a segment, and the passages that they are.

use std::sync::Arc;

use super::contents::Contents;
use super::index_segment::Segment;

/// Words of a passage that is no part of the documents any more.
pub(super) const GONE: u32 = u32::MAX;

/// A segment, and its passages that are part of the documents.
#[derive(Debug)]
pub(super) struct IndexPart {
    pub(super) segment: Arc<Segment>,
    /// The position of each document of the segment among all documents; `None` for one that is gone.
    positions: Vec<Option<usize>>,
    /// The place of each row among the passages, or [`GONE`].
    places: Vec<u32>,
    /// The number of rows that have a place, and of the words in them.
    live: usize,
    words: u64,
}

impl IndexPart {
    /// A segment whose documents have these positions.
    pub(super) fn new(segment: Arc<Segment>, positions: Vec<Option<usize>>, contents: &Contents) -> Self {
        let mut places = vec![GONE; segment.lengths.len()];
        let (mut live, mut words) = (0, 0);
        for ((_, range), position) in segment.ranges().zip(&positions) {
            let Some(first) = position.and_then(|position| contents.first(position)) else { continue };
            live += range.len();
            let lengths = segment.lengths.get(range.clone()).unwrap_or_default();
            words += lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
            for (place, at) in places.get_mut(range).unwrap_or_default().iter_mut().zip(first..) {
                *place = u32::try_from(at).unwrap_or(GONE);
            }
        }
        Self { segment, positions, places, live, words }
    }

    /// The part among other contents, in which the documents have these positions.
    pub(super) fn moved(&self, positions: &[Option<usize>], contents: &Contents) -> Self {
        let moved = |position: &Option<usize>| position.and_then(|position| *positions.get(position)?);
        Self::new(Arc::clone(&self.segment), self.positions.iter().map(moved).collect(), contents)
    }

    /// The words of its passages.
    pub(super) fn words(&self) -> u64 {
        self.words
    }

    /// The number of rows that are passages.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// The rows that cost time or room.
    pub(super) fn rows(&self) -> usize {
        self.places.len()
    }

    /// The number of words of each row.
    pub(super) fn lengths(&self) -> &[u16] {
        &self.segment.lengths
    }

    /// The place of a row among the passages, if it is one.
    pub(super) fn place(&self, row: u32) -> Option<usize> {
        self.places.get(row as usize).filter(|place| **place != GONE).map(|place| *place as usize)
    }

    /// Whether all of its rows are passages.
    pub(super) fn is_whole(&self) -> bool {
        self.live == self.rows()
    }

    /// One part with the passages of several.
    pub(super) fn joining(parts: &[Self], contents: &Contents) -> Self {
        let kept: Vec<Vec<bool>> =
            parts.iter().map(|part| part.positions.iter().map(Option::is_some).collect()).collect();
        let of: Vec<(&Segment, &[bool])> =
            parts.iter().zip(&kept).map(|(part, kept)| (part.segment.as_ref(), kept.as_slice())).collect();
        let positions = parts.iter().flat_map(|part| &part.positions).copied().filter(Option::is_some).collect();
        Self::new(Arc::new(Segment::merged(&of)), positions, contents)
    }
}
