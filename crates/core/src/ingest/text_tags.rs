//! Takes out the tags with JSON that [Brave](https://api-dashboard.search.brave.com/documentation/services/answers) writes
//! into the text of a streamed answer: `<citation>{"number": 1, "url": …}</citation>` stands in the place of `[1]`.

use std::collections::HashSet;

use serde_json::Value;

use crate::report::{Entry, Kind};

/// The tags that stand in a text.
const TAGS: [&str; 11] = [
    "citation",
    "enum_start",
    "enum_item",
    "enum_end",
    "usage",
    "queries",
    "analyzing",
    "thinking",
    "blindspots",
    "progress",
    "answer",
];

/// A longer tag is text, so that many small pieces of one that never ends cost no time.
const MAX_TAG: usize = 64 * 1024;

/// The text of an answer without its tags, as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct TextTags {
    /// Text that may be a tag when more text comes.
    open: String,
    numbers: HashSet<u64>,
}

/// The content of tags.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The text around them, with markers in their place.
    pub(super) text: String,
    /// The sources that the text cites, each number once.
    pub(super) cited: Vec<Value>,
    /// The addresses that a research consulted.
    pub(super) consulted: Vec<Value>,
    /// The answer of a research, which takes the place of all text.
    pub(super) answer: Option<String>,
}

impl TextTags {
    /// Takes a piece of the text. A tag that has not ended waits.
    pub(super) fn push(&mut self, piece: &str) -> Told {
        self.open.push_str(piece);
        let mut told = Told::default();
        // Only the end of its closing tag can end it.
        if self.open_tag().is_some() && !piece.contains('>') && self.open.len() < MAX_TAG {
            return told;
        }
        let open = std::mem::take(&mut self.open);
        let mut rest = open.as_str();
        while let Some(at) = rest.find('<') {
            told.text.push_str(&rest[..at]);
            rest = &rest[at..];
            match Tag::read(rest) {
                Tag::Whole(name, json, length) => {
                    self.take(name, json, &mut told);
                    rest = &rest[length..];
                }
                Tag::Open if rest.len() < MAX_TAG => {
                    rest.clone_into(&mut self.open);
                    return told;
                }
                Tag::Open | Tag::None => {
                    told.text.push('<');
                    rest = &rest[1..];
                }
            }
        }
        told.text.push_str(rest);
        told
    }

    /// The text that looked like the beginning of a tag and was none. A tag that has not ended is left out, with a note.
    pub(super) fn finish(self, pointer: &str, notes: &mut Vec<Entry>) -> String {
        let Some(name) = self.open_tag() else { return self.open };
        let message = format!("the tag <{name}> has no end; it is left out of the text, and its sources are not read");
        notes.push(Entry::in_input(Kind::Dropped, "tag-open", pointer, message));
        String::new()
    }

    /// The name of the tag that has not ended.
    fn open_tag(&self) -> Option<&'static str> {
        let inner = self.open.strip_prefix('<')?;
        TAGS.into_iter().find(|name| inner.strip_prefix(name).is_some_and(|rest| rest.starts_with('>')))
    }

    fn take(&mut self, name: &str, mut json: Value, told: &mut Told) {
        match name {
            "citation" => {
                if let Some(number) = json["number"].as_u64() {
                    told.text.push_str(&format!("[{number}]"));
                }
                self.cite(json, told);
            }
            "enum_item" => {
                // The line of the answer, with markers, which the card of an entity replaces in Brave's own page.
                told.text.push_str(json["original_tokens"].as_str().unwrap_or_default());
                let citations = json.get_mut("citations").map(Value::take).unwrap_or_default();
                citations.as_array().into_iter().flatten().for_each(|citation| self.cite(citation.clone(), told));
            }
            "thinking" => told.consulted.extend(json["urls_selected"].as_array().cloned().unwrap_or_default()),
            "answer" => told.answer = json["answer"].as_str().map(str::to_owned).or(told.answer.take()),
            _ => {}
        }
    }

    fn cite(&mut self, citation: Value, told: &mut Told) {
        if citation["number"].as_u64().is_none_or(|number| self.numbers.insert(number)) {
            told.cited.push(citation);
        }
    }
}

