//! [LINE](https://developers.line.biz/en/reference/messaging-api/#text-message) behind Azure Bot Service
//! (`docs/guides/chats.md`): text without markup.

use super::Pacing;
use super::drawn::{Drawing, PLAIN, draw, message, units};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use crate::cite::Rules;
use crate::graph::GraphRules;

pub(super) const ROW: Row = Row {
    slug: "line",
    channels: &["line"],
    rules: Rules::chat,
    graph_rules: GraphRules::chat,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// LINE has no markup in texts, and native messages in `channelData` serve other kinds of message
/// (<https://learn.microsoft.com/azure/bot-service/bot-builder-channeldata#create-a-line-message>). `textFormat` is `plain`,
/// because Azure reads other texts as Markdown (<https://github.com/microsoft/BotFramework-Services/issues/57>).
static DRAWING: Drawing = Drawing {
    draw: |text, message| draw(text, message, &PLAIN).into(),
    place: |activity, drawn| {
        activity.text = Some(drawn.text);
        activity.text_format = Some("plain".to_owned());
    },
    length: units,
    max_part_utf16: MAX_TEXT_UTF16,
    max_message_utf16: MAX_TEXT_UTF16,
};

/// <https://developers.line.biz/en/reference/messaging-api/#text-message>
const MAX_TEXT_UTF16: usize = 5_000;
