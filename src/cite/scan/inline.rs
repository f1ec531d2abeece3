//! The text of one block, from one byte that may mean something to the next.

use super::LOOK_AHEAD;
use super::construct::{Parsed, autolink, code_span, formula, is_formula, math, tag};
use super::cursor::{Cursor, is_header_line};
use super::line::Leaf;
use super::node::NodeKind;
use super::scanner::{BYTE_ORDER_MARK, Input, Opener, Phase, Scanner};
use crate::cite::LiteralNumbers;
use crate::cite::html::{Harm, is_comment, judge_tag};
use crate::cite::marker::{self, MAX_INNER_BYTES};

/// Bytes that may mean something: line ends, `!` is looked at from its bracket, and the first bytes of `【` and U+E200.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let bytes = b"\n\r\\`<[]$|";
    let mut at = 0;
    while at < bytes.len() {
        special[bytes[at] as usize] = true;
        at += 1;
    }
    special[0xe3] = true;
    special[0xee] = true;
    special
};

/// A backtick as text. Behind a backslash it could still end code that an earlier one began.
const BACKTICK: &str = "&#96;";

/// Whether what could not be read as a construct could be, once a marker in it is gone: up to `to`, a bracket is in it. The
/// `!` of an image goes as well, so that its bracket counts. `None` while more must arrive.
pub(super) fn holds_marker(input: &Input<'_>, from: usize, to: usize) -> Option<bool> {
    let text = input.text;
    let to = if text.as_bytes().get(to) == Some(&b'!') { to + 1 } else { to };
    if to >= text.len() && !input.finished {
        return None;
    }
    let to = text.ceil_char_boundary((to + 1).min(text.len()));
    Some(text.get(from..to).is_some_and(|read| read.contains(['[', '【', '\u{e200}'])))
}

/// The same, and whether a tag in it may become text: escaped, its `<` may be part of an address or the value of an attribute.
/// The comment that stands where a line was taken out stays one.
pub(super) fn holds_change(input: &Input<'_>, from: usize, to: usize) -> Option<bool> {
    if holds_marker(input, from, to)? {
        return Some(true);
    }
    let to = input.text.ceil_char_boundary((to + 1).min(input.text.len()));
    for (at, _) in input.text.get(from..to).unwrap_or_default().match_indices('<') {
        let tag = &input.text[from + at..];
        if !input.finished && EMPTY_LINE.starts_with(tag) {
            return None;
        }
        if !tag.starts_with(EMPTY_LINE) {
            return Some(true);
        }
    }
    Some(false)
}

/// Takes the place of a line that was taken out, where it parted what would be one.
pub(super) const EMPTY_LINE: &str = "<!---->";

/// The same of what a `<` begins, and whether a link may end in it, whose address goes and lets the rest close up, or whether
/// there is room for a badge.
fn tag_holds_change(input: &Input<'_>, at: usize, to: usize) -> Option<bool> {
    let read = at..input.text.ceil_char_boundary((to + 1).min(input.text.len()));
    let read = &input.text[read];
    // What is cited at the end of the text stands there, and so do the definitions.
    let is_open_at_end = read.ends_with('=') && at + read.len() == input.text.len();
    if is_open_at_end && !input.finished {
        return None;
    }
    // It is none because a cell ends in it; were the table none either, the tag would act.
    let is_parted = read.ends_with('|');
    let is_open = is_open_at_end || is_parted || read.contains(']') || could_take_badge(read);
    Some(holds_marker(input, at, to)? || is_open || holds_change(input, at + 2, to)?)
}

/// Whether what a `<` begins would be a tag with a badge in it: `<img src= onerror=x>` for one behind the first `=`, as a value.
fn could_take_badge(read: &str) -> bool {
    let is_open = |next: u8| next.is_ascii_whitespace() || b"=<>`".contains(&next);
    read.as_bytes().array_windows().any(|&[sign, next]| sign == b'=' && is_open(next))
}

