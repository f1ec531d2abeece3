//! `GET /v1/documents/{id}/download`: downloads of cited documents (rules AH-07 and AH-08).

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::body::SizedStream;
use actix_web::http::{Method, header};
use actix_web::web::{Data, Path, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use futures_util::stream;

use super::error::DocumentError;
use super::query::Query;
use super::ranges::{self, OutOfRange};
use super::sending::sent;
use super::{ApiError, State};
use crate::activity::ConversationId;
use crate::assistant::{Assistant, LinkMode};
use crate::channels::direct_line::Owner;
use crate::document::{Document, DownloadAddress, DownloadError, SignedReaders};

/// The credential of a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DownloadReader {
    /// The API key.
    Trusted,
    /// The token of a conversation, whose holder reads the documents that the assistant of that conversation cites.
    Of(ConversationId),
    /// The address alone, which has not been judged yet.
    Unknown,
}

/// The parameters that make an address a credential: with the time until which it is good, or with the conversation for whose
/// readers it is.
pub(super) const EXPIRES: &str = "expires";
pub(super) const EDITION: &str = "edition";
pub(super) const CONVERSATION: &str = "conversation";
pub(super) const BEGUN: &str = "begun";
pub(super) const SIGNATURE: &str = "signature";

/// Whether an address claims to be a credential itself.
pub(crate) fn is_signed(query: &Query) -> bool {
    [EXPIRES, SIGNATURE].iter().any(|name| query.get(name).is_some())
}

/// Download a document that an assistant cites.
///
/// The request needs an API key, a token of a conversation in which that assistant answers, or a signed link. Answers contain
/// signed links if `citation_link_mode` of the assistant is `public`, and on the embedded channel. A signed link of the
/// embedded channel stays valid until its conversation is deleted.
#[utoipa::path(
    get, path = "/v1/documents/{id}/download", tag = "documents", operation_id = "downloadDocument",
    params(
        ("id" = String, Path, description = "The assistant and the document: `{assistant}.{document}`"),
        ("expires" = Option<i64>, Query, description = "When the link expires, in seconds since 1970"),
        ("edition" = Option<u64>, Query, description = "The upload to which the link leads"),
        ("conversation" = Option<String>, Query, description = "The conversation whose readers may use the link"),
        ("begun" = Option<i64>, Query, description = "The creation time of that conversation, in ms since 1970"),
        ("signature" = Option<String>, Query, description = "The signature of the link, which replaces a credential"),
    ),
    responses(
        (status = 200, description = "The document", content_type = "application/octet-stream"),
        (status = 206, description = "The part of the document that the `Range` header asks for",
            content_type = "application/octet-stream"),
        (status = 304, description = "The reader has this version: its `ETag` stands in `If-None-Match`"),
        (status = 401, description = "The request has neither a credential nor a signature"),
        (status = 403, description = "The link or the token has expired or is invalid, or the documents are not \
            public"),
        (status = 404, description = "The document does not exist"),
        (status = 429, description = "Too many requests or downloads from this address; retry after `Retry-After`"),
        (status = 416, description = "The range lies behind the end of the document"),
    ),
    security(("reader" = []))
)]
pub(crate) async fn download(
    state: Data<State>,
    reader: ReqData<DownloadReader>,
    id: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let client = limited(&state, &reader, &request)?;
    let address = DownloadAddress::parse(&id).ok_or(DocumentError::Unknown)?;
    // Before anything is looked up: to strangers, all assistants and documents are the same.
    let signed = match &*reader {
        DownloadReader::Unknown => Some(judge(&state, &address, &Query::of(&request)).await?),
        DownloadReader::Trusted | DownloadReader::Of(_) => None,
    };
    let assistant = admitted(&state, &reader, &address, signed.as_ref())?;
    let library = assistant.library().ok_or(DocumentError::Unknown)?;
    let document = library.document(&address.document).ok_or(DocumentError::Unknown)?;
    let opened = library.open_file(&address.document).await.unwrap_or_else(|error| {
        // A document that cannot be read is to readers as if it were not there.
        tracing::warn!(document.id = %address.document, error = %error, "a document cannot be downloaded");
        None
    });
    let file = opened.ok_or(DocumentError::Unknown)?;
    if let Some(SignedReaders::ForATime { edition, .. }) = signed {
        // While a new upload is read, answers still lead to the one before.
        let is_same = edition == file.edition() || edition == document.edition;
        if !is_same {
            return Err(DocumentError::Unknown.into());
        }
    }
    let (policy, shown) =
        if document.media_type == PDF { (PDF_POLICY, "inline") } else { ("default-src 'none'; sandbox", "attachment") };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, content_type(&document)))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        // The address may be a credential, and is not for the site that a link in the document leads to.
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::CONTENT_DISPOSITION, disposition(shown, document.file_name())));
    let selected = ranges::select(&mut response, &request, file.tag(), file.bytes());
    let Some((start, end)) = selected.map_err(|OutOfRange { bytes }| DocumentError::OutOfRange { bytes })? else {
        return Ok(response.finish());
    };
    if request.method() == Method::HEAD {
        return Ok(response.body(SizedStream::new(end - start, stream::empty::<Result<Bytes, Infallible>>())));
    }
    let place = state.sending.begin(client, 1).await?;
    let rate = state.options.limits.download_bytes_per_second;
    let parts = sent(async move |at| file.part(at).await, start, end, rate, place);
    Ok(response.body(SizedStream::new(end - start, Box::pin(parts))))
}

