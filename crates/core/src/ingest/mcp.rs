//! [Model Context Protocol](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): the result of a tool, bare
//! or in the response of JSON-RPC. A stream of the HTTP transport has notifications before the response, and no pieces of it.

use serde_json::Value;

use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something, is_text};
use super::json;
use super::mcp_result::{Found, GRAMMAR, ToolResult};
use super::passages;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Mcp,
    sign: "`content` of a tool's result",
    members: &[&["id", "jsonrpc", "result"], &BARE],
    is_whole: |members| {
        if is_rpc(members) { members.get("result").is_some_and(is_result) } else { is_bare_result(members) }
    },
    is_event,
    parse,
    reader: || Box::new(Call::default()),
};

/// The members of a result that no JSON-RPC response holds.
const BARE: [&str; 5] = ["_meta", "content", "isError", "resultType", "structuredContent"];

/// The kinds of blocks.
const KINDS: [&str; 5] = ["audio", "image", "resource", "resource_link", "text"];

fn is_rpc(members: &Members) -> bool {
    is_text(members, "jsonrpc", "2.0")
}

/// Other protocols over JSON-RPC have other methods, and results without blocks.
fn is_event(members: &Members) -> bool {
    let is_notification =
        || members.get("method").and_then(Value::as_str).is_some_and(|method| method.starts_with("notifications/"));
    is_rpc(members)
        && (members.get("result").is_some_and(is_result)
            || members.get("error").is_some_and(Value::is_object)
            || is_notification())
}

fn is_result(result: &Value) -> bool {
    let blocks = result["content"].as_array();
    blocks.is_some_and(|blocks| blocks.iter().all(|block| block.is_null() || block["type"].is_string()))
}

/// Messages of models have blocks, too, which may have a list of annotations or citations.
fn is_block(block: &Value) -> bool {
    block["type"].as_str().is_some_and(|kind| KINDS.contains(&kind))
        && !block["annotations"].is_array()
        && block.get("citations").is_none()
}

/// Whether these are the members of a result without its envelope. Its text alone tells too little.
fn is_bare_result(members: &Members) -> bool {
    let Some(blocks) = members.get("content").and_then(Value::as_array) else { return false };
    let tells = |block: &Value| {
        let is_resource = block["type"].as_str().is_some_and(|kind| kind.starts_with("resource"));
        is_resource || block["text"].as_str().and_then(passages::passages).is_some()
    };
    blocks.iter().all(is_block)
        && (["isError", "resultType", "structuredContent"].iter().any(|name| is_something(members, name))
            || members.keys().all(|name| BARE.contains(&name.as_str())) && blocks.iter().any(tells))
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut members: Members = json::read(body)?;
    let (result, place) = match members.remove("result") {
        Some(result) => (result, "/result"),
        None => (Value::Object(members), ""),
    };
    let result: ToolResult = json::member(result, place)?;
    if !result.is_filled() {
        return Err(IngestError::member(format!("{place}/content"), "missing; the result of a tool has it"));
    }
    if let Some(error) = result.failure() {
        let message = format!("the provider reports an error instead of an answer ({error})");
        return Err(IngestError::member(format!("{place}/isError"), message));
    }
    let mut answer = Answer::default();
    Found::of(result, place, &mut answer.warnings).finish(&mut answer);
    Ok(answer)
}

/// The call of a tool. Its response is the first one with a result; notifications before it say how far the tool is.
#[derive(Debug, Default)]
struct Call {
    found: Option<Found>,
}

