//! The second stage: decides the meaning of each token.
//!
//! It decides about markers, links, tags and numbers, by the rules of the dialect and the marker grammar of the provider,
//! which are data. It does not know how Markdown engines read the output; `write` does.

mod bracket;
mod leaf;
mod link;
mod loose;
mod math;
mod places;
mod shown;

use std::collections::BTreeMap;
use std::ops::Range;

use smallvec::SmallVec;

use crate::answer::{First, MarkerGrammar, Source, SourceIndex};
use crate::cite::marker::Marker;
use crate::cite::number::Numberer;
use crate::cite::resolve::{Named, Resolver};
use crate::cite::told::Told;
use crate::cite::{LiteralNumbers, Position, Rules};
use crate::report::{Entry, Kind};

pub(super) use link::is_allowed;
pub(crate) use places::Places;

/// The inputs of decisions.
#[derive(Clone, Copy)]
pub(crate) struct Context<'c> {
    pub(crate) text: &'c str,
    /// Whether the part that is read may hold a name like `turn0file0`. Most hold none, and their many pieces are not searched.
    pub(crate) may_name_turns: bool,
    /// The text that explains the markers.
    pub(crate) told: Told<'c>,
    pub(crate) rules: &'c Rules,
    pub(crate) grammar: &'c MarkerGrammar,
    /// The sources known at the offset that is being decided.
    pub(crate) sources: &'c [Source],
    pub(crate) resolver: &'c Resolver,
    pub(crate) arrivals: Arrivals<'c>,
}

/// The sources known at each offset of a growing text. New sources do not change earlier decisions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals<'c> {
    /// All sources.
    pub(crate) all: &'c [Source],
    /// Pairs `(offset, count)`, in order: before this offset of the text, only the first `count` sources were known.
    pub(crate) before: &'c [(usize, usize)],
}

impl Context<'_> {
    /// With the sources known at the offset `at`.
    pub(crate) fn known_at(mut self, at: usize) -> Self {
        self.arrive(at);
        self
    }

    /// Moves on to the offset `at`, and selects the sources known there.
    fn arrive(&mut self, at: usize) {
        let Arrivals { all, before } = self.arrivals;
        if !before.is_empty() {
            let passed = before.partition_point(|(place, _)| *place <= at);
            self.sources = before.get(passed).map_or(all, |(_, known)| &all[..*known]);
        }
    }

    /// The sources in which names are looked up: all of them, including those that are not known yet.
    fn named(&self) -> &[Source] {
        if self.arrivals.before.is_empty() { self.sources } else { self.arrivals.all }
    }

    fn is_known(&self, index: SourceIndex) -> bool {
        index.0 < self.sources.len()
    }

    /// The things that a marker names; nothing when one of its sources is not known yet.
    fn resolve(&self, raw: &str, marker: &Marker<'_>) -> Named {
        self.known(self.resolver.resolve(self.named(), raw, marker, self.told))
    }

    /// The things that a marker names, if all of them are known already.
    fn known(&self, named: Named) -> Named {
        match &named {
            Named::Sources { found, .. } if !found.iter().all(|index| self.is_known(*index)) => Named::Nothing,
            Named::Sources { .. } | Named::Nothing | Named::Untold => named,
        }
    }

    /// The sources of these numbers, of a form that counts places from `first`, if each of them names one.
    fn resolve_each(&self, numbers: &[usize], first: First) -> Named {
        let source = |n: &usize| self.resolver.numbered(self.named(), *n, first, self.told);
        self.known(Named::of_all(numbers.iter().map(source)))
    }

    /// The sources of names such as `turn0file0`, if there are sources of all of them.
    fn resolve_turns(&self, names: &[&str]) -> Named {
        self.known(self.resolver.turns(self.named(), names, self.told))
    }

    /// The source at an address.
    fn at_address(&self, url: &str) -> Option<SourceIndex> {
        let found = self.resolver.at_address(self.named(), self.rules, url)?;
        self.is_known(found).then_some(found)
    }

    /// Whether `n` may become the number of a claim.
    fn may_be_claim(&self, n: usize) -> bool {
        (1..=self.sources.len().min(self.rules.max_claims.unwrap_or(usize::MAX))).contains(&n)
    }
}

pub(crate) type Positions = SmallVec<[Position; 2]>;