/// A browser shows a PDF at the page that the address names, and only where it is not to be saved. Its viewer runs no code of the
/// document in the name of this server, but does not start in a sandbox, and draws with styles of its own.
const PDF: &str = "application/pdf";
const PDF_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; \
                          frame-ancestors 'none'";

/// Counts a request of a reader, and gives the address it comes from; none of a caller with a key.
pub(super) fn limited(
    state: &State,
    reader: &DownloadReader,
    request: &HttpRequest,
) -> Result<Option<IpAddr>, ApiError> {
    let client = match reader {
        DownloadReader::Trusted => None,
        DownloadReader::Of(_) | DownloadReader::Unknown => Some(state.options.trusted_proxies.client(request)),
    };
    if let Some(client) = client {
        state.limits.download(client)?;
    }
    Ok(client)
}

/// The assistant that gives its documents to this reader.
pub(super) fn admitted(
    state: &State,
    reader: &DownloadReader,
    address: &DownloadAddress,
    signed: Option<&SignedReaders>,
) -> Result<Arc<Assistant>, ApiError> {
    let assistant = state.assistants.get(&address.assistant).ok_or(DocumentError::Unknown)?;
    match (reader, assistant.options().link_mode) {
        (DownloadReader::Trusted, LinkMode::Authenticated | LinkMode::Public) => {}
        (DownloadReader::Of(id), LinkMode::Authenticated | LinkMode::Public) => {
            let own = state.assistants.answering(&Owner::of(id));
            // To the readers of one assistant, the documents of another are as if they were not there.
            own.filter(|own| own.name() == assistant.name()).ok_or(DocumentError::Unknown)?;
        }
        (DownloadReader::Trusted | DownloadReader::Of(_), LinkMode::None) => return Err(DocumentError::Unknown.into()),
        (DownloadReader::Unknown, mode) => match (signed, mode) {
            (Some(SignedReaders::Of(_)), LinkMode::Authenticated | LinkMode::Public)
            | (Some(SignedReaders::ForATime { .. }), LinkMode::Public) => {}
            (Some(SignedReaders::Of(_)) | None, _) => return Err(DocumentError::Unknown.into()),
            (Some(SignedReaders::ForATime { .. }), LinkMode::None | LinkMode::Authenticated) => {
                return Err(DocumentError::NotPublic.into());
            }
        },
    }
    Ok(assistant)
}

/// The readers for whom the signature of an address is valid.
async fn judge(state: &State, address: &DownloadAddress, query: &Query) -> Result<SignedReaders, ApiError> {
    let said = |name| query.get(name).unwrap_or_default();
    let signature = said(SIGNATURE);
    if let Some(conversation) = query.get(CONVERSATION) {
        let judged = state.downloads().judge(address, conversation, said(BEGUN), signature).await;
        return Ok(SignedReaders::Of(judged?.map_err(DocumentError::from)?));
    }
    let now = state.clock.now();
    let edition = query.get(EDITION).map(str::parse).transpose().map_err(|_| DownloadError::Forged);
    let edition = edition.map_err(DocumentError::from)?;
    state.download_key.verify(address, edition, said(EXPIRES), signature, now).map_err(DocumentError::from)?;
    Ok(SignedReaders::ForATime { edition, expires: said(EXPIRES).parse().unwrap_or_default() })
}

/// The media type of a download. Markdown and plain text are in UTF-8; other texts may name another encoding themselves.
fn content_type(document: &Document) -> String {
    match document.media_type {
        text @ ("text/markdown" | "text/plain") => format!("{text}; charset=utf-8"),
        other => other.to_owned(),
    }
}

/// `Content-Disposition` with the name of a file (RFC 6266): as it is for clients that read RFC 8187, and with `_` for all that
/// could be misread for others.
fn disposition(shown: &str, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' };
    let start = format!("{shown}; filename=\"");
    let mut value: String = start.chars().chain(name.chars().map(plain)).collect();
    value.push_str("\"; filename*=UTF-8''");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            value.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(value, "%{byte:02X}");
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{ContentDisposition, HeaderValue};

    use super::*;

    #[test]
    fn a_name_cannot_leave_its_header_and_is_read_as_it_was() {
        for name in ["a.md", "a \"b\"\r\nSet-Cookie: c=1.md", "Über 😀 100%;.md", "a\\b';=.txt"] {
            let text = disposition("attachment", name);
            assert!(text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '), "{text}");
            assert_eq!(text.matches('"').count(), 2, "{text}");
            let value = HeaderValue::from_str(&text).expect("a header");
            let parsed = ContentDisposition::from_raw(&value).expect("a disposition");
            let extended = parsed.get_filename_ext().expect("a name");
            assert_eq!(extended.value, name.as_bytes(), "{text}");
        }
        assert_eq!(
            disposition("attachment", "a ü.md"),
            "attachment; filename=\"a _.md\"; filename*=UTF-8''a%20%C3%BC.md"
        );
    }
}
