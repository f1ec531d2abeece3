//! Elements within a line of rich text: text, links and citations.

use serde_json::{Value, json};
use url::Url;

use crate::graph::Claim;

/// The style of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: usize,
    pub(super) italic: usize,
    pub(super) strike: usize,
}

/// The line that is being written, with the words of it.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) elements: Vec<Value>,
    /// The text alone, for a table that is written as code.
    pub(super) words: String,
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Appends text. Text in the style of the text before it goes on with that.
    pub(super) fn text(&mut self, said: &str, style: Style, is_code: bool) {
        if said.is_empty() {
            return;
        }
        self.words.push_str(said);
        let mut element = text(said);
        let names =
            [("bold", style.bold > 0), ("italic", style.italic > 0), ("strike", style.strike > 0), ("code", is_code)];
        for (name, _) in names.into_iter().filter(|(_, on)| *on) {
            element["style"][name] = Value::Bool(true);
        }
        if let Some(last) =
            self.elements.last_mut().filter(|last| last["type"] == "text" && last["style"] == element["style"])
            && let Some(before) = last["text"].as_str()
        {
            last["text"] = Value::String([before, said].concat());
            return;
        }
        self.elements.push(element);
    }

    pub(super) fn link(&mut self, url: &str, label: &str) {
        self.words.push_str(label);
        self.elements.push(link(url, label));
    }

    /// Appends the number of a source as a citation. Its passage stands with the first one alone.
    pub(super) fn citation(&mut self, number: &str, url: &str, claim: &Claim, is_first: bool) {
        let shown = format!("[{number}]");
        self.words.push_str(&shown);
        let document = &claim.appearance;
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(ToOwned::to_owned)).unwrap_or_default();
        let mut details = json!({"citation_type": "web", "display_name": host, "title": document.name});
        if let Some(passage) = document.summary.as_ref().filter(|passage| is_first && **passage != document.name) {
            details["snippet"] = Value::String(passage.clone());
        }
        let index = claim.position.position().get();
        self.elements.push(json!({"type": "citation", "url": url, "text": shown, "index": index, "details": details}));
    }
}

pub(super) fn text(said: &str) -> Value {
    json!({"type": "text", "text": said})
}

pub(super) fn link(url: &str, label: &str) -> Value {
    json!({"type": "link", "url": url, "text": label})
}
