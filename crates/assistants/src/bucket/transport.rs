//! Carries the calls of `object_store` through the client of all outgoing calls.

use async_trait::async_trait;
use bytes::Bytes;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};

use reqwest::StatusCode;

use crate::egress::{Client, EgressError};

/// The reason why a call has no response that `object_store` could use. Its own errors do not tell these apart for
/// lists.
#[derive(Debug, thiserror::Error)]
pub(super) enum BucketCallError {
    /// The request got no response.
    #[error(transparent)]
    Egress(EgressError),
    /// The service does not accept the key.
    #[error("the service refuses the key")]
    Refused,
    /// The bucket does not exist.
    #[error("the bucket does not exist")]
    NoBucket,
}

/// Hands out one client, whatever options are asked for: what may be called, and for how long, is for `egress` to say.
#[derive(Clone, Debug)]
pub(super) struct Transport(pub(super) Client);

impl HttpConnector for Transport {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        // `list-type=2` of S3 and Google, `comp=list` of Azure.
        let is_list = parts.uri.query().is_some_and(|query| query.contains("list"));
        let url = parts.uri.to_string().parse().map_err(|error| HttpError::new(HttpErrorKind::Request, error))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        *request.body_mut() = body.as_bytes().filter(|bytes| !bytes.is_empty()).map(|bytes| bytes.clone().into());
        let fetched = self
            .0
            .fetch(request)
            .await
            .map_err(|error| HttpError::new(kind(&error), BucketCallError::Egress(error)))?;
        match fetched.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(HttpError::new(HttpErrorKind::Unknown, BucketCallError::Refused));
            }
            StatusCode::NOT_FOUND if is_list => {
                return Err(HttpError::new(HttpErrorKind::Unknown, BucketCallError::NoBucket));
            }
            _ => {}
        }
        let mut response = HttpResponse::new(HttpResponseBody::from(Bytes::from(fetched.body)));
        *response.status_mut() = fetched.status;
        *response.headers_mut() = fetched.headers;
        Ok(response)
    }
}

/// Whether `object_store` makes the call again: not after a refusal.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other errors are final")]
fn kind(error: &EgressError) -> HttpErrorKind {
    match error {
        EgressError::Connect { .. } => HttpErrorKind::Connect,
        EgressError::Timeout { .. } => HttpErrorKind::Timeout,
        EgressError::Broken { .. } => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    }
}
