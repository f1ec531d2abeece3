//! [Microsoft 365 Copilot](https://learn.microsoft.com/microsoft-365/copilot/extensibility/api/ai-services/chat/copilotconversation-chat):
//! a conversation of the Chat API, also as Work IQ has it. Each event of a stream is the conversation so far. `[^N^]` is the
//! N-th attribution that is a citation. Annotations are the persons, files and events that the text names.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::adaptive_card::card_text;
use super::escaped_markers::code_in;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members};
use super::json::{self, entries, filled};
use super::location::{Located, location};
use super::purview_label::PurviewLabel;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, SensitivityLabel, Source, SourceIndex};
use crate::report::{Entry, Kind};

pub(super) const FORMAT: Format = Format {
    provider: Provider::M365CopilotChat,
    sign: "`messages` of a Copilot conversation",
    members: &[&[
        "@odata.context",
        "agentId",
        "createdDateTime",
        "displayName",
        "id",
        "messages",
        "state",
        "turnCount",
    ]],
    is_whole: is_conversation,
    is_event: is_conversation,
    parse,
    reader: || Box::new(CopilotChat::default()),
};

fn is_conversation(members: &Members) -> bool {
    let Some(messages) = members.get("messages").and_then(Value::as_array) else { return false };
    let is_copilots = |message: &Value| {
        message["@odata.type"].as_str().is_some_and(|kind| kind.ends_with("copilotConversationResponseMessage"))
            || message["text"].is_string() && message["attributions"].is_array()
    };
    messages.iter().any(is_copilots) || ["state", "turnCount"].iter().all(|name| members.contains_key(*name))
}

/// `[^1^]` is read as the name that a source has by its `marker`, because only citations have numbers.
const GRAMMAR: MarkerGrammar = MarkerGrammar { names: true, links: true, ..MarkerGrammar::NONE };

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Conversation {
    state: Option<String>,
    turn_count: Option<u64>,
    #[serde(default, deserialize_with = "entries")]
    messages: Vec<Message>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    adaptive_cards: Vec<Value>,
    #[serde(default, deserialize_with = "entries")]
    attributions: Vec<Attribution>,
    /// By keys that no document explains. Each is a [`Reference`]; beside them stands `@odata.type`.
    references: Option<Map<String, Value>>,
    sensitivity_label: Option<PurviewLabel>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attribution {
    attribution_type: Option<String>,
    provider_display_name: Option<String>,
    see_more_web_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    target_link: Option<String>,
    is_cited_in_response: Option<bool>,
    sensitivity_label: Option<PurviewLabel>,
}

/// The answer in the last conversation that arrived.
#[derive(Debug, Default)]
struct CopilotChat {
    reply: Reply,
    /// The text that has been emitted.
    said: String,
    /// How many sources have been emitted.
    handed: usize,
}

/// The message that answers.
#[derive(Debug, Default)]
struct Reply {
    text: String,
    /// The citations, then the other sources.
    sources: Vec<Source>,
    /// How many of the sources are citations.
    citations: usize,
    by_address: HashMap<String, usize>,
    /// The places of the sources that the answer cites.
    cited: Vec<SourceIndex>,
    label: Option<SensitivityLabel>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: GRAMMAR, complete: true, ..Answer::default() };
    let conversation: Conversation = json::read(body)?;
    let reply = conversation.into_reply("", &mut answer.warnings)?;
    let mut reply = reply.ok_or_else(|| IngestError::member("/messages", "empty; the last message is the answer"))?;
    answer.text = std::mem::take(&mut reply.text);
    answer.label = reply.label.take();
    reply.finish(&mut answer);
    Ok(answer)
}

/// Reasons for which a conversation may stand that say nothing.
const USUAL: [&str; 1] = ["active"];

impl Conversation {
    /// The last message: the question of the user stands before it.
    fn into_reply(self, place: &str, warnings: &mut Vec<Entry>) -> Result<Option<Reply>, IngestError> {
        warnings.extend(odd_reason(self.state, &USUAL, || format!("{place}/state")));
        let last = self.messages.len().saturating_sub(1);
        let message = self.messages.into_iter().next_back();
        message.map(|message| message.into_reply(&format!("{place}/messages/{last}"), warnings)).transpose()
    }
}

