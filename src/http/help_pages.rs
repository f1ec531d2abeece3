//! The pages of the documentation, and words in them.

use crate::assistant::documentation_file;

/// The address below which the pages are.
pub(super) const HELP: &str = "/help/";

/// The text of a page.
pub(super) fn page_text(path: &str) -> Option<&'static str> {
    let file = documentation_file(path).filter(|_| path.ends_with(".md"))?;
    std::str::from_utf8(file).ok()
}

/// A text in HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
