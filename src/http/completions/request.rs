//! The request of a chat completion.

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::CompletionError;
use super::attached::attached;
use super::task::is_task;
use crate::answer::Source;
use crate::ingest::retrieved;
use crate::output::{ChatForm, without_numbers};
use crate::prompt::estimate_tokens;
use crate::upstream::{Ask, ChatMessage, Speaker};

/// The most parts that all messages of a request have together.
const MAX_PARTS: usize = 10_000;

/// A message that Open WebUI has written around what its reader said, with files or the chat so far in it, may be so many times as
/// long as a question.
const TIMES_A_QUESTION: usize = 128;

/// A question to an assistant. The server ignores other members, such as the tools that Open WebUI sends.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatCompletionRequest)]
pub(super) struct ChatRequest {
    /// The name of an assistant.
    #[schema(example = "handbook")]
    pub(super) model: String,
    /// The messages of the conversation. The last message with the role `user` is the question.
    messages: Vec<Message>,
    /// Whether the response is a stream of server-sent events.
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    citewire: Option<Wishes>,
}

/// A message of the conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatMessage)]
struct Message {
    /// `system`, `developer`, `user`, `assistant`, `tool` or `function`.
    #[schema(value_type = String, example = "user")]
    role: Role,
    /// A text, or a list of parts. Parts without `text` are ignored.
    #[serde(default)]
    #[schema(value_type = Object, example = "How long is parental leave?")]
    content: Option<Content>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Function,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "text or a list of parts is required")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

/// Options of a stream.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatStreamOptions)]
struct StreamOptions {
    /// Whether a last chunk reports the token counts, as citewire estimates them.
    #[serde(default)]
    include_usage: Option<bool>,
}

/// Options of citewire, beyond the OpenAI interface.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChatWishes)]
#[serde(deny_unknown_fields)]
struct Wishes {
    /// The form of the citations: `open-webui`, `open-webui-links`, `assistanthub`, `list` or `none`.
    #[serde(default)]
    #[schema(example = "open-webui")]
    citations: Option<String>,
    /// Passages that the client retrieved itself, in the format of `sources` in the native manifest. The model answers from
    /// these passages, and citewire does not search. Not for models that search by themselves.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    sources: Option<Box<RawValue>>,
}

impl Content {
    /// The text; of parts, only those count that have some.
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => {
                let texts: Vec<&str> = parts.iter().filter_map(|part| part.text.as_deref()).collect();
                texts.join("\n")
            }
        }
    }
}

