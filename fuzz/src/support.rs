//! The promises about verdicts, and about the addresses of sentences.

use citewire_core::answer::{Answer, Source};
use citewire_core::claims::{Claim, Verdict, claims, sentence_links};

/// Cites the passages of a text, which come behind its first line and are parted by lines of `---`, for its first line; panics when a
/// verdict or an address breaks a promise.
pub fn check_support(text: &str) {
    let (cited, passages) = text.split_once('\n').unwrap_or((text, ""));
    let source = |(at, passage): (usize, &str)| Source {
        url: format!("https://x.example/{at}").parse().ok(),
        content: Some(passage.to_owned()),
        ..Source::default()
    };
    let sources: Vec<Source> = passages.split("\n---\n").take(8).enumerate().map(source).collect();
    let markers: String = (1..=sources.len()).map(|n| format!("[{n}]")).collect();
    let answer = Answer { text: format!("{cited} {markers}"), sources, ..Answer::default() };
    let judged = claims(&answer);
    for claim in &judged.claims {
        check_claim(claim, &judged.text, &answer.sources);
    }
    for link in sentence_links(&answer, Some(&judged.claims), None).into_values() {
        link.directives.iter().for_each(|directive| check_directive(directive));
    }
}

/// A directive holds a sentence in one or two readings, each of which a browser can take for nothing else.
fn check_directive(directive: &str) {
    let readings: Vec<&str> = directive.split("&text=").collect();
    assert!(readings.len() <= 2, "{directive}");
    for reading in readings {
        assert!(reading.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._%,".contains(&byte)), "{directive}");
        assert!(!reading.is_empty() && reading.matches(',').count() <= 1, "{directive}");
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
