//! [azure-search-openai-demo](https://github.com/Azure-Samples/azure-search-openai-demo): `[file.pdf#page=2]` in the
//! text names an entry of `context.data_points.citations`.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::Value;

use super::chat::{CHAT_MEMBERS, ChatKind, has_data_points};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::Format;
use super::json::{self, filled, list};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;
use crate::url::WebUrl;

pub(super) const FORMAT: Format = Format {
    provider: Provider::AzureSearchDemo,
    sign: "`message` or `output_text` with `context`",
    members: &[&["message", "output_text", "delta", "context", "session_state"], CHAT_MEMBERS],
    is_whole: |members| {
        let has_text = |message: &Value| message.is_object() && !message["content"].is_array();
        let has_output_text = members.get("output_text").is_some_and(Value::is_string);
        let is_bare = has_output_text || members.get("message").is_some_and(has_text);
        is_bare && members.get("context").is_some_and(has_data_points) || ChatKind::AzureSearchDemo.is_whole(members)
    },
    is_event: |members| {
        let is_context = members.get("type").is_some_and(|kind| kind == CONTEXT_EVENT);
        if is_context || ChatKind::of(members) == Some(ChatKind::AzureSearchDemo) {
            return true;
        }
        let is_bare = ["type", "event_type", "object", "choices"].iter().all(|name| !members.contains_key(*name));
        is_bare
            && (members.get("context").is_some_and(has_data_points)
                || members.get("delta").is_some_and(|delta| delta["role"].is_string()))
    },
    parse,
    reader: || Box::new(DemoEvents::default()),
};

/// The event that carries the sources. It comes among events of OpenAI Responses, which have no event of this type.
pub(super) const CONTEXT_EVENT: &str = "response.context";

/// The members of a response or of an event.
#[derive(Deserialize)]
struct Response {
    /// The text, since 2026.
    output_text: Option<String>,
    message: Option<WireMessage>,
    delta: Option<Delta>,
    context: Option<Context>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

/// The protocol until 2024: the only choice holds the members.
#[derive(Deserialize)]
struct Choices {
    #[serde(default, deserialize_with = "list")]
    choices: Vec<Response>,
}

impl Response {
    /// Reads a response or an event. Returns it with the pointer of its members: empty, or `/choices/0`. `choices` is read
    /// only if there are no members of the newer protocol beside it, because choices of other formats may have any shape.
    fn read(json: &str) -> Result<(Self, &'static str), IngestError> {
        let response: Self = json::read(json)?;
        let Self { output_text, message, delta, context, error } = &response;
        if output_text.is_some() || message.is_some() || delta.is_some() || context.is_some() || error.is_some() {
            return Ok((response, ""));
        }
        let choice = json::read::<Choices>(json)?.choices.into_iter().next();
        Ok(choice.map_or((response, ""), |choice| (choice, "/choices/0")))
    }
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<String>,
}

/// A delta of the text: a plain string since 2026, before that in a message.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, or a message with `content`, is required")]
enum Delta {
    Text(String),
    Message(WireMessage),
}

impl Delta {
    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Message(message) => message.content,
        }
    }
}

#[derive(Default, Deserialize)]
struct Context {
    data_points: Option<DataPoints>,
}

#[derive(Default, Deserialize)]
struct DataPoints {
    /// Passages in the form `name: passage`. Other parts of the demo put objects there, which are skipped.
    #[serde(default, deserialize_with = "list")]
    text: Vec<Value>,
    citations: Option<Vec<String>>,
    /// Pages of the web and of SharePoint that a knowledge base found.
    #[serde(default, deserialize_with = "list")]
    external_results_metadata: Vec<Option<External>>,
}

/// A page that `citations` names by its address, or by the last segment of the address.
#[derive(Deserialize)]
struct External {
    title: Option<String>,
    url: Option<String>,
    snippet: Option<String>,
}

impl External {
    /// Whether an entry of `citations` names this page.
    fn is_named(&self, name: &str) -> bool {
        let Some(url) = self.url.as_deref() else { return false };
        let trimmed = url.trim_end_matches('/');
        let last = trimmed.rsplit('/').next().unwrap_or_default();
        [url, trimmed, last].contains(&name) || last.split(['?', '#']).next() == Some(name)
    }
}

