//! Writes code blocks: all of them between fences, and closed where they end.

use std::borrow::Cow;
use std::ops::Range;

use super::block::line_ends;
use super::blocks::Kind;
use super::writer::{Writer, ZERO_WIDTH_SPACE};
use crate::cite::decide::Context;
use crate::cite::read::{Leaf, LeafKind};

impl Writer {
    /// Writes code. `content` lacks the prefixes of containers; `slice` ends where the text ends so far.
    pub(crate) fn code(&mut self, cx: &Context<'_>, leaf: &Leaf, content: &str, slice: &Range<usize>) {
        let source = &cx.text[leaf.range.clone()];
        let is_indented = leaf.kind == LeafKind::Indented;
        let indent = if is_indented { 0 } else { self.indent_in_container(cx.text, leaf.range.start) };
        self.begin(cx, leaf.range.start, Kind::Code);
        self.out.extend(std::iter::repeat_n(' ', indent));
        let fence = if is_indented { fence_around(content).into() } else { Cow::Borrowed(opening_fence(source)) };
        self.out.push_str(&fence);
        if !is_indented {
            self.out.push_str(info(&source[fence.len()..]));
        }
        // A stream may show a line of indented code before that line ends, so the fence above it uses the line end before
        // the code.
        let before = &cx.text[..leaf.range.start];
        let before = &before[before.trim_end_matches([' ', '\t', '\r', '\n']).len()..];
        let (inside, before) = (line_ends(source).next(), line_ends(before).next());
        let form = if is_indented { before.or(inside) } else { inside.or(before) }.unwrap_or("\n");
        let is_open = !is_indented && open_fence(source, content).is_some();
        if !content.is_empty() {
            for line in content.strip_suffix('\n').unwrap_or(content).split('\n') {
                self.out.push_str(form);
                let line = line.strip_suffix('\r').unwrap_or(line);
                if line.is_empty() {
                    self.write_blank_prefix();
                } else {
                    self.write_prefix();
                    self.out.extend(std::iter::repeat_n(' ', indent));
                }
                // In fenced code, this is a line that was too long to wait for.
                if closes(line, &fence) && (is_indented || holds_only(line, &fence)) {
                    self.out.push(ZERO_WIDTH_SPACE);
                }
                self.code_line(line);
            }
        }
        let ends_text = cx.text[leaf.range.end..slice.end].trim().is_empty() && slice.end == cx.text.len();
        let goes_on = leaf.held.is_some() && (is_open || leaf.kind == LeafKind::Indented);
        if goes_on || is_open && !self.is_in_container() && ends_text {
            // Code in a container ends with the container.
            self.blocks.open_fence = (!self.is_in_container()).then(|| format!("{form}{:indent$}{fence}", ""));
        } else {
            self.out.push_str(form);
            self.write_prefix();
            self.out.extend(std::iter::repeat_n(' ', indent));
            self.out.push_str(&fence);
        }
        self.end(Kind::Code, leaf.range.end);
    }

    fn code_line(&mut self, line: &str) {
        let from = self.out.len();
        self.seen(line);
        if self.out[from..].contains('\0') {
            let line = self.out[from..].replace('\0', "\u{fffd}");
            self.out.truncate(from);
            self.out.push_str(&line);
        }
    }
}

/// The fence of code that no line closes, because the last line is code or no fence; `None` when a line closes it.
fn open_fence<'s>(source: &'s str, content: &str) -> Option<&'s str> {
    let fence = opening_fence(source);
    let is_cut = !content.is_empty() && !content.ends_with(['\n', '\r']);
    let has_more_lines = line_ends(source).count() > line_ends(content).count() + usize::from(is_cut);
    let last = source.rsplit(['\n', '\r']).next().unwrap_or_default().trim_start_matches([' ', '\t', '>']).trim_end();
    let is_closed = has_more_lines && last.len() >= fence.len() && last.bytes().all(|byte| byte == fence.as_bytes()[0]);
    (!is_closed).then_some(fence)
}

/// The fence that code begins with.
fn opening_fence(source: &str) -> &str {
    let sign = source.chars().next().unwrap_or('`');
    &source[..source.len() - source.trim_start_matches(sign).len()]
}

/// The text behind the opening fence, up to the first character that an engine may interpret.
fn info(rest: &str) -> &str {
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let end = line.find(['|', '<', '[', '\\', '&', '`', '\0']).unwrap_or(line.len());
    line[..end].trim_end()
}

/// The number of bytes of indented code that decide which fence it gets.
pub(crate) const FENCED_BY: usize = 1024;

/// A fence that no line in the first `FENCED_BY` bytes of the code closes.
fn fence_around(content: &str) -> String {
    let run = |line: &str| line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
    let beginning = &content[..content.floor_char_boundary(FENCED_BY)];
    let longest = beginning.lines().map(run).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Whether a line holds only the sign of the fence, and blanks.
fn holds_only(line: &str, fence: &str) -> bool {
    line.bytes().all(|byte| byte == b' ' || byte == fence.as_bytes()[0])
}

/// Whether a line of code would close its fence.
fn closes(line: &str, fence: &str) -> bool {
    line.trim_start_matches(' ').starts_with(fence)
}
