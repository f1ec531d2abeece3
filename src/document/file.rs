//! Reads one file of a folder.

use std::sync::Arc;

use citewire_documents::{Extracted, Format, Markup, PageText, Unreadable, text_of};

use super::folder::{self, Listed};
use super::{Document, DocumentReader, LibraryError, LibraryOptions, Passage, split};
use crate::url::WebUrl;

/// A document with its passages.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) document: Arc<Document>,
    pub(super) passages: Vec<Arc<Passage>>,
}

/// What came of reading a file.
pub(super) type FileRead = Result<Content, Unreadable>;

/// Reads a file that was listed; `None` when it is gone.
///
/// # Errors
/// When the system does not let it be read, or what reads it be started.
pub(super) async fn read(options: LibraryOptions, file: Listed) -> Result<Option<FileRead>, LibraryError> {
    let Listed { path, format, .. } = file;
    let reading = (options.clone(), path.clone());
    let bytes = tokio::task::spawn_blocking(move || folder::read(&reading.0, &reading.1)).await??;
    let Some(bytes) = bytes else { return Ok(None) };
    of_bytes(path, format, bytes, options.reader.as_ref(), options.base_url).await.map(Some)
}

/// Reads the bytes of a file.
///
/// # Errors
/// When the program that reads it cannot be started.
pub(super) async fn of_bytes(
    path: String,
    format: Format,
    bytes: Vec<u8>,
    reader: Option<&DocumentReader>,
    base: Option<WebUrl>,
) -> Result<FileRead, LibraryError> {
    let extracted = match reader.filter(|_| !format.is_text()) {
        Some(reader) => {
            let read = reader.read(&bytes, format).await;
            read.map_err(|source| LibraryError::Reader { program: reader.program.clone(), source })?
        }
        None => text_of(&bytes).map(|text| whole(text, format)),
    };
    let content = move || extracted.map(|extracted| content(path, format, &extracted, base.as_ref()));
    Ok(tokio::task::spawn_blocking(content).await?)
}

/// A text that nothing has to parse.
fn whole(text: String, format: Format) -> Extracted {
    let markup = if format == Format::Markdown { Markup::Markdown } else { Markup::Plain };
    let pages = vec![PageText { number: None, text }];
    Extracted { title: None, markup, pages, page_count: None, lost_pages: Vec::new() }
}

/// The document that a text makes.
fn content(path: String, format: Format, extracted: &Extracted, base: Option<&WebUrl>) -> Content {
    if !extracted.lost_pages.is_empty() {
        tracing::warn!(path, pages = ?extracted.lost_pages, "pages of a document could not be read");
    }
    let parts = split::split_pages(extracted);
    // The first heading of a spreadsheet is the name of its first sheet.
    let heading = parts.title.filter(|_| format != Format::Xlsx);
    let title = extracted.title.clone().or(heading);
    let mut document = Document::new(path, format, title, base);
    document.pages = extracted.page_count;
    Content { document: Arc::new(document), passages: parts.passages.into_iter().map(Arc::new).collect() }
}

/// A text that is part of the program.
pub(super) fn built_in(path: &str, text: &str) -> Option<Content> {
    let format = Format::of_name(path).filter(|format| format.is_text())?;
    Some(content(path.to_owned(), format, &whole(text.to_owned(), format), None))
}
