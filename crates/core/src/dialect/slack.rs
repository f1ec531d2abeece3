//! [Slack](https://docs.slack.dev/messaging/formatting-message-text/) behind Azure Bot Service
//! (`docs/guides/chats.md`): mrkdwn in a native message.

use serde_json::json;

use super::Pacing;
use super::drawn::{Drawing, Marks, Quote, Tables, draw, escaped, message, native, units};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use crate::cite::Rules;
use crate::graph::GraphRules;

pub(super) const ROW: Row = Row {
    slug: "slack",
    channels: &["slack"],
    rules: Rules::chat,
    graph_rules: GraphRules::chat,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// `channelData` holds the arguments of `chat.postMessage`, and Azure posts them unchanged. Slack asks for at most 4,000
/// characters, may divide longer texts itself, and cuts at 40,000
/// (<https://api.slack.com/changelog/2018-04-truncating-really-long-messages>).
static DRAWING: Drawing = Drawing {
    draw: |text, message| draw(text, message, &MARKS).into(),
    place: |activity, drawn| {
        native(activity, json!({"text": drawn.text, "unfurl_links": false, "unfurl_media": false}));
    },
    length: units,
    max_part_utf16: 4_000,
    max_message_utf16: 40_000,
};

/// <https://api.slack.com/reference/surfaces/formatting>. Slack reads a mark only at a word boundary. A zero-width space
/// makes a boundary in texts that have none, such as Japanese.
const MARKS: Marks = Marks {
    strong: ("\u{200b}*", "*\u{200b}"),
    emphasis: ("\u{200b}_", "_\u{200b}"),
    strikethrough: ("\u{200b}~", "~\u{200b}"),
    code: ("`", "`"),
    block: ("```\n", "\n```"),
    quote: Quote::Lines("> "),
    line_end: "\n",
    tables: Tables::Padded,
    escape: escaped,
    escape_code: escaped,
    // The first `|` ends the address, and another cannot be escaped.
    link: |url, text| format!("<{}|{}>", escaped(url), text.replace('|', "¦")),
    badge: |url, number| match url {
        Some(url) => format!("<{}|[{number}]>", escaped(url)),
        None => format!("[{number}]"),
    },
};
