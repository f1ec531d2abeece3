//! How many wrong citations are found, and how many right ones raise an alarm, by kind.
//!
//!     cargo run --release --package citewire-support --example pairs [half] [KIND]
//!
//! Pairs of sentence and passage are made from the manual pages and texts that packages ship in many languages. `half` is `0` or `1`: the
//! documents are parted by their names, so that one half can be looked at while rules are changed, and the other one measured. With a
//! kind, the pairs of it are printed that are judged otherwise than they should.
#![expect(clippy::print_stdout, reason = "figures for the person who runs it")]

mod corpus;
mod kinds;
mod random;
mod right;
mod words;
mod wrong;

use std::collections::BTreeMap;

use citewire_support::{Cited, Headings, Passage, judge};

use corpus::Corpus;
use kinds::{KINDS, Pair};
use random::Random;

/// The pairs of each kind that are asked for; some kinds have fewer.
const PAIRS: usize = 500;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let half = arguments.first().and_then(|half| half.parse().ok()).unwrap_or(1_u64);
    let shown = arguments.get(1);
    let corpus = Corpus::read(half);
    println!("{} documents, {} languages", corpus.documents.len(), corpus.languages().len());
    let mut all = 0;
    for kind in KINDS {
        let mut random = Random::new(half + corpus::hash(kind.name));
        let pairs = kinds::pairs(&corpus, kind, &mut random, PAIRS);
        all += pairs.len();
        let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut alarms, mut by_language) = (0, BTreeMap::<&str, usize>::new());
        for pair in &pairs {
            let passage = Passage::read(&pair.passage);
            let judged = judge(&pair.sentence, Cited { passage: &passage, headings: Headings::NONE, is_teaser: false });
            let is_alarm = judged.verdict.is_alarm();
            alarms += usize::from(is_alarm);
            *verdicts.entry(judged.verdict.code()).or_default() += 1;
            if is_alarm != kind.is_wrong {
                *by_language.entry(&pair.language).or_default() += 1;
                if shown.is_some_and(|shown| shown == kind.name) {
                    show(pair, &judged);
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "hundreds")]
        let share = alarms as f64 * 100.0 / pairs.len().max(1) as f64;
        let sense = if kind.is_wrong { "found" } else { "false" };
        println!("{:24} {:5} pairs {share:6.1} % {sense}  {verdicts:?} {by_language:?}", kind.name, pairs.len());
    }
    println!("{all} pairs");
}

fn show(pair: &Pair, judged: &citewire_support::Judgement) {
    println!("--- {} {}", pair.language, pair.change);
    println!("S {}", pair.sentence);
    println!("P {}", pair.passage.replace('\n', " / "));
    let reasons: Vec<String> = judged
        .reasons
        .iter()
        .map(|reason| format!("{} {}", reason.code.code(), &pair.sentence[reason.range.clone()]))
        .collect();
    println!("V {} {reasons:?} at {:?}", judged.verdict.code(), judged.place.clone().map(|place| &pair.passage[place]));
}
