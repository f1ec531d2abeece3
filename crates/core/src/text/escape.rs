//! Escapes text that stands in Markdown.

/// A text of which Markdown reads no character as markup.
#[must_use]
pub fn escape_markdown(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if "\\`*_[]<>&~!#|$".contains(c) {
            out.push('\\');
        }
        out.push(c);
        out
    })
}
