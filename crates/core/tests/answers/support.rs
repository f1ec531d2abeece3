//! The option `require_support` over whole answers and streams.

use citewire_core::convert::{Conversion, Converted, Streaming, Support, convert};
use citewire_core::dialect::Dialect;
use citewire_core::report::SupportLine;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::samples::{input, samples};

fn to(dialect: Dialect, support: Support) -> Conversion {
    let mut conversion = Conversion::to(dialect);
    conversion.options.require_support = support;
    conversion
}

/// Updates included: everything that readers get.
fn shown(converted: &Converted) -> String {
    serde_json::to_string(&converted.activities).expect("JSON")
}

#[test]
fn off_and_report_change_no_byte_of_any_sample_in_any_dialect() {
    let mut judged = 0;
    for case in samples() {
        let body = input(&case);
        for dialect in Dialect::ALL {
            let [off, report] = [Support::Off, Support::Report].map(|support| convert(&body, &to(dialect, support)));
            match (off, report) {
                (Ok(off), Ok(report)) => {
                    assert_eq!(shown(&off), shown(&report), "{} in {dialect}", case.display());
                    assert_eq!(off.report.support, [], "{}", case.display());
                    judged += report.report.support.len();
                }
                (off, report) => assert!(off.is_err() && report.is_err(), "{} in {dialect}", case.display()),
            }
        }
    }
    assert!(judged > 100, "only {judged} verdicts");
}

#[test]
fn a_sample_raises_no_alarm_without_its_reasons() {
    for case in samples() {
        let Ok(converted) = convert(&input(&case), &to(Dialect::WebChat, Support::Report)) else { continue };
        for line in &converted.report.support {
            assert!(line.verdict != "conflict" || !line.reasons.is_empty(), "{}: {line:?}", case.display());
        }
    }
}

/// Sources, then the text in pieces, with a conflict, a verbatim part and parts without a source.
fn stream() -> Vec<u8> {
    let sources = json!({"sources": [
        {"title": "Leave", "content": "Employees have 25 days of leave a year. \u{4f11}\u{6687} is paid."},
        {"title": "Canteen", "content": "The canteen opens at noon and closes at three."}]});
    let deltas =
        ["Leave is 30 ", "days a year [", "1]. The canteen ope", "ns at noon [2]", ". Ask \u{4f11}Anna first [1][2]."];
    let deltas = deltas.map(|delta| json!({"delta": delta}));
    let events = std::iter::once(sources).chain(deltas).chain([json!({"done": true})]);
    events.map(|event: Value| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// The verdicts of a stream that comes in these pieces.
fn verdicts<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<SupportLine>, Option<usize>) {
    let mut streaming = Streaming::new(to(Dialect::WebChat, Support::Report));
    for piece in pieces {
        streaming.push(piece).expect("a piece");
        // Readers may be shown what there is, after any piece.
        drop(streaming.so_far());
    }
    let report = streaming.end().expect("a message").report;
    (report.support, report.uncited_sentences)
}

#[test]
fn the_verdicts_of_a_stream_are_those_of_the_whole_answer_at_every_cut() {
    let body = stream();
    let whole = convert(&body, &to(Dialect::WebChat, Support::Report)).expect("an activity").report;
    assert_eq!(whole.support.iter().map(|line| line.verdict).collect::<Vec<_>>()[..2], ["conflict", "verbatim"]);
    for cut in 0..=body.len() {
        assert_eq!(
            verdicts([&body[..cut], &body[cut..]]),
            (whole.support.clone(), whole.uncited_sentences),
            "cut at {cut}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_verdicts_of_samples_do_not_depend_on_the_cuts(which in any::<prop::sample::Index>(), size in 1..700_usize) {
        let cases = samples();
        let body = input(&cases[which.index(cases.len())]);
        if let Ok(whole) = convert(&body, &to(Dialect::WebChat, Support::Report)) {
            let (lines, uncited) = verdicts(body.chunks(size));
            prop_assert_eq!((lines, uncited), (whole.report.support, whole.report.uncited_sentences));
        }
    }
}
