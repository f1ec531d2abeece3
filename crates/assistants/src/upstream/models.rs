//! The models that a service with chat completions has.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Method, Request, StatusCode, Url};
use serde::Deserialize;

use super::failed_call::failed_connection;
use super::options::BEARER;
use super::{Address, CallProblem, FailedCall, UpstreamFault};
use crate::egress::{Client, EgressOptions};
use crate::secret::Secret;

/// The longest wait for the list: whoever chooses a model looks on.
const WITHIN: Duration = Duration::from_secs(5);

/// The largest list that is read, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The largest number of models that are told.
const MOST: usize = 500;

#[derive(Deserialize)]
struct List {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
}

/// The names of the models of the service at this address, in order.
///
/// # Errors
/// When there is no list: with the reason in words.
pub async fn models(
    address: &Address,
    key: Option<&Secret>,
    egress: &EgressOptions,
) -> Result<Vec<String>, FailedCall> {
    let url = below(address.url());
    let options =
        EgressOptions { connect_timeout: WITHIN, total_timeout: WITHIN, max_answer_bytes: MAX_BYTES, ..egress.clone() };
    let client = Client::new(options).map_err(|error| failed_connection(&error, &url))?;
    egress.allow.judge_written(&url).map_err(|error| failed_connection(&error, &url))?;
    let mut request = Request::new(Method::GET, url.clone());
    request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
    // Visible characters can always stand in a header.
    if let Some(Ok(mut value)) = key.map(|key| HeaderValue::from_str(&format!("{BEARER}{}", key.expose()))) {
        value.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    let fetched = client.fetch(request).await.map_err(|error| failed_connection(&error, &url))?;
    let host = UpstreamFault::host(&url);
    match fetched.status {
        status if status.is_success() => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Err(FailedCall::new(CallProblem::Key, format!("{host} wants another key to list its models")));
        }
        status => {
            let words = format!("{host} lists no models (status {})", status.as_u16());
            return Err(FailedCall::new(CallProblem::Unusable, words));
        }
    }
    let list: List = serde_json::from_slice(&fetched.body).map_err(|_| {
        FailedCall::new(CallProblem::Unusable, format!("{host} lists no models: is this the address of its API?"))
    })?;
    let mut names: Vec<String> = list.data.into_iter().map(|entry| entry.id).take(MOST).collect();
    names.sort_unstable();
    Ok(names)
}

/// The address of the list beside that of the questions.
fn below(url: &Url) -> Url {
    let mut url = url.clone();
    let path = url.path().trim_end_matches('/');
    let base = path.strip_suffix("/chat/completions").or_else(|| path.strip_suffix("/responses")).unwrap_or(path);
    let path = format!("{base}/models");
    url.set_path(&path);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_beside_the_questions() {
        for text in ["http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/chat/completions", "http://h:1/v1/responses"] {
            assert_eq!(below(&Url::parse(text).expect("a URL")).as_str(), "http://h:1/v1/models", "{text}");
        }
    }
}
