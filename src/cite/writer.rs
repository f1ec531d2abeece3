//! The rewritten text: badges where markers stood, and every other byte as it was, but for what would now mean something
//! else (policies P-05 and P-09).

use std::ops::Range;

use super::mark::{Change, Mark};
use super::structure::{Ink, OpenFence, Structure};
use super::{LiteralNumbers, Position, Rules};

/// Nothing to see; keeps two constructs apart that would fuse.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Nothing to see either; to Markdown it begins and ends with punctuation, as a marker does, so that emphasis beside it
/// keeps its meaning.
const ZERO_WIDTH_SPACE_BESIDE_EMPHASIS: &str = "&#8203;";

/// Ends a bare address for every engine; the zero-width space would become part of it.
const HAIR_SPACE: char = '\u{200a}';

/// Ends a bare address where a blank would change the emphasis beside it.
const EMPTY_COMMENT: &str = "<!---->";

/// What opens and closes emphasis and strikethrough.
const EMPHASIS: [char; 3] = ['*', '_', '~'];

/// Writes one text from start to end.
pub(super) struct Writer<'w> {
    text: &'w str,
    structure: &'w Structure,
    rules: &'w Rules,
    /// The numbers of the claims, ascending; a bracket in the text that equals one must not be taken for it.
    labels: Vec<Position>,
    out: String,
    /// The badges at the very end of what was written.
    run: Vec<Position>,
    /// Where they begin.
    run_start: usize,
    /// Whether a bare address was begun that no blank and no `<` has ended.
    in_address: bool,
    /// What must be closed before anything can follow.
    open_fence: Option<OpenFence>,
    literal_numbers: Vec<(usize, String)>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(
        text: &'w str,
        structure: &'w Structure,
        rules: &'w Rules,
        labels: Vec<Position>,
        open_fence: Option<OpenFence>,
    ) -> Self {
        let out = String::with_capacity(text.len() + 96 * labels.len() + 64);
        let (run, literal_numbers) = (Vec::new(), Vec::new());
        Self { text, structure, rules, labels, out, run, run_start: 0, in_address: false, open_fence, literal_numbers }
    }

    pub(super) fn write(&mut self, marks: &[(Mark, Vec<Position>)]) {
        let mut at = 0;
        for (mark, positions) in marks {
            self.literal(at..mark.range.start);
            at = mark.range.end;
            match mark.change {
                Change::Cite(_) if !self.rules.markdown => self.badges(positions),
                Change::Cite(_) if self.is_private_use(&mark.range) => self.badges_for_letters(at, positions),
                Change::Cite(_) if mark.range.is_empty() => self.badges_in_between(at, positions),
                Change::Cite(_) => self.badges(positions),
                Change::CiteBehindBlock(_) => self.paragraph_of_badges(at, positions),
                Change::Vanish => at += self.vanish(at, self.is_private_use(&mark.range)),
                Change::Separate => self.out.push(ZERO_WIDTH_SPACE),
            }
        }
        self.literal(at..self.text.len());
    }

    /// The text, and the brackets that look like badges with their places.
    pub(super) fn finish(mut self) -> (String, Vec<(usize, String)>) {
        if self.rules.close_fence {
            self.close_fence();
        }
        (self.out, self.literal_numbers)
    }

    fn close_fence(&mut self) {
        if let Some(fence) = self.open_fence.take() {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            self.out.push_str(&fence.closing);
        }
    }

    fn badges(&mut self, positions: &[Position]) {
        for position in positions {
            // Directly adjacent badges of one number are one (rule N-07).
            if self.run.contains(position) {
                continue;
            }
            if self.in_address && self.rules.definitions {
                if self.out.ends_with(EMPHASIS) {
                    self.out.push_str(EMPTY_COMMENT);
                } else {
                    self.out.push(HAIR_SPACE);
                }
            } else if self.must_keep_from_badge() {
                self.out.push(ZERO_WIDTH_SPACE);
            }
            if self.run.is_empty() {
                self.run_start = self.out.len();
            }
            self.out.push_str(&format!("[{position}]"));
            self.run.push(*position);
            self.in_address = false;
        }
    }

    fn is_private_use(&self, range: &Range<usize>) -> bool {
        self.text[range.clone()].starts_with('\u{e200}')
    }

    /// Badges for a marker that to Markdown began and ended with a letter: emphasis beside it keeps its meaning only beside
    /// another character of that kind.
    fn badges_for_letters(&mut self, at: usize, positions: &[Position]) {
        if self.out.ends_with(EMPHASIS) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.badges(positions);
        if self.text[at..].starts_with(EMPHASIS) {
            self.out.push(ZERO_WIDTH_SPACE);
            self.run.clear();
        }
    }

    /// Badges where nothing stood: emphasis that ends behind them between two words goes on seeing a letter before it.
    fn badges_in_between(&mut self, at: usize, positions: &[Position]) {
        let behind = self.text[at..].trim_start_matches(EMPHASIS);
        let ends_within_a_word = behind.len() < self.text.len() - at
            && self.out.ends_with(char::is_alphanumeric)
            && behind.starts_with(char::is_alphanumeric);
        self.badges(positions);
        if ends_within_a_word {
            self.out.push(ZERO_WIDTH_SPACE);
            self.run.clear();
        }
    }

    /// Whether what was written last would change the meaning of a badge right behind it (policy P-09).
    fn must_keep_from_badge(&self) -> bool {
        let before: &[char] = match (self.rules.markdown, self.rules.definitions) {
            (false, _) => &[],
            (true, true) => &['!', ']', '\\'],
            // Without definitions, `![1]` and `[a][1]` are text.
            (true, false) => &['\\'],
        };
        self.out.ends_with(before)
    }

    /// Whether this text would change the meaning of a badge right before it.
    fn must_keep_behind_badge(&self, text: &str) -> bool {
        if !self.rules.markdown {
            return false;
        }
        if self.rules.definitions {
            // Web Chat reads `{aria-label=…}` behind an element as an attribute of it.
            return text.starts_with(['[', '(', ':', '{']);
        }
        // `[1]: x` defines something only at the start of a line.
        let starts_line = || {
            let before = self.out[..self.run_start].chars().rev().take_while(|c| *c != '\n');
            before.into_iter().all(|c| " \t>-+*.)0123456789".contains(c))
        };
        text.starts_with('(') || text.starts_with(':') && starts_line()
    }

    fn paragraph_of_badges(&mut self, at: usize, positions: &[Position]) {
        if self.open_fence.as_ref().is_some_and(|fence| at >= self.text.len() && fence.start < at) {
            self.close_fence();
        }
        while !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.run.clear();
        self.badges(positions);
        if at < self.text.len() {
            self.out.push_str(if self.text[at..].starts_with(['\n', '\r']) { "\n" } else { "\n\n" });
            self.run.clear();
        }
    }

    /// Takes a marker out that stood before `at`, with one space before it, so that nothing around it changes its meaning.
    /// Returns how many bytes behind it go with it.
    fn vanish(&mut self, at: usize, private_use: bool) -> usize {
        let next = self.text[at..].chars().next();
        let ends_sentence = next.is_none_or(|c| c.is_whitespace() || ".,;:?!)".contains(c));
        let kept = self.out.strip_suffix(' ').unwrap_or(&self.out);
        if kept.is_empty() || kept.ends_with('\n') {
            // At the start of a line: the blank behind goes instead, when a word follows.
            let rest = self.text[at..].strip_prefix(' ').unwrap_or(&self.text[at..]);
            if kept.len() == self.out.len() && rest.starts_with(char::is_alphabetic) {
                return self.text.len() - at - rest.len();
            }
        } else if self.rules.markdown
            && ends_sentence
            && is_calm_end(kept, next)
            && !(private_use && self.out.ends_with(EMPHASIS))
        {
            let line_ends = next.is_none_or(|c| matches!(c, '\n' | '\r'));
            // Two blanks at the end of a line would be a line break.
            let length = if line_ends { kept.trim_end_matches(' ').len() } else { kept.len() };
            self.out.truncate(length);
            // The blank that is gone had ended it.
            let look_from = self.out.floor_char_boundary(length.saturating_sub(MAX_ADDRESS_BYTES));
            let word = &self.out[look_from..];
            let word = &word[word.rfind(ends_address).unwrap_or(0)..];
            self.in_address = address_starts(word).next().is_some();
            return 0;
        }
        if !self.rules.markdown {
            if ends_sentence {
                self.out.truncate(self.out.strip_suffix(' ').unwrap_or(&self.out).len());
            }
            return 0;
        }
        let beside_emphasis = self.out.ends_with(EMPHASIS) || next.is_some_and(|c| "*_~".contains(c));
        if beside_emphasis && !private_use {
            self.out.push_str(ZERO_WIDTH_SPACE_BESIDE_EMPHASIS);
        } else {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.run.clear();
        0
    }

    /// Text as it was; brackets that equal a label are kept from being taken for badges (policies P-02, P-05).
    fn literal(&mut self, range: Range<usize>) {
        let mut from = range.start;
        if !self.labels.is_empty() {
            let mut search = from;
            while let Some(found) = self.text[search..range.end].find('[') {
                let at = search + found;
                search = at + 1;
                let close = match self.rules.literal_numbers {
                    LiteralNumbers::Escape => self.would_link(at, range.end),
                    LiteralNumbers::Break | LiteralNumbers::Keep => self.would_match(at, range.end),
                };
                let Some(close) = close else { continue };
                let inner = &self.text[at + 1..close];
                self.literal_numbers.push((at, self.text[at..=close].replace('\\', "")));
                search = close + 1;
                match self.rules.literal_numbers {
                    LiteralNumbers::Escape => {
                        self.push(from..at);
                        self.run.clear();
                        self.out.push_str("\\[");
                        self.out.push_str(inner);
                        self.out.push_str("\\]");
                        from = search;
                    }
                    LiteralNumbers::Break => {
                        self.push(from..at + 1);
                        self.out.push(ZERO_WIDTH_SPACE);
                        from = at + 1;
                    }
                    LiteralNumbers::Keep => {}
                }
            }
        }
        self.push(from..range.end);
    }

    /// Where the bracket at `at` closes, when a reader who looks for `[n]` outside of code would take it for a badge. An
    /// escaped bracket is one to whoever looks at the drawn text, and so is one in math that is not drawn as such.
    fn would_match(&self, at: usize, end: usize) -> Option<usize> {
        let in_math = || {
            let math = self.structure.math.get(self.structure.math.partition_point(|math| math.end <= at));
            math.is_some_and(|math| math.contains(&at))
        };
        if !(matches!(self.structure.ink(at), Ink::Text | Ink::LinkText) || in_math()) {
            return None;
        }
        let inner = &self.text[at + 1..end];
        let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let behind = inner[digits..].strip_prefix('\\').unwrap_or(&inner[digits..]);
        let label: u32 = inner[..digits].parse().ok()?;
        let is_claim = self.labels.binary_search_by_key(&label, |label| label.get()).is_ok();
        (is_claim && behind.starts_with(']')).then(|| end - behind.len())
    }

    /// Where the bracket at `at` closes, when its label is one that the message defines.
    fn would_link(&self, at: usize, end: usize) -> Option<usize> {
        let visible = |at| matches!(self.structure.ink(at), Ink::Text | Ink::LinkText);
        if !visible(at) || self.structure.is_escaped(self.text, at) {
            return None;
        }
        let mut label: u64 = 0;
        for (place, byte) in self.text.bytes().enumerate().take(end).skip(at + 1) {
            match byte {
                b']' if visible(place) => {
                    let defined = self.labels.binary_search_by_key(&label, |label| u64::from(label.get()));
                    return defined.is_ok().then_some(place);
                }
                b'0'..=b'9' if label < u64::from(u32::MAX) => label = label * 10 + u64::from(byte - b'0'),
                _ if byte.is_ascii_whitespace() => {}
                // The prefix of a quote, where the label goes on in the next line.
                b'>' if !visible(place) => {}
                _ => return None,
            }
        }
        None
    }

    fn push(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        if text.is_empty() {
            return;
        }
        if !self.run.is_empty() && self.must_keep_behind_badge(text) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        self.run.clear();
        self.out.push_str(text);
        self.follow_address(range);
    }

    /// Keeps track of bare addresses: the engines that make links of them let nothing but blanks and `<` end one, not even
    /// a link or code, and so would take a badge for a part of it: `https://x/a[1]`.
    fn follow_address(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let ended = text.rfind(ends_address);
        self.in_address &= ended.is_none();
        let from = ended.unwrap_or(0);
        let begins = |at: usize| self.structure.ink(range.start + from + at) == Ink::Text;
        self.in_address |= address_starts(&text[from..]).any(begins);
    }
}

