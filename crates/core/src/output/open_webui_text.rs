//! The text from which Open WebUI draws badges: `[n]` is the n-th source, and no other bracket may look like it.
//!
//! In a message with sources, Open WebUI takes every bracket with a number outside code for a marker, and removes it if no
//! source has the number. A backslash does not prevent this, because `\[1\]` is a formula there. An invisible character
//! behind the bracket does (`docs/guides/open-webui.md`).

use std::collections::BTreeMap;
use std::ops::Range;

use super::numbered::{Numbered, source_of};
use crate::cite::{CitedPlace, CitedText, Opaque, OpaqueKind};

/// Invisible, and not a line break: it separates two characters that together would mean something else.
const WORD_JOINER: char = '\u{2060}';

/// Ends a bare address, which would otherwise include the badge behind it.
const HAIR_SPACE: char = '\u{200a}';

/// The longest bracket that may be a marker, in bytes.
pub(super) const MAX_BRACKET_BYTES: usize = 1024;

/// The longest address of a definition that may hold a badge, in bytes.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// The text with badge numbers: a source at place `order[n - 1]` gets the number n.
pub(super) fn badge_text(numbered: &Numbered<'_>, order: &[usize]) -> String {
    let mut writer = BadgeWriter {
        numbers: order.iter().enumerate().map(|(at, source)| (*source, at + 1)).collect(),
        out: String::with_capacity(numbered.cited.text.len() + 64),
        ..BadgeWriter::default()
    };
    writer.run(NumberedText::of(&numbered.cited), numbered.cited.text.len());
    writer.out
}

/// A text in which numbers cite sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedText<'t> {
    pub(super) text: &'t str,
    /// The numbers that cite sources, in order.
    pub(super) cited: &'t [CitedPlace],
    /// Where a bracket is no text, in order.
    pub(super) opaque: &'t [Opaque],
}

impl<'t> NumberedText<'t> {
    pub(super) fn of(CitedText { text, places, opaque, .. }: &'t CitedText) -> Self {
        Self { text, cited: places, opaque }
    }

    /// Whether a bracket here is no text.
    pub(super) fn is_opaque(&self, at: usize) -> bool {
        let begun = self.opaque.partition_point(|part| part.range.start <= at);
        self.opaque[..begun].last().is_some_and(|part| at < part.range.end)
    }

    /// Whether a bare address ends here.
    fn ends_address(&self, at: usize) -> bool {
        let begun = self.opaque.partition_point(|part| part.range.start < at);
        let last = self.opaque[..begun].last();
        last.is_some_and(|part| part.kind == OpaqueKind::BareAddress && part.range.end == at)
    }

    /// Whether the colon behind a label would make a definition whose address is a badge: such a line is not shown. `None` while
    /// the rest of its line has not arrived.
    pub(super) fn hides_badge(&self, colon: usize, is_whole: bool) -> Option<bool> {
        if !self.text[..colon].ends_with(']') || self.is_opaque(colon) || !self.is_first_in_line(colon - 1) {
            return Some(false);
        }
        let limit = self.text.ceil_char_boundary(colon + MAX_ADDRESS_BYTES);
        let behind = self.text[..limit].get(colon + 1..).unwrap_or_default();
        let next = behind.trim_start_matches([' ', '\t']);
        let next = next
            .strip_prefix("\r\n")
            .or_else(|| next.strip_prefix(['\n', '\r']))
            .map_or(next, |line| line.trim_start_matches(is_line_prefix));
        let begin = limit - next.len();
        let (address, rest) = next.split_at(next.find(char::is_whitespace).unwrap_or(next.len()));
        let first = self.cited.partition_point(|place| place.range.start < begin);
        let holds_badge = self.cited.get(first).is_some_and(|place| place.range.start < begin + address.len());
        // Only a title may follow in the line.
        let rest = rest.trim_start_matches([' ', '\t']);
        let is_told = !rest.is_empty() || is_whole || limit < self.text.len();
        is_told.then(|| holds_badge && (rest.is_empty() || rest.starts_with(['\n', '\r', '"', '\'', '('])))
    }

    /// Whether the bracket that closes here was opened at the beginning of its line.
    fn is_first_in_line(&self, close: usize) -> bool {
        let from = self.text.floor_char_boundary(close.saturating_sub(MAX_BRACKET_BYTES));
        let Some(open) = self.text[from..close].rfind(['[', ']']).map(|at| from + at) else { return false };
        self.text[open..].starts_with('[') && begins_line(&self.text[..open])
    }
}

