//! A whole answer for clients of chat completions: the text, AssistantHub's `citations` and Open WebUI's events, with the
//! same numbers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::chat_completion::{Completion, FinishReason, Usage, ended_choices};
use super::chat_options::{ChatForm, ChatOptions};
use super::document_name::document_names;
use super::hub_citations::HubCitations;
use super::numbered::{passage, shown_uncited};
use super::open_webui_source::{CardMetadata, WebUiEvent, WebUiEventKind, WebUiSource};
use super::source_list::{self, Reference};
use crate::answer::{Answer, Source};
use crate::cite::CitedText;
use crate::claims::ShownNumbers;

/// An answer for a client of chat completions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chat {
    /// The text; in the form `list` with the list of the sources at its end.
    pub content: String,
    /// The sources in the format of AssistantHub; `None` without sources, or if citations are off (rule AH-02).
    pub citations: Option<HubCitations>,
    /// The sources in the format of Open WebUI. With badges, the n-th event is the source of `[n]`.
    pub events: Vec<WebUiEvent>,
    /// Why the answer ended; `None` if it broke off.
    pub finish_reason: Option<FinishReason>,
    /// The numbers of the cited sources in the text.
    pub numbers: ShownNumbers,
}

/// A chat completion in the format of OpenAI, with the sources of its citations.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChatCompletion<'a> {
    /// One choice: the text, and the finish reason. `content_filter` means that the answer lacks the required grounding.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    choices: Value,
    /// All sources with their numbers, and `referenced_indices`: the numbers that the text cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    citations: Option<&'a HubCitations>,
    /// The creation time, in seconds since 1970.
    created: u64,
    id: &'a str,
    model: &'a str,
    /// Always `chat.completion`.
    #[cfg_attr(feature = "schema", schema(example = "chat.completion"))]
    object: &'static str,
    /// The search results for the question, cited or not; only in the citation form `assistanthub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub retrieval: Option<Value>,
    /// Facts that only citewire gives: `support`, the verdicts about the citations, and `uncited_sentences`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub citewire: Option<Value>,
    /// The sources in the format of Open WebUI.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Object>>))]
    sources: Vec<&'a WebUiSource>,
    /// The token counts from the provider; estimates if the provider gives none.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    usage: Usage,
}

impl Chat {
    /// Builds the citations and events beside `content`. `order` holds the places of the sources in the order of their
    /// numbers, if it differs from the provider's. `missed` holds the places of further sources that the answer cites but
    /// `content` could not.
    pub(super) fn of(
        answer: &Answer,
        cited: &CitedText,
        mut content: String,
        order: Option<Vec<usize>>,
        missed: &[usize],
        options: &ChatOptions,
    ) -> Self {
        let ChatOptions { form, ref links, withhold_encrypted } = *options;
        let finish_reason = answer.complete.then_some(FinishReason::Stop);
        let events_of = |cards: &[usize]| -> Vec<WebUiEvent> {
            let pages = answer.pages_at(cards);
            let names = document_names(pages.iter().map(|(_, source)| &**source));
            let pages = pages.iter().zip(names).enumerate();
            pages
                .map(|(at, ((place, source), name))| event(form, (source, name), at, *place, withhold_encrypted))
                .collect()
        };
        let is_own_order = order.is_some();
        let mut listed = order.unwrap_or_else(|| {
            let firsts = cited.sources.iter().filter_map(|cited| cited.sources.first());
            let mut places: Vec<usize> = firsts.map(|index| index.0).collect();
            places.sort_unstable();
            places
        });
        let mut numbers = numbers(cited, is_own_order.then_some(listed.as_slice()));
        listed.extend(missed);
        if !is_own_order {
            // The text has these numbers as the model wrote them.
            numbers.extend(missed.iter().filter_map(|place| Some((*place, u32::try_from(place + 1).ok()?))));
            listed.sort_unstable();
        }
        let (citations, events) = match form {
            ChatForm::Uncited => (None, Vec::new()),
            ChatForm::Badges | ChatForm::Links | ChatForm::Places | ChatForm::List => {
                let everything = 0..answer.sources.len();
                let cards = match form {
                    _ if !listed.is_empty() => listed.clone(),
                    ChatForm::List => used(answer, cited),
                    ChatForm::Badges | ChatForm::Links | ChatForm::Places | ChatForm::Uncited => {
                        shown_uncited(answer, cited)
                    }
                };
                // The numbers of a list are also those of `citations`.
                let first = if form == ChatForm::List { &cards } else { &listed };
                let all = if !is_own_order {
                    everything.collect()
                } else if answer.complete {
                    let known: BTreeSet<usize> = first.iter().copied().collect();
                    let others = everything.filter(|place| !known.contains(place));
                    answer.without_repeated_pages(first.iter().copied().chain(others))
                } else {
                    cards.clone()
                };
                let citations = HubCitations::in_order(answer, &listed, &all, links, withhold_encrypted);
                let events = match form {
                    ChatForm::Badges | ChatForm::Links => events_of(&cards),
                    ChatForm::List => {
                        source_list::append(&mut content, &references(answer, cited, &cards, withhold_encrypted));
                        Vec::new()
                    }
                    ChatForm::Places | ChatForm::Uncited => Vec::new(),
                };
                (citations, events)
            }
        };
        Self { content, citations, events, finish_reason, numbers }
    }

