//! The table of all routes, from which they are registered, documented and tested.

use actix_cors::Cors;
use actix_web::body::MessageBody;
use actix_web::dev::{HttpServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::{Condition, Next, from_fn};
use actix_web::{Error, HttpMessage as _, HttpRequest, Route, guard, web};
use percent_encoding::percent_decode_str;

use super::auth::{Access, authenticate};
use super::openapi::query_parameters;
use super::paths::{
    DIRECT_LINE, DOWNLOAD, EMBED_SESSION, MCP, MESSAGES, METRICS, PAGE_ANSWERS, PAGE_PREVIEWS, PASSAGE, Reached,
    SESSION_ID, is_admin, is_page,
};
use super::query::check_names;
use super::{
    ApiError, EmbedOptions, HttpOptions, admin, answers, assistant_documents, assistant_key, assistant_trial,
    assistants, body, check, completions, connector, conversations, convert, direct_line, docs, documents, embed,
    feedback, health, help, llms, mcp, messages, metrics, outputs, page, passages, previews, records, session, socket,
    support, upload, users, web_chat,
};

/// The routes that the OpenAPI document leaves out: pages and their files, and routes for one client only.
pub const UNDOCUMENTED: &[&str] = &[
    "/",
    "/page/{file}",
    "/page/webchat.js",
    "/admin",
    "/admin/schema.json",
    "/admin/{file}",
    "/embed.js",
    "/embed/webchat.js",
    "/openapi.json",
    "/docs",
    "/docs/{file:.*}",
    "/help",
    "/help/{path:.*}",
    MCP,
    "/llms.txt",
    "/llms-full.txt",
    "/llms/{path:.*}",
    "/v3/directline/conversations/{id}/stream/multimodal",
    "/v3/directline/conversations/connect",
];

/// A route: method, path and handler.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RouteEntry {
    /// The method. Where it is GET, HEAD is answered as well.
    pub method: &'static str,
    /// The pattern of the path.
    pub path: &'static str,
    handler: fn() -> Route,
}

const fn get(path: &'static str, handler: fn() -> Route) -> RouteEntry {
    RouteEntry { method: "GET", path, handler }
}

const fn post(path: &'static str, handler: fn() -> Route) -> RouteEntry {
    RouteEntry { method: "POST", path, handler }
}

const fn put(path: &'static str, handler: fn() -> Route) -> RouteEntry {
    RouteEntry { method: "PUT", path, handler }
}

const fn delete(path: &'static str, handler: fn() -> Route) -> RouteEntry {
    RouteEntry { method: "DELETE", path, handler }
}

