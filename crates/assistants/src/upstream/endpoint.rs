//! HTTP calls to one back end.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Method, Request, Url};
use serde_json::Value;

use super::refusal::{MAX_REFUSAL_BYTES, message};
use super::sentinel::Sentinel;
use super::{CallLimits, UpstreamError};
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, EgressError, RemoteError, RetryBudget, Streamed, StreamedBody, retry_after};
use crate::secret::{Redaction, Secret};

/// Statuses after which the same call may succeed: nothing was taken in. 529 is Anthropic's word for 503.
pub(super) const REPEATED: [u16; 5] = [429, 502, 503, 504, 529];

/// The media types that the body of an answer may have.
const WANTED: &str = "JSON or an event stream";

/// How long the end of a body is waited for, once the answer has said that it is whole: a connection that has ended can be
/// used again.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// How long the words of a refusal are waited for.
const REFUSAL_WITHIN: Duration = Duration::from_secs(5);

/// The body of an answer while it arrives.
pub(super) type Body = BoxStream<'static, Result<bytes::Bytes, UpstreamError>>;

/// The URL of a back end, and the settings of calls to it.
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    /// The secrets that must not be repeated from its words.
    pub(super) secrets: Vec<Secret>,
    pub(super) client: Client,
    pub(super) limits: CallLimits,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("host", &self.host()).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Posts JSON and returns when the body of an answer begins to arrive. What fails before that is repeated, if it may
    /// end otherwise. The `question` is what is asked in the body, which no error repeats.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn post(&self, body: &Value, question: &str) -> Result<Body, UpstreamError> {
        let body = body.to_string();
        let retry = self.limits.retry();
        let mut patience = RetryBudget::new(&retry, self.clock.now());
        loop {
            let error = match self.attempt(body.clone(), question).await {
                Ok(answer) => return Ok(arriving(answer.body)),
                Err(error) => error,
            };
            let Some(wait) = self.wait_after(&error, &mut patience) else { return Err(error) };
            self.clock.wait(wait).await;
        }
    }

    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Words of the back end in one line for an operator.
    pub(super) fn fit_to_be_shown(&self, words: &str, question: &str) -> String {
        self.redaction(question).line(words, RemoteError::LONGEST_MESSAGE)
    }

    fn redaction<'a>(&'a self, question: &'a str) -> Redaction<'a> {
        Redaction { secrets: &self.secrets, said: question }
    }

    async fn attempt(&self, body: String, question: &str) -> Result<Streamed, UpstreamError> {
        let mut request = Request::new(Method::POST, self.url.clone());
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(body.into());
        let answer = self.client.stream(request, self.limits.of_stream()).await?;
        if answer.status.is_success() {
            self.judge_type(answer, question)
        } else {
            Err(self.refusal(answer, question).await)
        }
    }

    /// An answer that can be one.
    fn judge_type(&self, answer: Streamed, question: &str) -> Result<Streamed, UpstreamError> {
        let said = answer.headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or("something unreadable"));
        match said {
            Some(content_type) if !may_be_answer(content_type) => Err(UpstreamError::ContentType {
                host: self.host().to_owned(),
                content_type: self.fit_to_be_shown(content_type, question),
                wanted: WANTED,
            }),
            _ => Ok(answer),
        }
    }

    async fn refusal(&self, answer: Streamed, question: &str) -> UpstreamError {
        let Streamed { status, headers, body, .. } = answer;
        let message = if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| self.url.join(to.to_str().ok()?).ok());
            let to = to.as_ref().and_then(Url::host_str).unwrap_or("nowhere");
            self.fit_to_be_shown(&format!("it redirects to {to}; redirects are not followed"), question)
        } else {
            message(&beginning(body).await, self.redaction(question))
        };
        let asked = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = asked.and_then(|value| retry_after(value, self.clock.now()));
        UpstreamError::Status { host: self.host().to_owned(), status: status.as_u16(), message, retry_after }
    }

    /// How long to wait before the call is made again; `None` when it is not.
    fn wait_after(&self, error: &UpstreamError, patience: &mut RetryBudget<'_>) -> Option<Duration> {
        let asked = match error {
            UpstreamError::Status { status, retry_after, .. } if REPEATED.contains(status) => *retry_after,
            UpstreamError::Egress(
                EgressError::Connect { .. } | EgressError::UnknownHost { .. } | EgressError::Broken { .. },
            ) => None,
            UpstreamError::Status { .. }
            | UpstreamError::Egress(_)
            | UpstreamError::ContentType { .. }
            | UpstreamError::Stalled { .. }
            | UpstreamError::Wordless { .. }
            | UpstreamError::TooLong { .. }
            | UpstreamError::NoTurn { .. }
            | UpstreamError::Search(_) => return None,
        };
        patience.next(asked, self.clock.now(), || self.ids.fresh())
    }
}

/// Whether a body of this type may hold an answer. Plain text is what some servers call JSON.
fn may_be_answer(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known =
        ["", "text/event-stream", "text/plain", "application/json", "application/x-ndjson", "application/jsonl"];
    known.contains(&essence.as_str())
        || essence.ends_with("+json")
        || essence.ends_with("json") && essence.starts_with("application/")
}

/// The beginning of a refusal; what breaks off or takes too long is taken as far as it came.
async fn beginning(mut body: StreamedBody) -> Vec<u8> {
    let mut begun = Vec::new();
    let reading = async {
        while let Ok(Some(piece)) = body.next().await {
            begun.extend_from_slice(&piece);
            if begun.len() >= MAX_REFUSAL_BYTES {
                break;
            }
        }
    };
    // The words are an extra: without them the refusal is one all the same.
    tokio::time::timeout(REFUSAL_WITHIN, reading).await.ok();
    begun.truncate(MAX_REFUSAL_BYTES);
    begun
}

/// A body as a stream that ends with the sign of the end that many formats have, even if the connection does not.
fn arriving(body: StreamedBody) -> Body {
    let pieces = stream::unfold(Some((body, Sentinel::default())), |state| async move {
        let (mut body, mut sentinel) = state?;
        let next = if sentinel.is_seen() {
            tokio::time::timeout(GRACE, body.next()).await.unwrap_or(Ok(None)).or(Ok(None))
        } else {
            body.next().await
        };
        match next {
            Ok(Some(piece)) => {
                sentinel.push(&piece);
                Some((Ok(piece), Some((body, sentinel))))
            }
            Ok(None) => None,
            Err(error) => Some((Err(UpstreamError::from(error)), None)),
        }
    });
    pieces.boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_pictures_are_no_answers() {
        for fine in [
            "application/json; charset=utf-8",
            "text/event-stream",
            "Application/Problem+JSON",
            "",
            "text/plain",
            "application/stream-json",
        ] {
            assert!(may_be_answer(fine), "{fine}");
        }
        for bad in ["text/html; charset=utf-8", "image/png", "application/pdf", "text/xml", "nonsense"] {
            assert!(!may_be_answer(bad), "{bad}");
        }
    }
}
