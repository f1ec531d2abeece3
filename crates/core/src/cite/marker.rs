//! Parses the text in brackets as a citation marker (policy P-01). The resolver finds its sources later.

use smallvec::{SmallVec, smallvec};

use crate::answer::{First, MARKER_ROWS, MarkerForm, MarkerGrammar, MarkerRow, NumberMeaning, Reads, marker_word};

/// The longest text between the brackets of a marker, in bytes. Past it, the bracket is text, streamed or not.
pub(super) const MAX_INNER_BYTES: usize = 256;

/// The most numbers that one bracket may name, counted with its ranges.
const MAX_NUMBERS: usize = 20;

/// The numbers in one bracket, nearly always one or two.
pub(super) type Numbers = SmallVec<[usize; 2]>;

/// A parsed marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Marker<'t> {
    /// Numbers as a person would write them: `[1]`, `[1, 2]`, `[1-3]`.
    Numbers(Numbers),
    /// Numbers in a form that only a machine writes: `[doc1]`, `【1】`.
    Documents(Numbers),
    /// Ids or names, in a form that only a machine writes: U+E200, `【4:0†name】`.
    Machine(Vec<&'t str>),
    /// A footnote: `[^1]`.
    Footnote(usize),
    /// A word and what it counts or names: `[Source 1]`, `[source:plan.pdf]`.
    Word(Worded<'t>),
    /// A bracket that may name a source by id or file.
    Name(&'t str),
    /// A bracket that may be the end of a source's id.
    NameEnd(&'t str),
}

/// A marker whose row has words. It is a marker only if each of its items names a source of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Worded<'t> {
    pub(super) first: First,
    /// Whether parentheses may stand around it instead of brackets.
    pub(super) in_parentheses: bool,
    /// The text of the marker, which may be the id of a source as well.
    pub(super) whole: &'t str,
    pub(super) items: SmallVec<[Item<'t>; 2]>,
}

/// The thing that a word counts or names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'t> {
    /// A number, and the item as written, which may be an id as well: `S1`.
    Number(usize, &'t str),
    /// An id, a file name or a title.
    Name(&'t str),
}

impl Marker<'_> {
    /// Whether only a machine writes this form: unresolved, it vanishes (policy P-05).
    pub(super) fn is_machine_made(&self) -> bool {
        matches!(self, Self::Documents(_) | Self::Machine(_))
    }

    /// Whether the bracket is a marker only if a source has this name.
    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Word(_) | Self::Name(_) | Self::NameEnd(_))
    }

    /// Whether the bracket reads like a marker, whatever the sources are. A word alone may be a title.
    pub(super) fn looks_like_one(&self) -> bool {
        match self {
            Self::Name(_) | Self::NameEnd(_) => false,
            Self::Word(worded) => worded.items.iter().any(|item| matches!(item, Item::Number(..))),
            Self::Numbers(_) | Self::Documents(_) | Self::Machine(_) | Self::Footnote(_) => true,
        }
    }
}

/// Parses the text between the brackets of a form. `None` when it is no marker of this grammar.
pub(super) fn read<'t>(form: MarkerForm, inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    match form {
        MarkerForm::Square | MarkerForm::FullWidth => in_square_brackets(inner, grammar),
        MarkerForm::Lenticular => in_lenticular_brackets(inner, grammar),
        MarkerForm::PrivateUse => in_private_use(inner, grammar),
    }
}

/// Parses the text between `[` and `]`.
pub(super) fn in_square_brackets<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    if grammar.exact_documents {
        let digits = inner.strip_prefix("doc").and_then(whole_number);
        return digits.map(|n| Marker::Documents(smallvec![n])).or_else(|| worded(inner.trim()));
    }
    let inner = inner.trim();
    if grammar.numbers {
        if inner.starts_with('^') {
            return raised_or_footnote(inner, grammar);
        }
        let number = number(grammar);
        let without_fragment = |item: &str| number(item.split_once('#').map_or(item, |(item, _)| item.trim_end()));
        let numbers = if grammar.fragments { list(inner, without_fragment) } else { list(inner, number) };
        if let Some(numbers) = numbers {
            return Some(Marker::Numbers(numbers));
        }
        if let Some(marker) = with_dagger(inner, grammar) {
            return Some(marker);
        }
    }
    if grammar.documents
        && let Some(numbers) = list(inner, document)
    {
        return Some(Marker::Documents(numbers));
    }
    let name = || if grammar.name_ends { Marker::NameEnd(inner) } else { Marker::Name(inner) };
    worded(inner).or_else(|| (grammar.names && inner.len() >= 2).then(name))
}

