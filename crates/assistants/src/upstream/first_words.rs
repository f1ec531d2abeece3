//! Gives a back end up that has begun to answer and does not come to words.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::UpstreamError;
use super::endpoint::Body;
use crate::ingest::{AnswerFormat, AnswerStream, StreamEvent};

/// Members in which models think, call tools or speak before their answer begins: whoever does is at work.
const AT_WORK: [&str; 9] =
    ["text", "content", "delta", "reasoning", "reasoning_content", "thinking", "thought", "arguments", "partial_json"];

/// A line of so many bytes is work without a look at it.
const MAX_LINE: usize = 64 * 1024;

/// Waits for the first words. Comments, empty events and single bytes are none.
struct Awaited {
    deadline: Instant,
    /// Knows the words of the answer in every format; absent once it has met what is no answer, of which its reader will complain.
    answer: Option<AnswerStream>,
    line: Vec<u8>,
}

/// The body, which fails where no words come within the limit.
pub(super) fn awaited(body: Body, from: &AnswerFormat, limit: Duration, host: &str) -> Body {
    let awaited = Awaited { deadline: Instant::now() + limit, answer: Some(AnswerStream::new(from)), line: Vec::new() };
    let host = host.to_owned();
    let pieces = stream::unfold(Some((body, Some(awaited))), move |state| {
        let host = host.clone();
        async move {
            let (mut body, mut awaited) = state?;
            let next = match &awaited {
                // A body that always has more would keep the timer from its turn.
                Some(awaited) if Instant::now() >= awaited.deadline => Err(()),
                Some(awaited) => timeout_at(awaited.deadline, body.next()).await.map_err(drop),
                None => Ok(body.next().await),
            };
            match next {
                Err(()) => Some((Err(UpstreamError::Wordless { host, limit }), None)),
                Ok(None) => None,
                Ok(Some(Err(error))) => Some((Err(error), None)),
                Ok(Some(Ok(bytes))) => {
                    awaited = awaited.and_then(|awaited| awaited.after(&bytes));
                    Some((Ok(bytes), Some((body, awaited))))
                }
            }
        }
    });
    pieces.boxed()
}

impl Awaited {
    /// Goes on waiting after this piece; `None` where it has words.
    fn after(mut self, bytes: &Bytes) -> Option<Self> {
        if let Some(answer) = &mut self.answer {
            match answer.push(bytes) {
                Ok(events) if events.iter().any(says) => return None,
                Ok(_) => {}
                Err(_) => self.answer = None,
            }
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            // A back end that sends as much at once is at work, whatever it is.
            if self.line.len() == MAX_LINE {
                return None;
            }
            if piece.ends_with(b"\n") {
                if is_work(&self.line) {
                    return None;
                }
                self.line.clear();
            }
        }
        Some(self)
    }
}

fn says(event: &StreamEvent) -> bool {
    match event {
        StreamEvent::Text(text) => !text.trim().is_empty(),
        // Whatever comes then, the answer is over.
        StreamEvent::Error(_) | StreamEvent::Done => true,
        StreamEvent::Sources(_)
        | StreamEvent::Cited(_)
        | StreamEvent::Late
        | StreamEvent::Label(_)
        | StreamEvent::Interpreter(_)
        | StreamEvent::Code(_)
        | StreamEvent::Note(_) => false,
    }
}

/// Whether an event of a stream shows that a model is at work.
fn is_work(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let data = line.strip_prefix(b"data:").unwrap_or(line);
    serde_json::from_slice::<Value>(data).is_ok_and(|event| has_words(&event))
}

fn has_words(value: &Value) -> bool {
    let is_said = |name: &str, member: &Value| {
        AT_WORK.contains(&name) && member.as_str().is_some_and(|words| !words.trim().is_empty())
    };
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| is_said(name, member) || has_words(member)),
        Value::Array(items) => items.iter().any(has_words),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Provider;

    const LIMIT: Duration = Duration::from_secs(10);

    /// How many pieces of a body come through that sends one each second.
    async fn through(pieces: &'static [&'static str]) -> (usize, Option<UpstreamError>) {
        let body = stream::iter(pieces.iter().copied().cycle().take(30)).then(async |piece| {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(Bytes::from_static(piece.as_bytes()))
        });
        let mut body = awaited(body.boxed(), &AnswerFormat::from(Provider::OpenAiChat), LIMIT, "model.example");
        let mut count = 0;
        while let Some(piece) = body.next().await {
            match piece {
                Ok(_) => count += 1,
                Err(error) => return (count, Some(error)),
            }
        }
        (count, None)
    }

    #[tokio::test(start_paused = true)]
    async fn comments_and_empty_events_are_no_words() {
        for pieces in [
            &[": still here\n\n"][..],
            &["data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"],
            &["data: {\"choices\":[]}\n\n"],
            &["event: ping\n", "data:\n\n", "\n"],
            &["d", "a", "t", "a", " "],
        ] {
            let (count, error) = through(pieces).await;
            assert!(
                count < 11 && matches!(error, Some(UpstreamError::Wordless { limit: LIMIT, .. })),
                "{pieces:?} {count}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_speaks_or_thinks_may_take_its_time() {
        for pieces in [
            &["data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"][..],
            &["data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n"],
            &["data: {\"choi", "ces\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"],
        ] {
            let (count, error) = through(pieces).await;
            assert!(count == 30 && error.is_none(), "{pieces:?} {count} {error:?}");
        }
    }
}
