//! Parses the text in brackets as a citation marker (policy P-01). The resolver finds its sources later.

use smallvec::{SmallVec, smallvec};

use crate::answer::{MarkerForm, MarkerGrammar};

/// The longest text between the brackets of a marker, in bytes. Past it, the bracket is text, streamed or not.
pub(super) const MAX_INNER_BYTES: usize = 256;

/// The most numbers that one bracket may name, counted with its ranges.
const MAX_NUMBERS: usize = 20;

/// The numbers in one bracket, nearly always one or two.
pub(super) type Numbers = SmallVec<[usize; 2]>;

/// A parsed marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Marker<'t> {
    /// Places in the list of sources, as a person would write them: `[1]`, `[1, 2]`, `[1-3]`.
    Numbers(Numbers),
    /// The same forms, in formats where numbers are ids.
    Ids(Numbers),
    /// Places, in a form that only a machine writes: `[doc1]`, `【1】`.
    Documents(Numbers),
    /// Ids or names, in a form that only a machine writes: U+E200, `【4:0†name】`.
    Machine(Vec<&'t str>),
    /// A footnote: `[^1]`.
    Footnote(usize),
    /// A bracket that may name a source by id or file.
    Name(&'t str),
    /// A bracket that may be the end of a source's id.
    NameEnd(&'t str),
}

impl Marker<'_> {
    /// Whether only a machine writes this form: unresolved, it vanishes (policy P-05).
    pub(super) fn is_machine_made(&self) -> bool {
        matches!(self, Self::Documents(_) | Self::Machine(_))
    }

    /// Whether the bracket is a marker only if a source has this name.
    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Name(_) | Self::NameEnd(_))
    }
}

/// Parses the text between the brackets of a form. `None` when it is no marker of this grammar.
pub(super) fn read<'t>(form: MarkerForm, inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    match form {
        MarkerForm::Square => in_square_brackets(inner, grammar),
        MarkerForm::Lenticular => in_lenticular_brackets(inner, grammar),
        MarkerForm::PrivateUse => in_private_use(inner, grammar),
    }
}

/// Parses the text between `[` and `]`.
pub(super) fn in_square_brackets<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    if grammar.exact_documents {
        let digits = inner.strip_prefix("doc")?;
        return Some(Marker::Documents(smallvec![whole_number(digits)?]));
    }
    let inner = inner.trim();
    if grammar.numbers {
        if let Some(rest) = inner.strip_prefix('^') {
            let (digits, superscript) = rest.strip_suffix('^').map_or((rest, false), |digits| (digits, true));
            let n = counted(digits)?;
            return match superscript {
                true => Some(Marker::Numbers(smallvec![n])),
                false => grammar.footnotes.then_some(Marker::Footnote(n)),
            };
        }
        let without_fragment = |item: &str| counted(item.split_once('#').map_or(item, |(item, _)| item.trim_end()));
        let numbers = if grammar.fragments { list(inner, without_fragment) } else { list(inner, counted) };
        if let Some(numbers) = numbers {
            return Some(if grammar.number_ids { Marker::Ids(numbers) } else { Marker::Numbers(numbers) });
        }
    }
    if grammar.documents
        && let Some(numbers) = list(inner, document)
    {
        return Some(Marker::Documents(numbers));
    }
    let name = if grammar.name_ends { Marker::NameEnd(inner) } else { Marker::Name(inner) };
    (grammar.names && inner.len() >= 2).then_some(name)
}

/// Parses the text between `【` and `】`.
fn in_lenticular_brackets<'t>(inner: &'t str, grammar: &MarkerGrammar) -> Option<Marker<'t>> {
    if !grammar.lenticular {
        return None;
    }
    let inner = inner.trim();
    if grammar.lenticular_places
        && let Some(numbers) = list(inner, |item| counted(item).or_else(|| document(item)))
    {
        return Some(Marker::Documents(numbers));
    }
    let (place, name) = inner.split_once('†')?;
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

/// A list of numbers and ranges, all in the form that `read` takes.
fn list(inner: &str, read: impl Fn(&str) -> Option<usize>) -> Option<Numbers> {
    if let Some(number) = read(inner) {
        return Some(smallvec![number]);
    }
    let mut numbers = Numbers::new();
    for item in inner.split(',') {
        let item = item.trim();
        match item.split_once(['-', '–']) {
            None => numbers.push(read(item)?),
            Some((from, to)) => {
                let (from, to) = (read(from.trim())?, to.trim());
                let to = read(to).or_else(|| counted(to))?;
                if from >= to || to - from >= MAX_NUMBERS {
                    return None;
                }
                numbers.extend(from..=to);
            }
        }
        if numbers.len() > MAX_NUMBERS {
            return None;
        }
    }
    Some(numbers)
}

/// `doc1`, `docs1`, `doc 1`, in any case.
fn document(item: &str) -> Option<usize> {
    let rest = item.get(..3).filter(|doc| doc.eq_ignore_ascii_case("doc")).map(|_| &item[3..])?;
    whole_number(rest.strip_prefix(['s', 'S']).unwrap_or(rest).trim_start())
}

/// A number as people count: from 1, without leading zeros.
fn counted(digits: &str) -> Option<usize> {
    if digits.starts_with('0') { None } else { whole_number(digits) }
}

fn whole_number(digits: &str) -> Option<usize> {
    let plain = (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
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
