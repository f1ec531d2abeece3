//! The rewritten text: badges where markers stood, and every other byte as it was, but for what would now mean something
//! else (policies P-05 and P-09).

use super::scan::{BYTE_ORDER_MARK, MAX_EMPHASIS};
use super::table::{Table, ends_like_table};
use super::{CitedPlace, LiteralNumbers, Position, Rules};
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, ends_in_unseen_reference, first_unseen, may_hold_unseen, push_visible};

/// Nothing to see; keeps two constructs apart that would fuse.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Nothing to see either; to Markdown it begins and ends with punctuation, as a marker does, so that emphasis beside it
/// keeps its meaning.
const ZERO_WIDTH_SPACE_BESIDE_EMPHASIS: &str = "&#8203;";

/// Ends a bare address for every engine; the zero-width space would become part of it.
const HAIR_SPACE: char = '\u{200a}';

/// Ends a bare address where a blank would change the emphasis beside it. The blank inside is for markdown-it, which lets a
/// bracket or quote that an address opened run on over `<`.
const EMPTY_COMMENT: &str = "<!-- -->";

/// To Markdown, each of them ends a line.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// What opens and closes emphasis and strikethrough.
const EMPHASIS: [char; 3] = ['*', '_', '~'];

/// Writes one text from start to end.
#[derive(Debug)]
pub(super) struct Writer {
    markdown: bool,
    definitions: bool,
    literal_numbers: LiteralNumbers,
    out: String,
    /// Whether what is written now is a line of code or of a table.
    is_in_block: bool,
    /// The badges at the very end of what was written.
    run: Vec<Position>,
    /// Where they begin.
    run_start: usize,
    /// Whether a bare address was begun that nothing has ended.
    in_address: bool,
    /// Whether a bracket or quote stands in that address: markdown-it then lets it run on over `<`.
    opened: bool,
    /// Whether the link that is being written began in an address, which has taken its bracket in.
    swallowed: bool,
    /// Where the text of the link began that was written last.
    link_start: usize,
    /// Where the text at the end began, in which a bare address may begin.
    text_start: usize,
    /// How far the text was looked through for what people do not see, and whether it may hold any: most texts do not, and each of
    /// their many pieces is then appended as it is.
    looked_at: usize,
    may_hold_unseen: bool,
    /// How many letters went because nobody sees them, or because they turn the direction of the text.
    unseen: usize,
    /// Where the badges stand, for those who ask.
    places: Option<Vec<CitedPlace>>,
}

impl Writer {
    pub(super) fn new(rules: &Rules) -> Self {
        let Rules { markdown, definitions, literal_numbers, only_markers, .. } = *rules;
        Self {
            markdown,
            definitions,
            literal_numbers,
            out: String::new(),
            is_in_block: false,
            run: Vec::new(),
            run_start: 0,
            in_address: false,
            opened: false,
            swallowed: false,
            link_start: 0,
            text_start: 0,
            looked_at: 0,
            may_hold_unseen: false,
            unseen: 0,
            places: only_markers.then(Vec::new),
        }
    }

    /// Expects a text of about this length.
    pub(super) fn reserve(&mut self, length: usize) {
        self.out.reserve(length);
    }

    /// Looks for what people do not see in what has come of the text. To be called before anything of that is written.
    pub(super) fn look_at(&mut self, text: &str) {
        let new = text.get(self.looked_at..).unwrap_or_default();
        self.may_hold_unseen =
            self.may_hold_unseen || may_hold_unseen(new) || memchr::memchr(b'&', new.as_bytes()).is_some();
        self.looked_at = self.looked_at.max(text.len());
    }

    /// What is written so far.
    pub(super) fn written(&self) -> &str {
        &self.out
    }

