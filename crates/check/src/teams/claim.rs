//! Checks claims: those that Teams refuses, and their order.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::claim_members;
use super::super::code;
use super::super::findings::Findings;
use super::super::place::Place;
use super::super::pointer::Pointer;
use super::appearance;
use super::label::MessageLabel;

/// The maximum number of claims in one message.
const MAX_CLAIMS: usize = 20;

/// The highest position; Teams refuses more digits.
const MAX_POSITION: u64 = 999_999_999;

/// A claim with its parsed position.
#[derive(Debug)]
pub(super) struct Claim<'v> {
    pub(super) place: Place<'v>,
    /// The number; `None` if the position is not one.
    pub(super) position: Option<u64>,
}

/// Checks the claims of one message.
pub(super) fn check<'v>(
    citation: &Place<'v>,
    places: Vec<Place<'v>>,
    label: &MessageLabel<'_>,
    findings: &mut Findings,
) -> Vec<Claim<'v>> {
    if places.len() > MAX_CLAIMS {
        findings.add(
            code::TEAMS_CLAIMS_TOO_MANY,
            &citation.at,
            format!(
                "{} claims: above {MAX_CLAIMS} Teams refuses the whole message with 400, and users see nothing. Keep those \
                 that are cited first.",
                places.len()
            ),
        );
    }
    let mut claims = Vec::new();
    for place in places {
        if place.member("@type").is_none_or(|kind| kind.value != "Claim") {
            findings.add(
                code::TEAMS_CLAIM_TYPE_WRONG,
                &place.at,
                "Teams cannot parse this citation and refuses the message. Write an object with \"@type\": \"Claim\".",
            );
            if place.object().is_none() {
                continue;
            }
        }
        claim_members::check(&place, place.member("appearance").as_ref(), &claim_members::TEAMS, findings);
        appearance::check(&place, label, findings);
        let position = position(&place, findings);
        claims.push(Claim { place, position });
    }
    check_order(&claims, findings);
    claims
}

fn position(place: &Place<'_>, findings: &mut Findings) -> Option<u64> {
    let written = place.member("position");
    let number = written.as_ref().and_then(|written| match written.value {
        Value::Number(number) => whole(number.as_f64()?),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    let at = written.as_ref().map_or_else(|| place.at.clone(), |written| written.at.clone());
    let Some(number) = number.filter(|number| (1..=MAX_POSITION).contains(number)) else {
        findings.add(
            code::TEAMS_POSITION_INVALID,
            &at,
            if written.is_some_and(|written| written.value == 0) {
                "Teams refuses a claim with the position 0: positions and their markers count from 1. Write 1, and [1] in the text."
            } else {
                "Teams refuses a claim whose `position` is no whole number from 1 with at most nine digits. Write the number of \
                 its marker, such as 1 for [1]."
            },
        );
        return None;
    };
    if written.is_some_and(|written| written.value.is_string()) {
        findings.add(
            code::TEAMS_POSITION_TEXT,
            &at,
            "Positions as strings have been seen to give a list in the wrong order. Write a number, without quotes.",
        );
    }
    Some(number)
}

/// The number as an integer; `None` if it has a fraction.
fn whole(number: f64) -> Option<u64> {
    let printed = format!("{number:.0}");
    (number.fract() == 0.0).then(|| printed.parse().ok()).flatten()
}

fn check_order(claims: &[Claim<'_>], findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    let mut highest = 0;
    for claim in claims {
        let Some(position) = claim.position else { continue };
        let at: Pointer = claim.place.at.key("position");
        if !seen.insert(position) {
            findings.add(
                code::TEAMS_POSITION_REPEATED,
                &at,
                format!(
                    "Another claim has position {position}: users are led to one of the two, and streamed messages have \
                     been refused. One document is one claim, however often it is cited."
                ),
            );
        } else if position < highest {
            findings.add(
                code::TEAMS_POSITIONS_OUT_OF_ORDER,
                &at,
                "Claims out of order have been seen to give a wrong list. Sort them by position.",
            );
        }
        highest = highest.max(position);
    }
}
