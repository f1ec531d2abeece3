//! Reads the location of a document: a web address, a file in a store, or a name.

use super::json::filled;
use crate::report::{Entry, Kind};
use crate::url::{InvalidWebUrl, WebUrl};

/// URL schemes of file stores, which readers cannot open, and whether a bucket stands before the file name in them.
const STORES: [(&str, bool); 4] = [("s3", true), ("gs", true), ("abfss", true), ("file", false)];

/// The location of a source, from one string of its provider.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Located {
    /// The address, if it is a web address.
    pub(super) url: Option<WebUrl>,
    /// The file name, if the string is one instead of an address.
    pub(super) filepath: Option<String>,
    /// The address as the provider wrote it, if it differs from `url`.
    pub(super) address: Option<String>,
}

/// Reads an address. A string that is not an absolute address becomes a file name, with a note. An address with another
/// scheme than http(s) is dropped, with a note.
pub(super) fn web_url(url: Option<String>, pointer: impl Fn() -> String, warnings: &mut Vec<Entry>) -> Located {
    let Some(text) = filled(url) else { return Located::default() };
    match text.parse::<WebUrl>() {
        Ok(url) if url.is_service() => {
            let message = "the address is that of a search service, which readers cannot open; it is no link";
            warnings.push(Entry::in_input(Kind::Dropped, "url-service", pointer(), message));
            Located::default()
        }
        Ok(url) => {
            let address = (url.as_str() != text).then_some(text);
            Located { url: Some(url), filepath: None, address }
        }
        Err(InvalidWebUrl::NotAbsolute) => {
            let message = "the address is no absolute http(s) address; it is taken as a file name";
            warnings.push(Entry::in_input(Kind::Note, "url-is-file-name", pointer(), message));
            Located { url: None, filepath: Some(text.clone()), address: Some(text) }
        }
        Err(error @ InvalidWebUrl::Scheme { .. }) => {
            warnings.push(Entry::in_input(Kind::Dropped, "url-scheme", pointer(), error.to_string()));
            Located::default()
        }
    }
}

/// Reads a member that may hold an address or a file name. Unlike [`web_url`], it takes a file name without a note.
///
/// In `s3://bucket/folder/file` the key is the file name: `folder/file`.
pub(super) fn location(location: Option<String>, pointer: impl Fn() -> String, warnings: &mut Vec<Entry>) -> Located {
    let Some(text) = filled(location) else { return Located::default() };
    if let Some(file) = stored_file(&text).map(str::to_owned) {
        return Located { url: None, filepath: Some(file), address: Some(text) };
    }
    let file = |text| Located { filepath: Some(text), ..Located::default() };
    match text.parse::<WebUrl>() {
        // A scheme of one letter is a Windows drive.
        Err(InvalidWebUrl::Scheme { scheme }) if scheme.len() == 1 => file(text),
        Err(InvalidWebUrl::NotAbsolute) => file(text),
        Ok(_) | Err(InvalidWebUrl::Scheme { .. }) => web_url(Some(text), pointer, warnings),
    }
}

/// Reads the URI of a resource. Unlike [`location`], it takes an address with a scheme of its owner's, such as
/// `note://hr/leave`, as a name.
pub(super) fn resource(uri: Option<String>, pointer: impl Fn() -> String, warnings: &mut Vec<Entry>) -> Located {
    match filled(uri) {
        Some(uri) if has_own_scheme(&uri) => Located { url: None, filepath: Some(uri.clone()), address: Some(uri) },
        uri => location(uri, pointer, warnings),
    }
}

fn has_own_scheme(uri: &str) -> bool {
    let is_other = || matches!(uri.parse::<WebUrl>(), Err(InvalidWebUrl::Scheme { .. }));
    uri.contains("://") && stored_file(uri).is_none() && is_other()
}

/// The file name in the address of a file store.
fn stored_file(address: &str) -> Option<&str> {
    let (scheme, rest) = address.trim().split_once("://")?;
    let (_, in_bucket) = STORES.iter().find(|(store, _)| scheme.eq_ignore_ascii_case(store))?;
    let key = rest.split_once('/').map_or("", |(_, key)| key);
    Some(if key.is_empty() || !in_bucket { rest } else { key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_an_address_or_a_file() {
        let read = |text: &str| {
            let mut warnings = Vec::new();
            let found = location(Some(text.to_owned()), || "/uri".to_owned(), &mut warnings);
            (found.url.map(|url| url.as_str().to_owned()), found.filepath, warnings.len())
        };
        assert_eq!(read("https://x.example/a"), (Some("https://x.example/a".into()), None, 0));
        assert_eq!(read("s3://bucket/a/b.pdf"), (None, Some("a/b.pdf".into()), 0));
        assert_eq!(read("GS://bucket"), (None, Some("bucket".into()), 0));
        assert_eq!(read("file:///data/a.md"), (None, Some("/data/a.md".into()), 0));
        assert_eq!(read("notes/a.md"), (None, Some("notes/a.md".into()), 0));
        assert_eq!(read("C:\\data\\a.md"), (None, Some("C:\\data\\a.md".into()), 0));
        assert_eq!(read("javascript:alert(1)"), (None, None, 1));
        assert_eq!(read(" "), (None, None, 0));
    }

    #[test]
    fn a_resource_may_have_a_scheme_of_its_own() {
        let read = |text: &str| resource(Some(text.to_owned()), String::new, &mut Vec::new());
        let note = read("note://hr/leave");
        assert_eq!((note.url, note.filepath.as_deref()), (None, Some("note://hr/leave")));
        assert_eq!(read("file:///data/a.md").filepath.as_deref(), Some("/data/a.md"));
        assert!(read("https://x.example/a").url.is_some());
        assert_eq!(read("javascript:alert(1)"), Located::default());
    }
}
