//! [Perplexity Sonar](https://docs.perplexity.ai/api-reference/chat-completions-post): `[n]` is a place in
//! `search_results`, or in `citations`, a list of addresses.

use std::collections::HashMap;

use serde::Deserialize;

use super::chat::{self, CHAT_MEMBERS, ChatKind, Content};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::Format;
use super::json::{self, list};
use super::location::{Located, web_url};
use super::openai_annotation::WireAnnotation;
use super::perplexity_page::WirePage;
use super::thinking::Thinking;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Perplexity,
    sign: "`search_results`",
    members: &[CHAT_MEMBERS, &["citations", "search_results", "images", "related_questions", "videos"]],
    is_whole: |members| ChatKind::Perplexity.is_whole(members),
    is_event: |members| ChatKind::of(members) == Some(ChatKind::Perplexity),
    parse,
    reader: || Box::new(PerplexityEvents::default()),
};

#[derive(Default, Deserialize)]
struct Manifest {
    #[serde(default, deserialize_with = "list")]
    search_results: Vec<Option<WirePage>>,
    #[serde(default, deserialize_with = "list")]
    citations: Vec<Option<String>>,
    model: Option<String>,
}

/// The markers of a completion by its model. Other services send lists of the same names, and their models may write `[^1]`.
fn grammar(is_sonar: bool) -> MarkerGrammar {
    MarkerGrammar { footnotes: !is_sonar, ..MarkerGrammar::BRACKETED_NUMBERS }
}

/// Whether a model is one of Perplexity's.
fn is_sonar(model: Option<&str>) -> bool {
    model.is_some_and(|model| ["sonar", "perplexity/", "pplx", "r1-1776"].iter().any(|name| model.contains(name)))
}

impl Manifest {
    /// The sources from place `from` on, counted from 0. Both lists have the same order; the longer one sets the number of
    /// sources.
    fn sources_from(self, from: usize, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
        let found = self.search_results.len();
        let results = self.search_results.into_iter().enumerate().skip(from);
        let results = results
            .map(|(at, page)| page.unwrap_or_default().into_source(format!("{pointer}/search_results/{at}"), warnings));
        let mut sources: Vec<Source> = results.collect();
        for (at, url) in self.citations.into_iter().enumerate().skip(from.max(found)) {
            let pointer = format!("{pointer}/citations/{at}");
            let Located { url, filepath, address } = web_url(url, || pointer.clone(), warnings);
            let kind = Some(SourceKind::Web);
            sources.push(Source { url, address, filepath, kind, pointer, ..Source::default() });
        }
        sources
    }
}

/// The pages of `url_citation` annotations, in the order of `[n]`. OpenRouter sends these without a list of addresses; each
/// spans 0 to 0, so the offsets are not read.
fn annotated_pages(annotations: Vec<(String, WireAnnotation)>, warnings: &mut Vec<Entry>) -> Vec<Source> {
    let pages = annotations.into_iter().filter(|(_, annotation)| annotation.cites_page());
    pages.filter_map(|(pointer, annotation)| Some(annotation.into_annotation(pointer, warnings)?.source)).collect()
}

/// Fills in missing titles of sources from annotations with the same address.
fn fill_in(sources: &mut [Source], annotated: Vec<Source>) {
    let key = |source: &Source| source.url.as_ref().map(|url| url.merge_key().into_owned());
    let mut by_address: HashMap<String, Source> = HashMap::new();
    for page in annotated {
        if let Some(key) = key(&page) {
            by_address.entry(key).or_insert(page);
        }
    }
    for source in sources {
        let page = key(source).and_then(|key| by_address.get(&key));
        if let Some(title) = page.and_then(|page| page.title.clone()).filter(|_| source.title.is_none()) {
            source.title = Some(title);
        }
    }
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { complete: true, ..Answer::default() };
    let (content, said) = chat::whole(body, &mut answer.warnings)?;
    let mut thinking = Thinking::default();
    answer.text = thinking.push(content.into_text()) + &thinking.finish();
    let manifest: Manifest = json::read(body)?;
    answer.grammar = grammar(is_sonar(manifest.model.as_deref()));
    answer.sources = manifest.sources_from(0, "", &mut answer.warnings);
    let annotated = annotated_pages(said.annotations, &mut answer.warnings);
    if answer.sources.is_empty() {
        answer.sources = annotated;
    } else {
        fill_in(&mut answer.sources, annotated);
    }
    Ok(answer)
}

