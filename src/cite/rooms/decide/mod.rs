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

use std::collections::BTreeSet;
use std::ops::Range;

use smallvec::SmallVec;

use crate::answer::{MarkerGrammar, Source, SourceIndex};
use crate::cite::number::Numberer;
use crate::cite::resolve::Resolver;
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
    pub(in crate::cite) sources: &'c [Source],
    pub(in crate::cite) resolver: &'c Resolver,
}

impl Context<'_> {
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
    /// Labels in brackets that no definition had been given for.
    pub(in crate::cite) used: BTreeSet<String>,
    /// Sources beyond the most that may be cited, by how many documents were cited before.
    pub(in crate::cite) left_out: Vec<(usize, SourceIndex)>,
    /// What is cited beside the text and not written yet.
    pub(in crate::cite) places: Places,
}

impl Decisions {
    pub(in crate::cite) fn new(rules: &Rules) -> Self {
        Self {
            numberer: Numberer::new(rules),
            entries: Vec::new(),
            unresolved: Vec::new(),
            used: BTreeSet::new(),
            left_out: Vec::new(),
            places: Places::default(),
        }
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

    fn neutralised(&mut self, code: &'static str, at: usize, message: String) {
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
