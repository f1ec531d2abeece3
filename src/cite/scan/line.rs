//! What a line is: the block structure of CommonMark with GFM's tables, read line by line.
//!
//! A line is read from its beginning, and as soon as what has arrived of it leaves no doubt. The rules are those of the
//! CommonMark specification 0.31, appendix "A parsing strategy", phase 1.

use std::ops::Range;

use super::LOOK_AHEAD;
use super::tag::{BlockTag, block_tag, is_tag_alone};
use crate::cite::table::{Table, ends_like_table};

/// Deeper nesting is text, and is written so that it is for engines that follow it further.
const MAX_DEPTH: usize = 100;

/// A block that holds other blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// A block quote.
    Quote,
    /// A list item.
    Item {
        /// Its bullet, or what stands behind its number.
        marker: u8,
        /// How many columns its content is indented.
        content: usize,
        /// Whether nothing but its marker was seen so far.
        empty: bool,
    },
}

impl Container {
    /// The bullet of an item, or what stands behind its number.
    fn marker(self) -> Option<u8> {
        match self {
            Self::Quote => None,
            Self::Item { marker, .. } => Some(marker),
        }
    }

    /// What stands before a line of its content.
    pub(super) fn prefix(self) -> String {
        match self {
            Self::Quote => "> ".into(),
            Self::Item { content, .. } => " ".repeat(content),
        }
    }
}

/// The block that holds text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// None is open.
    None,
    /// A paragraph.
    Paragraph,
    /// A heading of one line.
    Heading,
    /// A table; every line is a row.
    Table,
    /// A fenced code block.
    Fence(Fence),
    /// An indented code block.
    Indented,
    /// HTML up to the next blank line.
    Html,
    /// A footnote that gives way, up to the next blank line.
    Footnote,
}

/// The fence of a code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// A backtick or a tilde.
    pub(super) byte: u8,
    /// How many of them.
    pub(super) length: usize,
}

/// What one line is.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// How many open containers go on.
    pub(super) matched: usize,
    /// The containers that begin in this line.
    pub(super) begins: Vec<Container>,
    pub(super) kind: Kind,
    /// Whether an item begins that is empty, or whose number is not 1: it begins none in the middle of a paragraph.
    pub(super) begins_weakly: bool,
    /// Where the content begins, behind the prefix of containers and, for text, behind its indentation.
    pub(super) content: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    /// The paragraph goes on, inside its containers or not.
    Continuation,
    /// A paragraph begins.
    Paragraph,
    Heading,
    /// A thematic break, or the underline that makes a heading of the paragraph.
    Rule(Head),
    FenceOpens(Fence),
    FenceCloses,
    /// A line of a fenced block.
    Fenced,
    /// One that begins with more of the fence's bytes than are waited for, and is kept from closing it.
    FencedApart,
    Indented,
    /// HTML begins, or goes on.
    Html,
    /// A comment that ends in its line or, at the top level, in a later one: where it ends. The rest of that line is HTML.
    Comment(usize),
    /// A paragraph begins with a byte that would begin another block, were it not escaped. It ends the one before, as that block
    /// would, or code could begin before it and end behind.
    Escaped,
    /// The line under the header of a table.
    Delimiters,
    Row,
    /// A line of a footnote that gives way.
    Footnote,
}

/// As what the line above a rule could be the header of a table, for which the rule would hold the delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// As the line or the text in it, if it looks like one.
    Any,
    /// As the line with its bullets and `>`: the rule stands outside of what they begin.
    Line,
    /// To no engine.
    None,
}

impl Kind {
    /// Whether a paragraph that is open goes on in such a line.
    pub(super) fn continues(self) -> bool {
        self == Self::Continuation
    }
}

/// What is open at the beginning of a line.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub(super) containers: Vec<Container>,
    pub(super) leaf: Leaf,
    /// Where the text of the last paragraph began.
    pub(super) paragraph: usize,
    /// How many containers went on in the line before, where that began a block whose first line may be the header of a table to
    /// some engine.
    header: Option<usize>,
    /// In how many containers the last list item stood that has ended with nothing but blank lines behind it, and its marker.
    ended_item: Option<(usize, u8)>,
    /// Whether something was taken out of these containers, so that a line may come to be the first.
    pub(super) is_cut: bool,
}

/// The text from the beginning of a line on, as far as it has arrived.
#[derive(Clone, Copy)]
struct Rest<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Where the line ends, or what has arrived of it.
    end: usize,
    /// Whether the end is the line's.
    complete: bool,
    column: usize,
    /// Columns of a tab that was taken in part.
    owed: usize,
}

