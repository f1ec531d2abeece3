//! The brackets of a text that arrives piece by piece: what may be a marker is handed out only whole.
//!
//! This is no second reading of markers. It takes more for a marker than the rewrite does, code and escapes included, and
//! is asked only where taking too much is safe: whether a marker came before its source, and what to leave out of a
//! provisional text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::answer::{MarkerForm, Source, marker_word};
use crate::url::WebUrl;

/// The longest bracket that is waited for. Longer than the longest marker, which the rewrite reads.
const MAX_LABEL_BYTES: usize = 300;

/// The longest address behind a bracket that is waited for.
const MAX_TARGET_BYTES: usize = 2_048;

/// The most numbers that one bracket is taken to name.
const MAX_NUMBERS: usize = 32;

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text without a bracket that may be a marker.
    Text(String),
    /// A bracket.
    Bracket {
        /// With its brackets.
        label: String,
        /// An address in round brackets directly behind it; may be empty.
        target: String,
    },
}

/// Cuts a growing text into pieces.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// A bracket that has not ended.
    open: String,
    numbers: BTreeSet<usize>,
    /// Contents of brackets, in lower case.
    names: BTreeSet<String>,
    /// Where links lead, without query and fragment.
    addresses: BTreeSet<String>,
}

impl Brackets {
    /// Takes the next piece of text; returns what is whole now.
    pub(super) fn push(&mut self, delta: &str) -> Vec<Piece> {
        let mut text = std::mem::take(&mut self.open);
        text.push_str(delta);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(MarkerForm::ALL.map(MarkerForm::open)) {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            match bracket(rest) {
                Extent::Closed { label, target } => {
                    if !plain.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    }
                    let (label, behind) = rest.split_at(label);
                    let (target, behind) = behind.split_at(target);
                    self.remember(label, target);
                    pieces.push(Piece::Bracket { label: label.to_owned(), target: target.to_owned() });
                    rest = behind;
                }
                Extent::None => {
                    let opener = rest.chars().next().map_or(0, char::len_utf8);
                    plain.push_str(&rest[..opener]);
                    rest = &rest[opener..];
                }
                Extent::Open => {
                    rest.clone_into(&mut self.open);
                    rest = "";
                }
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        pieces
    }

    /// Whether a bracket waits for its end.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    fn remember(&mut self, label: &str, target: &str) {
        let address = inner(target).trim_start_matches('<').split([' ', '\n', '>']).next().unwrap_or_default();
        self.addresses.extend(address.parse().ok().as_ref().map(without_query));
        add_numbers(label, &mut self.numbers);
        for name in [label, inner(label)] {
            let name = inner(name).to_lowercase();
            self.names.extend(name.split_once('#').map(|(file, _)| file.to_owned()));
            self.names.extend(name.split(['†', '\u{e202}']).map(|name| name.trim().to_owned()));
            self.names.insert(name);
        }
    }

    /// Whether the text may have named one of these sources before it came; `known` sources stand before them.
    pub(super) fn named_before(&self, known: usize, sources: &[Source]) -> bool {
        if self.names.is_empty() || sources.is_empty() {
            return false;
        }
        let places = known + 1..=known + sources.len();
        let is_named = |source: &Source| self.names_of(source) || self.leads_to(source);
        self.numbers.range(places).next().is_some() || sources.iter().any(is_named)
    }

    fn leads_to(&self, source: &Source) -> bool {
        source.url.as_ref().is_some_and(|url| self.addresses.contains(&without_query(url)))
    }

    fn names_of(&self, source: &Source) -> bool {
        let others = [source.id.as_deref(), source.marker.as_deref().map(inner)].into_iter().flatten();
        let mut names = source.file_names().chain(others.map(Cow::Borrowed));
        // A name with brackets of its own is not looked for, so it counts.
        names.any(|name| name.contains(['[', ']']) || self.names.contains(&name.to_lowercase()))
    }
}

