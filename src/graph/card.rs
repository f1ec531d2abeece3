//! Adaptive Cards of sources, which Teams shows in a window of their own.

use serde_json::{Map, Value};

use super::build::Builder;
use crate::answer::Source;
use crate::cite::CitedSource;
use crate::report::{Entry, Kind};

/// What Teams wants in `encodingFormat` beside a card, and nowhere else.
pub(super) const CARD_TYPE: &str = "application/vnd.microsoft.card.adaptive";

/// The member of a source's `metadata` that holds its card.
const CARD: &str = "card";

/// Deeper cards are not read.
const MAX_DEPTH: usize = 32;

/// The longest card, in bytes of its JSON: a message holds twenty of them and a text.
const MAX_CARD_BYTES: usize = 8 * 1024;

impl Builder<'_> {
    /// The card of the first source that has one, as a text: without what a reader could press or fill in, which a citation must
    /// not have.
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
        let Some(mut members) = adaptive(card) else {
            self.entries
                .push(note("card", "this is no Adaptive Card: an object with the type AdaptiveCard and a body"));
            return None;
        };
        let pressed = remove_actions(&mut members, 0);
        if pressed == Removed::Something {
            self.entries.push(note("card-interactive", "a card in a citation has no actions and no inputs"));
        }
        let written = Value::Object(members);
        let is_empty = written["body"].as_array().is_none_or(Vec::is_empty);
        let written = written.to_string();
        if pressed == Removed::TooDeep || is_empty || written.len() > MAX_CARD_BYTES {
            let message = format!("a card in a citation shows something and has at most {MAX_CARD_BYTES} bytes");
            self.entries.push(note("card", &message));
            return None;
        }
        Some(written)
    }
}

fn is_encrypted(source: &Source) -> bool {
    source.label.as_ref().is_some_and(|label| label.encrypted)
}

/// The members of a card, which is an object or the JSON of one.
fn adaptive(card: &Value) -> Option<Map<String, Value>> {
    let card = match card.as_str() {
        Some(text) => serde_json::from_str(text).ok()?,
        None => card.clone(),
    };
    let Value::Object(members) = card else { return None };
    let is_card = members.get("type").is_some_and(|kind| kind == "AdaptiveCard");
    (is_card && members.get("body").is_some_and(Value::is_array)).then_some(members)
}

/// What was taken out of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Removed {
    Nothing,
    Something,
    /// Not all of it was looked through.
    TooDeep,
}

/// Takes everything out that can be pressed or filled in.
fn remove_actions(members: &mut Map<String, Value>, depth: usize) -> Removed {
    let before = members.len();
    members.retain(|name, value| name != "actions" && !is_interactive(value));
    let mut removed = if members.len() < before { Removed::Something } else { Removed::Nothing };
    for value in members.values_mut() {
        removed = removed.max(remove_below(value, depth + 1));
    }
    removed
}

fn remove_below(value: &mut Value, depth: usize) -> Removed {
    match value {
        Value::Object(_) | Value::Array(_) if depth > MAX_DEPTH => Removed::TooDeep,
        Value::Object(members) => remove_actions(members, depth),
        Value::Array(items) => {
            let before = items.len();
            items.retain(|item| !is_interactive(item));
            let removed = if items.len() < before { Removed::Something } else { Removed::Nothing };
            items.iter_mut().fold(removed, |removed, item| removed.max(remove_below(item, depth + 1)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Removed::Nothing,
    }
}

/// Whether this is an action, a set of actions or an input.
fn is_interactive(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.starts_with("Action.") || kind.starts_with("Input.") || kind == "ActionSet"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::answer::{Answer, SensitivityLabel};
    use crate::cite::{Rules, cite};
    use crate::graph::{GraphRules, build};

    /// The appearance of a source with this card, and the codes of the report.
    fn cited(card: Value, rules: &GraphRules, label: Option<SensitivityLabel>) -> (Value, Vec<&'static str>) {
        let source = Source { metadata: Map::from_iter([(CARD.to_owned(), card)]), label, ..Source::default() };
        let answer = Answer { text: "a [1]".into(), sources: vec![source], ..Answer::default() };
        let mut entries = Vec::new();
        let message = build(&answer, &cite(&answer, &Rules::teams()), rules, &mut entries);
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
        assert_eq!(shown(card), (Some(expected), vec!["card-interactive"]));
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
    fn p11_the_card_of_an_encrypted_document_is_withheld_with_its_passages() {
        let card = json!({"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "secret"}]});
        let rules = GraphRules { withhold_encrypted: true, ..GraphRules::teams() };
        let label = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let (appearance, codes) = cited(card, &rules, Some(label));
        assert_eq!((appearance.get("text"), codes.contains(&"encrypted-passage")), (None, true));
    }
}
