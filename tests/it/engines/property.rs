//! The properties, over generated answers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use citewire::answer::{Answer, Citation, MarkerGrammar, SourceIndex, is_marker_span};
use citewire::cite::{Rules, cite};
use citewire::convert::{Conversion, convert};
use citewire::dialect::Dialect;
use citewire::text::Span;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases::{Case, Verdict, try_all};
use super::expectation::{self, Expectation, Sources, is_marker_label, without_repeated_badges};
use super::flow::{Flow, Item, comparable, without_blanks};
use super::generator::{ATTESTED, FORWARD_URL, GRAMMARS, answer, manifest, pieces, sources};
use super::incremental;
use super::judge::{Judge, Reading, Readings};
use super::pulldown;

#[test]
fn every_engine_reads_every_badge_as_its_source_and_everything_else_as_it_was() {
    let tally = try_all("citations", pieces, || {
        let mut judge = Judge::start();
        move |cases: &[Vec<&'static str>]| {
            let answers: Vec<Given> = cases.iter().map(|pieces| Given::native(answer(pieces))).collect();
            try_answers(&mut judge, &answers)
        }
    });
    tally.assert_all_hold();
    assert!(
        tally.discarded * 100 < tally.tried * 3,
        "engines disagree about {} of {} answers: the generator is too wild",
        tally.discarded,
        tally.tried
    );
}

/// Which brackets are markers is a matter of the format; that all else stays and nothing can be forged is not.
#[test]
fn every_engine_reads_what_any_provider_sends_as_its_markers_mean_it() {
    let grammars = || (0..GRAMMARS.len()).prop_map(Format);
    let tally = try_all(
        "formats",
        || (grammars(), pieces()),
        || {
            let mut judge = Judge::start();
            move |cases: &[(Format, Vec<&'static str>)]| {
                let given = |(Format(at), pieces): &(Format, Vec<_>)| Given::of(GRAMMARS[*at].1, &answer(pieces));
                try_answers(&mut judge, &cases.iter().map(given).collect::<Vec<_>>())
            }
        },
    );
    tally.assert_all_hold();
    assert!(tally.discarded * 25 < tally.tried, "{} of {} answers were not judged", tally.discarded, tally.tried);
}

/// The place of a format among those of [`GRAMMARS`].
#[derive(Clone)]
struct Format(usize);

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(GRAMMARS[self.0].0)
    }
}

impl Case for Format {
    fn without(&self, _at: usize) -> Option<Self> {
        None
    }
}

/// An answer as a provider sends it.
struct Given {
    text: String,
    grammar: MarkerGrammar,
}

impl Given {
    /// In citewire's own format, where every form is a marker.
    fn native(text: String) -> Self {
        Self { text, grammar: MarkerGrammar::ALL }
    }

    /// In a format whose citations also come beside the text.
    fn of(grammar: MarkerGrammar, text: &str) -> Self {
        Self { text: format!("{ATTESTED}\n\n{text}"), grammar }
    }

    fn is_native(&self) -> bool {
        self.grammar == MarkerGrammar::ALL
    }

    fn cited(&self) -> Result<String, String> {
        if self.is_native() {
            return cited(&self.text, &manifest(&[1, 2, 3]));
        }
        let mut answer = Answer::default();
        answer.text.clone_from(&self.text);
        answer.sources = incremental::manifest();
        answer.grammar = self.grammar;
        let span = Span::new(&answer.text, 0..ATTESTED.len()).expect("a span");
        answer.citations = vec![Citation::new(span, vec![SourceIndex(0)])];
        let convert = || cite(&answer, &Rules::web_chat()).text;
        catch_unwind(AssertUnwindSafe(convert)).map_err(|_| format!("it panics at {:?}", self.text))
    }
}

