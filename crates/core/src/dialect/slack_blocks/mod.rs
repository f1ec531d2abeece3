//! [Slack](https://docs.slack.dev/reference/block-kit/blocks) as blocks (`docs/guides/chats.md`): rich text with
//! [citations](https://docs.slack.dev/reference/block-kit/block-elements/citation-element), and
//! [tables](https://docs.slack.dev/reference/block-kit/blocks/table-block). Callers choose it by name; the channel `slack` uses
//! mrkdwn.

mod inline;
mod rich_text;
mod writer;

use serde_json::{Value, json};

use super::Pacing;
use super::drawn::{Drawing, Drawn, PLAIN, address, draw, escaped, message, native};
use super::reference_list::{Lead, references};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::text::cut_at_word;
use inline::{link, text};
use rich_text::{rich_text, section};
use writer::Writer;

pub(super) const ROW: Row = Row {
    slug: "slack-blocks",
    channels: &[],
    rules: Rules::chat,
    graph_rules: GraphRules::chat,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// The most blocks of a message (<https://docs.slack.dev/reference/block-kit/blocks>).
const MAX_BLOCKS: usize = 50;

/// Slack refuses a message of somewhat more than 13,000 characters in all of its blocks (`msg_blocks_too_long`, found by
/// <https://github.com/slackapi/bolt-js/issues/2509>).
const MAX_BLOCKS_UTF16: usize = 12_000;

/// The longest text beside the blocks, for notifications.
const MAX_FALLBACK_UTF16: usize = 3_000;

/// `channelData` holds the arguments of `chat.postMessage`.
static DRAWING: Drawing = Drawing {
    draw: drawn,
    place: |activity, drawn| {
        let Drawn { text, data, .. } = drawn;
        native(activity, json!({"text": text, "blocks": data, "unfurl_links": false, "unfurl_media": false}));
    },
    length: |drawn| {
        let blocks = drawn.data.as_array().map_or(0, Vec::len);
        let units = drawn.data.to_string().encode_utf16().count();
        units.max(blocks * MAX_BLOCKS_UTF16 / MAX_BLOCKS)
    },
    max_part_utf16: MAX_BLOCKS_UTF16,
    max_message_utf16: MAX_BLOCKS_UTF16,
};

/// Writes the text as blocks, with a list of its sources behind them.
fn drawn(markdown: &str, message: &Message) -> Drawn {
    let (mut blocks, entries) = Writer::new(message).write(markdown);
    let list = list(message);
    if !list.is_empty() {
        blocks.push(rich_text(&[section(&list)]));
    }
    if blocks.is_empty() {
        return Drawn::default();
    }
    let fallback = draw(markdown, message, &PLAIN);
    let text = escaped(&cut_at_word(&fallback, MAX_FALLBACK_UTF16)).into_owned();
    Drawn { text, data: Value::Array(blocks), entries }
}

/// The list of sources: a line each, with its link or the beginning of its passage.
fn list(message: &Message) -> Vec<Value> {
    let mut elements = Vec::new();
    for reference in references(message) {
        let end = if elements.is_empty() { "" } else { "\n" };
        elements.push(text(&format!("{end}[{}] ", reference.number)));
        match &reference.lead {
            Lead::Url(url) => elements.push(match address(url) {
                Some(url) => link(&url, &reference.title),
                None => text(&reference.title),
            }),
            Lead::Passage(passage) => elements.push(text(&format!("{}: {passage}", reference.title))),
            Lead::Nowhere => elements.push(text(&reference.title)),
        }
    }
    elements
}
