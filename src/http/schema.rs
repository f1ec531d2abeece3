//! The shapes of bodies, for the OpenAPI document only. The types that travel are elsewhere; a test compares the routes,
//! and the tests of each route compare the shapes.
#![expect(dead_code, reason = "these types describe bodies; no value of them is ever made")]

use serde_json::Value;
use utoipa::ToSchema;

/// An answer with how to convert it. A raw body in the provider's own format is taken as well, with `from` and `channel`
/// in the query.
#[derive(ToSchema)]
pub(crate) struct AnswerRequest {
    /// The format of the answer; `auto` looks at it.
    #[schema(example = "citewire", default = "auto")]
    from: Option<String>,
    /// The dialect to write in (`web-chat`, `teams`, `m365-copilot`, `plain`, `slack`, `telegram`, `line` or `email-html`), or the
    /// id of a channel that has one.
    #[schema(example = "web-chat", default = "web-chat")]
    channel: Option<String>,
    /// Wishes; unknown ones are refused.
    options: Option<Options>,
    /// The answer, as the provider sent it. A text holds a stream: server-sent events, or one JSON object a line.
    #[schema(value_type = Object, example = json!({
        "text": "Leave is 30 days [1].",
        "sources": [{ "title": "Leave policy", "url": "https://hr.example/leave" }]
    }))]
    answer: Value,
}

/// An answer with what to read of it, and perhaps what a second step made of it; or the answer alone, with `from` in the query.
#[derive(ToSchema)]
pub(crate) struct RecordsRequest {
    /// The format of the answer; `auto` looks at it.
    #[schema(example = "gemini", default = "auto")]
    from: Option<String>,
    /// Means nothing here.
    channel: Option<String>,
    /// Wishes; unknown ones are refused.
    options: Option<Options>,
    /// The answer, as the provider sent it. A text holds a stream: server-sent events, or one JSON object a line.
    #[schema(value_type = Object, example = json!({
        "text": "Leave is 30 days [1].",
        "sources": [{ "title": "Leave policy", "url": "https://hr.example/leave" }]
    }))]
    answer: Value,
    /// What a second step made of the answer: its text, or its answer as its provider sent it. It takes the place of `text`, and is
    /// not scanned for markers.
    #[schema(value_type = Option<Object>, example = json!("{\"days\": 30}"))]
    reshaped: Option<Value>,
}

/// Wishes about a conversion.
#[derive(ToSchema)]
pub(crate) struct Options {
    /// Refuse an answer that rests on nothing: false, "extracted", "any" or "anchored".
    #[schema(value_type = Option<Value>)]
    require_grounding: Option<Value>,
    /// Which numbers readers see: "dense" or "provider".
    numbering: Option<String>,
    /// Whether two pages of one document are two claims: "merge" or "split".
    pages: Option<String>,
    /// The parameters `ref` and `source` of an address are tracking: pages that differ in them alone are one document.
    ref_is_tracking: Option<bool>,
    /// The longest abstract, in UTF-16 units.
    abstract_max: Option<u64>,
    /// Hosts whose images may load.
    image_hosts: Option<Vec<String>>,
    /// Ask readers for thumbs.
    feedback: Option<bool>,
    /// The message says that a machine wrote it; it does unless this is false.
    ai_label: Option<bool>,
    /// A line end of the answer is a line break for readers.
    hard_breaks: Option<bool>,
    /// The text alone names the sources.
    self_contained: Option<bool>,
    /// The most updates that a stream gives before its message: 32 when absent, none when 0.
    updates: Option<u64>,
    /// The score of Azure's semantic ranker that is a full one: 4 when absent.
    rerank_max: Option<f64>,
    /// The search score of Azure that is a full one: 100 when absent.
    bm25_max: Option<f64>,
    /// The score of Azure's semantic ranker counts wherever there is one.
    prefer_rerank: Option<bool>,
    /// Leave out the passages of encrypted documents.
    withhold_encrypted: Option<bool>,
}

/// Something to check.
#[derive(ToSchema)]
pub(crate) struct CheckRequest {
    /// The channel whose users will see it.
    #[schema(example = "web-chat", default = "web-chat")]
    channel: Option<String>,
    /// An activity, an ActivitySet, an array of activities, or a bare Message thing.
    #[schema(value_type = Object)]
    activity: Value,
}

/// What a page of another site asks for.
#[derive(ToSchema)]
pub(crate) struct EmbedSessionRequest {
    /// The name of the assistant that shall answer; the one of the channel where it is absent.
    assistant: Option<String>,
}

