//! Finds reference definitions: effective ones, repetitions of a label, and lines that were meant as definitions.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::Parser;

use super::link_label::{is_number, normal_label};

/// The longest address that is looked at behind other text, in characters.
const MAX_ADDRESS: usize = 2_000;

/// The most signs of lists and quotes before an entry, in characters.
const MAX_INDENTATION: usize = 40;

/// A definition `[label]: url "title"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// The normalized label, see [`normal_label`].
    pub(super) label: String,
    /// The label as written.
    pub(super) written: String,
    /// The address, with entities and escapes decoded.
    pub(super) url: String,
    pub(super) title: Option<String>,
    /// The byte range in the text.
    pub(super) span: Range<usize>,
    /// True if the definition stands in a list or quote. Links to it work, but Web Chat does not list it.
    pub(super) nested: bool,
    /// True if an earlier definition has the same label: Markdown ignores this definition.
    pub(super) loser: bool,
}

/// A line of a paragraph that was meant as a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// The normalized label.
    pub(super) label: String,
    /// The byte offset in the text.
    pub(super) start: usize,
    /// True if text of a paragraph precedes the definition, so that Markdown reads it as text.
    pub(super) continued: bool,
    /// True if that text stands on the same line.
    pub(super) behind: bool,
}

/// The effective definitions, in the order of the text.
pub(super) fn known(parser: &Parser<'_>) -> Vec<Definition> {
    let mut definitions: Vec<_> = parser
        .reference_definitions()
        .iter()
        .map(|(written, definition)| Definition {
            label: normal_label(written),
            written: written.to_owned(),
            url: definition.dest.to_string(),
            title: definition.title.as_ref().map(ToString::to_string),
            span: definition.span.clone(),
            nested: false,
            loser: false,
        })
        .collect();
    definitions.sort_by_key(|definition| definition.span.start);
    definitions
}

/// Adds the definitions that the parser dropped because their label was taken.
///
/// `blocks` are the byte ranges of the top-level blocks, in order. The text between blocks is blank or holds definitions.
pub(super) fn add_losers(text: &str, definitions: &mut Vec<Definition>, blocks: &[Range<usize>]) {
    let spans = definitions.iter().filter(|definition| !definition.nested).map(|definition| definition.span.clone());
    let mut taken: Vec<_> = blocks.iter().cloned().chain(spans).collect();
    taken.sort_by_key(|range| range.start);
    taken.push(text.len()..text.len());
    let mut losers = Vec::new();
    let mut end = 0;
    for range in taken {
        if range.start > end
            && let Some(gap) = text.get(end..range.start)
        {
            read_gap(gap, end, &mut losers);
        }
        end = end.max(range.end);
    }
    // The parser keeps one definition per label, so each of these was dropped in favor of an earlier one.
    let labels: BTreeSet<_> = definitions.iter().map(|definition| definition.label.clone()).collect();
    definitions.extend(losers.into_iter().filter(|loser| labels.contains(&loser.label)));
    definitions.sort_by_key(|definition| definition.span.start);
}

/// Reads a stretch of text that holds only dropped definitions.
fn read_gap(gap: &str, offset: usize, losers: &mut Vec<Definition>) {
    if gap.trim().is_empty() {
        return;
    }
    let mut starts: Vec<usize> = Vec::new();
    let mut line_start = 0;
    for line in gap.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            starts.push(line_start);
        }
        line_start += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([gap.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let parser = Parser::new(&gap[start..end]);
        for mut definition in known(&parser) {
            definition.span = definition.span.start + offset + start..definition.span.end + offset + start;
            definition.loser = true;
            losers.push(definition);
        }
    }
}

/// The paragraph line at `start` if it was meant as a definition: `[1]: …`, or any label before a URL.
pub(super) fn attempt(text: &str, start: usize, continued: bool) -> Option<Attempt> {
    let line = text.get(start..)?.lines().next()?.trim_start();
    let (label, rest) = line.strip_prefix('[')?.split_once("]:")?;
    if label.contains(['[', ']']) || label.trim().is_empty() {
        return None;
    }
    let target = rest.trim_start();
    let label = normal_label(label);
    let is_address = target.contains("://") || target.starts_with("cite:");
    (is_address || is_number(&label)).then_some(Attempt { label, start, continued, behind: false })
}

