//! Taking a request body in.

use std::time::Duration;

use actix_web::web::{Bytes, BytesMut, Payload};
use actix_web::{HttpRequest, error::PayloadError, http::header};
use futures_util::{StreamExt as _, stream};

/// So many bytes beyond the limit are read and thrown away, so that the client gets to see the answer: a connection
/// that is closed early looks to a browser as if there were no answer at all.
const DISCARD_BYTES: usize = 64 * 1024 * 1024;

/// So much of a body is thrown away for a caller who is not let in, and for so long.
const DISCARD_UNWANTED_BYTES: usize = 1024 * 1024;
const DISCARD_UNWANTED_FOR: Duration = Duration::from_secs(5);

/// Why a body was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// It is longer than allowed.
    #[error("the body is longer than {limit} bytes")]
    TooLong {
        /// What is allowed.
        limit: usize,
    },
    /// It did not arrive in time.
    #[error("the body did not arrive within {seconds} s")]
    TooSlow {
        /// What is allowed.
        seconds: u64,
    },
    /// It broke off.
    #[error("the body could not be read")]
    Broken(#[source] PayloadError),
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
    within: Duration,
) -> Result<Bytes, BodyError> {
    let announced = announced_length(request);
    if announced.is_some_and(|length| length > limit.saturating_add(DISCARD_BYTES)) {
        return Err(BodyError::TooLong { limit });
    }
    tokio::time::timeout(within, collect(payload, limit, announced.unwrap_or(0)))
        .await
        .unwrap_or(Err(BodyError::TooSlow { seconds: within.as_secs() }))
}

/// Reads a body that nobody wants, within bounds, so that the client gets to see why.
pub(crate) async fn discard(mut payload: actix_web::dev::Payload) {
    let read = async {
        let mut length = 0_usize;
        while let Some(Ok(chunk)) = payload.next().await {
            length = length.saturating_add(chunk.len());
            if length > DISCARD_UNWANTED_BYTES {
                break;
            }
        }
    };
    // Whether all of it came does not matter any more.
    tokio::time::timeout(DISCARD_UNWANTED_FOR, read).await.ok();
}

async fn collect(mut payload: Payload, limit: usize, announced: usize) -> Result<Bytes, BodyError> {
    let Some(first) = payload.next().await.transpose().map_err(BodyError::Broken)? else {
        return Ok(Bytes::new());
    };
    if first.len() == announced && announced <= limit {
        // Most bodies arrive in one piece.
        return Ok(first);
    }
    let mut body = BytesMut::with_capacity(announced.min(limit).min(1024 * 1024));
    let mut length = 0_usize;
    let mut payload = stream::iter([Ok(first)]).chain(payload);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(BodyError::Broken)?;
        length = length.saturating_add(chunk.len());
        if length <= limit {
            body.extend_from_slice(&chunk);
        } else if length > limit.saturating_add(DISCARD_BYTES) {
            break;
        }
    }
    if length > limit { Err(BodyError::TooLong { limit }) } else { Ok(body.freeze()) }
}

fn announced_length(request: &HttpRequest) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
