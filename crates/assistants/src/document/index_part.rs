//! A part of the index: rows of a segment, and the passages that they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::file::FileContent;
use super::index_segment::Segment;

/// Words of a passage that is no part of the documents any more.
pub(super) const GONE: u32 = u32::MAX;

/// A segment, and its passages that are part of the documents.
#[derive(Debug)]
pub(super) struct IndexPart {
    pub(super) segment: Arc<Segment>,
    /// The place of each row among the passages, or [`GONE`].
    places: Vec<u32>,
    /// The number of rows that have a place.
    live: usize,
}

impl IndexPart {
    /// Gives the rows of the documents that are missing their places; those are not missing any more.
    pub(super) fn of(segment: Arc<Segment>, missing: &mut BTreeMap<&str, (usize, &FileContent)>) -> Self {
        let mut places = vec![GONE; segment.lengths.len()];
        let mut live = 0;
        for (document, range) in segment.ranges() {
            let path: &str = &document.path;
            if missing.get(path).is_none_or(|(_, content)| content.digest != document.digest) {
                continue;
            }
            let Some((first, _)) = missing.remove(path) else { continue };
            live += range.len();
            for (place, at) in places.get_mut(range).unwrap_or_default().iter_mut().zip(first..) {
                *place = u32::try_from(at).unwrap_or(GONE);
            }
        }
        Self { segment, places, live }
    }

    /// The words of its passages.
    pub(super) fn words(&self) -> u64 {
        let rows = self.segment.lengths.iter().zip(&self.places);
        rows.filter(|(_, place)| **place != GONE).map(|(length, _)| u64::from(*length)).sum()
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
    pub(super) fn joining(parts: &[Self]) -> Self {
        let kept: Vec<Vec<bool>> =
            parts.iter().map(|part| part.places.iter().map(|place| *place != GONE).collect()).collect();
        let of: Vec<(&Segment, &[bool])> =
            parts.iter().zip(&kept).map(|(part, kept)| (part.segment.as_ref(), kept.as_slice())).collect();
        let places: Vec<u32> =
            parts.iter().flat_map(|part| part.places.iter().copied()).filter(|place| *place != GONE).collect();
        Self { segment: Arc::new(Segment::merged(&of)), live: places.len(), places }
    }
}
