//! [OpenAI Chat Completions](https://platform.openai.com/docs/api-reference/chat/object): annotations in
//! `choices[0].message`, or late in a stream.
//!
//! Other providers write chunks of the same shape, and some can be recognized only by the last chunk. This reader then hands
//! over to the reader of that format and keeps the text that has arrived.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;

use super::annotated_parts::{AnnotatedParts, Part};
use super::assistanthub::AssistantHubEvents;
use super::azsearch_demo::DemoEvents;
use super::azure_events::AzureEvents;
use super::chat::{self, CHAT_MEMBERS, ChatKind, Content};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members};
use super::gateway::Gateway;
use super::json::{self, list};
use super::location::{Located, web_url};
use super::mistral_chat::MistralChatEvents;
use super::openwebui::WebUiAnswer;
use super::openwebui_source::carries_sources;
use super::perplexity::PerplexityEvents;
use super::text_tags::TextTags;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::OpenAiChat,
    sign: "`choices`",
    members: &[CHAT_MEMBERS],
    is_whole: |members| ChatKind::OpenAi.is_whole(members),
    is_event: |members| members.contains_key("choices"),
    parse: |body| parse(body, false),
    reader: || Box::new(ChatEvents::new(false)),
};

/// Reads a whole completion of OpenAI or xAI.
pub(super) fn parse(body: &str, is_xai: bool) -> Result<Answer, IngestError> {
    let mut answer = Answer { complete: true, ..Answer::default() };
    let (content, said) = chat::whole(body, &mut answer.warnings)?;
    // Annotations stand beside `content`, so their offsets count in the whole text of the message.
    let part = Part { text: content.into_text(), annotations: said.annotations };
    let mut gateway = Gateway::default();
    if !is_xai {
        gateway.read(body, "", part.text.len(), &mut answer.warnings);
    }
    answer.grammar = grammar(is_xai, is_listed(&part, &gateway));
    let parts = vec![part];
    let mut seen = Vec::new();
    if is_xai {
        let Seen { citations } = json::read(body)?;
        seen = pages(citations, "/citations", &mut answer.warnings);
    }
    AnnotatedParts { parts, seen, gateway, linked_markers: is_xai, ..AnnotatedParts::default() }.finish(&mut answer);
    Ok(answer)
}

/// Whether numbers in the text may lead to sources, because a source has no place in it.
fn is_listed(part: &Part, gateway: &Gateway) -> bool {
    gateway.is_counted() || part.annotations.iter().any(|(_, annotation)| annotation.is_unplaced())
}

fn grammar(is_xai: bool, is_listed: bool) -> MarkerGrammar {
    match (is_xai, is_listed) {
        (true, _) => MarkerGrammar::NONE,
        (false, true) => MarkerGrammar::LISTED,
        (false, false) => MarkerGrammar::ANNOTATED,
    }
}

/// xAI's `citations`: addresses of all pages that the model saw.
#[derive(Deserialize)]
struct Seen {
    #[serde(default, deserialize_with = "list")]
    citations: Vec<Option<String>>,
}

fn pages(citations: Vec<Option<String>>, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
    let mut pages = Vec::new();
    for (at, url) in citations.into_iter().enumerate() {
        let pointer = format!("{pointer}/{at}");
        let Located { url, filepath, address } = web_url(url, || pointer.clone(), warnings);
        if url.is_some() || filepath.is_some() {
            let kind = Some(SourceKind::Web);
            pages.push(Source { url, address, filepath, kind, pointer, ..Source::default() });
        }
    }
    pages
}

/// Searchers for member names that reveal another provider. Every chunk is searched, so they are built once.
static SIGNS: LazyLock<[Finder<'static>; 6]> = LazyLock::new(|| {
    ["\"context\"", "\"citations\"", "\"event\"", "\"sources\"", "\"search_results\"", "\"reference\""].map(Finder::new)
});

/// The beginning of a marker that RAGFlow writes.
const RAGFLOW_MARKER: &str = "[ID:";

/// The provider that the chunks turned out to come from, and the reader of its format.
type ToldReader = (Provider, Box<dyn ReadEvents>);

/// Reads the chunks of one streamed answer of OpenAI or xAI.
#[derive(Debug)]
pub(super) struct ChatEvents {
    is_xai: bool,
    part: Part,
    gateway: Gateway,
    /// The text that takes the place of the one that arrived.
    replacement: Option<String>,
    /// The pages that xAI saw. Each list in the stream replaces the one before it; the last is complete.
    seen: Vec<Source>,
    late: bool,
    /// Brave's tags in the text.
    tags: Option<TextTags>,
    /// The reader that took over, and its provider.
    other: Option<ToldReader>,
}

