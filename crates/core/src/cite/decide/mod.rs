//! The second room: what each token means.
//!
//! Markers, links, tags and the numbers that readers see are decided here, by the rules of a dialect and the grammar of a
//! provider's markers, which are data. Nothing here knows how a Markdown engine reads what is written later.

mod bracket;
mod leaf;
mod link;
mod math;
mod places;
mod shown;

use std::collections::BTreeMap;
use std::ops::Range;

use smallvec::SmallVec;

use crate::answer::{MarkerGrammar, Source, SourceIndex};
use crate::cite::marker::Marker;
use crate::cite::number::Numberer;
use crate::cite::resolve::{Indices, Resolver};
use crate::cite::{LiteralNumbers, Position, Rules};
use crate::report::{Entry, Kind};

pub(super) use link::is_allowed;
pub(in crate::cite) use places::Places;

/// What decisions are made by.
#[derive(Clone, Copy)]
pub(in crate::cite) struct Context<'c> {
    pub(in crate::cite) text: &'c str,
    pub(in crate::cite) rules: &'c Rules,
    pub(in crate::cite) grammar: &'c MarkerGrammar,
    /// Those that are known at the place that is decided about.
    pub(in crate::cite) sources: &'c [Source],
    pub(in crate::cite) resolver: &'c Resolver,
    pub(in crate::cite) arrivals: Arrivals<'c>,
}

/// Which sources were known when a part of a text was decided about that goes on. What was decided then stays.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cite) struct Arrivals<'c> {
    /// All sources.
    pub(in crate::cite) all: &'c [Source],
    /// Places, in order, before each of which only the first so many sources were known.
    pub(in crate::cite) before: &'c [(usize, usize)],
}

impl Context<'_> {
    /// Goes on to a place further in the text.
    fn arrive(&mut self, at: usize) {
        let Arrivals { all, before } = self.arrivals;
        if !before.is_empty() {
            let passed = before.partition_point(|(place, _)| *place <= at);
            self.sources = before.get(passed).map_or(all, |(_, known)| &all[..*known]);
        }
    }

    /// All sources, which names are looked up in.
    fn named(&self) -> &[Source] {
        if self.arrivals.before.is_empty() { self.sources } else { self.arrivals.all }
    }

    fn is_known(&self, index: SourceIndex) -> bool {
        index.0 < self.sources.len()
    }

    /// The sources of a marker.
    fn resolve(&self, raw: &str, marker: &Marker<'_>) -> Option<Indices> {
        let found = self.resolver.resolve(self.named(), raw, marker)?;
        found.iter().all(|index| self.is_known(*index)).then_some(found)
    }

    /// The source at an address.
    fn at_address(&self, url: &str) -> Option<SourceIndex> {
        let found = self.resolver.at_address(self.named(), self.rules.tracking, url)?;
        self.is_known(found).then_some(found)
    }

    /// Whether `[n]` may come to be the number of a claim.
    fn may_be_claim(&self, n: usize) -> bool {
        (1..=self.sources.len().min(self.rules.max_claims.unwrap_or(usize::MAX))).contains(&n)
    }
}

pub(in crate::cite) type Positions = SmallVec<[Position; 2]>;

/// What becomes of a stretch of a leaf. Pieces come in the order of the source; what none of them holds goes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cite) enum Piece {
    /// Characters that mean themselves, and signs of emphasis.
    Text(Range<usize>),
    /// Math: as it stands, on one line.
    Verbatim(Range<usize>),
    /// Characters that are to be shown as they stand and mean nothing: HTML that could act, an address that nobody may be led to.
    Literal(Range<usize>),
    /// What an image without a description is called.
    Nameless,
    Escape(Range<usize>),
    Entity(Range<usize>),
    SoftBreak(Range<usize>),
    HardBreak(Range<usize>),
    Code(Range<usize>),
    /// A tag that can do nothing, or a comment. Of a tag with attributes, its name ends at `name`, and these go.
    Tag {
        range: Range<usize>,
        name: Option<usize>,
    },
    Autolink(Range<usize>),
    /// `[n]` that is no marker, but equals what may be the number of a claim.
    Number(Range<usize>),
    /// The numbers of sources, in place of a marker or behind a text.
    Badges(Range<usize>, Positions),
    /// The opening bracket of a link that is none any more.
    Unbracketed(Range<usize>),
    /// What goes without a trace.
    Dropped(Range<usize>),
    /// Two things are kept apart here that stand side by side in the source.
    Apart,
    /// A marker of which nothing is left.
    Gone(Range<usize>),
    /// The beginning of a link that stays, or of an image that becomes one, or of an image that may load.
    Open {
        link: usize,
        is_image: bool,
    },
    /// Its end. With an address that leads elsewhere than the one that was written: to no user.
    Close {
        link: usize,
        url: Option<Box<str>>,
    },
}