/// Writes the text with badges from start to end.
#[derive(Debug, Default)]
pub(super) struct BadgeWriter {
    /// The badge number of each source by its place in the list. A new source gets the next number.
    numbers: BTreeMap<usize, usize>,
    /// How many bytes of the text were read.
    read: usize,
    /// How many of its cited places were read.
    cited: usize,
    /// The byte range of the last badge in the output.
    last_badge: Option<Range<usize>>,
    out: String,
}

impl BadgeWriter {
    /// The output so far.
    pub(super) fn written(&self) -> &str {
        &self.out
    }

    /// How many bytes of the text were read.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    /// How many of its cited places were read.
    pub(super) fn cited(&self) -> usize {
        self.cited
    }

    /// The places of the cited sources, in the order of their badge numbers.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<(usize, usize)> = self.numbers.iter().map(|(source, number)| (*number, *source)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, source)| source).collect()
    }

    /// Reads on up to `end`, which must not be inside a bracket that may be a marker.
    pub(super) fn run(&mut self, numbered: NumberedText<'_>, end: usize) {
        while let Some(place) = numbered.cited.get(self.cited).filter(|place| place.range.end <= end) {
            self.text(numbered, self.read, place.range.start);
            if let Some(source) = source_of(place) {
                let next = self.numbers.len() + 1;
                let number = *self.numbers.entry(source).or_insert(next);
                self.badge(numbered, number, place.range.start);
            }
            self.read = place.range.end;
            self.cited += 1;
        }
        self.text(numbered, self.read, end);
        self.read = end.max(self.read);
    }

    /// Copies the text up to `end` unchanged.
    pub(super) fn pass(&mut self, text: &str, end: usize) {
        self.out.push_str(&text[self.read..end]);
        self.read = end;
    }

    /// Writes text between badges. A bracket that Open WebUI would take for a marker is separated by a word joiner.
    fn text(&mut self, numbered: NumberedText<'_>, from: usize, to: usize) {
        let text = numbered.text;
        self.keep_behind_badge(&text[from..to]);
        let mut written = from;
        while let Some(at) = text[written..to].find('[').map(|at| written + at) {
            self.copy(numbered, written, at + 1);
            written = at + 1;
            let Some(inner) = bracket(&text[written..to]) else { continue };
            if !is_marker(inner.strip_suffix('\\').unwrap_or(inner)) || numbered.is_opaque(at) {
                continue;
            }
            let is_escaped = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            if let Some(number) = inner.strip_suffix('\\').filter(|_| is_escaped) {
                // `\[9\]`: the author wants visible brackets.
                self.out.truncate(self.out.len() - "\\[".len());
                if self.is_behind_badge() {
                    self.out.push(WORD_JOINER);
                }
                // The word joiners make this label differ from that of an unescaped number, which may have a definition.
                self.out.extend(['[', WORD_JOINER]);
                self.out.push_str(number);
                self.out.extend([WORD_JOINER, ']']);
                written += inner.len() + 1;
                if text[written..].starts_with(['(', '[', ':']) {
                    // The escaped bracket was not a link label, and stays none.
                    self.out.push(WORD_JOINER);
                }
            } else {
                if text[..at].ends_with(']') && text[written + inner.len()..].starts_with("](") {
                    // In `[a][9](https://…)`, a definition of 9 would make a link of the two brackets, and text of the address.
                    self.out.insert(self.out.len() - "[".len(), WORD_JOINER);
                }
                self.out.push(WORD_JOINER);
            }
        }
        self.copy(numbered, written, to);
    }

    /// Copies text and breaks definitions that would hide a badge.
    fn copy(&mut self, numbered: NumberedText<'_>, from: usize, to: usize) {
        let text = numbered.text;
        let mut written = from;
        let colons = text[from..to].match_indices(':').map(|(at, _)| from + at);
        for colon in colons.filter(|colon| numbered.hides_badge(*colon, true) == Some(true)) {
            self.out.push_str(&text[written..colon]);
            if !self.out.ends_with(WORD_JOINER) {
                self.out.push(WORD_JOINER);
            }
            written = colon;
        }
        self.out.push_str(&text[written..to]);
    }

    /// Writes a badge, separated from text before it that would change its meaning. Adjacent badges stay together, because
    /// Open WebUI draws them as one.
    fn badge(&mut self, numbered: NumberedText<'_>, number: usize, start: usize) {
        let beside_badge = self.is_behind_badge();
        if !beside_badge && numbered.ends_address(start) {
            self.out.push(HAIR_SPACE);
        } else if !beside_badge && self.out.ends_with(['\\', '!', ']']) {
            self.out.push(WORD_JOINER);
        }
        let badge = self.out.len();
        self.out.push_str(&format!("[{number}]"));
        self.last_badge = Some(badge..self.out.len());
    }

    fn is_behind_badge(&self) -> bool {
        self.last_badge.as_ref().is_some_and(|badge| badge.end == self.out.len())
    }

    /// Separates text from a badge right before it: a bracket would make both a link, and a colon would make both a
    /// definition, which is not shown.
    fn keep_behind_badge(&mut self, text: &str) {
        let Some(badge) = self.last_badge.clone().filter(|_| self.is_behind_badge()) else { return };
        if text.starts_with(['[', '(']) || text.starts_with(':') && begins_line(&self.out[..badge.start]) {
            self.out.push(WORD_JOINER);
        }
    }
}

