//! The halves of the day that an hour is told with: `pm`, `p.m.`, `in the evening`.

use std::sync::LazyLock;

use crate::phrases::Phrases;
use crate::token::Token;
use crate::words::Languages;

/// A half of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    BeforeNoon,
    AfterNoon,
}

static NAMES: LazyLock<Phrases<Half>> = LazyLock::new(|| {
    Phrases::named(include_str!("tables/halves_of_the_day.txt"), &[("am", Half::BeforeNoon), ("pm", Half::AfterNoon)])
});

/// The half of the day that these tokens begin by naming, and how many of them name it. An apostrophe may stand before it.
pub(crate) fn half_of_day(tokens: &[Token], languages: Languages) -> Option<(Half, usize)> {
    let at = usize::from(tokens.first().is_some_and(|token| token.is('\'') || token.is('\u{2019}')));
    NAMES.at(tokens, at, languages)
}
