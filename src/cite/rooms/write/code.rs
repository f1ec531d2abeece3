//! Code blocks: all of them between fences, closed where they end.

use std::ops::Range;

use super::Writer;
use super::block::{Kind, line_ends};
use crate::cite::rooms::decide::Context;
use crate::cite::rooms::read::{Leaf, LeafKind};

impl Writer {
    /// Writes code, whose lines come without the prefixes of containers. `slice` ends where the text ends so far.
    pub(in crate::cite::rooms) fn code(&mut self, cx: &Context<'_>, leaf: &Leaf, content: &str, slice: &Range<usize>) {
        let source = &cx.text[leaf.range.clone()];
        let is_indented = leaf.kind == LeafKind::Indented;
        let indent = if is_indented { 0 } else { self.indent_in_container(cx.text, leaf.range.start) };
        self.begin(cx, leaf.range.start, Kind::Code);
        self.out.extend(std::iter::repeat_n(' ', indent));
        let fence = if is_indented { fence_around(content) } else { opening_fence(source).to_owned() };
        self.out.push_str(&fence);
        if !is_indented {
            self.out.push_str(info(&source[fence.len()..]));
        }
        let form = line_ends(source).next().unwrap_or("\n");
        let is_closed = !is_indented && self.is_closed(source, &fence);
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
                let from = self.out.len();
                self.seen(line);
                if self.out[from..].contains('\0') {
                    let line = self.out[from..].replace('\0', "\u{fffd}");
                    self.out.truncate(from);
                    self.out.push_str(&line);
                }
            }
        }
        let ends_text = cx.text[leaf.range.end..slice.end].trim().is_empty() && slice.end == cx.text.len();
        if !is_indented && !is_closed && !self.is_in_container() && ends_text {
            self.blocks.open_fence = Some(format!("{form}{:indent$}{fence}", ""));
        } else {
            self.out.push_str(form);
            self.write_prefix();
            self.out.extend(std::iter::repeat_n(' ', indent));
            self.out.push_str(&fence);
        }
        self.end(Kind::Code, leaf.range.end);
    }

    /// Whether the last line of the code closes it.
    fn is_closed(&self, source: &str, fence: &str) -> bool {
        let Some((_, last)) = source.rsplit_once(['\n', '\r']) else { return false };
        let last = last.trim_matches([' ', '\t']);
        let last = if self.is_in_container() { last.trim_start_matches([' ', '\t', '>']) } else { last };
        last.len() >= fence.len() && last.bytes().all(|byte| byte == fence.as_bytes()[0])
    }
}

/// The fence with which code begins.
fn opening_fence(source: &str) -> &str {
    let sign = source.chars().next().unwrap_or('`');
    &source[..source.len() - source.trim_start_matches(sign).len()]
}

/// What stands behind the opening fence, as far as no engine reads anything into it.
fn info(rest: &str) -> &str {
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let end = line.find(['|', '<', '[', '\\', '&', '`', '\0']).unwrap_or(line.len());
    line[..end].trim_end()
}

/// A fence that no line of the code closes.
fn fence_around(content: &str) -> String {
    let run = |line: &str| line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
    let longest = content.lines().map(run).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
