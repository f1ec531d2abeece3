//! [Google Chat](https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages): Markdown with
//! [citations](https://developers.google.com/workspace/chat/api/reference/rest/v1/Citation) (`docs/guides/chats.md`). Callers
//! choose it by name, and post `channelData` themselves: Azure Bot Service has no such channel.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Pacing;
use super::drawn::{Drawing, Drawn, Marks, PLAIN, Quote, Tables, address, blocks, draw, message, native};
use super::reference_list::{Lead, references};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use crate::cite::Rules;
use crate::graph::{Claim, GraphRules, Message};
use crate::text::cut_at_word;

pub(super) const ROW: Row = Row {
    slug: "google-chat",
    channels: &[],
    rules: Rules::chat,
    graph_rules: GraphRules::chat,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// The largest message with all that is in it, in bytes (<https://developers.google.com/workspace/chat/create-messages>). The
/// members that a sender adds, such as `thread`, have room behind it.
const MAX_MESSAGE_BYTES: usize = 32_000 - 1_000;

/// The longest passage (<https://developers.google.com/workspace/chat/api/reference/rest/v1/CitedSource#Snippet>).
const MAX_SNIPPET_UTF16: usize = 1_000;

/// `channelData` is a message for `spaces.messages.create`.
static DRAWING: Drawing = Drawing {
    draw: drawn,
    place: |activity, drawn| native(activity, drawn.data),
    length: |drawn| drawn.data.to_string().len(),
    max_part_utf16: MAX_MESSAGE_BYTES,
    max_message_utf16: MAX_MESSAGE_BYTES,
};

/// <https://developers.google.com/workspace/chat/format-messages>. The page names no tables, so they are blocks of code.
const MARKS: Marks = Marks {
    strong: ("**", "**"),
    emphasis: ("*", "*"),
    strikethrough: ("~~", "~~"),
    code: ("`", "`"),
    block: ("```\n", "\n```"),
    quote: Quote::Lines("> "),
    line_end: "  \n",
    tables: Tables::Padded,
    escape: markdown_escaped,
    escape_code: |code| code.into(),
    link: |url, text| format!("[{text}]({})", bare(url)),
    badge: |url, number| match url {
        Some(_) => format!("<chat-citation data-id=\"c{number}\">\\[{number}\\]</chat-citation>"),
        None => format!("\\[{number}\\]"),
    },
};

/// Writes the text with its citations. Sources without an address cannot be citations of Google Chat: they stand in a list.
fn drawn(markdown: &str, message: &Message) -> Drawn {
    let mut blocks = blocks(markdown, &MARKS);
    let has_address = |url: &str| address(url).is_some();
    let is_listed = |lead: &Lead<'_>| !matches!(lead, Lead::Url(url) if has_address(url));
    let listed = references(message).filter(|reference| is_listed(&reference.lead));
    let lines: Vec<String> = listed.map(|reference| MARKS.reference(&reference, None)).collect();
    if !lines.is_empty() {
        // A single line end would join two lines.
        blocks.push(lines.join("\n\n"));
    }
    let text = blocks.join("\n\n");
    if text.trim().is_empty() {
        return Drawn::default();
    }
    let mut data = json!({"text": text, "markupSyntax": "MARKUP_SYNTAX_MARKDOWN"});
    let citations: Vec<Value> = message.citation.iter().filter_map(citation).collect();
    if !citations.is_empty() {
        data["elements"] = json!({"citations": citations});
    }
    Drawn { text: draw(markdown, message, &PLAIN), data, ..Drawn::default() }
}

/// A source with an address, as Google Chat shows it above its number.
fn citation(claim: &Claim) -> Option<Value> {
    let document = &claim.appearance;
    let mut source = json!({"title": document.name, "uri": address(document.url.as_deref()?)?});
    if let Some(passage) = document.summary.as_ref().filter(|passage| **passage != document.name) {
        source["snippet"] = json!({"text": cut_at_word(passage, MAX_SNIPPET_UTF16)});
    }
    let footer: Vec<&str> =
        [&document.editor, &document.date_modified].into_iter().flatten().map(String::as_str).collect();
    if !footer.is_empty() {
        source["footer"] = json!({"text": footer.join(", ")});
    }
    Some(json!({"id": format!("c{}", claim.position.position()), "citedSources": [source]}))
}

/// Escapes the characters in which Markdown or a tag of Google Chat may begin.
fn markdown_escaped(text: &str) -> Cow<'_, str> {
    let special = |c: char| "\\`*_[]<>~#|&".contains(c);
    let behind_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = behind_number.len() < text.len();
    // The full stop behind a citation begins no item.
    let begins_item = text.starts_with(['-', '+']) || has_number && behind_number.starts_with(['.', ')']);
    if !text.contains(special) && !begins_item {
        return text.into();
    }
    let sign = text.find(|c: char| !c.is_ascii_digit()).filter(|_| begins_item);
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        if special(c) || sign == Some(at) {
            out.push('\\');
        }
        out.push(c);
    }
    out.into()
}

/// An address between parentheses, without those of its own.
fn bare(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_end_of_the_answer_stays_one_in_markdown() {
        assert_eq!(blocks("a<br>b\\\nc\n\n> d  \ne", &MARKS), ["a  \nb  \nc", "> d  \n> e"]);
    }

    #[test]
    fn signs_that_begin_markup_are_escaped_and_a_full_stop_is_not() {
        for (text, escaped) in [
            (". The end", ". The end"),
            ("1. not an item", "1\\. not an item"),
            ("- not an item", "\\- not an item"),
            ("a*b <users/all>", "a\\*b \\<users/all\\>"),
        ] {
            assert_eq!(markdown_escaped(text), escaped);
        }
    }
}