/// What long runs have found, and what resembles it: each was once read in another way by an engine.
#[test]
fn every_engine_reads_what_was_found_in_long_runs() {
    let found = [
        // A link without a text by a definition: written inline, it stood beside a bracket, and was moved away the second time.
        "[foo]: https://ok.example/foo 'x'\n\n[1][9][][foo][1]",
        // What begins like a fence, and is none because of a backtick that goes with the link.
        "```[`1`](https://ok.example)\nx",
        "> - ```[`1`](https://ok.example) [a `` b](https://ok.example) `[2]`",
        // An image whose description is a marker, in the text of a link: its address stayed.
        "[![1](https://ok.example/i.png)](https://ok.example/p) [2]",
        "[a ![[1]](https://ok.example/i.png) ![**2**](https://ok.example/i.png) b](https://ok.example/p)",
        // What nobody sees beside a marker that is all of a link.
        "[<sub>1</sub>](https://ok.example) [1\u{200b}](https://ok.example) [1<!-- -->](https://ok.example)",
        // An empty quote in an item, which is what is left of one with a definition.
        "x_y[2]\n- > [1]:\\",
        // What looks like a badge before what becomes a label once its brackets are escaped.
        "[**[1]**][see [1]](https://ok.example)",
        "[[^1^]][9][foo][] [**[doc2]**][9]",
        // Math that holds the number of a claim, in the text of a link.
        "``[1][2]<![CDATA[$a[1]$`[te`x`t](https://ok.example \"Title\")",
        "[see $a[1]$](https://ok.example) and $a[1]$",
        // A link on nothing but a marker, which is formatted.
        "[~~[1]~~](https://ok.example)",
        "[**[1]**](https://ok.example)",
        "[*1*](https://ok.example)",
        "[_**2**_](https://ok.example) [__[1, 2]__](https://ok.example)",
        "[`1`](https://ok.example)",
        "[`` [1] ``](https://ok.example)",
        "[\\[1\\]](https://ok.example)",
        "![**1**](https://ok.example/i.png)",
        "[**1](https://ok.example) [* 1 *](https://ok.example) [**1*](https://ok.example)",
        "[~1~](https://ok.example)",
        "[foo]: https://ok.example/foo\n[**1**]: https://ok.example\n\n[*1*][foo] [**[1]**][foo] [**1**]",
        "[**1**][foo]\n\n[foo]: https://ok.example/foo",
    ];
    // What engines read in more than one way is safe in all of them.
    let read_differently = [
        // A bullet in a bullet, which one engine takes for text behind a paragraph: the image was code for all others.
        "[doc9]\n- *\n===\n\n\n\t![alt](https://ok.example/i.png)",
        "x\n- *\n\n\t![alt](https://ok.example/i.png)",
        "> x\n> - +\n> \n>     [2] ![alt](https://ok.example/i.png)",
        "x\n> *\n\n    ![alt](https://ok.example/i.png)",
        // Code over a line that begins like a footnote: where there are footnotes it is no code.
        "`[x](javascript:y)\n[^1]: A note\n` [2]",
        "a <!-- [x](javascript:y)\n[^9]: A note\n--> [2]",
    ];
    let answers: Vec<Given> =
        found.iter().chain(&read_differently).map(|answer| Given::native((*answer).to_owned())).collect();
    for (at, verdict) in try_answers(&mut Judge::start(), &answers).into_iter().enumerate() {
        match verdict {
            Verdict::Holds => assert!(at < found.len(), "engines read {:?} in one way now", answers[at].text),
            Verdict::Discarded => assert!(at >= found.len(), "engines disagree about {:?}", answers[at].text),
            Verdict::Fails(reason) => panic!("{:?}: {reason}", answers[at].text),
        }
    }
}

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

fn try_answers(judge: &mut Judge, answers: &[Given]) -> Vec<Verdict> {
    let before = judge.read_all(&answers.iter().map(|given| &given.text).collect::<Vec<_>>(), true);
    let texts: Vec<_> = answers.iter().map(Given::cited).collect();
    let written: Vec<&str> = texts.iter().map(|text| text.as_deref().unwrap_or_default()).collect();
    let after = judge.read_all(&written, false);
    let readings = before.into_iter().zip(after);
    let verdict = |((given, text), (before, after)): ((&Given, &Result<String, String>), _)| {
        let told = |what: String| format!("{what}\n given {:?}\n  gave {text:?}", given.text);
        let verdict = match (text, before, after) {
            (Err(panic), ..) => Err(panic.clone()),
            (_, None, _) => Ok(Verdict::Discarded),
            (_, _, None) => Err("an engine fails at it".into()),
            (Ok(text), Some(before), Some(after)) => judge_answer(given, &before, &after, text),
        };
        verdict.unwrap_or_else(|what| Verdict::Fails(told(what)))
    };
    answers.iter().zip(&texts).zip(readings).map(verdict).collect()
}

/// Whether mdast is asked about everything: it knows no tables.
fn is_compared(engine: &str, before: &Readings) -> bool {
    engine != "mdast" || !before.engines["markdown-it"].has_table()
}

/// Whether all engines, and the parser behind the rewrite, read the answer alike.
fn is_read_in_one_way(given: &str, before: &Readings) -> bool {
    let by_pulldown = comparable(pulldown::read(given, is_marker_label));
    let agree = |(engine, reading): (&String, &Reading)| {
        !is_compared(engine, before) || comparable(reading.flow()) == by_pulldown
    };
    // `[1][2][foo]`: which two belong together depends on whether the model's own definition of 2 counts.
    // Likewise `[a [foo]](…)`, where what is a link hangs on a definition that may come later.
    let flow = before.engines["markdown-it"].flow();
    before.engines.iter().all(agree)
        && keeps_links(&flow, &before.links())
        && keeps_links(&before.links_without_definitions(), &flow)
}