/// Whether math would be a link, an image or HTML for an engine that knows no math: then it is read as text.
fn could_act(math: &str) -> bool {
    let begins_tag = |next: &u8| next.is_ascii_alphanumeric() || b"/!?._-".contains(next);
    let tags = math.match_indices('<').any(|(at, _)| math.as_bytes().get(at + 1).is_some_and(begins_tag));
    // Backticks in it may begin or end code there.
    tags || math.contains("](") || math.contains("![") || math.contains('`')
}

/// Whether it is a formula in which a bracket could be taken for a marker, and nothing for a link or a tag.
fn holds_index(content: &str) -> bool {
    content.contains('[') && is_formula(content) && !could_act(content)
}

/// The brackets from `from` on that are opened and not closed, as Markdown counts them, in order.
fn unclosed_brackets(text: &str, from: usize) -> Vec<usize> {
    let mut open = Vec::new();
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'[' if !is_escaped => open.push(at),
            b']' if !is_escaped => {
                open.pop();
            }
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    open
}

/// Where the line that holds `at` begins like a fence, which a line with a backtick further on is not.
fn fence_like(text: &str, at: usize) -> Option<usize> {
    let near = &text.as_bytes()[at.saturating_sub(LOOK_AHEAD)..at];
    let start = match memchr::memrchr2(b'\n', b'\r', near) {
        Some(end) => at - near.len() + end + 1,
        None if near.len() == at => text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len(),
        // It may have begun so far away.
        None => return Some(0),
    };
    let is_prefix = |byte: &&u8| b" \t>-+*.)0123456789".contains(byte);
    let line = &text.as_bytes()[start..];
    // It ends at the backtick at the latest.
    let prefix = line.iter().take_while(is_prefix).count();
    line[prefix..].starts_with(b"```").then_some(start + prefix)
}

impl Scanner {
    /// Takes what has arrived since `from`, when it goes on in text or code behind what is decided and nothing in it can mean
    /// anything: most pieces of a stream are such. Whether it did. A blank at its end waits for what follows.
    pub(in crate::cite) fn take_plain(&mut self, text: &str, from: usize) -> bool {
        let (before, new) = text.as_bytes().split_at(from);
        let word = new.strip_suffix(b" ").unwrap_or(new);
        let is_letter = |last: &u8| last.is_ascii_graphic() && !b"!#*_~".contains(last);
        let to = from + word.len();
        let is_plain = match self.phase {
            Phase::Text => !word.iter().any(|byte| SPECIAL[usize::from(*byte)] || *byte == b'&'),
            Phase::Verbatim => !word.iter().any(|byte| matches!(byte, b'\n' | b'\r' | b'&')),
            Phase::Line | Phase::Rule(_) | Phase::Html | Phase::Cut => false,
        };
        if self.enumeration.undecided(&text[..to]).is_some() {
            return false;
        }
        // An entity may have begun in what waits, which is a blank as a rule.
        let waits = &before[self.written.min(from)..];
        if !is_plain || !word.last().is_some_and(is_letter) || !self.is_settled(from) || waits.contains(&b'&') {
            return false;
        }
        self.writer.look_at(text);
        if self.phase == Phase::Text {
            self.text_to(text, to);
        } else {
            self.verbatim_to(text, to);
        }
        self.at = text.len();
        true
    }

    pub(super) fn cursor<'c>(&'c self, input: &Input<'c>, at: usize) -> Cursor<'c> {
        Cursor::new(input.text, input.finished, &self.blocks, self.line, at)
    }

