//! The document behind a citation.

use std::borrow::Cow;
use std::num::NonZeroU32;

use serde_json::{Map, Value};

use super::{Part, RawScores, SensitivityLabel, SentenceLink, SourceIndex, SourceKind, SupportMark};
use crate::text::one_line;
use crate::url::{WebUrl, last_of_path};

/// The thing that the id of a source names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdOf {
    /// The document: another id is another document (rule N-03).
    #[default]
    Document,
    /// A passage, or one mention in a list: another id may be the same document.
    Passage,
}

/// One source of an answer, as the provider gave it. Blank strings count as absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The place of the source in the input, as a JSON pointer.
    pub pointer: String,
    /// The provider's id.
    pub id: Option<String>,
    /// The thing that [`id`](Self::id) names.
    pub id_of: IdOf,
    /// The title.
    pub title: Option<String>,
    /// The part of the document, which its name says beside the title. Pages that providers name are no part of it: names say these
    /// only where they tell sources apart.
    pub part: Option<Part>,
    /// The address, if it is an absolute http(s) URL.
    pub url: Option<WebUrl>,
    /// The address as the provider wrote it, if it differs from [`url`](Self::url): `s3://bucket/file`, a path.
    pub address: Option<String>,
    /// The file name or path.
    pub filepath: Option<String>,
    /// The id of the passage within its document.
    pub chunk_id: Option<String>,
    /// The kind of source.
    pub kind: Option<SourceKind>,
    /// The rank in the provider's search results, counted from 1, if the order of its sources shows it.
    pub rank: Option<NonZeroU32>,
    /// The page, counted from 1.
    pub page: Option<NonZeroU32>,
    /// The passage.
    pub content: Option<String>,
    /// The passage is the part that the provider quotes for what it cites.
    pub is_quotation: bool,
    /// The text of the answer has sentences of the passage as they stand there: the badge is for all of them.
    pub is_quoted: bool,
    /// The way to the cited sentences, where it is known.
    pub sentence: Option<SentenceLink>,
    /// The media type of the document.
    pub media_type: Option<String>,
    /// The date of the last change, as the provider wrote it.
    pub modified: Option<String>,
    /// The author or editor of the document.
    pub author: Option<String>,
    /// The relevance, 0 to 1.
    pub score: Option<f64>,
    /// The raw scores behind `score`, if the provider gives any.
    pub raw_scores: Option<RawScores>,
    /// Key words of the document.
    pub keywords: Vec<String>,
    /// The name of the icon.
    pub icon: Option<String>,
    /// The marker of this source in the text, unchanged.
    pub marker: Option<String>,
    /// The sensitivity label.
    pub label: Option<SensitivityLabel>,
    /// Other facts that the caller knows about the document.
    pub metadata: Map<String, Value>,
    /// The note that it does not hold what it is cited for, if readers are told.
    pub mark: Option<SupportMark>,
    /// The number under which readers last saw it cited in this conversation, if it is a source of an earlier answer and none of
    /// this one. Such sources stand behind all others.
    pub earlier: Option<u32>,
}

impl Source {
    /// The sources of the answer itself, among which the numbers in its text are places.
    #[must_use]
    pub fn own(sources: &[Self]) -> &[Self] {
        let earlier = sources.iter().rev().take_while(|source| source.earlier.is_some()).count();
        &sources[..sources.len() - earlier]
    }

    /// The source of an earlier answer that readers last saw under a number.
    #[must_use]
    pub fn earlier(sources: &[Self], number: usize) -> Option<SourceIndex> {
        let own = Self::own(sources).len();
        let is_it = |source: &Self| source.earlier.is_some_and(|earlier| earlier as usize == number);
        sources[own..].iter().position(is_it).map(|at| SourceIndex(own + at))
    }

