//! Reads one file of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use aws_lc_rs::digest::{Context, SHA256};
use citewire_documents::{Extracted, Format, Markup, Unreadable, text_of};
use futures_util::FutureExt as _;

use super::extraction::Load;
use super::folder::{self, ListedFile};
use super::heading_words::HeadingWords;
use super::language::Language;
use super::passage_address::short;
use super::vectors::TextsDigest;
use super::{Document, DocumentReader, LibraryError, LibraryOptions, Passage, split};
use crate::digest::of_parts;
use crate::store::DocumentLoss;
use crate::url::WebUrl;

/// A document with its passages.
#[derive(Clone, Debug)]
pub(super) struct FileContent {
    pub(super) document: Arc<Document>,
    pub(super) passages: Arc<[Arc<Passage>]>,
    /// The words of its title and headings, for the search.
    pub(super) headings: Arc<HeadingWords>,
    /// The digest of the document and its texts, as they are found and quoted.
    pub(super) digest: [u8; 32],
    /// The bytes of its texts and their headings.
    pub(super) text_bytes: u64,
    /// The digest of the texts of which vectors are made, once it was asked for.
    in_context: Arc<OnceLock<TextsDigest>>,
}

impl FileContent {
    /// The digest of the texts of its passages below its title, of which vectors are made.
    pub(super) fn texts_in_context(&self) -> TextsDigest {
        *self.in_context.get_or_init(|| {
            let mut context = Context::new(&SHA256);
            for passage in self.passages.iter() {
                let text = passage.in_context(&self.document.title);
                context.update(&(text.len() as u64).to_le_bytes());
                context.update(text.as_bytes());
            }
            let mut texts = TextsDigest::default();
            texts.copy_from_slice(context.finish().as_ref());
            texts
        })
    }

    /// The path of the document.
    pub(super) fn path(&self) -> &str {
        &self.document.path
    }

    pub(super) fn new(mut document: Document, passages: Vec<Arc<Passage>>) -> Self {
        document.language = Language::of(passages.iter().map(|passage| passage.text.as_str()));
        document.repeated_headings = repeated_headings(&passages);
        let digest = of_parts(
            [&document.path, &document.title]
                .into_iter()
                .chain(passages.iter().flat_map(|passage| passage.headings.iter().chain([&passage.text]))),
        );
        document.version = short(digest);
        let texts = passages.iter().flat_map(|passage| passage.headings.iter().chain([&passage.text]));
        let text_bytes = texts.map(|text| text.len() as u64).sum();
        let headings = HeadingWords::of(&document, passages.iter().map(Arc::as_ref));
        Self {
            document: Arc::new(document),
            passages: passages.into(),
            headings: Arc::new(headings),
            digest,
            text_bytes,
            in_context: Arc::default(),
        }
    }
}

/// The headings that stand below different ones.
fn repeated_headings(passages: &[Arc<Passage>]) -> BTreeSet<String> {
    let mut above: BTreeMap<&str, &[String]> = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    for passage in passages {
        let Some((nearest, others)) = passage.headings.split_last() else { continue };
        if *above.entry(nearest).or_insert(others) != others {
            repeated.insert(nearest.clone());
        }
    }
    repeated
}

/// The result of reading a file.
pub(super) type FileRead = Result<FileContent, Unreadable>;

/// Reads a file that was listed; `None` when it is gone.
///
/// # Errors
/// When the system does not let it be read, or what reads it be started.
pub(super) async fn read(options: LibraryOptions, file: ListedFile) -> Result<Option<FileRead>, LibraryError> {
    let ListedFile { path, format, .. } = file;
    let load = || {
        let reading = (options.clone(), path.clone());
        async move { tokio::task::spawn_blocking(move || folder::read(&reading.0, &reading.1)).await? }.boxed()
    };
    read_from(path.clone(), format, &load, options.reader.as_ref(), options.base_url.clone()).await
}

/// Reads a file from where its bytes are; `None` when it is gone. Text is loaded at once, and other formats when it is their turn.
///
/// # Errors
/// When the bytes cannot be loaded, or the program that reads them cannot be started.
pub(super) async fn read_from(
    path: String,
    format: Format,
    load: &Load<'_>,
    reader: Option<&DocumentReader>,
    base: Option<WebUrl>,
) -> Result<Option<FileRead>, LibraryError> {
    let extracted = match reader.filter(|_| !format.is_text()) {
        Some(reader) => reader.read(format, load).await?,
        None => load().await?.map(|bytes| text_of(&bytes).map(|text| whole(text, format))),
    };
    let Some(extracted) = extracted else { return Ok(None) };
    let content = move || extracted.map(|extracted| content(path, format, &extracted, base.as_ref()));
    Ok(Some(tokio::task::spawn_blocking(content).await?))
}

/// A text that nothing has to parse.
fn whole(text: String, format: Format) -> Extracted {
    let markup = if format == Format::Markdown { Markup::Markdown } else { Markup::Plain };
    Extracted::of_text(markup, text)
}

/// The document that a text makes.
fn content(path: String, format: Format, extracted: &Extracted, base: Option<&WebUrl>) -> FileContent {
    let loss = extracted.loss();
    if let Some(loss) = &loss {
        tracing::warn!(path, %loss, "a part of a document could not be read");
    }
    let parts = split::split_pages(extracted, format);
    // The first heading of a spreadsheet is the name of its first sheet.
    let heading = parts.title.filter(|_| format != Format::Xlsx);
    let title = extracted.title.clone().or(heading).map(|title| split::shortened(&title));
    let mut document = Document::new(path, format, title, base);
    document.pages = extracted.page_count;
    document.loss = loss.map(|loss| Arc::new(DocumentLoss { words: loss.to_string(), is_partial: loss.is_partial }));
    document.left_out = extracted.left_out.len() + parts.left_out;
    FileContent::new(document, parts.passages.into_iter().map(Arc::new).collect())
}

/// A text that is part of the program, and that it shows below an address.
pub(super) fn built_in(path: &str, text: &str, base: Option<&WebUrl>) -> Option<FileContent> {
    let format = Format::of_name(path).filter(|format| format.is_text())?;
    let mut content = content(path.to_owned(), format, &whole(text.to_owned(), format), base);
    Arc::make_mut(&mut content.document).has_anchors = base.is_some();
    Some(content)
}