impl Rest<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        (at < self.end).then(|| self.bytes[at])
    }

    /// The columns of the blanks at this place, and what stands behind them.
    fn indent(&self) -> (usize, usize) {
        let (mut at, mut columns, mut column) = (self.at, self.owed, self.column);
        while let Some(byte) = self.byte(at) {
            let width = match byte {
                b' ' => 1,
                b'\t' => 4 - column % 4,
                _ => break,
            };
            columns += width;
            column += width;
            at += 1;
        }
        (columns, at)
    }

    fn skip(&mut self, mut columns: usize) {
        let owed = self.owed.min(columns);
        self.owed -= owed;
        columns -= owed;
        while columns > 0 {
            let width = match self.byte(self.at) {
                Some(b' ') => 1,
                Some(b'\t') => 4 - self.column % 4,
                _ => return,
            };
            self.at += 1;
            self.column += width;
            let taken = width.min(columns);
            columns -= taken;
            self.owed = width - taken;
        }
    }

    fn skip_bytes(&mut self, to: usize) {
        let (columns, _) = self.indent();
        let (_, behind) = self.indent();
        self.skip(columns);
        self.column += to - behind;
        self.at = to;
    }

    /// Whether all that is left of the line is made of these bytes; `None` while more of it may come. Of a line that is
    /// too long, it is not.
    fn only(&self, from: usize, is: impl Fn(u8) -> bool) -> Option<bool> {
        if self.end - from >= LOOK_AHEAD || !self.bytes[from..self.end].iter().all(|byte| is(*byte)) {
            return Some(false);
        }
        self.complete.then_some(true)
    }

    /// Whether so much of the line is made of these bytes that the rest of it is not waited for.
    fn is_endless(&self, from: usize, is: impl Fn(u8) -> bool) -> bool {
        self.end - from >= LOOK_AHEAD && self.bytes[from..from + LOOK_AHEAD].iter().all(|byte| is(*byte))
    }

    fn run(&self, from: usize, byte: u8) -> usize {
        self.bytes[from..self.end].iter().take_while(|found| **found == byte).count()
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Where the line that begins at `at` ends, without its line end, and whether it has one. A carriage return at the very end
/// of what has arrived may be half of a line end.
pub(in crate::cite) fn line_end(text: &str, at: usize, finished: bool) -> (usize, bool) {
    match memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]) {
        Some(found) => {
            let end = at + found;
            (end, finished || end + 1 < text.len() || text.as_bytes()[end] == b'\n')
        }
        None => (text.len(), finished),
    }
}

/// Where the next line begins, given where this one ends.
pub(in crate::cite) fn next_line(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        _ => end,
    }
}

