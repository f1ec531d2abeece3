//! Checks required grounding, in the same way for activities and for every other output (policy P-13).

use super::{ConvertError, Grounding};
use crate::answer::{Answer, Source};
use crate::cite::{Rules, cite};

/// Checks that an answer is grounded as `wanted`, for outputs that are no activities.
///
/// # Errors
/// When it is not: [`ConvertError::GroundingNoTools`] or [`ConvertError::GroundingNoCitations`].
pub fn grounded(answer: &Answer, wanted: Grounding) -> Result<(), ConvertError> {
    let cites = || attests(answer, wanted) || !cite(answer, &Rules::numbered()).sources.is_empty();
    judge(answer, wanted, cites)
}

/// Whether the provider attests a source without a place, where that counts as grounding. What a format only gives as used does
/// not count: the model may have left it aside.
pub(super) fn attests(answer: &Answer, wanted: Grounding) -> bool {
    wanted == Grounding::Any && answer.attested.iter().any(|source| source.0 < answer.sources.len())
}

/// Checks grounding; `cites` tells whether the answer cites a source that counts.
pub(super) fn judge(answer: &Answer, wanted: Grounding, cites: impl FnOnce() -> bool) -> Result<(), ConvertError> {
    if wanted == Grounding::NotRequired {
        return Ok(());
    }
    // Where a format does not tell whether tools were used, a source counts as a used tool.
    // An answer about an earlier one rests on what that one cited; only extraction asks for a search of its own.
    let sources = if wanted == Grounding::Extracted { Source::own(&answer.sources) } else { &answer.sources };
    if !answer.tools_invoked.unwrap_or(!sources.is_empty()) {
        return Err(ConvertError::GroundingNoTools);
    }
    let is_grounded = if wanted == Grounding::Extracted { !sources.is_empty() } else { cites() };
    if !is_grounded {
        return Err(ConvertError::GroundingNoCitations);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::convert::{Conversion, convert};
    use crate::dialect::Dialect;
    use crate::ingest::ingest;

    /// The error about missing grounding, if any: of an output, and of an activity.
    fn missing(body: &Value, wanted: Grounding) -> [Option<String>; 2] {
        let body = body.to_string();
        let answer = ingest(body.as_bytes(), None).expect("an answer");
        let mut conversion = Conversion::to(Dialect::WebChat);
        conversion.options.require_grounding = wanted;
        let converted = convert(body.as_bytes(), &conversion).err();
        [grounded(&answer, wanted).err(), converted].map(|error| error.map(|error| error.to_string()))
    }

    #[test]
    fn outputs_and_activities_are_judged_alike() {
        let source = json!({"title": "A", "url": "https://x.example/"});
        let searched = json!({"type": "web_search_call", "action": {"type": "search"}});
        let response = |annotations: Value, call: &Value| {
            json!({"object": "response", "output": [call, {"type": "message", "content": [
                {"type": "output_text", "text": "a", "annotations": annotations}]}]})
        };
        let unanchored = json!([{"type": "url_citation", "url": "https://x.example/"}]);
        let (tools, citations) = (Some("no retrieval"), Some("cites no source"));
        // The router that REQUIRED comes from accepts extracted sources, whether a position in the text cites them or not.
        for (body, extracted, any, anchored) in [
            (json!({"text": "a"}), tools, tools, tools),
            (json!({"text": "a", "sources": [source]}), None, citations, citations),
            (json!({"text": "a [1]", "sources": [source]}), None, None, None),
            (response(json!([]), &json!({"type": "reasoning"})), tools, tools, tools),
            (response(json!([]), &searched), citations, citations, citations),
            (response(unanchored, &searched), None, None, citations),
        ] {
            for (wanted, reason) in [
                (Grounding::NotRequired, None),
                (Grounding::Extracted, extracted),
                (Grounding::Any, any),
                (Grounding::Anchored, anchored),
            ] {
                for missing in missing(&body, wanted) {
                    let fits = match (&missing, reason) {
                        (None, None) => true,
                        (Some(missing), Some(reason)) => missing.contains(reason),
                        (Some(_), None) | (None, Some(_)) => false,
                    };
                    assert!(fits, "{body} with {wanted:?}: {missing:?}");
                }
            }
        }
    }
}
