//! The definitions that the model wrote, as far as they take effect.

use std::collections::HashMap;

use pulldown_cmark::Options;

use super::token::Definition;

/// The extensions of Markdown that the parser reads. Everything else (strikethrough, task boxes, math) is copied as
/// characters.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

/// The definitions read so far, by label: the address, the title, and the number of definitions before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions(HashMap<String, (String, String, usize)>);

impl Definitions {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets all but the first `len`.
    pub(crate) fn back_to(&mut self, len: usize) {
        if self.0.len() > len {
            self.0.retain(|_, (_, _, before)| *before < len);
        }
    }

    /// The address and the title for a label.
    pub(super) fn find(&self, label: &str) -> Option<(&str, &str)> {
        self.0.get(&same_label(label)).map(|(url, title, _)| (url.as_str(), title.as_str()))
    }

    pub(super) fn add(&mut self, definition: &Definition) {
        let Definition { label, url, title, .. } = definition;
        let before = self.0.len();
        self.0.entry(same_label(label)).or_insert_with(|| (url.clone(), title.clone(), before));
    }
}

/// A label in the form for comparison: lower case, with single blanks.
pub(crate) fn same_label(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether the line before the one at `line` is blank, or there is none.
pub(super) fn is_behind_blank_line(text: &str, line: usize) -> bool {
    let before = &text[..line];
    let before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix(['\n', '\r'])).unwrap_or(before);
    before.trim_end_matches([' ', '\t']).is_empty() || before.trim_end_matches([' ', '\t']).ends_with(['\n', '\r'])
}
