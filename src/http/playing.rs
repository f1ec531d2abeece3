//! Plays a stream that has arrived whole into the page's conversation, as slowly as a model would write it.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::web::{Bytes, Data};
use futures_util::{StreamExt as _, stream};

use super::answers::{apart, no_answer};
use super::body::BodyError;
use super::query::Query;
use super::{ApiError, State};
use crate::activity::ConversationId;
use crate::answer_events::of_bytes;
use crate::calls::{CallError, Request};
use crate::channels::Delivered;
use crate::channels::direct_line::streaming::{Followed, StreamingError};

/// The pause before each event of a stream.
const PAUSE: Duration = Duration::from_millis(120);

/// The time in which the whole stream is played, however many events it has.
const WHOLE: Duration = Duration::from_secs(6);

/// Whether a body holds a stream, which is text and no JSON.
pub(super) fn is_stream(body: &[u8], query: &Query) -> bool {
    Request::parse(body, &query.named())
        .is_ok_and(|request| serde_json::from_slice::<serde::de::IgnoredAny>(&request.answer).is_err())
}

/// Shows an answer event by event, and delivers it at the end.
pub(super) async fn play(
    state: &Data<State>,
    id: ConversationId,
    request: &HttpRequest,
    body: &[u8],
) -> Result<Delivered, ApiError> {
    let Request { answer, mut conversion, at, .. } = Request::parse(body, &Query::of(request).named())?;
    conversion.labels = Arc::clone(&state.options.labels);
    conversion.addresses = state.downloads().for_conversation(&id).await;
    conversion.earlier = state.delivery.earlier(&id).await;
    let events = events(&answer);
    let pause = PAUSE.min(WHOLE / u32::try_from(events.len().max(1)).unwrap_or(u32::MAX));
    let pieces = stream::iter(events).then(move |event| async move {
        tokio::time::sleep(pause).await;
        Ok::<_, BodyError>(event)
    });
    let pieces = of_bytes(conversion.from.clone(), pieces.take_until(state.tasks.end_token().cancelled_owned()));
    let answer = state.streaming.begin(id);
    apart(state, async move {
        match answer.follow_unless(conversion, pieces, None, |_: &BodyError| false).await {
            Ok(Followed { delivered, .. }) => Ok(delivered),
            Err(unanswered) => Err(match unanswered.cause {
                StreamingError::NoAnswer(cause) => within(at, no_answer(cause)),
                StreamingError::Delivery(error) => error.into(),
            }),
        }
    })
    .await
}

/// The error with the place of the answer in the body.
fn within(at: &'static str, error: ApiError) -> ApiError {
    if let ApiError::Call(CallError::Convert { source, .. }) = error {
        CallError::Convert { source, at }.into()
    } else {
        error
    }
}

/// The events of a stream: up to each blank line of server-sent events, or each line of JSON lines.
fn events(stream: &[u8]) -> Vec<Bytes> {
    let is_lines = stream.trim_ascii_start().starts_with(b"{");
    let mut events = Vec::new();
    let mut event = Vec::new();
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        event.extend_from_slice(line);
        if is_lines || line.trim_ascii().is_empty() {
            events.push(Bytes::from(std::mem::take(&mut event)));
        }
    }
    if !event.is_empty() {
        events.push(Bytes::from(event));
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_of_a_stream_is_lost() {
        for (stream, count) in [
            ("data: {\"a\":1}\n\ndata: {\"b\":2}\n\n", 2),
            ("event: x\r\ndata: 1\r\n\r\ndata: 2", 2),
            ("{\"a\":1}\n{\"b\":2}\n", 2),
            ("", 0),
        ] {
            let events = events(stream.as_bytes());
            assert_eq!((events.concat(), events.len()), (stream.as_bytes().to_vec(), count), "{stream:?}");
        }
    }
}
