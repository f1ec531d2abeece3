//! Parts of a body (RFC 9110, section 14): a viewer of PDF asks for those that it shows.

use actix_web::http::header::{
    ACCEPT_RANGES, ByteRangeSpec, ContentRange, ContentRangeSpec, ETag, EntityTag, Header as _, IF_RANGE, IfNoneMatch,
    IfRange, Range,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponseBuilder};

/// The part that was asked for is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfRange {
    pub(super) bytes: u64,
}

/// Gives the response its headers and its status, and says which bytes of the body it has: from the first up to the second, which
/// is not among them. `None` where the reader has this version.
pub(super) fn select(
    response: &mut HttpResponseBuilder,
    request: &HttpRequest,
    tag: Option<&str>,
    whole: u64,
) -> Result<Option<(u64, u64)>, OutOfRange> {
    response.insert_header((ACCEPT_RANGES, "bytes"));
    let tag = tag.map(|tag| EntityTag::new_strong(tag.to_owned()));
    let is_known = IfNoneMatch::parse(request).is_ok_and(|wanted| match wanted {
        IfNoneMatch::Any => true,
        IfNoneMatch::Items(tags) => tag.as_ref().is_some_and(|tag| tags.iter().any(|known| known.weak_eq(tag))),
    });
    let range = range(request, tag.as_ref());
    if let Some(tag) = tag {
        response.insert_header(ETag(tag));
    }
    if is_known {
        response.status(StatusCode::NOT_MODIFIED);
        return Ok(None);
    }
    let Some(range) = range else { return Ok(Some((0, whole))) };
    let (first, last) = range.to_satisfiable_range(whole).ok_or(OutOfRange { bytes: whole })?;
    response.status(StatusCode::PARTIAL_CONTENT);
    response.insert_header(content_range(Some((first, last)), whole));
    Ok(Some((first, last + 1)))
}

/// The part that a request wants. As the RFC allows, a server that is asked for several parts sends everything.
fn range(request: &HttpRequest, tag: Option<&EntityTag>) -> Option<ByteRangeSpec> {
    let is_same = match IfRange::parse(request) {
        Ok(IfRange::EntityTag(wanted)) => tag.is_some_and(|tag| wanted.strong_eq(tag)),
        Ok(IfRange::Date(_)) => false,
        // The header is not there, or it is no tag.
        Err(_) => !request.headers().contains_key(IF_RANGE),
    };
    let Ok(Range::Bytes(mut ranges)) = Range::parse(request) else { return None };
    (is_same && request.method() == Method::GET && ranges.len() == 1).then(|| ranges.remove(0))
}

/// The header `Content-Range` of a part, or of a refusal when `range` is `None`.
pub(super) fn content_range(range: Option<(u64, u64)>, whole: u64) -> ContentRange {
    ContentRange(ContentRangeSpec::Bytes { range, instance_length: Some(whole) })
}
