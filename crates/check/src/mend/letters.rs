//! Tells what readers see of a Markdown text, to hold it against the text that a remedy wrote: letters alone, without blanks.

use pulldown_cmark::{Event, Parser, Tag as Block};

use super::tag::{SILENT, Tag, begins};
use crate::markdown::OPTIONS;

/// The letters that a Markdown text with HTML shows, entities as they are written. `None` if a tag does not end.
pub(super) fn letters(text: &str) -> Option<String> {
    let mut shown = String::with_capacity(text.len());
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Text(_) => shown.push_str(text.get(range)?),
            Event::Code(words) => shown.push_str(&words),
            Event::InlineHtml(_) => outside_tags(text.get(range)?, false, &mut shown)?,
            Event::Start(Block::HtmlBlock) => outside_tags(text.get(range)?, true, &mut shown)?,
            Event::Start(_)
            | Event::End(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    // Signs that stand between cells, and for an image without words.
    shown.retain(|c| !c.is_whitespace() && !matches!(c, '|' | '!'));
    Some(shown)
}

fn outside_tags(html: &str, is_block: bool, shown: &mut String) -> Option<()> {
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        shown.push_str(before);
        if !begins(after) {
            shown.push('<');
            rest = after;
            continue;
        }
        let length = if after.starts_with("!--") { after.find("-->")? + 3 } else { end(after)? };
        let name: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        if name == "img" {
            let (image, _) = Tag::read(&rest[before.len()..])?;
            shown.push_str(image.attribute("alt").unwrap_or_default());
        }
        rest = &after[length..];
        if is_block && SILENT.contains(&&*name) {
            let is_end =
                |at: &usize| rest.get(at + 2..at + 2 + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(&name));
            rest = &rest[rest.match_indices("</").map(|(at, _)| at).find(is_end)?..];
        }
    }
    shown.push_str(rest);
    Some(())
}

/// The length of a tag without its `<`.
fn end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '>' => return Some(at + 1),
            None => {}
        }
    }
    None
}