fn ends_address(c: char) -> bool {
    c.is_whitespace() || c == '<'
}

/// Where a bare address may begin.
fn address_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let is_start = |at: &usize| match bytes[*at] {
        b':' => bytes[*at..].starts_with(b"://"),
        b'w' | b'W' => bytes.get(*at..*at + 4).is_some_and(|bytes| bytes.eq_ignore_ascii_case(b"www.")),
        _ => false,
    };
    (0..bytes.len()).filter(is_start)
}

/// A longer address is not looked for before a marker that vanished.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// Beyond so many characters of a line, a number and a dot are no list: nine digits, and blanks before them.
const MAX_LIST_NUMBER: usize = 32;

/// Whether what was written can be followed by a blank, the end, or the end of a sentence without meaning something else.
fn is_calm_end(out: &str, next: Option<char>) -> bool {
    let word = out.trim_end_matches(EMPHASIS);
    let Some(last) = word.chars().next_back() else { return false };
    if word.len() < out.len() {
        // Closing delimiters behind a word close in either case.
        return last.is_alphanumeric();
    }
    match last {
        // `1` and `.` at the start of a line begin a list.
        '0'..='9' => {
            let may_be_list =
                out.len() <= MAX_LIST_NUMBER || out.chars().rev().take(MAX_LIST_NUMBER).any(|c| c == '\n');
            !(may_be_list && matches!(next, Some('.' | ')')))
        }
        ']' => next != Some(':'),
        // An item without anything in it: some engines take it for text.
        '.' | ')' if is_list_number(out) => false,
        ' ' => next.is_none_or(char::is_whitespace) && is_calm_end(out.trim_end_matches(' '), next),
        c => c.is_alphanumeric() || ".,;?)\"'%”’`$€".contains(c),
    }
}

/// Whether the line holds nothing but `1.`, behind the prefix of a quote or a list.
fn is_list_number(out: &str) -> bool {
    let from = out.floor_char_boundary(out.len().saturating_sub(MAX_LIST_NUMBER));
    let line = out[from..].rsplit_once('\n').map_or(if from == 0 { out } else { "" }, |(_, line)| line);
    let number = line.trim_start_matches([' ', '\t', '>', '-', '+', '*']).strip_suffix(['.', ')']);
    number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