/// The part that all addresses of one document share, whatever counts as tracking.
fn without_query(url: &WebUrl) -> String {
    url.as_str().split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// Whether a bracket could be a marker that a person or a machine wrote for a place: numbers, `doc1`, `Source 1`, `【…】`.
pub(super) fn may_cite(label: &str) -> bool {
    let number = marker_word(inner(label)).map(|(_, rest)| rest.trim_start());
    if number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    if MarkerForm::ALL.into_iter().any(|form| form != MarkerForm::Square && label.contains(form.open())) {
        return true;
    }
    let inner = label.to_lowercase().replace("docs", "").replace("doc", "");
    let is_digit = |c: char| c.is_ascii_digit();
    let is_between = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '\\' | '^' | ',' | '-' | '–');
    inner.contains(is_digit) && inner.chars().all(|c| is_digit(c) || is_between(c))
}

/// The numbers that the brackets of a whole text may name.
pub(super) fn numbers_in(text: &str) -> BTreeSet<usize> {
    let mut brackets = Brackets::default();
    brackets.push(text);
    brackets.numbers
}

/// Adds the numbers that one bracket may name.
fn add_numbers(label: &str, all: &mut BTreeSet<usize>) {
    let numbers = numbers(label);
    if let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) {
        // A range names what lies between its ends.
        all.extend((*least..=*most).take(MAX_NUMBERS));
        all.extend(&numbers);
        if least == &0 {
            // Where counting begins with 0, the places are one further.
            all.extend(numbers.iter().map(|n| n + 1));
        }
    }
}

/// The text between the first and the last character.
fn inner(label: &str) -> &str {
    let mut chars = label.chars();
    chars.next();
    chars.next_back();
    chars.as_str().trim()
}

fn numbers(label: &str) -> Vec<usize> {
    let digits = label.split(|c: char| !c.is_ascii_digit()).filter(|digits| (1..=9).contains(&digits.len()));
    digits.filter_map(|digits| digits.parse().ok()).take(MAX_NUMBERS).collect()
}

enum Extent {
    /// Lengths in bytes.
    Closed { label: usize, target: usize },
    /// No bracket that matters.
    None,
    /// Undecided: the text that follows decides.
    Open,
}

/// Reads the bracket at the beginning of a text.
fn bracket(text: &str) -> Extent {
    let closer = match text.chars().next().and_then(MarkerForm::opened_by) {
        None | Some(MarkerForm::Square) => return square(text),
        Some(form) => form.close(),
    };
    for (at, c) in text.char_indices().take_while(|(at, _)| *at <= MAX_LABEL_BYTES) {
        if c == closer {
            return Extent::Closed { label: at + c.len_utf8(), target: 0 };
        }
    }
    if text.len() > MAX_LABEL_BYTES { Extent::None } else { Extent::Open }
}

/// Reads `[…]`, `[[…]]` and an address behind them.
fn square(text: &str) -> Extent {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(MAX_LABEL_BYTES) {
        match byte {
            b'[' if depth == 2 => return Extent::None,
            b'[' => depth += 1,
            b']' if depth == 1 => return target(text, at + 1),
            b']' => depth -= 1,
            _ => {}
        }
    }
    if text.len() >= MAX_LABEL_BYTES { Extent::None } else { Extent::Open }
}

