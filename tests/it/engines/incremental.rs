//! Answers that arrive in pieces: the outcome is that of the whole answer, and what was shown is never changed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use citewire::answer::{Answer, MarkerGrammar, Source};
use citewire::cite::{Incremental, Rules, cite};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::cases::{Case, Verdict, try_all};
use super::generator::{answer, pieces, sources};

fn manifest() -> Vec<Source> {
    let source = |(url, title): &(Option<&str>, &str)| {
        let mut source = Source::default();
        source.title = Some((*title).to_owned());
        source.url = url.and_then(|url| url.parse().ok());
        source
    };
    let mut all: Vec<Source> = sources().all.iter().map(source).collect();
    all[2].marker = Some("【4:0†a】".into());
    all[2].filepath = Some("c.pdf".into());
    all
}

fn whole(text: &str, rules: &Rules) -> citewire::cite::CitedText {
    let mut answer = Answer::default();
    answer.text = text.to_owned();
    answer.sources = manifest();
    cite(&answer, rules)
}

/// Cites a text in pieces of these lengths in bytes, the last of which is repeated.
fn in_pieces(text: &str, rules: &Rules, lengths: &[usize]) -> Result<(), TestCaseError> {
    let mut incremental = Incremental::new(MarkerGrammar::ALL, rules);
    incremental.add_sources(manifest());
    let mut shown = String::new();
    let mut lengths = lengths.iter().copied().chain(std::iter::repeat(*lengths.last().unwrap_or(&4)));
    let mut at = 0;
    while at < text.len() {
        let end = text.ceil_char_boundary((at + lengths.next().unwrap_or(4).max(1)).min(text.len()));
        shown.push_str(incremental.push(&text[at..end]));
        at = end;
    }
    prop_assert_eq!(incremental.shown(), &shown);
    let finished = incremental.finish();
    let expected = whole(text, rules);
    prop_assert_eq!(&finished.text, &expected.text, "{:?}", text);
    prop_assert_eq!(&finished.sources, &expected.sources);
    prop_assert_eq!(&finished.entries, &expected.entries);
    prop_assert!(finished.text.starts_with(&shown), "{:?}\n showed {:?}\n ended {:?}", text, shown, finished.text);
    Ok(())
}

fn all_rules() -> [Rules; 3] {
    [Rules::web_chat(), Rules::teams(), Rules::plain()]
}

/// An answer, for one dialect, in pieces of these lengths.
#[derive(Clone, Debug)]
struct Arriving {
    pieces: Vec<&'static str>,
    rules: usize,
    lengths: Vec<usize>,
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
    let Arriving { pieces, rules, lengths } = arriving;
    let text = answer(pieces);
    let judge = || in_pieces(&text, &all_rules()[*rules], lengths);
    match catch_unwind(AssertUnwindSafe(judge)) {
        Ok(Ok(())) => Verdict::Holds,
        Ok(Err(error)) => Verdict::Fails(error.to_string()),
        Err(_) => Verdict::Fails(format!("it panics at {text:?}")),
    }
}

#[test]
fn any_cut_gives_what_the_whole_answer_gives_and_shows_only_its_beginning() {
    let strategy = || {
        let lengths = prop_oneof![3 => vec(1_usize..12, 1..40), 1 => Just(vec![1])];
        (pieces(), 0_usize..3, lengths).prop_map(|(pieces, rules, lengths)| Arriving { pieces, rules, lengths })
    };
    let start = || |cases: &[Arriving]| cases.iter().map(try_arriving).collect();
    try_all("streams", strategy, start).assert_all_hold();
}

/// What is about as long as anyone looks ahead, and what was told of before all of it had come.
#[test]
fn what_arrives_in_pieces_is_read_alike_where_it_becomes_long_or_is_known_early() {
    let words = "word ".repeat(820);
    for text in [
        format!("<!-- {words} --> [1]"),
        format!("> <!-- {words} --> [1]"),
        format!("``` `` c`d ``<b title=\"{words}\"> [1]"),
        format!("<div><!-- {words} --><b title=\"{words}\">\n\n[1]"),
        "<![CDATA[ x [1]".to_owned(),
        "<? x [1]".to_owned(),
        "<?- x [1]".to_owned(),
    ] {
        for rules in all_rules() {
            in_pieces(&text, &rules, &[7]).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
