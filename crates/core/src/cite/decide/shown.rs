//! Finds how the text of a link is drawn, if that may be only a marker: `[**1**](…)` looks like a badge.

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::cite::marker::MAX_INNER_BYTES;
use crate::text::takes_no_room;

/// The characters that readers see of a short text: without emphasis, tags, code delimiters and invisible characters, with
/// escapes and entities decoded, and of an image its description. `None` when the text is drawn as written, is too long for
/// a marker, or holds links or blocks.
pub(super) fn drawn(written: &str) -> Option<String> {
    let written = written.trim();
    let may_differ = |byte: u8| b"*_~`\\&<!".contains(&byte) || !byte.is_ascii();
    if written.len() > MAX_INNER_BYTES || !written.bytes().any(may_differ) {
        return None;
    }
    let mut drawn = String::with_capacity(written.len());
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else there is is no marker")]
    for event in Parser::new_ext(written, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) => drawn.extend(text.chars().filter(|c| !takes_no_room(*c))),
            Event::SoftBreak | Event::HardBreak => drawn.push(' '),
            Event::Start(
                Tag::Paragraph | Tag::HtmlBlock | Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Image { .. },
            )
            | Event::InlineHtml(_)
            | Event::Html(_)
            | Event::End(_) => {}
            _ => return None,
        }
    }
    Some(drawn)
}
