//! Says to readers, and to programs in their clients, what is found about citations.

use std::collections::BTreeMap;

use super::Options;
use crate::answer::{Source, SupportMark};
use crate::claims::{Claim, Claims, ShownNumbers, Verdict};
use crate::graph::{ClaimReview, Message};
use crate::text::{cut_at_word, one_line};

/// The words of an answer that one note repeats, and how long they may be together.
const MAX_WORDS_UTF16: usize = 40;

/// The longest part that a review repeats.
const MAX_REVIEWED_UTF16: usize = 300;

/// Marks the sources that do not hold what they are cited for. Encrypted ones stay as they are.
pub(super) fn mark(sources: &mut [Source], judged: &Claims, options: &Options) {
    for claim in &judged.claims {
        for (position, verdict) in claim.positions.iter().zip(&claim.verdicts) {
            let source = position.checked_sub(1).and_then(|place| sources.get_mut(place));
            let Some(source) = source.filter(|source| verdict.is_alarm() && !is_encrypted(source)) else { continue };
            // The first alarm is told; the report has all of them.
            source.mark.get_or_insert_with(|| SupportMark {
                words: words(claim, *position, options.support_note()),
                closest: claim
                    .quotes
                    .iter()
                    .find(|quote| quote.position == *position)
                    .map(|quote| quote.start..quote.end),
            });
        }
    }
}

fn is_encrypted(source: &Source) -> bool {
    source.label.as_ref().is_some_and(|label| label.encrypted)
}

/// The note, with the words of the answer that the source does not hold.
fn words(claim: &Claim, position: usize, note: &str) -> String {
    let reasons = claim.reasons.iter().filter(|reason| reason.position == position);
    match reasons.filter_map(|reason| reason.text.as_deref()).next() {
        Some(text) => format!("({note}: {})", cut_at_word(&one_line(text), MAX_WORDS_UTF16)),
        None => format!("({note})"),
    }
}

/// Adds to each claim the worst verdict about it. What cannot be decided is no verdict, and encrypted sources have none.
pub(super) fn review(message: &mut Message, sources: &[Source], judged: &Claims, numbers: &ShownNumbers) {
    let mut worst: BTreeMap<u32, (Verdict, &Claim)> = BTreeMap::new();
    for claim in &judged.claims {
        for (position, verdict) in claim.positions.iter().zip(&claim.verdicts) {
            let Some(place) = position.checked_sub(1) else { continue };
            let Some(number) = numbers.get(&place).filter(|_| *verdict != Verdict::Unknown) else { continue };
            if sources.get(place).is_none_or(is_encrypted) {
                continue;
            }
            let known = worst.entry(*number).or_insert((*verdict, claim));
            if known.0 < *verdict {
                *known = (*verdict, claim);
            }
        }
    }
    for cited in &mut message.citation {
        let Some((verdict, claim)) = worst.get(&cited.position.position().get()) else { continue };
        let part = judged.text.get(claim.start..claim.end).unwrap_or_default();
        let reviewed = cut_at_word(&one_line(part), MAX_REVIEWED_UTF16).into_owned();
        cited.review = Some(ClaimReview::new(reviewed, verdict.code(), rating(*verdict)));
    }
}

