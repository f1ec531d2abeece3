//! French numbers below a hundred in words: `dix-huit`, `soixante et onze`, `quatre-vingt-dix-sept`.

use crate::fold::hash_of;
use crate::token::Token;
use crate::words::Languages;

const ET: u64 = hash_of("et");

/// The number that begins with a word for `first`, and the place behind it.
pub(crate) fn french_number(tokens: &[Token], at: usize, first: f64, languages: Languages) -> (f64, usize) {
    let (mut value, mut end) = (first, at + 1);
    while let Some(joint) = tokens.get(end) {
        let is_hyphen = joint.is('-') || joint.is('\u{2010}') || joint.is('\u{2011}');
        let is_and = joint.full == ET;
        if !is_hyphen && !is_and {
            break;
        }
        let Some(next) = tokens.get(end + 1).and_then(|token| below_twenty_one(token, languages)) else { break };
        let Some(more) = sum(value, next, is_and) else { break };
        (value, end) = (more, end + 2);
    }
    (value, end)
}

fn below_twenty_one(token: &Token, languages: Languages) -> Option<f64> {
    let one = || token.meaning.is_some_and(|meaning| meaning.is_one).then_some(1.0);
    token.spoken(languages).or_else(one).filter(|value| (1.0..=20.0).contains(value))
}

/// What a part of a number and the next one make together.
fn sum(value: f64, next: f64, is_and: bool) -> Option<f64> {
    let is = |values: &[f64]| values.contains(&value);
    let joins = match next {
        1.0 | 11.0 if is_and => is(&[20.0, 30.0, 40.0, 50.0, 60.0]),
        _ if is_and => false,
        20.0 => return is(&[4.0]).then_some(80.0),
        7.0..10.0 if is(&[10.0, 70.0, 90.0]) => true,
        1.0..10.0 => is(&[20.0, 30.0, 40.0, 50.0, 60.0, 80.0]),
        _ => next < 20.0 && is(&[60.0, 80.0]),
    };
    joins.then_some(value + next)
}
