//! Properties of every row, and that each shows what it says.

use std::iter::once;

use citewire_core::activity::Activity;
use citewire_core::answer::{Answer, Citation, MarkerGrammar, Source, SourceIndex};
use citewire_core::cite::{CitedText, Incremental, Rules, cite};
use citewire_core::convert::{Conversion, Options, convert};
use citewire_core::dialect::Dialect;
use citewire_core::text::Span;
use serde_json::{Value, json};

use super::table::{Given, INFORMATIVE, Kind, Row, rows};

/// The activities of a body, with every update.
fn activities(body: &str, dialect: Dialect) -> Vec<Activity> {
    let mut conversion = Conversion::to(dialect);
    conversion.options = serde_json::from_value::<Options>(json!({"updates": 1_000})).expect("options");
    convert(body.as_bytes(), &conversion).expect("activities").activities
}

fn claims(activity: &Activity) -> Value {
    serde_json::to_value(activity).expect("JSON")["entities"][0]["citation"].clone()
}

fn stream_type(activity: &Activity) -> Value {
    activity.channel_data.as_ref().map_or(Value::Null, |data| data["streamType"].clone())
}

/// Events as a body. The sign of the end is Azure's own, or comes here.
fn stream(events: &[Value]) -> String {
    let done = json!({"done": true});
    let end = events.iter().all(|event| event.get("choices").is_none()).then_some(&done);
    events.iter().chain(end).map(|event| format!("data: {event}\n\n")).collect()
}

/// Blocks as one answer, each cited at its span.
fn whole(blocks: &[(&str, &[usize])]) -> Answer {
    let mut answer = Answer {
        grammar: MarkerGrammar::NONE,
        text: blocks.iter().map(|(text, _)| *text).collect(),
        sources: manifest(),
        ..Answer::default()
    };
    let mut start = 0;
    for (text, cited) in blocks {
        let span = Span::new(&answer.text, start..start + text.len()).expect("a part of the text");
        start += text.len();
        if !cited.is_empty() {
            answer.citations.push(Citation::new(span, indices(cited)));
        }
    }
    answer
}

fn manifest() -> Vec<Source> {
    let source = |id: &str| Source {
        title: Some(id.to_uppercase()),
        url: format!("https://docs.example/{id}").parse().ok(),
        ..Source::default()
    };
    ["a", "b"].map(source).into()
}

fn indices(places: &[usize]) -> Vec<SourceIndex> {
    places.iter().copied().map(SourceIndex).collect()
}

/// The texts that are shown of blocks after each piece, where they are new, and the end. `cuts` are places in the whole
/// text at which pieces end besides the ends of blocks.
fn block_by_block(blocks: &[(&str, &[usize])], rules: &Rules, cuts: &[usize]) -> (Vec<String>, CitedText) {
    let mut incremental = Incremental::new(MarkerGrammar::NONE, rules);
    incremental.add_sources(manifest());
    let mut shown = Vec::new();
    let mut start = 0;
    for (text, cited) in blocks {
        let inside = cuts.iter().filter_map(|cut| cut.checked_sub(start)).filter(|cut| (1..text.len()).contains(cut));
        let mut from = 0;
        for to in inside.chain(once(text.len())) {
            incremental.push(&text[from..to]);
            shown.push(incremental.shown().to_owned());
            from = to;
        }
        if !cited.is_empty() {
            incremental.cite_here(indices(cited));
        }
        start += text.len();
    }
    shown.dedup();
    shown.retain(|text| !text.trim().is_empty());
    (shown, incremental.finish())
}

/// Everything that readers see of a row, the final last.
fn seen(row: &Row, dialect: Dialect) -> Vec<String> {
    match &row.given {
        Given::Stream { events, .. } => {
            activities(&stream(events), dialect).into_iter().map(|activity| activity.text.unwrap_or_default()).collect()
        }
        Given::Blocks(blocks) => {
            let (mut shown, end) = block_by_block(blocks, &dialect.rules(), &[]);
            shown.push(end.text);
            shown
        }
    }
}