impl ReadEvents for Call {
    fn grammar(&self) -> MarkerGrammar {
        self.found.as_ref().map_or(GRAMMAR, Found::grammar)
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut message: Members = json::read(json)?;
        if self.found.is_some() {
            return Ok(());
        }
        if let Some(error) = message.get("error").filter(|error| json::is_error(error)) {
            said.push(StreamEvent::Error(json::provider_error(error)));
            return Ok(());
        }
        let Some(result) = message.remove("result").filter(Value::is_object) else { return Ok(()) };
        let result: ToolResult = json::member(result, "/result")?;
        if let Some(error) = result.failure() {
            said.push(StreamEvent::Error(error));
        } else if result.is_filled() {
            let mut found = Found::of(result, &format!("{}/result", event.pointer()), notes);
            found.say(said);
            self.found = Some(found);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        if let Some(found) = self.found {
            found.finish(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, ingest};
    use super::*;

    fn refused(body: &Value) -> String {
        ingest(body.to_string().as_bytes(), Some(Provider::Mcp)).expect_err("no answer").to_string()
    }

    fn result() -> Value {
        let found =
            json!([{"ref_id": 0, "title": "Leave 🏖️", "content": "Süß 三十"}, {"ref_id": 1, "content": "Form 7"}]);
        json!({"content": [{"type": "text", "text": found.to_string()}], "isError": false})
    }

    fn response(result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": "a", "result": result})
    }

    #[test]
    fn a_stream_is_its_first_response_wherever_it_is_cut() {
        let whole = ingest(response(&result()).to_string().as_bytes(), None).expect("an answer");
        assert_eq!((whole.text.as_str(), whole.complete), ("Süß 三十\n\nForm 7", true));
        let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}});
        let events = [progress, response(&result()), response(&json!({"content": []}))];
        let sse: String = events.iter().map(|event| format!("event: message\ndata: {event}\n\n")).collect();
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        for body in [format!(": ping\n\n{sse}"), lines] {
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(None);
                stream.push(&body.as_bytes()[..cut]).expect("a beginning");
                stream.push(&body.as_bytes()[cut..]).expect("an end");
                let mut streamed = stream.finish().expect("an answer");
                for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                    assert_eq!(source.pointer, format!("/1{}", whole.pointer));
                    source.pointer.clone_from(&whole.pointer);
                }
                streamed.warnings.clone_from(&whole.warnings);
                assert_eq!(streamed, whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_bare_result_is_told_by_its_members_or_its_findings() {
        let texts = |text: &str| json!([{"type": "text", "text": text}]);
        let link = json!([{"type": "resource_link", "uri": "https://x.example/", "name": "X"}]);
        for body in [
            result(),
            json!({"content": texts("Hello."), "isError": false}),
            json!({"content": texts(r#"{"id": "1", "title": "A", "text": "b"}"#)}),
            json!({"content": link, "_meta": {}}),
        ] {
            let read = ingest(body.to_string().as_bytes(), None).expect("an answer");
            assert_eq!(read.provider, Some("mcp"), "{body}");
        }
        for body in [
            json!({"content": texts("Hello.")}),
            json!({"content": texts(r#"{"title": "A", "text": "b"}"#), "role": "assistant"}),
            json!({"content": [{"type": "text", "text": "a", "citations": []}], "isError": false}),
            response(&json!({"parts": [{"kind": "text", "text": "a"}]})),
        ] {
            let read = ingest(body.to_string().as_bytes(), None).map(|answer| answer.provider);
            assert_ne!(read.ok(), Some(Some("mcp")), "{body}");
        }
    }

    #[test]
    fn a_failed_tool_and_a_failed_call_are_errors() {
        let failed = json!({"content": [{"type": "text", "text": "no index"}], "isError": true});
        let reports = "the provider reports an error instead";
        assert_eq!(refused(&response(&failed)), format!("/result/isError: {reports} of an answer (no index)"));
        assert_eq!(refused(&failed), format!("/isError: {reports} of an answer (no index)"));
        let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "unknown tool"}});
        assert_eq!(refused(&error), format!("/error: {reports} of an answer (-32602: unknown tool)"));
        for (event, told) in [(response(&failed), "no index"), (error, "-32602: unknown tool")] {
            let refused = ingest(format!("data: {event}\n\n").as_bytes(), None).expect_err("no answer").to_string();
            assert_eq!(refused, format!("the stream contains no answer: {reports} ({told})"));
        }
    }

    #[test]
    fn a_result_that_asks_for_input_is_incomplete() {
        let mut asking = result();
        asking["resultType"] = json!("input_required");
        let body = response(&asking).to_string();
        for body in [body.clone(), format!("data: {body}\n\n")] {
            let read = ingest(body.as_bytes(), None).expect("an answer");
            assert_eq!((read.complete, read.warnings[0].code), (false, "finish-reason"));
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let wrong = json!({"content": [{"type": "text", "text": 5}]});
        let told = "/content/0/text: invalid type: integer `5`, expected a string";
        assert_eq!(refused(&response(&wrong)), format!("/result{told}"));
        assert_eq!(refused(&wrong), told);
        assert_eq!(refused(&json!({"text": "a"})), "/content: missing; the result of a tool has it");
    }
}
