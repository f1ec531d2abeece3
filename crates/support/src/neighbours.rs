//! Amounts that stand side by side: `2 hours and 15 minutes`, `from 5 to 10 kg`.

use crate::fact::{Fact, FactKind};
use crate::fold::hash_of;
use crate::token::Token;
use crate::words::{Unit, WORDS};

/// Words between two amounts of which the second one has the unit of both: `from 5 to 10 kg`, `2,3 x 1,3 m`.
const TO: [u64; 13] = [
    hash_of("to"),
    hash_of("bis"),
    hash_of("auf"),
    hash_of("x"),
    hash_of("×"),
    hash_of("a"),
    hash_of("al"),
    hash_of("ate"),
    hash_of("tot"),
    hash_of("do"),
    hash_of("az"),
    hash_of("till"),
    hash_of("til"),
];

/// Gives the first amount of a range the unit of the second one.
pub(crate) fn share_units(facts: &mut [Fact], tokens: &[Token]) {
    for at in (1..facts.len()).rev() {
        let (before, behind) = facts.split_at_mut(at);
        let (Some(Fact { kind: FactKind::Amount(first), end, .. }), Some(last)) = (before.last_mut(), behind.first())
        else {
            continue;
        };
        let FactKind::Amount(second) = last.kind else { continue };
        let Some([between]) = tokens.get(*end..last.first) else { continue };
        let is_to = TO.contains(&between.full)
            || matches!(between.first, '-' | '–' | '—' | '×' | '~' | '〜' | '～') && between.is_mark();
        // The sign of a currency stands before its own number, and a year is none.
        let has_unit_behind =
            second.unit.is_some() && tokens[last.first].numeral().is_some() && last.end > last.first + 1;
        let is_bare = first.unit.is_none() && first.significant.is_some() && !first.is_year() && first.joined.is_none();
        if is_to && has_unit_behind && is_bare && second.values[0] < first.values[0] * 1e3 {
            first.unit = second.unit;
            first.other_unit = second.other_unit;
        }
    }
}

/// Tells amounts that are one together what they are as a whole.
pub(crate) fn add_totals(facts: &mut [Fact], tokens: &[Token]) {
    for at in 1..facts.len() {
        let Some((total, _)) = total(&facts[at - 1], &facts[at], tokens) else { continue };
        for fact in &mut facts[at - 1..=at] {
            if let FactKind::Amount(amount) = &mut fact.kind {
                amount.whole = Some(total);
            }
        }
    }
}

/// The whole of two amounts of one dimension that stand side by side, the greater unit first, in the base unit.
pub(crate) fn total(one: &Fact, next: &Fact, tokens: &[Token]) -> Option<(f64, Unit)> {
    let (FactKind::Amount(great), FactKind::Amount(small)) = (one.kind, next.kind) else { return None };
    let (unit, part) = (great.unit?, small.unit?);
    let between = tokens.get(one.end..next.first)?;
    let is_near = between.len() <= 1 && between.iter().all(|token| token.meaning.is_some_and(|meaning| meaning.joins));
    let is_whole = unit.dimension == part.dimension && unit.factor > part.factor && !WORDS.is_money(unit);
    (is_near && is_whole).then(|| (great.in_base()[0] + small.in_base()[0], unit))
}