/// Parses `^1`, `^1^` and `^1^, ^2^`.
fn raised_or_footnote<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    if inner.ends_with('^') {
        let raised = |item: &str| number(grammar)(item.strip_prefix('^').unwrap_or(item).trim_end_matches('^'));
        return list(inner, raised).map(Marker::Numbers);
    }
    let n = number(grammar)(&inner[1..])?;
    grammar.footnotes.then_some(Marker::Footnote(n))
}

/// The sign between place and name, and the one that models also write for it.
const DAGGERS: [char; 2] = ['†', '↑'];

/// Parses `1†source` and `4:0†plan.pdf`, which models write for `【…】`. People do not, but the text stays if no source has the
/// number or name.
fn with_dagger<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    let (place, name) = inner.split_once(DAGGERS)?;
    match place.split_once(':') {
        Some((message, n)) => {
            whole_number(message.trim()).and(whole_number(n.trim()))?;
            Some(Marker::Name(name.trim()))
        }
        None => Some(Marker::Numbers(smallvec![number(grammar)(place.trim())?])),
    }
}

/// Parses the text between `【` and `】`.
fn in_lenticular_brackets<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    let inner = inner.trim();
    in_lenticular_numbers(inner, grammar).or_else(|| worded(inner.split(DAGGERS).next().unwrap_or(inner).trim_end()))
}

fn in_lenticular_numbers<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    if !grammar.lenticular {
        return None;
    }
    if grammar.lenticular_places
        && let Some(numbers) = list(inner, |item| number(grammar)(item).or_else(|| document(item)))
    {
        return Some(Marker::Documents(numbers));
    }
    let (place, name) = inner.split_once(DAGGERS)?;
    match place.split_once(':') {
        Some((message, n)) => {
            whole_number(message.trim()).and(whole_number(n.trim()))?;
            Some(Marker::Machine(vec![name.trim()]))
        }
        None => {
            let n = whole_number(place.trim())?;
            // Where annotations tell the source, a marker without one names nothing.
            Some(if grammar.lenticular_places { Marker::Documents(smallvec![n]) } else { Marker::Machine(Vec::new()) })
        }
    }
}

/// Parses the text between U+E200 and U+E201: a verb and names, separated by U+E202.
fn in_private_use<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    grammar.private_use.then(|| Marker::Machine(inner.split('\u{e202}').skip(1).map(str::trim).collect()))
}

/// Parses a word and what it counts or names: `Source 1`, `S1, S2`, `Sources 1 and 2`, `source:plan.pdf`.
pub(super) fn worded(inner: &str) -> Option<Marker<'_>> {
    let text = SEE.iter().find_map(|see| inner.strip_prefix(see)).unwrap_or(inner).trim_start();
    let (row, rest) = marker_word(text)?;
    let items = counted_items(text, row).or_else(|| {
        let is_named = text[..text.len() - rest.len()].contains([':', '：']);
        is_named.then(|| smallvec![Item::Name(rest)])
    })?;
    let in_parentheses = row.reads == Reads::WordInParentheses;
    Some(Marker::Word(Worded { first: row.first, in_parentheses, whole: inner, items }))
}

/// Whether a text that has not ended may become a marker with a word, in parentheses.
pub(super) fn may_be_in_parentheses(inner: &str) -> bool {
    let lower = inner.to_lowercase();
    let rows = MARKER_ROWS.iter().filter(|row| row.reads == Reads::WordInParentheses);
    let is_begun = |word: &str| word.starts_with(&*lower);
    let goes_on = |word: &str, between: &str| {
        let Some(behind) = lower.strip_prefix(word) else { return false };
        let rest = behind.trim_start_matches(|c| between.contains(c));
        let names = behind[..behind.len() - rest.len()].contains([':', '：']);
        rest.is_empty() || names || rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_word = rows.into_iter().any(|row| row.words.iter().any(|word| is_begun(word) || goes_on(word, row.between)));
    is_word || SEE.iter().any(|see| is_begun(see) || lower.starts_with(&see.to_lowercase()))
}

/// Parses `1`, `1,2` and `1-3`.
pub(super) fn numbers(text: &str, grammar: &MarkerGrammar) -> Option<Numbers> {
    list(text, number(grammar))
}

/// How a format writes a number. `[0]` is a marker only where places count from 0, or where it may be an id.
fn number(grammar: &MarkerGrammar) -> fn(&str) -> Option<usize> {
    match grammar.meaning {
        NumberMeaning::Places => counted,
        NumberMeaning::PlacesFromZero | NumberMeaning::Ids => from_zero,
    }
}

/// Words that send a reader to the source behind them.
const SEE: [&str; 8] = ["see ", "See ", "siehe ", "Siehe ", "vgl. ", "cf. ", "参见", "见"];

/// Words and signs between the last two items of a list.
const AND: [&str; 7] = [" and ", " und ", " y ", " et ", " e ", "和", "と"];

/// The numbers of a marker with words. Each item may repeat a word of the row.
fn counted_items<'t>(text: &'t str, row: &'static MarkerRow) -> Option<SmallVec<[Item<'t>; 2]>> {
    let mut items = SmallVec::new();
    let last_two = |part: &'t str| match AND.iter().find_map(|and| part.split_once(and)) {
        Some((one, other)) => [Some(one), Some(other)],
        None => [Some(part), None],
    };
    for part in text.split(is_between).flat_map(last_two).flatten() {
        let part = part.trim();
        let rest = match marker_word(part) {
            Some((again, rest)) if std::ptr::eq(again, row) => rest.trim(),
            Some(_) => return None,
            None => part,
        };
        match rest.split_once(DASHES) {
            None => items.push(Item::Number(from_zero(rest)?, part)),
            Some((from, to)) => {
                let to = marker_word(to.trim()).map_or(to, |(_, to)| to);
                items.extend(range(from_zero(from.trim())?, from_zero(to.trim())?)?.map(|n| Item::Number(n, "")));
            }
        }
        if items.len() > MAX_NUMBERS {
            return None;
        }
    }
    Some(items)
}

