//! File uploads, `POST …/upload`, and downloads of the uploaded files.

use std::convert::Infallible;

use actix_web::body::SizedStream;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::{Bytes, BytesMut, Data, Path, Payload, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream;
use multer::Multipart;
use tokio::time::Instant;

use super::admission::uploads::{FREE_BYTES, UploadSlot, Uploader};
use super::body::Incoming;
use super::convert::json;
use super::direct_line::{ResourceResponse, conversation};
use super::error::UploadError;
use super::error::upload::{MAX_PARTS, TEMPLATE};
use super::query::Query;
use super::sending::sent;
use super::{ApiError, State, address};
use crate::channels::direct_line::{Caller, UNKNOWN_MEDIA_TYPE, Upload, UploadedFile};
use crate::store::Attachment;

/// Media types that browsers show without running anything in them. All others are offered for saving.
const SHOWN: [&str; 9] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/bmp",
    "image/avif",
    "text/plain",
    "audio/*",
    "video/*",
];

/// The number of slots for downloads that a file takes which is held in memory as a whole.
const SLOTS: u32 = 8;

/// Post an activity with files.
///
/// A body of type `multipart/form-data` contains files, and at most one part of type `application/vnd.microsoft.activity`: the
/// activity to which citewire attaches the files. A body of any other type is one file, named by `Content-Disposition`.
#[utoipa::path(
    post, path = "/v3/directline/conversations/{id}/upload", tag = "direct line", operation_id = "uploadFiles",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("userId" = Option<String>, Query, description = "The id of the sender, if neither the token nor the activity \
            names one"),
    ),
    request_body(content = Object, content_type = "multipart/form-data", description = "Files, and at most one \
        activity"),
    responses(
        (status = 200, description = "The activity was recorded; clients see it with this id", body = ResourceResponse),
        (status = 400, description = "The request body is invalid, or names no sender"),
        (status = 404, description = "The conversation does not exist"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "The store is full, or there are too many posts with this token; retry after \
            `Retry-After`"),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn upload_files(
    state: Data<State>,
    caller: ReqData<Caller>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    state.limit_post(&caller)?;
    let uploader = match &*caller {
        Caller::Secret(_) => Uploader::Key,
        Caller::Token(claims) => Uploader::Token(claims.conv.clone(), state.options.trusted_proxies.client(&request)),
    };
    // Uploads are held in memory as a whole: the slot is kept until the store has it.
    let mut slot = state.uploads.begin(uploader)?;
    let limit = state.direct_line.options().max_upload_bytes;
    let (pause, rate) = (state.options.body_timeout, state.options.limits.upload_bytes_per_second);
    let incoming = Incoming::new(&request, payload, limit, pause, rate).await?;
    let body = take_in(incoming, &mut slot).await?;
    let id = conversation(&id)?;
    let mut upload = take_apart(&request, body).await?;
    upload.user = Query::of(&request).get("userId").map(str::to_owned);
    let base = address::http_base(&state.options, &request);
    let id = state.direct_line.upload(&caller, &id, upload, &base).await?;
    json(HttpResponse::Ok(), &ResourceResponse { id: &id })
}

/// Download an uploaded file.
///
/// The request needs no credential: the address contains a random id and cannot be guessed.
#[utoipa::path(
    get, path = "/v3/directline/conversations/{id}/attachments/{attachment}", tag = "direct line", operation_id = "getUploadedFile",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("attachment" = String, Path, description = "The id of the uploaded file"),
    ),
    responses(
        (status = 200, description = "The file", content_type = "application/octet-stream"),
        (status = 404, description = "The file does not exist, or was deleted with its conversation"),
        (status = 429, description = "Too many requests or downloads from this address; retry after `Retry-After`"),
    )
)]
pub(crate) async fn uploaded_file(
    state: Data<State>,
    path: Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let (id, attachment) = path.into_inner();
    let client = state.options.trusted_proxies.client(&request);
    state.limits.download(client)?;
    // The store gives it as a whole.
    let slot = state.sending.begin(Some(client), SLOTS).await?;
    let file = state.store.attachment(&conversation(&id)?, &attachment).await?.ok_or(ApiError::UnknownRoute)?;
    let media_type = HeaderValue::from_str(&file.content_type);
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, media_type.unwrap_or(HeaderValue::from_static(UNKNOWN_MEDIA_TYPE))))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
        .insert_header((header::CACHE_CONTROL, "private, max-age=3600"))
        .insert_header((header::CONTENT_DISPOSITION, disposition(&file)));
    let bytes = Bytes::from(file.bytes);
    let (end, rate) = (bytes.len() as u64, state.options.limits.download_bytes_per_second);
    let read = async move |at| Ok::<_, Infallible>(bytes.slice(usize::try_from(at).unwrap_or(usize::MAX)..));
    Ok(response.body(SizedStream::new(end, Box::pin(sent(read, 0, end, rate, slot)))))
}