/// What was decided so far, in the order of the text.
#[derive(Debug)]
pub(in crate::cite) struct Decisions {
    pub(in crate::cite) numberer: Numberer,
    pub(in crate::cite) entries: Vec<Entry>,
    /// Markers that name nothing, as they stood.
    pub(in crate::cite) unresolved: Vec<String>,
    /// Labels in brackets that no definition had been given for, each with how many there were before it.
    used: BTreeMap<String, usize>,
    /// Sources beyond the most that may be cited, by how many documents were cited before.
    pub(in crate::cite) left_out: Vec<(usize, SourceIndex)>,
    /// What is cited beside the text and not written yet.
    pub(in crate::cite) places: Places,
}

/// A place in what was decided, to which one can go back.
#[derive(Clone, Debug, Default)]
pub(in crate::cite) struct Mark {
    numbers: usize,
    entries: usize,
    unresolved: usize,
    used: usize,
    left_out: usize,
    written: usize,
}

impl Decisions {
    pub(in crate::cite) fn new(rules: &Rules) -> Self {
        Self {
            numberer: Numberer::new(rules),
            entries: Vec::new(),
            unresolved: Vec::new(),
            used: BTreeMap::new(),
            left_out: Vec::new(),
            places: Places::default(),
        }
    }

    /// Where things stand now.
    pub(in crate::cite) fn mark(&self) -> Mark {
        Mark {
            numbers: self.numberer.len(),
            entries: self.entries.len(),
            unresolved: self.unresolved.len(),
            used: self.used.len(),
            left_out: self.left_out.len(),
            written: self.places.written(),
        }
    }

    /// Takes back what was decided since a mark was made.
    pub(in crate::cite) fn back_to(&mut self, mark: &Mark) {
        self.numberer.back_to(mark.numbers);
        self.entries.truncate(mark.entries);
        self.unresolved.truncate(mark.unresolved);
        if self.used.len() > mark.used {
            self.used.retain(|_, before| *before < mark.used);
        }
        self.left_out.truncate(mark.left_out);
        self.places.back_to(mark.written);
    }

    /// A bracket may be a link by a label that is defined further on.
    fn use_label(&mut self, label: String) {
        let before = self.used.len();
        self.used.entry(label).or_insert(before);
    }

    /// Whether a bracket before its definition named this label.
    pub(in crate::cite) fn uses(&self, label: &str) -> bool {
        self.used.contains_key(label)
    }

    /// The numbers of these sources, each once.
    pub(in crate::cite) fn positions(&mut self, sources: &[Source], found: &[SourceIndex]) -> Positions {
        let mut positions = Positions::new();
        for index in found {
            match self.numberer.number(sources, *index) {
                Ok(position) if !positions.contains(&position) => positions.push(position),
                Ok(_) => {}
                Err(rank) => self.left_out.push((rank, *index)),
            }
        }
        positions
    }

    pub(in crate::cite) fn neutralised(&mut self, code: &'static str, at: usize, message: String) {
        self.entries.push(Entry::in_text(Kind::Neutralised, code, at, message));
    }

    fn literal_number(&mut self, rules: &Rules, at: usize, bracket: &str) {
        let (kind, code, fate) = match rules.literal_numbers {
            LiteralNumbers::Escape => (Kind::Neutralised, "escaped", "was escaped so that it does not become a link"),
            LiteralNumbers::Break => (Kind::Neutralised, "broken", "was broken so that it is not taken for a citation"),
            LiteralNumbers::Keep => (Kind::Note, "ambiguous", "looks like the number of a reference"),
        };
        self.entries.push(Entry::in_text(kind, code, at, format!("{bracket} is text, and {fate}")));
    }
}

pub(in crate::cite) use bracket::is_marker_label;
pub(in crate::cite) use leaf::decide;
