//! Blocks of text that are cited at their ends, as some formats stream them: the outcome is that of the answer whose spans
//! they are, wherever the pieces were cut.

use citewire_core::answer::{Answer, Citation, MarkerGrammar, SourceIndex, is_marker_span};
use citewire_core::cite::{Incremental, Rules, cite};
use citewire_core::text::Span;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;

use super::cases::{Case, Verdict, try_all};
use super::generator::{answer, pieces};
use super::given::documents;
use super::incremental::all_rules;

/// A block of text and what it rests on.
type Block = (String, Vec<usize>);

/// Blocks for one dialect, in pieces of these lengths.
#[derive(Clone, Debug)]
struct Arriving {
    /// The pieces of which the text of each is made, and what it rests on.
    blocks: Vec<(Vec<&'static str>, Vec<usize>)>,
    rules: usize,
    grammar: MarkerGrammar,
    carriage_returns: bool,
    lengths: Vec<usize>,
}

impl Arriving {
    fn blocks(&self) -> Vec<Block> {
        let ends = if self.carriage_returns { "\r\n" } else { "\n" };
        self.blocks.iter().map(|(pieces, sources)| (answer(pieces).replace('\n', ends), sources.clone())).collect()
    }
}

impl Case for Arriving {
    /// Without a block, then without a piece of one, then without a length.
    fn without(&self, at: usize) -> Option<Self> {
        if let Some(blocks) = self.blocks.without(at) {
            return Some(Self { blocks, ..self.clone() });
        }
        let mut at = at - self.blocks.len();
        for (block, (pieces, _)) in self.blocks.iter().enumerate() {
            if let Some(less) = pieces.without(at) {
                let mut smaller = self.clone();
                smaller.blocks[block].0 = less;
                return Some(smaller);
            }
            at -= pieces.len();
        }
        Some(Self { lengths: self.lengths.without(at)?, ..self.clone() })
    }
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

/// A block that is a marker and nothing else is replaced when it is a span of a whole answer, and no format sends one; a blank one
/// is cited behind the last word before it, by the reader.
fn try_arriving(arriving: &Arriving) -> Verdict {
    let blocks = arriving.blocks();
    if blocks.iter().any(|(text, _)| text.trim().is_empty() || is_marker_span(text)) {
        return Verdict::Discarded;
    }
    let Arriving { rules, grammar, lengths, .. } = arriving;
    Verdict::of(&blocks, || block_by_block(&blocks, *grammar, &all_rules()[*rules], lengths))
}

/// Blocks as formats send them that cite each at its end.
#[test]
fn blocks_cited_at_their_ends_give_what_the_answer_with_their_spans_gives() {
    let strategy = || {
        let blocks = vec((pieces(), vec(0_usize..3, 0..3)), 1..5);
        let grammar = select(&[MarkerGrammar::ALL, MarkerGrammar::NONE][..]);
        (blocks, 0_usize..3, grammar, any::<bool>(), vec(1_usize..20, 1..40)).prop_map(
            |(blocks, rules, grammar, carriage_returns, lengths)| Arriving {
                blocks,
                rules,
                grammar,
                carriage_returns,
                lengths,
            },
        )
    };
    let start = || |cases: &[Arriving]| cases.iter().map(try_arriving).collect();
    try_all("blocks", strategy, start).assert_all_hold();
}

/// The line behind the definition, read alone, was a block of code: the list before the definition had ended there.
#[test]
fn an_indented_line_behind_a_definition_goes_on_with_its_paragraph() {
    let blocks = [
        ("【4:0†a】\n[[](javascript:x)[1][1]", Vec::new()),
        ("\n\n- item\n\n[1]: https://evil.example\n\t[1]", Vec::new()),
    ];
    let blocks = blocks.map(|(text, sources)| (text.to_owned(), sources));
    block_by_block(&blocks, MarkerGrammar::ALL, &Rules::web_chat(), &[11, 1, 2, 9]).expect("what the whole gives");
}
