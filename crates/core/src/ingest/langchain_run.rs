//! Messages of [LangGraph](https://docs.langchain.com/oss/python/langgraph/streaming) and of LangChain's agents: one message,
//! a list of them, the state of a graph, and the streams of both (of the library, and of its server).
//!
//! The answer is the newest message of the model that has text. Documents that tools or the state brought are its first
//! sources.

use serde_json::{Map, Value};

use super::IngestError;
use super::annotated::Annotated;
use super::event::StreamEvent;
use super::langchain_message::{Envelope, MessageContent, Role, documents, envelope_of, is_message};
use super::threads::PARAGRAPH;
use crate::answer::{Answer, Source};
use crate::report::{Entry, Kind};

/// A message of the model or of a tool.
#[derive(Debug, Default)]
struct Message {
    id: Option<String>,
    pointer: String,
    content: MessageContent,
    /// The length of its text in bytes.
    length: usize,
    /// Documents that a tool found. A message of the model has none.
    documents: Vec<Source>,
    is_model: bool,
    /// Whether the message has arrived as a whole. Later pieces are ignored then.
    is_whole: bool,
    /// Its text as far as it was passed on.
    said: String,
}

/// The messages since the user's last one.
#[derive(Debug, Default)]
struct Turn {
    messages: Vec<Message>,
    /// Id and JSON pointer of the user's message.
    question: Option<(Option<String>, String)>,
}

/// How messages arrive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrival {
    /// A piece goes on with its message, and a whole message replaces its pieces.
    Piece,
    /// Even a piece holds all of its message so far.
    Whole,
}

/// Reads messages, whole or as a stream.
#[derive(Debug, Default)]
pub(super) struct Run {
    turn: Turn,
    /// The turn before, in case the newest question has no answer.
    before: Option<Turn>,
    /// Documents in members of the state.
    documents: Vec<Source>,
    /// How many documents were passed on.
    handed: usize,
    /// The structured result of an agent, as JSON.
    structured: Option<String>,
    is_structure_said: bool,
    is_late: bool,
    warnings: Vec<Entry>,
}

/// Members that hold a state or a message: those of an answer of LangServe, and of a thread of LangGraph's server.
const ENVELOPES: [&str; 2] = ["output", "values"];

/// The modes of a stream of LangGraph. An event names its mode in `type`, beside `data`, or before the data in a list.
const MODES: [&str; 5] = ["messages", "values", "updates", "tasks", "checkpoints"];

/// Whether an object is a message, the state of a graph, or an event that may hold one.
pub(super) fn is_about_messages(members: &Map<String, Value>) -> bool {
    let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
    let data = || members.get("data").unwrap_or(&Value::Null);
    let is_state = |value: &Value| value.get("messages").is_some_and(holds_message);
    envelope_of(members).is_some()
        || members.get("messages").is_some_and(holds_message)
        || ENVELOPES.iter().filter_map(|name| members.get(*name)).any(|inner| is_message(inner) || is_state(inner))
        || ["on_chat_model_", "on_retriever_", "on_tool_"].iter().any(|kind| text("event").starts_with(kind))
            && data().is_object()
        || MODES.contains(&text("type")) && members.contains_key("ns") && !data().is_null()
        || members.values().any(is_state)
}

fn holds_message(value: &Value) -> bool {
    is_message(value) || value.as_array().is_some_and(|list| list.iter().any(is_message))
}

