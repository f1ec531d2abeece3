//! Order in time: `after breakfast` contradicts `before breakfast`.

use std::sync::LazyLock;

use crate::phrases::Phrases;
use crate::token::Token;
use crate::words::Languages;

/// On which side of a time something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Before,
    After,
}

static ORDERS: LazyLock<Phrases<Order>> = LazyLock::new(|| {
    Phrases::named(include_str!("tables/orders.txt"), &[("before", Order::Before), ("after", Order::After)])
});

/// The orders of a text that are looked at.
const MOST: usize = 64;

/// The tokens without weight between an order and what it is told from: `after the 15th of May`.
const MOST_BETWEEN: usize = 2;

/// An order, what it is told from, and its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) order: Order,
    anchor: [u64; 2],
    pub(crate) tokens: std::ops::Range<usize>,
}

/// The orders that a text tells.
pub(crate) fn orders(tokens: &[Token], languages: Languages) -> Vec<Placed> {
    let found =
        (0..tokens.len()).filter_map(|at| in_words(tokens, at, languages).or_else(|| in_characters(tokens, at)));
    found.take(MOST).collect()
}

fn in_words(tokens: &[Token], at: usize, languages: Languages) -> Option<Placed> {
    let (order, end) = ORDERS.at(tokens, at, languages)?;
    let says = |at: &usize| tokens.get(*at).is_some_and(|token| token.weight() > 0.0);
    let goes_on = |at: usize| tokens.get(at).is_some_and(|token| token.is_word() || token.numeral().is_some());
    let place = (end..=end + MOST_BETWEEN).take_while(|at| goes_on(*at)).find(says)?;
    // A number needs the word behind it: "before 15 May", "before 5 pm".
    let next = tokens.get(place + 1).filter(|_| tokens[place].numeral().is_some());
    Some(Placed { order, anchor: [tokens[place].stem, next.map_or(0, |next| next.stem)], tokens: at..place + 1 })
}

/// `饭前`, `出発後`: the word stands before.
fn in_characters(tokens: &[Token], at: usize) -> Option<Placed> {
    let ideograph = |at: usize| tokens.get(at).filter(|token| token.is_ideograph()).map(|token| token.first);
    let order = match ideograph(at)? {
        '前' => Order::Before,
        '後' | '后' => Order::After,
        _ => return None,
    };
    let last = at.checked_sub(1)?;
    let last = if matches!(ideograph(last)?, '以' | '之') { last.checked_sub(1)? } else { last };
    let one =
        ideograph(last).filter(|character| !matches!(character, '午' | '年' | '月' | '日' | '今' | '最' | '目'))?;
    let first = last.checked_sub(1).and_then(ideograph).map_or(0, u64::from);
    Some(Placed { order, anchor: [u64::from(one), first], tokens: last..at + 1 })
}

/// Whether the words around tell another order from the same thing, and nowhere this one.
pub(crate) fn contradicts(own: &Placed, others: &[Placed]) -> bool {
    let mut same = others.iter().filter(|other| other.anchor == own.anchor).peekable();
    same.peek().is_some() && same.all(|other| other.order != own.order)
}