/// The beginning of a text that begins with `<`.
enum Tag<'t> {
    /// A tag, its JSON, and its length in bytes.
    Whole(&'t str, Value, usize),
    /// A beginning that may become a tag when more text comes.
    Open,
    None,
}

impl<'t> Tag<'t> {
    fn read(text: &'t str) -> Self {
        let inner = &text[1..];
        let Some(name) =
            TAGS.into_iter().find(|name| inner.strip_prefix(name).is_some_and(|rest| rest.starts_with('>')))
        else {
            let may_be = |name: &&str| name.starts_with(inner);
            return if TAGS.iter().any(may_be) { Self::Open } else { Self::None };
        };
        let start = name.len() + 2;
        let Some(end) = text.find(&format!("</{name}>")) else { return Self::Open };
        let length = end + name.len() + 3;
        let json = &text[start..end];
        // Tags without a content are `<enum_end></enum_end>`.
        match serde_json::from_str(if json.trim().is_empty() { "null" } else { json }) {
            Ok(value) => Self::Whole(name, value, length),
            Err(_) => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rest(tags: TextTags) -> String {
        let mut notes = Vec::new();
        let rest = tags.finish("", &mut notes);
        assert_eq!(notes, []);
        rest
    }

    const TEXT: &str = "30 days 🏖️.<citation>{\"number\": 1, \"url\": \"https://x.example/a\"}</citation> 2 < 3, <em>so</em>\
        <citation>{\"number\": 1, \"url\": \"https://x.example/a\", \"start_index\": 9}</citation>\n\
        <enum_start></enum_start><enum_item>{\"original_tokens\": \"* **B**[2].\\n\", \"citations\": \
        [{\"number\": 2, \"url\": \"https://x.example/b\"}]}</enum_item><enum_end>{}</enum_end><usage>{\"n\": 1}</usage>";

    #[test]
    fn tags_become_markers_and_sources_wherever_the_text_is_cut() {
        for cut in (0..=TEXT.len()).filter(|cut| TEXT.is_char_boundary(*cut)) {
            let mut tags = TextTags::default();
            let (one, two) = (tags.push(&TEXT[..cut]), tags.push(&TEXT[cut..]));
            let text = one.text + &two.text + &rest(tags);
            assert_eq!(text, "30 days 🏖️.[1] 2 < 3, <em>so</em>[1]\n* **B**[2].\n", "cut at {cut}");
            let numbers: Vec<_> = one.cited.iter().chain(&two.cited).map(|source| source["number"].clone()).collect();
            assert_eq!(numbers, [json!(1), json!(2)]);
        }
    }

    #[test]
    fn the_last_answer_of_a_research_is_the_answer() {
        let mut tags = TextTags::default();
        let told = tags.push(
            "draft<thinking>{\"urls_selected\": [\"https://x.example/a\"]}</thinking><answer>{\"answer\": \"No.\"}</answer>\
             <answer>{\"answer\": \"Yes.\"}</answer>",
        );
        assert_eq!((told.answer.as_deref(), told.consulted), (Some("Yes."), vec![json!("https://x.example/a")]));
    }

    #[test]
    fn what_is_no_tag_stays() {
        for text in ["a <citation", "a <citation>no JSON</citation>", "a <b>", "<"] {
            let mut tags = TextTags::default();
            let told = tags.push(text);
            assert_eq!(told.text + &rest(tags), text);
        }
        let mut damaged = TextTags::default();
        assert_eq!(damaged.push("<enum_item>7</enum_item><citation>[]</citation><thinking>7</thinking>.").text, ".");
        let mut cut = TextTags::default();
        assert_eq!(cut.push("a <citation>{\"number\"").text, "a ");
        assert_eq!(cut.push(": 1, \"url\"").text, "");
        let mut notes = Vec::new();
        assert_eq!(cut.finish("/choices", &mut notes), "");
        assert_eq!(notes.iter().map(|note| note.code).collect::<Vec<_>>(), ["tag-open"]);
        let mut endless = TextTags::default();
        let told: String = (0..300).map(|_| endless.push(&"<usage>".repeat(100)).text).collect();
        assert!(told.len() > 7 * 20_000, "a tag that is too long is text");
    }
}