fn rating(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Verbatim => 5,
        Verdict::SupportedWords => 4,
        Verdict::Unknown => 3,
        Verdict::Unsupported => 2,
        Verdict::Conflict => 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Conversion, convert};
    use crate::dialect::Dialect;

    fn leave() -> Value {
        json!({"text": "Leave is 30 days a year [1]. The canteen opens at noon [2].", "sources": [
            {"title": "Leave policy", "url": "https://hr.example/leave", "content": "Employees have 25 days of leave a year."},
            {"title": "Canteen", "content": "The canteen opens at noon and closes at three."}]})
    }

    fn message(body: &Value, dialect: Dialect, options: Value) -> Value {
        let options = serde_json::from_value(options).expect("options");
        let conversion = Conversion { options, ..Conversion::to(dialect) };
        let converted = convert(body.to_string().as_bytes(), &conversion).expect("an activity");
        serde_json::to_value(converted.activities.last().expect("a message")).expect("JSON")
    }

    #[test]
    fn an_alarmed_claim_says_so_behind_its_title_and_first_in_its_abstract() {
        let marked = message(&leave(), Dialect::WebChat, json!({"require_support": "mark"}));
        let title = "Leave policy (not confirmed by this source: 30 days)";
        let claims = &marked["entities"][0]["citation"];
        assert_eq!(claims[0]["appearance"]["name"], title);
        assert_eq!(
            claims[0]["appearance"]["abstract"],
            "(not confirmed by this source: 30 days) Employees have 25 days of leave a year."
        );
        assert_eq!(claims[1]["appearance"]["name"], "Canteen");
        let text = marked["text"].as_str().expect("a text");
        assert!(text.starts_with("Leave is 30 days a year [1]. The canteen opens at noon [2]."), "{text}");
        let url = "https://hr.example/leave#:~:text=Employees%20have%2025%20days%20of%20leave%20a%20year";
        assert!(text.contains(&format!("[1]: {url} \"{title}\"")), "{text}");
        let own = json!({"require_support": "mark", "support_note": "steht so nicht in der Quelle"});
        let own = message(&leave(), Dialect::WebChat, own);
        let name = &own["entities"][0]["citation"][0]["appearance"]["name"];
        assert_eq!(name, "Leave policy (steht so nicht in der Quelle: 30 days)");
    }

    #[test]
    fn a_long_title_is_cut_before_its_note_and_a_long_passage_begins_with_the_closest_sentence() {
        let mut body = leave();
        body["sources"][0]["title"] = json!("A policy about leave ".repeat(10));
        let filler = "The yard is open to all who work here and to their guests. ".repeat(20);
        body["sources"][0]["content"] = json!(format!("{filler}Employees have 25 days of leave a year."));
        let marked = message(&body, Dialect::Teams, json!({"require_support": "mark"}));
        let appearance = &marked["entities"][0]["citation"][0]["appearance"];
        let name = appearance["name"].as_str().expect("a name");
        assert!(name.ends_with("(not confirmed by this source: 30 days)") && name.len() <= 90, "{name}");
        let summary = appearance["abstract"].as_str().expect("an abstract");
        assert!(summary.starts_with("(not confirmed by this source: 30 days) … Employees have 25 days"), "{summary}");
    }

    #[test]
    fn an_encrypted_source_is_neither_marked_nor_reviewed() {
        let mut body = leave();
        body["sources"][0]["label"] = json!({"name": "Secret", "encrypted": true});
        let plain = message(&body, Dialect::WebChat, json!({"withhold_encrypted": true}));
        let marked = json!({"require_support": "mark", "support_markup": true, "withhold_encrypted": true});
        let marked = message(&body, Dialect::WebChat, marked);
        assert_eq!(marked["entities"][0]["citation"][0], plain["entities"][0]["citation"][0]);
    }

    #[test]
    fn a_review_has_the_worst_verdict_about_its_claim_in_web_chat_alone() {
        let reviewed = message(&leave(), Dialect::WebChat, json!({"support_markup": true}));
        let claims = &reviewed["entities"][0]["citation"];
        assert_eq!(
            claims[0]["review"],
            json!({"@type": "ClaimReview", "claimReviewed": "Leave is 30 days a year", "reviewRating":
                {"@type": "Rating", "ratingValue": 1, "bestRating": 5, "alternateName": "conflict"}})
        );
        assert_eq!(claims[1]["review"]["reviewRating"]["ratingValue"], 5);
        let plain = message(&leave(), Dialect::Teams, json!({}));
        assert_eq!(message(&leave(), Dialect::Teams, json!({"support_markup": true})), plain);
    }
}
