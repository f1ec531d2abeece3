//! Answers that arrive in pieces: the outcome is that of the whole answer, and what was shown is never changed.

use citewire_core::answer::{Answer, Citation, MarkerGrammar, SourceIndex, is_marker_span};
use citewire_core::cite::{Incremental, Rules, cite};
use citewire_core::text::Span;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::cases::{Case, Verdict, try_all};
use super::generator::{answer, listed, pieces};
use super::given::{Format, documents};

/// Cites a text in pieces of these lengths in bytes, the last of which is repeated. What has arrived behind every so many pieces
/// is cited by the provider as well, unless that is 0.
fn in_pieces(
    text: &str,
    grammar: MarkerGrammar,
    rules: &Rules,
    lengths: &[usize],
    cited_every: usize,
) -> Result<(), TestCaseError> {
    // No format has both: where the provider cites what has arrived, a link is a part of the text.
    let mut grammar = grammar;
    grammar.links &= cited_every == 0;
    let mut incremental = Incremental::new(grammar, rules);
    incremental.add_sources(documents());
    let mut answer = Answer { text: text.to_owned(), sources: documents(), grammar, ..Answer::default() };
    let mut shown = String::new();
    let mut lengths = lengths.iter().copied().chain(std::iter::repeat(*lengths.last().unwrap_or(&4)));
    let mut at = 0;
    for number in 1.. {
        if at == text.len() {
            break;
        }
        let end = text.ceil_char_boundary((at + lengths.next().unwrap_or(4).max(1)).min(text.len()));
        shown.push_str(incremental.push(&text[at..end]));
        at = end;
        // Nothing is cited before the first word: where it would stand, the whole text tells.
        let is_claim = text[..at].contains(char::is_alphabetic) && !is_marker_span(&text[..at]);
        if cited_every > 0 && number % cited_every == 0 && is_claim {
            incremental.cite_here(vec![SourceIndex(2)]);
            let span = Span::new(text, 0..at).expect("a span");
            answer.citations.push(Citation::new(span, vec![SourceIndex(2)]));
        }
    }
    prop_assert_eq!(incremental.shown(), &shown);
    let finished = incremental.finish();
    let expected = cite(&answer, rules);
    prop_assert_eq!(&finished.text, &expected.text, "{:?}", text);
    prop_assert_eq!(&finished.sources, &expected.sources);
    prop_assert_eq!(&finished.entries, &expected.entries);
    prop_assert!(finished.text.starts_with(&shown), "{:?}\n showed {:?}\n ended {:?}", text, shown, finished.text);
    Ok(())
}

pub(super) fn all_rules() -> [Rules; 3] {
    [Rules::web_chat(), Rules::teams(), Rules::plain()]
}

/// An answer in one format, for one dialect, in pieces of these lengths, cited every so many of them.
#[derive(Clone, Debug)]
struct Arriving {
    pieces: Vec<&'static str>,
    format: Format,
    rules: usize,
    lengths: Vec<usize>,
    cited_every: usize,
}

impl Case for Arriving {
    fn without(&self, at: usize) -> Option<Self> {
        match self.pieces.without(at) {
            Some(pieces) => Some(Self { pieces, ..self.clone() }),
            None => Some(Self { lengths: self.lengths.without(at - self.pieces.len())?, ..self.clone() }),
        }
    }
}

fn try_arriving(arriving: &Arriving) -> Verdict {
    let Arriving { pieces, format, rules, lengths, cited_every } = arriving;
    let text = answer(pieces);
    Verdict::of(&text, || in_pieces(&text, format.grammar(), &all_rules()[*rules], lengths, *cited_every))
}

#[test]
fn any_cut_gives_what_the_whole_answer_gives_and_shows_only_its_beginning() {
    let strategy = || {
        let lengths = prop_oneof![3 => vec(1_usize..12, 1..40), 1 => Just(vec![1])];
        let format = prop_oneof![Just(Format::OWN), Format::of_a_provider()];
        let cited_every = prop_oneof![Just(0), 1_usize..12];
        (pieces(), listed(), format, 0_usize..3, lengths, cited_every).prop_map(
            |(mut pieces, listed, format, rules, lengths, cited_every)| {
                pieces.extend(listed);
                Arriving { pieces, format, rules, lengths, cited_every }
            },
        )
    };
    let start = || |cases: &[Arriving]| cases.iter().map(try_arriving).collect();
    try_all("streams", strategy, start).assert_all_hold();
}

/// Comments and tags about as long as the look-ahead, and HTML that is known before all of it has come.
#[test]
fn what_arrives_in_pieces_is_read_alike_where_it_becomes_long_or_is_known_early() {
    let words = "word ".repeat(820);
    for text in [
        format!("<!-- {words} --> [1]"),
        format!("> <!-- {words} --> [1]"),
        format!("``` `` c`d ``<b title=\"{words}\"> [1]"),
        format!("<div><!-- {words} --><b title=\"{words}\">\n\n[1]"),
        format!("\u{feff}<b>[1]<b title=\"{words}\">"),
        "<![CDATA[ x [1]".to_owned(),
        "<? x [1]".to_owned(),
        "<?- x [1]".to_owned(),
    ] {
        for rules in all_rules() {
            in_pieces(&text, MarkerGrammar::ALL, &rules, &[7], 0).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// A badge of which the marker ends in its own line was shown, and a separator went before it as soon as the marker behind it
/// turned out to hold a line end.
#[test]
fn a_badge_that_was_shown_stays_where_it_is_when_a_marker_with_a_line_end_follows() {
    let grammar = MarkerGrammar { links: false, ..MarkerGrammar::ALL };
    for text in ["[*1*](https://evil.example)[1](\r)", "[1](https://evil.example)[2](\n)"] {
        for rules in all_rules() {
            in_pieces(text, grammar, &rules, &[1], 0).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// A link was shown, and became text when an escaped bracket behind it turned out to be a label for the engine that reads.
#[test]
fn a_link_before_an_escaped_bracket_is_shown_when_the_bracket_is_closed() {
    let definition = "[foo]: https://ok.example/foo\n\n";
    for text in ["[foo]\\[a][foo]", "![foo]\\[1] x", "[bar]\\[foo] x", "[foo]\\(a) x"] {
        for rules in all_rules() {
            in_pieces(&format!("{definition}{text}"), MarkerGrammar::ALL, &rules, &[1], 0)
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// A header was shown as a paragraph, and began with a border as soon as its delimiters came: its first cell held a no-break
/// space, which was taken for a blank before the border.
#[test]
fn a_header_that_begins_with_a_no_break_space_stays_as_it_was_shown() {
    for rules in all_rules() {
        in_pieces("[1]\n\n\u{a0}|b\n-|-\nc|d", MarkerGrammar::ALL, &rules, &[1], 0)
            .unwrap_or_else(|error| panic!("{error}"));
    }
}