impl DataPoints {
    fn into_sources(self, pointer: &str) -> Vec<Source> {
        let passages: Vec<(&str, &str)> =
            self.text.iter().filter_map(Value::as_str).filter_map(|passage| passage.split_once(": ")).collect();
        match self.citations {
            Some(citations) => {
                let citations = citations.into_iter().enumerate();
                let source = |(at, name): (usize, String)| {
                    let passage = passages.iter().find(|(of, _)| *of == name).map(|(_, passage)| (*passage).to_owned());
                    let external = self.external_results_metadata.iter().flatten().find(|page| page.is_named(&name));
                    let mut source = source(name, passage, format!("{pointer}/citations/{at}"));
                    if let Some(External { title, url, snippet }) = external {
                        source.title = filled(title.clone());
                        source.content = source.content.or_else(|| filled(snippet.clone()));
                        if let Some(url) = url.as_deref().filter(|_| source.url.is_none()) {
                            // The entry of `citations` is the end of this address, not a file name.
                            (source.url, source.address) = (url.parse().ok(), Some(url.to_owned()));
                        }
                    }
                    source
                };
                citations.map(source).collect()
            }
            // Older versions list only the passages.
            None => {
                let named = self.text.iter().enumerate().filter_map(|(at, passage)| Some((at, passage.as_str()?)));
                let named = named.filter_map(|(at, passage)| Some((at, passage.split_once(": ")?)));
                named
                    .map(|(at, (name, passage))| {
                        source(name.to_owned(), Some(passage.to_owned()), format!("{pointer}/text/{at}"))
                    })
                    .collect()
            }
        }
    }
}

/// The source of an entry: an address, or a file with or without a page.
fn source(name: String, passage: Option<String>, pointer: String) -> Source {
    let content = filled(passage);
    if let Ok(url) = name.parse::<WebUrl>() {
        let address = (url.as_str() != name).then(|| name.clone());
        let kind = Some(SourceKind::Document);
        return Source { id: Some(name), url: Some(url), address, kind, content, pointer, ..Source::default() };
    }
    let paged = name.split_once("#page=").and_then(|(file, page)| Some((file, page.parse::<NonZeroU32>().ok()?)));
    let (file, page) = paged.map_or((name.as_str(), None), |(file, page)| (file, Some(page)));
    let (filepath, kind) = (Some(file.to_owned()), Some(SourceKind::Document));
    Source { filepath, kind, page, id: Some(name), content, pointer, ..Source::default() }
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let (response, place) = Response::read(body)?;
    let text = response.output_text.or_else(|| response.message.and_then(|message| message.content));
    let text = text.ok_or_else(|| {
        IngestError::member(format!("{place}/message/content"), "missing; the text of the answer is required")
    })?;
    let sources = response.context.and_then(|context| context.data_points).unwrap_or_default();
    let sources = sources.into_sources(&format!("{place}/context/data_points"));
    Ok(Answer { text, sources, grammar: MarkerGrammar::REFERENCES, complete: true, ..Answer::default() })
}

/// The events of one streamed answer: first the context, then deltas of text. No event signals the end.
#[derive(Debug, Default)]
pub(super) struct DemoEvents {
    told: bool,
}

