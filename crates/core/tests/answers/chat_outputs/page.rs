//! Open WebUI's page, as far as citations go (rules OW-01, OW-03 and OW-04): cards from events, badges from a text.
//!
//! It stands in for the real page, so that every answer can be held against it. It reads Markdown with an engine that the
//! outputs do not use.
#![expect(clippy::wildcard_enum_match_arm, reason = "of all that an engine reports, few kinds matter here")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use regex::Regex;
use serde_json::{Value, json};

/// The expression by which the page finds a group of markers.
static GROUP: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\d+(?:#[^,\]]*)?(?:\s*,\s*\d+(?:#[^,\]]*)?)*\]").expect("an expression"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d+").expect("an expression"));

/// Nothing but a blank or `<` ends a bare address, and it takes in what follows it.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:https?://|www\.)[^\s<]*").expect("an expression"));

/// A card, which stands for all documents with one identity.
#[derive(Debug, PartialEq)]
pub(super) struct Card {
    pub(super) name: String,
    pub(super) url: Option<String>,
    pub(super) documents: Vec<String>,
    pub(super) distances: Vec<Value>,
}

/// The members of an event that would break the page, by their types.
pub(super) fn faults(event: &Value) -> Vec<&'static str> {
    let data = &event["data"];
    let (documents, metadata) = (data["document"].as_array(), data["metadata"].as_array());
    let distances = data.get("distances").map(|distances| distances.as_array().cloned().unwrap_or_default());
    let name = data["source"]["name"].as_str().unwrap_or_default();
    let is_web =
        |url: &Value| url.as_str().is_some_and(|url| url.starts_with("https://") || url.starts_with("http://"));
    let rules = [
        (matches!(event["type"].as_str(), Some("source" | "citation")), "another kind of event"),
        (event.as_object().is_some_and(|event| event.len() == 2), "another member of the event"),
        (data.get("type").is_none(), "a type, which keeps it from being stored"),
        (
            documents.is_some_and(|list| {
                !list.is_empty() && list.iter().all(|text| text.as_str().is_some_and(|text| !text.is_empty()))
            }),
            "no passage",
        ),
        (
            metadata.is_some_and(|list| list.iter().all(|entry| entry["source"].is_string())),
            "an identity that is no text",
        ),
        (metadata.map(Vec::len) == documents.map(Vec::len), "metadata for other passages"),
        (!name.is_empty() && !name.starts_with("http"), "a name that is none, or an address"),
        (data["source"].get("url").is_none_or(is_web), "an address of another scheme"),
        (
            distances.is_none_or(|list| {
                !list.is_empty()
                    && list.iter().all(|score| score.as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)))
            }),
            "a score outside 0 to 1",
        ),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}

/// The cards, in the order of their numbers (rule OW-01).
pub(super) fn cards(events: &[Value]) -> Vec<Card> {
    let mut order: Vec<String> = Vec::new();
    let mut cards: BTreeMap<String, Card> = BTreeMap::new();
    for data in events.iter().map(|event| &event["data"]) {
        for (at, document) in data["document"].as_array().into_iter().flatten().enumerate() {
            let metadata = &data["metadata"][at];
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let identity = text(&metadata["source"]).or_else(|| text(&data["source"]["id"]));
            let identity = identity.unwrap_or_else(|| "N/A".to_owned());
            let is_address = identity.starts_with("http://") || identity.starts_with("https://");
            let named = text(&metadata["name"]).or_else(|| text(&data["source"]["name"]));
            let keeps_name = !is_address || metadata["external"] == json!(true);
            let name = named.filter(|_| keeps_name).unwrap_or_else(|| identity.clone());
            let url = if is_address { Some(identity.clone()) } else { text(&data["source"]["url"]) };
            let card = cards.entry(identity.clone()).or_insert_with(|| {
                order.push(identity);
                Card { name, url, documents: Vec::new(), distances: Vec::new() }
            });
            card.documents.extend(text(document));
            card.distances.extend(data["distances"].get(at).cloned());
        }
    }
    order.iter().filter_map(|identity| cards.remove(identity)).collect()
}

/// The relevance that the page shows for each distance (rule OW-04).
pub(super) fn relevance(distances: &[f64]) -> Vec<Option<String>> {
    let inside = |distance: &&f64| (-1.0..=1.0).contains(*distance);
    let within = distances.iter().filter(inside).count();
    let outside = distances.len() - within;
    let shown = |distance: &f64| match (within, outside) {
        (_, 0) => Some(format!("{:.2}%", (distance * 100.0).clamp(0.0, 100.0))),
        (0, _) => Some(format!("({distance:.4})")),
        (1, _) | (_, 1) => None,
        _ => Some(format!("({distance:.4})")),
    };
    distances.iter().map(shown).collect()
}

