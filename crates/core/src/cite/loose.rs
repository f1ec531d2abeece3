//! Parses markers that stand in no square brackets: `^1^`, `¹`, `##0$$`, `(source 1)`, `turn0file0` (policy P-01).

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::marker::{self, Marker, Numbers};
use crate::answer::MarkerGrammar;

/// The beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Loose<'t> {
    /// A marker of this length in bytes.
    Marker(Marker<'t>, usize),
    /// Digits between `##` and `$$`: places from 0.
    Hashes(usize, usize),
    /// A beginning that may become a marker when more text comes.
    Open,
    Nothing,
}

/// A longer marker is text.
const MAX_BYTES: usize = 80;

/// Reads what a text begins with; its first byte is one of those that open such a marker. `before` is the text before it, and
/// `goes_on` says that more text may follow.
pub(super) fn read<'t>(before: &str, text: &'t str, goes_on: bool, grammar: &MarkerGrammar) -> Loose<'t> {
    match text.as_bytes().first() {
        Some(b'#') if !before.ends_with('#') => hashes(text, goes_on),
        Some(b'^') if !before.ends_with('[') => between_carets(before, text, goes_on, grammar),
        Some(b'(') => in_parentheses(text, '(', ')', goes_on),
        Some(0xef) if text.starts_with('（') => in_parentheses(text, '（', '）', goes_on),
        Some(0xc2 | 0xe2) => raised(before, text, goes_on, grammar),
        _ => Loose::Nothing,
    }
}

/// Reads `##0$$`.
fn hashes(text: &str, goes_on: bool) -> Loose<'_> {
    let Some(rest) = text.strip_prefix("##") else {
        return if text == "#" && goes_on { Loose::Open } else { Loose::Nothing };
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &rest[digits..];
    if goes_on && digits < 10 && matches!(behind, "" | "$") {
        return Loose::Open;
    }
    match marker::from_zero(&rest[..digits]) {
        Some(n) if behind.starts_with("$$") => Loose::Hashes(n, 2 + digits + 2),
        _ => Loose::Nothing,
    }
}

/// Whether a text ends with the beginning of `##0$$`, so that the dollars behind it open no math.
pub(super) fn ends_in_hashes(text: &str) -> bool {
    let near = &text.as_bytes()[text.len().saturating_sub(12)..];
    let digits = near.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && near[..near.len() - digits].ends_with(b"##")
}

/// Reads `^1^` and `^1,2^`.
fn between_carets<'t>(before: &str, text: &'t str, goes_on: bool, grammar: &MarkerGrammar) -> Loose<'t> {
    let inner = &text[1..];
    let is_inner = |c: char| c.is_ascii_digit() || ", -–".contains(c);
    let end = inner.find(|c| !is_inner(c)).unwrap_or(inner.len());
    if end == inner.len() || end + 1 == inner.len() && inner.ends_with('^') {
        let may_be = end < MAX_BYTES && inner.starts_with(|c: char| c.is_ascii_digit()) || inner.is_empty();
        if goes_on && may_be && !is_exponent(before) {
            return Loose::Open;
        }
    }
    let Some(behind) = inner[end..].strip_prefix('^').filter(|_| end < MAX_BYTES) else { return Loose::Nothing };
    let numbers = marker::numbers(&inner[..end], grammar);
    of_numbers(before, numbers, end + 2, behind)
}

/// Reads `¹`, `¹²` and `¹,²`.
fn raised<'t>(before: &str, text: &'t str, goes_on: bool, grammar: &MarkerGrammar) -> Loose<'t> {
    let mut digits = String::new();
    let mut length = 0;
    for c in text.chars().take(MAX_BYTES / 2) {
        let Some(plain) = raised_digit(c).or_else(|| (c == ',' && length > 0).then_some(',')) else { break };
        digits.push(plain);
        length += c.len_utf8();
    }
    if length == 0 {
        return Loose::Nothing;
    }
    // A comma behind the last digit belongs to the sentence.
    let without = digits.trim_end_matches(',').len();
    if goes_on && length == text.len() && !is_exponent(before) {
        return Loose::Open;
    }
    length -= digits.len() - without;
    of_numbers(before, marker::numbers(&digits[..without], grammar), length, &text[length..])
}

/// The digit of a raised digit, and the dash of a raised sign.
fn raised_digit(c: char) -> Option<char> {
    match c {
        '¹' => Some('1'),
        '²' => Some('2'),
        '³' => Some('3'),
        '⁰' | '⁴'..='⁹' => char::from_digit(u32::from(c).wrapping_sub(0x2070), 10),
        '⁻' => Some('-'),
        _ => None,
    }
}

/// A marker of raised numbers, if they are no exponent and no letter follows them.
fn of_numbers<'t>(before: &str, numbers: Option<Numbers>, length: usize, behind: &str) -> Loose<'t> {
    let is_part = behind.starts_with(|c: char| c.is_ascii_alphanumeric() || raised_digit(c).is_some() || c == '⁺');
    match numbers {
        Some(numbers) if !is_part && !is_exponent(before) => Loose::Marker(Marker::Numbers(numbers), length),
        _ => Loose::Nothing,
    }
}

