//! The forms of marker that each provider's format uses (policy P-01).

use super::{MarkerForm, marker_word};
use crate::url::WebUrl;

/// The forms of marker that a text may hold. A form that is off is read as plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerGrammar {
    /// `[1]`, `[^1^]`, and lists and ranges of numbers.
    pub numbers: bool,
    /// `[^1]`, and a footnote definition that begins with it. If off, both stay Markdown footnotes (rule N-08).
    pub footnotes: bool,
    /// `[1#part]` counts as `[1]`.
    pub fragments: bool,
    /// The number in a marker is the id of a source instead of its place in the list.
    pub number_ids: bool,
    /// `[1](url)` and `[[1]](url)`. If off, these are ordinary links.
    pub linked: bool,
    /// `[text](url)` with the address of a source. Off if the provider cites beside the text: then a link is a part of the
    /// text, and the provider cites its sources itself.
    pub links: bool,
    /// `[doc1]`, `[docs1]`, `[doc 1]` and lists of them, in any case.
    pub documents: bool,
    /// `[doc1]` in lower case without blanks, and no other form of `doc` (rule AZ-03).
    pub exact_documents: bool,
    /// `【1】`, `【4:0†name】`.
    pub lenticular: bool,
    /// The number of `【1】` and `【1†name】` is the place of a source. If off, only an annotation gives its source.
    pub lenticular_places: bool,
    /// U+E200 … U+E201.
    pub private_use: bool,
    /// A bracket with a source's id, file name or `file#page=n`.
    pub names: bool,
    /// A bracket whose content is the end of a source's id.
    pub name_ends: bool,
    /// The numbers behind `ID` and `ref_id` count from 0. If off, the text tells ([`First::Told`](super::First::Told)).
    pub from_zero: bool,
}

impl MarkerGrammar {
    /// The default: all forms except `fragments`, `number_ids`, `exact_documents`, `name_ends` and `from_zero`.
    pub const ALL: Self = Self {
        numbers: true,
        footnotes: true,
        fragments: false,
        number_ids: false,
        linked: true,
        links: true,
        documents: true,
        exact_documents: false,
        lenticular: true,
        lenticular_places: true,
        private_use: true,
        names: true,
        name_ends: false,
        from_zero: false,
    };

    /// No form.
    pub const NONE: Self = Self {
        numbers: false,
        footnotes: false,
        fragments: false,
        number_ids: false,
        linked: false,
        links: false,
        documents: false,
        exact_documents: false,
        lenticular: false,
        lenticular_places: false,
        private_use: false,
        names: false,
        name_ends: false,
        from_zero: false,
    };

    /// Only links to the addresses of sources, for formats whose sources have no places in the text.
    pub const LINKS: Self = Self { links: true, ..Self::NONE };

    /// `[docN]` in the form of Azure OpenAI On Your Data (rule AZ-03).
    pub const AZURE_ON_YOUR_DATA: Self =
        Self { footnotes: true, linked: true, links: true, exact_documents: true, ..Self::NONE };

    /// `[N]` as a place in the list of sources, without the bracket forms that Markdown uses otherwise (rule N-08).
    pub const BRACKETED_NUMBERS: Self = Self { numbers: true, links: true, fragments: true, ..Self::NONE };

    /// Like [`BRACKETED_NUMBERS`](Self::BRACKETED_NUMBERS), but `[N]` before a round bracket is a marker too (rule AH-03).
    pub const ASSISTANT_HUB: Self = Self { linked: true, ..Self::BRACKETED_NUMBERS };

    /// `[N]` as the id of a search result.
    pub const BRACKETED_IDS: Self = Self { number_ids: true, ..Self::BRACKETED_NUMBERS };

    /// Brackets that only annotations explain; without an annotation they vanish (rule N-07).
    pub const ANNOTATED: Self = Self { lenticular: true, private_use: true, ..Self::NONE };

    /// Brackets that annotations explain, and numbers, names or own markers of sources that a service lists beside the text.
    pub const LISTED: Self = Self {
        footnotes: true,
        fragments: false,
        names: true,
        lenticular: true,
        private_use: true,
        ..Self::BRACKETED_NUMBERS
    };

    /// `[file.pdf#page=2]`: the end of an entry in the list of sources.
    pub const REFERENCES: Self = Self { links: true, names: true, name_ends: true, ..Self::NONE };

    /// Whether the number in a marker may be the place of a source in the list.
    #[must_use]
    pub fn counts_places(&self) -> bool {
        self.numbers || self.documents || self.exact_documents || self.lenticular_places
    }
}

impl Default for MarkerGrammar {
    fn default() -> Self {
        Self::ALL
    }
}

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