    /// Reads text; `false` while more of it must arrive.
    pub(super) fn text(&mut self, input: &Input<'_>) -> bool {
        if self.may_define {
            match self.begins_definition(input) {
                None => return false,
                Some(true) => return true,
                Some(false) => {
                    self.may_define = false;
                    self.end_definitions();
                }
            }
        }
        let bytes = input.text.as_bytes();
        loop {
            let stop = self.next_replaced(input);
            let found = bytes[self.at..stop].iter().position(|byte| SPECIAL[usize::from(*byte)]);
            let at = found.map_or(stop, |found| self.at + found);
            self.give_up_openers(at);
            let goes_on = if found.is_none() && stop < bytes.len() {
                self.take_replaced(input);
                true
            } else if at == bytes.len() {
                self.at = at;
                if input.finished {
                    self.openers.clear();
                }
                return false;
            } else {
                match bytes[at] {
                    b'\n' | b'\r' => {
                        if !self.end_line(input, at) {
                            return false;
                        }
                        if self.phase != Phase::Text || self.may_define {
                            return true;
                        }
                        true
                    }
                    b'\\' => self.escape(input, at),
                    b'`' => self.backticks(input, at),
                    b'<' => self.angle(input, at),
                    b'[' => self.open(input, at),
                    b']' => self.close_bracket(input, at),
                    b'$' => self.dollars(input, at),
                    b'|' => self.bar(input, at),
                    0xe3 if input.text[at..].starts_with('【') => self.machine(input, at, '【', '】'),
                    0xee if input.text[at..].starts_with('\u{e200}') => self.machine(input, at, '\u{e200}', '\u{e201}'),
                    _ => {
                        self.at = at + 1;
                        true
                    }
                }
            };
            if !goes_on {
                self.at = at;
                return false;
            }
        }
    }

    /// A bracket that found no partner in time is text, for every engine.
    fn give_up_openers(&mut self, at: usize) {
        while let Some(first) = self.openers.front().copied().filter(|first| at - first.at > LOOK_AHEAD) {
            self.nodes[first.node].kind = NodeKind::Escaped;
            self.openers.pop_front();
        }
    }