fn target(text: &str, label: usize) -> Extent {
    match text.as_bytes().get(label) {
        None => Extent::Open,
        Some(b'(') => match text.bytes().skip(label).take(MAX_TARGET_BYTES).position(|byte| byte == b')') {
            Some(at) => Extent::Closed { label, target: at + 1 },
            None if text.len() - label < MAX_TARGET_BYTES => Extent::Open,
            None => Extent::Closed { label, target: 0 },
        },
        Some(_) => Extent::Closed { label, target: 0 },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(pieces: &[Piece]) -> Vec<String> {
        let show = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Bracket { label, target } => format!("<{label}|{target}>"),
        };
        pieces.iter().map(show).collect()
    }

    #[test]
    fn brackets_are_handed_out_whole() {
        let pieces = |text: &str| shown(&Brackets::default().push(text));
        assert_eq!(pieces("a [1] b"), ["a ", "<[1]|>", " b"]);
        assert_eq!(pieces("a [[1]](https://x) b"), ["a ", "<[[1]]|(https://x)>", " b"]);
        assert_eq!(pieces("a 【4:0†s】[x](y)z"), ["a ", "<【4:0†s】|>", "<[x]|(y)>", "z"]);
        assert_eq!(pieces("[[[1]]] "), ["[", "<[[1]]|>", "] "]);
        for held in ["a [", "a [doc", "a [1]", "a [1](http", "a 【1", "a \u{e200}cite"] {
            assert_eq!(pieces(held), ["a "], "{held:?}");
        }
    }

    #[test]
    fn nothing_is_held_back_forever() {
        let mut brackets = Brackets::default();
        for text in [format!("[{}", "x".repeat(400)), format!("【{}", "x".repeat(400)), "[".repeat(1_000)] {
            let pieces = brackets.push(&text);
            assert!(brackets.open.len() <= 2, "{}", brackets.open);
            assert!(matches!(&pieces[..], [Piece::Text(_)]));
        }
        let pieces = brackets.push(&format!("1](http{}", "x".repeat(MAX_TARGET_BYTES)));
        assert!(brackets.open.is_empty() && shown(&pieces).contains(&"<[[1]|>".replace("[[", "[")), "{pieces:?}");
    }

    #[test]
    fn what_may_be_a_marker_of_a_place_is_told_from_names() {
        for label in [
            "[1]", "[ 1 ]", "[1, 2]", "[1–3]", "[doc1]", "[Docs 2]", "[^1^]", "[^1]", "[1\\]", "[[1]]", "【a】", "[S1]",
        ] {
            assert!(may_cite(label), "{label}");
        }
        for label in ["[]", "[ ]", "[x]", "[plan.pdf]", "[km/h]", "[see 1]", "[doc]", "[a1]"] {
            assert!(!may_cite(label), "{label}");
        }
    }

    #[test]
    fn a_source_that_the_text_may_have_named_is_noticed() {
        let source = |id: &str, file: &str| Source {
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            filepath: Some(file.to_owned()).filter(|file| !file.is_empty()),
            ..Source::default()
        };
        let named = |text: &str, known: usize, source: Source| {
            let mut brackets = Brackets::default();
            brackets.push(text);
            brackets.named_before(known, &[source])
        };
        assert!(named("a [2] b", 1, Source::default()));
        assert!(named("a [1-3] b", 1, Source::default()));
        assert!(!named("a [1] b", 1, Source::default()));
        assert!(!named("a 2 b", 1, Source::default()));
        assert!(named("[HR-7] ", 5, source("HR-7", "")));
        assert!(named("[Plan.pdf#page=2](x) ", 5, source("", "hr/plan.pdf")));
        assert!(named("【4:0†plan.pdf】 ", 5, source("", "plan.pdf")));
        assert!(named("\u{e200}cite\u{e202}turn0\u{e201} ", 5, source("turn0", "")));
        assert!(!named("[plan.pdf] ", 5, source("A", "other.pdf")));
        let own = Source { marker: Some("[src]".into()), ..Source::default() };
        assert!(named("a [src] b", 5, own.clone()) && !named("a b", 5, own));
        let page = || Source { url: Some("https://x.example/a?b=1".parse().expect("an address")), ..Source::default() };
        assert!(named("[text](https://X.example/a#c) ", 5, page()));
        assert!(named("[text](<https://x.example/a> 'title') ", 5, page()));
        assert!(!named("[text](https://x.example/b) [text](/a) ", 5, page()));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_cut_does_not_matter(
            parts in prop::collection::vec(
                prop::sample::select(vec!["[", "]", "[1]", "(", ")", "【", "】", "1", "doc", "é", " ", "\u{e200}", "\u{e201}", "\\"]),
                0..40,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        ) {
            let text = parts.concat();
            let joined = |pieces: &[Piece]| -> String {
                pieces.iter().map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Bracket { label, target } => format!("{label}{target}"),
                }).collect()
            };
            let marked = |pieces: &[Piece]| -> Vec<Piece> {
                pieces.iter().filter(|piece| matches!(piece, Piece::Bracket { .. })).cloned().collect()
            };
            let mut whole = Brackets::default();
            let at_once = whole.push(&text);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.retain(|cut| text.is_char_boundary(*cut));
            cuts.sort_unstable();
            let mut pieced = Brackets::default();
            let by_pieces: Vec<Piece> = cuts.windows(2).flat_map(|pair| pieced.push(&text[pair[0]..pair[1]])).collect();
            prop_assert_eq!(joined(&at_once) + &whole.open, text);
            prop_assert_eq!(joined(&by_pieces), joined(&at_once));
            prop_assert_eq!(marked(&by_pieces), marked(&at_once));
            prop_assert_eq!(pieced.open, whole.open);
        }
    }
}
