//! Parts of a body (RFC 9110, section 14): a viewer of PDF asks for those that it shows.

use actix_web::http::header::{
    ACCEPT_RANGES, ByteRangeSpec, ContentRange, ContentRangeSpec, ETag, EntityTag, Header as _, IF_RANGE, IfNoneMatch,
    IfRange, Range,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;

/// There is nothing in the part that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfRange {
    pub(super) bytes: u64,
}

/// The version of a body: others have other tags.
pub(super) fn tag(body: &[u8]) -> EntityTag {
    EntityTag::new_strong(URL_SAFE_NO_PAD.encode(digest(&SHA256, body)))
}

/// The response with the body, or with the part that the request wants; without either where the reader has this version.
pub(super) fn respond(
    mut response: HttpResponseBuilder,
    request: &HttpRequest,
    tag: EntityTag,
    body: Bytes,
) -> Result<HttpResponse, OutOfRange> {
    response.insert_header((ACCEPT_RANGES, "bytes"));
    let is_known = IfNoneMatch::parse(request).is_ok_and(|wanted| match wanted {
        IfNoneMatch::Any => true,
        IfNoneMatch::Items(tags) => tags.iter().any(|known| known.weak_eq(&tag)),
    });
    let range = range(request, &tag);
    response.insert_header(ETag(tag));
    if is_known {
        return Ok(response.status(StatusCode::NOT_MODIFIED).finish());
    }
    let Some(range) = range else { return Ok(response.body(body)) };
    let whole = body.len() as u64;
    let (first, last) = range.to_satisfiable_range(whole).ok_or(OutOfRange { bytes: whole })?;
    response.status(StatusCode::PARTIAL_CONTENT);
    response.insert_header(content_range(Some((first, last)), whole));
    // Both lie within the body.
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    Ok(response.body(body.slice(place(first)..=place(last))))
}

/// The part that a request wants. As the RFC allows, a server that is asked for several parts sends everything.
fn range(request: &HttpRequest, tag: &EntityTag) -> Option<ByteRangeSpec> {
    let is_same = match IfRange::parse(request) {
        Ok(IfRange::EntityTag(wanted)) => wanted.strong_eq(tag),
        Ok(IfRange::Date(_)) => false,
        // The header is not there, or it is no tag.
        Err(_) => !request.headers().contains_key(IF_RANGE),
    };
    let Ok(Range::Bytes(mut ranges)) = Range::parse(request) else { return None };
    (is_same && request.method() == Method::GET && ranges.len() == 1).then(|| ranges.remove(0))
}

/// What a response has, or what there would be.
pub(super) fn content_range(range: Option<(u64, u64)>, whole: u64) -> ContentRange {
    ContentRange(ContentRangeSpec::Bytes { range, instance_length: Some(whole) })
}