/// Whether brackets stand in what may be a formula between escaped brackets. Engines do not know it.
fn may_hold_formula(given: &str) -> bool {
    [("\\(", "\\)"), ("\\[", "\\]")].iter().any(|(open, close)| {
        let formulas = given.split(open).skip(1).filter_map(|behind| behind.split_once(close));
        formulas.into_iter().any(|(formula, _)| formula.contains('['))
    })
}

/// Whatever engines make of the answer, what it becomes is safe; where they read it alike, it is exact as well.
fn judge_answer(given: &Given, before: &Readings, after: &Readings, text: &str) -> Result<Verdict, String> {
    let sources = sources();
    let Given { text: given, grammar } = given;
    let is_read_in_one_way = is_read_in_one_way(given, before);
    let mut expected = expectation::of(before.engines["markdown-it"].flow(), &sources, grammar);
    // What does not end in time is text, whatever engines make of it.
    expected.inexact |= given.len() > LOOK_AHEAD || !is_read_in_one_way || may_hold_formula(given);
    for (engine, reading) in &after.engines {
        let context = |what: String| format!("{engine}: {what}");
        let read_before = &before.engines[engine];
        let is_compared = is_compared(engine, before);
        if !expected.inexact {
            definitions(reading, read_before, &expected, &sources).map_err(context)?;
            if is_compared {
                flows(reading, expectation::of(read_before.flow(), &sources, grammar)).map_err(context)?;
            }
        }
        harmless(reading, &sources).map_err(context)?;
        // Where a bare address swallows a link of the answer itself, it may swallow more.
        let drawn = !given.contains('$')
            && is_read_in_one_way
            && is_compared
            && read_before.draws_what_is_read()
            && reading.draws_what_is_read();
        badges(reading, drawn).map_err(context)?;
    }
    // What is no marker in one format may be one in the other.
    if *grammar == MarkerGrammar::ALL {
        again(text, &expected)?;
    }
    Ok(if is_read_in_one_way { Verdict::Holds } else { Verdict::Discarded })
}

/// The text of the activity that an answer becomes.
fn cited(text: &str, sources: &[Value]) -> Result<String, String> {
    converted(&json!({"text": text, "sources": sources}))
}

fn converted(answer: &Value) -> Result<String, String> {
    let convert = || {
        let converted = convert(answer.to_string().as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
        converted.activities[0].text.clone().unwrap_or_default()
    };
    catch_unwind(AssertUnwindSafe(convert)).map_err(|_| format!("the conversion panics at {answer}"))
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
        Item::Text(text) if forward => Item::Text(text.trim_end_matches('!').to_owned()),
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
                let shown = outside_comments(&source).to_lowercase();
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

/// What is left of HTML without what every engine and every browser takes for a comment.
fn outside_comments(source: &str) -> String {
    let mut shown = String::new();
    let mut rest = source;
    while let Some(at) = rest.find("<!--") {
        shown.push_str(&rest[..at]);
        let comment = &rest[at + 4..];
        let content = comment.split_once("-->").map(|(content, _)| content);
        let is_plain = |content: &&str| !content.contains("--") && !content.starts_with(['>', '-']);
        rest = content.filter(is_plain).map_or(comment, |content| &comment[content.len() + 3..]);
    }
    shown + rest
}

/// Every link to a defined address that shows a number shows its own, and the page draws each of them.
fn badges(reading: &Reading, drawn: bool) -> Result<(), String> {
    let flow = reading.flow();
    let claims: Vec<_> = reading.definitions.iter().filter(|(label, ..)| is_marker_label(label)).collect();
    let is_badge = |item: &&Item| matches!(item, Item::Link { text, url, .. } if claims.iter().any(|(label, to, _)| label == text && to == url));
    for item in &flow {
        if let Item::Link { text, url, .. } = item
            && let Some((_, to, _)) = claims.iter().find(|(label, ..)| label == text)
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

/// The longest that anything is waited for (policy P-12).
const LOOK_AHEAD: usize = 4 * 1024;

/// What came out, converted again with the sources in the order of their numbers, stays as it is.
fn again(text: &str, expected: &Expectation) -> Result<(), String> {
    if expected.inexact || text.len() > LOOK_AHEAD {
        return Ok(());
    }
    let rest = [1, 2, 3].into_iter().filter(|place| !expected.cited.contains(place));
    let order: Vec<usize> = expected.cited.iter().copied().chain(rest).collect();
    let twice = cited(text, &manifest(&order))?;
    if twice == text { Ok(()) } else { Err(format!("changed again, to {twice:?}")) }
}
