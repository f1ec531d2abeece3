//! The properties, over generated answers.

use std::cell::{Cell, RefCell};

use citewire::convert::{Conversion, convert};
use citewire::dialect::Dialect;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use super::expectation::{self, Expectation, Sources, is_marker_label, without_repeated_badges};
use super::flow::{Flow, Item, comparable, without_blanks};
use super::generator::{FORWARD_URL, answer, manifest, pieces, sources};
use super::judge::{Judge, Reading};
use super::pulldown;

/// 2,000 cases, or as many as `PROPTEST_CASES` says.
fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// What became of one answer.
enum Verdict {
    Holds,
    /// Engines read the answer itself in two ways.
    Discarded,
}

#[test]
fn every_engine_reads_every_badge_as_its_source_and_everything_else_as_it_was() {
    let judge = RefCell::new(Judge::start());
    let (tried, discarded) = (Cell::new(0_u32), Cell::new(0_u32));
    let result = TestRunner::new(config()).run(&pieces(), |pieces| {
        tried.set(tried.get() + 1);
        let verdict = try_answer(&mut judge.borrow_mut(), &answer(&pieces))?;
        if matches!(verdict, Verdict::Discarded) {
            discarded.set(discarded.get() + 1);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (tried, discarded) = (tried.get(), discarded.get());
    println!("{discarded} of {tried} answers were discarded: engines read them in two ways");
    assert!(
        discarded * 100 < tried * 3,
        "engines disagree about {discarded} of {tried} answers: the generator is too wild"
    );
}

/// A citation of a span is read like a marker at its end, wherever that end is text.
#[test]
fn every_engine_reads_a_cited_span_as_it_reads_a_marker_behind_it() {
    const ANCHOR: &str = "anchor";
    let judge = RefCell::new(Judge::start());
    let judged = Cell::new(0_u32);
    let config = config();
    let result = TestRunner::new(config.clone()).run(&(pieces(), pieces()), |(before, behind)| {
        // Blanks around it keep the two ways of citing alike: a bracket is punctuation, and a place between words is not.
        let (before, behind) = (format!("{} {ANCHOR}", answer(&before)), format!(" {}", answer(&behind)));
        let given = format!("{before}{behind}");
        let judge = &mut *judge.borrow_mut();
        let readings = judge.read(&given, true);
        let by_pulldown = comparable(pulldown::read(&given, is_marker_label));
        let is_anchor = |item: &Item| matches!(item, Item::Text(text) if text.contains(ANCHOR));
        if readings["markdown-it"].has_table()
            || readings.values().any(|reading| comparable(reading.flow()) != by_pulldown)
            || !by_pulldown.iter().any(is_anchor)
            || expectation::of(readings["markdown-it"].flow(), &sources()).inexact
        {
            return Ok(());
        }
        judged.set(judged.get() + 1);
        let span =
            json!([{"start": before.len() - ANCHOR.len(), "end": before.len(), "unit": "utf8", "sources": ["3"]}]);
        let body = json!({"text": given, "sources": manifest(&[1, 2, 3]), "annotations": span}).to_string();
        let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
        let by_span = converted.activities[0].text.clone().unwrap_or_default();
        let by_marker = cited(&format!("{before}[3]{behind}"), &manifest(&[1, 2, 3]));
        let (by_span, by_marker) = (judge.read(&by_span, false), judge.read(&by_marker, false));
        for (engine, reading) in &by_span {
            let (found, expected) = (comparable(reading.flow()), comparable(by_marker[engine].flow()));
            if found != expected {
                return Err(fails(format!("{engine}: {given:?}\n expected {expected:?}\n    found {found:?}")));
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(judged.get() * 2 > config.cases, "only {} answers were judged", judged.get());
}

/// Whether all links and images that are read without the model's definitions of markers are there with them as well.
fn keeps_links(without: &Flow, with: &Flow) -> bool {
    let is_safe = |item: &&Item| match item {
        Item::Link { url, .. } | Item::Image { url, .. } => {
            ["http://", "https://"].iter().any(|web| url.starts_with(web))
        }
        _ => false,
    };
    without.iter().filter(is_safe).all(|link| with.contains(link))
}

fn fails(reason: String) -> TestCaseError {
    TestCaseError::fail(reason)
}

fn try_answer(judge: &mut Judge, given: &str) -> Result<Verdict, TestCaseError> {
    let sources = sources();
    let before = judge.read(given, true);
    let by_pulldown = comparable(pulldown::read(given, is_marker_label));
    let has_table = before["markdown-it"].has_table();
    let compared = |engine: &str| engine != "mdast" || !has_table;
    if before.iter().any(|(engine, reading)| compared(engine) && comparable(reading.flow()) != by_pulldown) {
        return Ok(Verdict::Discarded);
    }
    if !keeps_links(&before["markdown-it"].flow(), &judge.read(given, false)["markdown-it"].flow()) {
        // `[1][2][foo]`: which two belong together depends on whether the model's own definition of 2 counts.
        return Ok(Verdict::Discarded);
    }
    let expected = expectation::of(before["markdown-it"].flow(), &sources);
    let text = cited(given, &manifest(&[1, 2, 3]));
    let after = judge.read(&text, false);
    for (engine, reading) in &after {
        let context = |what: &str| fails(format!("{engine}: {what}\n given {given:?}\n  gave {text:?}"));
        if !expected.inexact {
            definitions(reading, &before[engine], &expected, &sources).map_err(|what| context(&what))?;
            if compared(engine) {
                flows(reading, expectation::of(before[engine].flow(), &sources)).map_err(|what| context(&what))?;
            }
        }
        harmless(reading, &sources).map_err(|what| context(&what))?;
        // Where a bare address swallows a link of the answer itself, it may swallow more.
        let drawn = compared(engine) && before[engine].draws_what_is_read() && reading.draws_what_is_read();
        badges(reading, drawn).map_err(|what| context(&what))?;
    }
    again(&text, &expected, &after)?;
    Ok(Verdict::Holds)
}

/// The text of the activity that an answer becomes.
fn cited(text: &str, sources: &[Value]) -> String {
    let body = json!({"text": text, "sources": sources}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
    converted.activities[0].text.clone().unwrap_or_default()
}

/// The definitions are those of the cited sources, in their order; beside them only the model's own, for links that came
/// before their definition.
fn definitions(reading: &Reading, before: &Reading, expected: &Expectation, sources: &Sources) -> Result<(), String> {
    let of = |(at, place): (usize, &usize)| {
        let (url, title) = sources.all[place - 1];
        ((at + 1).to_string(), url.map_or_else(|| format!("cite:{}", at + 1), str::to_owned), title.to_owned())
    };
    let expected: Vec<_> = expected.cited.iter().enumerate().map(of).collect();
    let is_own = |definition: &&(String, String, String)| {
        is_marker_label(&definition.0) || !before.definitions.contains(definition)
    };
    let mut found: Vec<_> = reading.definitions.iter().filter(is_own).cloned().collect();
    found.sort();
    if found == expected { Ok(()) } else { Err(format!("the definitions are {found:?}, not {expected:?}")) }
}

fn flows(reading: &Reading, expected: Expectation) -> Result<(), String> {
    let form = |flow: Flow| {
        let flow = without_repeated_badges(without_exclamation(comparable(flow)));
        if expected.vanished { without_repeated_badges(without_blanks(flow)) } else { flow }
    };
    let (expected, found) = (form(expected.flow), form(reading.flow()));
    if expected == found {
        return Ok(());
    }
    let at = expected.iter().zip(&found).take_while(|(expected, found)| expected == found).count();
    Err(format!(
        "at {at}\n expected {:?}\n    found {:?}",
        &expected[at.min(expected.len())..],
        &found[at.min(found.len())..]
    ))
}

/// A flow in which `!` before a link to an address that only definitions name is gone: an image that came before its
/// definition is a link behind its `!`, one that came after it is a link.
fn without_exclamation(flow: Flow) -> Flow {
    let is_forward = |item: Option<&Item>| matches!(item, Some(Item::Link { url, .. }) if url == FORWARD_URL);
    let next: Vec<bool> = (0..flow.len()).map(|at| is_forward(flow.get(at + 1))).collect();
    let part = |(item, forward): (Item, bool)| match item {
        Item::Text(text) if forward => Item::Text(text.strip_suffix('!').unwrap_or(&text).to_owned()),
        item => item,
    };
    let is_empty = |item: &Item| matches!(item, Item::Text(text) if text.is_empty());
    flow.into_iter().zip(next).map(part).filter(|item| !is_empty(item)).collect()
}

/// No images, no HTML that can act, no link but to a source or an address that readers may be led to.
fn harmless(reading: &Reading, sources: &Sources) -> Result<(), String> {
    for item in reading.flow().into_iter().chain(reading.drawn()) {
        match item {
            Item::Image { url, .. } => return Err(format!("the image {url}")),
            Item::Html(source) => {
                let shown: String = source
                    .split("<!--")
                    .map(|part| part.split_once("-->").map_or(part, |(_, shown)| shown).to_lowercase())
                    .collect();
                if ["<img", "<script", "<button", "<a "].iter().any(|harm| shown.contains(harm)) {
                    return Err(format!("the HTML {source}"));
                }
            }
            Item::Link { url, .. } => {
                let scheme = url.split_once(':').map_or(String::new(), |(scheme, _)| scheme.to_lowercase());
                let number = url.strip_prefix("cite:").and_then(|number| number.parse::<usize>().ok());
                let is_source = number.is_some_and(|number| number <= sources.all.len());
                if !is_source && !["http", "https", "mailto"].contains(&scheme.as_str()) {
                    return Err(format!("a link to {url}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Every link to a defined address that shows a number shows its own, and the page draws each of them.
fn badges(reading: &Reading, drawn: bool) -> Result<(), String> {
    let flow = reading.flow();
    let is_badge = |item: &&Item| matches!(item, Item::Link { text, url, .. } if reading.definitions.iter().any(|(label, to, _)| label == text && to == url));
    for item in &flow {
        if let Item::Link { text, url, .. } = item
            && let Some((_, to, _)) = reading.definitions.iter().find(|(label, ..)| label == text)
            && to != url
        {
            return Err(format!("the badge {text} leads to {url}"));
        }
    }
    let links = reading.drawn();
    let (read, shown) = (flow.iter().filter(is_badge).count(), links.iter().filter(is_badge).count());
    if drawn && read != shown {
        return Err(format!("{read} badges, of which {shown} are drawn: {links:?}"));
    }
    Ok(())
}

/// What came out, converted again with the sources in the order of their numbers, stays as it is.
fn again(
    text: &str,
    expected: &Expectation,
    _: &std::collections::BTreeMap<String, Reading>,
) -> Result<(), TestCaseError> {
    if expected.inexact {
        return Ok(());
    }
    let rest = [1, 2, 3].into_iter().filter(|place| !expected.cited.contains(place));
    let order: Vec<usize> = expected.cited.iter().copied().chain(rest).collect();
    let twice = cited(text, &manifest(&order));
    if twice == text { Ok(()) } else { Err(fails(format!("changed again\n  gave {text:?}\n  then {twice:?}"))) }
}
