//! Texts and lists that are far longer than any answer.

use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use serde_json::{Value, json};

use crate::share::shortened;

fn sources() -> Value {
    json!([
        {"title": "A \"quoted\" & <b>", "url": "https://src.example/a (1)"},
        {"title": "B", "content": "passage ![x](https://evil.example/y)"},
        {"title": "C", "url": "https://src.example/c", "filepath": "c.pdf", "marker": "【4:0†a】"},
    ])
}

fn cited(text: &str) -> Value {
    let body = json!({"text": text, "sources": sources()}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
    serde_json::to_value(&converted.activities[0]).expect("JSON")
}

/// Text that a rewriter could be slow or lost in: it answers, and every byte is accounted for.
#[test]
fn hostile_texts_of_up_to_a_megabyte_are_converted() {
    let many = |piece: &str| piece.repeat(shortened(1_000_000) / piece.len());
    for piece in [
        "[",
        "]",
        "[1]",
        "`",
        "[1](",
        "![",
        "<",
        "<b ",
        "> ",
        "- ",
        "*",
        "_a",
        "[a]: b\n",
        "[1]: b\n\n",
        "\\",
        "(",
        "【",
        "|",
        "&",
        "[doc9] ",
        "[9]",
    ] {
        let activity = cited(&many(piece));
        assert!(activity["text"].is_string(), "{piece:?}");
    }
}

#[test]
fn ten_thousand_sources_and_a_hundred_thousand_markers_are_converted() {
    let sources: Vec<Value> =
        (0..10_000).map(|n| json!({"title": format!("T{n}"), "url": format!("https://src.example/{n}"), "label": {"id": "s", "name": n.to_string()}})).collect();
    let text: String = (0..100_000).map(|n| format!("w[{}] ", n % 10_000 + 1)).collect();
    let body = json!({"text": text, "sources": sources}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
    let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
    assert_eq!(activity["entities"][0]["citation"].as_array().map(Vec::len), Some(10_000));
    assert!(activity["text"].as_str().expect("a text").ends_with("[10000]: https://src.example/9999 \"T9999\""));
}