impl ReadEvents for DemoEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::REFERENCES
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        _: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let (response, place) = Response::read(json)?;
        if let Some(error) = response.error {
            said.push(StreamEvent::Error(json::provider_error(&error)));
            return Ok(());
        }
        let points = response.context.and_then(|context| context.data_points);
        if let Some(points) = points.filter(|_| !self.told) {
            let sources = points.into_sources(&format!("{}{place}/context/data_points", event.pointer()));
            // The last event repeats the context.
            self.told = !sources.is_empty();
            said.push(StreamEvent::Sources(sources));
        }
        let text = response.delta.and_then(Delta::into_text).filter(|text| !text.is_empty());
        said.extend(text.map(StreamEvent::Text));
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        // Rule N-12: an answer without an end sign in its format is complete when the input ends without an error.
        answer.complete = answer.error.is_none();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn body(content: &str, points: &Value) -> String {
        json!({"message": {"content": content}, "context": {"data_points": points}}).to_string()
    }

    fn read(content: &str, points: &Value) -> Answer {
        ingest(body(content, points).as_bytes(), None).expect("an answer")
    }

    #[test]
    fn an_entry_is_a_file_with_its_page_or_an_address() {
        let points = json!({"citations": ["hr/plan.pdf#page=2", "https://x/a.html"], "text": null});
        let answer = read("a [plan.pdf#page=2]", &points);
        assert_eq!(answer.grammar, MarkerGrammar::REFERENCES);
        let source = &answer.sources[0];
        assert_eq!(source.id.as_deref(), Some("hr/plan.pdf#page=2"));
        assert_eq!((source.filepath.as_deref(), source.page.map(NonZeroU32::get)), (Some("hr/plan.pdf"), Some(2)));
        assert_eq!(answer.sources[1].url.as_ref().map(WebUrl::host), Some("x"));
    }

    #[test]
    fn without_a_list_the_passages_name_the_files() {
        let answer = read("a [b.pdf]", &json!({"citations": null, "text": ["b.pdf: first: part", {"x": 1}, "none"]}));
        assert_eq!((answer.sources.len(), answer.sources[0].content.as_deref()), (1, Some("first: part")));
        assert_eq!(answer.sources[0].pointer, "/context/data_points/text/0");
    }

    #[test]
    fn a_stream_is_whole_when_it_ends_without_an_error() {
        let context = json!({"data_points": {"citations": ["b.pdf"]}});
        let first = json!({"delta": {"role": "assistant"}, "context": context, "session_state": null});
        let text = json!({"delta": {"content": "a [b.pdf]", "role": null}});
        let error = json!({"error": "it failed"});
        let lines = |events: &[&Value]| events.iter().map(|event| format!("{event}\n")).collect::<String>();
        let answer = ingest(lines(&[&first, &text, &first]).as_bytes(), None).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.sources.len(), answer.complete), ("a [b.pdf]", 1, true));
        let failed = ingest(lines(&[&first, &text, &error]).as_bytes(), None).expect("an answer");
        assert_eq!((failed.text.as_str(), failed.complete), ("a [b.pdf]", false));
        assert_eq!(failed.error.expect("an error").to_string(), "it failed");
    }

    /// The shape of the demo since it uses OpenAI Responses. A whole answer was refused, and a stream was read as OpenAI
    /// Responses, without its sources.
    #[test]
    fn the_protocol_with_output_text_is_read_whole_and_as_a_stream() {
        let points = json!({"text": ["hr.pdf#page=2: Ten days."], "images": [], "citations": ["hr.pdf#page=2"],
            "external_results_metadata": []});
        let context = |questions: Value| {
            json!({"data_points": points, "thoughts": [{"title": "Search", "description": "leave",
            "props": null}], "followup_questions": questions, "answer": null})
        };
        let text = "Ten days [hr.pdf#page=2].";
        let whole =
            json!({"output_text": text, "context": context(Value::Null), "session_state": {"conversation_id": 7}});
        let first = json!({"type": "response.context", "context": context(Value::Null), "session_state": null});
        let piece = |text: &str| json!({"type": "response.output_text.delta", "delta": text});
        let last = json!({"type": "response.context", "context": context(json!(["And then?"])), "session_state": null});
        let lines = [first, piece("Ten days "), piece("[hr.pdf#page=2]."), last];
        let stream = lines.iter().map(|event| format!("{event}\n")).collect::<String>();
        for body in [whole.to_string(), stream] {
            let answer = ingest(body.as_bytes(), None).expect(&body);
            assert_eq!((answer.provider, answer.text.as_str()), (Some("azsearch-demo"), text), "{body}");
            assert_eq!((answer.sources.len(), answer.complete), (1, true), "{body}");
            assert_eq!(answer.sources[0].content.as_deref(), Some("Ten days."));
        }
    }

    /// Such a stream was read as a plain chat completion and lost its sources without a warning.
    #[test]
    fn the_protocol_with_choices_is_read_whole_and_as_a_stream() {
        let points = json!({"text": ["hr-2.pdf: Ten days."]});
        let context = json!({"data_points": points, "thoughts": [{"title": "Search", "description": "leave"}]});
        let text = "Ten days [hr-2.pdf].";
        let whole = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-35-turbo", "choices": [{
            "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text},
            "context": context, "session_state": null}], "usage": {"total_tokens": 9}});
        let first = json!({"choices": [{"delta": {"role": "assistant"}, "context": context, "session_state": null,
            "finish_reason": null, "index": 0}], "object": "chat.completion.chunk"});
        let piece = |delta: Value| {
            json!({"choices": [{"delta": delta, "finish_reason": null, "index": 0}],
            "created": 1, "id": "c", "model": "gpt-35-turbo", "object": "chat.completion.chunk"})
        };
        let lines = [first, piece(json!({"content": null, "role": "assistant"})), piece(json!({"content": text}))];
        let stream = lines.iter().map(|event| format!("{event}\n")).collect::<String>();
        for (body, place) in [(whole.to_string(), ""), (stream, "/0")] {
            let answer = ingest(body.as_bytes(), None).expect(&body);
            assert_eq!((answer.provider, answer.text.as_str()), (Some("azsearch-demo"), text), "{body}");
            assert_eq!((answer.sources.len(), answer.complete), (1, true), "{body}");
            assert_eq!(answer.sources[0].content.as_deref(), Some("Ten days."));
            assert_eq!(answer.sources[0].pointer, format!("{place}/choices/0/context/data_points/text/0"));
        }
        let none = json!({"choices": [{"message": {"content": null}, "context": context}]}).to_string();
        let refused = ingest(none.as_bytes(), None).expect_err("an answer without a text");
        assert_eq!(refused.pointer(), Some("/choices/0/message/content"));
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: &str| ingest(body.as_bytes(), None).expect_err(body).pointer().map(str::to_owned);
        assert_eq!(
            refused(&body("a", &json!({"citations": [5]}))).as_deref(),
            Some("/context/data_points/citations/0")
        );
        let none = r#"{"message": {"content": null}, "context": {"data_points": {}}}"#;
        assert_eq!(refused(none).as_deref(), Some("/message/content"));
    }
}
