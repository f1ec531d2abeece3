//! Adaptive Cards of sources, which Teams shows in a window.

use serde_json::{Map, Value};

use super::build::Builder;
use super::card_elements::{Allowed, allow};
use crate::answer::Source;
use crate::cite::CitedSource;
use crate::report::{Entry, Kind};

/// The `encodingFormat` that Teams expects beside a card, and only there.
pub(super) const CARD_TYPE: &str = "application/vnd.microsoft.card.adaptive";

/// The member of a source's `metadata` that holds its card.
const CARD: &str = "card";

/// The maximum nesting of a card; deeper cards are dropped.
const MAX_DEPTH: usize = 32;

/// The longest card, in bytes of its JSON. A message has room for twenty such cards and a text.
const MAX_CARD_BYTES: usize = 8 * 1024;

impl Builder<'_> {
    /// The card of the first source that has one, as JSON text, reduced to the elements that a citation may show.
    pub(super) fn card(&mut self, cited: &CitedSource) -> Option<String> {
        if !self.rules.cards {
            return None;
        }
        let sources = cited.sources.iter().map(|index| &self.answer.sources[index.0]);
        let (source, card) = sources.filter_map(|source| Some((source, source.metadata.get(CARD)?))).next()?;
        let at = format!("{}/metadata/{CARD}", source.pointer);
        let note = |code, message: &str| Entry::in_input(Kind::Dropped, code, at.clone(), message.to_owned());
        if self.rules.withhold_encrypted && is_encrypted(source) {
            self.entries.push(note("encrypted-passage", "the document is encrypted, and its card is withheld"));
            return None;
        }
        let Some(members) = adaptive(card) else {
            self.entries
                .push(note("card", "this is no Adaptive Card: an object with the type AdaptiveCard and a body"));
            return None;
        };
        let unfit = format!(
            "a card in a citation shows something, and has at most {MAX_CARD_BYTES} bytes and {MAX_DEPTH} levels"
        );
        if members.values().any(|value| is_deeper(value, MAX_DEPTH)) {
            self.entries.push(note("card", &unfit));
            return None;
        }
        let Allowed { card, left_out, made_harmless } = allow(&members, &self.rules.image_hosts);
        if !left_out.is_empty() {
            let names: Vec<_> = left_out.into_iter().collect();
            let message = format!(
                "a card in a citation shows texts, facts, tables and pictures of allowed hosts; left out: {}",
                names.join(", ")
            );
            self.entries.push(note("card-parts", &message));
        }
        self.entries.extend(made_harmless.into_iter().map(|entry| {
            let message = format!("in the card, {}", entry.message);
            Entry::in_input(entry.kind, entry.code, at.clone(), message)
        }));
        let is_empty = card["body"].as_array().is_none_or(Vec::is_empty);
        let written = card.to_string();
        if is_empty || written.len() > MAX_CARD_BYTES {
            self.entries.push(note("card", &unfit));
            return None;
        }
        Some(written)
    }
}

fn is_encrypted(source: &Source) -> bool {
    source.label.as_ref().is_some_and(|label| label.encrypted)
}

/// The members of a card, given as an object or as JSON text; `None` if it is not an Adaptive Card with a body.
fn adaptive(card: &Value) -> Option<Map<String, Value>> {
    let card = match card.as_str() {
        Some(text) => serde_json::from_str(text).ok()?,
        None => card.clone(),
    };
    let Value::Object(members) = card else { return None };
    let is_card = members.get("type").is_some_and(|kind| kind == "AdaptiveCard");
    (is_card && members.get("body").is_some_and(Value::is_array)).then_some(members)
}

