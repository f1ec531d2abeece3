//! Reads request bodies.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{self, ServiceRequest, ServiceResponse};
use actix_web::web::{Bytes, BytesMut, Payload};
use actix_web::{Error, HttpMessage as _, HttpRequest, error::PayloadError, http::header};
use futures_util::{Stream, StreamExt as _, stream};
use tokio::time::timeout;

/// So many bytes beyond the limit are read and thrown away, so that the client gets to see the answer: a connection
/// that is closed early looks to a browser as if there were no answer at all.
const DISCARD_BYTES: usize = 64 * 1024 * 1024;

/// So much of a body is thrown away for a caller who is not let in, and for so long.
const DISCARD_UNWANTED_BYTES: usize = 1024 * 1024;
const DISCARD_UNWANTED_FOR: Duration = Duration::from_secs(5);

/// The reason why a body was not read.
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

/// Whether the body is of this media type, as its sender says.
pub(crate) fn is_of_type(request: &HttpRequest, media_type: &str) -> bool {
    let said = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let said = said.and_then(|value| value.split(';').next()).map(str::trim);
    said.is_some_and(|said| said.eq_ignore_ascii_case(media_type))
}

/// A body in chunks, of which its reader holds one end and the response the other.
///
/// actix reads on in one that is let go for as long as the client sends, which may be for ever. As long as it is held, a
/// response to it closes the connection, unless the end of the body has come.
#[derive(Clone)]
pub(crate) struct Held(Rc<RefCell<dev::Payload>>);

/// A response, and the body that it answers.
struct Closing {
    response: BoxBody,
    _held: Held,
}

impl Held {
    /// Holds on to the body of a request; `None` where its length is known, since actix then closes by itself.
    pub(crate) fn of(request: &mut ServiceRequest) -> Option<Self> {
        request.headers().get(header::TRANSFER_ENCODING)?;
        let held = Self(Rc::new(RefCell::new(request.take_payload())));
        request.set_payload(dev::Payload::Stream { payload: Box::pin(held.clone()) });
        Some(held)
    }

    /// Has the response let go when it is out.
    pub(crate) fn until_sent(self, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
        response.map_body(|_, response| BoxBody::new(Closing { response, _held: self }))
    }
}

impl Stream for Held {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_next(context)
    }
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

/// A body of at most `limit` bytes while it arrives; it breaks off where no byte of it comes for so long.
/// Of one that announces itself as longer there is nothing.
pub(crate) fn follow(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
    pause: Duration,
) -> impl Stream<Item = Result<Bytes, BodyError>> + use<> {
    let fits = announced_length(request).is_none_or(|length| length <= limit);
    stream::try_unfold((payload, 0_usize), move |(mut payload, before)| async move {
        let mut length = before;
        loop {
            let slow = |_| BodyError::TooSlow { seconds: pause.as_secs() };
            let chunk = timeout(pause, payload.next()).await.map_err(slow)?.transpose().map_err(BodyError::Broken)?;
            let too_long = length > limit;
            let Some(chunk) = chunk else {
                return if too_long { Err(BodyError::TooLong { limit }) } else { Ok(None) };
            };
            length = length.saturating_add(chunk.len());
            if fits && length <= limit {
                return Ok(Some((chunk, (payload, length))));
            }
            if length > limit.saturating_add(DISCARD_BYTES) {
                return Err(BodyError::TooLong { limit });
            }
        }
    })
}

/// Reads a body that nobody wants, within bounds, so that the client gets to see why.
pub(crate) async fn discard(mut payload: dev::Payload) {
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

impl MessageBody for Closing {
    type Error = Error;

    fn size(&self) -> BodySize {
        self.response.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        self.response.as_pin_mut().poll_next(context).map_err(Into::into)
    }
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
    let mut chunk = Some(first);
    while let Some(bytes) = chunk {
        length = length.saturating_add(bytes.len());
        if length <= limit {
            body.extend_from_slice(&bytes);
        } else if length > limit.saturating_add(DISCARD_BYTES) {
            break;
        }
        chunk = payload.next().await.transpose().map_err(BodyError::Broken)?;
    }
    if length > limit { Err(BodyError::TooLong { limit }) } else { Ok(body.freeze()) }
}

fn announced_length(request: &HttpRequest) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