    /// Fills in missing facts from `other`. The first title, address, passage and date win (rule N-03), and the lowest rank
    /// (rule RC-01).
    pub fn fill_in(&mut self, other: Self) {
        fn take<T>(mine: &mut Option<T>, other: Option<T>) {
            if mine.is_none() {
                *mine = other;
            }
        }
        if self.id.is_none() {
            (self.id, self.id_of) = (other.id, other.id_of);
        }
        // The part belongs to the title: a source that is several parts is what these have in common.
        match (&self.title, self.part.take(), other.part) {
            (None, _, part) => self.part = part,
            (Some(_), Some(mine), Some(part)) => self.part = Some(mine.common(&part)),
            (Some(_), mine, _) => self.part = mine,
        }
        take(&mut self.title, other.title);
        // `url` and `address` stay a pair.
        if self.url.is_none() && other.url.is_some() {
            (self.url, self.address) = (other.url, other.address);
        } else if self.url.is_none() {
            take(&mut self.address, other.address);
        }
        if self.pointer.is_empty() {
            self.pointer = other.pointer;
        }
        self.rank = [self.rank, other.rank].into_iter().flatten().min();
        take(&mut self.chunk_id, other.chunk_id);
        take(&mut self.kind, other.kind);
        take(&mut self.filepath, other.filepath);
        take(&mut self.page, other.page);
        if self.content.is_none() {
            (self.content, self.is_quotation) = (other.content, other.is_quotation);
        }
        take(&mut self.media_type, other.media_type);
        take(&mut self.modified, other.modified);
        take(&mut self.author, other.author);
        take(&mut self.score, other.score);
        take(&mut self.icon, other.icon);
        take(&mut self.label, other.label);
        if self.keywords.is_empty() {
            self.keywords = other.keywords;
        }
        for (key, value) in other.metadata {
            self.metadata.entry(key).or_insert(value);
        }
    }

    /// The file name in [`filepath`](Self::filepath), without folders. A path that is a web address is parsed as an address.
    #[must_use]
    pub fn file_name(&self) -> Option<Cow<'_, str>> {
        let path = self.filepath.as_deref()?;
        match self.address_in_path() {
            Some(url) => url.file_name().map(|name| Cow::Owned(name.into_owned())),
            None => last_of_path(path).map(Cow::Borrowed),
        }
    }

    /// All names that a marker may use for the file: the path, its last part, and the last part of the address, decoded and
    /// encoded.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let path = self.filepath.as_deref().map(Cow::Borrowed);
        let in_url = self.url.as_ref().and_then(WebUrl::file_name);
        let encoded = self.url.as_ref().and_then(WebUrl::encoded_file_name).map(Cow::Borrowed);
        [path, self.file_name(), in_url, encoded].into_iter().flatten()
    }

    fn address_in_path(&self) -> Option<WebUrl> {
        self.filepath.as_ref().filter(|path| path.contains("://"))?.parse().ok()
    }

    /// The names for people, best first: title with its part, title, file name, file name in the address, host (policy P-08). Each
    /// is one nonempty line.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let file_in_url = || self.url.as_ref().and_then(WebUrl::file_name);
        let host = || self.url.as_ref().map(|url| Cow::Borrowed(url.host()));
        let host_in_path = || self.address_in_path().map(|url| Cow::Owned(url.host().to_owned()));
        let part = self.part.as_ref().zip(self.title.as_deref().filter(|title| !one_line(title).is_empty()));
        let part = part.map(|(part, title)| Cow::Owned(part.of(title))).into_iter();
        let title = self.title.as_deref().map(Cow::Borrowed);
        let names = part
            .chain(title)
            .chain(std::iter::once_with(|| self.file_name()).flatten())
            .chain(std::iter::once_with(file_in_url).flatten())
            .chain(std::iter::once_with(host).flatten())
            .chain(std::iter::once_with(host_in_path).flatten());
        names.map(on_one_line).filter(|name| !name.is_empty())
    }

    /// The first of the [names](Self::names). For `None`, the caller writes `Document n`, because it knows the number.
    #[must_use]
    pub fn display_title(&self) -> Option<Cow<'_, str>> {
        self.names().next()
    }

    /// Whether the name for people comes from the address, because the source has neither a title nor a path.
    pub(crate) fn is_named_by_address(&self) -> bool {
        let own = [self.title.as_deref().map(Cow::Borrowed), self.file_name()];
        own.into_iter().flatten().all(|name| one_line(&name).is_empty())
    }

    /// Whether the source is a web page from a search, and not one of several passages of a page.
    #[must_use]
    pub fn is_web_page(&self) -> bool {
        self.kind == Some(SourceKind::Web) && self.chunk_id.is_none()
    }

    /// Whether the document is a PDF, by media type or name. Only PDF links can address a page.
    #[must_use]
    pub fn is_pdf(&self) -> bool {
        let named_pdf = |name: &str| name.to_ascii_lowercase().ends_with(".pdf");
        match &self.media_type {
            Some(media_type) => media_type.to_ascii_lowercase().starts_with("application/pdf"),
            None => {
                let in_url = self.url.as_ref().and_then(WebUrl::file_name);
                [self.file_name(), in_url].iter().flatten().any(|name| named_pdf(name))
            }
        }
    }

    /// The address for readers: with a page number if the document is a PDF and the page is known.
    #[must_use]
    pub fn page_url(&self) -> Option<WebUrl> {
        let url = self.url.as_ref()?;
        Some(match self.page {
            Some(page) if self.is_pdf() => url.with_page(page),
            _ => url.clone(),
        })
    }
}

