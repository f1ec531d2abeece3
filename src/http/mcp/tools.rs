//! The tools of the protocol.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::web::{Bytes, Data};
use serde_json::{Map, Value, json};

use super::message::{Fault, Request};
use crate::answer::Source;
use crate::assistant::Assistant;
use crate::http::State;
use crate::http::check::check_body;
use crate::http::completions::complete;
use crate::http::convert::{Readers, Updates, convert_body};
use crate::http::problem::in_words;

/// The passages of a search where the caller says no number.
const RESULTS: usize = 6;

/// The most passages of a search.
const MAX_RESULTS: usize = 50;

/// The tools with their arguments as JSON Schemas.
pub(super) fn list() -> Value {
    let text = |words: &str| json!({"type": "string", "description": words});
    let assistant = text("The name of an assistant; where there is one only, it may be left out");
    let results = json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"}, "url": {"type": "string"}, "text": {"type": "string"},
            "page": {"type": "integer"}, "score": {"type": "number"},
        },
        "required": ["title", "text"],
    });
    json!([
        {
            "name": "answer",
            "title": "Answer a question",
            "description": "Answers a question from the documents of an assistant. A number [n] in the answer cites the result with that number.",
            "inputSchema": {
                "type": "object",
                "properties": {"question": text("The question, in words"), "assistant": assistant},
                "required": ["question"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {
                    "answer": {"type": "string"}, "results": {"type": "array", "items": results},
                    "incomplete": text("Why the answer is not all of it"),
                },
                "required": ["answer", "results"],
            },
            "annotations": {"readOnlyHint": true},
        },
        {
            "name": "search",
            "title": "Search documents",
            "description": "Finds the passages of an assistant's documents that fit a question best, the best first.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "question": text("Words or a question"),
                    "assistant": assistant,
                    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS, "default": RESULTS},
                },
                "required": ["question"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {"results": {"type": "array", "items": results}},
                "required": ["results"],
            },
            "annotations": {"readOnlyHint": true},
        },
        {
            "name": "convert",
            "title": "Convert an answer",
            "description": "Turns an answer with its sources, in the format of any provider, into Bot Framework activities with citations, and reports what became of each marker.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "answer": {"description": "The body of the provider as JSON, or as a text that holds JSON or a stream"},
                    "channel": text("web-chat, teams, m365-copilot, slack-blocks, google-chat, plain or another dialect"),
                    "from": text("The format; it is detected where this is left out"),
                },
                "required": ["answer"],
            },
            "annotations": {"readOnlyHint": true},
        },
        {
            "name": "check",
            "title": "Check an activity",
            "description": "Says what readers of a channel would see wrong in the citations of an activity, and how to mend it.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "activity": {"type": "object", "description": "An activity with its entities"},
                    "channel": text("web-chat or teams"),
                },
                "required": ["activity"],
            },
            "annotations": {"readOnlyHint": true},
        },
    ])
}

/// Calls a tool. A tool that fails gives its reason as the result, so that the model reads it and can mend its arguments.
pub(super) async fn call(state: &Data<State>, http: &HttpRequest, asked: &Request) -> Result<Value, Fault> {
    let (name, arguments) = (asked.required("name")?, asked.arguments()?);
    let outcome = match name {
        "answer" => answer(state, &arguments).await,
        "search" => search(state, &arguments).await,
        "convert" => convert(state, http, arguments).await,
        "check" => check(arguments),
        _ => return Err(Fault::invalid_params(format!("there is no tool {name:?}"))),
    };
    Ok(match outcome {
        Ok(result) => {
            json!({"content": [{"type": "text", "text": in_text(&result)}], "structuredContent": result, "isError": false})
        }
        Err(reason) => json!({"content": [{"type": "text", "text": reason}], "isError": true}),
    })
}

/// A result for clients that show the text alone.
fn in_text(result: &Value) -> String {
    match (result.get("answer").and_then(Value::as_str), result.get("incomplete").and_then(Value::as_str)) {
        (Some(answer), Some(reason)) => format!("{answer}\n\n({reason})"),
        (Some(answer), None) => answer.to_owned(),
        (None, _) => result.to_string(),
    }
}

async fn answer(state: &Data<State>, arguments: &Map<String, Value>) -> Result<Value, String> {
    only(arguments, &["question", "assistant"])?;
    let question = text(arguments, "question")?;
    let assistant = assistant(state, arguments)?;
    let messages = json!([{"role": "user", "content": question}]);
    // This form has the sources beside the text; the setting chat_citations may put them into it.
    let body = json!({"model": assistant.name(), "messages": messages, "citewire": {"citations": "open-webui"}});
    let completion = complete(state, body.to_string().as_bytes()).await.map_err(|error| in_words(&error))?;
    let cited = completion.pointer("/citations/sources").and_then(Value::as_array);
    let results: Vec<Value> = cited.into_iter().flatten().map(result_of_citation).collect();
    let answer = completion.pointer("/choices/0/message/content").cloned().unwrap_or_default();
    let mut result = json!({"answer": answer, "results": results});
    if let Some(reason) = completion.pointer("/choices/0/finish_reason").and_then(Value::as_str).and_then(incomplete) {
        result["incomplete"] = json!(reason);
    }
    Ok(result)
}