/// Whether a raised number behind this text may be an exponent: behind a digit, a sign, one or two letters (`x²`, `km²`), a
/// unit or a function.
pub(super) fn is_exponent(before: &str) -> bool {
    let closing = |c: char| matches!(c, ')' | ']' | '}' | '*' | '_' | '~' | ' ' | '\u{a0}' | '\u{200b}');
    let text = before.trim_end_matches(closing);
    let near = &text[text.floor_char_boundary(text.len().saturating_sub(MAX_BYTES))..];
    let word = near.len() - near.trim_end_matches(char::is_alphabetic).len();
    let word = &near[near.len() - word..];
    if word.is_empty() {
        let last = near.chars().next_back();
        return last.is_some_and(|c| c.is_numeric() || "+-−=/\\^$<>⁺⁻".contains(c));
    }
    let lower = word.to_lowercase();
    word.chars().nth(2).is_none() || UNITS.contains(&&*lower) || METERS.iter().any(|meter| lower.ends_with(meter))
}

/// Units and functions of three letters or more that stand before exponents, in lower case.
const UNITS: [&str; 27] = [
    "sec", "min", "mol", "rad", "deg", "sin", "cos", "tan", "cot", "log", "exp", "lim", "inch", "inches", "foot",
    "feet", "yard", "yards", "mile", "miles", "second", "seconds", "khz", "mhz", "ghz", "kpa", "mpa",
];

/// The ends of units of length.
const METERS: [&str; 7] = ["meter", "meters", "metre", "metres", "metro", "metros", "mètres"];

/// Reads `(source 1)`.
fn in_parentheses(text: &str, open: char, close: char, goes_on: bool) -> Loose<'_> {
    let inner = &text[open.len_utf8()..];
    if !inner.starts_with(char::is_alphabetic) {
        return if inner.is_empty() && goes_on { Loose::Open } else { Loose::Nothing };
    }
    let near = &inner[..inner.floor_char_boundary(MAX_BYTES)];
    let Some(end) = near.find([open, close, '[', '\n']) else {
        let may_be = goes_on && near.len() == inner.len() && marker::may_be_in_parentheses(inner);
        return if may_be { Loose::Open } else { Loose::Nothing };
    };
    let inside = &inner[..end];
    // Most parentheses hold prose without numbers and names.
    let may_name = inside.bytes().any(|byte| byte.is_ascii_digit() || byte == b':') || inside.contains('：');
    match may_name.then(|| marker::worded(inside)).flatten() {
        Some(Marker::Word(worded)) if worded.in_parentheses && inner[end..].starts_with(close) => {
            Loose::Marker(Marker::Word(worded), open.len_utf8() + end + close.len_utf8())
        }
        _ => Loose::Nothing,
    }
}

/// A searcher for such names. Every piece of text is searched, so it is built once.
static TURN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("turn"));

/// The length of the shortest name, `turn0a0`.
const MIN_TURN: usize = 7;

/// Whether a text may hold a name like `turn0file0`.
pub(super) fn may_name_turns(text: &str) -> bool {
    TURN.find(text.as_bytes()).is_some()
}

/// The first name like `turn0file0` in a text, with the words before it that a machine wrote: its range, and the names in it.
/// `goes_on` says that the last name may go on behind the text.
pub(super) fn find_turn(text: &str, goes_on: bool) -> Option<(std::ops::Range<usize>, Loose<'_>)> {
    if !goes_on && text.len() < MIN_TURN {
        return None;
    }
    let mut from = 0;
    while let Some(found) = TURN.find(&text.as_bytes()[from..]).map(|at| from + at) {
        let start = without_verbs(&text[..found]);
        let is_word = text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\u{e202}'));
        let (names, length) = turns(&text[found..]);
        let end = found + length;
        if !is_word && goes_on && end == text.len() && may_be_turn(&text[found..]) {
            return Some((start..end, Loose::Open));
        }
        if !is_word && !names.is_empty() && !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Some((start..end, Loose::Marker(Marker::Machine(names), end - start)));
        }
        from = found + 4;
    }
    let begun = goes_on.then(|| begun_turn(text)).flatten()?;
    Some((begun..text.len(), Loose::Open))
}

/// The start of a word at the end that may become such a name.
fn begun_turn(text: &str) -> Option<usize> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().rev().take(16).take_while(is_letter).count();
    let word = &text[text.len() - length..];
    let begins = |verb: &str| match word.strip_prefix(verb) {
        Some(rest) => "turn".starts_with(rest),
        None => verb.starts_with(word),
    };
    let is_begun = length > 0 && ("turn".starts_with(word) || VERBS.iter().any(|verb| begins(verb)));
    is_begun.then_some(text.len() - length)
}

