//! [Telegram](https://core.telegram.org/bots/api#html-style) behind Azure Bot Service (`docs/guides/chats.md`): HTML in
//! a call of `sendMessage`.

use serde_json::json;

use super::Pacing;
use super::drawn::{Drawing, Marks, Quote, Tables, draw, escaped, message, native};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use crate::cite::Rules;
use crate::graph::GraphRules;

pub(super) const ROW: Row = Row {
    slug: "telegram",
    channels: &["telegram"],
    rules: Rules::chat,
    graph_rules: GraphRules::chat,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// Azure makes the call that `channelData` names, and fills in the chat. Telegram refuses a text of more than 4,096 units
/// (<https://core.telegram.org/bots/api#sendmessage>).
static DRAWING: Drawing = Drawing {
    draw: |text, message| draw(text, message, &MARKS).into(),
    place: |activity, drawn| {
        let no_preview = json!({"is_disabled": true});
        let parameters = json!({"text": drawn.text, "parse_mode": "HTML", "link_preview_options": no_preview});
        native(activity, json!({"method": "sendMessage", "parameters": parameters}));
    },
    length: |drawn| seen_units(&drawn.text),
    max_part_utf16: MAX_TEXT_UTF16,
    max_message_utf16: MAX_TEXT_UTF16,
};

const MAX_TEXT_UTF16: usize = 4_096;

/// <https://core.telegram.org/bots/api#html-style>. The text has only these tags, and entities only for the three escaped
/// characters.
const MARKS: Marks = Marks {
    strong: ("<b>", "</b>"),
    emphasis: ("<i>", "</i>"),
    strikethrough: ("<s>", "</s>"),
    code: ("<code>", "</code>"),
    block: ("<pre>", "</pre>"),
    quote: Quote::Around(("<blockquote>", "</blockquote>")),
    line_end: "\n",
    tables: Tables::Padded,
    escape: escaped,
    escape_code: escaped,
    link: |url, text| format!("<a href=\"{}\">{text}</a>", escaped(url)),
    badge: |url, number| match url {
        Some(url) => format!("<a href=\"{}\">[{number}]</a>", escaped(url)),
        None => format!("[{number}]"),
    },
};

/// The length of a text in Telegram's count, which ignores tags and counts an entity as 1. Each `<` begins a tag and each
/// `&` an entity, because the text itself is escaped.
fn seen_units(html: &str) -> usize {
    let (mut units, mut rest) = (0, html);
    while let Some(at) = rest.find(['<', '&']) {
        let (end, seen) = if rest[at..].starts_with('<') { ('>', 0) } else { (';', 1) };
        units += rest[..at].encode_utf16().count() + seen;
        rest = rest[at..].split_once(end).map_or("", |(_, rest)| rest);
    }
    units + rest.encode_utf16().count()
}