/// Why an answer that ended so is not all of it.
fn incomplete(finish_reason: &str) -> Option<&'static str> {
    match finish_reason {
        "stop" => None,
        "content_filter" => {
            Some("the answer is withheld, because it lacks the grounding or the support that the assistant demands")
        }
        _ => Some("the answer broke off"),
    }
}

/// A source of a completion, in the names from which Microsoft 365 Copilot takes citations.
fn result_of_citation(source: &Value) -> Value {
    let members = [
        ("title", "document_name"),
        ("url", "download_url"),
        ("text", "excerpt"),
        ("page", "page"),
        ("score", "score"),
    ];
    let members = members.into_iter().filter_map(|(name, theirs)| Some((name.to_owned(), source.get(theirs)?.clone())));
    Value::Object(members.collect())
}

async fn search(state: &Data<State>, arguments: &Map<String, Value>) -> Result<Value, String> {
    only(arguments, &["question", "assistant", "limit"])?;
    let question = text(arguments, "question")?;
    let limit = match arguments.get("limit") {
        None => RESULTS,
        Some(limit) => {
            let number = limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
            let number = number.filter(|limit| (1..=MAX_RESULTS).contains(limit));
            number.ok_or_else(|| format!("limit must be a number from 1 to {MAX_RESULTS}"))?
        }
    };
    let assistant = assistant(state, arguments)?;
    let found = assistant.search(question, limit).await.map_err(|error| error.to_string())?;
    let Some(found) = found else {
        return Err(format!("{} has no documents here: ask it with the tool answer", assistant.name()));
    };
    let addresses = state.assistants.addresses_for_anybody();
    let result = |source: &Source| {
        let url = source.url.as_ref().and_then(|url| match &addresses {
            Some(addresses) => addresses.for_readers(url),
            None => Some(url.clone()),
        });
        let name = source.title.clone().unwrap_or_default();
        let mut result = json!({
            "title": source.part.as_ref().map_or_else(|| name.clone(), |part| part.of(&name)),
            "text": source.content, "score": source.score,
        });
        if let Some(url) = url {
            result["url"] = json!(url.as_str());
        }
        if let Some(page) = source.page {
            result["page"] = json!(page);
        }
        result
    };
    Ok(json!({"results": found.iter().map(result).collect::<Vec<_>>()}))
}

async fn convert(state: &Data<State>, http: &HttpRequest, arguments: Map<String, Value>) -> Result<Value, String> {
    only(&arguments, &["answer", "channel", "from"])?;
    if !arguments.contains_key("answer") {
        return Err("the argument answer is missing".to_owned());
    }
    let body = Bytes::from(Value::Object(arguments).to_string());
    let addresses = state.assistants.addresses_for_anybody();
    let readers = Readers { addresses, ..Readers::default() };
    let converted =
        convert_body(state, http, body, Updates::Unwanted, readers).await.map_err(|error| in_words(&error))?;
    Ok(json!({"activities": converted.activities, "report": converted.report}))
}

fn check(arguments: Map<String, Value>) -> Result<Value, String> {
    let findings = check_body(&Bytes::from(Value::Object(arguments).to_string())).map_err(|error| error.to_string())?;
    Ok(json!({"findings": findings}))
}

/// The assistant that is named; without a name, the only one there is.
fn assistant(state: &State, arguments: &Map<String, Value>) -> Result<Arc<Assistant>, String> {
    let names = || state.assistants.all().iter().map(|assistant| assistant.name().to_owned()).collect::<Vec<_>>();
    if arguments.contains_key("assistant") {
        let name = text(arguments, "assistant")?;
        let found = state.assistants.get(name);
        return found.ok_or_else(|| format!("there is no assistant of this name; there are: {}", names().join(", ")));
    }
    match state.assistants.all().as_slice() {
        [only] => Ok(Arc::clone(only)),
        [] => Err("there is no assistant: make one on /admin, or name a folder in the configuration".to_owned()),
        _ => Err(format!("name an assistant; there are: {}", names().join(", "))),
    }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    let text = arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| format!("the argument {name} must be a text"))
}

/// Refuses arguments that no tool has: a misspelt one would be left out in silence.
fn only(arguments: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match arguments.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("there is no argument {name:?}; there are: {}", known.join(", "))),
        None => Ok(()),
    }
}
