//! The text with links to documents in place of markers: `[[doc1]](https://…)` (rule AZ-03).

use std::fmt::Display;

use super::numbered::{Numbered, source_of};
use super::open_webui_source::link_address;
use crate::answer::Source;

/// Replaces each marker by a link, if its document has an address, and otherwise by `[docN]`.
pub(super) fn linked_text(numbered: &Numbered<'_>) -> String {
    let text = numbered.cited.text.as_str();
    let mut out = String::with_capacity(text.len() + 64 * numbered.cited.places.len());
    let mut written = 0;
    for cited in &numbered.cited.places {
        out.push_str(&text[written..cited.range.start]);
        written = cited.range.end;
        let source = source_of(cited).and_then(|source| numbered.answer.sources.get(source));
        write_link(&mut out, cited.position.get(), source);
    }
    out.push_str(&text[written..]);
    out
}

/// Writes the link of the source at this place, counted from 1.
pub(super) fn write_link(out: &mut String, place: impl Display, source: Option<&Source>) {
    match source.and_then(link_address) {
        // `markdown()` encodes brackets, which would end the link.
        Some(url) => out.push_str(&format!("[[doc{place}]]({})", url.markdown())),
        None => out.push_str(&format!("[doc{place}]")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::answer::{Answer, MarkerGrammar, Source};
    use crate::output::{CardMetadata, OpenWebUiOptions, WebUiCitations, open_webui};

    /// Four documents: with an address, a file name, an address as its path, and nothing.
    fn written(text: &str) -> (String, Vec<Value>) {
        let titled = |title: &str| Source { title: Some(title.into()), content: Some("p".into()), ..Source::default() };
        let sources = vec![
            Source { url: "https://x/a (1).pdf".parse().ok(), score: Some(0.5), ..titled("A") },
            Source { filepath: Some("hr/b 2.pdf".into()), ..titled("B") },
            Source { filepath: Some(" https://x/c ".into()), ..titled("C") },
            Source::default(),
        ];
        let grammar = MarkerGrammar::AZURE_ON_YOUR_DATA;
        let answer = Answer { text: text.into(), sources, grammar, complete: true, ..Answer::default() };
        let citations = WebUiCitations::Links(CardMetadata::Named);
        let output = open_webui(&answer, &OpenWebUiOptions { citations, ..OpenWebUiOptions::default() });
        let events = output.events.iter().map(|event| json!(event)).collect();
        (output.content, events)
    }

    fn names(text: &str) -> Vec<String> {
        let events = written(text).1;
        events.iter().map(|event| event["data"]["source"]["name"].as_str().expect("a name").to_owned()).collect()
    }

    #[test]
    fn a_link_leads_to_the_address_or_to_a_path_that_is_one() {
        assert_eq!(written("[doc3]").0, "[[doc3]](https://x/c)");
        assert_eq!(written("[doc2]").0, "[doc2]");
        assert_eq!(written("[doc3]").1[0]["data"]["source"]["url"], "https://x/c");
        assert_eq!(written("[doc2]").1[0]["data"]["source"].get("url"), None);
    }

    #[test]
    fn a_marker_with_an_address_is_a_link_and_others_stay() {
        let given = "x [doc1]. [doc2] [doc9] [doc4] `[doc1]`";
        assert_eq!(written(given).0, "x [[doc1]](https://x/a%20%281%29.pdf). [doc2] [doc9] [doc4] `[doc1]`");
    }

    #[test]
    fn only_lower_case_without_blanks_is_a_marker() {
        let given = "[Doc1] [doc 1] [docs1] [1] 【1】 [doc1, doc2]";
        assert_eq!(written(given).0, given);
    }

    #[test]
    fn cited_documents_have_an_event_each_in_their_order_and_keep_their_number() {
        assert_eq!(names("x [doc3][doc1] [doc3]"), ["[doc1] - A", "[doc3] - C"]);
    }

    #[test]
    fn all_documents_have_an_event_where_none_is_cited() {
        assert_eq!(names("x [1]"), ["[doc1] - A", "[doc2] - B", "[doc3] - C", "[doc4] - Unknown Document"]);
    }

    #[test]
    fn nothing_has_an_event_where_only_what_does_not_exist_is_cited() {
        assert_eq!(names("x [doc9]"), [""; 0]);
    }

    #[test]
    fn a_document_of_which_nothing_is_known_has_an_event_beside_the_others() {
        let (_, events) = written("[doc4] [doc1]");
        assert_eq!(events[1]["data"]["document"], json!(["Unknown Document"]));
        assert_eq!(events.len(), 2);
    }
}