impl ChatRequest {
    /// Reads the body of a request.
    pub(super) fn parse(body: &[u8]) -> Result<Self, CompletionError> {
        let mut deserializer = serde_json::Deserializer::from_slice(body);
        let request: Self = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let param = error.path().to_string();
            let error = error.into_inner();
            match error.classify() {
                Category::Data => {
                    let reason = error.to_string();
                    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
                    let param = if param == "." { missing(reason).unwrap_or(param) } else { param };
                    CompletionError::Member { param, reason: reason.to_owned() }
                }
                Category::Io | Category::Syntax | Category::Eof => CompletionError::NotJson(error),
            }
        })?;
        deserializer.end().map_err(CompletionError::NotJson)?;
        Ok(request)
    }

    /// Refuses what is larger than people write.
    ///
    /// # Errors
    /// When the question has more than `max_bytes`, or the messages have too many parts.
    pub(super) fn check_sizes(&self, max_bytes: usize) -> Result<(), CompletionError> {
        let parts = self.messages.iter().map(|message| match &message.content {
            Some(Content::Parts(parts)) => parts.len(),
            Some(Content::Text(_)) | None => 0,
        });
        let member = |param: String, reason| Err(CompletionError::Member { param, reason });
        if parts.sum::<usize>() > MAX_PARTS {
            return member("messages".to_owned(), format!("all messages together have at most {MAX_PARTS} parts"));
        }
        let wrapped = max_bytes.saturating_mul(TIMES_A_QUESTION);
        let instructions = self.messages.iter().filter(|message| message.instructs()).map(|m| m.text().len());
        let instructions = instructions.sum::<usize>();
        if instructions > wrapped {
            let reason = format!("the instructions have {instructions} bytes; at most {wrapped} are allowed");
            return member("messages".to_owned(), reason);
        }
        let of_user = |message: &Message| message.role == Role::User && !message.text().trim().is_empty();
        let Some(place) = self.messages.iter().rposition(of_user) else { return Ok(()) };
        let message = self.messages[place].text();
        let (bytes, limit) = match attached(&message) {
            Some(attached) if attached.question.len() > max_bytes => (attached.question.len(), max_bytes),
            Some(_) => (message.len(), wrapped),
            None if self.task().is_some() => (message.len(), wrapped),
            None => (message.len(), max_bytes),
        };
        if bytes <= limit {
            return Ok(());
        }
        let reason = format!(
            "the question has {bytes} bytes; at most {limit} are allowed (direct_line.max_question_bytes): shorten it"
        );
        member(format!("messages[{place}].content"), reason)
    }

    /// Whether the answer is to come while it is written.
    pub(super) fn is_stream(&self) -> bool {
        self.stream.unwrap_or_default()
    }

    /// Whether a stream is to say what it took.
    pub(super) fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().and_then(|options| options.include_usage).unwrap_or_default()
    }

    /// The form of the citations; what the body says counts before what `header` says, and that before the setting of the server.
    pub(super) fn form(&self, header: Option<&str>, usual: ChatForm) -> Result<ChatForm, CompletionError> {
        let named = self.citewire.as_ref().and_then(|wishes| wishes.citations.as_deref()).or(header);
        Ok(named.map(str::parse).transpose()?.unwrap_or(usual))
    }

    /// How many tokens were sent, as far as they count.
    pub(super) fn prompt_tokens(&self) -> usize {
        self.messages.iter().filter_map(|message| message.content.as_ref()).map(|c| estimate_tokens(&c.text())).sum()
    }

    /// A task of Open WebUI, which is the only message and wants no stream.
    pub(super) fn task(&self) -> Option<String> {
        self.only_question().filter(|question| !self.is_stream() && is_task(question))
    }

    /// The words of the only user's message, where there is no turn besides.
    fn only_question(&self) -> Option<String> {
        let mut spoken = self.messages.iter().filter(|message| !message.instructs());
        let only = spoken.next().filter(|message| message.role == Role::User)?;
        spoken.next().is_none().then(|| only.text())
    }

    /// The question with what was said before it.
    ///
    /// What a user said last is the question; what stands behind it is the business of clients that run tools. Earlier
    /// answers come without the numbers of their sources, which count from 1 again in each answer.
    pub(super) fn ask(&self, form: ChatForm) -> Result<Ask, CompletionError> {
        let mut turns = Vec::new();
        let mut instructions = Vec::new();
        for message in &self.messages {
            let text = message.text();
            if text.trim().is_empty() {
                continue;
            }
            match message.role {
                Role::System | Role::Developer => instructions.push(text),
                Role::User => turns.push(ChatMessage::new(Speaker::User, text)),
                Role::Assistant => turns.push(ChatMessage::new(Speaker::Assistant, without_numbers(&text, form))),
                Role::Tool | Role::Function => {}
            }
        }
        let question = turns.iter().rposition(|turn| turn.speaker == Speaker::User);
        turns.truncate(question.ok_or(CompletionError::NoQuestion)? + 1);
        let mut ask = Ask::new(turns);
        ask.sources = self.sources()?;
        ask.instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
        Ok(ask)
    }
}

