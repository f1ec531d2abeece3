//! A document of a library.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use citewire_documents::Format;
use url::Url;

use super::Passage;
use super::language::Language;
use crate::answer::Part;
use crate::store::DocumentLoss;
use crate::url::WebUrl;

/// The number of bytes of the digest that make an id.
const ID_BYTES: usize = 16;

/// The id of a document: the same as long as its path in the folder is the same. Letters, digits, `-` and `_` only, and no
/// clue to the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(String);

/// The text is not a document id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a document id has 22 characters: letters, digits, - and _")]
pub struct InvalidDocumentId;

impl DocumentId {
    /// The id of the document at this path, whose parts are separated by `/`.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        let digest = digest(&SHA256, path.as_bytes());
        let bytes = digest.as_ref();
        Self(URL_SAFE_NO_PAD.encode(&bytes[..ID_BYTES.min(bytes.len())]))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DocumentId {
    type Err = InvalidDocumentId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_one_of_ours = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        // Four characters for three bytes, without padding.
        let length = (ID_BYTES * 4).div_ceil(3);
        let is_id = text.len() == length && text.bytes().all(is_one_of_ours);
        is_id.then(|| Self(text.to_owned())).ok_or(InvalidDocumentId)
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A document of a library.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The id.
    pub id: DocumentId,
    /// The path in the folder, with `/` between the parts.
    pub path: String,
    /// The title that the document gives itself, else its first heading, else the name of the file.
    pub title: String,
    /// The media type, without parameters.
    pub media_type: &'static str,
    /// The number of pages or slides, where it has any.
    pub pages: Option<u32>,
    /// The parts that could not be read, where some are known.
    pub loss: Option<Arc<DocumentLoss>>,
    /// The number of lines that are no text: running heads, page numbers, tables of contents.
    pub left_out: usize,
    /// The address on the web, if there is one.
    pub url: Option<WebUrl>,
    /// Whether each heading has a place in the page at that address.
    pub(super) has_anchors: bool,
    /// The number of the upload, where the document was uploaded: another one under the same name has another number.
    pub edition: Option<u64>,
    /// The beginning of the digest of its texts.
    pub(super) version: String,
    /// The language of its texts, for the search.
    pub(super) language: Language,
    /// The headings that stand in several places: the headings above tell these apart.
    pub(super) repeated_headings: BTreeSet<String>,
}

impl Document {
    pub(super) fn new(path: String, format: Format, title: Option<String>, base: Option<&WebUrl>) -> Self {
        let name = path.rsplit('/').next().unwrap_or(&path);
        Self {
            id: DocumentId::of_path(&path),
            title: title.unwrap_or_else(|| name.to_owned()),
            media_type: format.media_type(),
            pages: None,
            loss: None,
            left_out: 0,
            url: base.and_then(|base| address(base, path.split('/'))),
            has_anchors: false,
            edition: None,
            version: String::new(),
            language: Language::default(),
            repeated_headings: BTreeSet::new(),
            path,
        }
    }

    /// The part of the document that a passage is, for its name.
    pub(super) fn part_of(&self, passage: &Passage) -> Option<Part> {
        let word = if self.media_type == Format::Pptx.media_type() { "slide" } else { "page" };
        let page = passage.page.map(|page| format!("{word} {page}"));
        let above: Vec<&str> =
            passage.headings.iter().map(String::as_str).skip_while(|heading| *heading == self.title).collect();
        let heading = match above.last() {
            Some(nearest) if self.repeated_headings.contains(*nearest) => Some(above.join(" > ")),
            nearest => nearest.map(|nearest| (*nearest).to_owned()),
        };
        (page.is_some() || heading.is_some()).then(|| Part::new(page, heading))
    }

    /// The address of a passage: of the nearest heading above it, where the page has places for those. A heading that is there twice
    /// is no place: its address would lead to the first one.
    pub(super) fn url_of(&self, passage: &Passage) -> Option<WebUrl> {
        let url = self.url.as_ref()?;
        let is_place = |heading: &&String| {
            self.has_anchors && **heading != self.title && !self.repeated_headings.contains(*heading)
        };
        let nearest = passage.headings.last().filter(is_place);
        let led = nearest.map(|heading| format!("{}#{}", url.as_str(), heading_anchor(heading)).parse());
        led.and_then(Result::ok).or_else(|| Some(url.clone()))
    }

    /// The name of the file.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The place of a heading in the address of its page: small letters, digits and hyphens, as sites that show Markdown write it.
#[must_use]
pub fn heading_anchor(heading: &str) -> String {
    let letters = heading.trim().chars().flat_map(char::to_lowercase);
    letters
        .filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            letter => letter.is_alphanumeric().then_some(letter),
        })
        .collect()
}