/// Whether a value has more than this many levels of nesting.
fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Object(_) | Value::Array(_) if levels == 0 => true,
        Value::Object(members) => members.values().any(|member| is_deeper(member, levels - 1)),
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::answer::{Answer, SensitivityLabel};
    use crate::cite::{Rules, cite};
    use crate::graph::{GraphRules, build};

    /// The appearance of a source with this card, and the codes in the report.
    fn cited(card: Value, rules: &GraphRules, label: Option<SensitivityLabel>) -> (Value, Vec<&'static str>) {
        let source = Source { metadata: Map::from_iter([(CARD.to_owned(), card)]), label, ..Source::default() };
        let answer = Answer { text: "a [1]".into(), sources: vec![source], ..Answer::default() };
        let mut entries = Vec::new();
        let message = build(&answer, cite(&answer, &Rules::teams()).sources, rules, &mut entries);
        let mut graph = serde_json::to_value(message).expect("JSON");
        (graph["citation"][0]["appearance"].take(), entries.iter().map(|entry| entry.code).collect())
    }

    fn shown(card: Value) -> (Option<Value>, Vec<&'static str>) {
        let (appearance, codes) = cited(card, &GraphRules::teams(), None);
        let text = appearance["text"].as_str().map(|text| serde_json::from_str(text).expect("JSON"));
        assert_eq!(text.is_some(), appearance["encodingFormat"] == CARD_TYPE, "both or neither");
        (text, codes)
    }

    #[test]
    fn the_card_of_a_source_is_the_text_of_its_claim_in_teams_only() {
        let card =
            json!({"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "30 days"}]});
        assert_eq!(shown(card.clone()), (Some(card.clone()), vec![]));
        assert_eq!(shown(json!(card.to_string())), (Some(card.clone()), vec![]));
        for rules in [GraphRules::m365_copilot(), GraphRules::plain(), GraphRules::web_chat()] {
            let (appearance, _) = cited(card.clone(), &rules, None);
            assert_eq!(appearance.get("encodingFormat"), None);
        }
    }

    #[test]
    fn nothing_in_a_card_can_be_pressed_or_filled_in() {
        let block = json!({"type": "TextBlock", "text": "30 days"});
        let card = json!({"type": "AdaptiveCard", "actions": [{"type": "Action.Submit"}], "body": [
            block, {"type": "Input.Text", "id": "x"}, {"type": "ActionSet", "actions": [{"type": "Action.OpenUrl"}]},
            {"type": "Container", "selectAction": {"type": "Action.OpenUrl"}, "items": [block, {"type": "Input.Toggle"}]}]});
        let expected = json!({"type": "AdaptiveCard", "body": [block, {"type": "Container", "items": [block]}]});
        assert_eq!(shown(card), (Some(expected), vec!["card-parts"]));
    }

    /// Once, the filter was a deny-list, so a sign-in button, a mention and images of any host passed unchanged.
    #[test]
    fn a_card_shows_what_is_allowed_and_nothing_else() {
        let block = json!({"type": "TextBlock", "text": "30 days", "weight": "Bolder", "separator": true});
        let card = |name: &str, value: Value| {
            let mut card = json!({"type": "AdaptiveCard", "version": "1.5", "body": [block]});
            card[name] = value;
            card
        };
        let body = |second: Value| card("body", json!([block, second]));
        for hostile in [
            card("authentication", json!({"buttons": [{"type": "signin", "value": "https://evil.example/"}]})),
            card("backgroundImage", json!("https://evil.example/i.png")),
            card("backgroundImage", json!({"url": "https://evil.example/i.png"})),
            card("msteams", json!({"entities": [{"type": "mention", "text": "<at>CEO</at>"}]})),
            card("refresh", json!({"action": {"type": "Action.Execute"}, "userIds": ["a"]})),
            card("speak", json!("<speak>evil</speak>")),
            card("$schema", json!("https://evil.example/")),
            card("lang", json!({"a": 1})),
            body(json!({"type": "Image", "url": "https://evil.example/i.png"})),
            body(json!({"type": "Image", "url": "https://pictures.example@evil.example/i.png"})),
            body(json!({"type": "Image", "altText": "a"})),
            body(json!({"type": "Media", "sources": [{"url": "https://evil.example/v.mp4"}]})),
            body(json!({"type": "action.openurl", "url": "https://evil.example/"})),
            body(json!({"type": "textblock", "text": "small"})),
            body(json!({"text": "of no type"})),
            body(json!("a text")),
        ] {
            let rules = GraphRules { image_hosts: ["pictures.example".to_owned()].into(), ..GraphRules::teams() };
            let (appearance, codes) = cited(hostile.clone(), &rules, None);
            let text: Value = serde_json::from_str(appearance["text"].as_str().expect("a card")).expect("JSON");
            let expected = json!({"type": "AdaptiveCard", "version": "1.5", "body": [block]});
            assert_eq!((text, codes), (expected, vec!["card-parts"]), "{hostile}");
        }
    }

    #[test]
    fn the_texts_of_a_card_are_made_harmless() {
        let card = json!({"type": "AdaptiveCard", "body": [
            {"type": "TextBlock", "text": "[press](javascript:alert(1)) ![x](https://evil.example/i.png)"},
            {"type": "RichTextBlock", "inlines": ["[a](javascript:x)", {"type": "TextRun", "text": "[b](javascript:x)"}]},
            {"type": "FactSet", "facts": [{"title": "[c](javascript:x)", "value": "[d](javascript:x)"}]}]});
        let expected = json!({"type": "AdaptiveCard", "body": [
            {"type": "TextBlock", "text": "press [x](https://evil.example/i.png)"},
            {"type": "RichTextBlock", "inlines": ["a", {"type": "TextRun", "text": "b"}]},
            {"type": "FactSet", "facts": [{"title": "c", "value": "d"}]}]});
        let (card, codes) = shown(card);
        assert_eq!(card, Some(expected));
        assert_eq!(codes, ["link-scheme", "image", "link-scheme", "link-scheme", "link-scheme", "link-scheme"]);
    }

    #[test]
    fn every_allowed_element_stays_as_it_is() {
        let block = json!({"type": "TextBlock", "text": "a", "size": "Large", "wrap": true, "maxLines": 2});
        let picture =
            json!({"type": "Image", "url": "https://pictures.example/i.png", "altText": "a", "width": "50px"});
        let card = json!({"type": "AdaptiveCard", "version": "1.5", "lang": "en", "fallbackText": "30 days",
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "body": [block, picture,
            {"type": "Container", "style": "emphasis", "items": [block]},
            {"type": "ColumnSet", "columns": [{"type": "Column", "width": "auto", "items": [block]}, {"items": [picture]}]},
            {"type": "RichTextBlock", "inlines": ["a", {"type": "TextRun", "text": "b", "italic": true}]},
            {"type": "FactSet", "facts": [{"title": "Days", "value": "30"}], "spacing": "Large"},
            {"type": "Table", "columns": [{"width": 1}], "firstRowAsHeaders": true, "rows": [
                {"type": "TableRow", "cells": [{"type": "TableCell", "items": [block]}]}]}]});
        let rules = GraphRules { image_hosts: ["pictures.example".to_owned()].into(), ..GraphRules::teams() };
        let (appearance, codes) = cited(card.clone(), &rules, None);
        let text: Value = serde_json::from_str(appearance["text"].as_str().expect("a card")).expect("JSON");
        assert_eq!((text, codes), (card, vec![]));
    }

    #[test]
    fn what_is_no_card_is_left_out_and_told() {
        let deep = (0..100).fold(json!([]), |inner, _| json!([{"items": inner}]));
        for bad in [
            json!("plain text"),
            json!({"type": "AdaptiveCard"}),
            json!({"type": "AdaptiveCard", "body": []}),
            json!({"body": [{}]}),
            json!(null),
            json!({"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "x".repeat(9_000)}]}),
            json!({"type": "AdaptiveCard", "body": deep}),
        ] {
            assert_eq!(shown(bad.clone()), (None, vec!["card"]), "{bad:.60}");
        }
    }

    #[test]
    fn a_claim_without_a_passage_has_its_title_for_an_abstract_where_one_is_wanted() {
        let of = |rules: &GraphRules| cited(json!(null), rules, None).0["abstract"].clone();
        assert_eq!([of(&GraphRules::teams()), of(&GraphRules::m365_copilot())], ["Document 1", "Document 1"]);
        assert_eq!([of(&GraphRules::web_chat()), of(&GraphRules::plain())], [Value::Null, Value::Null]);
    }

    #[test]
    fn the_card_of_an_encrypted_document_is_withheld_with_its_passages() {
        let card = json!({"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "secret"}]});
        let rules = GraphRules { withhold_encrypted: true, ..GraphRules::teams() };
        let label = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let (appearance, codes) = cited(card, &rules, Some(label));
        assert_eq!((appearance.get("text"), codes.contains(&"encrypted-passage")), (None, true));
    }
}