impl Message {
    fn into_reply(self, place: &str, warnings: &mut Vec<Entry>) -> Result<Reply, IngestError> {
        let text = filled(self.text).map(|text| without_tags(&text));
        let cards = || self.adaptive_cards.iter().map(card_text).collect::<Vec<_>>().join("\n\n");
        let mut reply = Reply {
            text: text.unwrap_or_else(cards),
            label: self
                .sensitivity_label
                .and_then(|label| label.into_label(&format!("{place}/sensitivityLabel"), warnings)),
            ..Reply::default()
        };
        reply.add_attributions(self.attributions, place, warnings);
        for (key, reference) in self.references.unwrap_or_default() {
            if reference.is_object() {
                let pointer = format!("{place}/references/{}", key.replace('~', "~0").replace('/', "~1"));
                reply.add_reference(json::member(reference, &pointer)?, pointer, warnings);
            }
        }
        Ok(reply)
    }
}

impl Reply {
    /// Citations come first, in their order. An annotation is no document of its own if a citation has its address.
    fn add_attributions(&mut self, attributions: Vec<Attribution>, place: &str, warnings: &mut Vec<Entry>) {
        let mut named = Vec::new();
        for (at, attribution) in attributions.into_iter().enumerate() {
            let Attribution { attribution_type, provider_display_name, see_more_web_url } = attribution;
            let pointer = format!("{place}/attributions/{at}");
            let Located { url, filepath, address } =
                location(see_more_web_url, || format!("{pointer}/seeMoreWebUrl"), warnings);
            let title = filled(provider_display_name);
            let mut source = Source { title, url, filepath, address, pointer, ..Source::default() };
            if attribution_type.as_deref() == Some("annotation") {
                named.push(source);
            } else {
                source.marker = Some(format!("[^{}^]", self.sources.len() + 1));
                self.cited.push(SourceIndex(self.sources.len()));
                self.push(source);
                self.citations += 1;
            }
        }
        for source in named {
            match self.same_address(&source) {
                Some(at) => {
                    let message = format!("the same document as {}", self.sources[at].pointer);
                    warnings.push(Entry::in_input(Kind::Merged, "same-document", source.pointer, message));
                }
                None => self.push(source),
            }
        }
    }

    fn push(&mut self, source: Source) {
        if let Some(key) = address_key(&source) {
            self.by_address.entry(key).or_insert(self.sources.len());
        }
        self.sources.push(source);
    }

    /// A reference names no place in the text. It says more about a source with its address, or is one that is only listed.
    fn add_reference(&mut self, reference: Reference, pointer: String, warnings: &mut Vec<Entry>) {
        let Reference { target_link, is_cited_in_response, sensitivity_label } = reference;
        let Located { url, filepath, address } = location(target_link, || format!("{pointer}/targetLink"), warnings);
        let label =
            sensitivity_label.and_then(|label| label.into_label(&format!("{pointer}/sensitivityLabel"), warnings));
        let source = Source { url, filepath, address, label, pointer, ..Source::default() };
        match self.same_address(&source) {
            Some(at) => self.sources[at].fill_in(source),
            None => {
                self.cited.extend((is_cited_in_response == Some(true)).then_some(SourceIndex(self.sources.len())));
                self.push(source);
            }
        }
    }

    fn same_address(&self, source: &Source) -> Option<usize> {
        self.by_address.get(&address_key(source)?).copied()
    }

    fn finish(self, answer: &mut Answer) {
        answer.sources = self.sources;
        // Persons and events that the text only names are no sources of an answer that cites nothing.
        answer.shown = Some(self.cited.clone());
        answer.attested = self.cited;
    }
}

/// The address without the parameter by which that of an annotation differs from the same document's as a citation.
fn address_key(source: &Source) -> Option<String> {
    let url = source.url.as_ref()?.as_str();
    let parameter = url.find("EntityRepresentationId=").filter(|at| url[..*at].ends_with(['?', '&']));
    Some(parameter.map_or(url, |at| &url[..at - 1]).to_owned())
}

