//! What readers see of the text of a link that may show nothing but a marker: `[**1**](…)` looks like a badge.

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::cite::marker::MAX_INNER_BYTES;

/// A short text as it is drawn, when that differs from how it is written: without emphasis and the signs of code, and with
/// escapes and entities read. `None` for anything else, above all for what holds links, tags or blocks.
pub(super) fn drawn(written: &str) -> Option<String> {
    let written = written.trim();
    if written.len() > MAX_INNER_BYTES || !written.bytes().any(|byte| b"*_~`\\&".contains(&byte)) {
        return None;
    }
    let mut drawn = String::with_capacity(written.len());
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else there is is no marker")]
    for event in Parser::new_ext(written, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) => drawn.push_str(&text),
            Event::Start(Tag::Paragraph | Tag::Emphasis | Tag::Strong | Tag::Strikethrough) | Event::End(_) => {}
            _ => return None,
        }
    }
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_is_not_seen_and_blocks_are_not_read() {
        for (written, expected) in [
            ("**1**", Some("1")),
            ("_**[1, 2]**_", Some("[1, 2]")),
            ("`` [1] ``", Some("[1]")),
            ("\\[1\\]", Some("[1]")),
            ("&#91;1&#93;", Some("[1]")),
            ("~~1~~", Some("1")),
            ("**1", Some("**1")),
            ("* 1*", None),
            ("[*1*](x)", None),
            ("<b>*1*</b>", None),
            ("1", None),
            ("[1]", None),
        ] {
            assert_eq!(drawn(written).as_deref(), expected, "{written}");
        }
    }
}
