//! The promises about verdicts, for any line that cites any passages. The fuzz target `support` demands the same.

use citewire_core::answer::{Answer, Source};
use citewire_core::claims::{Claims, Verdict, claims};
use proptest::prelude::*;

const PIECES: [&str; 48] = [
    "Leave",
    "is",
    "30",
    "days",
    "10 000",
    "not",
    "never",
    ". ",
    "! ",
    "? ",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "# ",
    "> ",
    "| ",
    "|\n|---|---|\n",
    "**",
    "*",
    "`",
    "```\n",
    "$",
    "<b>",
    "&amp;",
    "\\",
    "[1]",
    "[2]",
    "[9]",
    "[1, 2]",
    "[^1]",
    "[x](y)",
    "“",
    "”",
    "»",
    "\"",
    "…",
    "Anna",
    "IBM",
    "2026-03-31",
    "14:30",
    "€",
    "%",
    "休暇",
    "です。",
    "مدفوعة",
    "\u{200b}",
    "e\u{301}",
];

fn pieces(most: usize) -> impl Strategy<Value = String> {
    let blank = prop_oneof![4 => Just(" "), 1 => Just("")];
    proptest::collection::vec((proptest::sample::select(&PIECES[..]), blank), 0..most)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, blank)| [piece, blank]).collect())
}

fn check(judged: &Claims, sources: &[Source]) -> Result<(), TestCaseError> {
    for claim in &judged.claims {
        prop_assert!(judged.text.get(claim.start..claim.end).is_some(), "{claim:?} is no part of the text");
        prop_assert_eq!(claim.verdicts.len(), claim.positions.len());
        prop_assert_eq!(claim.verdicts.iter().min().copied().unwrap_or(Verdict::Unknown), claim.verdict);
        for reason in &claim.reasons {
            prop_assert!(judged.text.get(reason.start..reason.end).is_some(), "{reason:?}");
            prop_assert!((1..=sources.len()).contains(&reason.position), "{reason:?}");
        }
        for quote in &claim.quotes {
            let passage = sources[quote.position - 1].content.as_deref().unwrap_or_default();
            prop_assert_eq!(passage.get(quote.start..quote.end), Some(quote.text.as_str()));
        }
        for (position, verdict) in claim.positions.iter().zip(&claim.verdicts) {
            let passage = sources[position - 1].content.as_deref().unwrap_or_default();
            prop_assert!(!passage.trim().is_empty() || *verdict == Verdict::Unknown, "{claim:?} without a passage");
            let has_reason = claim.reasons.iter().any(|reason| reason.position == *position);
            prop_assert!(*verdict != Verdict::Conflict || has_reason, "{claim:?} without a reason");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_text_that_cites_any_passages_has_claims_that_keep_the_promises(
        text in pieces(40), passages in proptest::collection::vec((pieces(40), any::<bool>()), 0..4),
    ) {
        let source = |(passage, is_quoted)| Source { content: Some(passage), is_quoted, ..Source::default() };
        let sources: Vec<Source> = passages.into_iter().map(source).collect();
        let markers: String = (1..=sources.len()).map(|n| format!("[{n}]")).collect();
        let answer = Answer { text: format!("{text} {markers}"), sources, ..Answer::default() };
        check(&claims(&answer), &answer.sources)?;
    }
}
