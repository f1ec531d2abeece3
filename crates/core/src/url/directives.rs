//! The fragment of an address: a page, a place, and directives, which have a browser mark sentences.

use std::fmt;
use std::num::NonZeroU32;

use super::web_url::WebUrl;

/// The most sentences that an address names by text directives.
pub(crate) const MAX_DIRECTIVES: usize = 3;

/// The text between two text directives.
pub(crate) const DIRECTIVE_PARTING: &str = "&text=";

/// The longest text directives of an address together, in bytes.
pub(crate) const MAX_DIRECTIVE_BYTES: usize = 1_000 - ":~:text=".len();

impl WebUrl {
    /// The address with the fragment `#page=n`, which opens a page of a PDF. It replaces any other fragment.
    #[must_use]
    pub fn with_page(&self, page: NonZeroU32) -> Self {
        let document = self.text.split_once('#').map_or(&*self.text, |(document, _)| document);
        Self { text: format!("{document}#page={page}").into(), host: self.host.clone(), ordinary: false }
    }

    /// The address of a claim whose document shares it with another claim: `/p#:~:cite=2`. Browsers cut such a
    /// [directive](https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive) off before they open the page.
    pub(crate) fn as_claim(&self, number: impl fmt::Display) -> Self {
        let parting = match self.fragment() {
            None => "#:~:",
            Some(fragment) if fragment.contains(":~:") => "&",
            Some(_) => ":~:",
        };
        Self { text: format!("{}{parting}cite={number}", self.text).into(), host: self.host.clone(), ordinary: false }
    }

    /// The address with [text directives](https://wicg.github.io/scroll-to-text-fragment/#syntax), which have the browser mark
    /// sentences of its page: the first ones that fit. An address that has directives keeps them. One whose fragment is a place in
    /// a program of the page stays as it is, because a browser that does not know directives would lose the place.
    #[must_use]
    pub fn with_directives<'d>(&self, directives: impl IntoIterator<Item = &'d str>) -> Self {
        let fragment = self.fragment();
        if fragment.is_some_and(|fragment| fragment.starts_with(['/', '!']) || fragment.contains(":~:")) {
            return self.clone();
        }
        let mut named = String::new();
        for (at, directive) in directives.into_iter().take(MAX_DIRECTIVES).enumerate() {
            let parting = if at > 0 { DIRECTIVE_PARTING } else { "" };
            if named.len() + parting.len() + directive.len() > MAX_DIRECTIVE_BYTES {
                break;
            }
            named.extend([parting, directive]);
        }
        if named.is_empty() {
            return self.clone();
        }
        let hash = if fragment.is_some() { "" } else { "#" };
        Self { text: format!("{}{hash}:~:text={named}", self.text).into(), host: self.host.clone(), ordinary: false }
    }

    /// The fragment, without `#`.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
        self.text.split_once('#').map(|(_, fragment)| fragment)
    }

    /// The place in the document that the fragment names, without what only marks a
    /// [text](https://wicg.github.io/scroll-to-text-fragment/#syntax) there.
    pub(crate) fn anchor(&self) -> Option<&str> {
        let fragment = self.fragment()?;
        Some(fragment.split_once(":~:").map_or(fragment, |(anchor, _)| anchor)).filter(|anchor| !anchor.is_empty())
    }
}

/// An address without the directives of its fragment, which people need not read.
#[must_use]
pub fn without_directives(address: &str) -> &str {
    let Some(at) = address.find('#') else { return address };
    let Some(directives) = address[at..].find(":~:") else { return address };
    // Without a place before them, they are all of the fragment.
    &address[..if directives == 1 { at } else { at + directives }]
}