/// The line before the one at `at`, without its line end.
pub(super) fn line_before(text: &str, at: usize) -> Range<usize> {
    const LINE_ENDS: [char; 2] = ['\n', '\r'];
    let end = text[..at].rfind(LINE_ENDS).map_or(0, |found| text[..found].trim_end_matches('\r').len());
    text[..end].rfind(LINE_ENDS).map_or(0, |found| found + 1)..end
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self { containers: Vec::new(), leaf: Leaf::None, paragraph: 0, header: None, ended_item: None, is_cut: false }
    }

    /// What stands before a line of text in the open containers.
    pub(super) fn prefix(&self) -> String {
        self.containers.iter().map(|container| container.prefix()).collect()
    }

    /// Reads the line at `at`; `None` while more of it must arrive. The content of the line before, which may be the header
    /// of a table, begins at `before`.
    pub(super) fn read(&self, text: &str, at: usize, finished: bool, before: usize) -> Option<Line> {
        let (end, complete) = line_end(text, at, finished);
        let mut rest = Rest { bytes: text.as_bytes(), at, end, complete, column: 0, owed: 0 };
        let matched = self.matched(&mut rest)?;
        let all = matched == self.containers.len();
        let line = |kind, content| Some(Line { matched, begins: Vec::new(), kind, begins_weakly: false, content });
        if all {
            let (columns, behind) = rest.indent();
            match self.leaf {
                Leaf::Fence(fence)
                    if columns <= 3 && rest.is_endless(behind, |byte| byte == fence.byte || is_blank(byte)) =>
                {
                    return line(Kind::FencedApart, rest.at);
                }
                Leaf::Fence(fence) => {
                    let run = rest.run(behind, fence.byte);
                    let may_close = columns <= 3 && run > 0;
                    let closes = may_close && {
                        let only = rest.only(behind + run, is_blank);
                        if run >= fence.length { only? } else { behind + run == end && !complete && only? }
                    };
                    if columns <= 3 && behind == end && !complete {
                        return None;
                    }
                    return line(if closes { Kind::FenceCloses } else { Kind::Fenced }, rest.at);
                }
                Leaf::Html => {
                    return line(if rest.only(behind, |_| false)? { Kind::Blank } else { Kind::Html }, rest.at);
                }
                Leaf::Footnote => {
                    let blank = behind == end;
                    if (blank || behind + 1 >= end) && !complete {
                        return None;
                    }
                    if !blank && !text[behind..end].starts_with("[^") {
                        return line(Kind::Footnote, rest.at);
                    }
                }
                Leaf::None | Leaf::Paragraph | Leaf::Heading | Leaf::Table | Leaf::Indented => {}
            }
        }
        self.begin(text, rest, matched, finished, before)
    }

    /// Enters a line that begins at `at`: containers end there, and it may be the header of a table.
    pub(super) fn enter(&mut self, text: &str, at: usize, line: &Line) {
        let Line { matched, ref begins, kind, .. } = *line;
        let ended_item = match self.containers.get(matched) {
            Some(container) => container.marker().map(|marker| (matched, marker)),
            None => self.ended_item,
        };
        let begun_item = begins.first().and_then(|container| container.marker()).map(|marker| (matched, marker));
        self.ended_item = ended_item.filter(|_| kind == Kind::Blank && begins.is_empty());
        self.containers.truncate(matched);
        self.is_cut &= matched > 0;
        let is_header = match kind {
            Kind::Row | Kind::Delimiters => false,
            // Indented behind a bullet, it is one to markdown-it.
            Kind::Indented => !begins.is_empty(),
            Kind::Comment(end) => !text[at..end].contains(['\n', '\r']),
            Kind::Paragraph | Kind::Continuation | Kind::Escaped | Kind::Heading | Kind::Rule(_) => true,
            Kind::Blank | Kind::Html | Kind::Footnote => true,
            Kind::FenceOpens(_) | Kind::Fenced | Kind::FencedApart | Kind::FenceCloses => true,
        };
        // The next item of a list is a part of it to markdown-it as well, which looks for a table only in it.
        let goes_on_with_list = begun_item.is_some() && begun_item == ended_item;
        self.header = is_header.then_some(matched + usize::from(goes_on_with_list));
    }

    /// How many containers go on in this line; `rest` is then behind their prefixes.
    fn matched(&self, rest: &mut Rest<'_>) -> Option<usize> {
        for (depth, container) in self.containers.iter().enumerate() {
            let (columns, behind) = rest.indent();
            let blank = behind == rest.end;
            if blank && !rest.complete {
                return None;
            }
            match *container {
                Container::Quote if columns <= 3 && rest.byte(behind) == Some(b'>') => {
                    rest.skip_bytes(behind + 1);
                    if rest.at == rest.end && !rest.complete {
                        return None;
                    }
                    rest.skip(1);
                }
                Container::Item { empty: false, .. } if blank => rest.skip(columns),
                Container::Item { content, .. } if !blank && columns >= content => rest.skip(content),
                Container::Quote | Container::Item { .. } => return Some(depth),
            }
        }
        Some(self.containers.len())
    }

    /// Reads what begins behind the prefixes of open containers.
    fn begin(&self, text: &str, mut rest: Rest<'_>, matched: usize, finished: bool, before: usize) -> Option<Line> {
        let all = matched == self.containers.len();
        let mut begins: Vec<Container> = Vec::new();
        let mut begins_weakly = false;
        loop {
            let (columns, behind) = rest.indent();
            // A paragraph that this line may go on, lazily or not.
            let open = self.leaf == Leaf::Paragraph && begins.is_empty();
            // A paragraph that a block of this line interrupts.
            let interrupts = open && all;
            let is_in_table = self.leaf == Leaf::Table && all && begins.is_empty();
            let line = |kind, content, begins| Some(Line { matched, begins, kind, begins_weakly, content });
            let Some(byte) = rest.byte(behind) else {
                return if rest.complete { line(Kind::Blank, behind, begins) } else { None };
            };
            if columns >= 4 {
                return if open {
                    line(Kind::Continuation, behind, begins)
                } else {
                    line(Kind::Indented, rest.at, begins)
                };
            }
            let is_too_deep = matched + begins.len() >= MAX_DEPTH;
            let kind = match byte {
                b'>' if is_too_deep => Some((Kind::Escaped, behind)),
                b'>' => {
                    rest.skip_bytes(behind + 1);
                    if rest.at == rest.end && !rest.complete {
                        return None;
                    }
                    rest.skip(1);
                    begins.push(Container::Quote);
                    continue;
                }
                b'`' | b'~' if rest.is_endless(behind, |found| found == byte) => Some((Kind::Escaped, behind)),
                b'=' | b'-' | b'*' | b'_' if rest.is_endless(behind, |found| found == byte || is_blank(found)) => {
                    Some((Kind::Escaped, behind))
                }
                b'#' => {
                    let run = rest.run(behind, b'#');
                    match rest.byte(behind + run) {
                        None if !rest.complete && run <= 6 => return None,
                        None | Some(b' ' | b'\t') if run <= 6 => Some((Kind::Heading, behind + run)),
                        _ => None,
                    }
                }
                b'`' | b'~' => {
                    let run = rest.run(behind, byte);
                    if behind + run == rest.end && !rest.complete {
                        return None;
                    }
                    // A backtick that came in time says that it is no fence, however long the line becomes.
                    let info = &rest.bytes[behind + run..rest.end.min(behind + run + LOOK_AHEAD)];
                    let is_too_long = run >= 3 && byte == b'`' && info.len() == LOOK_AHEAD && !info.contains(&b'`');
                    let opens = run >= 3 && (byte == b'~' || rest.only(behind + run, |byte| byte != b'`')?);
                    match opens {
                        true => Some((Kind::FenceOpens(Fence { byte, length: run }), rest.at)),
                        false if is_too_long => Some((Kind::Escaped, behind)),
                        false => None,
                    }
                }
                b'<' => {
                    match block_tag(text, behind, rest.end, rest.complete, finished, matched == 0 && begins.is_empty())?
                    {
                        BlockTag::Text => None,
                        BlockTag::Block => Some((Kind::Html, rest.at)),
                        // It does not interrupt a paragraph, not even one that goes on lazily; nor a table, to markdown-it.
                        BlockTag::Alone if open || is_in_table => None,
                        BlockTag::Alone => Some((Kind::Html, rest.at)),
                        BlockTag::Comment(end) => Some((Kind::Comment(end), rest.at)),
                        BlockTag::Harmful => Some((Kind::Escaped, behind)),
                    }
                }
                b'=' if interrupts && {
                    let run = rest.run(behind, b'=');
                    rest.only(behind + run, is_blank)?
                } =>
                {
                    Some((Kind::Rule(Head::Any), behind))
                }
                b'-' if interrupts && {
                    let run = rest.run(behind, b'-');
                    rest.only(behind + run, is_blank)?
                } =>
                {
                    Some((Kind::Rule(Head::Any), behind))
                }
                b'*' | b'-' | b'_' if rest.only(behind, |found| found == byte || is_blank(found))? => {
                    let count = rest.bytes[behind..rest.end].iter().filter(|found| **found == byte).count();
                    (count >= 3).then_some((Kind::Rule(Head::Any), behind))
                }
                _ => None,
            };
            if let Some((mut kind, content)) = kind {
                if byte == b'-' && matches!(kind, Kind::Rule(_)) && ends_like_table(&text[..rest.end]) {
                    let may_be_header = self.is_cut || self.may_be_header(text, before, behind, matched);
                    let is_line_header =
                        || Table::read(&text[line_before(text, behind)], &text[behind..rest.end]).to_markdown_it;
                    kind = if !may_be_header {
                        Kind::Rule(Head::None)
                    } else if all || self.is_cut || is_line_header() {
                        Kind::Escaped
                    } else {
                        Kind::Rule(Head::Line)
                    };
                }
                return line(kind, content, begins);
            }
            if let Some((width, behind_marker)) = Self::list_marker(&rest, behind, interrupts)? {
                if is_too_deep {
                    return line(Kind::Escaped, behind, begins);
                }
                begins_weakly |= byte.is_ascii_digit() && &text[behind..behind_marker - 1] != "1";
                rest.skip_bytes(behind_marker);
                let (blanks, content) = rest.indent();
                let empty = content == rest.end;
                let taken = if empty || blanks > 4 { 1 } else { blanks };
                if !empty {
                    rest.skip(taken);
                }
                let marker = rest.bytes[behind_marker - 1];
                begins.push(Container::Item { marker, content: columns + width + taken, empty });
                if empty {
                    return Some(Line { matched, begins, kind: Kind::Blank, begins_weakly: true, content: rest.end });
                }
                continue;
            }
            if is_in_table {
                return line(Kind::Row, behind, begins);
            }
            let kind = match open {
                true if interrupts && self.is_under_header(text, &rest, behind, before)? => Kind::Delimiters,
                true => Kind::Continuation,
                false => Kind::Paragraph,
            };
            return line(kind, behind, begins);
        }
    }

    /// Whether the line at `at` makes a table of itself and the line before, whose content begins at `before`, to all engines.
    fn is_under_header(&self, text: &str, rest: &Rest<'_>, at: usize, before: usize) -> Option<bool> {
        if !rest.only(at, |byte| matches!(byte, b'|' | b':' | b'-' | b' ' | b'\t'))? {
            return Some(false);
        }
        let header = text.get(before..line_before(text, at).end).filter(|header| header.len() < LOOK_AHEAD);
        let Some(header) = header else { return Some(false) };
        let delimiters = &text[at..rest.end];
        if Table::read(header, delimiters) != Table::ALL {
            return Some(false);
        }
        let line = text[line_before(text, at)].trim_start_matches([' ', '\t', '>']);
        // markdown-it looks for tables before it looks for lists.
        if line != header && Table::read(line, delimiters).to_markdown_it {
            return Some(false);
        }
        // Nor is it a header to micromark, which ends the paragraph where it sees a table, and then reads HTML first.
        if is_tag_alone(header) {
            return Some(false);
        }
        Some(self.may_be_header(text, before, at, self.containers.len()))
    }

    /// Whether the line before the one at `at`, whose content begins at `before`, may be the header of a table to any engine, when
    /// so many containers go on below it.
    fn may_be_header(&self, text: &str, before: usize, at: usize, matched: usize) -> bool {
        if self.leaf != Leaf::Paragraph || before == self.paragraph {
            return self.header.is_some_and(|containers| containers <= matched);
        }
        // A paragraph goes on in it, neither lazily nor indented like code.
        let indent = || self.continuation_indent(text, line_before(text, at));
        matched == self.containers.len() && indent().is_some_and(|columns| columns < 4)
    }

    /// How far a line is indented with which the paragraph goes on, unless it does so lazily.
    fn continuation_indent(&self, text: &str, line: Range<usize>) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut rest = Rest { bytes, at: line.start, end: line.end, complete: true, column: 0, owed: 0 };
        let matched = self.matched(&mut rest)?;
        (matched == self.containers.len()).then(|| rest.indent().0)
    }

    /// Whether some lines of a paragraph look like delimiters under a header, and to no engine any of them is: the header is
    /// indented like code, or the delimiters stand outside of the list or quote that the paragraph is in.
    pub(super) fn is_headless(&self, text: &str, lines: Range<usize>) -> bool {
        let mut looks_like_table = false;
        // The first line does not begin here, nor does the last one end.
        let (mut before, mut start) = (None, lines.start);
        while let Some(length) = memchr::memchr2(b'\n', b'\r', &text.as_bytes()[start..lines.end]) {
            let line = start..start + length;
            let is_delimiters = text[line.clone()].bytes().all(|byte| b"|:->\t ".contains(&byte));
            if is_delimiters && start > lines.start {
                let is_lazy = self.continuation_indent(text, line.clone()).is_none();
                let indent = before.and_then(|header| self.continuation_indent(text, header));
                if !is_lazy && indent.is_none_or(|columns| columns < 4) {
                    return false;
                }
                looks_like_table = true;
            }
            before = (start > lines.start).then_some(line.clone());
            start = next_line(text, line.end);
        }
        looks_like_table
    }

    /// The width of a list marker at this place and what stands behind it.
    #[expect(clippy::option_option, reason = "the outer one says that more must arrive")]
    fn list_marker(rest: &Rest<'_>, at: usize, interrupts: bool) -> Option<Option<(usize, usize)>> {
        let (width, number) = match rest.byte(at) {
            Some(b'-' | b'+' | b'*') => (1, None),
            Some(b'0'..=b'9') => {
                let digits = rest.bytes[at..rest.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
                match rest.byte(at + digits) {
                    None if !rest.complete && digits <= 9 => return None,
                    Some(b'.' | b')') if digits <= 9 => (digits + 1, Some(&rest.bytes[at..at + digits])),
                    _ => return Some(None),
                }
            }
            _ => return Some(None),
        };
        let behind = at + width;
        match rest.byte(behind) {
            None if !rest.complete => return None,
            None | Some(b' ' | b'\t') => {}
            Some(_) => return Some(None),
        }
        let is_empty = rest.only(behind, is_blank)?;
        if interrupts && (is_empty || number.is_some_and(|number| number != b"1")) {
            return Some(None);
        }
        Some(Some((width, behind)))
    }
}