/// The length of the text without the verb that ChatGPT writes before names.
fn without_verbs(text: &str) -> usize {
    VERBS.iter().find_map(|verb| text.strip_suffix(verb)).unwrap_or(text).len()
}

/// The verbs before names, the longer ones first.
const VERBS: [&str; 4] = ["filecite", "navlist", "cite", "news"];

/// The names `turn0file0` that a text begins with, and their length with a name that has not ended.
fn turns(text: &str) -> (Vec<&str>, usize) {
    let (mut names, mut at) = (Vec::new(), 0);
    while let Some(length) = turn(&text[at..]) {
        names.push(&text[at..at + length]);
        at += length;
    }
    let rest = &text[at..];
    let begun = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_begun = "turn".starts_with(&rest[..begun.min(4)]) && begun > 0 && at + begun == text.len();
    (names, at + if is_begun { begun } else { 0 })
}

/// The length of the name that a text begins with: `turn`, digits, letters, digits.
fn turn(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("turn")?;
    let count = |text: &str, is: fn(&u8) -> bool| text.bytes().take_while(is).count();
    let number = count(rest, u8::is_ascii_digit);
    let kind = count(&rest[number..], u8::is_ascii_lowercase);
    // The next name begins right behind this one.
    let place = count(rest.get(number + kind..)?, u8::is_ascii_digit);
    (number > 0 && kind > 0 && place > 0).then_some(4 + number + kind + place)
}

/// Whether a text that has not ended is the beginning of such names.
fn may_be_turn(text: &str) -> bool {
    text.len() < MAX_BYTES && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'t>(before: &str, text: &'t str, goes_on: bool) -> Loose<'t> {
        super::read(before, text, goes_on, &MarkerGrammar::ALL)
    }

    fn numbers(numbers: &[usize], length: usize) -> Loose<'static> {
        Loose::Marker(Marker::Numbers(numbers.into()), length)
    }

    #[test]
    fn raised_numbers_are_markers_behind_words_and_sentences() {
        for before in
            ["Leave is thirty days", "Leave.", "days ", "", "(paid)", "**days**", "„Urlaub“", "日です。", "5 %"]
        {
            assert_eq!(read(before, "¹", false), numbers(&[1], 2), "{before}");
            assert_eq!(read(before, "^1,2^ x", false), numbers(&[1, 2], 5), "{before}");
        }
        assert_eq!(read("days", "¹²,³, so", false), numbers(&[12, 3], 7));
    }

    #[test]
    fn an_exponent_is_no_marker() {
        for before in ["10", "30 m", "km", "x", "(a+b)", "10^6", "cos", "square meters", "30 ", "n −", "E=mc"] {
            assert_eq!(read(before, "²", false), Loose::Nothing, "{before}");
            assert_eq!(read(before, "^2^", false), Loose::Nothing, "{before}");
        }
        for text in ["²³⁵U", "^2^x", "⁻¹", "²⁺", "^a^", "^^", "’", "§"] {
            assert_eq!(read("days", text, false), Loose::Nothing, "{text}");
        }
    }

    #[test]
    fn a_marker_that_may_go_on_is_open() {
        for text in
            ["#", "##", "##0", "##0$", "^", "^1", "^1,", "^1^", "¹", "(", "(sour", "(source ", "(Source 1", "（来"]
        {
            assert_eq!(read("days ", text, true), Loose::Open, "{text}");
            assert_eq!(matches!(read("days ", text, false), Loose::Marker(..)), matches!(text, "^1^" | "¹"), "{text}");
        }
        for text in ["# a", "##a", "^a", "(sources of", "(then", "’"] {
            assert_eq!(read("days ", text, true), Loose::Nothing, "{text}");
        }
        assert_eq!(read("days ", "##12$$.", true), Loose::Hashes(12, 6));
        assert!(ends_in_hashes("a ##12") && !ends_in_hashes("a #12") && !ends_in_hashes("##"));
    }

    #[test]
    fn names_of_turns_are_found_without_their_brackets() {
        let found = |text| find_turn(text, false).map(|(range, _)| text[range].to_owned());
        assert_eq!(found("a fileciteturn0file0 b").as_deref(), Some("fileciteturn0file0"));
        assert_eq!(found("a citeturn1view0turn2search3.").as_deref(), Some("citeturn1view0turn2search3"));
        assert_eq!(found("a return0file0 turn0file0").as_deref(), Some("turn0file0"));
        assert_eq!(found("turn left, turn0, turn0file, turn0file0x"), None);
        let names = find_turn("citeturn1view0turn2search3", false).map(|(_, loose)| loose);
        assert_eq!(names, Some(Loose::Marker(Marker::Machine(vec!["turn1view0", "turn2search3"]), 26)));
        for open in ["a turn", "a citeturn1", "turn0file0", "turn0file0tu"] {
            assert!(matches!(find_turn(open, true), Some((_, Loose::Open))), "{open}");
        }
    }
}