    /// What went of the text because nobody sees it, for the report.
    pub(super) fn unseen(&self, text: &str) -> Option<Entry> {
        (self.unseen > 0).then(|| {
            let message = format!(
                "letters that cannot be seen, or that turn the direction of the text, were taken out: {}",
                self.unseen
            );
            Entry::in_text(Kind::Neutralised, UNSEEN, first_unseen(text).unwrap_or_default(), message)
        })
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Where the badges stand in what is written so far, where the rules ask for them.
    pub(super) fn places(&self) -> &[CitedPlace] {
        self.places.as_deref().unwrap_or_default()
    }

    /// Where the badges stand in what is written, in order, where the rules ask for them.
    pub(super) fn take_places(&mut self) -> Vec<CitedPlace> {
        self.places.take().unwrap_or_default()
    }

    /// Text as it was, without line ends; in a link, no bare address begins.
    pub(super) fn text(&mut self, text: &str, may_begin_address: bool) {
        let behind_text =
            self.run.is_empty() && !self.in_address && !self.out.is_empty() && !text.starts_with(LINE_ENDS);
        if behind_text && !text.bytes().any(|byte| ADDRESS[usize::from(byte)]) {
            self.put(text);
            if !may_begin_address {
                self.text_start = self.out.len();
            }
        } else if !may_begin_address {
            self.opaque(text);
        } else if let Some(piece) = self.push(text) {
            // The text may have come in pieces: what begins an address is at most four bytes long.
            let from = self.out.floor_char_boundary(piece.saturating_sub(3)).max(self.text_start);
            self.follow_address(piece, from, true);
        }
    }

    /// Takes back what was written behind a place; text that begins there may begin with any character.
    fn truncate(&mut self, length: usize) {
        self.out.truncate(length);
        self.text_start = self.text_start.min(length);
    }

    /// What is no text, as it was.
    pub(super) fn opaque(&mut self, source: &str) {
        if let Some(piece) = self.push(source) {
            self.follow_address(piece, piece, false);
            self.text_start = self.out.len();
        }
    }

    /// The bracket of a link. Behind a bare address it is a part of that, and the link none where the page makes links of
    /// addresses.
    pub(super) fn begin_link(&mut self, bracket: &str) {
        self.swallowed = self.in_address;
        self.opaque(bracket);
        self.link_start = self.out.len();
    }

    /// The rest of a link: where its bracket was taken in, its address is a bare one, and a bracket in its title could be a
    /// badge. Where a bracket in its text may come to be a link, its address may come to be a bare one.
    pub(super) fn end_link(&mut self, rest: &str) {
        let swallowed = std::mem::take(&mut self.swallowed);
        if swallowed || self.out[self.link_start..].contains('[') {
            self.text_start = self.out.len();
            if swallowed && rest.contains('[') {
                self.text(&rest.replace('[', "&#91;"), true);
            } else {
                self.text(rest, true);
            }
        } else {
            self.opaque(rest);
        }
    }

    /// Keeps track of bare addresses in the piece that begins at `piece`: the engines that make links of them let nothing but
    /// blanks and `<` end one, not even a link or code, and so would take a badge for a part of it: `https://x/a[1]`. A new one
    /// may begin from `from` on.
    fn follow_address(&mut self, piece: usize, from: usize, may_begin: bool) {
        let blank = self.out[piece..].rfind(char::is_whitespace).map(|blank| piece + blank);
        self.in_address &= blank.is_none();
        let from = blank.unwrap_or(from);
        if !(self.in_address || may_begin && address_starts(&self.out[from..]).next().is_some()) {
            return;
        }
        let first = if self.in_address { piece } else { from };
        for (at, byte) in self.out.bytes().enumerate().skip(first) {
            if !self.in_address {
                self.in_address = may_begin && begins_address(&self.out.as_bytes()[at..]);
                self.opened = false;
            } else if byte == b'<' {
                self.in_address = self.opened;
            } else {
                self.opened |= b"[({\"'".contains(&byte);
            }
        }
    }

    /// A code span. A bare address would take its opening in, and what it holds could be a badge. Beside emphasis, where that
    /// would cost a comment, the address only ends for code that may hold one. What is `headless` makes no table.
    pub(super) fn code(&mut self, source: &str, headless: bool) {
        if self.in_address && self.definitions && (!self.out.ends_with(EMPHASIS) || source.contains('[')) {
            self.end_address();
        }
        if headless {
            self.in_block(source);
        } else {
            self.opaque(source);
        }
    }

    fn end_address(&mut self) {
        if self.out.ends_with(EMPHASIS) {
            self.out.push_str(EMPTY_COMMENT);
        } else {
            self.out.push(HAIR_SPACE);
        }
        self.in_address = false;
    }

    /// Whether a bare address was begun that nothing has ended.
    pub(super) fn is_in_address(&self) -> bool {
        self.in_address
    }

    /// Keeps what was written from what follows.
    pub(super) fn separate(&mut self) {
        self.out.push(ZERO_WIDTH_SPACE);
        self.run.clear();
    }

    /// Whether what was written last would mean something else right before this byte: backticks and dollars would be one
    /// run, a bracket would have an address or a label, an exclamation mark would make an image of a link, and a word an
    /// entity.
    pub(super) fn fuses_with(&self, next: u8) -> bool {
        match (self.out.as_bytes().last(), next) {
            (Some(last @ (b'`' | b'$')), next) => *last == next,
            (Some(b']'), b'(' | b'{') | (Some(b'!'), b'[') | (Some(b'&'), _) => true,
            (Some(b']'), b'[' | b':') => self.definitions,
            (Some(_), b';') => may_be_entity(&self.out),
            _ => false,
        }
    }

    /// Keeps what follows from being the first in its line, where it would begin another block.
    pub(super) fn keep_from_line_start(&mut self) {
        if self.markdown && self.is_at_line_start() {
            self.separate();
        }
    }

    /// Takes out the bracket before the text of a link, where the text could begin a block or emphasis that it did not, or be one
    /// thing with what stands before.
    pub(super) fn drop_bracket(&mut self, text: &str) {
        if !self.markdown {
            return;
        }
        let next = text.chars().next().unwrap_or_default();
        let before = without_few(&self.out, &EMPHASIS);
        let last = before.chars().next_back();
        let is_behind_blank = last.is_none_or(char::is_whitespace);
        // What delimiters mean hangs on what stands on both sides of them, and the bracket was punctuation.
        let is_beside_emphasis = if before.len() < self.out.len() {
            !next.is_alphanumeric() || !is_behind_blank
        } else {
            EMPHASIS.contains(&next) && !is_behind_blank && !last.is_some_and(|last| last.is_ascii_punctuation())
        };
        if is_beside_emphasis {
            self.out.push_str(ZERO_WIDTH_SPACE_BESIDE_EMPHASIS);
            self.run.clear();
        } else if !next.is_alphabetic() && (self.is_at_line_start() || self.out.ends_with('#'))
            || u8::try_from(next).is_ok_and(|next| self.fuses_with(next))
        {
            self.separate();
        }
    }

    /// Whether the line holds nothing yet that is text.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.is_line_prefix(self.out.len())
    }