/// The decision about one range of a leaf. Pieces come in the order of the source; text that is in no piece is dropped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// Literal characters, and emphasis delimiters.
    Text(Range<usize>),
    /// Math, copied as written, within one line.
    Verbatim(Range<usize>),
    /// Text that readers see as written, and that must mean nothing: HTML that could act, an address that is not allowed.
    Literal(Range<usize>),
    /// The word that stands for an image without a description.
    Nameless,
    Escape(Range<usize>),
    Entity(Range<usize>),
    SoftBreak(Range<usize>),
    HardBreak(Range<usize>),
    /// A line break of HTML, for a channel without HTML. In a cell or a heading it is a blank.
    Break(Range<usize>),
    Code(Range<usize>),
    /// A harmless tag, or a comment. `name` is where the name of a tag with attributes ends; the attributes are dropped.
    Tag {
        range: Range<usize>,
        name: Option<usize>,
    },
    Autolink(Range<usize>),
    /// Raised or lowered text with its tags, and what is written for it.
    Script(Range<usize>, Box<str>),
    /// `[n]` that is no marker, but may equal the number of a claim.
    Number(Range<usize>),
    /// Badges, in place of markers or behind cited text. `first` is where the first of the markers ends: what depends on its
    /// text stays as it is when another marker follows it.
    Badges {
        range: Range<usize>,
        first: usize,
        positions: Positions,
    },
    /// The opening bracket of a link that is only text now. It is dropped.
    Unbracketed(Range<usize>),
    /// Text that is dropped without a trace.
    Dropped(Range<usize>),
    /// A separator between two neighbors in the source that must not join.
    Apart,
    /// A marker that is removed.
    Gone(Range<usize>),
    /// The opening bracket of a link that stays, of an image that becomes a link, or of an image that may load.
    Open {
        link: usize,
        is_image: bool,
    },
    /// The end of this link. `url` replaces an address that names a user.
    Close {
        link: usize,
        url: Option<Box<str>>,
    },
}

/// The decisions so far, in text order.
#[derive(Debug)]
pub(crate) struct Decisions {
    pub(crate) numberer: Numberer,
    pub(crate) entries: Vec<Entry>,
    /// Markers that name no source, as the model wrote them.
    pub(crate) unresolved: Vec<String>,
    /// Labels in brackets without a definition before them, each with the number of such labels before it.
    used: BTreeMap<String, usize>,
    /// Sources beyond the largest number of claims, each with the number of documents cited before it.
    pub(crate) left_out: Vec<(usize, SourceIndex)>,
    /// Span citations that are not written yet.
    pub(crate) places: Places,
}

/// A snapshot of the decisions, for [`Decisions::back_to`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    numbers: usize,
    entries: usize,
    unresolved: usize,
    used: usize,
    left_out: usize,
    written: usize,
}

impl Decisions {
    pub(crate) fn new(rules: &Rules) -> Self {
        Self {
            numberer: Numberer::new(rules),
            entries: Vec::new(),
            unresolved: Vec::new(),
            used: BTreeMap::new(),
            left_out: Vec::new(),
            places: Places::default(),
        }
    }

    /// Takes a snapshot.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            numbers: self.numberer.len(),
            entries: self.entries.len(),
            unresolved: self.unresolved.len(),
            used: self.used.len(),
            left_out: self.left_out.len(),
            written: self.places.written(),
        }
    }

    /// Undoes the decisions made since a snapshot.
    pub(crate) fn back_to(&mut self, mark: &Mark) {
        self.numberer.back_to(mark.numbers);
        self.entries.truncate(mark.entries);
        self.unresolved.truncate(mark.unresolved);
        if self.used.len() > mark.used {
            self.used.retain(|_, before| *before < mark.used);
        }
        self.left_out.truncate(mark.left_out);
        self.places.back_to(mark.written);
    }

    /// Notes a bracket whose label may be defined further on, which makes it a link.
    fn use_label(&mut self, label: String) {
        let before = self.used.len();
        self.used.entry(label).or_insert(before);
    }

    /// Whether a bracket before its definition named this label.
    pub(crate) fn uses(&self, label: &str) -> bool {
        self.used.contains_key(label)
    }

    /// The numbers of these sources, each once. Sources beyond the largest number of claims get none.
    pub(crate) fn positions(&mut self, sources: &[Source], found: &[SourceIndex]) -> Positions {
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

    pub(crate) fn neutralised(&mut self, code: &'static str, at: usize, message: String) {
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

pub(crate) use bracket::is_marker_label;
pub(crate) use leaf::{LOOKS_LIKE_MARKER, decide};
