//! HTML where a line begins: whether it would be a block of HTML.

use super::super::html::{Harm, comment_end, is_comment, judge_tag};
use super::LOOK_AHEAD;
use super::construct::{Parsed, Searched, tag};
use super::cursor::Cursor;
use super::line::Blocks;

/// What a `<` at the beginning of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockTag {
    /// Text, or HTML inside a paragraph.
    Text,
    /// A block of harmless HTML (kind 6 of the specification).
    Block,
    /// A harmless tag alone in its line (kind 7).
    Alone,
    /// A comment, and where it ends (kind 2). The rest of that line is HTML.
    Comment(usize),
    /// HTML that must not be drawn and would swallow what follows (kinds 1 to 6).
    Harmful,
}

/// Reads the tag at `at`; `None` while more of it must arrive. Outside of containers a comment may span lines.
pub(super) fn block_tag(
    text: &str,
    at: usize,
    end: usize,
    complete: bool,
    finished: bool,
    top: bool,
) -> Option<BlockTag> {
    let line = &text[at..text.floor_char_boundary(end.min(at + LOOK_AHEAD))];
    let after = line[1..].strip_prefix('/').unwrap_or(&line[1..]);
    let is_waiting = !complete && end - at < LOOK_AHEAD;
    let complete = complete && line.len() == end - at;
    let Some(first) = after.bytes().next() else { return if is_waiting { None } else { Some(BlockTag::Text) } };
    if first == b'?' {
        return Some(if line.as_bytes()[1] == b'/' { BlockTag::Text } else { BlockTag::Harmful });
    }
    if first == b'!' {
        return declaration(text, at, end, complete, finished, top);
    }
    if !first.is_ascii_alphabetic() {
        return Some(BlockTag::Text);
    }
    let name_length = after.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = after[..name_length].to_ascii_lowercase();
    let behind = after.as_bytes().get(name_length);
    if behind.is_none() && is_waiting {
        return None;
    }
    let is_closing = after.len() + 1 < line.len();
    let ends_name = matches!(behind, None | Some(b' ' | b'\t' | b'>'));
    let is_raw = !is_closing && ends_name && RAW.contains(&name.as_str());
    let is_block =
        is_raw || (ends_name || after[name_length..].starts_with("/>")) && BLOCKS.binary_search(&name.as_str()).is_ok();
    let (harm, length) = judge_tag(line);
    let is_open = !line[..length.min(line.len())].ends_with('>');
    if is_open && is_waiting {
        return None;
    }
    Some(match harm {
        Harm::Tag if is_block => BlockTag::Harmful,
        Harm::Tag => BlockTag::Text,
        Harm::None | Harm::Attributes(_) if is_block => BlockTag::Block,
        Harm::None | Harm::Attributes(_) => {
            let rest = line[length..].trim_matches([' ', '\t']);
            if rest.is_empty() && is_waiting {
                return None;
            }
            match rest.is_empty() && is_tag(&line[..length]) {
                // What comes behind so many blanks is not waited for.
                true if !complete => BlockTag::Harmful,
                true => BlockTag::Alone,
                false => BlockTag::Text,
            }
        }
    })
}

/// Whether a line holds nothing but a tag, so that it would begin a block of HTML where no paragraph is open (kind 7).
pub(super) fn is_tag_alone(line: &str) -> bool {
    line.starts_with('<') && {
        let (_, length) = judge_tag(line);
        line[length..].trim_matches([' ', '\t']).is_empty() && is_tag(&line[..length])
    }
}

/// Whether it is a tag for Markdown as well, which takes less for one than browsers do: not `` <b title=`x`> ``.
fn is_tag(judged: &str) -> bool {
    let blocks = Blocks::new();
    tag(Cursor::new(judged, true, &blocks, 0, 1), &mut Searched::default()) == Parsed::Found(judged.len())
}

/// `<!…`: a comment that ends is harmless.
fn declaration(text: &str, at: usize, end: usize, complete: bool, finished: bool, top: bool) -> Option<BlockTag> {
    let line = &text[at..end];
    if !complete && line.len() < "<![CDATA[".len() {
        return None;
    }
    if !line.starts_with("<!--") {
        let kind = line.as_bytes().get(2);
        let is_declaration = kind.is_some_and(u8::is_ascii_alphabetic) || line.starts_with("<![CDATA[");
        return Some(if is_declaration { BlockTag::Harmful } else { BlockTag::Text });
    }
    let judged = |length| {
        let comment = &text[at..at + length];
        if is_comment(comment) { BlockTag::Comment(at + length) } else { BlockTag::Harmful }
    };
    // Neither further than anyone looks nor, in a container, behind the line.
    let limit = text.floor_char_boundary(text.len().min(at + LOOK_AHEAD));
    match comment_end(&text[at..limit]).filter(|length| top || at + length <= end) {
        Some(length) => Some(judged(length)),
        None if finished || text.len() >= at + LOOK_AHEAD || !top && complete => Some(BlockTag::Harmful),
        None => None,
    }
}

/// Elements whose text is read as it stands.
const RAW: [&str; 4] = ["pre", "script", "style", "textarea"];

/// Elements that begin a block of HTML, sorted.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "source",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];