    /// Whether the line holds nothing before this place but what may be the prefix of a quote or a list.
    fn is_line_prefix(&self, to: usize) -> bool {
        let line = self.out[..to].chars().rev().take_while(|c| !LINE_ENDS.contains(c));
        line.into_iter().all(|c| " \t>-+*.)0123456789".contains(c))
    }

    /// A line end that readers see, unless it is one already.
    pub(super) fn hard_break(&mut self) {
        let is_hard = self.out.ends_with("  ") || self.out.ends_with('\\');
        if !is_hard && !self.out.is_empty() && !self.out.ends_with('\n') {
            self.truncate(self.out.trim_end_matches(' ').len());
            self.out.push_str("  ");
        }
    }

    /// The bracket of what was an image. Behind `!` it would be one again, behind a backslash none, and behind a bracket the
    /// label of what that holds.
    pub(super) fn link_of_image(&mut self, markdown: bool) {
        if markdown && (self.out.ends_with(['!', '\\']) || self.definitions && self.out.ends_with(']')) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.begin_link("[");
    }

    /// Closes a code fence.
    pub(super) fn close_fence(&mut self, prefix: &str, byte: u8, length: usize) {
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.push_str(prefix);
        self.out.extend(std::iter::repeat_n(char::from(byte), length));
    }

