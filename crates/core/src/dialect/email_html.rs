//! [E-mail behind Azure Bot Service](https://learn.microsoft.com/azure/bot-service/bot-builder-channeldata#create-a-custom-email-message)
//! as HTML (`docs/guides/chats.md`). Callers choose it by name; the channel `email` uses `plain`.

use pulldown_cmark::{CowStr, Event, html};
use serde_json::json;

use super::Pacing;
use super::drawn::{Drawing, Piece, address, escaped, message, native, pieces, units};
use super::reference_list::{Lead, Reference, references};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};

pub(super) const ROW: Row = Row {
    slug: "email-html",
    channels: &[],
    rules: Rules::chat,
    graph_rules: GraphRules::chat,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// <https://learn.microsoft.com/azure/bot-service/bot-builder-channeldata#create-a-custom-email-message>. The page states no
/// limit, so the limit of the Connector applies.
static DRAWING: Drawing = Drawing {
    draw: |text, message| draw(text, message).into(),
    place: |activity, drawn| native(activity, json!({"htmlBody": drawn.text})),
    length: units,
    max_part_utf16: MAX_DIRECT_LINE_BYTES / 2,
    max_message_utf16: MAX_DIRECT_LINE_BYTES / 2,
};

/// Writes the text as an HTML document.
fn draw(text: &str, message: &Message) -> String {
    let mut body = String::new();
    html::push_html(&mut body, pieces(text).into_iter().map(event));
    let lines: Vec<String> = references(message).map(|reference| line(&reference)).collect();
    if !lines.is_empty() {
        body.push_str(&format!("<p>{}</p>\n", lines.join("<br />\n")));
    }
    if body.is_empty() { body } else { format!("<html><body>\n{body}</body></html>") }
}

fn event(piece: Piece<'_>) -> Event<'_> {
    match piece {
        Piece::Event(event) => event,
        Piece::Badge { number, url } => {
            Event::InlineHtml(CowStr::from(format!("<sup>{}</sup>", linked(url.as_deref(), &format!("[{number}]")))))
        }
    }
}

/// A line of the reference list.
fn line(reference: &Reference<'_>) -> String {
    let title = escaped(&reference.title);
    match &reference.lead {
        Lead::Url(url) => format!("[{}] {}", reference.number, linked(address(url).as_deref(), &title)),
        Lead::Passage(passage) => format!("[{}] {title}: {}", reference.number, escaped(passage)),
        Lead::Nowhere => format!("[{}] {title}", reference.number),
    }
}

/// A link to the address, or just the text without one.
fn linked(url: Option<&str>, html: &str) -> String {
    match url {
        Some(url) => format!("<a href=\"{}\">{html}</a>", escaped(url)),
        None => html.to_owned(),
    }
}