/// The numbers of all badges of a text, in order, and the brackets that vanish because they name no card (rule OW-03).
pub(super) fn badges(text: &str, cards: usize) -> (Vec<usize>, Vec<String>) {
    let mut shown = Vec::new();
    let mut gone = Vec::new();
    if cards == 0 {
        return (shown, gone);
    }
    for block in texts(text) {
        let block = ADDRESS.replace_all(&block, "\u{fffc}");
        for found in GROUP.find_iter(&block) {
            for item in found.as_str().trim_matches(['[', ']']).split(',') {
                let digits = NUMBER.find(item.trim()).map_or("", |digits| digits.as_str());
                match digits.parse::<usize>() {
                    Ok(number) if (1..=cards).contains(&number) => shown.push(number),
                    _ => gone.push(found.as_str().to_owned()),
                }
            }
        }
    }
    (shown, gone)
}

/// The text of each block: no code, no math, no HTML, no address.
pub(super) fn texts(text: &str) -> Vec<String> {
    let arena = Arena::new();
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.math_dollars = true;
    let root = parse_document(&arena, text, &options);
    let mut blocks = Vec::new();
    for node in root.descendants() {
        let holds_text =
            matches!(node.data.borrow().value, NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell);
        if holds_text {
            let mut block = String::new();
            inline(node, &mut block);
            blocks.push(block);
        }
    }
    blocks
}

fn inline<'a>(node: &'a AstNode<'a>, out: &mut String) {
    for child in node.children() {
        match &child.data.borrow().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::SoftBreak | NodeValue::LineBreak => out.push('\n'),
            // An address does not know of code, and a blank in that ends it.
            NodeValue::Code(code) => out.push(if code.literal.contains([' ', '<']) { ' ' } else { '\u{fffc}' }),
            NodeValue::Math(math) => out.push(if math.literal.contains([' ', '<', '\n']) { ' ' } else { '\u{fffc}' }),
            NodeValue::HtmlInline(_) => out.push('<'),
            NodeValue::Link(_)
            | NodeValue::Image(_)
            | NodeValue::Emph
            | NodeValue::Strong
            | NodeValue::Strikethrough => {
                let takes_in = in_address(out);
                let start = out.len();
                inline(child, out);
                // An address that began before takes all of it in; one that begins in its text ends with it.
                if !takes_in && in_address(&out[start..]) {
                    out.push(' ');
                }
            }
            _ => inline(child, out),
        }
    }
}

/// Whether a bare address has begun that nothing has ended.
fn in_address(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
    ["http://", "https://", "www."].into_iter().any(|begin| word.contains(begin))
}

#[test]
fn documents_of_one_identity_are_one_card_and_the_next_moves_up() {
    let event = |identity: Value, name: &str| json!({"type": "source", "data": {"source": {"name": name}, "document": [name], "metadata": [{"source": identity}]}});
    let events = [event(json!("a"), "A"), event(json!("a"), "B"), event(Value::Null, "C"), event(Value::Null, "D")];
    let shown = cards(&events);
    let documents: Vec<_> = shown.iter().map(|card| (card.name.as_str(), card.documents.join(" "))).collect();
    assert_eq!(
        documents,
        [("A", "A B".to_owned()), ("N/A", "C D".to_owned())]
            .map(|(name, text)| (if name == "N/A" { "C" } else { name }, text))
    );
}

#[test]
fn an_identity_that_is_an_address_is_the_name_unless_it_is_external() {
    let event = |external: bool| {
        json!({"type": "source", "data": {"source": {"name": "A"}, "document": ["d"],
            "metadata": [{"source": "https://x/a", "external": external}]}})
    };
    assert_eq!(cards(&[event(false)])[0].name, "https://x/a");
    assert_eq!(cards(&[event(true)])[0].name, "A");
    assert_eq!(cards(&[event(true)])[0].url.as_deref(), Some("https://x/a"));
}

#[test]
fn brackets_without_a_card_vanish_as_soon_as_there_is_one() {
    assert_eq!(badges("a [1][2, 3#x] `[1]` [^1] [1-2] [9]", 3), (vec![1, 2, 3], vec!["[9]".to_owned()]));
    assert_eq!(badges("a [9]", 0), (vec![], vec![]));
}

#[test]
fn relevance_is_a_percentage_only_where_all_are_within_one() {
    let shown = |distances: &[f64]| -> Vec<String> {
        relevance(distances).into_iter().map(Option::unwrap_or_default).collect()
    };
    assert_eq!(shown(&[0.95, 0.4567, 0.0, -0.5]), ["95.00%", "45.67%", "0.00%", "0.00%"]);
    assert_eq!(shown(&[12.5]), ["(12.5000)"]);
    assert_eq!(shown(&[0.5, 12.5]), ["", ""]);
    assert_eq!(shown(&[0.5, 0.7, 12.5]), ["", "", ""]);
    assert_eq!(shown(&[0.5, 0.7, 12.5, 3.0]), ["(0.5000)", "(0.7000)", "(12.5000)", "(3.0000)"]);
    assert_eq!(shown(&[]), [""; 0]);
}
