//! The words around the passages of a source in the dialog that Web Chat opens about it.

use crate::text::escape_markdown;
use crate::url::WebUrl;

/// The words where a source has neither an address nor a passage, or its passage is withheld. An empty dialog would look like an error.
pub(crate) const NO_PASSAGE: &str = "The text of this source is not shown here.";

/// The paragraph before passages that leads to their address.
pub(crate) fn address_line(url: &WebUrl) -> String {
    format!("[{}](<{}>)\n\n", escape_markdown(url.host()), url.shared_markdown())
}

/// The passages in the text of a dialog; `None` where it holds none.
pub(crate) fn passages_in<'t>(text: &'t str, url: Option<&WebUrl>) -> Option<&'t str> {
    let passages = url.and_then(|url| text.strip_prefix(&*address_line(url))).unwrap_or(text);
    (passages != NO_PASSAGE).then_some(passages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_around_passages_are_no_passages() {
        let url: WebUrl = "https://a_b.example/x(1)".parse().expect("an address");
        let text = format!("{}> Leave is 30 days.", address_line(&url));
        assert_eq!(text, "[a\\_b.example](<https://a_b.example/x%281%29>)\n\n> Leave is 30 days.");
        assert_eq!(passages_in(&text, Some(&url)), Some("> Leave is 30 days."));
        assert_eq!(passages_in(&text, None), Some(&*text));
        assert_eq!(passages_in("Leave", Some(&url)), Some("Leave"));
        assert_eq!(passages_in(NO_PASSAGE, None), None);
    }
}
