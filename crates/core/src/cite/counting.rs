//! Reads off the text of an answer what the numbers in its markers are: whether they are ids, and where counting begins.

use std::cell::Cell;
use std::collections::HashMap;

use super::loose::{self, Loose};
use super::marker::{self, Item, Marker};
use super::told::Told;
use crate::answer::{First, MarkerForm, NumberMeaning, Source, SourceIndex};

/// The sources whose ids are numbers. Empty as long as each of these numbers is a place in the list too: then numbers are
/// places.
#[derive(Debug, Default)]
pub(super) struct NumericIds {
    /// `None` for an id that several sources have.
    by_id: HashMap<usize, Option<SourceIndex>>,
    sources: usize,
}

impl NumericIds {
    pub(super) fn of(sources: &[Source]) -> Self {
        let id = |source: &Source| source.id.as_deref().and_then(marker::from_zero);
        let mut ids = Self { by_id: HashMap::new(), sources: sources.len() };
        if sources.iter().filter_map(id).all(|id| ids.is_place(id)) {
            return ids;
        }
        for (at, source) in sources.iter().enumerate() {
            if let Some(id) = id(source) {
                ids.by_id.entry(id).and_modify(|known| *known = None).or_insert(Some(SourceIndex(at)));
            }
        }
        ids
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The one source with this id.
    pub(super) fn source(&self, n: usize) -> Option<SourceIndex> {
        self.by_id.get(&n).copied().flatten()
    }

    fn is_place(&self, n: usize) -> bool {
        (1..=self.sources).contains(&n)
    }

    /// Whether a number is the place of one source and the id of another.
    pub(super) fn contradicts(&self, n: usize) -> bool {
        self.is_place(n) && self.source(n).is_some_and(|index| index.0 + 1 != n)
    }
}

/// The number from which a marker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    From(usize),
    /// The text does not tell.
    Unknown,
    /// Text that has not arrived may tell.
    Untold,
}

/// Findings about the numbers of a text. Text that comes later does not change it.
#[derive(Debug, Default)]
pub(super) struct Counting {
    means_ids: Cell<Option<bool>>,
    base: Cell<Option<Base>>,
    is_one_turn: Cell<Option<bool>>,
}

impl Counting {
    /// Whether a number that is a place and an id is an id: when all numbers of the markers are ids, and one of them is no
    /// place. `None` while text is to come.
    pub(super) fn means_ids(&self, ids: &NumericIds, text: Told<'_>) -> Option<bool> {
        if let Some(known) = self.means_ids.get() {
            return Some(known);
        }
        if !text.is_whole {
            return None;
        }
        let numbers = || numbers_of(text).filter(|n| ids.is_place(*n) || ids.source(*n).is_some());
        let means_ids = numbers().all(|n| ids.source(n).is_some()) && numbers().any(|n| !ids.is_place(n));
        self.means_ids.set(Some(means_ids));
        Some(means_ids)
    }

    /// Whether all names such as `turn0file0` are of one turn and kind. `None` while text is to come.
    pub(super) fn is_one_turn(&self, text: Told<'_>) -> Option<bool> {
        if let Some(known) = self.is_one_turn.get() {
            return Some(known);
        }
        let (mut rest, mut first) = (text.text, None);
        let mut is_one = true;
        while let Some((range, loose)) = loose::find_turn(rest, false) {
            if let Loose::Marker(Marker::Machine(names), _) = loose {
                let kinds = names.into_iter().map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()));
                is_one &= kinds.into_iter().all(|kind| *first.get_or_insert(kind) == kind);
            }
            rest = &rest[range.end..];
        }
        match (is_one, text.is_whole) {
            (true, false) => None,
            (is_one, _) => {
                self.is_one_turn.set(Some(is_one));
                Some(is_one)
            }
        }
    }

    /// The number of the first source.
    pub(super) fn base(&self, first: First, sources: usize, text: Told<'_>) -> Base {
        if text.grammar.meaning == NumberMeaning::PlacesFromZero {
            return Base::From(0);
        }
        match first {
            First::One | First::Nothing => return Base::From(1),
            First::Zero => return Base::From(0),
            First::Told => {}
        }
        if let Some(known) = self.base.get() {
            return known;
        }
        let (mut is_zero, mut is_last) = (false, false);
        for n in told_numbers(text.text) {
            is_zero |= n == 0;
            is_last |= n == sources;
        }
        let base = match (is_zero, is_last) {
            (true, _) => Base::From(0),
            (false, _) if !text.is_whole => return Base::Untold,
            (false, true) => Base::From(1),
            (false, false) => Base::Unknown,
        };
        self.base.set(Some(base));
        base
    }
}

/// The texts in the square brackets of a text.
fn brackets(text: &str) -> impl Iterator<Item = &str> {
    text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(inner, _)| inner)
}

/// The numbers in the markers of a text that have no words.
fn numbers_of(text: Told<'_>) -> impl Iterator<Item = usize> {
    brackets(text.text).filter_map(move |inner| marker::read(MarkerForm::Square, inner, text.grammar)).flat_map(
        |marker| match marker {
            Marker::Numbers(numbers) => numbers,
            Marker::Footnote(n) => marker::Numbers::from_slice(&[n]),
            Marker::Documents(_) | Marker::Machine(_) | Marker::Word(_) | Marker::Name(_) | Marker::NameEnd(_) => {
                marker::Numbers::new()
            }
        },
    )
}

/// The numbers behind words that do not tell by themselves where they begin to count.
fn told_numbers(text: &str) -> impl Iterator<Item = usize> {
    let worded = brackets(text).filter_map(|inner| marker::worded(inner.trim()));
    worded.flat_map(|marker| {
        let items = if let Marker::Word(worded) = marker { Some(worded) } else { None };
        let items = items.filter(|worded| worded.first == First::Told).map(|worded| worded.items).unwrap_or_default();
        items.into_iter().filter_map(|item| if let Item::Number(n, _) = item { Some(n) } else { None })
    })
}
