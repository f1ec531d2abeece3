//! The properties of citations that come beside the text, over generated answers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use citewire::answer::{Answer, Citation, MarkerGrammar, SourceIndex, is_marker_span};
use citewire::cite::{Rules, cite};
use citewire::text::Span;
use proptest::prelude::*;
use serde_json::json;

use super::cases::{Case, Verdict, try_all};
use super::demands::{LOOK_AHEAD, harmless, is_compared, is_read_in_one_way, may_hold_formula, without_exclamation};
use super::expectation::{self, is_marker_label};
use super::flow::{Item, comparable, without_blanks};
use super::generator::{answer, manifest, pieces, sources};
use super::incremental;
use super::judge::{Judge, Reading, Readings};
use super::property::{cited, converted};
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
                let cases: Vec<_> = cases.iter().map(|(pieces, place)| Placed::new(pieces, *place)).collect();
                try_places(&mut judge, &cases)
            }
        },
    );
    tally.assert_all_hold();
    assert!(tally.discarded * 4 < tally.tried * 3, "{} of {} answers were not judged", tally.discarded, tally.tried);
}

/// A place in a text, as a part of its length.
#[derive(Clone, Copy, Debug)]
struct Place(u16);

impl Case for Place {
    fn without(&self, _at: usize) -> Option<Self> {
        None
    }
}

/// An answer, and where the text ends that is cited.
struct Placed {
    text: String,
    at: usize,
}

impl Placed {
    fn new(pieces: &[&str], place: Place) -> Self {
        let text = answer(pieces);
        let at = text.floor_char_boundary(text.len() * (usize::from(place.0) + 1) / (usize::from(u16::MAX) + 1));
        Self { text, at }
    }

    fn cited(&self) -> Result<String, String> {
        let mut answer = Answer::default();
        answer.text.clone_from(&self.text);
        answer.sources = incremental::manifest();
        answer.grammar = MarkerGrammar::NONE;
        let span = Span::new(&answer.text, 0..self.at).expect("a span");
        answer.citations = vec![Citation::new(span, vec![SourceIndex(2)])];
        let convert = || cite(&answer, &Rules::web_chat()).text;
        catch_unwind(AssertUnwindSafe(convert)).map_err(|_| format!("it panics at {:?}, {}", self.text, self.at))
    }

    /// Whether the place is one that no provider means: within an address, a label or an empty list, or between signs that mean
    /// something together.
    fn is_torn(&self) -> bool {
        let (before, behind) = self.text.split_at(self.at);
        let is_blank = |c: char| c.is_whitespace();
        let word =
            [before.rsplit(is_blank).next(), behind.split(is_blank).next()].map(Option::unwrap_or_default).concat();
        let is_sign = |c: char| "*_~".contains(c);
        let is_word = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
        let within_signs = (before.ends_with(is_sign) || behind.starts_with(is_sign))
            && is_word(before.trim_end_matches(is_sign).chars().next_back())
            && is_word(behind.trim_start_matches(is_sign).chars().next());
        // Behind a sign and other punctuation, what a run of signs may close hangs on its length.
        let signs = before.trim_end();
        let closed = signs.trim_end_matches(is_sign);
        let behind_signs = closed.len() < signs.len() && !closed.ends_with(char::is_alphanumeric);
        let is_in_label = before.rfind('[') > before.rfind(']') || before.ends_with(']') && behind.starts_with('[');
        let within_label = self.text.contains("]:") && is_in_label;
        let is_empty = !before.contains(char::is_alphabetic);
        let within_number = before.ends_with(|c: char| c.is_ascii_digit()) && behind.starts_with(['.', ')']);
        // markdown-it takes a bracket for a label behind an address that fails.
        let within_link = before.rfind("](") > before.rfind(')');
        within_signs
            || behind_signs
            || within_label
            || within_number
            || within_link
            || is_empty
            || ["//", "www.", "@"].iter().any(|address| word.contains(address))
    }

    fn judge(&self, before: &Readings, after: &Readings) -> Result<Verdict, String> {
        let sources = sources();
        let is_judged = is_read_in_one_way(&self.text, before) && !may_hold_formula(&self.text) && !self.is_torn();
        if !is_judged || self.text.len() > LOOK_AHEAD || is_marker_span(&self.text[..self.at]) {
            return Ok(Verdict::Discarded);
        }
        let badge =
            |item: &Item| matches!(item, Item::Link { text, title, .. } if text == "1" && title.starts_with("Third"));
        for (engine, reading) in after.engines.iter().filter(|(engine, _)| is_compared(engine, before)) {
            let told = |what: String| format!("{engine}: {what}");
            harmless(reading, &sources).map_err(told)?;
            let expected = expectation::of(before.engines[engine].flow(), &sources, &MarkerGrammar::NONE);
            if expected.inexact {
                return Ok(Verdict::Discarded);
            }
            let flow = comparable(reading.flow());
            let badges = flow.iter().filter(|item| badge(item)).count();
            if badges != 1 {
                return Err(told(format!("{badges} badges in {flow:?}")));
            }
            let rest = flow.into_iter().filter(|item| !badge(item)).collect();
            let form = |flow| without_blanks(without_exclamation(comparable(flow)));
            let (expected, found) = (form(expected.flow), form(rest));
            if expected != found {
                return Err(told(format!("\n expected {expected:?}\n    found {found:?}")));
            }
        }
        Ok(Verdict::Holds)
    }
}

fn try_places(judge: &mut Judge, cases: &[Placed]) -> Vec<Verdict> {
    let before = judge.read_all(&cases.iter().map(|case| &case.text).collect::<Vec<_>>(), true);
    let texts: Vec<_> = cases.iter().map(Placed::cited).collect();
    let written: Vec<&str> = texts.iter().map(|text| text.as_deref().unwrap_or_default()).collect();
    let after = judge.read_all(&written, false);
    let verdict = |((case, text), (before, after)): ((&Placed, &Result<String, String>), _)| {
        let verdict = match (text, before, after) {
            (Err(panic), ..) => Err(panic.clone()),
            (_, None, _) => Ok(Verdict::Discarded),
            (_, _, None) => Err("an engine fails at it".into()),
            (Ok(_), Some(before), Some(after)) => case.judge(&before, &after),
        };
        let told = |what: String| {
            let (before, behind) = case.text.split_at(case.at);
            format!("{what}\n given {before:?} | {behind:?}\n  gave {text:?}")
        };
        verdict.unwrap_or_else(|what| Verdict::Fails(told(what)))
    };
    cases.iter().zip(&texts).zip(before.into_iter().zip(after)).map(verdict).collect()
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
        converted(&json!({"text": self.given(), "sources": manifest(&[1, 2, 3]), "annotations": span}))
    }

    fn by_marker(&self) -> Result<String, String> {
        cited(&format!("{}[3]{}", self.before, self.behind), &manifest(&[1, 2, 3]))
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
