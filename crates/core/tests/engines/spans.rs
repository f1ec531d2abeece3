//! The properties of citations that come beside the text, over generated answers.

use citewire_core::answer::{MarkerGrammar, is_marker_span};
use proptest::prelude::*;
use serde_json::json;

use super::cases::{Case, Verdict, try_all};
use super::demands::{LOOK_AHEAD, harmless, is_compared, is_read_in_one_way, may_hold_formula, without_exclamation};
use super::expectation;
use super::flow::{Flow, Item, comparable, without_blanks};
use super::generator::{answer, manifest, pieces, sources};
use super::given::{Given, activity, converted, judge_all};
use super::judge::{Judge, Reading, Readings};
use super::marker::is_marker_label;
use super::pulldown;

/// A citation of a span is read like a marker at its end, wherever that end is text.
#[test]
fn every_engine_reads_a_cited_span_as_it_reads_a_marker_behind_it() {
    let tally = try_all(
        "spans",
        || (pieces(), pieces()),
        || {
            let mut judge = Judge::start();
            move |cases: &[(Vec<&'static str>, Vec<&'static str>)]| {
                let cases: Vec<_> = cases.iter().map(|(before, behind)| Spanned::new(before, behind)).collect();
                try_spans(&mut judge, &cases)
            }
        },
    );
    tally.assert_all_hold();
    assert!(tally.discarded * 4 < tally.tried * 3, "{} of {} answers were not judged", tally.discarded, tally.tried);
}

