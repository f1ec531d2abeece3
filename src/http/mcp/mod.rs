//! `POST /mcp`: the Model Context Protocol over HTTP, for agents that search, ask, convert and check.
//!
//! The server keeps no session: each request says all that is needed, and is answered with one JSON object
//! (<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>, "Streamable HTTP").

mod message;
mod resources;
mod tools;

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use super::convert::{json as json_response, read};
use super::{ApiError, State};
use message::{Fault, Incoming, Request};

/// The versions of the protocol that are spoken, the newest first. They differ in what is not used here.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The header by which a client says which version it has agreed on.
const VERSION_HEADER: &str = "mcp-protocol-version";

const INSTRUCTIONS: &str = "Ask `answer` for answers with sources, `search` for passages of documents. Cite results by their url. \
                            `convert` makes an answer with sources a message for a channel such as Teams; `check` finds what is \
                            wrong with the citations of one.";

/// The route.
pub(crate) async fn receive(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    if let Some(version) = request.headers().get(VERSION_HEADER)
        && !version.to_str().is_ok_and(|version| VERSIONS.contains(&version))
    {
        let spoken = VERSIONS.join(", ");
        let fault = Fault::invalid_request(format!("the header {VERSION_HEADER} must name one of {spoken}"));
        return refused(StatusCode::BAD_REQUEST, &fault);
    }
    let body = read(&state, &request, payload).await?;
    match Incoming::parse(&body) {
        Ok(Incoming::Request(asked)) => {
            let outcome = answer(&state, &request, &asked).await;
            json_response(HttpResponse::Ok(), &asked.response(outcome))
        }
        Ok(Incoming::Notification) => Ok(HttpResponse::Accepted().finish()),
        Err(fault) => refused(StatusCode::BAD_REQUEST, &fault),
    }
}

fn refused(status: StatusCode, fault: &Fault) -> Result<HttpResponse, ApiError> {
    json_response(HttpResponse::build(status), &fault.response(None))
}

async fn answer(state: &Data<State>, http: &HttpRequest, asked: &Request) -> Result<Value, Fault> {
    match asked.method.as_str() {
        "initialize" => Ok(initialized(asked)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools::list()})),
        "tools/call" => tools::call(state, http, asked).await,
        "resources/list" => resources::list(state, asked),
        "resources/templates/list" => Ok(json!({"resourceTemplates": []})),
        "resources/read" => resources::read(state, asked),
        _ => Err(Fault::unknown_method(&asked.method)),
    }
}

/// The version that the client asks for where it is spoken, else the newest.
fn initialized(asked: &Request) -> Value {
    let wanted = asked.text("protocolVersion").unwrap_or_default();
    let version = VERSIONS.iter().find(|version| **version == wanted).unwrap_or(&VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "citewire", "title": "citewire", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}
