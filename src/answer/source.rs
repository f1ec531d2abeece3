//! The document behind a citation.

use std::num::NonZeroU32;

use serde_json::{Map, Value};

use super::{SensitivityLabel, SourceKind};
use crate::url::WebUrl;

/// One source, as the provider gave it. Blank strings count as absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Source {
    /// Where the source stands in the input, as a JSON pointer.
    pub pointer: String,
    /// The provider's id.
    pub id: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The address, when it is an absolute http(s) one.
    pub url: Option<WebUrl>,
    /// The address as the provider wrote it, where [`url`](Self::url) is not the same text: `s3://bucket/file`, a path.
    pub address: Option<String>,
    /// The file name or path.
    pub filepath: Option<String>,
    /// The passage's id among those of its document.
    pub chunk_id: Option<String>,
    /// What kind of thing it is.
    pub kind: Option<SourceKind>,
    /// How far up it stood in what the provider found, counted from 1, where the order of its sources says so.
    pub rank: Option<NonZeroU32>,
    /// The page, counted from 1.
    pub page: Option<NonZeroU32>,
    /// The passage.
    pub content: Option<String>,
    /// The media type of the document.
    pub media_type: Option<String>,
    /// When the document was last changed, as the provider wrote it.
    pub modified: Option<String>,
    /// Who wrote or edited the document.
    pub author: Option<String>,
    /// How well the source fits, 0 to 1.
    pub score: Option<f64>,
    /// Key words of the document.
    pub keywords: Vec<String>,
    /// The name of an icon.
    pub icon: Option<String>,
    /// The marker that stands for this source in the text, letter by letter.
    pub marker: Option<String>,
    /// The sensitivity label.
    pub label: Option<SensitivityLabel>,
    /// What else the caller knows about the document.
    pub metadata: Map<String, Value>,
}

impl Source {
    /// Takes over what this source does not know: the first title, address, passage and date win (rule N-03),
    /// and the lowest rank (rule S4-13).
    pub fn fill_in(&mut self, other: Self) {
        fn take<T>(mine: &mut Option<T>, other: Option<T>) {
            if mine.is_none() {
                *mine = other;
            }
        }
        take(&mut self.id, other.id);
        take(&mut self.title, other.title);
        // An address as it was written belongs to the one that is read.
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
        take(&mut self.content, other.content);
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

    /// The name of the file, without folders.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        let path = self.filepath.as_deref()?;
        path.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).map(str::trim)
    }

    /// The title for people (policy P-08): title, else file name, else host. `None` leaves `Document n` to the caller,
    /// who knows the number.
    #[must_use]
    pub fn display_title(&self) -> Option<&str> {
        self.title.as_deref().or_else(|| self.file_name()).or_else(|| self.url.as_ref().map(WebUrl::host))
    }

    /// Whether the document is a PDF, by media type or name; only there a page can be addressed.
    #[must_use]
    pub fn is_pdf(&self) -> bool {
        let named_pdf = |name: &str| name.to_ascii_lowercase().ends_with(".pdf");
        match &self.media_type {
            Some(media_type) => media_type.to_ascii_lowercase().starts_with("application/pdf"),
            None => {
                self.file_name().is_some_and(named_pdf)
                    || self.url.as_ref().and_then(WebUrl::file_name).is_some_and(named_pdf)
            }
        }
    }

    /// The address that readers are led to: that of the page where the document is a PDF and the page is known.
    #[must_use]
    pub fn page_url(&self) -> Option<WebUrl> {
        let url = self.url.as_ref()?;
        Some(match self.page {
            Some(page) if self.is_pdf() => url.with_page(page),
            _ => url.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_falls_back_to_the_file_name_and_then_to_the_host() {
        let mut source = Source { url: "https://www.contoso.com/x".parse().ok(), ..Source::default() };
        assert_eq!(source.display_title(), Some("contoso.com"));
        source.filepath = Some("hr\\2024/leave.docx".into());
        assert_eq!(source.display_title(), Some("leave.docx"));
        source.title = Some("Leave".into());
        assert_eq!(source.display_title(), Some("Leave"));
        assert_eq!(Source::default().display_title(), None);
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
