//! Blocks of text that are cited at their ends, as some formats stream them: the outcome is that of the answer whose spans
//! they are, wherever the pieces were cut.

use citewire_core::answer::{Answer, Citation, MarkerGrammar, SourceIndex, is_marker_span};
use citewire_core::cite::{Incremental, Rules, cite};
use citewire_core::text::Span;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use super::generator::{answer, pieces};
use super::given::documents;
use super::incremental::all_rules;

/// A block of text and what it rests on.
type Block = (String, Vec<usize>);

/// Blocks as formats send them that cite each at its end. A block that is a marker and nothing else is replaced when it is a
/// span of a whole answer, and no format sends one; a blank one is cited behind the last word before it, by the reader.
fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = (pieces(), proptest::collection::vec(0_usize..3, 0..3))
        .prop_map(|(pieces, sources)| (answer(&pieces), sources))
        .prop_filter("a block says something", |(text, _)| !text.trim().is_empty() && !is_marker_span(text));
    proptest::collection::vec(block, 1..5)
}

/// Cites blocks at their ends, each in pieces of these lengths in bytes, against the answer whose spans they are.
fn block_by_block(
    blocks: &[Block],
    grammar: MarkerGrammar,
    rules: &Rules,
    lengths: &[usize],
) -> Result<(), TestCaseError> {
    let mut grammar = grammar;
    grammar.links = false;
    let indices = |sources: &[usize]| sources.iter().copied().map(SourceIndex).collect::<Vec<_>>();
    let mut whole = Answer {
        grammar,
        text: blocks.iter().map(|(text, _)| text.as_str()).collect(),
        sources: documents(),
        ..Answer::default()
    };
    let mut incremental = Incremental::new(grammar, rules);
    incremental.add_sources(documents());
    let mut shown = String::new();
    let mut lengths = lengths.iter().copied().cycle();
    let mut start = 0;
    for (text, sources) in blocks {
        let mut at = 0;
        while at < text.len() {
            let end = text.ceil_char_boundary((at + lengths.next().unwrap_or(4)).min(text.len()));
            shown.push_str(incremental.push(&text[at..end]));
            at = end;
        }
        let span = Span::new(&whole.text, start..start + text.len()).expect("a block is a part of the text");
        start += text.len();
        if !sources.is_empty() {
            incremental.cite_here(indices(sources));
            whole.citations.push(Citation::new(span, indices(sources)));
        }
    }
    let expected = cite(&whole, rules);
    let finished = incremental.finish();
    prop_assert_eq!(&finished.text, &expected.text, "{:?}", blocks);
    prop_assert_eq!(&finished.sources, &expected.sources, "{:?}", blocks);
    prop_assert_eq!(&finished.entries, &expected.entries, "{:?}", blocks);
    prop_assert!(finished.text.starts_with(&shown), "{:?}\n showed {:?}\n ended {:?}", blocks, shown, finished.text);
    Ok(())
}

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn blocks_cited_at_their_ends_give_what_the_answer_with_their_spans_gives(
        blocks in blocks(),
        lengths in proptest::collection::vec(1_usize..20, 1..40),
        rules in proptest::sample::select(&[0_usize, 1, 2][..]),
        grammar in proptest::sample::select(&[MarkerGrammar::ALL, MarkerGrammar::NONE][..]),
        carriage_returns in any::<bool>(),
    ) {
        let ends = if carriage_returns { "\r\n" } else { "\n" };
        let blocks: Vec<Block> =
            blocks.into_iter().map(|(text, sources)| (text.replace('\n', ends), sources)).collect();
        block_by_block(&blocks, grammar, &all_rules()[rules], &lengths)?;
    }
}

/// The line behind the definition, read alone, was a block of code: the list before the definition had ended there.
#[test]
fn an_indented_line_behind_a_definition_goes_on_with_its_paragraph() {
    let blocks =
        [("【4:0†a】\n[[](javascript:x)[1][1]", vec![]), ("\n\n- item\n\n[1]: https://evil.example\n\t[1]", vec![])];
    let blocks = blocks.map(|(text, sources)| (text.to_owned(), sources));
    block_by_block(&blocks, MarkerGrammar::ALL, &Rules::web_chat(), &[11, 1, 2, 9]).expect("what the whole gives");
}
