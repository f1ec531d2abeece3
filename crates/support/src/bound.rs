//! Bounds: `at least 20 hours` contradicts `at most 20 hours`.

use std::sync::LazyLock;

use crate::fact::Fact;
use crate::phrases::Phrases;
use crate::token::Token;
use crate::words::Languages;

/// How a number bounds a value: it is the least or the greatest allowed, or lies outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Least,
    Most,
    Over,
    Under,
}

static BOUNDS: LazyLock<Phrases<Bound>> = LazyLock::new(|| {
    Phrases::named(
        include_str!("tables/bounds.txt"),
        &[("least", Bound::Least), ("most", Bound::Most), ("over", Bound::Over), ("under", Bound::Under)],
    )
});

/// The tokens before a number among which its bound begins.
const MOST_BEFORE: usize = 7;

/// The tokens without weight that may stand between a bound and its number: `at least for 20 hours`.
const MOST_BETWEEN: usize = 2;

/// The tokens before a bound among which a negation turns it round.
const NEGATED: usize = 4;

impl Bound {
    /// The bound that a number is, unless a negation turns it round.
    pub(crate) fn of(tokens: &[Token], fact: &Fact, languages: Languages) -> Option<Self> {
        let (bound, at) = Self::written(tokens, fact, languages)?;
        let is_negated = tokens[at.saturating_sub(NEGATED)..at].iter().any(|token| token.negates(Languages::ANY));
        (!is_negated).then_some(bound)
    }

    /// The bound that the words beside a number say, and where they begin.
    pub(crate) fn written(tokens: &[Token], fact: &Fact, languages: Languages) -> Option<(Self, usize)> {
        let begins = fact.first.saturating_sub(MOST_BEFORE)..fact.first;
        let ends_near = |end: usize| {
            end <= fact.first
                && fact.first - end <= MOST_BETWEEN
                && tokens[end..fact.first].iter().all(|token| token.weight() <= 0.5 && !token.is('.') && !token.is(','))
        };
        // Phrases for bounds that hold the number itself mean nothing else in other languages, and a short sentence tells none.
        let any = |at: usize| BOUNDS.at(tokens, at, Languages::ANY).filter(|(bound, _)| !bound.is_strict());
        // The first one is the longest: "not more than" is none of "more than".
        let before = begins
            .filter_map(|at| BOUNDS.at(tokens, at, languages).or_else(|| any(at)).map(|(bound, end)| (bound, at, end)));
        let found = before.filter(|(_, _, end)| ends_near(*end)).map(|(bound, at, _)| (bound, at)).next();
        let behind = || any(fact.end);
        found.or_else(|| behind().map(|(bound, _)| (bound, fact.first)))
    }

    /// Whether only one of both can be meant. "Over" and "at most" part what there is, so that both may be true of different things.
    pub(crate) fn is_opposite(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Least, Self::Most)
                | (Self::Most, Self::Least)
                | (Self::Over, Self::Under)
                | (Self::Under, Self::Over)
        )
    }

    /// Whether a negation makes one of the other: not under 5 is at least 5.
    pub(crate) fn is_complement(self, other: Self) -> bool {
        let is_half = |one, other| matches!((one, other), (Self::Least, Self::Under) | (Self::Most, Self::Over));
        is_half(self, other) || is_half(other, self)
    }

    /// Whether the number itself is none of what is meant: those over it are others than those under it.
    pub(crate) fn is_strict(self) -> bool {
        matches!(self, Self::Over | Self::Under)
    }
}