/// An address with these parts of a path behind it, each written so that it is one part. Its query is not that of what lies
/// below it.
pub(super) fn address<'p>(base: &WebUrl, parts: impl IntoIterator<Item = &'p str>) -> Option<WebUrl> {
    let mut url = Url::parse(base.as_str()).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    url.path_segments_mut().ok()?.pop_if_empty().extend(parts);
    url.as_str().parse().ok()
}

#[cfg(test)]
mod tests {
    use citewire_documents::Markup;

    use super::*;

    #[test]
    fn an_id_is_that_of_the_path_and_safe_in_an_address() {
        let id = DocumentId::of_path("hr/Über uns?.md");
        assert_eq!(id, DocumentId::of_path("hr/Über uns?.md"));
        assert_ne!(id, DocumentId::of_path("hr/Über uns.md"));
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        for bad in ["", "a", "../../etc/passwd", &format!("{id}x"), &format!(".{}", &id.as_str()[1..])] {
            assert_eq!(bad.parse::<DocumentId>(), Err(InvalidDocumentId), "{bad:?}");
        }
    }

    #[test]
    fn a_document_that_is_on_the_web_has_its_address_there() {
        let url = |base: &str, path: &str| {
            let base: WebUrl = base.parse().expect("an address");
            let document = Document::new(path.to_owned(), Format::Markdown, None, Some(&base));
            document.url.map(|url| url.as_str().to_owned())
        };
        assert_eq!(url("https://x.example/docs", "a.md").as_deref(), Some("https://x.example/docs/a.md"));
        assert_eq!(
            url("https://x.example/docs/?a=1#b", "b c/50% ?#ü.md").as_deref(),
            Some("https://x.example/docs/b%20c/50%25%20%3F%23%C3%BC.md")
        );
    }

    #[test]
    fn the_name_of_a_passage_says_its_page_and_its_heading() {
        let name = |document: &Document, page: Option<u32>, headings: &[&str]| {
            let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
            let passage = Passage { headings, text: String::new(), page, place: 0, markup: Markup::Markdown };
            let part = document.part_of(&passage);
            part.map_or_else(|| document.title.clone(), |part| part.of(&document.title))
        };
        let of = |path: &str, format| Document::new(path.to_owned(), format, Some("Manual".to_owned()), None);
        let mut manual = of("manual.pdf", Format::Pdf);
        assert_eq!(name(&manual, Some(7), &[]), "Manual, page 7");
        assert_eq!(name(&manual, Some(7), &["Manual", "Leave"]), "Manual, page 7: Leave");
        assert_eq!(name(&manual, None, &["Manual"]), "Manual");
        assert_eq!(name(&of("q3.pptx", Format::Pptx), Some(2), &["Guidance"]), "Manual, slide 2: Guidance");
        manual.repeated_headings = BTreeSet::from(["Limits".to_owned()]);
        let [one, other] = ["Leave", "Travel"].map(|above| name(&manual, None, &["Manual", above, "Limits"]));
        assert_eq!((one.as_str(), other.as_str()), ("Manual: Leave > Limits", "Manual: Travel > Limits"));
    }

    #[test]
    fn a_passage_is_led_to_at_the_heading_above_it_if_that_is_there_once() {
        let base = "https://x.example/help/".parse().expect("an address");
        let mut page = Document::new("run.md".to_owned(), Format::Markdown, Some("Run".to_owned()), Some(&base));
        page.has_anchors = true;
        page.repeated_headings = BTreeSet::from(["Limits".to_owned()]);
        let url = |heading: &str| {
            let headings = vec!["Run".to_owned(), heading.to_owned()];
            let passage = Passage { headings, text: String::new(), page: None, place: 0, markup: Markup::Markdown };
            page.url_of(&passage).map(|url| url.as_str().to_owned())
        };
        let whole = "https://x.example/help/run.md";
        assert_eq!(url("First steps"), Some(format!("{whole}#first-steps")));
        assert_eq!((url("Limits").as_deref(), url("Run").as_deref()), (Some(whole), Some(whole)));
    }

    #[test]
    fn without_a_heading_the_title_is_the_name_of_the_file() {
        let document = Document::new("a/b.txt".to_owned(), Format::Text, None, None);
        assert_eq!(
            (document.title.as_str(), document.file_name(), document.media_type),
            ("b.txt", "b.txt", "text/plain")
        );
    }
}