    pub(super) fn badges(&mut self, positions: &[Position]) {
        for position in positions {
            // Directly adjacent badges of one number are one (rule N-07).
            if self.run.contains(position) {
                continue;
            }
            if self.in_address && self.definitions {
                self.end_address();
            } else if self.must_keep_from_badge() {
                self.out.push(ZERO_WIDTH_SPACE);
            }
            if self.run.is_empty() {
                self.run_start = self.out.len();
            }
            let start = self.out.len();
            self.out.push('[');
            position.write_to(&mut self.out);
            self.out.push(']');
            if let Some(places) = &mut self.places {
                places.push(CitedPlace { range: start..self.out.len(), position: *position });
            }
            self.run.push(*position);
            self.in_address = false;
        }
    }

    /// Badges for a marker that to Markdown began and ended with a letter: emphasis beside it keeps its meaning only beside
    /// another character of that kind.
    pub(super) fn badges_for_letters(&mut self, behind: &str, positions: &[Position]) {
        if self.out.ends_with(EMPHASIS) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.badges(positions);
        if behind.starts_with(EMPHASIS) {
            self.separate();
        }
    }

    /// Badges where nothing stood: emphasis that ends behind them between two words goes on seeing a letter before it.
    pub(super) fn badges_in_between(&mut self, behind: &str, positions: &[Position]) {
        let word = behind.trim_start_matches(EMPHASIS);
        let delimiters = behind.len() - word.len();
        let ends_within_a_word = (1..MAX_EMPHASIS - 4).contains(&delimiters)
            && self.out.ends_with(char::is_alphanumeric)
            && word.starts_with(char::is_alphanumeric);
        if self.out.ends_with("]:") {
            // Of `[a]:`, the badge would be the address.
            self.out.push_str(EMPTY_COMMENT);
        }
        self.badges(positions);
        if ends_within_a_word {
            self.separate();
        }
    }

    /// Whether what was written last would change the meaning of a badge right behind it (policy P-09).
    fn must_keep_from_badge(&self) -> bool {
        let before: &[char] = match (self.markdown, self.definitions) {
            (false, _) => &[],
            (true, true) => &['!', ']', '\\'],
            // Without definitions, `![1]` and `[a][1]` are text.
            (true, false) => &['\\'],
        };
        self.out.ends_with(before)
    }

    /// Whether this text would change the meaning of a badge right before it.
    fn must_keep_behind_badge(&self, text: &str) -> bool {
        if !self.markdown {
            return false;
        }
        if self.definitions {
            // Web Chat reads `{aria-label=…}` behind an element as an attribute of it.
            return text.starts_with(['[', '(', ':', '{']);
        }
        // `[1]: x` defines something only at the start of a line.
        text.starts_with('(') || text.starts_with(':') && self.is_line_prefix(self.run_start)
    }

    /// Badges in a paragraph of their own, in the same containers as what stands before.
    pub(super) fn paragraph_of_badges(&mut self, behind: &str, prefix: &str, positions: &[Position]) {
        let blank = prefix.trim_end();
        // Blank lines behind it are taken out.
        let is_first = self.out.is_empty();
        if !is_first && !self.out.ends_with("\n\n") {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            self.out.push_str(blank);
            self.out.push('\n');
        }
        self.out.push_str(prefix);
        self.run.clear();
        self.badges(positions);
        self.run.clear();
        if !behind.is_empty() {
            self.out.push('\n');
            if is_first || !behind.starts_with(['\n', '\r']) {
                self.out.push_str(blank);
                self.out.push('\n');
            }
        }
    }

    /// Takes one blank back, if one stands at the end (rule N-07).
    pub(super) fn take_blank(&mut self) {
        self.truncate(self.out.strip_suffix(' ').unwrap_or(&self.out).len());
    }