/// The kinds of things that the text may name, by their tags: `<Person>A</Person>`.
const NAMED: [&str; 5] = ["Email", "Event", "File", "Person", "TeamsMessage"];

/// The text without the tags around the names of persons, files and events. In code they stay.
fn without_tags(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let code = code_in(text);
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        let name = rest.strip_prefix('/').unwrap_or(rest);
        let tag = NAMED.iter().find(|kind| name.strip_prefix(**kind).is_some_and(|rest| rest.starts_with('>')));
        let Some(tag) = tag else { continue };
        // Code ranges are in order.
        let before = code.partition_point(|code| code.end <= at);
        if code.get(before).is_some_and(|code| code.contains(&at)) {
            continue;
        }
        clean.push_str(&text[from..at]);
        from = at + 1 + (rest.len() - name.len()) + tag.len() + 1;
    }
    clean.push_str(&text[from..]);
    clean
}

impl CopilotChat {
    /// The new text and sources. A text that is not the beginning of a later one is known only at the end, and so are the
    /// places of sources that are no citations.
    fn say(&mut self, is_last: bool, said: &mut Vec<StreamEvent>) {
        let known = if is_last { self.reply.sources.len() } else { self.reply.citations };
        let new = self.reply.sources.get(self.handed..known).unwrap_or_default();
        if !new.is_empty() {
            said.push(StreamEvent::Sources(new.to_vec()));
            self.handed = known;
        }
        match self.reply.text.strip_prefix(self.said.as_str()) {
            Some("") => {}
            Some(new) => {
                said.push(StreamEvent::Text(new.to_owned()));
                self.said.clone_from(&self.reply.text);
            }
            None => said.push(StreamEvent::Late),
        }
    }
}