fn on_one_line(name: Cow<'_, str>) -> Cow<'_, str> {
    match name {
        Cow::Borrowed(name) => one_line(name),
        Cow::Owned(name) => one_line(&name).into_owned().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(title: &str, filepath: &str, url: &str) -> Option<String> {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let source =
            Source { title: some(title), filepath: some(filepath), url: url.parse().ok(), ..Source::default() };
        source.display_title().map(Cow::into_owned)
    }

    #[test]
    fn a_name_is_the_title_else_the_file_else_the_file_in_the_address_else_the_host() {
        for (title, filepath, url, expected) in [
            ("Leave", "a.pdf", "https://x/b.pdf", "Leave"),
            ("", "hr\\2024/leave.docx", "https://x/b.pdf", "leave.docx"),
            ("", "", "https://storage.blob.core.windows.net/docs/fourth.pdf?sv=2&sig=abc#page=2", "fourth.pdf"),
            ("", "", "https://x/Leave%20policy%20%C3%9C.pdf", "Leave policy Ü.pdf"),
            ("", "", "https://x/o/hr%2Fleave.pdf?alt=media", "leave.pdf"),
            ("", "", "https://hr.contoso.example/handbook", "hr.contoso.example"),
            ("", "", "https://www.contoso.com/docs.d/", "contoso.com"),
            ("", "", "https://www.contoso.com", "contoso.com"),
            ("", "", "https://api.contoso.com/v1.0", "api.contoso.com"),
            ("", "https://x.example/hr/Leave%20policy.pdf?sig=abc", "", "Leave policy.pdf"),
            ("", "https://x.example/hr/", "", "x.example"),
        ] {
            assert_eq!(named(title, filepath, url).as_deref(), Some(expected), "{title} {filepath} {url}");
        }
        assert_eq!(named("", "", ""), None);
    }

    #[test]
    fn a_name_out_of_an_address_is_one_line_that_shows_what_it_is() {
        for (url, expected) in [
            // This is not UTF-8, so the name stays encoded.
            ("https://x/%FF%FE.pdf", "%FF%FE.pdf"),
            ("https://x/100%.pdf", "100%.pdf"),
            ("https://x/a%0D%0Ab%00c.pdf", "a bc.pdf"),
            ("https://x/invoice%E2%80%AEfdp.exe", "invoicefdp.exe"),
            ("https://x/%20%0A.pdf", "x"),
            ("https://x/a.p%E2%80%AEdf", "x"),
            ("https://x/hr%2F%20", "x"),
        ] {
            assert_eq!(named("", "", url).as_deref(), Some(expected), "{url}");
        }
        // An invisible title counts as absent.
        for title in ["\u{200b}", "\u{3164}", "\u{2800} \u{feff}", "\u{e0041}\u{2067}"] {
            assert_eq!(named(title, "hr/leave.docx", "").as_deref(), Some("leave.docx"), "{title:?}");
        }
        assert_eq!(named("Leave\u{e0041}", "hr/leave.docx", "").as_deref(), Some("Leave"));
        assert_eq!(named(" \u{202e}\u{0}", "hr/leave.docx", "").as_deref(), Some("leave.docx"));
    }

    #[test]
    fn only_a_pdf_has_an_address_for_each_page() {
        let mut source =
            Source { url: "https://contoso.com/plan.pdf".parse().ok(), page: NonZeroU32::new(3), ..Source::default() };
        assert_eq!(source.page_url().map(|url| url.markdown()).as_deref(), Some("https://contoso.com/plan.pdf#page=3"));
        source.media_type = Some("text/html".into());
        assert_eq!(source.page_url().map(|url| url.markdown()).as_deref(), Some("https://contoso.com/plan.pdf"));
    }
}
