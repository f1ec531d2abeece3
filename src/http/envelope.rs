//! The two forms of a request body, as the OpenAPI document shows them: a wrapped answer, or a raw answer as the provider sent it.

use serde_json::Value;
use utoipa::ToSchema;

use crate::convert::Options;

/// A wrapped answer with conversion options. You can also send the raw answer as the body, with `from` and `channel` in the
/// query.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: `calls::Request` keeps the bytes of the answer")]
pub(crate) struct AnswerRequest {
    /// The format of the answer; `auto` detects it.
    #[schema(example = "citewire", default = "auto")]
    from: Option<String>,
    /// The output dialect (`web-chat`, `teams`, `m365-copilot`, `plain`, `slack`, `slack-blocks`, `google-chat`, `telegram`,
    /// `line` or `email-html`), or a channel id with a dialect of its own, such as `msteams`.
    #[schema(example = "web-chat", default = "web-chat")]
    channel: Option<String>,
    /// Conversion options; the server refuses unknown options.
    options: Option<Options>,
    /// The answer, as the provider sent it; a stream as text: server-sent events, or one JSON object per line.
    #[schema(value_type = Object, example = json!({
        "text": "Leave is 30 days [1].",
        "sources": [{ "title": "Leave policy", "url": "https://hr.example/leave" }]
    }))]
    answer: Value,
}

/// A wrapped answer, optionally with the result of a second model. You can also send the raw answer as the body, with `from`
/// in the query.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: `calls::Request` keeps the bytes of the answer")]
pub(crate) struct RecordsRequest {
    /// The format of the answer; `auto` detects it.
    #[schema(example = "gemini", default = "auto")]
    from: Option<String>,
    /// Ignored.
    channel: Option<String>,
    /// Conversion options; the server refuses unknown options.
    options: Option<Options>,
    /// The answer, as the provider sent it; a stream as text: server-sent events, or one JSON object per line.
    #[schema(value_type = Object, example = json!({
        "text": "Leave is 30 days [1].",
        "sources": [{ "title": "Leave policy", "url": "https://hr.example/leave" }]
    }))]
    answer: Value,
    /// The result of a second model that rewrote the answer: its text, or its response as the provider sent it. It replaces
    /// `text` in the response; citewire does not scan it for markers.
    #[schema(value_type = Option<Object>, example = json!("{\"days\": 30}"))]
    reshaped: Option<Value>,
}
