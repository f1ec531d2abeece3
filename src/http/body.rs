//! Reads request bodies.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{self, ServiceRequest, ServiceResponse};
use actix_web::web::{Bytes, BytesMut, Payload};
use actix_web::{Error, HttpMessage as _, HttpRequest, error::PayloadError, http::header};
use futures_util::{Stream, StreamExt as _, stream};
use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};

/// The bytes beyond the limit that are read and thrown away, so that the client gets to see the answer: a connection
/// that is closed early looks to a browser as if there were no answer at all.
const DISCARD_BYTES: usize = 64 * 1024 * 1024;

/// The longest pause between the bytes of a refused body that count as on their way, and the longest time for all of
/// them.
const ON_ITS_WAY: Duration = Duration::from_millis(250);
const ON_ITS_WAY_IN_ALL: Duration = Duration::from_secs(2);

/// The time in which an upload may come as slowly as it likes.
const GRACE: Duration = Duration::from_secs(10);

/// The bytes of a body that are thrown away for a caller who is not let in, and the time for them.
const DISCARD_UNWANTED_BYTES: usize = 1024 * 1024;
const DISCARD_UNWANTED_FOR: Duration = Duration::from_secs(5);

/// The reason why a body was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The body is longer than allowed.
    #[error("the body is longer than {limit} bytes")]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The body did not arrive in time.
    #[error("the body did not arrive within {seconds} s")]
    TooSlow {
        /// The limit, in seconds.
        seconds: u64,
    },
    /// The body came with less than the least rate.
    #[error(
        "the body came too slowly: send at least {rate} bytes a second behind the first {grace} seconds, or lower the setting \
         limits.upload_bytes_per_second (CITEWIRE_LIMITS_UPLOAD_BYTES_PER_SECOND)"
    )]
    BelowRate {
        /// The least rate, in bytes a second.
        rate: u32,
        /// The time in seconds in which it may come as it likes.
        grace: u64,
    },
    /// The body broke off.
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

    /// Releases the value when the response is out.
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

/// The rest of a body that is refused because of the length that it announces. The answer goes out first, and then this is thrown
/// away, so that a client that looks at nothing before it has sent everything gets to see it.
#[derive(Clone)]
struct UnreadBody(Rc<RefCell<Payload>>);

/// A response to a client that is still sending.
struct Draining {
    /// `None` when all of it is out.
    response: Option<BoxBody>,
    size: BodySize,
    unread: UnreadBody,
    left: usize,
    until: Pin<Box<Sleep>>,
}

/// Makes the response, if its body was refused for its announced length, throw away what the client still sends.
pub(crate) fn drain(response: ServiceResponse<BoxBody>, within: Duration) -> ServiceResponse<BoxBody> {
    let unread = response.request().extensions_mut().remove::<UnreadBody>();
    let Some(unread) = unread else { return response };
    response.map_body(|_, response| {
        let (size, until) = (response.size(), Box::pin(sleep(within)));
        BoxBody::new(Draining { response: Some(response), size, unread, left: DISCARD_BYTES, until })
    })
}

/// Refuses a body whose announced length is beyond the limit, without waiting for it. What is on its way already is thrown away
/// first: then the connection can go on.
async fn admit(request: &HttpRequest, mut payload: Payload, limit: usize) -> Result<(Payload, usize), BodyError> {
    let announced = announced_length(request);
    let Some(length) = announced.filter(|length| *length > limit) else { return Ok((payload, announced.unwrap_or(0))) };
    if length <= limit.saturating_add(DISCARD_BYTES) {
        let end = Instant::now() + ON_ITS_WAY_IN_ALL;
        let is_whole = loop {
            let by = end.min(Instant::now() + ON_ITS_WAY);
            match timeout_at(by, payload.next()).await {
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(_)) | None) => break true,
                Err(_) => break false,
            }
        };
        if !is_whole {
            request.extensions_mut().insert(UnreadBody(Rc::new(RefCell::new(payload))));
        }
    }
    Err(BodyError::TooLong { limit })
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
    within: Duration,
) -> Result<Bytes, BodyError> {
    let (payload, announced) = admit(request, payload, limit).await?;
    timeout(within, collect(payload, limit, announced))
        .await
        .unwrap_or(Err(BodyError::TooSlow { seconds: within.as_secs() }))
}

/// A body of at most `limit` bytes while it arrives; it breaks off where no byte of it comes for `pause`.
pub(crate) fn follow(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
    pause: Duration,
) -> impl Stream<Item = Result<Bytes, BodyError>> + use<> {
    let begin = Err((request.clone(), payload));
    stream::try_unfold(begin, move |incoming: Result<Incoming, (HttpRequest, Payload)>| async move {
        let mut incoming = match incoming {
            Ok(incoming) => incoming,
            Err((request, payload)) => Incoming::new(&request, payload, limit, pause, 0).await?,
        };
        Ok(incoming.next().await?.map(|chunk| (chunk, Ok(incoming))))
    })
}

/// A body while it arrives.
pub(crate) struct Incoming {
    payload: Payload,
    limit: usize,
    length: usize,
    /// The length that it is to have at most.
    expected: usize,
    pause: Duration,
    begun: Instant,
    /// The least rate in bytes a second; 0 for none.
    rate: u32,
}

