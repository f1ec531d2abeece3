//! Response bodies that are read while they arrive.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Request, Response, StatusCode};

use super::client::failure;
use super::{Client, EgressError};

/// The limits of a response that is read while it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// How long it may take until the first byte of the body, or its end when it is empty, from the call on.
    pub first_byte: Duration,
    /// How long nothing may come between two pieces.
    pub silence: Duration,
    /// The longest body, in bytes.
    pub bytes: usize,
}

/// A response whose body has begun to arrive.
#[derive(Debug)]
pub struct Streamed {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: StreamedBody,
}

/// The body of a response as it arrives. Dropping it ends the call.
pub struct StreamedBody {
    response: Response,
    host: String,
    limits: StreamLimits,
    /// Bytes that have arrived and were not handed out.
    first: Option<Bytes>,
    taken: usize,
}

impl fmt::Debug for StreamedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamedBody").field("host", &self.host).field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a call and returns when the body of the answer begins to arrive, whatever its status. There is no limit for
    /// the time of the whole, and dropping the future or the body ends the call.
    ///
    /// A compressed answer could be larger than what arrives of it, and comes later than it was written: none is asked for,
    /// and none is read.
    ///
    /// # Errors
    /// When the address is refused, when nothing comes in time, or when the answer is compressed all the same.
    pub async fn stream(&self, mut request: Request, limits: StreamLimits) -> Result<Streamed, EgressError> {
        let host = request.url().host_str().unwrap_or_default().to_owned();
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let silent = || EgressError::Silent { host: host.clone(), silence: limits.first_byte };
        let begun = async {
            let mut response = self.execute(request).await?;
            if let Some(encoding) = encoding(response.headers()) {
                return Err(EgressError::Encoded { host: host.clone(), encoding });
            }
            let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
            let mut body = StreamedBody { response, host: host.clone(), limits, first: None, taken: 0 };
            body.first = body.piece().await?;
            Ok(Streamed { status, headers, body })
        };
        tokio::time::timeout(limits.first_byte, begun).await.map_err(|_| silent())?
    }
}

impl StreamedBody {
    /// The next piece, never an empty one; `None` at the end.
    ///
    /// # Errors
    /// When the connection breaks, nothing comes for too long, or the body is longer than it may be. Nothing follows.
    pub async fn next(&mut self) -> Result<Option<Bytes>, EgressError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let silence = self.limits.silence;
        match tokio::time::timeout(silence, self.piece()).await {
            Ok(piece) => piece,
            Err(_) => Err(EgressError::Silent { host: self.host.clone(), silence }),
        }
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, EgressError> {
        loop {
            let chunk = self.response.chunk().await.map_err(|error| failure(error, &self.host))?;
            let Some(chunk) = chunk else { return Ok(None) };
            self.taken = self.taken.saturating_add(chunk.len());
            if self.taken > self.limits.bytes {
                return Err(EgressError::TooLong { host: self.host.clone(), limit: self.limits.bytes });
            }
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }
}

/// How a body is compressed, where it is.
fn encoding(headers: &HeaderMap) -> Option<String> {
    let said = headers.get_all(CONTENT_ENCODING).iter().map(|value| value.to_str().unwrap_or("something unreadable"));
    let mut encodings = said.flat_map(|list| list.split(',')).map(str::trim);
    let encoding = encodings.find(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))?;
    Some(encoding.chars().take(32).collect())
}

#[cfg(test)]
mod tests {
    use reqwest::Method;

    use super::*;
    use crate::egress::{AddressKind, EgressOptions};

    #[tokio::test]
    async fn where_a_name_leads_is_judged_for_these_calls_as_well() {
        let limits =
            StreamLimits { first_byte: Duration::from_secs(20), silence: Duration::from_secs(20), bytes: 1000 };
        let client = Client::new(EgressOptions::default()).expect("a client");
        for url in ["http://localhost:9/", "http://127.0.0.1:9/"] {
            let called = client.stream(Request::new(Method::POST, url.parse().expect("a URL")), limits).await;
            let refused = matches!(called, Err(EgressError::Refused { kind: AddressKind::Loopback, .. }));
            assert!(refused, "{url}: {called:?}");
        }
    }

    #[test]
    fn only_what_changes_the_bytes_is_an_encoding() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(value));
            encoding(&headers)
        };
        assert_eq!([of(""), of("identity"), of(" Identity , ")], [None, None, None]);
        assert_eq!(of("identity, gzip").as_deref(), Some("gzip"));
        assert_eq!(encoding(&HeaderMap::new()), None);
    }
}
