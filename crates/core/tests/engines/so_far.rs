//! Answers that have not ended, as they are shown: every number leads to its source, and nothing else is defined.

use std::collections::BTreeSet;

use citewire_core::answer::MarkerGrammar;
use citewire_core::cite::{Incremental, Rules};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::cases::{Verdict, try_all};
use super::generator::{answer, pieces};
use super::given::documents;

/// The links that show a number, as text and address, in order.
fn badges(markdown: &str) -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::new(), None::<(String, String)>);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => open = Some((String::new(), dest_url.to_string())),
            Event::End(TagEnd::Link) => {
                found.extend(open.take().filter(|(text, _)| text.parse::<u32>().is_ok_and(|number| number <= 3)));
            }
            Event::Text(text) => {
                if let Some((shown, _)) = &mut open {
                    shown.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

/// The definitions of numbers, as number and address.
fn definitions(markdown: &str) -> BTreeSet<(String, String)> {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let found = parser.reference_definitions().iter().map(|(label, found)| (label.to_owned(), found.dest.to_string()));
    found.filter(|(label, _)| label.parse::<u32>().is_ok()).collect()
}

/// Whether what closes the text is nothing, or a fence as a line of the text opens it: of its signs, and as far indented. A
/// fence outside of containers is indented by three blanks at most.
fn closes_a_fence(shown: &str, closing: &str) -> bool {
    let signs = closing.trim_start_matches(' ');
    let is_fence = signs.len() >= 3
        && closing.len() - signs.len() < 4
        && (signs.bytes().all(|sign| sign == b'`') || signs.bytes().all(|sign| sign == b'~'));
    closing.is_empty() || is_fence && shown.split(['\n', '\r']).any(|line| line.starts_with(closing))
}

/// Cuts an answer behind every few bytes, and looks at what is shown then.
fn look(text: &str, step: usize) -> Result<(), String> {
    let rules = Rules::web_chat();
    let incremental = || {
        let mut incremental = Incremental::new(MarkerGrammar::ALL, &rules);
        incremental.add_sources(documents());
        incremental
    };
    let mut whole = incremental();
    whole.push(text);
    let whole = whole.finish();
    let all_badges = badges(&whole.text);
    // Where the parser does not read a badge of the whole text, it says nothing about its beginnings either. In `[1]\[2](x)` and
    // `\[1](x)[2]` it reads no badge, whatever other places of the text say.
    let is_read = !whole.text.contains("\\[")
        && whole
            .sources
            .iter()
            .all(|source| all_badges.contains(&(source.position.to_string(), source.definition_url())));
    let (mut growing, mut at, mut before) = (incremental(), 0, None);
    while at < text.len() {
        let end = text.ceil_char_boundary((at + step).min(text.len()));
        growing.push(&text[at..end]);
        at = end;
        if before.as_deref() == Some(growing.shown()) {
            continue;
        }
        let so_far = growing.so_far();
        before = Some(growing.shown().to_owned());
        let told = |what: &str| {
            format!("{what} after {at} bytes of {text:?}\n showed {:?}\n  ended {:?}", so_far.text, whole.text)
        };
        let Some(behind) = so_far.text.strip_prefix(growing.shown()) else {
            return Err(told("it does not begin with what is shown"));
        };
        if so_far
            .sources
            .iter()
            .zip(&whole.sources)
            .any(|(shown, last)| (shown.position, &shown.url) != (last.position, &last.url))
        {
            return Err(told("a number comes to mean something else"));
        }
        let closing = behind.split("\n\n[").next().unwrap_or_default().trim_start_matches(['\r', '\n']);
        if so_far.sources.is_empty() && !behind.is_empty() || !closes_a_fence(growing.shown(), closing) {
            return Err(told("something was added that is no definition"));
        }
        let expected: BTreeSet<_> =
            so_far.sources.iter().map(|source| (source.position.to_string(), source.definition_url())).collect();
        if !is_read {
            continue;
        }
        let found = badges(&so_far.text);
        if definitions(&so_far.text) != expected {
            return Err(told("the definitions are not those of the numbers"));
        }
        if found.iter().cloned().collect::<BTreeSet<_>>() != expected {
            return Err(told("not every number is a badge, or one leads elsewhere"));
        }
    }
    Ok(())
}

fn try_answer(pieces: &[&'static str]) -> Verdict {
    let text = answer(pieces);
    Verdict::of(&text, || look(&text, 1 + text.len() / 200).and_then(|()| look(&text, 7)))
}

#[test]
fn every_number_of_an_unfinished_answer_leads_to_its_source() {
    let start = || |cases: &[Vec<&'static str>]| cases.iter().map(|pieces| try_answer(pieces)).collect();
    try_all("unfinished answers", pieces, start).assert_all_hold();
}

#[test]
fn what_is_open_is_closed_and_what_is_held_back_is_left_out() {
    for (text, expected) in [
        ("One [1]. Two [", "One [1]. Two\n\n"),
        ("One [1].\n\n```\ncode [2]", "One [1].\n\n```\ncode [2]\n```\n\n"),
        ("One [1].\n\n> ~~~\n> code", "One [1].\n\n> ~~~\n> code\n\n"),
        ("- One [1]\n  - two", "- One [1]\n  - two\n\n"),
        ("One [1].\n\n```\ncode\n``", "One [1].\n\n```\ncode\n```\n\n"),
        ("One [1].\n\nSources\n[1] The", "One [1].\n\n"),
    ] {
        let mut growing = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
        growing.add_sources(documents());
        growing.push(text);
        let shown = growing.so_far().text;
        let body = shown.split("[1]: https://src.example/").next().unwrap_or_default();
        assert_eq!(body, expected, "{text:?}");
    }
    let mut nothing = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
    nothing.push("```\ncode");
    assert_eq!(nothing.so_far().text, "```\ncode", "without numbers there is nothing to make room for");
}

/// A closing fence is indented like the one that opens the code. A demand of these tests once knew of no blanks before it.
#[test]
fn an_indented_fence_is_closed_as_far_indented() {
    let quote = "\n\n> quoted [1]\nlazy [2]\n";
    for pieces in [
        vec![quote, "  \n  ", "```", "\n\n> ```\n> x"],
        vec![quote, "  \n   ", "~~~~", "\n\n> ~~~\n> x"],
        vec!["One [1].\r\n\r\n  ```", "\r\ncode\r\n"],
        vec!["- item [1]\n\n", " ```", "\n\n> x"],
        vec!["One [1].\n\n  ```", "\n  code\n  ```\n", "Two [2].\n\n ```\nx"],
    ] {
        let text = pieces.concat();
        for step in 1..text.len() {
            look(&text, step).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let mut growing = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
    growing.add_sources(documents());
    growing.push("One [1].\n\n  ```\n  code");
    let shown = growing.so_far().text;
    assert_eq!(shown.split("[1]: ").next(), Some("One [1].\n\n  ```\n  code\n  ```\n\n"));
}
