//! Finds markers of several sources in one bracket, such as `[1, 2]`, and numbers in other brackets, `【1】`: no client makes a
//! citation of them.

use std::ops::Range;

use super::code;
use super::definition::begins_line;
use super::findings::Findings;
use super::pointer::Pointer;

/// The most numbers that a range stands for.
const MAX_RANGE: u64 = 20;

/// The longest text between the brackets, in bytes.
const MAX_INNER: usize = 100;

/// A bracket that no client reads as the markers it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    /// The numbers, those of a range written out.
    pub(super) numbers: Vec<u64>,
    /// The byte range in the text.
    pub(super) span: Range<usize>,
}

impl Joined {
    /// Whether each number is that of a source. Others may be a list of numbers, or an interval.
    pub(super) fn is_meant(&self, is_known: impl Fn(u64) -> bool) -> bool {
        self.numbers.iter().all(|number| is_known(*number))
    }

    /// The numbers in brackets of their own.
    pub(super) fn parted(&self, separator: &str) -> String {
        self.numbers.iter().map(|number| format!("[{number}]")).collect::<Vec<_>>().join(separator)
    }
}

/// The joined markers in the `prose` of a text: its byte ranges outside of code and links.
pub(super) fn find(text: &str, prose: &[Range<usize>]) -> Vec<Joined> {
    let mut found = Vec::new();
    for run in prose {
        let Some(words) = text.get(run.clone()) else { continue };
        for (at, open) in words.match_indices(['[', '【']) {
            let start = run.start + at;
            // The parser begins a new text behind the backslash of an escaped bracket.
            if at == 0 && text[..start].ends_with('\\') {
                continue;
            }
            let close = if open == "[" { "]" } else { "】" };
            let inner = &words[at + open.len()..];
            let length = inner.find(|c: char| !(c.is_ascii_digit() || " ,;-–".contains(c))).unwrap_or(inner.len());
            if length > MAX_INNER || !inner[length..].starts_with(close) {
                continue;
            }
            if let Some(numbers) = numbers(&inner[..length]).filter(|numbers| {
                // `【1】` begins a numbered heading.
                numbers.len() > 1 || open != "[" && !begins_line(text, start)
            }) {
                found.push(Joined { numbers, span: start..start + open.len() + length + close.len() });
            }
        }
    }
    found
}

/// The numbers of a list that may have ranges; nothing if a part is neither, or a range does not rise.
fn numbers(inner: &str) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for part in inner.split([',', ';']) {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        match part.split_once(['-', '–']) {
            None => numbers.push(number(part)?),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first >= last || last - first >= MAX_RANGE {
                    return None;
                }
                numbers.extend(first..=last);
            }
        }
    }
    Some(numbers)
}

/// `text` with each number of its joined markers in brackets of its own, where all numbers are known.
pub(super) fn parted(text: &str, joined: &[Joined], separator: &str, is_known: impl Fn(u64) -> bool) -> String {
    let mut parted = text.to_owned();
    for marker in joined.iter().rev().filter(|marker| marker.is_meant(&is_known)) {
        parted.replace_range(marker.span.clone(), &marker.parted(separator));
    }
    parted
}

/// Reports the joined markers of a text for Web Chat, whose numbers are all known.
pub(super) fn check(text: &str, meant: &[&Joined], at: &Pointer, findings: &mut Findings) {
    for marker in meant {
        findings.add(
            code::MARKERS_JOINED,
            at,
            format!(
                "{} (byte {}) is shown as it is written, without a badge: only a single number in square brackets is a \
                 marker. Write {}, with U+200B between markers.",
                text.get(marker.span.clone()).unwrap_or_default(),
                marker.span.start,
                marker.parted("\u{200b}")
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, assert_text_is_fine, cited_with, found};
    use super::super::markdown::Markdown;
    use super::super::{Channel, mend};

    const DEFINITIONS: &str = "\n\n[1]: https://docs.example/1 \"One\"\n[2]: cite:2 \"Two\"\n";

    fn read(text: &str) -> Vec<Vec<u64>> {
        Markdown::read(text).joined.into_iter().map(|joined| joined.numbers).collect()
    }

    #[test]
    fn lists_and_rising_ranges_are_read() {
        for text in ["[1,2]", "[1, 2]", "[1; 2]", "[1-2]", "[1–2]", "【1, 2】", "**a [1, 2]**"] {
            assert_eq!(read(text), [[1, 2]], "{text}");
        }
        assert_eq!(read("a [1, 3-5] b 【7】"), [vec![1, 3, 4, 5], vec![7]]);
        let none: [Vec<u64>; 0] = [];
        for text in [
            "[1]",
            "[2-1]",
            "[1-1]",
            "[1-99]",
            "[1,]",
            "[1, a]",
            "[-1]",
            "【1†a】",
            "\\[1, 2]",
            "`[1, 2]`",
            "[1, 2](x)",
        ] {
            assert_eq!(read(text), none, "{text}");
        }
    }

    #[test]
    fn a_bracket_of_known_sources_is_found_and_parted() {
        for marker in ["[1,2]", "[1, 2]", "[1-2]", "[1; 2]", "【1】【2】"] {
            let document = cited_with("/text", json!(format!("Keep it {marker}.{DEFINITIONS}")));
            assert_finds(&document, "markers-joined", "/text");
            assert!(found(&document).iter().all(|(code, _)| *code == "markers-joined"), "{:?}", found(&document));
            let mended = mend(&document, Channel::WebChat).expect("an activity");
            assert_eq!(mended.findings, [], "{marker}");
            let text = mended.document["text"].as_str().expect("a text");
            assert!(text.starts_with("Keep it [1]\u{200b}[2]."), "{text}");
        }
    }

    #[test]
    fn numbers_without_a_source_are_no_markers() {
        for text in ["a [1, 7] b [1] [2].", "a [2-1] b [1] [2].", "`[1, 2]` b [1] [2]."] {
            assert_eq!(found(&cited_with("/text", json!(format!("{text}{DEFINITIONS}")))), [], "{text}");
        }
        assert_text_is_fine("The array [1, 2].");
    }
}
