//! Writes an answer for Open WebUI: the text, and the events that become badges and cards (`docs/guides/open-webui.md`).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use super::chat_completion::Completion;
use super::document_links::linked_text;
use super::document_name::document_names;
use super::numbered::Numbered;
use super::open_webui_source::{CardMetadata, WebUiEvent, WebUiEventKind, WebUiSource};
use super::open_webui_text::badge_text;
use crate::answer::{Answer, Source};

/// Options of [`open_webui`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenWebUiOptions {
    /// The citation form.
    pub citations: WebUiCitations,
    /// Whether encrypted documents lose their passages.
    pub withhold_encrypted: bool,
}

/// The two citation forms in Open WebUI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebUiCitations {
    /// `[1]` in the text, which Open WebUI draws as a badge, and `source` events.
    #[default]
    Badges,
    /// `[[doc1]](https://…)` in the text, which is a link and no badge, and `citation` events (rules AZ-03 to AZ-05).
    Links(CardMetadata),
}

/// An answer for Open WebUI.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OpenWebUi {
    /// The text.
    pub content: String,
    /// One event for each source, in the order of the numbers in the text.
    pub events: Vec<WebUiEvent>,
    /// Whether the provider gave its own sign that the answer is whole.
    #[serde(skip)]
    complete: bool,
}

