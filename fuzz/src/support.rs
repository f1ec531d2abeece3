//! The promises about verdicts.

use citewire_core::answer::{Answer, Source};
use citewire_core::claims::{Claim, Verdict, claims};

/// Cites the passages of a text, which come behind its first line and are parted by lines of `---`, for its first line; panics when a
/// verdict breaks a promise.
pub fn check_support(text: &str) {
    let (cited, passages) = text.split_once('\n').unwrap_or((text, ""));
    let source = |passage: &str| Source { content: Some(passage.to_owned()), ..Source::default() };
    let sources: Vec<Source> = passages.split("\n---\n").take(8).map(source).collect();
    let markers: String = (1..=sources.len()).map(|n| format!("[{n}]")).collect();
    let answer = Answer { text: format!("{cited} {markers}"), sources, ..Answer::default() };
    let judged = claims(&answer);
    for claim in &judged.claims {
        check_claim(claim, &judged.text, &answer.sources);
    }
}

fn check_claim(claim: &Claim, text: &str, sources: &[Source]) {
    assert!(text.get(claim.start..claim.end).is_some(), "{claim:?} is no part of the text");
    assert_eq!(claim.verdicts.len(), claim.positions.len());
    assert_eq!(claim.verdicts.iter().min().copied().unwrap_or(Verdict::Unknown), claim.verdict);
    for reason in &claim.reasons {
        assert!(text.get(reason.start..reason.end).is_some(), "{reason:?}");
        assert!((1..=sources.len()).contains(&reason.position), "{reason:?}");
    }
    for quote in &claim.quotes {
        let passage = sources[quote.position - 1].content.as_deref().unwrap_or_default();
        assert_eq!(passage.get(quote.start..quote.end), Some(quote.text.as_str()));
    }
    for (position, verdict) in claim.positions.iter().zip(&claim.verdicts) {
        let passage = sources[position - 1].content.as_deref().unwrap_or_default();
        assert!(!passage.trim().is_empty() || *verdict == Verdict::Unknown, "{claim:?} without a passage");
        let has_reason = claim.reasons.iter().any(|reason| reason.position == *position);
        assert!(*verdict != Verdict::Conflict || has_reason, "{claim:?} without a reason");
    }
}
