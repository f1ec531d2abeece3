//! The documents of assistants as resources.

use std::sync::Arc;

use serde_json::{Value, json};

use super::message::{Fault, Request};
use crate::document::{Document, DocumentId, PassageAddress};
use crate::http::State;

/// The beginning of the address of each resource: behind it the assistant and the id of the document.
const SCHEME: &str = "citewire://assistants/";

/// The resources in one answer; the next ones come for its cursor.
const PAGE: usize = 100;

/// The documents, in the order of assistants and paths. The cursor is the number of those before.
pub(super) fn list(state: &State, asked: &Request) -> Result<Value, Fault> {
    let first = match asked.text("cursor") {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| Fault::invalid_params("this cursor is not one of ours"))?,
    };
    let (mut resources, mut rest, mut skip) = (Vec::new(), false, first);
    for assistant in state.assistants.all() {
        let Some(library) = assistant.library() else { continue };
        let count = library.len();
        let room = PAGE - resources.len();
        if skip < count && room == 0 {
            rest = true;
            break;
        }
        let documents = library.documents(skip, room);
        rest |= skip + documents.len() < count;
        skip = skip.saturating_sub(count);
        resources.extend(documents.iter().map(|document| resource(assistant.name(), document)));
        if rest {
            break;
        }
    }
    let next = rest.then(|| (first + resources.len()).to_string());
    let mut listed = json!({"resources": resources});
    if let Some(next) = next {
        listed["nextCursor"] = json!(next);
    }
    Ok(listed)
}

fn resource(assistant: &str, document: &Arc<Document>) -> Value {
    json!({
        "uri": format!("{SCHEME}{assistant}/documents/{}", document.id),
        "name": document.path,
        "title": document.title,
        "mimeType": "text/plain",
    })
}

/// The text of a document, as it is searched.
pub(super) fn read(state: &State, asked: &Request) -> Result<Value, Fault> {
    let uri = asked.required("uri")?;
    let text = text_of(state, uri).ok_or_else(|| Fault::unknown_resource(uri))?;
    Ok(json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}))
}

fn text_of(state: &State, uri: &str) -> Option<String> {
    let (assistant, id) = uri.strip_prefix(SCHEME)?.split_once("/documents/")?;
    let id: DocumentId = id.parse().ok()?;
    let assistant = state.assistants.get(assistant)?;
    let shown = assistant.library()?.shown(&id, &PassageAddress::whole(0))?;
    let mut out = String::new();
    let mut above: &[String] = &[];
    for passage in shown.passages.iter() {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        if passage.headings != above {
            out.push_str(&format!("{}\n\n", passage.headings.join(" > ")));
            above = &passage.headings;
        }
        out.push_str(&passage.text);
    }
    Some(out)
}