/// All routes of ours. Fixed paths stand before patterns that match them too.
pub const ROUTES: &[RouteEntry] = &[
    post("/v1/activities", || web::to(convert::convert_answer)),
    post("/v1/records", || web::to(records::read_records)),
    post("/v1/support", || web::to(support::check_support)),
    post("/v1/open-webui", || web::to(outputs::write_open_webui)),
    post("/v1/assistanthub", || web::to(outputs::write_assistanthub)),
    post("/v1/prompt", || web::to(outputs::write_prompt)),
    post("/v1/check", || web::to(check::check_activity)),
    post("/v1/chat/completions", || web::to(completions::create_completion)),
    get("/v1/models", || web::to(completions::list_models)),
    get("/v1/models/{id}", || web::to(completions::read_model)),
    get("/v1/conversations", || web::to(conversations::list)),
    get("/v1/conversations/{id}", || web::to(conversations::read)),
    delete("/v1/conversations/{id}", || web::to(conversations::delete)),
    get("/v1/conversations/{id}/export", || web::to(conversations::export)),
    post("/v1/conversations/{id}/answers", || web::to(answers::deliver_answer)),
    get("/v1/conversations/{id}/feedback", || web::to(feedback::list)),
    delete("/v1/users/{id}", || web::to(users::erase)),
    get("/v1/users/{id}/export", || web::to(users::export)),
    get("/v1/assistants", || web::to(assistants::list)),
    get("/v1/assistants/{name}", || web::to(assistants::read)),
    put("/v1/assistants/{name}", || web::to(assistants::store)),
    delete("/v1/assistants/{name}", || web::to(assistants::delete)),
    post("/v1/assistants/{name}/tokens", || web::to(assistants::generate_token)),
    put("/v1/assistants/{name}/page", || web::to(assistants::show_on_page)),
    delete("/v1/assistants/{name}/page", || web::to(assistants::take_from_page)),
    get("/v1/assistants/{name}/key", || web::to(assistant_key::read)),
    put("/v1/assistants/{name}/key", || web::to(assistant_key::store)),
    delete("/v1/assistants/{name}/key", || web::to(assistant_key::delete)),
    post("/v1/assistants/{name}/try", || web::to(assistant_trial::attempt)),
    post("/v1/assistants/{name}/models", || web::to(assistant_trial::models)),
    get("/v1/assistants/{name}/documents", || web::to(assistant_documents::list)),
    get("/v1/assistants/{name}/documents/{file}", || web::to(assistant_documents::read)),
    put("/v1/assistants/{name}/documents/{file}", || web::to(assistant_documents::upload)),
    delete("/v1/assistants/{name}/documents/{file}", || web::to(assistant_documents::delete)),
    get(DOWNLOAD, || web::to(documents::download)),
    get(PASSAGE, || web::to(passages::show)),
    get("/", || web::to(page::index)),
    get("/page/webchat.js", || web::to(web_chat::web_chat)),
    get("/page/samples", || web::to(page::samples)),
    post("/page/session", || web::to(session::start_session)),
    post(PAGE_ANSWERS, || web::to(page::send_answer)),
    post(PAGE_PREVIEWS, || web::to(previews::preview_answer)),
    get("/page/{file}", || web::to(page::file)),
    get("/admin", || web::to(admin::index)),
    get("/admin/schema.json", || web::to(admin::schema)),
    get("/admin/{file}", || web::to(admin::file)),
    get("/embed.js", || web::to(embed::script)),
    get("/embed/webchat.js", || web::to(embed::embedded_web_chat)),
    post(EMBED_SESSION, || web::to(embed::start_session)),
    get("/healthz", || web::to(health::live)),
    get("/readyz", || web::to(health::ready)),
    get(METRICS, || web::to(metrics::metrics)),
    get("/openapi.json", || web::to(docs::document)),
    get("/docs", || web::to(docs::to_viewer)),
    get("/docs/{file:.*}", || web::to(docs::viewer)),
    get("/help", || web::to(help::to_first)),
    get("/help/{path:.*}", || web::to(help::show)),
    get("/llms.txt", || web::to(llms::show_index)),
    get("/llms-full.txt", || web::to(llms::show_full)),
    get("/llms/{path:.*}", || web::to(llms::show_page)),
    post("/v3/directline/tokens/generate", || web::to(direct_line::generate_token)),
    post("/v3/directline/tokens/refresh", || web::to(direct_line::refresh_token)),
    post("/v3/directline/conversations", || web::to(direct_line::start_conversation)),
    get("/v3/directline/conversations/connect", || web::to(direct_line::streaming_extensions)),
    get("/v3/directline/conversations/{id}", || web::to(direct_line::reconnect)),
    get("/v3/directline/conversations/{id}/activities", || web::to(direct_line::read_activities)),
    post("/v3/directline/conversations/{id}/activities", || web::to(direct_line::post_activity)),
    post("/v3/directline/conversations/{id}/upload", || web::to(upload::upload_files)),
    get("/v3/directline/conversations/{id}/attachments/{attachment}", || web::to(upload::uploaded_file)),
    get("/v3/directline/conversations/{id}/stream", || web::to(socket::stream)),
    // The path at which directlinejs with voice looks for the stream, once it has seen that the other path ends as it
    // does.
    get("/v3/directline/conversations/{id}/stream/multimodal", || web::to(socket::stream)),
    get(SESSION_ID, || web::to(direct_line::oauth_session)),
    post(MCP, || web::to(mcp::receive)),
    post(MESSAGES, || web::to(messages::receive)),
    post("/v3/conversations", || web::to(connector::create_conversation)),
    post("/v3/conversations/{id}/activities", || web::to(connector::send)),
    post("/v3/conversations/{id}/activities/{activity}", || web::to(connector::reply)),
    put("/v3/conversations/{id}/activities/{activity}", || web::to(connector::update)),
    delete("/v3/conversations/{id}/activities/{activity}", || web::to(connector::delete)),
    get("/v3/conversations/{id}/activities/{activity}/members", || web::to(connector::activity_members)),
    get("/v3/conversations/{id}/members", || web::to(connector::members)),
    get("/v3/conversations/{id}/members/{member}", || web::to(connector::member)),
    get("/v3/conversations/{id}/pagedmembers", || web::to(connector::paged_members)),
];

/// Registers all routes; those of the page, and the documents for people who look around, if wanted.
pub(crate) fn configure(config: &mut web::ServiceConfig, options: &HttpOptions) {
    let offered = |path: &str| {
        (options.page || !is_page(path) && !is_documentation(path))
            && (options.admin_schema.is_some() || !is_admin(path))
    };
    let others = resources("", &options.embed).into_iter().filter(|(path, _)| offered(path));
    // Patterns are tried in this order, and most requests are for Direct Line.
    let (before_direct_line, others): (Vec<_>, Vec<_>) = others.partition(|(path, _)| path.starts_with(DIRECT_LINE));
    for (_, resource) in before_direct_line {
        config.service(resource);
    }
    let direct_line = web::scope(DIRECT_LINE);
    let direct_line = resources(DIRECT_LINE, &options.embed)
        .into_iter()
        .fold(direct_line, |scope, (_, resource)| scope.service(resource));
    config.service(direct_line.default_service(web::to(unknown_route)).wrap(cors().send_wildcard()));
    for (_, resource) in others {
        config.service(resource);
    }
    config.default_service(web::to(unknown_route));
}

