//! Answers that arrive in pieces: the outcome is that of the whole answer, and what was shown is never changed.

use citewire::answer::{Answer, MarkerGrammar, Source};
use citewire::cite::{Incremental, Rules, cite};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

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

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    Config { cases, failure_persistence: None, ..Config::default() }
}

fn all_rules() -> [Rules; 3] {
    [Rules::web_chat(), Rules::teams(), Rules::plain()]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_cut_gives_what_the_whole_answer_gives_and_shows_only_its_beginning(
        pieces in pieces(),
        lengths in proptest::collection::vec(1_usize..12, 1..40),
        rules in proptest::sample::select(&[0_usize, 1, 2][..]),
        carriage_returns in any::<bool>(),
    ) {
        let text = answer(&pieces);
        let text = if carriage_returns { text.replace('\n', "\r\n") } else { text };
        in_pieces(&text, &all_rules()[rules], &lengths)?;
    }

    #[test]
    fn byte_for_byte_it_is_the_same(pieces in pieces()) {
        in_pieces(&answer(&pieces), &Rules::web_chat(), &[1])?;
    }
}