/// A place in a source behind its number: `, p. 3`. Returns the text before it and its length; `None` when the text ends with
/// no such place.
pub(super) fn before_locator(inner: &str) -> Option<(&str, usize)> {
    if inner.len() > MAX_LOCATED {
        return None;
    }
    let ends = inner.match_indices([',', ';', '，', '、', ':', ' ']);
    ends.filter(|(_, sign)| *sign != " ").chain(inner.match_indices(' ')).find_map(|(at, sign)| {
        let is_there = is_locator(inner[at + sign.len()..].trim_start());
        (at > 0 && is_there).then(|| (&inner[..at], inner.len() - at))
    })
}

/// A longer text in brackets is read without its place.
const MAX_LOCATED: usize = 80;

/// The words before the number of a page, section or line, in lower case.
const LOCATORS: [&str; 26] = [
    "p", "pp", "pg", "page", "pages", "s", "seite", "seiten", "§", "§§", "sec", "section", "ch", "chapter", "kap",
    "art", "article", "para", "line", "lines", "fig", "table", "slide", "página", "pág", "第",
];

fn is_locator(text: &str) -> bool {
    let digit = text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let (word, number) = text.split_at(digit);
    let word = word.trim_end_matches(['.', ' ', '\u{a0}']).to_lowercase();
    let is_number = |c: char| c.is_alphanumeric() || " .,-–()".contains(c);
    digit > 0 && LOCATORS.contains(&&*word) && number.chars().all(is_number)
}

/// A list of numbers and ranges, all in the form that `read` takes.
fn list(inner: &str, read: impl Fn(&str) -> Option<usize>) -> Option<Numbers> {
    if let Some(number) = read(inner) {
        return Some(smallvec![number]);
    }
    let mut numbers = Numbers::new();
    for item in inner.split(is_between) {
        let item = item.trim();
        match item.split_once(DASHES) {
            None => numbers.push(read(item)?),
            Some((from, to)) => {
                let (from, to) = (read(from.trim())?, to.trim());
                let to = read(to).or_else(|| counted(to))?;
                numbers.extend(range(from, to)?);
            }
        }
        if numbers.len() > MAX_NUMBERS {
            return None;
        }
    }
    Some(numbers)
}

/// Whether a character parts the items of a list.
fn is_between(c: char) -> bool {
    matches!(c, ',' | ';' | '，' | '；' | '、')
}

/// The signs between the ends of a range.
pub(super) const DASHES: [char; 4] = ['-', '–', '—', '\u{2011}'];

/// A range of numbers, if a person would write it.
fn range(from: usize, to: usize) -> Option<std::ops::RangeInclusive<usize>> {
    (from < to && to - from < MAX_NUMBERS).then_some(from..=to)
}

/// `doc1`, `docs1`, `doc 1`, in any case.
fn document(item: &str) -> Option<usize> {
    let rest = item.get(..3).filter(|doc| doc.eq_ignore_ascii_case("doc")).map(|_| &item[3..])?;
    whole_number(rest.strip_prefix(['s', 'S']).unwrap_or(rest).trim_start())
}

/// A number as people count: from 1, without leading zeros.
pub(super) fn counted(digits: &str) -> Option<usize> {
    if digits.starts_with('0') { None } else { whole_number(digits) }
}

/// A number as programs count: from 0, without leading zeros.
pub(super) fn from_zero(digits: &str) -> Option<usize> {
    if digits == "0" { Some(0) } else { counted(digits) }
}