impl ChatEvents {
    pub(super) fn new(is_xai: bool) -> Self {
        Self {
            is_xai,
            part: Part::default(),
            gateway: Gateway::default(),
            replacement: None,
            seen: Vec::new(),
            late: false,
            tags: None,
            other: None,
        }
    }

    fn become_late(&mut self, said: &mut Vec<StreamEvent>) {
        if !self.late {
            self.late = true;
            said.push(StreamEvent::Late);
        }
    }

    /// The text without Brave's tags, which name its sources.
    fn without_tags(
        &mut self,
        text: String,
        place: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> String {
        let Some(tags) = &mut self.tags else { return text };
        let told = tags.push(&text);
        let pointer = format!("{place}/choices/0/delta/content");
        let cites = self.gateway.read_tags("citation", &told.cited, &pointer, notes);
        self.gateway.read_tags("thinking", &told.consulted, &pointer, notes);
        if cites || told.answer.is_some() {
            self.become_late(said);
        }
        self.replacement = told.answer.or(self.replacement.take());
        told.text
    }

    /// The provider and reader to hand over to, when the chunk is of another format.
    fn told(&self, json: &str) -> Result<Option<ToldReader>, IngestError> {
        if self.is_xai || !SIGNS.iter().any(|sign| sign.find(json.as_bytes()).is_some()) {
            return Ok(None);
        }
        let members: Members = json::read(json)?;
        let before = self.part.text.len();
        Ok(match ChatKind::of(&members) {
            Some(ChatKind::AzureOnYourData) => Some((Provider::AzureOnYourData, Box::new(AzureEvents::default()))),
            Some(ChatKind::AzureSearchDemo) => Some((Provider::AzureSearchDemo, Box::new(DemoEvents::default()))),
            Some(ChatKind::AssistantHub) => Some((Provider::AssistantHub, Box::new(AssistantHubEvents::default()))),
            Some(ChatKind::OpenWebUi) => Some((Provider::OpenWebUi, Box::new(WebUiAnswer::after(&self.part.text)))),
            None if carries_sources(&members) => {
                Some((Provider::OpenWebUi, Box::new(WebUiAnswer::after(&self.part.text))))
            }
            Some(ChatKind::Perplexity) => Some((Provider::Perplexity, Box::new(PerplexityEvents::after(before)))),
            Some(ChatKind::Mistral) => Some((Provider::Mistral, Box::new(MistralChatEvents::after(before)))),
            Some(ChatKind::Xai | ChatKind::OpenAi) | None => None,
        })
    }
}

impl ReadEvents for ChatEvents {
    fn grammar(&self) -> MarkerGrammar {
        let own = || grammar(self.is_xai, is_listed(&self.part, &self.gateway));
        self.other.as_ref().map_or_else(own, |(_, other)| other.grammar())
    }

