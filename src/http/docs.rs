//! `GET /openapi.json` and `GET /docs`: the API description, as JSON and as a page.

use std::sync::{Arc, LazyLock};

use actix_web::HttpResponse;
use actix_web::http::header::{self, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, LOCATION};
use actix_web::web::Path;
use utoipa_swagger_ui::Config;

use super::convert::json;
use super::{ApiError, openapi};

/// The viewer brings its scripts and fetches the document; it styles elements directly, and its pictures are data.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'";

static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| Arc::new(Config::from("/openapi.json")));

pub(crate) async fn document() -> Result<HttpResponse, ApiError> {
    json(HttpResponse::Ok(), openapi::document())
}

/// Redirects to the address with a slash at the end, because the viewer names its files relative to it.
pub(crate) async fn to_viewer() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/docs/")).finish()
}

pub(crate) async fn viewer(file: Path<String>) -> Result<HttpResponse, ApiError> {
    let found = utoipa_swagger_ui::serve(&file, Arc::clone(&CONFIG));
    // An error means a file that the viewer itself cannot fill in; there is none to be shown then.
    let file = found.ok().flatten().ok_or(ApiError::UnknownRoute)?;
    let mut response = HttpResponse::Ok();
    if file.gzpipped {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    Ok(response
        .content_type(file.content_type)
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(file.bytes.into_owned()))
}