    /// Takes a marker out that stood before `behind`, with one space before it, so that nothing around it changes its
    /// meaning. Returns how many bytes of `behind` go with it.
    pub(super) fn vanish(&mut self, behind: &str, private_use: bool) -> usize {
        let next = behind.chars().next();
        let ends_sentence = next.is_none_or(|c| c.is_whitespace() || ".,;:?!)".contains(c));
        let kept = self.out.strip_suffix(' ').unwrap_or(&self.out);
        if kept.is_empty() || kept.ends_with('\n') {
            // At the start of a line: the blank behind goes instead, when a word follows.
            let rest = behind.strip_prefix(' ').unwrap_or(behind);
            if kept.len() == self.out.len() && rest.starts_with(char::is_alphabetic) {
                return behind.len() - rest.len();
            }
        } else if self.markdown
            && ends_sentence
            && is_calm_end(kept, next)
            && (!ends_in_mixed_emphasis(kept) || (kept.len() < self.out.len()) == next.is_none_or(char::is_whitespace))
            && !(kept.len() < self.out.len() && may_be_autolink(kept))
            && !(private_use && self.out.ends_with(EMPHASIS))
        {
            let before = self.out.len();
            // Two blanks at the end of a line would be a line break; where there are two behind it, they are one.
            let behind_blank = behind.strip_prefix(' ').unwrap_or(behind);
            let ends_line = behind_blank.is_empty() || behind_blank.starts_with(LINE_ENDS);
            let length = if ends_line { kept.trim_end_matches(' ').len() } else { kept.len() };
            self.truncate(length);
            if length == before {
                return 0;
            }
            // The blank that is gone had ended it.
            self.in_address = false;
            let look_from = self.out.floor_char_boundary(length.saturating_sub(MAX_WORD_BYTES));
            self.follow_address(look_from, look_from, true);
            return 0;
        }
        if !self.markdown {
            if ends_sentence {
                self.truncate(self.out.strip_suffix(' ').unwrap_or(&self.out).len());
            }
            return 0;
        }
        let beside_emphasis = self.out.ends_with(EMPHASIS) || next.is_some_and(|c| "*_~".contains(c));
        if beside_emphasis && !private_use {
            if self.out.ends_with('\\') {
                // It would escape the entity.
                self.out.push(ZERO_WIDTH_SPACE);
            }
            self.out.push_str(ZERO_WIDTH_SPACE_BESIDE_EMPHASIS);
        } else {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.run.clear();
        0
    }

    /// `[n]` that is text, kept from being taken for a badge; and what the report says of it.
    pub(super) fn number(&mut self, bracket: &str, behind: &str) -> (Kind, &'static str, &'static str) {
        let inner = &bracket[1..bracket.len() - 1];
        let may_be_label = self.run.is_empty() && self.out.ends_with(']') && !behind.starts_with(['[', '(']);
        match self.literal_numbers {
            LiteralNumbers::Escape if may_be_label => {
                // `[a][1]` is text, and so is `[a]` in it; without a bracket behind it, a later definition makes a link of that.
                let digit = inner.find(|c: char| c.is_ascii_digit()).unwrap_or_default();
                self.opaque("[");
                self.opaque(&inner[..digit]);
                self.opaque(&format!("&#{};", inner.as_bytes()[digit]));
                self.opaque(&inner[digit + 1..]);
                self.opaque("]");
            }
            LiteralNumbers::Escape => {
                self.run.clear();
                // Not by backslashes, between which later versions of Web Chat see a formula.
                self.opaque("&#91;");
                self.opaque(inner);
                self.opaque("&#93;");
            }
            LiteralNumbers::Break => {
                self.opaque("[");
                self.out.push(ZERO_WIDTH_SPACE);
                self.opaque(inner);
                self.opaque("]");
            }
            LiteralNumbers::Keep => self.opaque(bracket),
        }
        self.fate()
    }

    /// The number behind an escaped bracket, or one in math.
    pub(super) fn escaped_number(&mut self, bracket: &str, digits: &str) -> (Kind, &'static str, &'static str) {
        self.opaque(bracket);
        if self.literal_numbers == LiteralNumbers::Break {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.opaque(digits);
        self.fate()
    }

    fn fate(&self) -> (Kind, &'static str, &'static str) {
        match self.literal_numbers {
            LiteralNumbers::Escape => (Kind::Neutralised, "escaped", "was escaped so that it does not become a link"),
            LiteralNumbers::Break => (Kind::Neutralised, "broken", "was broken so that it is not taken for a citation"),
            LiteralNumbers::Keep => (Kind::Note, "ambiguous", "looks like the number of a reference"),
        }
    }

    /// Writes a piece, apart from the badges before it where it must be; where it begins, if there was anything to write.
    fn push(&mut self, text: &str) -> Option<usize> {
        if text.is_empty() {
            return None;
        }
        if !self.run.is_empty() && self.must_keep_behind_badge(text) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        if self.markdown && self.out.is_empty() && text.starts_with(BYTE_ORDER_MARK) {
            // What stood before it has gone, and some engines do not see it at the very beginning.
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.run.clear();
        let start = self.out.len();
        let mut rest = text;
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
            self.put(&rest[..end]);
            self.keep_from_table();
            self.out.push_str(&rest[end..=end]);
            rest = &rest[end + 1..];
        }
        self.put(rest);
        Some(start)
    }

    /// Appends what people see of a piece of one line.
    #[inline]
    fn put(&mut self, text: &str) {
        if self.may_hold_unseen { self.put_visible(text) } else { self.out.push_str(text) }
    }

    /// The same for a text that may hold what people do not see. A character reference to such a thing is no reference any more.
    #[cold]
    fn put_visible(&mut self, text: &str) {
        // Whether anyone may draw it as Markdown; who asks for the places of markers may.
        let is_drawn = self.markdown || self.places.is_some();
        let mut rest = text;
        while let Some(end) = memchr::memchr(b';', rest.as_bytes()).filter(|_| is_drawn) {
            self.unseen += push_visible(&mut self.out, &rest[..end], true);
            if ends_in_unseen_reference(&self.out) {
                self.unseen += 1;
                self.out.push(ZERO_WIDTH_SPACE);
            }
            self.out.push(';');
            rest = &rest[end + 1..];
        }
        self.unseen += push_visible(&mut self.out, rest, is_drawn);
    }

    /// The end of a line of code or of a table, as it was.
    pub(super) fn in_block(&mut self, source: &str) {
        let is_in_block = std::mem::replace(&mut self.is_in_block, true);
        self.opaque(source);
        self.is_in_block = is_in_block;
    }

    /// A rule that stands outside of what the line before begins, so that only this line as it stands can be its header.
    pub(super) fn rule(&mut self, source: &str) {
        let before = self.out.strip_suffix('\n').unwrap_or(&self.out);
        let before = before.strip_suffix('\r').unwrap_or(before);
        let line = before.rsplit(LINE_ENDS).next().unwrap_or_default();
        if Table::read(line, source.trim_end_matches(LINE_ENDS)).to_markdown_it {
            self.opaque(source);
        } else {
            self.in_block(source);
        }
    }

    /// Keeps the line that ends here from making a table of itself and the line before, which it is to some engine, and was not
    /// when it was read.
    pub(super) fn keep_from_table(&mut self) {
        let may_be_delimiters = self.out.ends_with(['|', '-', ':', ' ', '\t']);
        if self.markdown && !self.is_in_block && may_be_delimiters && ends_like_table(&self.out) {
            self.separate();
        }
    }
}

/// The last bytes of `://` and `www.`: a piece without them begins no bare address.
const ADDRESS: [bool; 256] = {
    let mut address = [false; 256];
    address[b'/' as usize] = true;
    address[b'.' as usize] = true;
    address
};

/// Where a bare address may begin.
fn address_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).filter(|at| begins_address(&bytes[*at..]))
}

