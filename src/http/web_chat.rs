//! Serves the Web Chat script: the configured file, or the one built into the program.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use actix_web::http::header::{self, CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use tokio_util::io::ReaderStream;

use super::{ApiError, State};

/// The script that was there when the program was built with the feature `web-chat`.
#[cfg(feature = "web-chat")]
const INSIDE: Option<&str> = Some(include_str!(env!("CITEWIRE_WEBCHAT_JS")));
#[cfg(not(feature = "web-chat"))]
const INSIDE: Option<&str> = None;

/// The entity tag of the script inside the program: a digest of its bytes.
static TAG_INSIDE: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    INSIDE.hash(&mut hasher);
    format!("\"{:x}\"", hasher.finish())
});

/// Browsers keep the script and ask whether it has changed.
pub(crate) async fn web_chat(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    match (&state.options.webchat_js, INSIDE) {
        (Some(path), _) => from_file(path, &request).await,
        (None, Some(script)) => Ok(match answer(&request, &TAG_INSIDE) {
            ScriptResponse::Known(response) => response,
            ScriptResponse::Script(mut response) => response.body(script),
        }),
        (None, None) => Err(ApiError::NoWebChat),
    }
}

async fn from_file(path: &Path, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let file = tokio::fs::File::open(path).await.map_err(|_| ApiError::NoWebChat)?;
    let metadata = file.metadata().await.map_err(|_| ApiError::NoWebChat)?;
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let tag = format!("\"{:x}-{:x}\"", metadata.len(), changed.unwrap_or_default().as_nanos());
    Ok(match answer(request, &tag) {
        ScriptResponse::Known(response) => response,
        ScriptResponse::Script(mut response) => {
            response.no_chunking(metadata.len()).streaming(ReaderStream::with_capacity(file, 64 * 1024))
        }
    })
}

/// The response to a client that may have the script already.
enum ScriptResponse {
    Known(HttpResponse),
    /// All but the script itself.
    Script(HttpResponseBuilder),
}

fn answer(request: &HttpRequest, tag: &str) -> ScriptResponse {
    let known = request.headers().get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag));
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, "no-cache"));
    if known {
        return ScriptResponse::Known(response.finish());
    }
    response.content_type("text/javascript; charset=utf-8").insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    ScriptResponse::Script(response)
}