impl ChatRequest {
    /// The passages that the client gives; `null` and an empty list are none.
    fn sources(&self) -> Result<Vec<Source>, CompletionError> {
        let given = self.citewire.as_ref().and_then(|wishes| wishes.sources.as_deref());
        let Some(given) = given.filter(|given| given.get() != "null") else { return Ok(Vec::new()) };
        let wrong = |reason: String| CompletionError::Member { param: "citewire.sources".to_owned(), reason };
        if !given.get().starts_with('[') {
            return Err(wrong("a list of sources is required, in the format of the native manifest".to_owned()));
        }
        retrieved(given.get().as_bytes()).map(|given| given.sources).map_err(|error| wrong(error.to_string()))
    }
}

impl Message {
    fn text(&self) -> String {
        self.content.as_ref().map(Content::text).unwrap_or_default()
    }

    fn instructs(&self) -> bool {
        matches!(self.role, Role::System | Role::Developer)
    }
}

/// The member that a message of the parser calls missing.
fn missing(reason: &str) -> Option<String> {
    Some(reason.strip_prefix("missing field `")?.strip_suffix('`')?.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(body: &Value) -> Result<ChatRequest, CompletionError> {
        ChatRequest::parse(body.to_string().as_bytes())
    }

    fn ask(messages: &Value) -> Ask {
        parse(&json!({"model": "m", "messages": messages}))
            .expect("a request")
            .ask(ChatForm::Badges)
            .expect("a question")
    }

    #[test]
    fn the_last_words_of_a_user_are_the_question_and_the_rest_is_history() {
        let asked = ask(&json!([
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "In French."}]},
            {"role": "user", "content": "One?"},
            {"role": "assistant", "content": "Yes [1].", "tool_calls": []},
            {"role": "tool", "content": "42", "tool_call_id": "t"},
            {"role": "user", "content": [{"type": "text", "text": "Two?"}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "content": null, "tool_calls": [{}]},
        ]));
        assert_eq!(asked.instructions.as_deref(), Some("Be brief.\n\nIn French."));
        assert_eq!(asked.question(), "Two?");
        let texts: Vec<&str> = asked.turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(texts, ["One?", "Yes.", "Two?"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let named = |body: Value| parse(&body).expect_err("a fault").param().expect("a member").to_owned();
        assert_eq!(named(json!({"messages": []})), "model");
        assert_eq!(named(json!({"model": 5, "messages": []})), "model");
        assert_eq!(named(json!({"model": "m"})), "messages");
        assert_eq!(named(json!({"model": "m", "messages": [{"role": "king", "content": "x"}]})), "messages[0].role");
        assert_eq!(named(json!({"model": "m", "messages": [{"role": "user", "content": 5}]})), "messages[0].content");
        assert_eq!(named(json!({"model": "m", "messages": [], "citewire": {"x": 1}})), "citewire.x");
        assert!(matches!(ChatRequest::parse(b"{"), Err(CompletionError::NotJson(_))));
        assert!(matches!(ChatRequest::parse(b"{\"model\":\"m\",\"messages\":[]} x"), Err(CompletionError::NotJson(_))));
        let silent = parse(&json!({"model": "m", "messages": [{"role": "user", "content": " "}]})).expect("a request");
        assert!(matches!(silent.ask(ChatForm::Badges), Err(CompletionError::NoQuestion)));
    }

    #[test]
    fn the_body_says_the_form_of_citations_before_the_header() {
        let request =
            parse(&json!({"model": "m", "messages": [], "citewire": {"citations": "none"}})).expect("a request");
        let form = |request: &ChatRequest, header| request.form(header, ChatForm::List);
        assert_eq!(form(&request, Some("assistanthub")).expect("a form"), ChatForm::Uncited);
        let request = parse(&json!({"model": "m", "messages": [], "citewire": null})).expect("a request");
        assert_eq!(form(&request, Some("assistanthub")).expect("a form"), ChatForm::Places);
        assert_eq!(form(&request, None).expect("a form"), ChatForm::List);
        assert!(form(&request, Some("cards")).is_err());
    }
}