fn begins_address(rest: &[u8]) -> bool {
    rest.starts_with(b"://") || rest.get(..4).is_some_and(|bytes| bytes.eq_ignore_ascii_case(b"www."))
}

/// A longer word is not looked through before a marker that vanished.
const MAX_WORD_BYTES: usize = 2 * 1024;

/// Beyond so many characters of a line, a number and a dot are no list: nine digits, and blanks before them.
const MAX_LIST_NUMBER: usize = 32;

/// Whether `;` behind the text would end an entity: `&copy`.
fn may_be_entity(out: &str) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let name = out.bytes().rev().take(MAX_ENTITY).take_while(is_name).count();
    out[..out.len() - name].ends_with('&')
}

/// No entity has a longer name.
const MAX_ENTITY: usize = 32;

/// Whether the word at the end stands behind `<`: what follows the blank could make a link of the two.
fn may_be_autolink(out: &str) -> bool {
    let from = out.floor_char_boundary(out.len().saturating_sub(MAX_WORD_BYTES));
    out[from..]
        .bytes()
        .rev()
        .find(|byte| byte.is_ascii_whitespace() || *byte == b'<')
        .map_or(from > 0, |byte| byte == b'<')
}

/// Whether what was written can be followed by a blank, the end, or the end of a sentence without meaning something else.
fn is_calm_end(out: &str, next: Option<char>) -> bool {
    if next == Some(';') && may_be_entity(out) {
        return false;
    }
    let word = without_few(out, &EMPHASIS);
    let Some(last) = word.chars().next_back() else { return false };
    if word.len() < out.len() {
        // Closing delimiters behind a word close in either case.
        return last.is_alphanumeric();
    }
    match last {
        // `1` and `.` at the start of a line begin a list.
        '0'..='9' => {
            let may_be_list =
                out.len() <= MAX_LIST_NUMBER || out.chars().rev().take(MAX_LIST_NUMBER).any(|c| LINE_ENDS.contains(&c));
            !((may_be_list || is_list_digits(out)) && matches!(next, Some('.' | ')')))
        }
        // The `!` may go when it begins an image.
        ']' => !matches!(next, Some(':' | '!')),
        // An item without anything in it: some engines take it for text.
        '.' | ')' if is_list_digits(&out[..out.len() - 1]) => false,
        ' ' => {
            let word = without_few(out, &[' ']);
            !word.ends_with(' ') && next.is_none_or(char::is_whitespace) && is_calm_end(word, next)
        }
        c => c.is_alphanumeric() || ".,;?)\"'%”’`$€".contains(c),
    }
}