impl Incoming {
    /// A body of at most `limit` bytes, of which something comes at least as often as `pause`, and at least `rate` bytes a second
    /// behind its first ten seconds; a rate of 0 is none.
    ///
    /// # Errors
    /// When it announces that it is longer.
    pub(crate) async fn new(
        request: &HttpRequest,
        payload: Payload,
        limit: usize,
        pause: Duration,
        rate: u32,
    ) -> Result<Self, BodyError> {
        let expected = announced_length(request).unwrap_or(limit);
        let (payload, _) = admit(request, payload, limit).await?;
        Ok(Self { payload, limit, length: 0, expected, pause, begun: Instant::now(), rate })
    }

    /// The number of bytes so far.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The maximum number of bytes that come.
    pub(crate) fn expected(&self) -> usize {
        self.expected
    }

    /// Leaves out the time for which another part of the server made the sender wait.
    pub(crate) fn waited(&mut self, time: Duration) {
        self.begun += time;
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// When the body is too long, too slow, or breaks off.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let by_pause = Instant::now() + self.pause;
            let by_rate = self.due().unwrap_or(by_pause);
            let slow = if by_rate < by_pause {
                BodyError::BelowRate { rate: self.rate, grace: GRACE.as_secs() }
            } else {
                BodyError::TooSlow { seconds: self.pause.as_secs() }
            };
            let chunk = timeout_at(by_pause.min(by_rate), self.payload.next()).await.map_err(|_| slow)?;
            let Some(chunk) = chunk.transpose().map_err(BodyError::Broken)? else {
                let too_long = self.length > self.limit;
                return if too_long { Err(BodyError::TooLong { limit: self.limit }) } else { Ok(None) };
            };
            self.length = self.length.saturating_add(chunk.len());
            if self.length <= self.limit {
                return Ok(Some(chunk));
            }
            if self.length > self.limit.saturating_add(DISCARD_BYTES) {
                return Err(BodyError::TooLong { limit: self.limit });
            }
        }
    }

    /// The time by which the next bytes must be there, for those before to have come with the least rate.
    fn due(&self) -> Option<Instant> {
        let seconds = self.length.checked_div(usize::try_from(self.rate).ok()?)?;
        Some(self.begun + GRACE + Duration::from_secs(u64::try_from(seconds).ok()?))
    }
}

/// Reads a refused body, within bounds, so that the client gets to see why.
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

impl MessageBody for Draining {
    type Error = Error;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        if let Some(response) = &mut self.response {
            match ready!(response.as_pin_mut().poll_next(context)) {
                Some(chunk) => return Poll::Ready(Some(chunk.map_err(Into::into))),
                None => self.response = None,
            }
        }
        while self.until.as_mut().poll(context).is_pending() {
            let chunk = ready!(Pin::new(&mut *self.unread.0.borrow_mut()).poll_next(context));
            let Some(Ok(chunk)) = chunk else { break };
            let Some(left) = self.left.checked_sub(chunk.len()) else { break };
            self.left = left;
        }
        Poll::Ready(None)
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

#[cfg(test)]
mod tests {
    use actix_web::FromRequest as _;
    use actix_web::test::TestRequest;
    use tokio::sync::mpsc;

    use super::*;

    /// A body of which the test sends what it likes.
    async fn incoming(rate: u32) -> (mpsc::UnboundedSender<Bytes>, Incoming) {
        let (send, mut sent) = mpsc::unbounded_channel();
        let request = TestRequest::post().insert_header(("content-length", "1000000")).to_http_request();
        let chunks = stream::poll_fn(move |context| sent.poll_recv(context).map(|chunk| chunk.map(Ok)));
        let chunks: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> = Box::pin(chunks);
        let mut payload = dev::Payload::Stream { payload: chunks };
        let payload = Payload::from_request(&request, &mut payload).await.expect("a payload");
        let incoming = Incoming::new(&request, payload, 1_000_000, Duration::from_secs(60), rate).await;
        (send, incoming.expect("a body"))
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_has_ten_seconds_and_then_a_least_rate() {
        let (send, mut body) = incoming(1_000).await;
        let begun = Instant::now();
        for _ in 0..3 {
            send.send(Bytes::from_static(&[b'x'; 2_000])).expect("sent");
            assert_eq!(body.next().await.expect("a chunk").map(|chunk| chunk.len()), Some(2_000));
        }
        let slow = body.next().await.expect_err("too slow");
        assert!(slow.to_string().contains("at least 1000 bytes a second"), "{slow}");
        assert_eq!(begun.elapsed().as_secs(), 16);
    }

    /// One byte a second is no pause.
    #[tokio::test(start_paused = true)]
    async fn a_byte_a_second_is_too_slow_and_a_wait_of_ours_is_not_counted() {
        let (send, mut body) = incoming(1_000).await;
        let begun = Instant::now();
        body.waited(Duration::from_secs(7));
        let slow = loop {
            send.send(Bytes::from_static(b"x")).expect("sent");
            sleep(Duration::from_secs(1)).await;
            if let Err(slow) = body.next().await {
                break slow;
            }
            if begun.elapsed() > Duration::from_secs(17) {
                break body.next().await.expect_err("too slow");
            }
        };
        assert!(matches!(slow, BodyError::BelowRate { rate: 1_000, grace: 10 }), "{slow}");
        assert!((17..=19).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_least_rate_only_a_pause_ends_it() {
        let (send, mut body) = incoming(0).await;
        for _ in 0..5 {
            sleep(Duration::from_secs(50)).await;
            send.send(Bytes::from_static(b"x")).expect("sent");
            assert!(body.next().await.is_ok());
        }
        assert!(matches!(body.next().await, Err(BodyError::TooSlow { seconds: 60 })));
    }
}