/// The text of a final without its definitions, which have to be those of these sources, in this order.
fn without_definitions<'t>(text: &'t str, cited: &[&str]) -> &'t str {
    let definition =
        |(n, id): (usize, &&str)| format!("[{}]: https://docs.example/{id} \"{}\"", n + 1, id.to_uppercase());
    let definitions: Vec<String> = cited.iter().enumerate().map(definition).collect();
    if definitions.is_empty() {
        return text;
    }
    let expected = format!("\n\n{}", definitions.join("\n"));
    text.strip_suffix(&expected).unwrap_or_else(|| panic!("{text:?} does not end with {expected:?}"))
}

#[test]
fn each_kind_of_format_shows_what_it_can() {
    for row in rows() {
        assert_eq!(seen(&row, Dialect::Teams), row.teams, "{}", row.name);
        let mut shown = seen(&row, Dialect::WebChat);
        let end = shown.pop().expect("a final");
        shown.push(without_definitions(&end, row.cited).to_owned());
        assert_eq!(shown, row.web_chat, "{}", row.name);
    }
}

#[test]
fn what_is_shown_is_the_beginning_of_what_is_shown_next_unless_the_answer_is_late() {
    for row in rows() {
        for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
            let seen = seen(&row, dialect);
            let (end, updates) = seen.split_last().expect("a final");
            let is_continued = seen.is_sorted_by(|one, next| next.starts_with(one));
            match (row.kind, dialect) {
                (Kind::Inline | Kind::Block, _) => {
                    assert!(is_continued && !updates.is_empty(), "{} {seen:?}", row.name);
                }
                (Kind::Late, Dialect::WebChat) => {
                    assert!(updates.is_sorted_by(|one, next| next.starts_with(one)), "{} {updates:?}", row.name);
                    assert!(
                        updates.iter().all(|text| !text.contains('[')) && end.contains('['),
                        "{} {seen:?}",
                        row.name
                    );
                }
                (Kind::Late, _) => assert_eq!(updates, [INFORMATIVE], "{} {dialect}", row.name),
            }
        }
    }
}

#[test]
fn the_final_of_a_stream_is_the_message_of_the_whole_answer() {
    for row in rows() {
        let Given::Stream { events, whole } = &row.given else { continue };
        for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
            let streamed = activities(&stream(events), dialect);
            let expected = activities(&whole.to_string(), dialect);
            let (last, updates) = streamed.split_last().expect("a final");
            assert_eq!(expected.len(), 1);
            assert_eq!((&last.text, claims(last)), (&expected[0].text, claims(&expected[0])), "{} {dialect}", row.name);
            let kinds: Vec<_> = streamed.iter().map(stream_type).collect();
            let update =
                if row.kind == Kind::Late && dialect != Dialect::WebChat { "informative" } else { "streaming" };
            let expected = vec![json!(update); updates.len()].into_iter().chain([json!("final")]);
            assert_eq!(kinds, expected.collect::<Vec<_>>(), "{} {dialect}", row.name);
        }
    }
}

#[test]
fn blocks_cited_at_their_ends_are_the_answer_with_their_spans_wherever_they_are_cut() {
    for row in rows() {
        let Given::Blocks(blocks) = row.given else { continue };
        let answer = whole(blocks);
        for dialect in Dialect::ALL {
            let rules = dialect.rules();
            let expected = cite(&answer, &rules);
            let every: Vec<usize> = (1..answer.text.len()).collect();
            for cuts in (0..answer.text.len()).map(|cut| vec![cut]).chain([every]) {
                let (shown, end) = block_by_block(blocks, &rules, &cuts);
                assert_eq!(end.text, expected.text, "{} {dialect} cut at {cuts:?}", row.name);
                assert_eq!((&end.sources, &end.entries), (&expected.sources, &expected.entries));
                for text in shown {
                    assert!(end.text.starts_with(&text), "{} {dialect} cut at {cuts:?} showed {text:?}", row.name);
                }
            }
        }
    }
}
