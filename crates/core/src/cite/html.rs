//! Judges whether raw HTML tags are harmless.

/// The harm that a tag can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harm {
    /// The tag is harmless.
    None,
    /// A harmless element with attributes, which begin at this byte offset in the tag.
    Attributes(usize),
    /// The tag can load, link or act, or has no end.
    Tag,
}

/// Elements that cannot load, link or act, and that do not swallow the text behind them.
const HARMLESS: [&str; 50] = [
    "abbr",
    "b",
    "blockquote",
    "br",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "var",
];

/// Judges the tag that `rest` begins with. Returns its harm, and how many bytes to skip.
pub(super) fn judge_tag(rest: &str) -> (Harm, usize) {
    let after = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
    let Some(first) = after.chars().next().filter(|c| c.is_ascii_alphabetic() || "!?".contains(*c)) else {
        return (Harm::None, 1);
    };
    let name_length = after.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name_end = rest.len() - after.len() + name_length;
    let name = after[..name_length].to_ascii_lowercase();
    let Some(end) = tag_end(rest, name_end) else { return (Harm::Tag, name_end.max(1)) };
    if !first.is_ascii_alphabetic() || HARMLESS.binary_search(&name.as_str()).is_err() {
        return (Harm::Tag, end);
    }
    let attributes = rest[name_end..end].trim_end_matches('>').trim_end_matches('/').trim();
    (if attributes.is_empty() { Harm::None } else { Harm::Attributes(name_end) }, end)
}

/// Whether a tag is a line break.
pub(super) fn is_line_break(tag: &str) -> bool {
    let is_break = tag.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("<br"));
    is_break && tag[3..].starts_with(['>', '/', ' '])
}

/// The end of the comment that `rest` begins with (`<!--`), as read by engines that look only for `-->`.
pub(super) fn comment_end(rest: &str) -> Option<usize> {
    // In `<!-->`, the opening hyphens also close the comment.
    rest[2..].find("-->").map(|found| found + 5)
}

/// Whether every engine and browser reads all of `<!--…-->` as one comment. Some end the comment at `<!-->`, others accept
/// none with two hyphens inside.
pub(super) fn is_comment(comment: &str) -> bool {
    let content = comment.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    content.is_some_and(|content| {
        !content.contains("--") && !content.ends_with('-') && !content.starts_with('>') && !content.starts_with("->")
    })
}

/// A longer tag is text.
const MAX_TAG_BYTES: usize = 4 * 1024;

/// The offset behind the first `>` outside quotes; `None` for a tag without an end.
fn tag_end(rest: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, c) in rest[from..].char_indices().take_while(|(at, _)| *at < MAX_TAG_BYTES) {
        match (quote, c) {
            (None, '>') => return Some(from + at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_one_only_where_nobody_ends_it_earlier() {
        for (comment, is) in [
            ("<!-- c -->", true),
            ("<!---->", true),
            ("<!-- a\n<b> -->", true),
            ("<!--> <script> -->", false),
            ("<!---> <script> -->", false),
            ("<!-- a -- <script> -->", false),
            ("<!-- a --!> <script> -->", false),
            ("<!-- a --->", false),
        ] {
            assert_eq!(is_comment(comment), is, "{comment}");
        }
        assert_eq!((comment_end("<!--> -->"), comment_end("<!-- a --> b")), (Some(5), Some(10)));
    }

    #[test]
    fn a_tag_is_judged_by_its_name_and_its_attributes() {
        assert!(HARMLESS.is_sorted());
        for (tag, harm) in [
            ("<br/> x", Harm::None),
            ("</B>", Harm::None),
            ("< b", Harm::None),
            ("<5", Harm::None),
            ("<td colspan=2>", Harm::Attributes(3)),
            ("<b title='>'>", Harm::Attributes(2)),
            ("<a>", Harm::Tag),
            ("<b unclosed", Harm::Tag),
            ("<bold>", Harm::Tag),
            ("<!x>", Harm::Tag),
        ] {
            assert_eq!(judge_tag(tag).0, harm, "{tag}");
        }
    }
}