/// Reads the chunks of one streamed answer. Each chunk repeats all sources so far.
#[derive(Debug, Default)]
pub(super) struct PerplexityEvents {
    /// Number of sources that have been emitted.
    known: usize,
    /// Whether sources came from `search_results` or `citations`. If so, annotations only add titles.
    has_list: bool,
    /// The pages of all annotations so far. A chunk whose first page equals the first one here repeats the list from its start.
    annotated: Vec<Source>,
    has_text: bool,
    is_sonar: bool,
    thinking: Thinking,
}

impl PerplexityEvents {
    /// A reader that takes over after `bytes` bytes of text.
    pub(super) fn after(bytes: usize) -> Self {
        Self { has_text: bytes > 0, ..Self::default() }
    }
}

impl ReadEvents for PerplexityEvents {
    fn grammar(&self) -> MarkerGrammar {
        grammar(self.is_sonar)
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let chunk = chat::chunk(event, json, notes)?;
        if let Some(error) = chunk.error {
            events.push(StreamEvent::Error(error));
            return Ok(());
        }
        let manifest: Manifest = json::read(json)?;
        self.is_sonar |= is_sonar(manifest.model.as_deref());
        let sources = manifest.sources_from(self.known, &event.pointer(), notes);
        self.has_list |= !sources.is_empty();
        if !sources.is_empty() {
            self.known += sources.len();
            events.push(StreamEvent::Sources(sources));
        }
        let Some(said) = chunk.said else { return Ok(()) };
        let mut annotated = annotated_pages(said.annotations, notes);
        if annotated.first().is_some_and(|first| self.annotated.first().is_some_and(|known| known.url == first.url)) {
            annotated.drain(..self.annotated.len().min(annotated.len()));
        }
        self.annotated.extend(annotated.iter().cloned());
        if !self.has_list && !annotated.is_empty() {
            self.known += annotated.len();
            events.push(StreamEvent::Sources(annotated));
        }
        let text = said.content.map(Content::into_text).filter(|text| !text.is_empty());
        // The last chunk also has the whole message; a stream of one chunk has its text only there.
        let message = || chunk.message.map(Content::into_text).filter(|text| !text.is_empty());
        let text = if said.ended && !self.has_text { text.or_else(message) } else { text };
        self.has_text |= text.is_some();
        let mut text = text.map(|text| self.thinking.push(text)).unwrap_or_default();
        if said.ended {
            text.push_str(&self.thinking.finish());
        }
        events.extend(Some(text).filter(|text| !text.is_empty()).map(StreamEvent::Text));
        if said.ended {
            events.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, answer: &mut Answer) {
        answer.grammar = self.grammar();
        answer.text.push_str(&self.thinking.finish());
        if self.has_list {
            fill_in(&mut answer.sources, self.annotated);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::ingest;
    use super::*;

    fn read(value: &Value) -> Answer {
        ingest(value.to_string().as_bytes(), None).expect("an answer")
    }

    fn stream(events: &[Value]) -> Answer {
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        ingest(body.as_bytes(), None).expect("an answer")
    }

    fn addresses(answer: &Answer) -> Vec<&str> {
        answer.sources.iter().filter_map(|source| source.url.as_ref()).map(WebUrl::as_str).collect()
    }

    use crate::url::WebUrl;

    #[test]
    fn addresses_alone_are_sources_and_the_longer_list_counts() {
        let choices = json!([{"message": {"content": "a [2]"}}]);
        let old = read(&json!({"choices": choices, "citations": ["https://x/1", null, "https://x/3"]}));
        let null = read(&json!({"choices": choices, "search_results": [null, {"url": "https://x/2"}]}));
        assert_eq!((null.sources.len(), addresses(&null)), (2, vec!["https://x/2"]), "a place is kept");
        assert_eq!((old.sources.len(), addresses(&old)), (3, vec!["https://x/1", "https://x/3"]));
        let both = json!({"choices": choices, "citations": ["https://x/1", "https://x/2"],
            "search_results": [{"url": "https://x/1", "title": null, "date": null, "last_updated": "2026"}]});
        let both = read(&both);
        assert_eq!(addresses(&both), ["https://x/1", "https://x/2"]);
        assert_eq!(both.sources[0].modified.as_deref(), Some("2026"));
        assert_eq!(both.sources[1].pointer, "/citations/1");
    }

    #[test]
    fn pages_keep_their_numbers_even_when_two_are_the_same() {
        let answer = read(&json!({"choices": [{"message": {"content": "a [3]"}}],
            "search_results": [{"url": "https://x/"}, {"url": "https://x/#b"}, {"url": "https://y/"}]}));
        assert_eq!(addresses(&answer), ["https://x/", "https://x/#b", "https://y/"]);
    }

    #[test]
    fn a_list_may_grow_and_the_message_beside_the_last_piece_is_no_second_text() {
        let chunk = |results: &[&str], content: &str| {
            let results: Vec<Value> = results.iter().map(|url| json!({"url": url})).collect();
            json!({"search_results": results, "choices": [{"delta": {"content": content}}]})
        };
        let mut last = chunk(&["https://x/", "https://y/"], "");
        last["choices"][0]["message"] = json!({"content": "ab"});
        last["choices"][0]["finish_reason"] = json!("stop");
        let answer = stream(&[chunk(&["https://x/"], "a"), chunk(&["https://x/", "https://y/"], "b"), last.clone()]);
        assert_eq!((answer.text.as_str(), answer.complete), ("ab", true));
        assert_eq!(addresses(&answer), ["https://x/", "https://y/"]);
        assert_eq!(stream(&[last]).text, "ab");
        assert!(!stream(&[chunk(&["https://x/"], "a")]).complete);
    }

    #[test]
    fn what_a_reasoning_model_thinks_first_is_no_answer() {
        let content = "<think>\nPerhaps [2].\n</think>\n\nIt is so [1].";
        let results = json!([{"url": "https://x/"}, {"url": "https://y/"}]);
        let whole = read(&json!({"choices": [{"message": {"content": content}}], "search_results": results}));
        assert_eq!(whole.text, "It is so [1].");
        let chunk = |content: &str, end: Option<&str>| json!({"search_results": results, "choices": [{"delta": {"content": content}, "finish_reason": end}]});
        let (first, rest) = content.split_at(25);
        assert_eq!(stream(&[chunk(first, None), chunk(rest, None), chunk("", Some("stop"))]).text, whole.text);
    }

    #[test]
    fn a_footnote_is_a_marker_where_the_model_is_not_one_of_perplexity() {
        for (model, is_marker) in [(json!("deepseek-v3"), true), (json!(null), true), (json!("sonar-pro"), false)] {
            let choices = json!([{"message": {"content": "a [^2]"}}]);
            let whole = read(&json!({"model": model, "choices": choices, "citations": ["https://x/1", "https://x/2"]}));
            let delta = json!({"model": model, "choices": [{"delta": {"content": "a [^2]"}, "finish_reason": "stop"}],
                "citations": ["https://x/1", "https://x/2"]});
            for answer in [whole, stream(&[delta])] {
                assert_eq!(answer.grammar.footnotes, is_marker, "{model}");
            }
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let wrong = json!({"choices": [{"message": {"content": "a"}}], "search_results": [{"url": []}]}).to_string();
        let error = ingest(wrong.as_bytes(), None).expect_err("a list is no address");
        assert_eq!(error.pointer(), Some("/search_results/0/url"));
    }
}