/// Whether two kinds of delimiters stand at the end. The last of them then stands between punctuation, and a marker behind it
/// lets it open as well as close, which counts where three delimiters meet; a blank behind it does not.
fn ends_in_mixed_emphasis(out: &str) -> bool {
    let delimiters = &out[without_few(out, &EMPHASIS).len()..];
    delimiters.bytes().any(|byte| !delimiters.starts_with(char::from(byte)))
}

/// A text without the few such ASCII characters at its end; more than a few stay, and are looked at by nobody.
fn without_few<'t>(text: &'t str, these: &[char]) -> &'t str {
    let is_one = |byte: &u8| these.contains(&char::from(*byte));
    let count = text.bytes().rev().take(MAX_FEW).take_while(is_one).count();
    &text[..text.len() - count]
}

/// More are not looked past at the end of what was written.
const MAX_FEW: usize = 64;

/// A longer prefix of a line is looked at by nobody.
const MAX_PREFIX: usize = 64;

/// Whether the line holds nothing but digits, behind the prefixes of quotes and lists.
fn is_list_digits(out: &str) -> bool {
    let from = out.floor_char_boundary(out.len().saturating_sub(MAX_PREFIX));
    let line = out[from..].rsplit_once(LINE_ENDS).map_or(if from == 0 { out } else { "" }, |(_, line)| line);
    let prefix = line.trim_end_matches(|c: char| c.is_ascii_digit());
    prefix.len() < line.len()
        && prefix.chars().all(|c| " \t>-+*.)0123456789".contains(c))
        && prefix.chars().next_back().is_none_or(|last| " \t>".contains(last))
}
