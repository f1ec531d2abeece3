//! How far the number that a sentence rounds may be from its own.

use crate::fact::Amount;

/// How far a rounded number of at most twenty, said in words, may be from the number, as a part of it.
const SMALL: f64 = 0.15;

/// How far a number with zeros at its end may be, as a part of it.
const ROUND: f64 = 0.05;

/// The digits of a number that tell something: not the zeros at its end, if it is said to be rounded.
fn digits(amount: &Amount, value: f64) -> u8 {
    let digits = amount.significant.unwrap_or(1).clamp(1, 6);
    let mut zeros = 0;
    let mut rest = value.abs();
    while amount.is_about && rest >= 10.0 && rest % 10.0 == 0.0 && zeros + 1 < digits {
        rest /= 10.0;
        zeros += 1;
    }
    digits - zeros
}

/// How far another number may be from a value of this one.
pub(crate) fn within(amount: &Amount, value: f64) -> f64 {
    let digits = digits(amount, value);
    let magnitude = value.abs().max(1e-9).log10().floor();
    let within = 10_f64.powf(magnitude - f64::from(digits) + 1.0) * 0.5001;
    // "About ten" may be eleven, "more than ten" is not eight.
    let is_small_word = amount.significant.is_none() && value <= 20.0;
    let has_zeros = amount.significant.is_some_and(|written| digits < written.clamp(1, 6));
    if is_small_word {
        within.min(value.abs() * SMALL)
    } else if has_zeros {
        within.min(value.abs() * ROUND)
    } else {
        within
    }
}

/// Whether a number may be a rounded one.
pub(crate) fn may_be_rounded(amount: &Amount) -> bool {
    let digits = amount.significant.unwrap_or(1).clamp(1, 6);
    amount.is_about || amount.is_decimal && digits >= 2
}

/// How far a number that was reckoned may be from a value of this one: a hair, or what it was rounded by.
pub(crate) fn slack(amount: &Amount, value: f64) -> f64 {
    let hair = value.abs() * 1e-6;
    if may_be_rounded(amount) { within(amount, value).max(hair) } else { hair }
}
