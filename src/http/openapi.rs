//! The OpenAPI document.

use std::sync::LazyLock;

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, OpenApi as Document, Ref, RefOr, Response};
use utoipa::{Modify, OpenApi};

use super::problem::{BotError, CompletionProblem, Problem, Reader};
use super::{
    answers, check, completions, connector, conversations, convert, direct_line, documents, embed, feedback, figures,
    health, messages, outputs, page, records, session, socket, upload, users,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "citewire",
        description = "Turns RAG answers with sources into cited Bot Framework messages.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        convert::convert_answer,
        records::read_records,
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
        documents::download,
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
        health::live,
        health::ready,
        figures::metrics,
    ),
    tags(
        (name = "answers", description = "Conversion and delivery; needs the API key."),
        (name = "chat completions", description = "Assistants as models, for clients of OpenAI; needs the API key."),
        (name = "conversations", description = "What is kept of conversations; needs the API key."),
        (name = "documents", description = "What assistants cite; needs the API key, a token, or a signed address."),
        (name = "direct line", description = "Direct Line 3.0; needs the secret or a token."),
        (name = "connector", description = "What a bot behind the channel calls; needs its secret or its ticket."),
        (name = "azure bot", description = "What Azure Bot Service and other agents call; needs their token."),
        (name = "page", description = "What the page with Web Chat calls."),
        (name = "embed", description = "The chat in pages of other sites; without a credential, from listed origins."),
        (name = "operations", description = "Open."),
    ),
    components(schemas(Problem, BotError, CompletionProblem)),
    modifiers(&Credentials, &Refusals)
)]
struct Api;

/// The credentials that routes ask for.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        for (name, description) in [
            ("api_key", "The API key: CITEWIRE_API_KEY."),
            ("direct_line", "The Direct Line secret, CITEWIRE_DIRECT_LINE_SECRET, or a token of one conversation."),
            (
                "bot",
                "The secret of the bot, CITEWIRE_BOT_SECRET; or none, where the path begins with the ticket of `serviceUrl`.",
            ),
            (
                "reader",
                "The API key, or a Direct Line token of any conversation; or none, where the address is signed.",
            ),
            ("page", "A token from POST /page/session."),
        ] {
            let mut bearer = Http::new(HttpAuthScheme::Bearer);
            bearer.description = Some(description.to_owned());
            components.add_security_scheme(name, SecurityScheme::Http(bearer));
        }
    }
}

/// What every route answers that refuses: without the credential that it asks for, and in the shape of its protocol.
struct Refusals;

impl Modify for Refusals {
    fn modify(&self, document: &mut Document) {
        for (path, item) in &mut document.paths.paths {
            let content = problem(Reader::of(path));
            let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            for operation in operations.into_iter().flatten() {
                for (status, description) in refusals(operation) {
                    let responses = &mut operation.responses.responses;
                    responses.entry((*status).to_owned()).or_insert_with(|| Response::new(*description).into());
                }
                for (status, response) in &mut operation.responses.responses {
                    if let (RefOr::T(response), "4" | "5") = (response, &status[..1]) {
                        let (media_type, schema) = &content;
                        let body = || Content::new(Some(Ref::from_schema_name(*schema))).into();
                        response.content.entry((*media_type).to_owned()).or_insert_with(body);
                    }
                }
            }
        }
    }
}

/// How a route refuses callers without its credential.
fn refusals(operation: &Operation) -> &'static [(&'static str, &'static str)] {
    let asked = operation.security.iter().flatten().find_map(|needed| {
        let needed = serde_json::to_value(needed).ok()?;
        needed.as_object()?.keys().next().cloned()
    });
    match asked.as_deref() {
        Some("api_key" | "page") => &[("401", "The credential is missing or wrong")],
        Some("direct_line") => &[("401", "No credential"), ("403", "The credential is not good for this, or expired")],
        Some("bot") => &[("401", "No credential of the bot")],
        _ => &[],
    }
}

/// The media type and the schema of errors, as those want them who read them.
fn problem(reader: Reader) -> (&'static str, &'static str) {
    let schema = match reader {
        Reader::Citewire => "Problem",
        Reader::BotFramework => "BotError",
        Reader::OpenAi => "CompletionProblem",
    };
    (reader.media_type(), schema)
}

/// The document, made once.
static DOCUMENT: LazyLock<Document> = LazyLock::new(Api::openapi);

/// The OpenAPI document of this server.
#[must_use]
pub fn document() -> &'static Document {
    &DOCUMENT
}