/// Whether nothing but marks of lists and quotes precedes in the line.
fn begins_line(before: &str) -> bool {
    let line = before.trim_end_matches(is_line_prefix);
    line.is_empty() || line.ends_with(['\n', '\r'])
}

/// Whether a character may precede the content of a line: quote marks, list marks, blanks.
fn is_line_prefix(c: char) -> bool {
    " \t>-+*.)0123456789".contains(c)
}

/// The content of a bracket that was just opened; `None` if it does not close within [`MAX_BRACKET_BYTES`].
pub(super) fn bracket(rest: &str) -> Option<&str> {
    let end = rest.floor_char_boundary(MAX_BRACKET_BYTES);
    rest[..end].split_once(']').map(|(inner, _)| inner)
}

/// Whether Open WebUI takes a bracket with this content for a marker (rule OW-03): `1`, `1, 2`, `1#part`.
pub(super) fn is_marker(inner: &str) -> bool {
    let is_item = |item: &str| {
        let rest = item.trim().trim_start_matches(|c: char| c.is_ascii_digit());
        rest.is_empty() || rest.starts_with('#')
    };
    inner.starts_with(|c: char| c.is_ascii_digit()) && inner.split(',').all(is_item)
}

#[cfg(test)]
mod tests {
    use crate::answer::{Answer, MarkerGrammar, Source};
    use crate::output::{OpenWebUiOptions, open_webui};

    fn content(text: &str, grammar: MarkerGrammar) -> String {
        let source = |name: &str| Source { title: Some(name.into()), ..Source::default() };
        let answer =
            Answer { text: text.into(), sources: ["A", "B", "C"].map(source).into(), grammar, ..Answer::default() };
        open_webui(&answer, &OpenWebUiOptions::default()).content.replace('\u{2060}', "~").replace('\u{200a}', "_")
    }

    fn numbers(text: &str) -> String {
        content(text, MarkerGrammar::BRACKETED_NUMBERS)
    }

    #[test]
    fn numbers_count_the_cited_sources_by_first_appearance() {
        assert_eq!(numbers("x [3] y [1], z [3][2]"), "x [1] y [2], z [1][3]");
        assert_eq!(numbers("x [2, 3]. y [3#p]"), "x [1][2]. y [2]");
        assert_eq!(content("x 【3】 \u{e200}c\u{e202}nobody\u{e201}.", MarkerGrammar::ALL), "x [1].");
    }

    /// Trap 3: in a message with sources, a bracketed number without a source vanishes.
    #[test]
    fn a_number_without_a_source_stays_visible() {
        assert_eq!(numbers("x [1] y [9] arr[0] [9][2] [1, 9]"), "x [1] y [~9] arr[~0] [~9]~[2] [1]");
        assert_eq!(numbers("x [1] [7#a] [007]"), "x [1] [~7#a] [~007]");
        assert_eq!(numbers("x [1] [9;2]"), "x [1] [2]", "the number without a source is reported");
        // Open WebUI does not take these for markers, so they stay.
        for same in ["[^9]", "[doc9]", "[9-2]", "[ 9 ]", "[9†x]", "[9", "[x9]", "[]", "[2019 report]"] {
            assert_eq!(numbers(&format!("x [1] {same}")), format!("x [1] {same}"));
        }
    }

