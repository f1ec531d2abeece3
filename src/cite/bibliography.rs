//! A list of references that the model wrote at the end, although the manifest says the same (policy P-06, rule S1-24).

use std::ops::Range;

use super::marker::{self, Marker};
use super::resolve::Resolver;
use super::structure::{Ink, Structure};
use crate::answer::{MarkerGrammar, Source, SourceIndex};
use crate::url::WebUrl;

/// A longer list is text.
const MAX_BYTES: usize = 8 * 1024;

/// What a blank line is made of; other white space is text to Markdown.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Finds the trailing list, with the blank lines and the heading before it.
///
/// A list under a heading such as *Sources* goes when each of its lines begins with a marker that resolves. Without a
/// heading it must have two lines or more, and each must repeat the title, file name or address of its source: a numbered
/// list at the end of an answer can also be the answer.
pub(super) fn find(text: &str, structure: &Structure, sources: &[Source], resolver: &Resolver) -> Option<Range<usize>> {
    let mut entries = 0;
    let mut repeats = true;
    let mut start = None;
    for line in lines_from_the_end(text) {
        let content = text[line.clone()].trim_matches(BLANKS);
        if content.is_empty() {
            continue;
        }
        if text.len() - line.start > MAX_BYTES {
            return None;
        }
        if let Some(entry) = read_entry(text, line.clone(), structure, resolver) {
            entries += 1;
            repeats &= entry.sources.iter().any(|index| mentions(entry.rest, &sources[index.0]));
            start = Some(line.start);
        } else {
            if entries > 0 && is_heading(content) {
                start = Some(line.start);
                repeats = true;
                entries = entries.max(2);
            }
            break;
        }
    }
    let start = start.filter(|_| entries >= 2 && repeats)?;
    let content = text[..start].trim_end_matches(BLANKS).len();
    // Blanks at the end of the last line are that line's.
    let before = start - text[content..start].trim_start_matches([' ', '\t']).len();
    // A text that is nothing but a list is the answer.
    (content > 0).then_some(before..text.len())
}

struct Line<'t> {
    sources: Vec<SourceIndex>,
    rest: &'t str,
}

/// Reads `[1] text`, `- [doc2]: text`, `[^3]: text`, `【4】 text`.
fn read_entry<'t>(text: &'t str, line: Range<usize>, structure: &Structure, resolver: &Resolver) -> Option<Line<'t>> {
    let content = text[line.clone()].trim_start();
    let content = content.strip_prefix(['-', '*', '+']).map_or(content, str::trim_start);
    let at = line.end - content.len();
    let open = content.chars().next().filter(|c| matches!(c, '[' | '【'))?;
    if structure.ink(at) == Ink::Opaque || structure.is_escaped(text, at) {
        return None;
    }
    let close = if open == '[' { ']' } else { '】' };
    let (inner, rest) = content[open.len_utf8()..].split_once(close)?;
    let grammar = MarkerGrammar::ALL;
    let marker = match open {
        '[' => marker::in_square_brackets(inner, &grammar),
        _ => marker::in_lenticular_brackets(inner, &grammar),
    };
    let marker = marker.filter(|marker| !matches!(marker, Marker::Name(_)))?;
    let token = &content[..content.len() - rest.len()];
    let rest = rest.trim_start_matches([':', '.', ')']).trim();
    (!rest.is_empty()).then_some(())?;
    Some(Line { sources: resolver.resolve(token, &marker)?, rest })
}

fn mentions(rest: &str, source: &Source) -> bool {
    let rest = rest.to_lowercase();
    let names = [source.title.as_deref(), source.file_name(), source.url.as_ref().map(WebUrl::host)];
    names.into_iter().flatten().any(|name| rest.contains(&name.to_lowercase()))
}

fn is_heading(line: &str) -> bool {
    let words = line.trim_matches(|c: char| c.is_whitespace() || "#*_:".contains(c)).to_lowercase();
    ["references", "reference", "sources", "source", "bibliography", "citations", "works cited"]
        .contains(&words.as_str())
}

fn lines_from_the_end(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = Some(text.len());
    std::iter::from_fn(move || {
        let line_end = end?;
        let start = text[..line_end].rfind('\n').map_or(0, |newline| newline + 1);
        end = start.checked_sub(1);
        Some(start..line_end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        let source = |title: &str| Source { title: Some(title.into()), ..Source::default() };
        let sources = [source("Leave policy"), source("Travel policy")];
        let resolver = Resolver::new(&sources);
        let mut kept = text.to_owned();
        if let Some(range) = find(text, &Structure::of(text), &sources, &resolver) {
            kept.replace_range(range, "");
        }
        kept
    }

    #[test]
    fn p06_a_list_that_repeats_the_manifest_goes_with_its_heading_and_the_blank_lines_before() {
        for list in [
            "\n\n[1] Leave policy\n[2] Travel policy, 2024",
            "\n\n\n## Sources\n\n[1] Leave\n[2] Travel\n\n",
            "\r\n\r\n**References:**\r\n- [doc1]: https://x\r\n- [doc2]: https://y\r\n",
            "\n\nSources:\n[1] somewhere",
            "\n\n[1]: https://x \"Leave policy\"\n[2]: https://y \"Travel policy\"",
            "\nBibliography\n【1】 a\n[^2]: b",
        ] {
            assert_eq!(without(&format!("Answer [1].{list}")), "Answer [1].", "{list:?}");
        }
    }

    #[test]
    fn p06_blanks_at_the_end_of_the_last_line_stay_so_that_a_second_conversion_changes_nothing() {
        let list = "\n\n[1]: https://x \"Leave policy\"\n[2]: https://y \"Travel policy\"";
        for kept in ["Answer [1] ", "Answer [1]\n\n- ", "Answer [1]\u{a0}"] {
            assert_eq!(without(&format!("{kept}{list}")), kept);
        }
    }

    #[test]
    fn p06_a_list_that_says_something_else_is_text() {
        for text in [
            "Steps:\n\n[1] Open the valve\n[2] Close the valve",
            "[1] Leave policy\n[2] Travel policy",
            "Answer.\n\n[1] Leave policy",
            "Answer.\n\nSources\n[1] Leave policy\n[9] Other",
            "Answer.\n\n```\nSources\n[1] Leave policy\n[2] Travel policy\n```",
            "Sources are good",
        ] {
            assert_eq!(without(text), text);
        }
        let long = format!("Answer.\n\nSources\n[1] {}\n[2] b", "x".repeat(MAX_BYTES));
        assert_eq!(without(&long), long);
    }
}
