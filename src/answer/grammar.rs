//! Which brackets are markers: data that each provider's format brings along (policy P-01).

/// The forms of marker that a text may hold. A form that is off is plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkerGrammar {
    /// `[1]`, `[^1^]`, `[^1]`, and lists and ranges of numbers.
    pub numbers: bool,
    /// `[doc1]`, `[docs1]`, `[doc 1]` and lists of them, in any case.
    pub documents: bool,
    /// `[doc1]` in lower case without blanks, and nothing else that begins with `doc` (rule S0-15).
    pub exact_documents: bool,
    /// `【1】`, `【4:0†name】`.
    pub lenticular: bool,
    /// U+E200 … U+E201.
    pub private_use: bool,
    /// A bracket that holds a source's id, file name or `file#page=n`.
    pub names: bool,
}

impl MarkerGrammar {
    /// Every form of the vocabulary.
    pub const ALL: Self = Self {
        numbers: true,
        documents: true,
        exact_documents: false,
        lenticular: true,
        private_use: true,
        names: true,
    };

    /// No form at all.
    pub const NONE: Self = Self {
        numbers: false,
        documents: false,
        exact_documents: false,
        lenticular: false,
        private_use: false,
        names: false,
    };

    /// `[docN]` as Azure OpenAI On Your Data writes it (rule S0-15).
    pub const AZURE_ON_YOUR_DATA: Self = Self {
        numbers: false,
        documents: false,
        exact_documents: true,
        lenticular: false,
        private_use: false,
        names: false,
    };
}

impl Default for MarkerGrammar {
    fn default() -> Self {
        Self::ALL
    }
}

/// Whether a span of a text is a marker as a whole (rule N-04): `[..](..)`, `([..](..))`, `[[n]](..)`, `【..】`, or
/// U+E200 … U+E201. Such a span is replaced by its citation; any other is a claim.
#[must_use]
pub fn is_marker_span(span: &str) -> bool {
    let inner = span.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let link = |text: &str| {
        text.starts_with('[') && text.ends_with(')') && text.matches("](").count() == 1 && !text.contains('\n')
    };
    let wrapped = |open: char, close: char| {
        let inner = span.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inner.is_some_and(|inner| !inner.contains([open, close]))
    };
    link(span) || inner.is_some_and(link) || wrapped('【', '】') || wrapped('\u{e200}', '\u{e201}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_span_is_a_marker_from_end_to_end() {
        for marker in ["[a](https://x)", "([a](https://x))", "[[1]](https://x)", "【4:0†a】", "\u{e200}cite\u{e201}"]
        {
            assert!(is_marker_span(marker), "{marker}");
        }
        for claim in ["a [a](https://x)", "[a](https://x).", "[a](x) and [b](y)", "【1】【2】", "30 days", "", "("]
        {
            assert!(!is_marker_span(claim), "{claim}");
        }
    }
}
