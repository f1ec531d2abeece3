//! What a card calls its document.

use std::borrow::Cow;

use crate::answer::Source;
use crate::cite::one_line;
use crate::url::WebUrl;

/// The name of a document of which nothing is known (rules S0-10 and S1-13).
pub(super) const UNKNOWN_DOCUMENT: &str = "Unknown Document";

/// Title, file name, file name in the address, host; never empty and never an address, on one line.
///
/// An address is no name: Open WebUI would ask a stranger for the icon of its site, and tell the whole of it (`docs/open-webui.md`).
pub(super) fn document_name(source: &Source) -> String {
    let url = source.url.as_ref();
    let file = url.and_then(WebUrl::file_name);
    let candidates = [source.title.as_deref(), source.file_name(), file, url.map(WebUrl::host)];
    first_name(candidates, |name| name.parse::<WebUrl>().is_err())
}

/// Title, path, address, as they stand (rule S0-10).
pub(super) fn document_title(source: &Source) -> String {
    let candidates = [source.title.as_deref(), source.filepath.as_deref(), source.url.as_ref().map(WebUrl::as_str)];
    first_name(candidates, |_| true)
}

fn first_name<const N: usize>(candidates: [Option<&str>; N], is_name: fn(&str) -> bool) -> String {
    let names = candidates.into_iter().flatten().map(one_line);
    let mut names = names.filter(|name| !name.is_empty() && is_name(name));
    names.next().map_or_else(|| UNKNOWN_DOCUMENT.to_owned(), Cow::into_owned)
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

    #[test]
    fn s0_10_a_title_falls_back_to_the_path_the_address_and_a_word() {
        assert_eq!(document_title(&named("T", "a.pdf", "https://x/b")), "T");
        assert_eq!(document_title(&named(" ", "hr/a.pdf", "https://x/b")), "hr/a.pdf");
        assert_eq!(document_title(&named("", "", "https://x/b")), "https://x/b");
        assert_eq!(document_title(&named("", "", "")), "Unknown Document");
    }
}
