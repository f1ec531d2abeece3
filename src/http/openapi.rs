//! The OpenAPI document.

use std::sync::LazyLock;

use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, OpenApi as Document, Ref, RefOr, Response};
use utoipa::{Modify, OpenApi};

use super::problem::{BotError, CompletionProblem, ErrorFormat, Problem};
use super::{
    answers, assistant_documents, assistant_key, assistant_trial, assistants, check, completions, connector,
    conversations, convert, direct_line, documents, embed, feedback, health, messages, metrics, outputs, page,
    passages, previews, records, session, socket, support, upload, users,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "citewire",
        description = "Converts RAG answers with sources into Bot Framework messages with citations.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        convert::convert_answer,
        records::read_records,
        support::check_support,
        outputs::write_open_webui,
        outputs::write_assistanthub,
        outputs::write_prompt,
        answers::deliver_answer,
        completions::create_completion,
        completions::list_models,
        completions::read_model,
        conversations::list,
        conversations::read,
        conversations::delete,
        conversations::export,
        users::erase,
        users::export,
        feedback::list,
        assistants::list,
        assistants::read,
        assistants::store,
        assistants::delete,
        assistants::generate_token,
        assistants::show_on_page,
        assistants::take_from_page,
        assistant_key::read,
        assistant_key::store,
        assistant_key::delete,
        assistant_trial::attempt,
        assistant_trial::models,
        assistant_documents::list,
        assistant_documents::upload,
        assistant_documents::read,
        assistant_documents::delete,
        documents::download,
        passages::show,
        check::check_activity,
        direct_line::generate_token,
        direct_line::refresh_token,
        direct_line::start_conversation,
        direct_line::reconnect,
        direct_line::read_activities,
        direct_line::post_activity,
        upload::upload_files,
        upload::uploaded_file,
        direct_line::oauth_session,
        socket::stream,
        connector::create_conversation,
        connector::send,
        connector::reply,
        connector::update,
        connector::delete,
        connector::activity_members,
        connector::members,
        connector::member,
        connector::paged_members,
        messages::receive,
        page::samples,
        session::start_session,
        embed::start_session,
        page::send_answer,
        previews::preview_answer,
        health::live,
        health::ready,
        metrics::metrics,
    ),
    tags(
        (name = "answers", description = "Conversion and delivery of answers; needs an API key."),
        (name = "chat completions", description = "Assistants as models, for OpenAI clients; needs an API key."),
        (name = "conversations", description = "Stored conversations, users and feedback; needs an API key."),
        (name = "assistants", description = "Assistants and their documents; needs an API key with the scope `admin`."),
        (name = "documents", description = "Documents that assistants cite; needs an API key, a token or a signed \
            link."),
        (name = "direct line", description = "Direct Line 3.0; needs the Direct Line secret or a token."),
        (name = "connector", description = "Bot Connector routes for a bot behind the embedded channel; needs the \
            bot's secret or a ticket."),
        (name = "azure bot", description = "The messaging endpoint for Azure Bot Service and other agents; needs \
            their token."),
        (name = "page", description = "Routes for the Web Chat page of this server."),
        (name = "embed", description = "Chat sessions for pages of other sites; needs no credential, but a listed \
            origin."),
        (name = "operations", description = "Health and metrics; `/metrics` may need an API key."),
    ),
    components(schemas(Problem, BotError, CompletionProblem)),
    modifiers(&SecuritySchemes, &Refusals)
)]
struct Api;

/// The credentials that routes ask for.
struct SecuritySchemes;

impl Modify for SecuritySchemes {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        for (name, description) in [
            ("api_key", "An API key: `CITEWIRE_API_KEY`, or a key from `[keys.NAME]` with the scope for the route."),
            ("direct_line", "The Direct Line secret, `CITEWIRE_DIRECT_LINE_SECRET`, or a token for one conversation."),
            (
                "bot",
                "The secret of the bot, `CITEWIRE_BOT_SECRET`; not needed if the path has the ticket of `serviceUrl`.",
            ),
            ("reader", "An API key, or a Direct Line token of any conversation; not needed if the link is signed."),
            ("page", "A token from `POST /page/session`."),
        ] {
            let mut bearer = Http::new(HttpAuthScheme::Bearer);
            bearer.description = Some(description.to_owned());
            components.add_security_scheme(name, SecurityScheme::Http(bearer));
        }
    }
}

/// Adds the error responses of each route: a missing credential, and the error body of its protocol.
struct Refusals;

impl Modify for Refusals {
    fn modify(&self, document: &mut Document) {
        for (path, item) in &mut document.paths.paths {
            let content = problem(ErrorFormat::of(path));
            let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            for operation in operations.into_iter().flatten() {
                for (status, description) in refusals(operation) {
                    let responses = &mut operation.responses.responses;
                    responses.entry((*status).to_owned()).or_insert_with(|| Response::new(*description).into());
                }
                for (status, response) in &mut operation.responses.responses {
                    if let (RefOr::T(response), "4" | "5") = (response, &status[..1]) {
                        let (media_type, schema) = &content;
                        let body = || Content::new(schema.map(Ref::from_schema_name)).into();
                        response.content.entry((*media_type).to_owned()).or_insert_with(body);
                    }
                }
            }
        }
    }
}

/// The responses of a route to callers without its credential.
fn refusals(operation: &Operation) -> &'static [(&'static str, &'static str)] {
    let asked = operation.security.iter().flatten().find_map(|needed| {
        let needed = serde_json::to_value(needed).ok()?;
        needed.as_object()?.keys().next().cloned()
    });
    match asked.as_deref() {
        Some("api_key" | "page") => &[("401", "The credential is missing or wrong")],
        Some("direct_line") => &[
            ("401", "The credential is missing"),
            ("403", "The credential has expired or does not allow this request"),
        ],
        Some("bot") => &[("401", "The bot's credential is missing or wrong")],
        _ => &[],
    }
}

/// The media type and the schema of error bodies for this kind of client; a page has no schema.
fn problem(format: ErrorFormat) -> (&'static str, Option<&'static str>) {
    let schema = match format {
        ErrorFormat::Citewire => Some("Problem"),
        ErrorFormat::BotFramework => Some("BotError"),
        ErrorFormat::OpenAi => Some("CompletionProblem"),
        ErrorFormat::Page => None,
    };
    (format.media_type(), schema)
}

/// The document, built once.
static DOCUMENT: LazyLock<Document> = LazyLock::new(Api::openapi);

/// The OpenAPI document of this server.
#[must_use]
pub fn document() -> &'static Document {
    &DOCUMENT
}

/// The names of the query parameters that the document has for a path, in any of its methods.
pub(crate) fn query_parameters(path: &str) -> Vec<String> {
    let Some(item) = DOCUMENT.paths.paths.get(path) else { return Vec::new() };
    let operations = [&item.get, &item.post, &item.put, &item.delete].into_iter().flatten();
    let parameters = operations.flat_map(|operation| operation.parameters.iter().flatten());
    let names = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter.name.clone()),
        RefOr::T(_) | RefOr::Ref(_) => None,
    });
    names.collect()
}
