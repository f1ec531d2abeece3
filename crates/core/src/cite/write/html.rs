//! Writes blocks of HTML: harmless elements stay, without attributes; everything else is shown as text.

use std::ops::Range;

use super::block::line_ends;
use super::blocks::Kind;
use super::writer::{Writer, ZERO_WIDTH_SPACE};
use crate::cite::decide::Context;
use crate::cite::html::{Harm, comment_end, is_comment, is_line_break, judge_tag};
use crate::cite::read::{LOOK_AHEAD, Leaf};

impl Writer {
    /// Writes a block of HTML, as text if the client would lose text of it. `content` lacks the prefixes of containers.
    pub(crate) fn html_block(&mut self, cx: &Context<'_>, leaf: &Leaf, content: &str, loses_text: bool) {
        let Range { start, end } = leaf.range;
        let end = start + cx.text[start..end].trim_end().len();
        let form = line_ends(&cx.text[leaf.range.clone()]).next().unwrap_or("\n");
        // A stream shows long HTML before its end is known, so it is always text.
        let harmless = if loses_text || content.len() > LOOK_AHEAD { None } else { harmless(content) };
        if let Some(html) = harmless.as_deref().filter(|_| self.without_html) {
            return self.text_of_html(cx, start..end, html, form);
        }
        let written = harmless.as_deref().unwrap_or(content).trim_end_matches(['\n', '\r']);
        self.begin(cx, start, Kind::Html);
        let (lines, goes_on) = (written.lines().count(), leaf.held.is_some() && !content.ends_with(['\n', '\r']));
        for (at, line) in written.lines().enumerate() {
            let mut line = line.trim();
            if goes_on && at + 1 == lines {
                // A colon or slash at the end may begin an address.
                line = line.trim_end_matches([':', '/']);
            }
            if at > 0 {
                if line.is_empty() {
                    self.out.push_str(form);
                    self.write_blank_prefix();
                    self.line.start = self.out.len();
                    continue;
                }
                self.next_line(form);
            }
            self.line.paragraph = self.line.start;
            if harmless.is_some() {
                self.seen(line);
            } else {
                self.literal(line);
                self.end_line();
            }
        }
        self.end(Kind::Html, end);
    }
}

impl Writer {
    /// Writes the text of harmless HTML, for a channel without HTML. HTML without text leaves an empty line.
    fn text_of_html(&mut self, cx: &Context<'_>, range: Range<usize>, html: &str, form: &str) {
        self.begin(cx, range.start, Kind::Paragraph);
        let text = without_tags(html);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut is_empty = true;
        for line in lines {
            if !is_empty {
                self.out.push('\\');
                self.next_line(form);
            }
            self.line.paragraph = self.line.start;
            self.literal(line);
            self.end_line();
            is_empty = false;
        }
        if is_empty {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.end(Kind::Paragraph, range.end);
    }
}

/// The text of harmless HTML, in which line breaks end a line. The three references that [`harmless`] writes are characters
/// again.
fn without_tags(html: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let comment = if rest.starts_with("<!--") { comment_end(rest) } else { None };
        let length = comment.unwrap_or_else(|| judge_tag(rest).1);
        match &rest[..length] {
            "<" => out.push('<'),
            tag if is_line_break(tag) => out.push('\n'),
            _ => {}
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    out.replace("&#91;", "[").replace("&#93;", "]").replace("&#124;", "|")
}

/// Whether a block of HTML is short, and holds only comments and harmless elements.
pub(in crate::cite) fn is_harmless(html: &str) -> bool {
    html.len() <= LOOK_AHEAD && harmless(html).is_some()
}

/// HTML that holds only comments and harmless elements, without their attributes; `None` for any other. Brackets and borders
/// become character references, so that an engine which reads no HTML there makes no link of them.
fn harmless(html: &str) -> Option<String> {
    let mut rest = html.trim();
    let begins_tag = rest.starts_with("<!--") || rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if !begins_tag || rest.contains(['\t', '\0']) {
        return None;
    }
    let mut out = String::with_capacity(rest.len());
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let comment = if rest.starts_with("<!--") { comment_end(rest) } else { None };
        let length = match (comment, judge_tag(rest)) {
            (Some(length), _) => {
                let comment = &rest[..length];
                if !is_comment(comment) {
                    return None;
                }
                // Readers do not see the comment, but some engines would find tables and definitions in its lines.
                let is_plain = !comment.contains(['\r', '\n', '|', '[', ']']);
                out.push_str(if is_plain { comment } else { "<!-- -->" });
                length
            }
            (None, (Harm::None, length)) if length > 1 => {
                out.push_str(&rest[..length]);
                length
            }
            (None, (Harm::Attributes(name), length)) => {
                out.push_str(&rest[..name]);
                out.push('>');
                length
            }
            (None, _) => return None,
        };
        rest = &rest[length..];
    }
    out.push_str(rest);
    let has_blank_line = out.lines().any(|line| line.trim().is_empty());
    (!has_blank_line).then(|| out.replace('[', "&#91;").replace(']', "&#93;").replace('|', "&#124;"))
}
