//! The audit log, at `info`: each refusal, download, export, deletion and change of an assistant or its documents, with its caller and its request id. No line
//! contains text of users, a credential, or the query of a URL.
//!
//! Changes, deletions and exports need a key, and each has its line. Refusals and downloads can be had by strangers: of one kind
//! from one caller there is a line a minute, which counts the others.

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage as _, HttpRequest};

use super::State;
use super::paths::is_reader_page;

/// The name of the caller's API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyName(pub(crate) String);

/// The version of what a request has stored, where it has stored something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredVersion(pub(crate) u64);

/// The words for a request that does something else than its method tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Told(pub(crate) &'static str);

/// Longer paths are cut: they are whatever a stranger has written.
const LONGEST_PATH: usize = 200;

/// Says that a request was refused: a credential, a host name or a limit stands against it.
pub(crate) fn refused(state: &State, request: &HttpRequest, id: &str, status: StatusCode, code: &str) {
    let is_refusal = [
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::MISDIRECTED_REQUEST,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    if !is_refusal.contains(&status) {
        return;
    }
    let (key, client) = caller(state, request);
    if let Some(more) = state.audited.take(&format!("{code} {key} {client}"), state.clock.now()) {
        let (path, status) = (shown(request.path()), status.as_u16());
        let (method, alike) = (request.method().as_str(), more);
        tracing::info!(request.id = id, client, key, method, path, status, code, alike, "refused");
    }
}

/// Says that a request changed something, took something away or took something along, when it was one that does.
pub(crate) fn done(state: &State, request: &HttpRequest, id: &str, status: StatusCode) {
    // Routes are recognised by their paths: to ask for the pattern that matched is to match again, for every request.
    let path = request.path();
    if !status.is_success() || !path.starts_with("/v1/") {
        return;
    }
    let is_page = is_reader_page(path);
    let is_download = is_page || path.starts_with(DOCUMENTS) && path.ends_with("/download");
    let version = request.extensions().get::<StoredVersion>().map(|StoredVersion(version)| *version);
    let told = request.extensions().get::<Told>().map(|Told(words)| *words);
    let what = if let Some(words) = told {
        words
    } else if request.method() == Method::DELETE {
        "deleted"
    } else if version.is_some() {
        "stored"
    } else if path.ends_with("/export") {
        "exported"
    } else if is_page {
        "shown"
    } else if is_download {
        "downloaded"
    } else {
        return;
    };
    let (key, client) = caller(state, request);
    let path = shown(path);
    let told =
        if is_download { state.audited.take(&format!("{path} {key} {client}"), state.clock.now()) } else { Some(0) };
    if let Some(alike) = told {
        tracing::info!(request.id = id, client, key, path, version, alike, "{what}");
    }
}

/// The prefix of downloads of documents: `/v1/documents/{id}/download`.
const DOCUMENTS: &str = "/v1/documents/";

/// The name of the key, `-` without one, and the address of the caller.
fn caller(state: &State, request: &HttpRequest) -> (String, String) {
    let key = request.extensions().get::<KeyName>().map_or_else(|| "-".to_owned(), |KeyName(name)| name.clone());
    (key, state.options.trusted_proxies.client(request).to_string())
}

/// The path as it came, in which nothing can move a cursor: bytes that are not printable are percent-encoded.
fn shown(path: &str) -> String {
    path.chars().filter(|c| !c.is_control()).take(LONGEST_PATH).collect()
}