/// The number in brackets at `start` if it was meant as a definition though other text stands before it on the line:
/// `… days.[1]: https://a.example/ "A"`.
pub(super) fn attempt_behind(text: &str, label: &str, start: usize, close: usize) -> Option<Attempt> {
    // Only the beginning is looked at, so that a line of many markers is read in linear time.
    let head = text.get(close + 1..)?.strip_prefix(':')?.trim_start_matches([' ', '\t']);
    let is_address = ["https://", "http://", "cite:"].iter().any(|scheme| head.starts_with(scheme));
    let address = head.char_indices().take(MAX_ADDRESS).find(|(_, c)| c.is_whitespace());
    let behind = address.map_or("", |(end, _)| head[end..].trim_start_matches([' ', '\t']));
    // Words behind the address make a sentence of it.
    let ends = behind.is_empty() || behind.starts_with(['\n', '\r', '"', '\'', '(', '[']);
    // "See [1]: https://…" has the address in its place: no sentence ends before it, and no marker leads to it.
    let ends_sentence = || text[..start].trim_end().ends_with(['.', '!', '?', ']', '。']);
    let is_cited = || text.matches(&format!("[{label}]")).nth(1).is_some();
    let stands_apart = || ends_sentence() || is_cited();
    let is_meant = is_number(label) && is_address && ends && !begins_line(text, start) && stands_apart();
    is_meant.then(|| Attempt { label: label.to_owned(), start, continued: true, behind: true })
}

/// Whether the bracket at `start` begins an entry of a list of sources that Markdown does not read as definitions:
/// `[1] https://a.example/`.
pub(super) fn lists_source(text: &str, start: usize, close: usize) -> bool {
    let entry = || text.get(close + 1..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let has_address = |entry: &str| {
        !entry.starts_with([':', '[', '(']) && ["https://", "http://"].iter().any(|scheme| entry.contains(scheme))
    };
    begins_line(text, start) && has_address(entry())
}

/// Whether the bracket at `start` follows a word at once, as in `array[0]`.
pub(super) fn follows_word(text: &str, start: usize) -> bool {
    text[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ']' | ')'))
}

/// Whether nothing but the signs of a list or a quote stands before `start` on its line.
pub(super) fn begins_line(text: &str, start: usize) -> bool {
    let before = text[..start].chars().rev().take(MAX_INDENTATION).take_while(|c| !matches!(c, '\n' | '\r'));
    let is_sign = |c: char| c.is_whitespace() || c.is_ascii_digit() || ">-*+.)".contains(c);
    let mut length = 0;
    before.inspect(|_| length += 1).all(is_sign) && length < MAX_INDENTATION
}

#[cfg(test)]
mod tests {
    use super::super::markdown::Markdown;
    use super::*;

    fn labels(text: &str) -> Vec<(String, bool, bool)> {
        let markdown = Markdown::read(text);
        markdown.definitions.iter().map(|found| (found.label.clone(), found.nested, found.loser)).collect()
    }

    #[test]
    fn definitions_that_lose_are_found_with_their_own_url() {
        let text = "[1]: https://evil.example/\n\nText[1].\n\n[1]: https://a.example/ \"A\"\n[2]: https://b.example/\n";
        let markdown = Markdown::read(text);
        let urls: Vec<_> = markdown.definitions.iter().map(|found| (found.url.as_str(), found.loser)).collect();
        assert_eq!(
            urls,
            [("https://evil.example/", false), ("https://a.example/", true), ("https://b.example/", false)]
        );
        assert_eq!(&text[markdown.definitions[1].span.clone()], "[1]: https://a.example/ \"A\"");
    }

    #[test]
    fn definitions_in_quotes_and_lists_are_nested() {
        assert_eq!(
            labels("> [1]: https://a.example/\n\n[2]: https://b.example/\n"),
            [("1".into(), true, false), ("2".into(), false, false)]
        );
        assert_eq!(labels("- a\n\n  [1]: https://a.example/\n"), [("1".into(), true, false)]);
    }

    #[test]
    fn definitions_behind_a_list_are_not_nested() {
        let text = "a [1]\n\n- b [2]\n\n[1]: https://a.example/\n[2]: https://b.example/\n";
        assert_eq!(labels(text), [("1".into(), false, false), ("2".into(), false, false)]);
    }

