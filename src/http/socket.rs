//! The stream of Direct Line: one WebSocket.

use std::cell::Cell;
use std::rc::Rc;

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::{Data, Path, Payload};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse};
use actix_ws::{CloseCode, CloseReason, Message, MessageStream, Session};
use futures_util::StreamExt as _;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::address::origin;
use super::direct_line::conversation;
use super::query::Query;
use super::{ApiError, State};
use crate::channels::direct_line::{DirectLineOptions, Feed, Frame};

/// Clients have nothing to say here but empty frames; newer ones may send activities, which are not taken this way.
const MAX_CLIENT_FRAME: usize = 256 * 1024;

/// The bytes of a client that may wait for the end of their frame. The codec compares the length of a frame with the
/// limit only when all of it has come, and keeps the bytes until then.
const MAX_WAITING: usize = 2 * MAX_CLIENT_FRAME;

/// Open the stream of a conversation.
///
/// The stream is a WebSocket. Each frame contains an ActivitySet with one activity, or is empty to keep the connection alive.
#[utoipa::path(
    get, path = "/v3/directline/conversations/{id}/stream", tag = "direct line", operation_id = "openStream",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("watermark" = Option<String>, Query, description = "The watermark of the last activity that you have"),
        ("t" = String, Query, description = "The stream token, as in `streamUrl`"),
    ),
    responses(
        (status = 101, description = "The stream is open"),
        (status = 403, description = "The token has expired or does not allow this request"),
        (status = 404, description = "The conversation does not exist"),
        (status = 429, description = "Too many streams are open on this conversation; retry after `Retry-After`"),
    )
)]
pub(crate) async fn stream(
    state: Data<State>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    if state.tasks.is_ending() {
        return Err(ApiError::ShuttingDown);
    }
    let query = Query::of(&request);
    let after = query.watermark()?;
    let credential = query.get("t").unwrap_or_default();
    let feed = state.direct_line.stream(credential, origin(&request), &conversation(&id)?, after).await?;
    let waiting = PendingBytes::default();
    let payload = waiting.count(&request, payload).await?;
    let (response, session, messages) = actix_ws::handle(&request, payload).map_err(|_| ApiError::NotAWebSocket)?;
    let messages = messages.max_frame_size(MAX_CLIENT_FRAME);
    let tasks = state.tasks.clone();
    let tracked = tasks.clone();
    let open = state.metrics.socket();
    tracked.spawn_local(async move {
        let _open = open;
        let mut socket = Socket { session, options: state.direct_line.options(), waiting };
        let reason = tokio::select! {
            biased;
            () = tasks.ending() => SocketEnd::Close(CloseCode::Away),
            ending = socket.pump(feed, messages) => ending,
        };
        socket.end(reason).await;
    });
    Ok(response)
}

struct Socket<'o> {
    session: Session,
    options: &'o DirectLineOptions,
    waiting: PendingBytes,
}

/// The number of bytes of the client since its last frame.
#[derive(Clone, Default)]
struct PendingBytes(Rc<Cell<usize>>);

impl PendingBytes {
    /// Counts what comes, and ends it where it is too much.
    async fn count(&self, request: &HttpRequest, payload: Payload) -> Result<Payload, ApiError> {
        let waiting = Rc::clone(&self.0);
        let counted = payload.into_inner().map(move |bytes| {
            let bytes = bytes?;
            waiting.set(waiting.get().saturating_add(bytes.len()));
            if waiting.get() > MAX_WAITING { Err(PayloadError::Overflow) } else { Ok(bytes) }
        });
        let mut counted: dev::Payload = dev::Payload::Stream { payload: Box::pin(counted) };
        Payload::from_request(request, &mut counted).await.map_err(|_| ApiError::NotAWebSocket)
    }

    /// A frame has come.
    fn end(&self) {
        self.0.set(0);
    }

    fn is_too_much(&self) -> bool {
        self.0.get() > MAX_WAITING
    }
}

/// The way a socket ends.
enum SocketEnd {
    /// The server closes it, with a close code for the client.
    Close(CloseCode),
    /// The client said goodbye, or is gone.
    Gone,
    /// The client does not read; no close code would reach it.
    Stuck,
}

impl Socket<'_> {
    /// Shows the feed until one side has had enough.
    async fn pump(&mut self, mut feed: Feed, mut messages: MessageStream) -> SocketEnd {
        let period = self.options.keep_alive;
        let mut keep_alive = interval_at(Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let sent = tokio::select! {
                message = messages.recv() => match message {
                    Some(Ok(message)) => {
                        self.waiting.end();
                        self.heard(message).await
                    }
                    None => Err(SocketEnd::Gone),
                    Some(Err(_)) if self.waiting.is_too_much() => Err(SocketEnd::Close(CloseCode::Size)),
                    Some(Err(_)) => Err(SocketEnd::Close(CloseCode::Protocol)),
                },
                frame = feed.next() => match frame {
                    Ok(Some(frame)) => self.send(frame).await,
                    Ok(None) => Err(SocketEnd::Close(CloseCode::Normal)),
                    Err(error) => {
                        tracing::warn!(%error, "a stream was closed, because the store cannot be read");
                        Err(SocketEnd::Close(CloseCode::Error))
                    }
                },
                _ = keep_alive.tick() => {
                    feed.look_again();
                    self.send(Frame::new()).await
                }
            };
            if let Err(ending) = sent {
                return ending;
            }
        }
    }

    /// Does what a frame of the client asks for.
    async fn heard(&mut self, message: Message) -> Result<(), SocketEnd> {
        match message {
            Message::Ping(data) => self.pong(&data).await,
            Message::Close(_) => Err(SocketEnd::Gone),
            Message::Text(_) | Message::Binary(_) | Message::Continuation(_) | Message::Pong(_) | Message::Nop => {
                Ok(())
            }
        }
    }

    async fn send(&mut self, frame: Frame) -> Result<(), SocketEnd> {
        match timeout(self.options.write_timeout, self.session.text(frame)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(SocketEnd::Gone),
            Err(_) => Err(SocketEnd::Stuck),
        }
    }

    async fn pong(&mut self, data: &[u8]) -> Result<(), SocketEnd> {
        match timeout(self.options.write_timeout, self.session.pong(data)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(SocketEnd::Gone),
            Err(_) => Err(SocketEnd::Stuck),
        }
    }

    async fn end(self, ending: SocketEnd) {
        let reason = match ending {
            SocketEnd::Close(code) => Some(CloseReason::from(code)),
            SocketEnd::Gone => None,
            SocketEnd::Stuck => return,
        };
        timeout(self.options.write_timeout, self.session.close(reason)).await.ok();
    }
}
