//! The name of a document on its card.

use std::borrow::Cow;

use crate::answer::{Source, told_apart};
use crate::url::WebUrl;

/// The name of a document without any name (rules AZ-05 and AH-09).
pub(super) const UNKNOWN_DOCUMENT: &str = "Unknown Document";

/// The name of a source in the outputs for chat clients: the first of its [names](Source::names) that is not an address,
/// else `Unknown Document`.
///
/// An address does not serve as a name, because Open WebUI would ask a third party for the icon of its site and send the
/// whole address (`docs/guides/open-webui.md`).
#[must_use]
pub fn document_name(source: &Source) -> String {
    let name = source.names().find(|name| name.parse::<WebUrl>().is_err());
    name.map_or_else(|| UNKNOWN_DOCUMENT.to_owned(), Cow::into_owned)
}

/// The names of the sources that are shown together: those that are the same say besides which part of the document each is.
pub(super) fn document_names<'s>(sources: impl IntoIterator<Item = &'s Source>) -> Vec<String> {
    let sources: Vec<&Source> = sources.into_iter().collect();
    let mut names: Vec<String> = sources.iter().map(|source| document_name(source)).collect();
    for (at, name) in told_apart(names.len(), |at| &names[at], |at| sources[at].given_part()) {
        names[at] = name;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(title: &str, filepath: &str, url: &str) -> Source {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Source { title: some(title), filepath: some(filepath), url: url.parse().ok(), ..Source::default() }
    }

    #[test]
    fn a_name_is_never_empty_and_never_an_address() {
        for (title, filepath, url, expected) in [
            ("Leave", "a.pdf", "https://x/b.pdf", "Leave"),
            ("https://x/b", "hr/a.pdf", "https://x/b.pdf", "a.pdf"),
            ("", "", "https://x/it/vpn.html?a=1", "vpn.html"),
            ("", "", "https://www.contoso.com/c", "contoso.com"),
            (" \u{7}\n", "", "", UNKNOWN_DOCUMENT),
            ("A\r\nB", "", "", "A B"),
        ] {
            assert_eq!(document_name(&named(title, filepath, url)), expected);
        }
    }
}