    /// The answer as one completion. `sources`, which Open WebUI shows, stands beside `citations` and the choices (rule
    /// AH-06).
    #[must_use]
    pub fn whole<'a>(&'a self, completion: &'a Completion, usage: Usage) -> ChatCompletion<'a> {
        ChatCompletion {
            choices: ended_choices(&self.content, self.finish_reason),
            citations: self.citations.as_ref(),
            created: completion.created,
            id: &completion.id,
            model: &completion.model,
            object: "chat.completion",
            retrieval: None,
            citewire: None,
            sources: self.events.iter().map(|event| &event.data).collect(),
            usage,
        }
    }

    /// The chunks between the text and the finish chunk: one for each source. Open WebUI stores them with the message.
    pub fn event_chunks(&self, completion: &Completion) -> impl Iterator<Item = Map<String, Value>> {
        self.events.iter().map(|event| {
            let mut chunk = completion.chunk(json!([]));
            chunk.insert("event".into(), json!(event));
            chunk
        })
    }

    /// The last chunk with a choice, the only one with `citations`. `None` for an answer without the provider's end sign
    /// (rule AH-06).
    #[must_use]
    pub fn finish_chunk(&self, completion: &Completion) -> Option<Map<String, Value>> {
        let mut chunk = completion.finish_chunk(self.finish_reason?);
        if let Some(citations) = &self.citations {
            chunk.insert("citations".into(), json!(citations));
        }
        Some(chunk)
    }
}

/// The numbers of the cited sources: their places in an order of the text's own, else in the provider's.
fn numbers(cited: &CitedText, order: Option<&[usize]>) -> ShownNumbers {
    let mut numbers = ShownNumbers::new();
    for cited in &cited.sources {
        let Some(first) = cited.sources.first() else { continue };
        let place = order.map_or(Some(first.0), |order| order.iter().position(|place| *place == first.0));
        let Some(number) = place.and_then(|place| u32::try_from(place + 1).ok()) else { continue };
        numbers.extend(cited.sources.iter().map(|source| (source.0, number)));
    }
    numbers
}

/// The sources to list below a text that cites none: those that were used for the answer (policy P-03).
fn used(answer: &Answer, cited: &CitedText) -> Vec<usize> {
    let used = if cited.unresolved.is_empty() { answer.used() } else { &answer.attested };
    let known = used.iter().map(|index| index.0).filter(|place| *place < answer.sources.len());
    answer.without_repeated_pages(known)
}

