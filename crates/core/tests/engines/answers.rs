//! Answers as models write them: what becomes of their bytes, and of what readers see.
//!
//! `fixtures/answers.txt` holds them, each below a line with its name. One whose name begins with `crlf` has such line ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use regex::Regex;
use serde_json::json;

use super::demands::is_compared;
use super::flow::{Flow, Item, KEPT_END, KEPT_START};
use super::given::activity;
use super::judge::{Judge, Reading, Readings};

const ANSWERS: &str = include_str!("fixtures/answers.txt");

const SOURCES: usize = 5;

/// Of a hundred answers that readers get as they were, how many keep every byte but those of their markers.
const KEPT: usize = 96;

/// The answers that readers get otherwise than the model wrote them, each with the reason. All others read as before.
const OTHERWISE: &[(&str, &str)] = &[
    ("details", "Web Chat 4.18.1 would lose its text, so the tags are text"),
    ("image", "an image of any site is a link to it"),
    ("footnotes of markdown", "one engine knows footnotes, so they are text"),
    ("reference links", "the definition stays in a quote that shows nothing"),
    ("unfinished code", "the fence is closed before the definitions"),
    ("sub and sup", "raised and lowered digits are Unicode's"),
];

struct Given {
    name: &'static str,
    text: String,
}

/// The texts of all answers.
pub(super) fn texts() -> Vec<String> {
    answers().into_iter().map(|given| given.text).collect()
}

fn answers() -> Vec<Given> {
    let answer = |part: &'static str| {
        let (name, text) = part.split_once('\n').expect("a name and a text");
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = if name.starts_with("crlf") { text.replace('\n', "\r\n") } else { text.to_owned() };
        Given { name, text }
    };
    ANSWERS.split("%%%% ").skip(1).map(answer).collect()
}

/// The text with badges in place of its markers, found without any code of the rewrite: none of these answers has a marker where
/// it takes a parser to tell. What keeps a badge apart from its neighbour belongs to it.
fn with_badges(text: &str) -> String {
    let markers = Regex::new(concat!(
        r"(?s)````.*?````|```.*?(?:```|$)|~~~.*?~~~|``.*?``|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|\\\(.*?\\\)|\\\[.*?\\\]",
        r"|!?(?:\[(?:doc)?\d+\]|\[\d+(?:[,-] ?\d+)+\]|\[\^\d+\^?\]|【\d+(?:†[^】]*)?】)+[(:]?",
    ));
    let number = Regex::new(r"\d+").expect("a pattern");
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let badges = |found: &regex::Captures<'_>| {
        let found = &found[0];
        let marker = found.trim_start_matches('!').trim_end_matches(['(', ':']);
        if !marker.starts_with(['[', '【']) {
            return found.to_owned();
        }
        let (before, behind) =
            (&found[..usize::from(found.starts_with('!'))], &found[found.trim_end_matches(['(', ':']).len()..]);
        let apart = |neighbour: &str| if neighbour.is_empty() { "" } else { "\u{200b}" };
        let mut places: Vec<usize> =
            number.find_iter(found).map(|place| place.as_str().parse().expect("a number")).collect();
        if found.contains('-') {
            places = (places[0]..=places[1]).collect();
        }
        if places.iter().any(|place| !(1..=SOURCES).contains(place)) {
            return found.to_owned();
        }
        let badges = places.into_iter().map(|place| {
            let next = numbers.len() + 1;
            format!("[{}]", numbers.entry(place).or_insert(next))
        });
        let badges = badges.collect::<Vec<_>>().join("\u{200b}");
        format!("{before}{}{badges}{}{behind}", apart(before), apart(behind))
    };
    markers.expect("a pattern").replace_all(text, badges).into_owned()
}

fn converted(text: &str) -> String {
    let source = |place| json!({"title": format!("Paper {place}"), "url": format!("https://papers.example/{place}")});
    let sources: Vec<_> = (1..=SOURCES).map(source).collect();
    activity(&json!({"text": text, "sources": sources})).expect("no panic")
}

/// A text and the definitions behind it.
fn parts(written: &str) -> (&str, &str) {
    written.split_at(written.find("\n\n[1]: https://papers.example/").unwrap_or(written.len()))
}

/// The flow as readers get it, blanks included: texts in one piece, without signs that nobody sees.
fn read(reading: &Reading) -> Flow {
    let is_seen = |c: &char| !matches!(*c, '\u{200b}' | KEPT_START | KEPT_END);
    let mut flow = Flow::new();
    for item in reading.flow() {
        match (flow.last_mut(), item) {
            (Some(Item::Text(before)), Item::Text(text)) => before.extend(text.chars().filter(is_seen)),
            (_, Item::Text(text)) => flow.push(Item::Text(text.chars().filter(is_seen).collect())),
            (_, item) => flow.push(item),
        }
    }
    flow
}

/// Where one engine reads two texts in two ways.
fn differences(plain: &Readings, written: &Readings) -> Vec<String> {
    let differs = |(engine, after): (&String, &Reading)| {
        let (before, after) = (read(&plain.engines[engine]), read(after));
        let at = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
        let of = |flow: &Flow| format!("{:?}", &flow[at.min(flow.len())..(at + 3).min(flow.len())]);
        (before != after).then(|| format!("{engine} at {at}\n    {}\n    {}", of(&before), of(&after)))
    };
    written.engines.iter().filter(|(engine, _)| is_compared(engine, plain)).filter_map(differs).collect()
}

#[test]
fn answers_of_models_keep_their_bytes_and_are_read_as_before() {
    let answers = answers();
    assert!(answers.len() >= 200, "{} answers", answers.len());
    let written: Vec<String> = answers.iter().map(|answer| converted(&answer.text)).collect();
    let bodies: Vec<String> = answers.iter().map(|answer| with_badges(&answer.text)).collect();
    let plain: Vec<String> =
        bodies.iter().zip(&written).map(|(body, written)| format!("{body}{}", parts(written).1)).collect();
    let mut judge = Judge::start();
    let before = judge.read_all(&plain, false);
    let after = judge.read_all(&written, false);
    let (mut changed, mut kept) = (String::new(), 0);
    let (mut otherwise, mut told) = (BTreeSet::new(), String::new());
    for (at, answer) in answers.iter().enumerate() {
        // Blank lines at the end are in nobody's way.
        let (body, expected) = (parts(&written[at]).0.trim_end(), bodies[at].trim_end());
        if body == expected {
            kept += 1;
        } else {
            writeln!(changed, "{}:\n    {expected:?}\n    {body:?}", answer.name).expect("a string");
        }
        let (before, after) = (before[at].as_ref().expect("a reading"), after[at].as_ref().expect("a reading"));
        for difference in differences(before, after) {
            otherwise.insert(answer.name);
            writeln!(told, "{}: {difference}", answer.name).expect("a string");
        }
    }
    assert_eq!(otherwise, OTHERWISE.iter().map(|(name, _)| *name).collect(), "readers get otherwise:\n{told}");
    let all = answers.len() - OTHERWISE.len();
    assert!(kept * 100 >= all * KEPT, "{kept} of {all} answers keep every byte; these do not:\n{changed}");
}