    fn told_provider(&self) -> Option<Provider> {
        self.other.as_ref().map(|(provider, _)| *provider)
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        if self.other.is_none() {
            self.other = self.told(json)?;
            if self.other.is_some() && !self.part.text.is_empty() {
                self.become_late(events);
            }
        }
        if let Some((_, other)) = &mut self.other {
            return other.read(event, json, notes, events);
        }
        let chunk = chat::chunk(event, json, notes)?;
        if let Some(error) = chunk.error {
            events.push(StreamEvent::Error(error));
            return Ok(());
        }
        // Search models send their annotations after the text.
        let model = chunk.model.unwrap_or_default();
        if model.contains("search") {
            self.become_late(events);
        }
        if model.starts_with("brave") && self.tags.is_none() {
            self.tags = Some(TextTags::default());
        }
        if self.is_xai && json.contains("\"citations\"") {
            let Seen { citations } = json::read(json)?;
            if !citations.is_empty() {
                self.seen = pages(citations, &format!("{}/citations", event.pointer()), notes);
            }
        }
        let (said, replacement) = (chunk.said, chunk.final_content);
        let arrived = said.as_ref().and_then(|said| said.content.clone()).map(Content::into_text).unwrap_or_default();
        let length = self.part.text.len() + arrived.len();
        if !self.is_xai && self.gateway.read(json, &event.pointer(), length, notes) || replacement.is_some() {
            self.become_late(events);
        }
        self.replacement = replacement.or(self.replacement.take());
        let Some(said) = said else { return Ok(()) };
        let text = self.without_tags(arrived, &event.pointer(), notes, events);
        let markers: &[char] = if self.is_xai { &['['] } else { &['\u{e200}', '【'] };
        if !said.annotations.is_empty() || text.contains(markers) {
            self.become_late(events);
        }
        self.part.annotations.extend(said.annotations);
        if repeats_with_markers(&self.part.text, &text) {
            self.become_late(events);
            self.replacement.get_or_insert(text);
        } else if !text.is_empty() {
            self.part.text.push_str(&text);
            events.push(StreamEvent::Text(text));
        }
        if said.ended {
            events.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        if let Some((_, other)) = self.other {
            answer.grammar = other.grammar();
            other.finish(answer);
            return;
        }
        let Self { is_xai: linked_markers, mut part, gateway, tags, replacement, seen, .. } = *self;
        let is_research = tags.is_some() && replacement.is_some();
        let rest = tags.map(|tags| tags.finish("/choices/0/delta/content", &mut answer.warnings)).unwrap_or_default();
        part.text = replacement.unwrap_or(part.text + &rest);
        // The answer of Brave's research cites by links.
        answer.grammar = grammar(linked_markers, is_listed(&part, &gateway));
        answer.grammar.links |= is_research;
        AnnotatedParts { parts: vec![part], seen, gateway, linked_markers, ..AnnotatedParts::default() }.finish(answer);
    }
}

/// Whether a delta is the text so far once more, now with markers. RAGFlow inserts them when the answer is complete.
fn repeats_with_markers(text: &str, delta: &str) -> bool {
    let is_longer = !text.is_empty() && delta.len() > text.len();
    is_longer && delta.contains(RAGFLOW_MARKER) && without_markers(delta).eq(without_markers(text))
}

/// The letters of a text, without blanks and RAGFlow's markers.
fn without_markers(text: &str) -> impl Iterator<Item = char> {
    let pieces = text.split(RAGFLOW_MARKER).enumerate().map(|(at, piece)| {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let is_marker = at > 0 && piece[digits..].starts_with(']');
        if is_marker { &piece[digits + 1..] } else { piece }
    });
    pieces.flat_map(str::chars).filter(|c| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{AnswerStream, StreamEvent, ingest};
    use super::*;

    fn chunk(delta: &Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta}]})
    }

    fn text(text: &str) -> Value {
        chunk(&json!({"content": text}))
    }

    fn end() -> Value {
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    }

    fn body(events: &[Value]) -> String {
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }

    fn stream(events: &[Value]) -> Answer {
        ingest(body(events).as_bytes(), None).expect("an answer")
    }

    fn events(events: &[Value]) -> Vec<StreamEvent> {
        AnswerStream::new(None).push(body(events).as_bytes()).expect("events")
    }

    fn whole(message: &Value) -> Answer {
        ingest(json!({"choices": [{"message": message}]}).to_string().as_bytes(), None).expect("an answer")
    }

    #[test]
    fn annotations_may_be_flat_and_content_a_list() {
        let annotations = json!([{"type": "url_citation", "url": "https://x", "start_index": 1, "end_index": 2}, null]);
        let content =
            json!([{"type": "thinking", "text": "no"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        let answer = whole(&json!({"content": content, "annotations": annotations, "refusal": null}));
        assert_eq!((answer.text.as_str(), answer.citations[0].span.range()), ("ab", 1..2));
        assert_eq!(answer.sources[0].pointer, "/choices/0/message/annotations/0");
        assert_eq!(whole(&json!({"content": null, "refusal": "I cannot."})).text, "I cannot.");
    }

    #[test]
    fn the_answer_of_a_research_of_brave_cites_its_pages_by_links() {
        let piece = |text: &str| {
            let mut chunk = self::text(text);
            chunk["model"] = json!("brave-pro");
            chunk
        };
        let pages = r#"<thinking>{"urls_selected": ["https://x.example/a", "https://x.example/b"]}</thin"#;
        let answer = stream(&[
            piece("I search. "),
            piece(pages),
            piece(r#"king><answer>{"answer": "Yes [B](https://x.example/b)."}</answer><usage>{}</usage>"#),
            end(),
        ]);
        assert_eq!((answer.text.as_str(), answer.grammar.links), ("Yes [B](https://x.example/b).", true));
        let urls: Vec<_> =
            answer.sources.iter().filter_map(|source| source.url.as_ref()).map(crate::url::WebUrl::as_str).collect();
        assert_eq!(urls, ["https://x.example/a", "https://x.example/b"]);
    }

    /// Some services parse structured output and send `content` as an object, which was once refused.
    #[test]
    fn an_object_as_content_is_its_json_in_the_order_of_the_model() {
        let body =
            "{\"choices\": [{\"message\": {\"content\": {\"b\": [1, {\"x y\": \"a \\\" \\\\\"}], \"a\": 1.50 }}}]}";
        let answer = ingest(body.as_bytes(), None).expect("an answer");
        assert_eq!(answer.text, r#"{"b":[1,{"x y":"a \" \\"}],"a":1.50}"#);
        let delta = stream(&[chunk(&json!({"content": {"days": 30}})), end()]);
        assert_eq!(delta.text, r#"{"days":30}"#);
        assert_eq!(whole(&json!({"content": {}})).text, "{}");
    }

    #[test]
    fn another_choice_and_reasoning_are_no_text() {
        let other = json!({"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}]});
        let both =
            json!({"choices": [{"index": 1, "delta": {"content": "z"}}, {"index": 0, "delta": {"content": "b"}}]});
        let answer = stream(&[chunk(&json!({"reasoning_content": "hm"})), other, text("a"), both]);
        assert_eq!((answer.text.as_str(), answer.complete), ("ab", false));
    }

    #[test]
    fn a_chunk_that_tells_nothing_is_followed_by_one_that_tells_of_azure() {
        let context = chunk(&json!({"context": {"citations": [{"title": "A"}]}}));
        let late = stream(&[text("x [doc1]"), context.clone(), end()]);
        assert_eq!((late.grammar, late.complete), (MarkerGrammar::AZURE_ON_YOUR_DATA, true));
        assert_eq!((late.text.as_str(), late.sources[0].title.as_deref()), ("x [doc1]", Some("A")));
        assert_eq!(events(&[text("x [doc1]"), context.clone()])[1], StreamEvent::Late);
        // Before any text nothing is late.
        assert!(!events(&[chunk(&json!({"role": "assistant"})), context, text("x")]).contains(&StreamEvent::Late));
    }

    #[test]
    fn the_last_chunk_may_tell_of_another() {
        let told = |name: &str, value: &Value| {
            let mut end = end();
            end[name] = value.clone();
            stream(&[text("x [1]"), end])
        };
        let hub = told("citations", &json!({"sources": [{"document_name": "A"}], "referenced_indices": [1]}));
        assert_eq!((hub.grammar, hub.text.as_str()), (MarkerGrammar::ASSISTANT_HUB, "x [1]"));
        let perplexity = told("search_results", &json!([{"url": "https://x", "title": "X"}]));
        // Only a model of Perplexity is known to write no `[^1]`.
        let listed = MarkerGrammar { footnotes: true, ..MarkerGrammar::BRACKETED_NUMBERS };
        assert_eq!((perplexity.grammar, perplexity.text.as_str()), (listed, "x [1]"));
        for answer in [hub, perplexity] {
            assert_eq!((answer.sources.len(), answer.complete), (1, true));
        }
        let reference = chunk(&json!({"content": [{"type": "reference", "reference_ids": [4]}]}));
        let mistral = stream(&[text("Süß"), reference, text("."), end()]);
        assert_eq!((mistral.text.as_str(), mistral.citations[0].span.start()), ("Süß.", "Süß".len()));
        assert_eq!(mistral.sources[0].id.as_deref(), Some("4"));
    }

    #[test]
    fn a_model_that_searches_cites_late() {
        let mut first = text("a");
        first["model"] = json!("gpt-4o-search-preview");
        assert_eq!(events(&[first])[0], StreamEvent::Late);
        assert_eq!(events(&[text("a")]), [StreamEvent::Text("a".into())]);
    }

    /// An empty reason in the first chunk was taken for the end, so that a stream that broke off later looked complete.
    #[test]
    fn an_empty_finish_reason_is_no_end() {
        let going_on = |said: &str| {
            let mut event = text(said);
            event["choices"][0]["finish_reason"] = json!("");
            event
        };
        let answer = stream(&[going_on("a"), going_on("b")]);
        assert_eq!((answer.text.as_str(), answer.complete), ("ab", false));
        assert!(stream(&[going_on("a"), end()]).complete);
    }

    #[test]
    fn an_error_keeps_the_text() {
        let answer = stream(&[text("a"), json!({"error": {"code": 429}}), text("b")]);
        assert_eq!((answer.text.as_str(), answer.complete), ("a", false));
        assert_eq!(answer.error.expect("an error").to_string(), "429");
    }

    #[test]
    fn null_is_absent_and_a_wrong_type_is_named_by_its_place() {
        let null = json!({"choices": [{"index": null, "delta": {"content": null, "annotations": null}, "finish_reason": null}], "error": null});
        assert_eq!(stream(&[null, text("a"), end()]).text, "a");
        let wrong = json!({"choices": [{"message": {"content": 5}}]}).to_string();
        let refused = ingest(wrong.as_bytes(), None).expect_err("a number is no text").to_string();
        assert_eq!(refused, "/choices/0/message/content: invalid type: integer `5`, expected a string");
        let wrong = chunk(&json!({"annotations": [{"type": "url_citation", "url_citation": {"url": 1}}]}));
        let refused = ingest(body(&[text("a"), wrong]).as_bytes(), None).expect_err("a number is no address");
        assert_eq!(refused.pointer(), Some("/choices/0/delta/annotations/0/url_citation/url"));
    }
}