/// Whether a list holds messages, as events of LangGraph do.
pub(super) fn is_list_of_messages(list: &[Value]) -> bool {
    let holds = |value: &Value| match value {
        Value::Object(members) => is_about_messages(members),
        Value::Array(list) => list.iter().any(is_message),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    list.iter().any(holds)
}

impl Run {
    /// Reads a body or an event. Passes on what is new in it.
    ///
    /// # Errors
    /// When a document has a member of the wrong type.
    pub(super) fn read(
        &mut self,
        value: Value,
        pointer: String,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        self.visit(value, pointer, said)?;
        self.say(said);
        Ok(())
    }

    fn visit(&mut self, value: Value, pointer: String, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        match value {
            Value::Array(list) => self.visit_list(list, &pointer, said),
            Value::Object(members) if envelope_of(&members).is_some() => {
                self.take(Value::Object(members), pointer, Arrival::Piece, said)
            }
            Value::Object(members) => self.visit_object(members, &pointer, said),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn visit_list(
        &mut self,
        mut list: Vec<Value>,
        pointer: &str,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let names_mode = |value: &Value| {
            value.is_string() || value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
        };
        if list.len() > 1 && list[..list.len() - 1].iter().all(names_mode) {
            // Several modes at once, or subgraphs: the names of the graph, the mode, then what it is about.
            let at = list.len() - 1;
            let payload = list.pop().unwrap_or_default();
            return self.visit(payload, format!("{pointer}/{at}"), said);
        }
        let is_pair = list.len() == 2 && is_message(&list[0]) && !is_message(&list[1]);
        let arrival = if is_pair { Arrival::Piece } else { Arrival::Whole };
        for (at, value) in list.into_iter().enumerate() {
            self.take(value, format!("{pointer}/{at}"), arrival, said)?;
        }
        Ok(())
    }

    fn visit_object(
        &mut self,
        mut members: Map<String, Value>,
        pointer: &str,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let event = members.get("event").and_then(Value::as_str).unwrap_or_default().to_owned();
        if event.starts_with("on_") {
            let run = members.get("run_id").and_then(Value::as_str).map(str::to_owned);
            let data = members.remove("data").unwrap_or_default();
            return self.visit_callback(&event, run, data, &format!("{pointer}/data"), said);
        }
        if members.get("messages").is_some_and(|messages| messages.is_array() || messages.is_object()) {
            return self.take_state(members, pointer, said);
        }
        let is_part = members.get("type").and_then(Value::as_str).is_some_and(|mode| MODES.contains(&mode));
        let inside = ENVELOPES.into_iter().chain(is_part.then_some("data")).find(|name| members.contains_key(*name));
        if let Some(name) = inside {
            let inner = members.remove(name).unwrap_or_default();
            return self.visit(inner, format!("{pointer}/{name}"), said);
        }
        // The updates of a state, by node.
        for (node, update) in members {
            let pointer = format!("{pointer}/{}", node.replace('~', "~0").replace('/', "~1"));
            let Value::Object(mut update) = update else { continue };
            let messages = update.remove("messages").unwrap_or_default();
            self.take_all(messages, &format!("{pointer}/messages"), said)?;
            self.take_members(update, &pointer)?;
        }
        Ok(())
    }

    /// Reads an event of `astream_events`.
    fn visit_callback(
        &mut self,
        event: &str,
        run: Option<String>,
        mut data: Value,
        pointer: &str,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut take = |name: &str| data.get_mut(name).map(Value::take).unwrap_or_default();
        let (name, arrival) = match event {
            "on_chat_model_stream" => ("chunk", Arrival::Piece),
            "on_chat_model_end" | "on_tool_end" => ("output", Arrival::Whole),
            "on_retriever_end" => {
                return documents(
                    take("output"),
                    &format!("{pointer}/output"),
                    &mut self.documents,
                    &mut self.warnings,
                );
            }
            // A graph whose models do not stream shows its messages at its end.
            "on_chain_end" if self.turn.answer().is_none() => {
                return self.visit(take("output"), format!("{pointer}/output"), said);
            }
            _ => return Ok(()),
        };
        let mut message = take(name);
        // Pieces need no id: the run is one call of the model.
        let fields = if message["kwargs"].is_object() { &mut message["kwargs"] } else { &mut message };
        if let (Some(run), Some(fields)) = (run, fields.as_object_mut()) {
            fields.insert("id".to_owned(), run.into());
        }
        self.take(message, format!("{pointer}/{name}"), arrival, said)
    }

    /// Reads the whole state of a graph: its messages are all messages, but those that are still arriving.
    fn take_state(
        &mut self,
        mut members: Map<String, Value>,
        pointer: &str,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let messages = members.remove("messages").unwrap_or_default();
        let known = std::mem::take(&mut self.turn);
        self.before = None;
        self.take_all(messages, &format!("{pointer}/messages"), said)?;
        for message in known.messages {
            let repeats = |new: &Message| {
                let is_it = new.id.is_some() && new.id == message.id;
                is_it || new.is_model && !message.said.is_empty() && new.content.text().starts_with(&message.said)
            };
            match self.turn.messages.iter().rposition(repeats) {
                Some(at) => self.turn.messages[at].said = message.said,
                None if message.is_model && !message.is_whole => self.turn.messages.push(message),
                None => {}
            }
        }
        self.turn.question = self.turn.question.take().or(known.question);
        self.documents.clear();
        self.take_members(members, pointer)
    }

    /// Reads the other members of a state: lists of documents, and the structured result.
    fn take_members(&mut self, members: Map<String, Value>, pointer: &str) -> Result<(), IngestError> {
        for (name, member) in members {
            match member {
                Value::Null => {}
                result if name == "structured_response" => self.structured = Some(result.to_string()),
                list @ Value::Array(_) => {
                    let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                    documents(list, &pointer, &mut self.documents, &mut self.warnings)?;
                }
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
            }
        }
        Ok(())
    }

    fn take_all(&mut self, messages: Value, pointer: &str, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        let Value::Array(list) = messages else {
            return self.take(messages, pointer.to_owned(), Arrival::Whole, said);
        };
        for (at, value) in list.into_iter().enumerate() {
            self.take(value, format!("{pointer}/{at}"), Arrival::Whole, said)?;
        }
        Ok(())
    }

    /// Takes a message. Other values are skipped.
    fn take(
        &mut self,
        value: Value,
        pointer: String,
        arrival: Arrival,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let Some(mut envelope) = Envelope::open(value, pointer.clone()) else { return Ok(()) };
        let (role, id) = (envelope.role, envelope.id());
        match role {
            Role::Model | Role::ModelChunk => {
                let is_whole = role == Role::Model || arrival == Arrival::Whole;
                let content = envelope.into_content();
                let length = content.text().len();
                let message = Message { id, pointer, content, length, is_model: true, is_whole, ..Message::default() };
                if is_whole { self.turn.put(message) } else { self.turn.append(message, said) }
            }
            Role::Tool => {
                let mut documents = Vec::new();
                envelope.documents(&mut documents, &mut self.warnings)?;
                self.turn.put(Message { id, pointer, documents, is_whole: true, ..Message::default() });
            }
            Role::User => {
                let is_known = self.turn.question.as_ref().is_some_and(|(known, _)| id.is_some() && *known == id);
                if !is_known {
                    let turn = Turn { question: Some((id, pointer)), ..Turn::default() };
                    let done = std::mem::replace(&mut self.turn, turn);
                    self.before = Some(done).filter(|done| done.answer().is_some()).or(self.before.take());
                }
            }
            Role::Other => {}
        }
        Ok(())
    }

    /// Passes on new documents, and the text of the answer that was not yet passed on.
    fn say(&mut self, said: &mut Vec<StreamEvent>) {
        let found =
            self.turn.messages.iter().map(|message| message.documents.len()).sum::<usize>() + self.documents.len();
        if found > self.handed {
            let new = self.documents_of(&self.turn).skip(self.handed).cloned().collect();
            self.handed = found;
            said.push(StreamEvent::Sources(new));
        }
        let Some(at) = self.turn.answer() else {
            let result = self.structured.clone().filter(|_| !self.is_structure_said);
            self.is_structure_said |= result.is_some();
            said.extend(result.map(StreamEvent::Text));
            return;
        };
        if !self.is_late && self.turn.messages[at].content.cites() {
            self.is_late = true;
            said.push(StreamEvent::Late);
        }
        let is_first = self.turn.messages.iter().all(|message| message.said.is_empty());
        let message = &mut self.turn.messages[at];
        if message.said.len() == message.length {
            return;
        }
        let text = message.content.text();
        if let Some(rest) = text.strip_prefix(&message.said).map(str::to_owned) {
            if !is_first && message.said.is_empty() {
                said.push(StreamEvent::Text(PARAGRAPH.to_owned()));
            }
            message.said = text;
            said.push(StreamEvent::Text(rest));
        }
    }

    fn documents_of<'a>(&'a self, turn: &'a Turn) -> impl Iterator<Item = &'a Source> {
        turn.messages.iter().flat_map(|message| &message.documents).chain(&self.documents)
    }

    /// Whether there is something to conclude with.
    pub(super) fn has_answer(&self) -> bool {
        self.turn.answer().is_some() || self.before.is_some() || self.structured.is_some()
    }

    /// Writes text, sources and citations to the answer.
    pub(super) fn conclude(mut self, answer: &mut Answer) {
        answer.warnings.append(&mut self.warnings);
        let mut turn = std::mem::take(&mut self.turn);
        if turn.answer().is_none() && self.structured.is_none() {
            let asked = turn.question.take();
            turn = self.before.take().unwrap_or_default();
            if let Some((_, pointer)) = asked.filter(|_| turn.answer().is_some()) {
                let message = "this message of the user is newer than the answer, which may be that to an older one";
                answer.warnings.push(Entry::in_input(Kind::Note, "unanswered", pointer, message));
            }
        }
        let mut annotated = Annotated::default();
        for document in self.documents_of(&turn) {
            // Markers count documents, so equal ones are not merged.
            annotated.sources.push(document.clone());
        }
        let used = turn.messages.iter().any(|message| !message.is_model || message.content.used_tools);
        answer.tools_invoked = used.then_some(true);
        let at = turn.answer();
        for (_, step) in turn.messages.iter().enumerate().filter(|(n, step)| Some(*n) != at && step.length > 0) {
            let message = "this message came before the newest one, which is the answer; its text is left out";
            answer.warnings.push(Entry::in_input(Kind::Note, "step-left-out", step.pointer.clone(), message));
        }
        answer.text.clear();
        if let Some(message) = at.map(|at| turn.messages.swap_remove(at)) {
            answer.text = message.content.text();
            message.content.annotate(&mut annotated, &mut answer.warnings);
        } else {
            answer.text.extend(self.structured);
        }
        annotated.finish(answer);
    }
}

impl Turn {
    /// The place of the newest message of the model that has text.
    fn answer(&self) -> Option<usize> {
        self.messages.iter().rposition(|message| message.is_model && message.length > 0)
    }

    /// The place of the message that this one goes on with or replaces: the one with its id, or one in pieces. Some graphs
    /// give the whole message another id than its pieces; then it begins with their text.
    fn find(&self, message: &Message) -> Option<usize> {
        let by_id = |known: &Message| known.id.is_some() && known.id == message.id;
        let in_pieces = |known: &Message| {
            let is_open = known.is_model && message.is_model && !known.is_whole;
            let names_none = known.id.is_none() || message.id.is_none();
            let repeats =
                || message.is_whole && !known.said.is_empty() && message.content.text().starts_with(&known.said);
            is_open && (names_none || repeats())
        };
        let messages = &self.messages;
        messages.iter().rposition(by_id).or_else(|| messages.iter().rposition(in_pieces))
    }

    /// Puts a whole message in the place of its pieces, or behind all others.
    fn put(&mut self, mut message: Message) {
        match self.find(&message) {
            Some(at) => {
                message.said = std::mem::take(&mut self.messages[at].said);
                self.messages[at] = message;
            }
            None => self.messages.push(message),
        }
    }

    /// Adds a piece to its message, and passes its text on.
    fn append(&mut self, piece: Message, said: &mut Vec<StreamEvent>) {
        let at = self.find(&piece).unwrap_or_else(|| {
            let (id, pointer) = (piece.id.clone(), piece.pointer.clone());
            self.messages.push(Message { id, pointer, is_model: true, ..Message::default() });
            self.messages.len() - 1
        });
        let is_answer = self.answer().is_none_or(|answer| answer <= at);
        let message = &mut self.messages[at];
        if message.is_whole {
            return;
        }
        let is_said = message.said.len() == message.length && !message.said.is_empty() && is_answer;
        let behind = message.content.append(piece.content);
        message.length += piece.length;
        if is_said && !behind.is_empty() {
            message.said.push_str(&behind);
            said.push(StreamEvent::Text(behind));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;
    use crate::answer::Answer;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn cited(answer: &Answer) -> Vec<(&str, Vec<usize>)> {
        let sources = |cited: &crate::answer::Citation| cited.sources.iter().map(|source| source.0).collect();
        let mut citations: Vec<_> = answer.citations.iter().collect();
        citations.sort_by_key(|cited| cited.span.range().start);
        citations.into_iter().map(|cited| (&answer.text[cited.span.range()], sources(cited))).collect()
    }

    /// Everything of an answer but the places of its input.
    fn facts(mut answer: Answer) -> Answer {
        answer.sources.iter_mut().for_each(|source| source.pointer.clear());
        answer
    }

    fn blocks() -> Value {
        json!([{"type": "text", "text": "Urlaub 😀: 30 Tage. ", "annotations": [
            {"type": "citation", "url": "https://x.example/a", "title": "A", "start_index": 0, "end_index": 18}]},
            {"type": "text", "text": "年假三十天。", "annotations": [{"type": "citation", "title": "B", "cited_text": "b"}]}])
    }

    fn lc(class: &str, fields: &Value) -> Value {
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": fields})
    }

    #[test]
    fn a_message_is_one_answer_in_every_form_of_its_serializers() {
        let flat = json!({"type": "ai", "id": "m", "content": blocks(), "tool_calls": []});
        let first = answer(&flat);
        assert_eq!(first.text, "Urlaub 😀: 30 Tage. 年假三十天。");
        assert_eq!(cited(&first), [("Urlaub 😀: 30 Tage.", vec![0]), ("年假三十天。", vec![1])]);
        assert_eq!(first.sources[1].pointer, "/content/1/annotations/0");
        let fields = json!({"content": blocks(), "content_blocks": blocks(), "id": "m"});
        let tuple = json!([flat, {"langgraph_node": "n"}]);
        for body in [
            lc("AIMessage", &fields),
            json!({"type": "ai", "data": fields}),
            json!({"type": "ai", "content": "", "content_blocks": blocks()}),
            json!({"messages": [{"type": "human", "content": "q"}, flat]}),
            json!({"output": flat, "metadata": {"run_id": "r"}}),
            json!({"values": {"messages": [lc("AIMessage", &fields)]}, "next": []}),
            json!([{"type": "human", "content": "q"}, flat]),
            json!([tuple]),
            json!([["messages", tuple]]),
            json!([[["sub"], "messages", tuple]]),
            json!([{"type": "messages", "ns": [], "data": tuple}]),
            json!([{"agent": {"messages": [flat]}}]),
            json!([{"event": "on_chat_model_end", "run_id": "r", "data": {"output": flat}}]),
        ] {
            assert_eq!(facts(answer(&body)), facts(first.clone()), "{body}");
        }
    }

    #[test]
    fn the_pieces_of_a_message_are_the_whole_message() {
        let whole = facts(answer(&json!({"type": "ai", "content": blocks()})));
        let piece = |content: Value| lc("AIMessageChunk", &json!({"content": content, "id": "m"}));
        let pieces = [
            json!([{"type": "text", "text": "Urlaub 😀: ", "index": 0}]),
            json!([{"type": "text", "text": "30 Tage. ", "index": 0}]),
            json!([{"type": "text", "text": "", "index": 0, "annotations": blocks()[0]["annotations"]}]),
            json!([{"type": "text", "text": "年假三十天。", "index": "lc_txt_1"}]),
            json!([{"type": "text", "index": "lc_txt_1", "annotations": blocks()[1]["annotations"]}]),
            json!([]),
        ];
        let tuples: Vec<Value> =
            pieces.iter().map(|content| json!([piece(content.clone()), {"langgraph_step": 1}])).collect();
        let bare: Vec<Value> = pieces.iter().map(|content| piece(content.clone())).collect();
        let callback = |content: &Value| {
            let chunk = lc("AIMessageChunk", &json!({"content": content}));
            json!({"event": "on_chat_model_stream", "run_id": "r", "data": {"chunk": chunk}})
        };
        let callbacks: Vec<Value> = pieces.iter().map(callback).collect();
        let full = json!({"messages": [{"type": "ai", "id": "m", "content": blocks()}]});
        let mut with_state = tuples.clone();
        with_state.push(full);
        for events in [tuples, bare, callbacks, with_state] {
            let events: Value = events.into();
            assert_eq!(facts(answer(&events)), whole, "{events}");
        }
        let partial = |text: &str| json!([{"type": "ai", "id": "m", "content": text}]);
        let growing = json!([{"run_id": "r"}, partial("One"), partial("One two"), partial("One two."), null]);
        assert_eq!(answer(&growing).text, "One two.");
    }

    #[test]
    fn a_state_gives_its_newest_message_with_the_documents_of_its_tools() {
        let document =
            |n: u8| json!({"id": null, "page_content": format!("p{n}"), "metadata": {"source": format!("{n}.md")}});
        let tool = |n: u8| json!({"type": "tool", "content": "c", "tool_call_id": "1", "artifact": [document(n)]});
        let ai = |text: &str| json!({"type": "ai", "content": text});
        let state = json!({"messages": [{"type": "human", "content": "q"}, tool(0), ai("old [1]"),
            {"type": "human", "content": "q"}, ai("Let me see."), tool(1), ai("New [1] [2].")], "documents": [document(2)]});
        let answer = answer(&state);
        let passages: Vec<_> = answer.sources.iter().filter_map(|source| source.content.as_deref()).collect();
        assert_eq!((answer.text.as_str(), passages), ("New [1] [2].", vec!["p1", "p2"]));
        assert_eq!(answer.sources[0].pointer, "/messages/5/artifact/0");
        let notes: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!((notes, answer.tools_invoked), (vec!["step-left-out"], Some(true)));
    }

    #[test]
    fn a_newer_question_and_a_structured_result_are_told() {
        let history = json!([{"type": "ai", "content": "old"}, {"type": "human", "content": "q"}]);
        let unanswered = answer(&history);
        assert_eq!((unanswered.text.as_str(), unanswered.warnings[0].code), ("old", "unanswered"));
        let call = json!({"type": "ai", "content": "", "tool_calls": [{"name": "Result"}]});
        let structured = answer(&json!({"messages": [call], "structured_response": {"days": 30}}));
        assert_eq!(structured.text, r#"{"days":30}"#);
        let body = json!({"messages": [{"type": "ai", "content": ""}]}).to_string();
        let error = ingest(body.as_bytes(), None).expect_err("no text").to_string();
        assert!(error.contains("no message of the model has text"), "{error}");
        let failed =
            json!([[{"type": "AIMessageChunk", "content": "x"}, {}], {"error": "Boom", "message": "it broke"}]);
        let failed = answer(&failed);
        assert_eq!(
            (failed.complete, failed.error.map(|error| error.to_string())),
            (false, Some("it broke".to_owned()))
        );
    }

    #[test]
    fn citations_of_providers_count_as_their_translators_leave_them() {
        let message = |text: &str, annotations: Value| {
            answer(&json!({"type": "ai", "content": [{"type": "text", "text": "Vor. "},
                {"type": "text", "text": text, "annotations": annotations}]}))
        };
        let google = json!([{"type": "citation", "url": "https://x.example/", "title": "X", "start_index": 0, "end_index": 6,
            "cited_text": "Süß", "extras": {"google_ai_metadata": {"grounding_chunk_index": 0}}}]);
        let read = message("Süß 😀 ist.", google);
        assert_eq!((cited(&read), read.sources[0].content.as_deref()), (vec![("Süß", vec![0])], None));
        // JavaScript writes positions in the source, and null where there are none.
        let anthropic = json!([{"type": "citation", "source": "page", "title": "D", "startIndex": 2, "endIndex": 3,
            "citedText": "p", "document_index": 0}, {"type": "citation", "source": "url", "url": "https://x.example/",
            "startIndex": null, "endIndex": null}]);
        let read = message("Leave is 30 days.", anthropic);
        assert_eq!(cited(&read), [("Leave is 30 days.", vec![0, 1])]);
        assert_eq!(read.sources[0].page.map(u32::from), Some(2));
        for file in [
            json!({"type": "citation", "title": "a.pdf", "startIndex": 5, "endIndex": 5, "fileId": "f"}),
            json!({"type": "citation", "title": "a.pdf", "extras": {"file_id": "f", "index": 5}}),
            json!({"type": "file_citation", "filename": "a.pdf", "index": 5, "file_id": "f"}),
        ] {
            let read = message("Leave is.", json!([file]));
            let at = read.citations[0].span.range();
            assert_eq!((at.clone(), read.sources[0].id.as_deref()), (10..10, Some("f")), "{file}");
        }
    }

    #[test]
    fn citations_of_providers_are_read_unchanged() {
        let raw = json!({"type": "ai", "content": [
            {"type": "server_tool_use", "name": "web_search"},
            {"type": "text", "text": "One.", "citations": [
                {"type": "char_location", "document_index": 0, "document_title": "D", "cited_text": "p"},
                {"title": "B", "location": {"document_page": {"document_index": 3, "start": 7}}, "source_content": [{"text": "q"}]}]},
            {"type": "text", "text": " Two.", "annotations": [
                {"type": "url_citation", "url": "https://x.example/", "title": "X", "start_index": 1, "end_index": 5},
                {"type": "non_standard_annotation", "value": {"type": "url_citation", "url": "https://y.example/",
                    "title": "Y", "start_index": 1, "end_index": 5}}]}]});
        let read = answer(&raw);
        assert_eq!(cited(&read), [("One.", vec![0, 1]), ("Two.", vec![2]), ("Two.", vec![3])]);
        assert_eq!((read.sources[1].page.map(u32::from), read.tools_invoked), (Some(7), Some(true)));
        assert_eq!(read.sources[3].pointer, "/content/2/annotations/1/value");
        let metadata = json!({"grounding_metadata": {"grounding_chunks": [{"web": {"uri": "https://x.example/", "title": "X"}}],
            "grounding_supports": [{"segment": {"start_index": 0, "end_index": 5, "text": "Süß"}, "grounding_chunk_indices": [0]}]}});
        let grounded = answer(&json!({"type": "ai", "content": "Süß ist.", "response_metadata": metadata}));
        assert_eq!(cited(&grounded), [("Süß", vec![0])]);
        assert_eq!(grounded.sources[0].pointer, "/response_metadata/grounding_metadata/grounding_chunks/0");
        let searched = answer(&json!({"type": "ai", "content": "x [2]", "additional_kwargs": {
            "citations": ["https://x.example/a", "https://x.example/b"]}}));
        assert_eq!(
            (searched.sources.len(), searched.sources[1].pointer.as_str()),
            (2, "/additional_kwargs/citations/1")
        );
    }
}