/// A sample answer.
#[derive(ToSchema)]
pub(crate) struct Sample {
    id: String,
    title: String,
    summary: String,
    from: String,
    /// An object, or the text of a stream.
    #[schema(value_type = Object)]
    input: Value,
}

/// The server is well.
#[derive(ToSchema)]
pub(crate) struct Health {
    #[schema(example = "ok")]
    status: String,
}

/// Whom a token is for.
#[derive(ToSchema)]
pub(crate) struct TokenParameters {
    user: Option<TokenUser>,
}

/// The user of a token.
#[derive(ToSchema)]
pub(crate) struct TokenUser {
    /// Replaces the sender of everything that is posted with the token.
    #[schema(example = "dl_ann")]
    id: Option<String>,
    name: Option<String>,
}

/// Activities of a conversation.
#[derive(ToSchema)]
pub(crate) struct ActivitySet {
    #[schema(value_type = Vec<Object>)]
    activities: Vec<Value>,
    /// The last activity in the set, opaque; absent while there is none.
    watermark: Option<String>,
}

/// The id under which a posted activity comes back.
#[derive(ToSchema)]
pub(crate) struct ResourceResponse {
    id: String,
}

/// A user or the bot.
#[derive(ToSchema)]
pub(crate) struct ChannelAccount {
    #[schema(example = "dl_ann")]
    id: String,
    name: Option<String>,
    /// `user` or `bot`.
    #[schema(example = "user")]
    role: String,
}

/// Everyone who takes part in a conversation.
#[derive(ToSchema)]
pub(crate) struct PagedMembers {
    members: Vec<ChannelAccount>,
}

/// With whom a bot begins a conversation.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ConversationParameters {
    /// Must not be true.
    is_group: Option<bool>,
    bot: Option<ChannelAccount>,
    /// Exactly one, besides the bot.
    members: Vec<ChannelAccount>,
    /// What the bot says first.
    #[schema(value_type = Option<Object>)]
    activity: Option<Value>,
}

/// A question to an assistant. Members that are not named here are ignored.
#[derive(ToSchema)]
pub(crate) struct ChatCompletionRequest {
    /// The name of an assistant.
    #[schema(example = "handbook")]
    model: String,
    /// What was said so far. The last message of a user is the question.
    messages: Vec<ChatMessage>,
    /// Whether the answer comes while it is written.
    stream: Option<bool>,
    stream_options: Option<ChatStreamOptions>,
    citewire: Option<ChatWishes>,
}

/// Something that was said.
#[derive(ToSchema)]
pub(crate) struct ChatMessage {
    /// `system`, `developer`, `user`, `assistant` or `tool`.
    #[schema(example = "user")]
    role: String,
    /// A text, or a list of parts, of which those with a text count.
    #[schema(value_type = Object, example = "How long is parental leave?")]
    content: Value,
}

/// Wishes for a stream.
#[derive(ToSchema)]
pub(crate) struct ChatStreamOptions {
    /// Whether a chunk behind the end says how many tokens it took, as citewire estimates them.
    include_usage: Option<bool>,
}

/// What only citewire knows.
#[derive(ToSchema)]
pub(crate) struct ChatWishes {
    /// The form of the citations: `open-webui`, `open-webui-links`, `assistanthub` or `none`.
    #[schema(example = "open-webui", default = "open-webui")]
    citations: Option<String>,
    /// Passages that the client has found itself, as the sources of the native manifest: a model that does not search by itself
    /// answers from these, and nothing is searched for it.
    #[schema(value_type = Option<Vec<Object>>)]
    sources: Option<Vec<Value>>,
}

/// An answer.
#[derive(ToSchema)]
pub(crate) struct ChatCompletion {
    id: String,
    #[schema(example = "chat.completion")]
    object: String,
    /// In seconds since 1970.
    created: u64,
    model: String,
    /// One choice: the text, and how it ended. `content_filter` says that required grounding is missing.
    #[schema(value_type = Vec<Object>)]
    choices: Value,
    /// How many tokens it took, as citewire estimates them.
    #[schema(value_type = Object)]
    usage: Value,
    /// All sources with their numbers in the text, and `referenced_indices`, those that the text cites.
    #[schema(value_type = Option<Object>)]
    citations: Value,
    /// The sources as Open WebUI shows them.
    #[schema(value_type = Option<Vec<Object>>)]
    sources: Value,
}