fn whole_number(digits: &str) -> Option<usize> {
    if (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(digits.bytes().fold(0, |number, digit| number * 10 + usize::from(digit - b'0')));
    }
    let is_wide = digits.starts_with(|c| ('０'..='９').contains(&c));
    if is_wide { whole_number(&digits.chars().map(half_width).collect::<String>()) } else { None }
}

/// `1` for `１`, which Chinese and Japanese keyboards write.
fn half_width(c: char) -> char {
    let value = u32::from(c).wrapping_sub(u32::from('０'));
    char::from_digit(value, 10).unwrap_or('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(inner: &str) -> Option<Marker<'_>> {
        in_square_brackets(inner, &MarkerGrammar::ALL)
    }

    #[test]
    fn the_whole_vocabulary_is_read() {
        let numbers = |numbers: &[usize]| Some(Marker::Numbers(numbers.into()));
        let documents = |numbers: &[usize]| Some(Marker::Documents(numbers.into()));
        assert_eq!(square("1"), numbers(&[1]));
        assert_eq!(square(" 12 "), numbers(&[12]));
        assert_eq!(square("1, 2,3"), numbers(&[1, 2, 3]));
        assert_eq!(square("1-3, 7"), numbers(&[1, 2, 3, 7]));
        assert_eq!(square("1–3"), numbers(&[1, 2, 3]));
        assert_eq!(square("^1^"), numbers(&[1]));
        assert_eq!(square("^1"), Some(Marker::Footnote(1)));
        assert_eq!(square("doc1"), documents(&[1]));
        assert_eq!(square("DOCS2"), documents(&[2]));
        assert_eq!(square("doc 3"), documents(&[3]));
        assert_eq!(square("doc1, doc2"), documents(&[1, 2]));
        assert_eq!(square("plan.pdf#page=2"), Some(Marker::Name("plan.pdf#page=2")));
        let all = MarkerGrammar::ALL;
        assert_eq!(in_lenticular_brackets("1", &all), documents(&[1]));
        assert_eq!(in_lenticular_brackets("3†source", &all), documents(&[3]));
        assert_eq!(in_lenticular_brackets("3↑source", &all), documents(&[3]));
        assert_eq!(in_lenticular_brackets("4:0†plan.pdf", &all), Some(Marker::Machine(vec!["plan.pdf"])));
        assert_eq!(in_private_use("cite\u{e202}turn0search1", &all), Some(Marker::Machine(vec!["turn0search1"])));
    }

    #[test]
    fn what_only_looks_like_a_marker_is_none() {
        for inner in [" ", "x", "0", "", ","] {
            assert_eq!(square(inner), None, "{inner:?}");
        }
        // A range too long for a person to write, or one that runs backwards, is a name that no source has.
        for inner in ["01", "1-99", "3-1", "1800-2024", "km/h", "1,", "a, b"] {
            assert_eq!(square(inner), Some(Marker::Name(inner)), "{inner:?}");
        }
        assert_eq!(in_lenticular_brackets("note", &MarkerGrammar::ALL), None);
    }

    #[test]
    fn a_number_in_brackets_is_no_footnote_and_may_have_a_fragment() {
        let numbers = MarkerGrammar::BRACKETED_NUMBERS;
        assert_eq!(in_square_brackets("1, 3#part", &numbers), Some(Marker::Numbers(smallvec![1, 3])));
        assert_eq!(in_square_brackets("^1", &numbers), None);
        assert_eq!(in_square_brackets("doc1", &numbers), None);
        assert_eq!(square("1#part"), Some(Marker::Name("1#part")));
    }

    #[test]
    fn only_an_annotation_tells_what_a_marker_of_a_machine_means() {
        let annotated = MarkerGrammar::ANNOTATED;
        assert_eq!(in_lenticular_brackets("3†source", &annotated), Some(Marker::Machine(Vec::new())));
        assert_eq!(in_lenticular_brackets("4:0†a.pdf", &annotated), Some(Marker::Machine(vec!["a.pdf"])));
        assert_eq!(in_lenticular_brackets("1", &annotated), None);
    }

    #[test]
    fn azure_on_your_data_knows_one_form_only() {
        let azure = MarkerGrammar::AZURE_ON_YOUR_DATA;
        assert_eq!(in_square_brackets("doc12", &azure), Some(Marker::Documents(smallvec![12])));
        for inner in ["Doc1", "doc 1", "docs1", "doc1, doc2", "1", "doc", "doc1 ", "plan.pdf"] {
            assert_eq!(in_square_brackets(inner, &azure), None, "{inner:?}");
        }
        assert_eq!(in_lenticular_brackets("1", &azure), None);
        assert_eq!(in_private_use("cite", &azure), None);
    }
}