    #[test]
    fn a_number_that_is_no_marker_of_the_format_is_no_badge() {
        let azure = |text: &str| content(text, MarkerGrammar::AZURE_ON_YOUR_DATA);
        assert_eq!(azure("x [doc2], see [1] and [doc9]"), "x [1], see [~1] and [doc9]");
    }

    /// Trap 4: a backslash makes a formula, and an entity is shown as typed.
    #[test]
    fn an_escaped_number_is_shown_with_its_brackets() {
        assert_eq!(numbers("x [1] \\[2\\] \\[9, 1\\] \\\\[9] \\[x\\]"), "x [1] [~2~] [~9, 1~] \\\\[~9] \\[x\\]");
        assert_eq!(content("\\【1】", MarkerGrammar::ALL), "\\~[1]");
    }

    #[test]
    fn nothing_in_code_math_html_or_an_address_is_changed() {
        for same in [
            "`a[0]` [1]",
            "```\na[0]\n```\n[1]",
            "    a[0]\n\n[1]",
            "$a[0]$ [1]",
            "<b id=\"[0]\"> [1]",
            "[a](https://x/[0]) <https://x/[0]> https://x/[0] [1]",
        ] {
            assert_eq!(numbers(same), same);
        }
    }

    /// Trap 5: Open WebUI never draws `[1](url)` as a link.
    #[test]
    fn a_link_on_a_number_stays_a_link() {
        assert_eq!(numbers("[7](https://x) [see [8]](https://y) [1]"), "[~7](https://x) [see [~8]](https://y) [1]");
        assert_eq!(numbers("[a][9] [1]\n\n[9]: https://x"), "[a][~9] [1]\n\n[~9]: https://x");
    }

    #[test]
    fn a_badge_is_kept_from_what_would_take_it_in() {
        assert_eq!(numbers("see https://x/a[1]. www.x/b[2][1]"), "see https://x/a_[1]. www.x/b_[2][1]");
        assert_eq!(numbers("(https://x/a)[1][9] https://x/[9]"), "(https://x/a)_[1]~[~9] https://x/[9]");
        // A link in what is no definition any more is no bare address.
        assert_eq!(numbers("[^1]: [a](https://x/[0])[7#p][1]"), "[^1]~: [a](https://x/[0])[~7#p]~[1]");
        // Stars in an address begin no emphasis that could end the next one.
        assert_eq!(numbers("(https://x/a)**b\n(https://x/a)**[1]"), "(https://x/a)**b\n(https://x/a)**_[1]");
        assert_eq!(numbers("[a](https://x)[1] Great![2]"), "[a](https://x)[1] Great!~[2]");
        assert_eq!(numbers("[a][1]"), "[a]~[1]");
        // The line could be read as a definition, which is not shown.
        assert_eq!(numbers("[1]: a b\n\n> - [2]: b [3]: c"), "[1]~: a b\n\n> - [2]~: b [3]: c");
    }

    /// `[9]: [1, 2]` defines nothing, because of the blank; `[9]: [1][2]` would.
    #[test]
    fn a_badge_is_not_the_address_of_a_definition() {
        assert_eq!(numbers("[9]: [1, 2]\n\n> [a]:\n> [3, 1]"), "[~9]~: [1][2]\n\n> [a]~:\n> [3][1]");
        assert_eq!(numbers("[7#p]: [7#p][2, 1]"), "[~7#p]~: [~7#p]~[1][2]");
        assert_eq!(numbers("[9]: /u\n\n[9]: [7#p][2, 1]"), "[~9]: /u\n\n[~9]~: [~7#p]~[1][2]");
        assert_eq!(numbers("[1]: https://x/a[2, 1]"), "[1]~: https://x/a_[2][1]");
        assert_eq!(numbers("see [a]: [1]"), "see [a]: [1]");
        // Two equal badges become one, which would be a label.
        assert_eq!(numbers("[1][1]: [7#p][7#p]"), "[1]~: [~7#p][~7#p]");
        assert_eq!(numbers("[1][1]: https://x/[7]"), "[1]~: https://x/[7]");
    }

    #[test]
    fn without_a_source_nothing_is_touched() {
        assert_eq!(numbers("x [9] arr[0] \\[1\\]"), "x [9] arr[0] \\[1\\]");
    }
}
