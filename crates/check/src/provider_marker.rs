//! Finds markers that only a provider's own client reads, and that were left in a text: `【4:0†source】`, `[doc1]`, `[^1^]`, and
//! the private signs U+E200 to U+E202.

use std::ops::Range;

use super::code;
use super::findings::Findings;
use super::place::excerpt;
use super::pointer::Pointer;

/// The signs before, behind and within a citation in answers of a provider.
const PRIVATE: [char; 3] = ['\u{e200}', '\u{e201}', '\u{e202}'];

/// The bytes of a marker that are looked at: a text may have many signs that begin one and end none.
const MOST_BYTES: usize = 256;

/// The byte ranges of the markers in the `prose` of a text, outside of code and links.
fn find(text: &str, prose: &[Range<usize>], is_label: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for run in prose {
        let Some(words) = text.get(run.clone()) else { continue };
        for (at, c) in words.char_indices() {
            let start = run.start + at;
            let rest = &words[at + c.len_utf8()..];
            let rest = &rest[..rest.floor_char_boundary(MOST_BYTES)];
            let is_escaped = at == 0 && text[..start].ends_with('\\');
            let length = match c {
                _ if found.last().is_some_and(|last| last.end > start) => None,
                '【' => rest.find('】').filter(|end| is_lenticular(&rest[..*end])).map(|end| end + '】'.len_utf8()),
                '[' if !is_escaped => {
                    rest.find(']').filter(|end| is_square(&rest[..*end], &is_label)).map(|end| end + 1)
                }
                '\u{e200}' => Some(rest.find(PRIVATE[1]).map_or(0, |end| end + PRIVATE[1].len_utf8())),
                c if PRIVATE.contains(&c) => Some(0),
                _ => None,
            };
            found.extend(length.map(|length| start..start + c.len_utf8() + length));
        }
    }
    found
}

/// `4:0†source`, `1†name.pdf`; `16:9` is something else.
fn is_lenticular(inner: &str) -> bool {
    let Some((place, _)) = inner.split_once('†') else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match place.split_once(':') {
        Some((message, number)) => is_number(message) && is_number(number),
        None => is_number(place),
    }
}

/// `doc1` unless a source has that label, and `^1^`.
fn is_square(inner: &str, is_label: &impl Fn(&str) -> bool) -> bool {
    // The provider writes small letters.
    let number = inner
        .strip_prefix('^')
        .and_then(|rest| rest.strip_suffix('^'))
        .or_else(|| inner.strip_prefix("docs"))
        .or_else(|| inner.strip_prefix("doc"));
    let is_number = |text: &str| (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    number.is_some_and(is_number) && !is_label(inner)
}

/// Reports the markers of a text. `is_label` tells whether a source has a label.
pub(super) fn check(
    text: &str,
    prose: &[Range<usize>],
    is_label: impl Fn(&str) -> bool,
    at: &Pointer,
    findings: &mut Findings,
) {
    let found = find(text, prose, is_label);
    let Some(first) = found.first() else { return };
    let written = PRIVATE.iter().fold(text[first.clone()].to_owned(), |written, sign| {
        written.replace(*sign, &format!("<U+{:X}>", u32::from(*sign)))
    });
    findings.add(
        code::TEXT_MARKER_RAW,
        at,
        format!(
            "Users see {} (byte {}, {} in all), a marker that only its provider reads. Write the number of a source in \
             brackets, such as [1], and describe the source, or remove the marker.",
            excerpt(&written),
            first.start,
            found.len()
        ),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_text_finds, assert_text_is_fine};
    use super::super::markdown::Markdown;
    use super::super::{Channel, check as check_all};
    use super::*;

    fn written(text: &str) -> Vec<&str> {
        find(text, &Markdown::read(text).prose, |label| label == "doc2").into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn markers_are_found_whole() {
        for marker in [
            "【4:0†source】",
            "【4:0†report 2.pdf】",
            "【1†a】",
            "[^1^]",
            "[doc1]",
            "[doc12]",
            "[docs3]",
            "\u{e200}cite\u{e202}turn0search0\u{e201}",
            "\u{e201}",
            "\u{e200}",
        ] {
            assert_eq!(written(&format!("a {marker}.")), [marker]);
            assert_eq!(written(&format!("- a{marker}{marker}.")), [marker, marker]);
            assert_eq!(written(&format!("`{marker}`\n\n```\n{marker}\n```\n")), [] as [&str; 0]);
        }
    }

    #[test]
    fn other_brackets_are_no_markers() {
        for text in [
            "[doc2]",
            "【1】",
            "【注】",
            "【16:9】",
            "[1]",
            "[^a^]",
            "[docs]",
            "[document1]",
            "[Doc1]",
            "[doc1](x)",
            "\\[doc1]",
            "[doc1]: https://a.example/ \"a\"\n",
            "a† b",
        ] {
            assert_eq!(written(text), [] as [&str; 0], "{text}");
        }
    }

    #[test]
    fn they_are_named_in_both_channels() {
        for marker in ["【4:0†source】", "[doc1]", "[^1^]", "\u{e200}cite\u{e202}turn0search0\u{e201}"] {
            assert_text_finds(&format!("It is so {marker}."), "text-marker-raw");
            let found = check_all(&json!({"type": "message", "text": format!("a {marker}")}), Channel::Teams);
            assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), ["text-marker-raw"]);
            assert!(!found[0].message.contains('\u{e200}'), "{found:?}");
        }
        assert_text_is_fine("It is so `[doc1]`.");
    }
}
