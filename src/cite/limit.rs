//! The most claims that a channel takes: who comes later is left out, with all markers.

use std::collections::BTreeMap;

use super::Rules;
use super::mark::{Change, Mark};
use super::number::Numberer;
use crate::answer::{Answer, SourceIndex};
use crate::report::{Entry, Kind};

/// The marks without those of documents past the limit, by first appearance. A marker that names nothing else vanishes.
pub(super) fn to_max_claims(marks: Vec<Mark>, answer: &Answer, rules: &Rules, entries: &mut Vec<Entry>) -> Vec<Mark> {
    let Some(max) = rules.max_claims else { return marks };
    let mut numberer = Numberer::new(&answer.sources, rules);
    let mut left_out: BTreeMap<usize, SourceIndex> = BTreeMap::new();
    let mut kept = Vec::with_capacity(marks.len());
    for Mark { range, mut change } in marks {
        if let Change::Cite(sources) | Change::CiteBehindBlock(sources) = &mut change {
            sources.retain(|source| {
                let rank = numberer.rank(*source);
                if rank >= max {
                    left_out.entry(rank).or_insert(*source);
                }
                rank < max
            });
            if sources.is_empty() {
                if range.is_empty() {
                    continue;
                }
                change = Change::Vanish;
            }
        }
        kept.push(Mark { range, change });
    }
    if left_out.is_empty() {
        return kept;
    }
    for source in left_out.values() {
        let message =
            format!("cited, but only the first {max} cited documents can be shown; its markers were taken out");
        entries.push(Entry::in_input(Kind::Dropped, "claims-limit", answer.sources[source.0].pointer.clone(), message));
    }
    let message = format!("{} cited documents were left out beyond the first {max}", left_out.len());
    entries.push(Entry::in_input(Kind::Note, "claims-left-out", "/sources", message));
    kept
}

#[cfg(test)]
mod tests {
    use super::super::{CitedText, Numbering, cite};
    use super::*;
    use crate::answer::{Citation, Source};
    use crate::text::Span;

    /// Three documents, of which two may be shown.
    fn cited(text: &str, at: Option<usize>, numbering: Numbering) -> CitedText {
        let sources =
            ["a", "b", "c"].map(|name| Source { url: format!("https://x/{name}").parse().ok(), ..Source::default() });
        let mut answer = Answer { text: text.into(), sources: sources.into(), ..Answer::default() };
        if let Some(end) = at {
            answer.citations = vec![Citation::new(Span::new(text, 0..end).expect("a span"), vec![SourceIndex(2)])];
        }
        let rules = Rules { max_claims: Some(2), numbering, ..Rules::teams() };
        cite(&answer, &rules)
    }

    #[test]
    fn the_first_documents_keep_their_markers_and_later_ones_vanish() {
        let cited = cited("x [2] y [3, 1]. z [1] [2]", None, Numbering::Dense);
        assert_eq!(cited.text, "x [1] y [2]. z [1]");
        assert_eq!(cited.sources.len(), 2);
        let codes: Vec<_> = cited.entries.iter().map(|entry| (entry.kind, entry.code)).collect();
        assert!(codes.contains(&(Kind::Dropped, "claims-limit")) && codes.contains(&(Kind::Note, "claims-left-out")));
    }

    #[test]
    fn the_providers_numbers_are_kept_by_first_appearance_too() {
        assert_eq!(cited("x [3] y [2] z [1].", None, Numbering::Provider).text, "x [3] y [2] z.");
    }

    #[test]
    fn a_span_past_the_limit_leaves_no_trace() {
        assert_eq!(cited("One. [1] [2]", Some(4), Numbering::Dense).text, "One.[1] [2]");
        assert_eq!(cited("[1] [2] Two. More.", Some(12), Numbering::Dense).text, "[1] [2] Two. More.");
    }

    #[test]
    fn without_a_limit_all_stay() {
        let answer = Answer { text: "x [1]".into(), sources: vec![Source::default()], ..Answer::default() };
        assert_eq!(cite(&answer, &Rules { max_claims: None, ..Rules::teams() }).sources.len(), 1);
    }
}
