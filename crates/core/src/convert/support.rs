//! Judges the citations of an answer as its options ask for it (policy P-16).

use super::{Conversion, ConvertError};
use crate::answer::Answer;
use crate::claims::{Claims, Support, Verdict, claims, has_passages};

/// The claims of an answer with their verdicts. `None` where the options ask for none, or no source has a passage, so that nothing
/// can be said.
///
/// # Errors
/// [`ConvertError::SupportConflict`] as [`refuse_conflicts`] says.
pub fn supported(answer: &Answer, conversion: &Conversion) -> Result<Option<Claims>, ConvertError> {
    supported_by(answer, None, conversion)
}

/// The claims of an answer likewise, which may be known already.
pub(super) fn supported_by(
    answer: &Answer,
    known: Option<Claims>,
    conversion: &Conversion,
) -> Result<Option<Claims>, ConvertError> {
    if !has_passages(answer) {
        return Ok(None);
    }
    let known = known.filter(|_| conversion.options.require_support.is_judged());
    let judged = known.or_else(|| judged(answer, conversion));
    if let Some(judged) = &judged {
        refuse_conflicts(judged, conversion.options.require_support)?;
    }
    Ok(judged)
}

/// The claims of an answer with their verdicts; `None` where the options ask for none.
#[must_use]
pub fn judged(answer: &Answer, conversion: &Conversion) -> Option<Claims> {
    conversion.options.require_support.is_judged().then(|| timed_claims(answer, conversion))
}

/// The claims of an answer, whatever the options ask for. The stopwatch takes the time of those that they ask for.
pub(super) fn timed_claims(answer: &Answer, conversion: &Conversion) -> Claims {
    let mut judged = Claims::default();
    match &conversion.stopwatch {
        Some(stopwatch) if conversion.options.require_support.is_judged() => {
            stopwatch.support_check(&mut || judged = claims(answer));
        }
        Some(_) | None => judged = claims(answer),
    }
    judged
}

/// Refuses an answer that its sources contradict, where that is wanted. Only conflicts count: what its sources do not speak of may be
/// true.
///
/// # Errors
/// [`ConvertError::SupportConflict`] when a part of the answer conflicts with all the sources that it is cited for.
pub fn refuse_conflicts(claims: &Claims, wanted: Support) -> Result<(), ConvertError> {
    let parts = claims.claims.iter().filter(|claim| claim.verdict == Verdict::Conflict).count();
    if wanted == Support::Refuse && parts > 0 { Err(ConvertError::SupportConflict { parts }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Converted, Streaming, convert};
    use super::*;
    use crate::dialect::Dialect;

    fn leave() -> Value {
        json!({"text": "Leave is 30 days a year [1]. The canteen opens at noon [2].", "sources": [
            {"title": "Leave", "content": "Employees have 25 days of leave a year."},
            {"title": "Canteen", "content": "The canteen opens at noon and closes at three."}]})
    }

    fn to(options: Value) -> Conversion {
        let options = serde_json::from_value(options).expect("options");
        Conversion { options, ..Conversion::to(Dialect::WebChat) }
    }

    fn converted(body: &Value, options: Value) -> Result<Converted, ConvertError> {
        convert(body.to_string().as_bytes(), &to(options))
    }

    #[test]
    fn the_report_has_each_verdict_under_the_number_that_readers_see() {
        let mut body = leave();
        body["text"] = json!("The canteen opens at noon [2]. Leave is 30 days a year [1]. Ask Anna first.");
        let report = json!(converted(&body, json!({})).expect("an activity").report);
        let place = report["support"][0]["place"].clone();
        assert_eq!(
            report["support"],
            json!([
                {"position": 1, "at": 0, "verdict": "verbatim", "reasons": [], "place": place},
                {"position": 2, "at": 31, "verdict": "conflict",
                 "reasons": [{"code": "number-missing", "text": "30 days"}], "place": report["support"][1]["place"]},
            ])
        );
        assert_eq!((&place, &report["uncited_sentences"]), (&json!({"start": 0, "end": 25}), &json!(1)));
    }

    #[test]
    fn nothing_is_judged_without_passages_or_when_it_is_off() {
        let bare = json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave"}]});
        for (body, options) in [(bare, json!({})), (leave(), json!({"require_support": "off"}))] {
            let report = converted(&body, options).expect("an activity").report;
            assert_eq!((report.support.len(), report.uncited_sentences), (0, None));
        }
    }

    #[test]
    fn only_conflicts_refuse_an_answer() {
        let refused = converted(&leave(), json!({"require_support": "refuse"})).expect_err("a conflict");
        assert!(matches!(refused, ConvertError::SupportConflict { parts: 1 }) && refused.is_refusal());
        let mut other = leave();
        other["sources"][0]["content"] = json!(
            "The bicycles stand behind the second building near the gate of the yard, and they are not for guests."
        );
        other["text"] =
            json!("The employees of this company receive generous holidays in the summer and in the winter [1].");
        let judged = converted(&other, json!({"require_support": "refuse"})).expect("an activity").report;
        assert_eq!(judged.support[0].verdict, "unsupported");
    }

    #[test]
    fn with_refuse_a_stream_shows_nothing_before_its_end() {
        let mut streaming = Streaming::new(to(json!({"require_support": "refuse"})));
        let sources = json!({"sources": leave()["sources"]});
        streaming.push(format!("data: {sources}\n\n").as_bytes()).expect("sources");
        streaming.push(b"data: {\"delta\": \"Leave is 30 days a year [1]. \"}\n\n").expect("text");
        assert!(streaming.so_far().is_none());
        assert!(matches!(streaming.end(), Err(ConvertError::SupportConflict { .. })));
    }
}