/// The entries of a list of the sources at these places.
fn references(answer: &Answer, cited: &CitedText, places: &[usize], withhold_encrypted: bool) -> Vec<Reference> {
    let address = |place: usize, source: &Source| {
        let known = cited.sources.iter().find(|cited| cited.sources.first().is_some_and(|first| first.0 == place));
        known.and_then(|cited| cited.url.clone()).or_else(|| source.page_url())
    };
    let pages = answer.pages_at(places);
    let names = document_names(pages.iter().map(|(_, source)| &**source));
    let reference = |((place, source), name): (&(usize, Cow<'_, Source>), String)| Reference {
        name,
        url: address(*place, source),
        passage: passage(source, withhold_encrypted).map(str::to_owned),
    };
    pages.iter().zip(names).map(reference).collect()
}

fn event(
    form: ChatForm,
    (source, name): (&Source, String),
    at: usize,
    place: usize,
    withhold_encrypted: bool,
) -> WebUiEvent {
    match form {
        ChatForm::Links => WebUiEvent {
            kind: WebUiEventKind::Citation,
            data: WebUiSource::of_document(source, place + 1, CardMetadata::Named, withhold_encrypted),
        },
        ChatForm::Badges | ChatForm::Places | ChatForm::List | ChatForm::Uncited => WebUiEvent {
            kind: WebUiEventKind::Source,
            data: WebUiSource::behind_badge(source, name, at + 1, withhold_encrypted),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::chat;
    use super::*;
    use crate::answer::{MarkerGrammar, SourceIndex};

    fn answer(text: &str) -> Answer {
        let source = |name: &str| Source { title: Some(name.into()), ..Source::default() };
        let sources = ["A", "B", "C"].map(source).into();
        let grammar = MarkerGrammar::BRACKETED_NUMBERS;
        Answer { text: text.into(), sources, grammar, complete: true, ..Answer::default() }
    }

    fn written(answer: &Answer, form: ChatForm) -> Value {
        let completion = Completion { id: "c".into(), created: 7, model: "m".into() };
        json!(chat(answer, &ChatOptions { form, ..ChatOptions::default() }).whole(&completion, Usage::default()))
    }

    fn names(list: &Value, member: &str) -> Vec<String> {
        let entries = list.as_array().expect("a list").iter();
        entries.map(|entry| entry.pointer(member).and_then(Value::as_str).expect("a name").to_owned()).collect()
    }

    fn content(whole: &Value) -> &str {
        whole["choices"][0]["message"]["content"].as_str().expect("a text")
    }

    #[test]
    fn badges_and_citations_of_one_answer_have_the_same_numbers() {
        let whole = written(&answer("x [3] y [1]"), ChatForm::Badges);
        assert_eq!(content(&whole), "x [1] y [2]");
        assert_eq!(names(&whole["sources"], "/source/name"), ["C", "A"]);
        assert_eq!(names(&whole["citations"]["sources"], "/document_name"), ["C", "A", "B"]);
        assert_eq!(whole["citations"]["referenced_indices"], json!([1, 2]));
        assert_eq!(whole["citations"]["sources"][2]["index"], 3);
    }

    #[test]
    fn places_keep_the_order_of_the_provider_and_have_no_cards() {
        let whole = written(&answer("x [3] y [1]"), ChatForm::Places);
        assert_eq!((content(&whole), whole.get("sources")), ("x [3] y [1]", None));
        assert_eq!(names(&whole["citations"]["sources"], "/document_name"), ["A", "B", "C"]);
        assert_eq!(whole["citations"]["referenced_indices"], json!([1, 3]));
    }

    #[test]
    fn links_keep_the_numbers_of_the_documents() {
        let mut given = answer("x [3] y [1]");
        given.sources[2].url = "https://x.example/c".parse().ok();
        let whole = written(&given, ChatForm::Links);
        assert_eq!(content(&whole), "x [[doc3]](https://x.example/c) y [doc1]");
        assert_eq!(names(&whole["sources"], "/source/name"), ["[doc1] - A", "[doc3] - C"]);
        assert_eq!(whole["citations"]["referenced_indices"], json!([1, 3]));
    }

    #[test]
    fn a_list_has_the_numbers_of_the_text_and_names_that_differ() {
        let mut given = answer("x [3] y [1] z [2]");
        given.sources[2].title = Some("A".into());
        for (at, page) in [(0, 4), (2, 9)] {
            given.sources[at].page = std::num::NonZeroU32::new(page);
        }
        given.sources[1].content = Some("The *passage*.".into());
        let whole = written(&given, ChatForm::List);
        assert_eq!(content(&whole), "x [1] y [2] z [3]\n\n[1] A, page 9\n\n[2] A, page 4\n\n[3] B: The passage.");
        assert_eq!((&whole["citations"]["referenced_indices"], whole.get("sources")), (&json!([1, 2, 3]), None));
        let cards = written(&given, ChatForm::Badges);
        assert_eq!(names(&cards["sources"], "/source/name"), ["A, page 9", "A, page 4", "B"]);
    }

    #[test]
    fn a_list_of_an_answer_that_cites_nothing_has_what_was_used_and_its_numbers() {
        let told = Answer { shown: Some(vec![SourceIndex(1)]), ..answer("x") };
        let whole = written(&told, ChatForm::List);
        assert_eq!(content(&whole), "x\n\n[1] B");
        assert_eq!(
            (&whole["citations"]["referenced_indices"], &whole["citations"]["sources"][0]["document_name"]),
            (&json!([1]), &json!("B"))
        );
        assert_eq!(content(&written(&answer("x"), ChatForm::List)), "x", "nobody knows what was used");
        assert_eq!(content(&written(&answer("x [9]"), ChatForm::List)), "x [\u{2060}9]");
    }

    #[test]
    fn without_citations_or_sources_there_is_no_member() {
        let uncited = written(&answer("x [1]"), ChatForm::Uncited);
        let bare = Answer { sources: Vec::new(), ..answer("x [1] arr[0]") };
        for (whole, text) in [(uncited, "x [1]"), (written(&bare, ChatForm::Badges), "x [1] arr[0]")] {
            assert_eq!(content(&whole), text);
            assert_eq!((whole.get("citations"), whole.get("sources")), (None, None));
        }
    }

    #[test]
    fn a_list_of_references_goes_in_every_form_that_cites() {
        let given = answer("x [2].\n\nReferences:\n[1] A\n[2] B\n");
        for (form, text) in [
            (ChatForm::Badges, "x [1]."),
            (ChatForm::List, "x [1].\n\n[1] B"),
            (ChatForm::Links, "x [doc2]."),
            (ChatForm::Places, "x [2]."),
        ] {
            let whole = written(&given, form);
            assert_eq!(content(&whole), text);
            let referenced = if matches!(form, ChatForm::Badges | ChatForm::List) { json!([1]) } else { json!([2]) };
            assert_eq!(whole["citations"]["referenced_indices"], referenced);
        }
    }

    #[test]
    fn where_nothing_is_cited_what_was_used_is_told() {
        let told = Answer { shown: Some(vec![SourceIndex(1)]), ..answer("x") };
        let whole = written(&told, ChatForm::Badges);
        assert_eq!(names(&whole["sources"], "/source/name"), ["B"]);
        assert_eq!(whole["citations"]["referenced_indices"], json!([2]));
        assert_eq!(whole["citations"]["auto_populated"], true);
    }

    #[test]
    fn forms_are_known_by_their_names() {
        for form in ChatForm::ALL {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        assert!("badges".parse::<ChatForm>().is_err());
    }
}
