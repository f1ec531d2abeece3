//! The properties of whole answers, over generated ones.

use citewire_core::answer::MarkerGrammar;

use super::cases::{Verdict, try_all};
use super::demands::{
    LOOK_AHEAD, badges, definitions, flows, harmless, is_compared, is_read_in_one_way, may_hold_formula,
};
use super::expectation::{self, Expectation};
use super::generator::{answer, manifest, pieces, sources};
use super::given::{Format, Given, converted, judge_all};
use super::judge::{Judge, Readings};

#[test]
fn every_engine_reads_every_badge_as_its_source_and_everything_else_as_it_was() {
    let tally = try_all("citations", pieces, || {
        let mut judge = Judge::start();
        move |cases: &[Vec<&'static str>]| {
            let answers: Vec<Given> = cases.iter().map(|pieces| Given::native(answer(pieces))).collect();
            judge_all(&mut judge, &answers, judge_answer)
        }
    });
    tally.assert_all_hold();
    tally.assert_few_discarded(3.0);
}

/// Which brackets are markers is a matter of the format; that all else stays and nothing can be forged is not.
#[test]
fn every_engine_reads_what_any_provider_sends_as_its_markers_mean_it() {
    let tally = try_all(
        "formats",
        || (Format::of_a_provider(), pieces()),
        || {
            let mut judge = Judge::start();
            move |cases: &[(Format, Vec<&'static str>)]| {
                let given = |(format, pieces): &(Format, Vec<_>)| Given::attested(format.grammar(), &answer(pieces));
                judge_all(&mut judge, &cases.iter().map(given).collect::<Vec<_>>(), judge_answer)
            }
        },
    );
    tally.assert_all_hold();
    tally.assert_few_discarded(4.0);
}

/// Answers that long runs have found, and their like: an engine once read the rewrite of each in another way.
#[test]
fn every_engine_reads_what_was_found_in_long_runs() {
    let found = [
        // A link without a text by a definition: written inline, it stood beside a bracket, and was moved away the second time.
        "[foo]: https://ok.example/foo 'x'\n\n[1][9][][foo][1]",
        // The beginning of a fence that is none, because of a backtick that goes with the link.
        "```[`1`](https://ok.example)\nx",
        "> - ```[`1`](https://ok.example) [a `` b](https://ok.example) `[2]`",
        // An image whose description is a marker, in the text of a link: its address stayed.
        "[![1](https://ok.example/i.png)](https://ok.example/p) [2]",
        "[a ![[1]](https://ok.example/i.png) ![**2**](https://ok.example/i.png) b](https://ok.example/p)",
        // Signs that nobody sees, beside a marker that is all of a link.
        "[<sub>1</sub>](https://ok.example) [1\u{200b}](https://ok.example) [1<!-- -->](https://ok.example)",
        // An empty quote in an item, which is what is left of one with a definition.
        "x_y[2]\n- > [1]:\\",
        // A bracket like a badge, before a text that becomes a label once its brackets are escaped.
        "[**[1]**][see [1]](https://ok.example)",
        "[[^1^]][9][foo][] [**[doc2]**][9]",
        "[[[1]](https://evil.example)][9] [[doc9][1]][9] [[1][doc9]][9] [[doc9](https://ok.example)[2]][9]",
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
        // A border is no head of a table, so that brackets reach beyond one in the lines under it.
        "|\n-|\n![|](https://evil.example/i.png) [2]",
        // Nor is a line that is indented as code would be.
        "x\n    a|b\n-|-\n![|](https://evil.example/i.png) [2]",
        // A bracket with another in it is no label until that goes, or until the image whose description it is does. What
        // was in code behind it came alive, and the text was seen by nobody.
        "[1]: https://evil.example\n[[]()```]:y\n<button e=\"\">``` [2]",
        "[a [b](javascript:x) `]:` c]\n[2]",
        "[a [b](javascript:x) c]: y\n\n[2]",
        "[a [`]: b`](javascript:x)\n[2]",
        "[<b title=\"[\">x]: https://evil.example\n[2]",
        "[a<b title=\"[\">`]:`y\n[2]",
        "[[]()<!--]:y-->\n[2]",
        "[![a](javascript:x)]: https://evil.example\n[2]",
        "![a `]: b`](https://evil.example/i.png)\n[2]",
    ];
    // Answers that engines read in more than one way are safe in all of them.
    let read_differently = [
        // A bullet in a bullet, which one engine takes for text behind a paragraph: the image was code for all others.
        "[doc9]\n- *\n===\n\n\n\t![alt](https://ok.example/i.png)",
        "x\n- *\n\n\t![alt](https://ok.example/i.png)",
        "> x\n> - +\n> \n>     [2] ![alt](https://ok.example/i.png)",
        "x\n> *\n\n    ![alt](https://ok.example/i.png)",
        // A table to one engine and none to another: the image loaded in the one.
        "a\n-|\n![|](https://evil.example/i.png) [2]",
        "a\\\\|b|\n|-|-|\n![|](https://evil.example/i.png) [2]",
        "> x\na|b\n> -|-\n> ![|](https://evil.example/i.png) [2]",
        // markdown-it looks for tables before it looks for headings, lists, code and HTML.
        "# a|b\n-|-\n`|![x](https://evil.example/i.png)|` [2]",
        "- a|b\n  -|-\n`|![x](https://evil.example/i.png)|` [2]",
        "<!-- a|b\n-|-\n![x](https://evil.example/i.png)\n-->\n[2]",
        "```a|b\n-|-\n![x](https://evil.example/i.png)\n```\n[2]",
        // Code over a line that begins like a footnote: where there are footnotes it is no code.
        "`[x](javascript:y)\n[^1]: A note\n` [2]",
        "a <!-- [x](javascript:y)\n[^9]: A note\n--> [2]",
    ];
    let answers: Vec<Given> =
        found.iter().chain(&read_differently).map(|answer| Given::native((*answer).to_owned())).collect();
    for (at, verdict) in judge_all(&mut Judge::start(), &answers, judge_answer).into_iter().enumerate() {
        match verdict {
            Verdict::Holds => assert!(at < found.len(), "engines read {:?} in one way now", answers[at].text),
            Verdict::Discarded => assert!(at >= found.len(), "engines disagree about {:?}", answers[at].text),
            Verdict::Fails(reason) => panic!("{:?}: {reason}", answers[at].text),
        }
    }
}

/// Whatever engines make of the answer, what it becomes is safe; where they read it alike, it is exact as well.
fn judge_answer(given: &Given, before: &Readings, after: &Readings, text: &str) -> Result<Verdict, String> {
    let sources = sources();
    let Given { text: given, grammar, .. } = given;
    let is_read_in_one_way = is_read_in_one_way(given, before);
    let mut expected = expectation::of(before.engines["markdown-it"].flow(), &sources, grammar);
    // Markdown that does not end in time is text, whatever engines make of it.
    expected.inexact |= given.len() > LOOK_AHEAD || !is_read_in_one_way || may_hold_formula(given);
    for (engine, reading) in &after.engines {
        let context = |what: String| format!("{engine}: {what}");
        let read_before = &before.engines[engine];
        if !expected.inexact {
            definitions(reading, read_before, &expected, &sources).map_err(context)?;
        }
        if !is_compared(engine, before) {
            continue;
        }
        if !expected.inexact {
            flows(reading, expectation::of(read_before.flow(), &sources, grammar)).map_err(context)?;
        }
        harmless(reading, &sources).map_err(context)?;
        // Where a bare address swallows a link of the answer itself, it may swallow more.
        let drawn = !given.contains('$')
            && is_read_in_one_way
            && read_before.draws_what_is_read()
            && reading.draws_what_is_read();
        badges(reading, drawn).map_err(context)?;
    }
    // A bracket that is no marker in the answer's format may be one in citewire's own, in which it is converted again.
    if *grammar == MarkerGrammar::ALL {
        again(text, &expected)?;
    }
    Ok(if is_read_in_one_way { Verdict::Holds } else { Verdict::Discarded })
}

/// Converts a rewritten text again, with the sources in the order of their numbers: it stays as it is.
fn again(text: &str, expected: &Expectation) -> Result<(), String> {
    if expected.inexact || text.len() > LOOK_AHEAD {
        return Ok(());
    }
    let rest = [1, 2, 3].into_iter().filter(|place| !expected.cited.contains(place));
    let order: Vec<usize> = expected.cited.iter().copied().chain(rest).collect();
    let twice = converted(text, &manifest(&order))?;
    // An image of a source becomes a link to it, which is a citation when it is read once more.
    let links_source = text.contains("](https://src.example/");
    if twice == text || links_source { Ok(()) } else { Err(format!("changed again, to {twice:?}")) }
}
