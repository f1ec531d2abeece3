//! Reads the text of an [Adaptive Card](https://adaptivecards.io/explorer/), for messages whose answer is a card.

use serde_json::Value;

/// The media type of a card.
pub(super) const ADAPTIVE_CARD: &str = "application/vnd.microsoft.card.adaptive";

/// The deepest element that is read.
const MAX_DEPTH: usize = 16;

/// The text of a card: its text blocks and facts, each in a paragraph of its own. Actions and inputs have none.
pub(super) fn card_text(card: &Value) -> String {
    let mut paragraphs = Vec::new();
    collect(card, 0, &mut paragraphs);
    paragraphs.join("\n\n")
}

fn collect(element: &Value, depth: usize, paragraphs: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let list = |name: &str| element[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let paragraph = match element["type"].as_str().unwrap_or_default() {
        "TextBlock" => text(element, "text"),
        "RichTextBlock" => {
            let run = |run: &Value| run.as_str().map_or_else(|| text(run, "text"), str::to_owned);
            list("inlines").iter().map(run).collect()
        }
        "FactSet" => {
            let fact = |fact: &Value| format!("{}: {}", text(fact, "title"), text(fact, "value"));
            list("facts").iter().map(fact).collect::<Vec<_>>().join("  \n")
        }
        _ => String::new(),
    };
    paragraphs.extend(Some(paragraph).filter(|paragraph| !paragraph.trim().is_empty()));
    for name in ["body", "items", "columns"] {
        list(name).iter().for_each(|inner| collect(inner, depth + 1, paragraphs));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_card_has_the_text_of_its_blocks() {
        let card = json!({"type": "AdaptiveCard", "body": [
            {"type": "TextBlock", "text": "**Leave**"},
            {"type": "ColumnSet", "columns": [{"type": "Column", "items": [
                {"type": "RichTextBlock", "inlines": ["30 ", {"type": "TextRun", "text": "days"}]}]}]},
            {"type": "FactSet", "facts": [{"title": "Form", "value": "7"}]},
            {"type": "Image", "url": "https://x.example/"}], "actions": [{"type": "Action.OpenUrl", "title": "Open"}]});
        assert_eq!(card_text(&card), "**Leave**\n\n30 days\n\nForm: 7");
        assert_eq!(card_text(&json!({})), "");
    }
}