/// A citation of any place adds one badge, whatever stands there, and changes nothing else.
#[test]
fn every_engine_reads_an_answer_cited_at_any_place_as_it_was_with_one_badge() {
    let tally = try_all(
        "places",
        || (pieces(), any::<u16>().prop_map(Place)),
        || {
            let mut judge = Judge::start();
            move |cases: &[(Vec<&'static str>, Place)]| {
                let given = |(pieces, place): &(Vec<_>, Place)| place.cited(answer(pieces));
                judge_all(&mut judge, &cases.iter().map(given).collect::<Vec<_>>(), judge_place)
            }
        },
    );
    tally.assert_all_hold();
    assert!(tally.discarded * 4 < tally.tried * 3, "{} of {} answers were not judged", tally.discarded, tally.tried);
}

/// A place in a text, as a part of its length.
#[derive(Clone, Copy, Debug)]
struct Place(u16);

impl Place {
    /// The answer with a citation of all that stands before the place.
    fn cited(self, text: String) -> Given {
        let at = text.floor_char_boundary(text.len() * (usize::from(self.0) + 1) / (usize::from(u16::MAX) + 1));
        Given::cited_before(text, at)
    }
}

impl Case for Place {
    fn without(&self, _at: usize) -> Option<Self> {
        None
    }
}

/// Whether the place may be within an address, of which two are made then.
fn is_in_address(before: &str, behind: &str) -> bool {
    let is_blank = |c: char| c.is_whitespace();
    let word = [before.rsplit(is_blank).next(), behind.split(is_blank).next()].map(Option::unwrap_or_default).concat();
    ["//", "www.", "@"].iter().any(|address| word.contains(address))
}

/// Whether the place is one that no provider means: within a label or an empty list, or between signs that mean something
/// together.
fn is_torn(before: &str, behind: &str) -> bool {
    let is_sign = |c: char| "*_~".contains(c);
    let is_word = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    let within_signs = (before.ends_with(is_sign) || behind.starts_with(is_sign))
        && is_word(before.trim_end_matches(is_sign).chars().next_back())
        && is_word(behind.trim_start_matches(is_sign).chars().next());
    // Behind a sign and other punctuation, what a run of signs may close hangs on its length.
    let is_prefix = |line: &&str| line.chars().all(|c| " \t>-+*#.)0123456789".contains(c));
    let signs = before.lines().rev().find(|line| !is_prefix(line)).unwrap_or_default().trim_end();
    let closed = signs.trim_end_matches(is_sign);
    let behind_signs = closed.len() < signs.len() && !closed.ends_with(char::is_alphanumeric);
    let is_in_label = before.rfind('[') > before.rfind(']') || before.ends_with(']') && behind.starts_with('[');
    let within_label = [before, behind].concat().contains("]:") && is_in_label;
    let is_empty = !before.contains(char::is_alphabetic);
    // markdown-it takes a bracket for a label behind an address that fails.
    let within_link = before.rfind("](") > before.rfind(')');
    within_signs || behind_signs || within_label || within_link || is_empty
}

/// The badge is there, and all else is as it was; nothing harmful is there in any case, to engines that draw it.
fn judge_place(given: &Given, before: &Readings, after: &Readings, _text: &str) -> Result<Verdict, String> {
    let (claim, rest) = given.text.split_at(given.place().expect("a place"));
    let told = |what: String| format!("{what}\n cited before {rest:?}");
    if is_in_address(claim, rest) || is_marker_span(claim) {
        return Ok(Verdict::Discarded);
    }
    for (_, reading) in after.engines.iter().filter(|(engine, _)| is_compared(engine, before)) {
        harmless(reading, &sources()).map_err(told)?;
    }
    if is_torn(claim, rest) {
        return Ok(Verdict::Discarded);
    }
    if !is_read_in_one_way(&given.text, before) || may_hold_formula(&given.text) || given.text.len() > LOOK_AHEAD {
        return Ok(Verdict::Discarded);
    }
    for (engine, reading) in after.engines.iter().filter(|(engine, _)| is_compared(engine, before)) {
        let expected = expectation::of(before.engines[engine].flow(), &sources(), &given.grammar);
        if expected.inexact {
            return Ok(Verdict::Discarded);
        }
        let split = |flow| -> (Vec<Item>, Vec<Item>) {
            let flow = expectation::without_repeated_badges(comparable(flow));
            without_numbers(flow).into_iter().partition(is_third)
        };
        let (marked, expected) = split(expected.flow);
        let (badges, found) = split(reading.flow());
        let form = |flow| without_blanks(without_exclamation(comparable(flow)));
        let (expected, found) = (form(expected), form(found));
        // Beside a marker of the same source the two are one badge.
        let fewest = marked.len().max(1);
        if !(fewest..=marked.len() + 1).contains(&badges.len()) || expected != found {
            let badges = badges.len();
            return Err(told(format!("{engine}: {badges} badges\n expected {expected:?}\n    found {found:?}")));
        }
    }
    Ok(Verdict::Holds)
}

/// Whether an item is a badge of the source that is cited by a place.
fn is_third(item: &Item) -> bool {
    matches!(item, Item::Link { text, title, .. } if text.is_empty() && title.starts_with("Third"))
}

/// A badge more changes the numbers of those behind it, and the title tells what a badge leads to.
fn without_numbers(flow: Flow) -> Flow {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = |item| match item {
        Item::Link { text, url, title } if is_number(&text) => {
            let url = if url.starts_with("cite:") { "cite:".to_owned() } else { url };
            Item::Link { text: String::new(), url, title }
        }
        item => item,
    };
    flow.into_iter().map(plain).collect()
}

/// An answer with a place to cite.
struct Spanned {
    before: String,
    behind: String,
}

impl Spanned {
    const ANCHOR: &str = "anchor";

    /// Blanks around the place keep the two ways of citing alike: a bracket is punctuation, and a place between words is not.
    fn new(before: &[&str], behind: &[&str]) -> Self {
        Self { before: format!("{} {}", answer(before), Self::ANCHOR), behind: format!(" {}", answer(behind)) }
    }

    fn given(&self) -> String {
        format!("{}{}", self.before, self.behind)
    }

    fn by_span(&self) -> Result<String, String> {
        let (start, end) = (self.before.len() - Self::ANCHOR.len(), self.before.len());
        let span = json!([{"start": start, "end": end, "unit": "utf8", "sources": ["3"]}]);
        activity(&json!({"text": self.given(), "sources": manifest(&[1, 2, 3]), "annotations": span}))
    }

    fn by_marker(&self) -> Result<String, String> {
        converted(&format!("{}[3]{}", self.before, self.behind), &manifest(&[1, 2, 3]))
    }

    /// Whether all engines read the place as text.
    fn can_be_judged(&self, readings: &Readings) -> bool {
        let by_pulldown = comparable(pulldown::read(&self.given(), is_marker_label));
        let is_anchor = |item: &Item| matches!(item, Item::Text(text) if text.contains(Self::ANCHOR));
        let engines = &readings.engines;
        let agrees = |(engine, reading): (&String, &Reading)| {
            !is_compared(engine, readings) || comparable(reading.flow()) == by_pulldown
        };
        self.given().len() <= LOOK_AHEAD
            && engines.iter().all(agrees)
            && by_pulldown.iter().any(is_anchor)
            && !expectation::of(engines["markdown-it"].flow(), &sources(), &MarkerGrammar::ALL).inexact
    }
}

fn try_spans(judge: &mut Judge, cases: &[Spanned]) -> Vec<Verdict> {
    let given: Vec<String> = cases.iter().map(Spanned::given).collect();
    let before = judge.read_all(&given, true);
    let mut verdicts: Vec<Verdict> = cases.iter().map(|_| Verdict::Discarded).collect();
    let (mut judged, mut texts) = (Vec::new(), Vec::new());
    let is_compared = |at: usize, engine: &str| before[at].as_ref().is_some_and(|before| is_compared(engine, before));
    for (at, (case, readings)) in cases.iter().zip(&before).enumerate() {
        if !readings.as_ref().is_some_and(|readings| case.can_be_judged(readings)) {
            continue;
        }
        match (case.by_span(), case.by_marker()) {
            (Ok(by_span), Ok(by_marker)) => {
                judged.push(at);
                texts.extend([by_span, by_marker]);
            }
            (Err(panic), _) | (_, Err(panic)) => verdicts[at] = Verdict::Fails(panic),
        }
    }
    let after = judge.read_all(&texts, false);
    for (pair, (at, readings)) in judged.into_iter().zip(after.chunks(2)).enumerate() {
        let [Some(by_span), Some(by_marker)] = readings else {
            verdicts[at] = Verdict::Fails(format!("an engine fails at {:?}", &texts[2 * pair..2 * pair + 2]));
            continue;
        };
        let mut compared = by_span.engines.iter().filter(|(engine, _)| is_compared(at, engine));
        let differ = compared.find_map(|(engine, reading)| {
            let (found, expected) = (comparable(reading.flow()), comparable(by_marker.engines[engine].flow()));
            (found != expected).then(|| {
                format!(
                    "{engine}: {:?}\n gave {:?}\n expected {expected:?}\n    found {found:?}",
                    given[at],
                    texts[2 * pair]
                )
            })
        });
        verdicts[at] = differ.map_or(Verdict::Holds, Verdict::Fails);
    }
    verdicts
}