/// Takes an upload in. It gets room when more of it is there than is free, so that one that only begins keeps no others
/// waiting.
async fn take_in(mut incoming: Incoming, slot: &mut UploadSlot) -> Result<Bytes, ApiError> {
    let mut body = BytesMut::new();
    let mut has_room = false;
    while let Some(chunk) = incoming.next().await? {
        if !has_room && incoming.length() > FREE_BYTES {
            let asked = Instant::now();
            slot.take(incoming.expected()).await?;
            incoming.waited(asked.elapsed());
            has_room = true;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

async fn take_apart(request: &HttpRequest, body: Bytes) -> Result<Upload, UploadError> {
    let media_type = text(request, header::CONTENT_TYPE);
    let mut upload = Upload::default();
    let is_multipart = media_type.as_deref().is_some_and(|text| essence(text) == "multipart/form-data");
    if !is_multipart {
        let name = text(request, header::CONTENT_DISPOSITION).and_then(|text| file_name(&text));
        upload.files.push(UploadedFile::new(name, media_type, body.into()));
        return Ok(upload);
    }
    let boundary = multer::parse_boundary(media_type.unwrap_or_default())?;
    let mut parts = Multipart::new(stream::iter([Ok::<_, std::convert::Infallible>(body)]), boundary);
    let mut count = 0;
    while let Some(part) = parts.next_field().await? {
        count += 1;
        if count > MAX_PARTS {
            return Err(UploadError::TooManyParts);
        }
        let media_type = part.content_type().map(ToString::to_string);
        let name = part.file_name().map(str::to_owned);
        let bytes = part.bytes().await?;
        if media_type.as_deref().is_some_and(|text| essence(text) == TEMPLATE) {
            upload.set_template(&bytes)?;
        } else {
            upload.files.push(UploadedFile::new(name, media_type, bytes.into()));
        }
    }
    if upload.files.is_empty() && upload.template.is_none() {
        return Err(UploadError::Empty);
    }
    Ok(upload)
}

fn text(request: &HttpRequest, name: header::HeaderName) -> Option<String> {
    request.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// A media type without its parameters.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The file name in a `Content-Disposition`, which here need not begin with a type of disposition.
fn file_name(disposition: &str) -> Option<String> {
    let with_type = format!("attachment; {disposition}");
    let parsed = [disposition, &with_type].into_iter().find_map(|text| {
        let value = HeaderValue::from_str(text).ok()?;
        let parsed = header::ContentDisposition::from_raw(&value).ok()?;
        parsed.get_filename().map(str::to_owned)
    });
    parsed.filter(|name| !name.is_empty())
}

/// Shown in place where nothing in the file can run, and offered for saving otherwise.
fn disposition(file: &Attachment) -> header::ContentDisposition {
    let media_type = essence(&file.content_type);
    let is_shown = SHOWN.iter().any(|shown| match shown.strip_suffix('*') {
        Some(family) => media_type.starts_with(family),
        None => media_type == *shown,
    });
    if is_shown {
        let (disposition, parameters) = (header::DispositionType::Inline, Vec::new());
        return header::ContentDisposition { disposition, parameters };
    }
    let name = file.name.as_deref().unwrap_or("file");
    let plain: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    header::ContentDisposition::attachment(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_found_in_both_forms() {
        for text in [r#"name="file"; filename="x y.jpg""#, r#"attachment; filename="x y.jpg""#] {
            assert_eq!(file_name(text).as_deref(), Some("x y.jpg"), "{text}");
        }
        for text in ["", "inline", r#"name="file""#] {
            assert_eq!(file_name(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_browser_could_run_is_saved() {
        let shown = |media_type: &str| {
            let file = Attachment::new(media_type, Some("a\"\r\nb".to_owned()), Vec::new());
            disposition(&file).to_string()
        };
        for media_type in ["image/png", "IMAGE/JPEG", "text/plain; charset=utf-8", "video/mp4"] {
            assert_eq!(shown(media_type), "inline", "{media_type}");
        }
        for media_type in ["text/html", "image/svg+xml", "application/xml", "application/pdf", "", "x"] {
            assert!(shown(media_type).starts_with("attachment"), "{media_type}");
            assert!(!shown(media_type).contains(['\r', '\n']), "{media_type}");
        }
    }
}