fn is_documentation(path: &str) -> bool {
    path == "/openapi.json" || path.starts_with("/docs")
}

/// One resource for each path that starts with `prefix` (with an empty one: that does not start with Direct Line's),
/// with the prefix taken off. The session id is not in Direct Line's scope, whose CORS does not allow its cookies.
fn resources(prefix: &str, embed: &EmbedOptions) -> Vec<(&'static str, impl HttpServiceFactory + 'static)> {
    let mut resources: Vec<(&'static str, Vec<&RouteEntry>)> = Vec::new();
    let is_in_scope = |path: &str| path.starts_with(DIRECT_LINE) && path != SESSION_ID;
    for entry in ROUTES.iter().filter(|entry| is_in_scope(entry.path) != prefix.is_empty()) {
        match resources.iter_mut().find(|(path, _)| *path == entry.path) {
            Some((_, entries)) => entries.push(entry),
            None => resources.push((entry.path, vec![entry])),
        }
    }
    let build = |(path, entries): (&'static str, Vec<&RouteEntry>)| {
        let resource = web::resource(path.strip_prefix(prefix).unwrap_or(path));
        let resource = entries.into_iter().fold(resource, |resource, entry| resource.route(route(entry)));
        let access = Access::of(path);
        let guarded = from_fn(move |request: ServiceRequest, next| {
            request.extensions_mut().insert(Reached(path));
            authenticate(access, request, next)
        });
        // Inside of the guard: a caller without a credential learns nothing of the route.
        let documented = from_fn(move |request, next| with_known_parameters(path, request, next));
        let resource = resource.default_service(web::to(wrong_method)).wrap(documented).wrap(guarded);
        let resource = resource.wrap(Condition::new(path == SESSION_ID, cors().supports_credentials()));
        let resource = resource.wrap(Condition::new(path == EMBED_SESSION, embed_cors(embed)));
        (path, resource.wrap(Condition::new(path == DOWNLOAD, download_cors())))
    };
    resources.into_iter().map(build).collect()
}

/// Whether all names in the path are texts: the framework would put the same sign in place of all bytes that are none, and so
/// make one of different names.
fn check_path(request: &HttpRequest) -> Result<(), ApiError> {
    let decoded = percent_decode_str(request.uri().path()).decode_utf8();
    decoded.map(drop).map_err(|_| ApiError::PathNotUtf8)
}

/// Lets a request through whose path is text, and whose query parameters the route documents.
async fn with_known_parameters(
    path: &'static str,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let names = || check_names(request.request(), path, || query_parameters(path)).map_err(ApiError::from);
    match check_path(request.request()).and_then(|()| names()) {
        Ok(()) => next.call(request).await.map(ServiceResponse::map_into_left_body),
        Err(fault) => {
            body::discard(request.take_payload()).await;
            Ok(request.error_response(fault).map_into_right_body())
        }
    }
}

fn route(entry: &RouteEntry) -> Route {
    let route = (entry.handler)();
    if entry.method == "GET" {
        route.guard(guard::Any(guard::Get()).or(guard::Head()))
    } else {
        route.method(Method::from_bytes(entry.method.as_bytes()).unwrap_or(Method::POST))
    }
}

/// The CORS headers of every answer of Direct Line, errors included: without them a browser shows its page no status at
/// all. Preflights are answered here, before anyone asks for a credential.
fn cors() -> Cors {
    Cors::default()
        .allow_any_origin()
        .allowed_methods(["GET", "POST", "OPTIONS"])
        .allowed_headers(["Authorization", "Content-Type", "Accept", "X-Requested-With", "x-ms-bot-agent"])
        .expose_headers(["Retry-After"])
        .max_age(600)
}

/// The CORS headers of downloads, which a page may fetch from another origin with the token of its conversation. The
/// name of the file is in a header.
fn download_cors() -> Cors {
    Cors::default()
        .allow_any_origin()
        .send_wildcard()
        .allowed_methods(["GET", "HEAD", "OPTIONS"])
        .allowed_headers(["Authorization", "Accept", "If-None-Match", "If-Range", "Range", "X-Requested-With"])
        .expose_headers(["Accept-Ranges", "Content-Disposition", "Content-Range", "ETag", "Retry-After"])
        .max_age(600)
}

/// The CORS headers of sessions of an embedded chat: a page of a site that is not listed is shown nothing.
fn embed_cors(embed: &EmbedOptions) -> Cors {
    let cors = embed.origins.iter().fold(Cors::default(), Cors::allowed_origin);
    cors.allowed_methods(["POST", "OPTIONS"])
        .allowed_headers(["Content-Type", "Accept"])
        .expose_headers(["Retry-After"])
        .max_age(600)
}

async fn unknown_route() -> Result<&'static str, ApiError> {
    Err(ApiError::UnknownRoute)
}

async fn wrong_method() -> Result<&'static str, ApiError> {
    Err(ApiError::WrongMethod)
}
