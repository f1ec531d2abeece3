//! Tells spans of the text that are markers from spans that are claims (rule N-04).

use super::{MarkerForm, marker_word};
use crate::url::WebUrl;

/// Whether a span of a text is a whole marker (rule N-04): a link in `[..](..)` or `([..](..))` whose label is no words but the
/// host, the address or a number, `[[n]](..)`, `[n]`, `[n][m]`, `【..】`, `\[n\]`, or U+E200 … U+E201. Such a span is replaced
/// by its citation; any other span is a claim and keeps its words.
#[must_use]
pub fn is_marker_span(span: &str) -> bool {
    let wrapped = |form: MarkerForm| {
        let inner = span.strip_prefix(form.open()).and_then(|rest| rest.strip_suffix(form.close()));
        inner.is_some_and(|inner| !inner.contains([form.open(), form.close()]))
    };
    let escaped = || {
        let inner = span.strip_prefix("\\[").and_then(|rest| rest.strip_suffix("\\]"));
        inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit() || ", ".contains(c)))
    };
    let worded = || {
        let inner = span.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let number = inner.filter(|inner| !inner.contains('[')).and_then(marker_word);
        number.is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let numbers = || {
        let mut rest = span;
        while let Some((inner, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            if !is_number(inner) {
                return false;
            }
            rest = behind.trim_start_matches(' ');
            if rest.is_empty() {
                return true;
            }
        }
        false
    };
    whole_link(span).is_some_and(|(label, address)| is_label_of(label, address))
        || escaped()
        || numbers()
        || worded()
        || MarkerForm::ALL.into_iter().filter(|form| *form != MarkerForm::Square).any(wrapped)
}

/// Label and address of a span that is a whole link, `[..](..)` or `([..](..))`.
#[must_use]
pub fn whole_link(span: &str) -> Option<(&str, &str)> {
    let inner = span.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).filter(|inner| inner.starts_with('['));
    let link = inner.unwrap_or(span).strip_prefix('[')?.strip_suffix(')')?;
    let (label, target) = link.split_once("](")?;
    (!target.contains("](") && !link.contains('\n')).then(|| {
        let target = target.trim_start();
        let address = target.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(address, _)| address);
        (label, address.unwrap_or_else(|| target.split(' ').next().unwrap_or_default()))
    })
}

/// Whether the label of a link has no words of its own: it is empty, a number, or says what the address says.
fn is_label_of(label: &str, address: &str) -> bool {
    let inner = label.trim_matches([' ', '[', ']', '*', '_', '`']);
    inner.is_empty()
        || is_number(inner)
        || inner == address
        || address.parse::<WebUrl>().is_ok_and(|url| url.host() == inner || url.is_said_by(inner))
}

/// Whether the content of a bracket is a number, a list or a range of numbers: `1`, `^1^`, `doc1`, `1-3`.
fn is_number(inner: &str) -> bool {
    let inner = inner.trim().trim_matches('^');
    let inner = inner.strip_prefix("doc").unwrap_or(inner);
    inner.starts_with(|c: char| c.is_ascii_digit()) && inner.chars().all(|c| c.is_ascii_digit() || ", -–".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_span_is_a_marker_from_end_to_end() {
        for marker in [
            "[x](https://x)",
            "([x.example](https://www.news.x.example/a?utm_source=y))",
            "[https://x.example/a](https://x.example/a)",
            "([x.example/a…](<https://x.example/a/b> \"A\"))",
            "[**3**](https://x)",
            "[](https://x)",
            "[[1]](https://x)",
            "【4:0†a】",
            "\u{e200}cite\u{e201}",
            "[1]",
            "[1, 2]",
            "[1][2]",
            "[1] [2]",
            "[^1^]",
            "[doc1]",
            "[1-3]",
        ] {
            assert!(is_marker_span(marker), "{marker}");
        }
        for claim in [
            "[a](https://x)",
            "([the WHO report](https://who.example/r))",
            "[x.example tells](https://x.example/)",
            "[y.example](https://x.example/)",
            "a [x](https://x)",
            "[x](https://x).",
            "[a](x) and [b](y)",
            "【1】【2】",
            "30 days",
            "",
            "(",
            "[]",
            "[x]",
            "[1",
            "a[1]",
            "[1].",
            "[1](",
            "[1] x",
        ] {
            assert!(!is_marker_span(claim), "{claim}");
        }
    }
}
