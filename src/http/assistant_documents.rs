//! `/v1/assistants/{name}/documents`: the uploaded documents of an assistant.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web::{Bytes, Data, Path, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use tokio::time::Instant;
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;

use super::admission::uploads::{FREE_BYTES, UploadSlot, Uploader};
use super::assistants::manager;
use super::audit::StoredVersion;
use super::body::Incoming;
use super::convert::json;
use super::error::AssistantError;
use super::tasks::Tasks;
use super::{ApiError, State};
use crate::assistant::DocumentsSource;
use crate::document::{Library, UploadOptions, is_supported, supported_endings};
use crate::store::{
    AssistantStore, DocumentKey, DocumentLimits, DocumentPart, DocumentState, MAX_PIECE_BYTES, NamedDocument,
    Publication, StoredDocument,
};

/// The longest file name, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// An upload is answered after this time if the document has not been read by then.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// A document of an assistant.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadedDocument<'a> {
    /// The file name.
    #[schema(example = "handbook.pdf")]
    name: &'a str,
    /// The size of the file.
    bytes: u64,
    /// When the upload ended.
    #[schema(value_type = String, format = DateTime)]
    received: DateTime<Utc>,
    /// `reading`: the text is being extracted. `ready`: the document is searched. `partial`: pages or most of its letters could not
    /// be read, see `loss`; the rest is searched. `unreadable`: see `reason`.
    state: &'static str,
    /// The number of pages. Null if the format has no pages or the document is not ready.
    pages: Option<u32>,
    /// The number of passages. Null if the document is not ready.
    passages: Option<u32>,
    /// The pages of which something could not be read. Null if no loss is known.
    #[schema(example = "page 3: 12 % of its letters could not be read")]
    loss: Option<&'a str>,
    /// Why the document cannot be read. Null unless it is `unreadable`.
    reason: Option<&'a str>,
}

impl<'a> From<&'a StoredDocument> for UploadedDocument<'a> {
    fn from(stored: &'a StoredDocument) -> Self {
        let StoredDocument { name, bytes, received, state, .. } = stored;
        let base = Self {
            name,
            bytes: *bytes,
            received: *received,
            state: "reading",
            pages: None,
            passages: None,
            loss: None,
            reason: None,
        };
        match state {
            DocumentState::Reading => base,
            DocumentState::Ready { pages, passages, loss } => {
                let is_partial = loss.as_ref().is_some_and(|loss| loss.is_partial);
                let state = if is_partial { "partial" } else { "ready" };
                let loss = loss.as_ref().map(|loss| loss.words.as_str());
                Self { state, pages: *pages, passages: Some(*passages), loss, ..base }
            }
            DocumentState::Unreadable { reason } => Self { state: "unreadable", reason: Some(reason), ..base },
        }
    }
}

/// The documents of an assistant.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadedDocuments<'a> {
    /// The documents, by name.
    documents: Vec<UploadedDocument<'a>>,
    /// The size of all files.
    bytes: u64,
    /// The largest size of all files.
    max_bytes: u64,
}

/// List the documents of an assistant.
#[utoipa::path(
    get, path = "/v1/assistants/{name}/documents", tag = "assistants", operation_id = "listDocuments",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 200, description = "All documents", body = UploadedDocuments),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The assistant is part of the configuration file, or has no documents"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn list(state: Data<State>, name: Path<String>) -> Result<HttpResponse, ApiError> {
    let options = upload_options(&state, &name).await?;
    let manager = manager(&state)?;
    let mut stored = manager.store().documents(&name).await?;
    let library = manager.library(&name);
    stored.iter_mut().for_each(|stored| until_searched(stored, library.as_deref()));
    let documents: Vec<UploadedDocument<'_>> = stored.iter().map(UploadedDocument::from).collect();
    let bytes = documents.iter().map(|document| document.bytes).sum();
    json(HttpResponse::Ok(), &UploadedDocuments { documents, bytes, max_bytes: options.max_total_bytes })
}

