//! Counts what a mapping finds and cannot use, so that a report names each kind once.

use std::collections::BTreeMap;

use crate::report::{Entry, Kind};

/// Findings that could not be used, by kind.
#[derive(Debug, Default)]
pub(super) struct Oddities(BTreeMap<(&'static str, String), (usize, String)>);

impl Oddities {
    /// Adds a value at this JSON pointer, with the code of its entry and a sentence on it.
    pub(super) fn add(&mut self, code: &'static str, message: String, pointer: &str) {
        let (count, _) = self.0.entry((code, message)).or_insert_with(|| (0, pointer.to_owned()));
        *count += 1;
    }

    /// One entry for each kind, at the first of its places.
    pub(super) fn entries(self) -> impl Iterator<Item = Entry> {
        self.0.into_iter().map(|((code, message), (count, first))| {
            let message = if count > 1 { format!("{message}; {count} times, here first") } else { message };
            Entry::in_input(Kind::Note, code, first, message)
        })
    }
}