    /// The parser's range of a container may reach over the definitions behind it, whatever the container is.
    #[test]
    fn only_the_indentation_of_a_container_holds_definitions() {
        let containers = [
            "- a\n- b",
            "* a\n\n* b",
            "1. a\n2. b",
            "10) a",
            "- a\n  - b\n    - c",
            "- a\n\n  b",
            "> a",
            "> - a\n> - b",
            "- > a",
            "- ```\n  code\n  ```",
            "- | a |\n  | - |\n  | b |",
            "| a |\n| - |\n| b |",
            "- [ ] a",
            "[^1]: A note.",
            "<div>a</div>",
            "# a",
        ];
        for container in containers {
            for indent in ["", " "] {
                let text = format!(
                    "{container}\n\n{indent}[1]: https://a.example/ \"A\"\n{indent}[2]: https://b.example/\n\n{indent}[3]: cite:3\n"
                );
                let found: Vec<_> = labels(&text).into_iter().filter(|(label, ..)| label.len() == 1).collect();
                let plain = |label: &str| (label.to_owned(), false, false);
                assert_eq!(found, [plain("1"), plain("2"), plain("3")], "{text}");
            }
        }
    }

    #[test]
    fn definitions_inside_any_container_are_nested() {
        for text in [
            "- a\n\n  [1]: https://a.example/\n",
            "1. a\n\n   [1]: https://a.example/\n",
            "10. a\n\n    [1]: https://a.example/\n",
            "- a\n  - b\n\n    [1]: https://a.example/\n",
            "- a\n\n\t[1]: https://a.example/\n",
            "- [1]: https://a.example/\n",
            "> a\n>\n> [1]: https://a.example/\n",
            "> - a\n>\n>   [1]: https://a.example/\n",
            "- > [1]: https://a.example/\n",
        ] {
            assert_eq!(labels(text), [("1".into(), true, false)], "{text}");
        }
    }

    #[test]
    fn a_definition_in_a_row_or_in_html_is_drawn_as_text() {
        for text in ["| a |\n| - |\n| b[1] |\n[1]: https://a.example/\n", "<div>\nb\n[1]: https://a.example/\n</div>\n"]
        {
            let markdown = Markdown::read(text);
            assert_eq!(markdown.definitions, [], "{text}");
            let attempts: Vec<_> =
                markdown.attempts.iter().map(|found| (found.label.as_str(), found.continued)).collect();
            assert_eq!(attempts, [("1", true)], "{text}");
        }
    }

    #[test]
    fn a_definition_right_under_a_paragraph_is_an_attempt() {
        let markdown = Markdown::read("Text[1].\n[1]: https://a.example/\n");
        assert_eq!(markdown.definitions, []);
        assert_eq!(markdown.attempts, [Attempt { label: "1".into(), start: 9, continued: true, behind: false }]);
        assert_eq!(Markdown::read("[note]: words\n\nText\n[note]: words").attempts, []);
    }

    #[test]
    fn a_definition_behind_a_sentence_is_an_attempt() {
        for text in [
            "5 days [1].[1]: https://a.example/b.pdf \"B\"",
            "5 days. [1]: https://a.example/",
            "- 5 days [1]. [1]:cite:1",
        ] {
            let attempts = Markdown::read(text).attempts;
            assert!(matches!(&attempts[..], [Attempt { behind: true, continued: true, .. }]), "{text} {attempts:?}");
        }
        for text in [
            "See [1]: https://a.example/ has it.",
            "See [1]: https://a.example/",
            "Step [1]: http://localhost:8080\nStep [2]: http://localhost:8081",
            "See [1]: the page.",
            "`a [1]: https://a.example/`",
            "a [x]: https://a.example/",
        ] {
            assert_eq!(Markdown::read(text).attempts, [], "{text}");
        }
        for text in [
            "[1]: https://a.example/",
            "- [1]: https://a.example/",
            "1. [1]: https://a.example/",
            "> [1]: https://a.example/",
        ] {
            assert_eq!(Markdown::read(text).attempts, [], "{text}");
        }
    }

    #[test]
    fn entries_of_a_list_of_sources_are_told_from_markers() {
        let entries = |text: &str| Markdown::read(text).loose.iter().filter(|loose| loose.lists_source).count();
        assert_eq!(
            entries(
                "So it is [1][2].\n\nSources:\n[1] https://a.example/\n[2] [B](https://b.example/)\n- [3] C, https://c.example/"
            ),
            3
        );
        assert_eq!(entries("[1] is a number.\n\nAt https://a.example/ is [2] https://b.example/."), 0);
    }

    #[test]
    fn a_quote_in_a_title_makes_an_attempt() {
        let markdown = Markdown::read("Text[1].\n\n[1]: https://a.example/ \"The \"new\" one\"\n");
        assert_eq!(markdown.attempts.len(), 1);
        assert!(!markdown.attempts[0].continued);
    }

    #[test]
    fn definitions_in_code_do_not_count() {
        assert_eq!(labels("```\n[1]: https://a.example/\n```\n\n    [2]: https://b.example/\n"), []);
    }
}