/// Upload a document.
///
/// The body is the file. A document of the same name is replaced; until the new one is read, answers quote the old one.
#[utoipa::path(
    put, path = "/v1/assistants/{name}/documents/{file}", tag = "assistants", operation_id = "uploadDocument",
    params(
        ("name" = String, Path, description = "The name of the assistant"),
        ("file" = String, Path, description = "The file name, percent-encoded; its ending tells the format"),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses(
        (status = 201, description = "The document was read: it is `ready` or `unreadable`", body = UploadedDocument),
        (status = 202, description = "The document is being read", body = UploadedDocument),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The assistant is part of the configuration file, has no documents, or has too many"),
        (status = 413, description = "The file, or all files together, are too large"),
        (status = 415, description = "Files with this ending cannot be read"),
        (status = 422, description = "The file name is invalid"),
        (status = 429, description = "The store is full"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn upload(
    state: Data<State>,
    path: Path<(String, String)>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let (name, file) = path.into_inner();
    let options = upload_options(&state, &name).await?;
    let file = composed(&file);
    check_name(&file)?;
    let manager = manager(&state)?;
    let store = manager.store();
    let named = named(&**store, &name, &file).await?;
    if named.document.is_none() && named.count >= options.max_documents as u64 {
        return Err(AssistantError::TooManyDocuments { limit: options.max_documents }.into());
    }
    let file = named.document.map_or(file, |stored| stored.name);
    let limit = usize::try_from(options.max_document_bytes).unwrap_or(usize::MAX);
    let (pause, rate) = (state.options.body_timeout, state.options.limits.upload_bytes_per_second);
    let incoming = Incoming::new(&request, payload, limit, pause, rate).await?;
    let mut slot = state.uploads.begin(Uploader::Key)?;
    let key = store.draft_document(&name, &file).await?.ok_or(AssistantError::Unknown)?;
    let mut draft = UploadDraft { store: Arc::clone(store), key: Some(key), tasks: state.tasks.clone() };
    let taken = take(&**store, key, &options, &mut slot, incoming).await;
    draft.key = None;
    if taken.is_err() {
        store.discard_draft(key).await?;
    }
    taken?;
    request.extensions_mut().insert(StoredVersion(key.0));
    let mut read = manager.watch_reads();
    manager.uploaded();
    let waited = tokio::time::timeout(READ_WITHIN, async {
        loop {
            let mut stored = store.document(key).await?;
            stored.iter_mut().for_each(|stored| until_searched(stored, manager.library(&name).as_deref()));
            let is_reading = stored.as_ref().is_some_and(|stored| stored.state == DocumentState::Reading);
            if !is_reading || read.changed().await.is_err() {
                return Ok::<_, ApiError>(stored);
            }
        }
    });
    let stored = match waited.await {
        Ok(stored) => stored?,
        Err(_) => store.document(key).await?,
    };
    let mut stored = match stored {
        Some(stored) => stored,
        // Another upload took its place meanwhile.
        None => find(&**store, &name, &file).await?,
    };
    until_searched(&mut stored, manager.library(&name).as_deref());
    let is_read = stored.state != DocumentState::Reading;
    let builder = if is_read { HttpResponse::Created() } else { HttpResponse::Accepted() };
    json(builder, &UploadedDocument::from(&stored))
}

/// Read the state of a document.
#[utoipa::path(
    get, path = "/v1/assistants/{name}/documents/{file}", tag = "assistants", operation_id = "readDocument",
    params(
        ("name" = String, Path, description = "The name of the assistant"),
        ("file" = String, Path, description = "The file name, percent-encoded"),
    ),
    responses(
        (status = 200, description = "The document", body = UploadedDocument),
        (status = 404, description = "The assistant or the document does not exist"),
        (status = 409, description = "The assistant is part of the configuration file, or has no documents"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read(state: Data<State>, path: Path<(String, String)>) -> Result<HttpResponse, ApiError> {
    let (name, file) = path.into_inner();
    upload_options(&state, &name).await?;
    let manager = manager(&state)?;
    let mut stored = find(&**manager.store(), &name, &file).await?;
    until_searched(&mut stored, manager.library(&name).as_deref());
    json(HttpResponse::Ok(), &UploadedDocument::from(&stored))
}

/// Delete a document.
#[utoipa::path(
    delete, path = "/v1/assistants/{name}/documents/{file}", tag = "assistants", operation_id = "deleteDocument",
    params(
        ("name" = String, Path, description = "The name of the assistant"),
        ("file" = String, Path, description = "The file name, percent-encoded"),
    ),
    responses(
        (status = 204, description = "The document was deleted"),
        (status = 404, description = "The assistant or the document does not exist"),
        (status = 409, description = "The assistant is part of the configuration file, or has no documents"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn delete(state: Data<State>, path: Path<(String, String)>) -> Result<HttpResponse, ApiError> {
    let (name, file) = path.into_inner();
    upload_options(&state, &name).await?;
    let manager = manager(&state)?;
    let stored = find(&**manager.store(), &name, &file).await?;
    if !manager.store().delete_document(&name, &stored.name).await? {
        return Err(AssistantError::UnknownDocument.into());
    }
    manager.refresh().await;
    Ok(HttpResponse::NoContent().finish())
}

/// The limits of uploads to an assistant.
async fn upload_options(state: &State, name: &str) -> Result<UploadOptions, ApiError> {
    let plan = manager(state)?.stored_plan(name).await.map_err(AssistantError::from)?;
    match plan.ok_or(AssistantError::Unknown)?.documents.map(|documents| documents.source) {
        Some(DocumentsSource::Uploads(options)) => Ok(options),
        Some(DocumentsSource::Folder(_) | DocumentsSource::Bucket(..)) | None => {
            Err(AssistantError::NoDocuments.into())
        }
    }
}

fn check_name(file: &str) -> Result<(), AssistantError> {
    let is_name = (1..=MAX_NAME_BYTES).contains(&file.len())
        && !file.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
        && file.trim() == file
        && !matches!(file, "." | "..");
    if !is_name {
        return Err(AssistantError::DocumentName);
    }
    if is_supported(file) { Ok(()) } else { Err(AssistantError::Unsupported { supported: supported_endings() }) }
}

/// A document on its way into the store. Unless all of it came there, it is deleted, also when its sender is gone.
struct UploadDraft {
    store: Arc<dyn AssistantStore>,
    /// `None` when it is published.
    key: Option<DocumentKey>,
    tasks: Tasks,
}

impl Drop for UploadDraft {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        let store = Arc::clone(&self.store);
        self.tasks.spawn(async move {
            if let Err(error) = store.discard_draft(key).await {
                // The next sweep deletes it.
                tracing::warn!(%error, "an upload that broke off could not be deleted");
            }
        });
    }
}

/// Stores the body piece by piece, and publishes the document.
async fn take(
    store: &dyn AssistantStore,
    key: DocumentKey,
    options: &UploadOptions,
    slot: &mut UploadSlot,
    mut incoming: Incoming,
) -> Result<(), ApiError> {
    let mut piece = Vec::new();
    let mut has_room = false;
    while let Some(mut chunk) = incoming.next().await? {
        if !has_room && incoming.length() > FREE_BYTES {
            let asked = Instant::now();
            // The store has all but one piece.
            slot.take(incoming.expected().min(MAX_PIECE_BYTES)).await?;
            incoming.waited(asked.elapsed());
            has_room = true;
        }
        while !chunk.is_empty() {
            let fitting: Bytes = chunk.split_to(chunk.len().min(MAX_PIECE_BYTES - piece.len()));
            piece.extend_from_slice(&fitting);
            if piece.len() == MAX_PIECE_BYTES {
                let asked = Instant::now();
                add(store, key, std::mem::take(&mut piece)).await?;
                incoming.waited(asked.elapsed());
            }
        }
    }
    if !piece.is_empty() {
        add(store, key, piece).await?;
    }
    let limits = DocumentLimits { max_bytes: options.max_total_bytes, max_documents: options.max_documents as u64 };
    match store.publish_document(key, limits).await? {
        Publication::Published => Ok(()),
        Publication::Unknown => Err(AssistantError::Unknown.into()),
        Publication::TooMany => Err(AssistantError::TooManyDocuments { limit: options.max_documents }.into()),
        Publication::TooLarge => Err(AssistantError::DocumentsTooLarge { limit: options.max_total_bytes }.into()),
    }
}

async fn add(store: &dyn AssistantStore, key: DocumentKey, piece: Vec<u8>) -> Result<(), ApiError> {
    // The assistant was deleted meanwhile.
    if store.add_piece(key, DocumentPart::File, piece).await? { Ok(()) } else { Err(AssistantError::Unknown.into()) }
}

/// A document whose text is stored is ready when answers can quote it, which is a moment later.
fn until_searched(stored: &mut StoredDocument, library: Option<&Library>) {
    let is_ready = matches!(stored.state, DocumentState::Ready { .. });
    if is_ready && library.is_some_and(|library| !library.is_searched(stored)) {
        stored.state = DocumentState::Reading;
    }
}

async fn find(store: &dyn AssistantStore, name: &str, file: &str) -> Result<StoredDocument, ApiError> {
    named(store, name, file).await?.document.ok_or_else(|| AssistantError::UnknownDocument.into())
}

/// The document of this name, however its letters are composed: an `ü` of two characters looks like one. Older versions stored
/// names as they came, so that both may be there; the one that was named comes first.
async fn named(store: &dyn AssistantStore, name: &str, file: &str) -> Result<NamedDocument, ApiError> {
    let mut named = store.named_document(name, file).await?;
    // A name of ASCII has one form.
    if named.document.is_none() && named.count > 0 && !file.is_ascii() {
        let documents = store.documents(name).await?;
        named.document = documents.into_iter().find(|document| composed(&document.name) == composed(file));
    }
    Ok(named)
}

/// The name in Unicode's form NFC, in which names are stored.
fn composed(name: &str) -> String {
    name.nfc().collect()
}