    fn escape(&mut self, input: &Input<'_>, at: usize) -> bool {
        if let Some(open @ (b'[' | b'(')) = input.text.as_bytes().get(at + 1) {
            match formula(self.cursor(input, at + 2), *open) {
                Parsed::Unknown => return false,
                Parsed::Found(end) if holds_index(&input.text[at + 2..end - 2]) => {
                    self.math(input, at, end);
                    self.at = end;
                    return true;
                }
                Parsed::Found(_) | Parsed::Fails(_) | Parsed::TooLong => {}
            }
        }
        match input.text.as_bytes().get(at + 1) {
            None => {
                self.at = at + 1;
                input.finished
            }
            Some(b'[') if input.rules.literal_numbers != LiteralNumbers::Escape => {
                let digits = input.text.as_bytes()[at + 2..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let end = at + 2 + digits;
                let behind = &input.text.as_bytes()[end..];
                if behind.len() < 2 && !input.finished && digits <= 10 {
                    return false;
                }
                if digits > 0 && digits <= 10 && (behind.starts_with(b"]") || behind.starts_with(b"\\]")) {
                    self.push(at..end, NodeKind::EscapedNumber);
                    self.at = end;
                } else {
                    self.opaque(at..at + 2);
                    self.at = at + 2;
                }
                true
            }
            Some(byte) if byte.is_ascii_punctuation() => {
                self.opaque(at..at + 2);
                self.at = at + 2;
                true
            }
            Some(_) => {
                self.at = at + 1;
                true
            }
        }
    }

    /// The length of a run of one byte, as far as anyone looks; `None` while it may be longer.
    fn run_of_one(input: &Input<'_>, at: usize) -> Option<usize> {
        let bytes = &input.text.as_bytes()[at..];
        let run = bytes.iter().take(LOOK_AHEAD).take_while(|byte| **byte == bytes[0]).count();
        (run < bytes.len() || input.finished || run == LOOK_AHEAD).then_some(run)
    }

    fn backticks(&mut self, input: &Input<'_>, at: usize) -> bool {
        let Some(run) = Self::run_of_one(input, at) else { return false };
        let span = if run == LOOK_AHEAD { Parsed::TooLong } else { code_span(self.cursor(input, at + run), run) };
        match span {
            Parsed::Found(end) => {
                let headless = self.blocks.is_headless(input.text, at..end);
                let content = input.text[at + run..end - run].trim_end_matches([' ', '\t', '>']);
                let like_fence = run >= 3 && content.ends_with(['\n', '\r']) && input.rules.markdown;
                if like_fence {
                    self.no_fence = Some(end - run);
                }
                self.push(at..end, NodeKind::Code { headless, like_fence });
                self.at = end;
            }
            // A backtick further on keeps the line from being a fence, and may go: with the address of a link, or with all of it.
            Parsed::Fails(_) if run >= 3 && input.rules.markdown && fence_like(input.text, at) == Some(at) => {
                self.no_fence = Some(at);
                self.backticks_are_text(at, run);
            }
            // markdown-it reads what is in brackets twice, and once it has seen that backticks are text, it takes those that
            // open code before them for text as well: what the code holds could be a badge. In a line that begins like a
            // fence, they are what keeps it from being one.
            Parsed::Fails(_)
                if !self.openers.is_empty()
                    && input.rules.definitions
                    && input.rules.markdown
                    && fence_like(input.text, at).is_none_or(|at| self.no_fence == Some(at)) =>
            {
                self.backticks_are_text(at, run);
            }
            Parsed::Fails(_) => self.at = at + run,
            Parsed::Unknown => return false,
            Parsed::TooLong if input.rules.markdown => self.backticks_are_text(at, run),
            Parsed::TooLong => self.at = at + run,
        }
        true
    }

    fn backticks_are_text(&mut self, at: usize, run: usize) {
        self.push(at..at + run, NodeKind::Replace(BACKTICK.repeat(run)));
        self.at = at + run;
    }

    fn dollars(&mut self, input: &Input<'_>, at: usize) -> bool {
        let Some(run) = Self::run_of_one(input, at) else { return false };
        self.at = at + run;
        if run > 2 {
            return true;
        }
        match math(self.cursor(input, at + run), run) {
            Parsed::Found(end) if input.rules.markdown && could_act(&input.text[at..end]) => {
                // It is text, and so it has to stay, or a marker would be none the next time: what keeps a link or tag in it
                // from being one would make math of it.
                if input.text[at..end].contains(['[', '`']) {
                    let message = "math with a link, a tag or code in it is text: not every channel knows math";
                    self.report("math", at, message);
                    self.push(at..at + run, NodeKind::Replace("&#36;".repeat(run)));
                }
                true
            }
            Parsed::Found(end) => {
                self.math(input, at, end);
                self.at = end;
                true
            }
            Parsed::Unknown => false,
            Parsed::Fails(_) | Parsed::TooLong => true,
        }
    }

    /// Math, which not every channel draws: a number in brackets may be taken for a badge there, and a bracket that math does
    /// not close may begin a link.
    fn math(&mut self, input: &Input<'_>, at: usize, end: usize) {
        let text = &input.text[..end];
        let first = text[at..].find('[').map_or(end, |found| at + found);
        self.push(at..first, NodeKind::MathStart { end });
        let unclosed = if input.rules.markdown { unclosed_brackets(text, first) } else { Vec::new() };
        let mut done = first;
        for (found, _) in text[first..].match_indices('[') {
            let found = first + found;
            let digits = text[found + 1..].bytes().take_while(u8::is_ascii_digit).count();
            let is_number = digits > 0 && text[found + 1 + digits..].trim_start_matches('\\').starts_with(']');
            if is_number && input.rules.literal_numbers != LiteralNumbers::Escape {
                self.opaque(done..found);
                self.push(found..found + 1 + digits, NodeKind::EscapedNumber);
                done = found + 1 + digits;
            } else if unclosed.binary_search(&found).is_ok() {
                self.opaque(done..found);
                let node = self.nodes.len();
                self.openers.push_back(Opener { at: found, node, image: false, active: false, gone: true });
                self.push(found..found + 1, NodeKind::Bracket);
                done = found + 1;
            }
        }
        self.opaque(done..end);
    }

    fn angle(&mut self, input: &Input<'_>, at: usize) -> bool {
        let markdown = input.rules.markdown;
        let mut read_to = at;
        match autolink(self.cursor(input, at + 1), input.text) {
            Parsed::Found((end, true)) => {
                self.push(at..end, NodeKind::Autolink);
                self.at = end;
                return true;
            }
            Parsed::Found((end, false)) => {
                let address = &input.text[at + 1..end - 1];
                self.report("link-scheme", at, format!("the address {address:?} is shown as text"));
                self.keep_apart(input, at);
                return true;
            }
            Parsed::Unknown => return false,
            // Emphasis beside `<` would read another character there, so only what begins like an address is kept apart.
            Parsed::Fails(to) if input.text.as_bytes()[at + 1..].first().is_some_and(u8::is_ascii_alphanumeric) => {
                read_to = to;
            }
            Parsed::Fails(_) => {}
            Parsed::TooLong => {}
        }
        let mut searched = std::mem::take(&mut self.searched);
        let tag = tag(self.cursor(input, at + 1), &mut searched);
        self.searched = searched;
        match tag {
            Parsed::Found(end) if !markdown || is_comment(&input.text[at..end]) => {
                self.opaque(at..end);
                self.at = end;
            }
            Parsed::Found(end) => match judge_tag(&input.text[at..end]) {
                (Harm::None, _) => {
                    self.opaque(at..end);
                    self.at = end;
                }
                (Harm::Attributes(name), _) => self.cut_attributes(input, at, name, end),
                (Harm::Tag, _) => {
                    self.tag_is_text(at);
                    self.at = at + 1;
                }
            },
            Parsed::Fails(to) => match tag_holds_change(input, at, to.max(read_to)) {
                None => return false,
                Some(true) => self.keep_apart(input, at),
                Some(false) => self.at = at + 1,
            },
            Parsed::Unknown => return false,
            Parsed::TooLong if markdown => {
                self.tag_is_text(at);
                self.at = at + 1;
            }
            Parsed::TooLong => self.at = at + 1,
        }
        true
    }

    /// Keeps a `<` from what follows it.
    fn keep_apart(&mut self, input: &Input<'_>, at: usize) {
        if input.rules.markdown {
            self.opaque(at..at + 1);
            self.push(at + 1..at + 1, NodeKind::Separate);
        }
        self.at = at + 1;
    }

    fn open(&mut self, input: &Input<'_>, at: usize) -> bool {
        let from = self.nodes.last().map_or(self.node_end, |node| node.range.end).max(self.line);
        let image = at > from && input.text.as_bytes()[at - 1] == b'!';
        let start = at - usize::from(image);
        self.openers.push_back(Opener { at: start, node: self.nodes.len(), image, active: true, gone: false });
        self.push(start..at + 1, NodeKind::Bracket);
        self.at = at + 1;
        true
    }

    /// The border of a cell: no bracket reaches beyond it.
    fn bar(&mut self, input: &Input<'_>, at: usize) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only tables have cells")]
        let parts = match self.blocks.leaf {
            Leaf::Table => true,
            Leaf::Paragraph if !self.openers.is_empty() => {
                match is_header_line(input.text, input.finished, &self.blocks, self.line) {
                    None => return false,
                    Some(is_header) => is_header,
                }
            }
            _ => false,
        };
        if parts {
            self.openers.clear();
            if input.rules.markdown && input.text[..at].ends_with("\\\\") {
                // To markdown-it every backslash escapes a border, and that in the link of another cell loads an image.
                self.push(at..at, NodeKind::Separate);
            }
        }
        self.at = at + 1;
        true
    }

    /// `【…】`, and U+E200 to U+E201.
    fn machine(&mut self, input: &Input<'_>, at: usize, open: char, close: char) -> bool {
        let start = at + open.len_utf8();
        self.at = start;
        let mut end = None;
        for (found, c) in input.text[start..].char_indices() {
            if c == close {
                end = Some(start + found);
                break;
            }
            // No machine writes a bracket between these two; where one stands, it was a marker within.
            let is_bracket = open == '\u{e200}' && c == '[';
            if found + c.len_utf8() > MAX_INNER_BYTES || c == open || is_bracket || "\n\r`\\<".contains(c) {
                return true;
            }
        }
        let Some(end) = end else { return input.finished };
        let inner = &input.text[start..end];
        let end = end + close.len_utf8();
        let marker = match open {
            '【' => marker::in_lenticular_brackets(inner, input.grammar),
            _ => marker::in_private_use(inner, input.grammar),
        };
        let Some(marker) = marker else { return true };
        let kind = match input.resolver.resolve(input.sources, &input.text[at..end], &marker) {
            Some(sources) => NodeKind::Cite(sources),
            None => NodeKind::Nameless { vanishes: true },
        };
        self.begin_marker(input, at..end, matches!(kind, NodeKind::Cite(_)));
        self.push(at..end, kind);
        self.at = end;
        true
    }
}