/// Writes an answer for Open WebUI.
///
/// With badges, the n-th event is the source of `[n]`. With links, the events follow the order of the documents, which keep
/// their numbers. Only cited sources have an event. If nothing is cited, the sources that the provider used have events,
/// else all sources; if the text has only markers without a source, no source has one (rules N-14 and AZ-04).
#[must_use]
pub fn open_webui(answer: &Answer, options: &OpenWebUiOptions) -> OpenWebUi {
    let OpenWebUiOptions { citations, withhold_encrypted } = *options;
    let numbered = Numbered::new(answer);
    let order = match citations {
        WebUiCitations::Badges => numbered.by_appearance(),
        WebUiCitations::Links(_) => numbered.cited(),
    };
    let order = if order.is_empty() { numbered.shown_uncited() } else { order };
    let content = match citations {
        WebUiCitations::Links(_) => linked_text(&numbered),
        // Open WebUI leaves brackets alone in a message without sources.
        WebUiCitations::Badges if order.is_empty() => numbered.cited.text.clone(),
        WebUiCitations::Badges => badge_text(&numbered, &order),
    };
    let pages = answer.pages_at(&order);
    let names = document_names(pages.iter().map(|(_, source)| &**source));
    let sources = (1..).zip(pages.iter().zip(names));
    let event = |(number, ((place, source), name)): (usize, (&(usize, Cow<'_, Source>), String))| match citations {
        WebUiCitations::Badges => WebUiEvent {
            kind: WebUiEventKind::Source,
            data: WebUiSource::behind_badge(source, name, number, withhold_encrypted),
        },
        WebUiCitations::Links(form) => WebUiEvent {
            kind: WebUiEventKind::Citation,
            data: WebUiSource::of_document(source, place + 1, form, withhold_encrypted),
        },
    };
    OpenWebUi { content, events: sources.map(event).collect(), complete: answer.complete }
}

impl OpenWebUi {
    /// The chunks of a streamed completion that carry the sources, one each. They stand between the text and the finish
    /// chunk. Open WebUI stores them, so that they survive a reload; other clients ignore them.
    pub fn event_chunks(&self, completion: &Completion) -> impl Iterator<Item = Value> {
        self.events.iter().map(|event| {
            let mut chunk = completion.chunk(json!([]));
            chunk.insert("event".into(), json!(event));
            Value::Object(chunk)
        })
    }

    /// The member `sources` of a whole completion, which Open WebUI shows but does not store. `None` without sources.
    #[must_use]
    pub fn sources(&self) -> Option<Value> {
        let sources: Vec<&WebUiSource> = self.events.iter().map(|event| &event.data).collect();
        (!sources.is_empty()).then(|| json!(sources))
    }

    /// The answer as a whole completion. The caller may add `usage` and other members.
    #[must_use]
    pub fn whole(&self, completion: &Completion) -> Value {
        let mut whole = completion.whole(&self.content, self.complete);
        if let Some(sources) = self.sources() {
            whole.insert("sources".into(), sources);
        }
        Value::Object(whole)
    }

    /// Text and sources as one event `chat:completion`, for code inside Open WebUI that emits a whole answer.
    #[must_use]
    pub fn whole_event(&self) -> Value {
        let sources = self.sources().unwrap_or_else(|| json!([]));
        json!({"type": "chat:completion", "data": {"content": self.content, "done": true, "sources": sources}})
    }

    /// The sources as one event `chat:completion`, for code inside Open WebUI. Its empty `content` leaves the text unchanged
    /// (rule OW-02). Open WebUI does not store the event.
    #[must_use]
    pub fn completion_event(&self) -> Value {
        let sources = self.sources().unwrap_or_else(|| json!([]));
        json!({"type": "chat:completion", "data": {"content": "", "sources": sources}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{MarkerGrammar, SourceIndex};

    fn answer(text: &str) -> Answer {
        let source =
            |name: &str| Source { title: Some(name.into()), url: "https://x/a".parse().ok(), ..Source::default() };
        let sources = ["A", "B", "C"].map(source).into();
        let grammar = MarkerGrammar::BRACKETED_NUMBERS;
        Answer { text: text.into(), sources, grammar, complete: true, ..Answer::default() }
    }

    fn written(answer: &Answer) -> OpenWebUi {
        open_webui(answer, &OpenWebUiOptions::default())
    }

    fn names(output: &OpenWebUi) -> Vec<&str> {
        output.events.iter().map(|event| event.data.source.name.as_str()).collect()
    }

    fn completion() -> Completion {
        Completion { id: "c1".into(), created: 7, model: "m".into() }
    }

    #[test]
    fn the_nth_event_is_what_the_number_means_and_one_address_is_not_one_card() {
        let output = written(&answer("x [3] y [1]"));
        assert_eq!(names(&output), ["C", "A"]);
        let identities: Vec<_> = output.events.iter().map(|event| &event.data.metadata[0]["source"]).collect();
        assert_eq!(identities, ["citewire:1", "citewire:2"]);
        assert!(output.events.iter().all(|event| event.kind == WebUiEventKind::Source));
    }

    #[test]
    fn where_nothing_is_cited_what_was_used_is_shown() {
        assert_eq!(names(&written(&answer("x"))), ["A", "B", "C"]);
        let told = Answer { shown: Some(vec![SourceIndex(1), SourceIndex(9)]), ..answer("x") };
        assert_eq!(names(&written(&told)), ["B"]);
        assert_eq!(names(&written(&answer("x [9]"))), [""; 0]);
    }

    #[test]
    fn a_stream_carries_one_source_a_chunk() {
        let output = written(&answer("x [2]"));
        let chunks: Vec<Value> = output.event_chunks(&completion()).collect();
        let event = json!({"type": "source", "data": {"source": {"name": "B", "url": "https://x/a"}, "document": ["B"],
            "metadata": [{"source": "citewire:1"}]}});
        assert_eq!(
            chunks,
            [
                json!({"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [], "event": event})
            ]
        );
    }

    #[test]
    fn a_whole_answer_has_its_sources_beside_its_choices() {
        let whole = written(&answer("x [2]")).whole(&completion());
        assert_eq!(whole["choices"][0]["message"], json!({"role": "assistant", "content": "x [1]"}));
        assert_eq!(whole["choices"][0]["finish_reason"], "stop");
        assert_eq!(whole["sources"][0]["source"]["name"], "B");
        let bare = written(&Answer { text: "x".into(), ..Answer::default() }).whole(&completion());
        assert_eq!((bare.get("sources"), &bare["choices"][0]["finish_reason"]), (None, &Value::Null));
    }

    #[test]
    fn the_sources_alone_come_with_an_empty_text() {
        let event = written(&answer("x [2]")).completion_event();
        assert_eq!((&event["type"], &event["data"]["content"]), (&json!("chat:completion"), &json!("")));
        assert_eq!(event["data"]["sources"][0]["document"], json!(["B"]));
    }
}
