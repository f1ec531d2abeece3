//! The lines about verdicts for the report.

use std::collections::BTreeMap;

use super::{Claim, ReasonCode};
use crate::cite::CitedSource;
use crate::report::{PassagePlace, SupportLine, SupportReason};

/// The numbers that readers see, by the places of their sources, counted from 0.
pub type ShownNumbers = BTreeMap<usize, u32>;

/// The numbers of these sources.
#[must_use]
pub fn shown_numbers(cited: &[CitedSource]) -> ShownNumbers {
    cited.iter().flat_map(|cited| cited.sources.iter().map(|source| (source.0, cited.position.get()))).collect()
}

/// One line for each badge and each of its sources, in the order of the text. A source without a number has no line.
#[must_use]
pub fn support_lines(claims: &[Claim], numbers: &ShownNumbers) -> Vec<SupportLine> {
    claims.iter().flat_map(|claim| lines(claim, numbers)).collect()
}

fn lines<'a>(claim: &'a Claim, numbers: &'a ShownNumbers) -> impl Iterator<Item = SupportLine> {
    claim.positions.iter().zip(&claim.verdicts).filter_map(move |(source, verdict)| {
        let reasons =
            claim.reasons.iter().filter(|reason| reason.position == *source || is_elsewhere(claim, reason.code));
        let reasons = reasons.map(|reason| SupportReason { code: reason.code.code(), text: reason.text.clone() });
        let place = claim.quotes.iter().find(|quote| quote.position == *source);
        Some(SupportLine {
            position: *numbers.get(&source.checked_sub(1)?)?,
            at: claim.start,
            verdict: verdict.code(),
            reasons: reasons.collect(),
            place: place.map(|quote| PassagePlace { start: quote.start, end: quote.end }),
        })
    })
}

/// The reason *elsewhere* names the other source. With one source, it is clear which one lacks the words.
fn is_elsewhere(claim: &Claim, code: ReasonCode) -> bool {
    code == ReasonCode::Elsewhere && claim.positions.len() == 1
}