impl ReadEvents for CopilotChat {
    fn grammar(&self) -> MarkerGrammar {
        GRAMMAR
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut conversation: Conversation = json::read(json)?;
        if let Some(error) = conversation.error.take().filter(|error| !error.is_null()) {
            said.push(StreamEvent::Error(json::provider_error(&error)));
            return Ok(());
        }
        // Only the last conversation counts its turns, and has the question before the answer.
        let is_last = conversation.turn_count.is_some_and(|turns| turns > 0);
        // Each event repeats what was odd in those before.
        let mut odd = Vec::new();
        let Some(reply) = conversation.into_reply(&event.pointer(), &mut odd)? else { return Ok(()) };
        self.reply = reply;
        self.say(is_last, said);
        if is_last {
            notes.append(&mut odd);
            said.extend(self.reply.label.take().map(StreamEvent::Label));
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        let Self { mut reply, said, .. } = *self;
        if reply.text != said {
            answer.text = std::mem::take(&mut reply.text);
        }
        reply.finish(answer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, ingest};
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn message(text: &str, attributions: &Value) -> Value {
        json!({"@odata.type": "#microsoft.graph.copilotConversationResponseMessage", "id": "m", "text": text,
            "adaptiveCards": [], "attributions": attributions})
    }

    fn conversation(turns: u32, messages: &[Value]) -> Value {
        json!({"id": "c", "displayName": "d", "state": "active", "turnCount": turns, "messages": messages})
    }

    fn attribution(kind: &str, name: &str, url: &str) -> Value {
        json!({"attributionType": kind, "providerDisplayName": name, "attributionSource": "model", "seeMoreWebUrl": url})
    }

    fn found() -> Value {
        json!([
            attribution("annotation", "", "https://x.example/p?q=a&EntityRepresentationId=1"),
            attribution("citation", "A", "https://x.example/a"),
            attribution("annotation", "", "https://x.example/b?EntityRepresentationId=2"),
            attribution("citation", "B", "https://x.example/b"),
        ])
    }

    const TEXT: &str = "Süß 😀 [^2^], <Person>Ada</Person> `<File>` 水[^1^]";

    #[test]
    fn a_number_counts_citations_and_an_annotation_of_one_is_no_other_document() {
        let read = answer(&conversation(1, &[message("When?", &json!([])), message(TEXT, &found())]));
        assert_eq!(read.text, "Süß 😀 [^2^], Ada `<File>` 水[^1^]");
        let markers: Vec<_> = read.sources.iter().map(|source| source.marker.as_deref()).collect();
        assert_eq!(markers, [Some("[^1^]"), Some("[^2^]"), None]);
        assert_eq!(read.sources[2].pointer, "/messages/1/attributions/0");
        assert_eq!(read.attested, [SourceIndex(0), SourceIndex(1)]);
    }

    #[test]
    fn a_stream_repeats_the_conversation_and_is_the_last_one_wherever_it_is_cut() {
        let last = conversation(1, &[message("When?", &json!([])), message(TEXT, &found())]);
        let whole = answer(&last);
        let events = [
            conversation(0, &[]),
            conversation(0, &[message("Süß", &json!([]))]),
            conversation(0, &[message("Süß 😀 [^2^], <Person>Ada</Person>", &json!([found()[1]]))]),
            last,
        ];
        let sse: String = events.iter().map(|event| format!("data: {event}\nid:1\n\n")).collect();
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        for body in [sse.clone(), sse.replace('\n', "\r\n"), lines] {
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(None);
                stream.push(&body.as_bytes()[..cut]).expect("a beginning");
                stream.push(&body.as_bytes()[cut..]).expect("an end");
                let mut streamed = stream.finish().expect("an answer");
                for (streamed, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                    streamed.pointer.clone_from(&whole.pointer);
                }
                let merged = &streamed.warnings[0].at;
                assert_eq!(merged.pointer().map(|at| at.trim_start_matches("/3")), whole.warnings[0].at.pointer());
                streamed.warnings.clone_from(&whole.warnings);
                assert_eq!(streamed, whole, "cut at {cut}");
            }
        }
        assert!(!answer(&json!(events[..3])).complete);
    }

    #[test]
    fn a_text_that_was_no_beginning_is_replaced_at_the_end() {
        let events =
            json!([conversation(0, &[message("Wait", &json!([]))]), conversation(1, &[message("8 [^1^]", &found())])]);
        assert_eq!((answer(&events).text.as_str(), answer(&events).sources.len()), ("8 [^1^]", 3));
    }

    #[test]
    fn references_without_places_are_listed_with_their_labels() {
        let mut reply = message("8", &json!(null));
        reply["references"] = json!({"@odata.type": "#x", "k/1": {"targetLink": "https://x.example/a", "isCitedInResponse": true,
            "sensitivityLabel": {"displayName": "Secret", "priority": 2}}, "k2": {"targetLink": "https://x.example/b"}});
        reply["sensitivityLabel"] = json!({"sensitivityLabelId": null, "displayName": "Secret"});
        let read = answer(&conversation(1, &[reply]));
        assert_eq!((read.sources.len(), read.attested.clone()), (2, vec![SourceIndex(0)]));
        assert_eq!(read.sources[0].pointer, "/messages/0/references/k~11");
        assert_eq!(read.sources[0].label, read.label.map(|label| SensitivityLabel { priority: 2, ..label }));
    }

    #[test]
    fn an_answer_in_a_card_is_its_text_and_a_conversation_that_stopped_says_so() {
        let mut reply = message("", &json!([]));
        reply["adaptiveCards"] =
            json!([{"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "8 o'clock"}]}]);
        let mut body = conversation(1, &[reply]);
        body["state"] = json!("disengagedForRai");
        assert_eq!((answer(&body).text.as_str(), answer(&body).warnings[0].code), ("8 o'clock", "finish-reason"));
        let error = ingest(conversation(0, &[]).to_string().as_bytes(), None).expect_err("nothing");
        assert_eq!(error.to_string(), "/messages: empty; the last message is the answer");
        let wrong = conversation(
            1,
            &[json!({"text": 5, "attributions": [], "@odata.type": "copilotConversationResponseMessage"})],
        );
        let error = ingest(wrong.to_string().as_bytes(), None).expect_err("a number").to_string();
        assert_eq!(error, "/messages/0/text: invalid type: integer `5`, expected a string");
    }
}
