//! The report of a conversion, for people.

use crate::report::{At, Entry, Report, ScoreLine, SupportLine, SupportReason};
use crate::text::in_terminal;

/// Entries of one code that follow each other and are shown one by one.
const SHOWN: usize = 10;

/// A line for each entry, with the name of its list. Of more than ten entries with one code, a line counts the rest.
pub(super) fn describe(report: &Report) -> String {
    let mut lines = Vec::new();
    if !report.complete {
        lines.push("incomplete: the provider did not mark the answer as complete".to_owned());
    }
    if let Some(error) = &report.error {
        lines.push(format!("provider error: {error}"));
    }
    for (list, entries) in report.lists() {
        let line = |entry: &Entry| format!("{list}: {} ({}, {})", entry.message, entry.code, place(entry));
        for of_code in entries.chunk_by(|one, next| one.code == next.code) {
            let shown = if list == "cited" { of_code.len() } else { SHOWN };
            lines.extend(of_code.iter().take(shown).map(line));
            let rest = of_code.get(shown..).unwrap_or_default();
            if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
                lines.push(format!(
                    "{list}: {} more ({}, {} to {})",
                    rest.len(),
                    first.code,
                    place(first),
                    place(last)
                ));
            }
        }
    }
    for ScoreLine { at, score, rerank_score, search_score } in &report.scores {
        let told = |score: &Option<f64>| score.map_or("none".to_owned(), |score| score.to_string());
        let (score, rerank, search) = (told(score), told(rerank_score), told(search_score));
        lines.push(format!("score: {score}, from ranker score {rerank} and search score {search} ({at})"));
    }
    lines.extend(report.support.iter().map(support));
    if lines.is_empty() {
        lines.push("nothing cited, nothing changed: the answer has no sources".to_owned());
    }
    let counts = report.sources.by_outcome();
    if counts.iter().any(|(_, count)| *count > 0) {
        let counts: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        lines.push(format!("sources: {}", counts.join(", ")));
    }
    lines.iter().map(|line| format!("{}\n", in_terminal(line))).collect()
}

/// A verdict about a citation, with its reasons.
fn support(line: &SupportLine) -> String {
    let SupportLine { position, verdict, reasons, .. } = line;
    let reason = |SupportReason { code, text }: &SupportReason| match text {
        Some(text) => format!("{code} {text:?}"),
        None => (*code).to_owned(),
    };
    let reasons: Vec<String> = reasons.iter().map(reason).collect();
    let because = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    format!("support: [{position}] {verdict}{because}")
}

fn place(entry: &Entry) -> String {
    match &entry.at {
        At::Offset(offset) => format!("byte {offset}"),
        At::Pointer(pointer) if pointer.is_empty() => "the whole input".to_owned(),
        At::Pointer(pointer) => pointer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Kind;

    #[test]
    fn a_report_is_one_line_an_entry() {
        let mut report = Report { complete: true, ..Report::default() };
        assert_eq!(describe(&report), "nothing cited, nothing changed: the answer has no sources\n");
        report.extend([
            Entry { kind: Kind::Cited, code: "cited", at: At::Offset(17), message: "1: Leave policy".to_owned() },
            Entry { kind: Kind::Note, code: "odd", at: At::Pointer("/a".to_owned()), message: "odd".to_owned() },
        ]);
        assert_eq!(describe(&report), "cited: 1: Leave policy (cited, byte 17)\nnotes: odd (odd, /a)\n");
    }

    #[test]
    fn many_entries_of_one_kind_are_counted_and_the_sources_summed_up() {
        let mut report = Report { complete: true, ..Report::default() };
        report.extend((0..12).map(|n| Entry::not_cited(format!("/sources/{n}"), None)));
        report.sources.uncited = 12;
        let told = describe(&report);
        assert_eq!(told.lines().count(), 12, "{told}");
        assert!(told.contains("uncited: 2 more (not-cited, /sources/10 to /sources/11)\n"), "{told}");
        assert!(told.ends_with("sources: 0 cited, 0 listed, 0 merged, 12 uncited, 0 unread\n"), "{told}");
    }

    /// A marker of the answer wrote escape sequences to the terminal.
    #[test]
    fn what_could_steer_a_terminal_is_shown_instead_of_sent() {
        let mut report = Report { complete: true, ..Report::default() };
        let message = "[\u{1b}[2J\r\n\u{9b}\u{202e}] names no source".to_owned();
        report.extend([Entry { kind: Kind::Unresolved, code: "marker", at: At::Offset(0), message }]);
        let expected = "unresolved: [\\u{1b}[2J\\r\\n\\u{9b}\\u{202e}] names no source (marker, byte 0)\n";
        assert_eq!(describe(&report), expected);
    }
}
