//! Finds formulas in TeX, as the main branch of Web Chat reads them: `$$…$$`, `\(…\)` and `\[…\]` outside of code.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The longest formula between single dollars that is taken for one, in bytes.
const MAX_INLINE: usize = 200;

/// A formula in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formula {
    /// The byte offset in the text.
    pub(super) start: usize,
    /// True if it has no sign of TeX, so that escaped brackets were meant.
    pub(super) is_escape: bool,
    /// True if it stands between single dollars, which no version reads.
    pub(super) is_inline: bool,
}

/// All formulas of `text` in their order, in linear time.
pub(super) fn find(text: &str) -> Vec<Formula> {
    if !text.contains("$") && !text.contains("\\(") && !text.contains("\\[") {
        return Vec::new();
    }
    let mut reader = Reader { text, found: Vec::new(), open: [None; 4] };
    let mut end = 0;
    for range in prose(text) {
        // Signs of Markdown may stand between two runs of text: a formula goes on behind them.
        reader.read(range.start.max(end)..range.end);
        end = range.end;
    }
    reader.found.sort_by_key(|formula| formula.start);
    reader.found
}

/// The byte ranges of text outside of code, each with the backslashes before it.
fn prose(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut in_code = false;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(text, options).into_offset_iter();
    events.filter_map(move |(event, range)| {
        if matches!(event, Event::Start(Tag::CodeBlock(_)) | Event::End(TagEnd::CodeBlock)) {
            in_code = !in_code;
        }
        let Event::Text(_) = event else { return None };
        let before = text[..range.start].bytes().rev().take_while(|byte| *byte == b'\\').take(2).count();
        (!in_code).then(|| range.start - before..range.end)
    })
}

/// The kinds of delimiters.
#[derive(Clone, Copy)]
enum Kind {
    Dollars,
    Parentheses,
    Brackets,
    Dollar,
}

struct Reader<'t> {
    text: &'t str,
    found: Vec<Formula>,
    /// The start of the open formula of each kind.
    open: [Option<usize>; 4],
}

impl Reader<'_> {
    fn read(&mut self, range: Range<usize>) {
        let bytes = self.text.as_bytes();
        let mut at = range.start;
        while at < range.end {
            match (bytes[at], bytes.get(at + 1).copied()) {
                (b'\\', Some(b'(')) => self.begin(Kind::Parentheses, at),
                (b'\\', Some(b'[')) => self.begin(Kind::Brackets, at),
                (b'\\', Some(b')')) => self.close(Kind::Parentheses, at),
                (b'\\', Some(b']')) => self.close(Kind::Brackets, at),
                (b'$', Some(b'$')) => {
                    if self.open[Kind::Dollars as usize].is_some() {
                        self.close(Kind::Dollars, at);
                    } else {
                        self.begin(Kind::Dollars, at);
                    }
                }
                (b'$', next) => {
                    self.dollar(at, next);
                    at += 1;
                    continue;
                }
                (b'\\', Some(_)) => {}
                _ => {
                    at += 1;
                    continue;
                }
            }
            at += 2;
        }
    }

    fn begin(&mut self, kind: Kind, at: usize) {
        self.open[kind as usize] = Some(at);
    }

    fn close(&mut self, kind: Kind, at: usize) {
        let Some(start) = self.open[kind as usize].take() else { return };
        let inner = self.text.get(start + 2..at).unwrap_or_default();
        if inner.trim().is_empty() {
            return;
        }
        let is_escape = matches!(kind, Kind::Parentheses | Kind::Brackets) && !is_tex(inner) && is_prose(inner);
        self.found.push(Formula { start, is_escape, is_inline: false });
    }

    /// A single dollar opens before a sign and closes behind one, unless a digit follows, and only around signs of TeX.
    fn dollar(&mut self, at: usize, next: Option<u8>) {
        let before = self.text[..at].bytes().next_back().unwrap_or(b' ');
        let open = self.open[Kind::Dollar as usize];
        if let Some(start) = open
            && !before.is_ascii_whitespace()
            && !next.is_some_and(|next| next.is_ascii_digit())
            && at - start <= MAX_INLINE
        {
            let inner = self.text.get(start + 1..at).unwrap_or_default();
            self.open[Kind::Dollar as usize] = None;
            if is_tex(inner) && !inner.contains('\n') {
                self.found.push(Formula { start, is_escape: false, is_inline: true });
            }
        } else if next.is_some_and(|next| !next.is_ascii_whitespace()) {
            self.open[Kind::Dollar as usize] = Some(at);
        }
    }
}

/// Whether a text is a number, or has a word and no sign of mathematics.
fn is_prose(text: &str) -> bool {
    let is_word = |word: &str| word.len() >= 3 && word.chars().all(char::is_alphabetic);
    text.bytes().all(|byte| byte.is_ascii_digit())
        || text.split_whitespace().any(is_word) && !text.contains(['=', '+', '<', '>'])
}

/// Whether a text has a sign that only TeX has: a command, an exponent or an index.
fn is_tex(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(2).any(|pair| match pair {
        [b'\\', next] => next.is_ascii_alphabetic(),
        [b'^' | b'_', next] => next.is_ascii_alphanumeric() || matches!(next, b'{' | b'\\' | b'(' | b'-'),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str) -> Vec<usize> {
        find(text).iter().map(|formula| formula.start).collect()
    }

    #[test]
    fn formulas_are_found_where_they_stand() {
        assert_eq!(starts("a \\(x\\) b $$y$$"), [2, 10]);
        assert_eq!(starts("1. a:\n    $$\n    x & y \\\\\n    $$\n"), [10]);
        assert_eq!(starts("a \\[\\sum_{n=1}^\\infty a_n\\] b"), [2]);
        assert_eq!(starts("the $x^2$ is $a_n$"), [4, 13]);
    }

    #[test]
    fn prices_and_escapes_are_no_formulas() {
        for text in
            ["$5 and $6", "$5_000 and $6_000", "\\\\(x\\\\)", "\\(", "$$", "$HOME_DIR and $PATH_X", "a\\$b^2\\$"]
        {
            assert_eq!(starts(text), [] as [usize; 0], "{text}");
        }
        assert!(find("a \\[see the note\\] b")[0].is_escape && find("a \\[8\\] b")[0].is_escape);
        assert!(!find("a \\[x^2 + 1\\] b")[0].is_escape && !find("a \\(x + y\\) b")[0].is_escape);
    }
}
