//! A source in the format of Open WebUI, which draws it as one card (`docs/guides/open-webui.md`).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::document_name::document_name;
use super::numbered::passage;
use crate::answer::Source;
use crate::url::WebUrl;

/// Invisible; a name behind it does not begin with `http` for Open WebUI.
const WORD_JOINER: char = '\u{2060}';

/// Metadata members on which the page of Open WebUI acts: it would run code, open its own files, or open a side panel.
const ACTED_UPON: [&str; 3] = ["html", "file_id", "embed_url"];

/// One event of Open WebUI with a source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WebUiEvent {
    /// The name of the event.
    #[serde(rename = "type")]
    pub kind: WebUiEventKind,
    /// The source.
    pub data: WebUiSource,
}

/// The names of an event with a source; Open WebUI treats both alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WebUiEventKind {
    /// `source`.
    Source,
    /// `citation`.
    Citation,
}

/// One source: a card, and all badges of one number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WebUiSource {
    /// The name and address of the card.
    pub source: WebUiName,
    /// The passages; never empty, because Open WebUI drops a source without passages, and its number.
    pub document: Vec<String>,
    /// One entry for each passage. Its `source` is a string that identifies the card.
    pub metadata: Vec<Map<String, Value>>,
    /// The relevance of each passage, 0 to 1. Higher is better, in spite of the name. Empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<f64>,
}

/// The name and address of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WebUiName {
    /// The name; never empty.
    pub name: String,
    /// The address; http(s) only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The two documented forms of the metadata in a `citation` event (rule AZ-05).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardMetadata {
    /// `source` is the name of the card and `url` the address. Each source has its own card.
    #[default]
    Named,
    /// `source` is the address. Sources with one address share a card, and the browser asks a third party for the icon of
    /// the site.
    Addressed,
}

impl WebUiSource {
    /// The source behind the badge with this number, under this name.
    pub(super) fn behind_badge(source: &Source, name: String, number: usize, withhold_encrypted: bool) -> Self {
        let name = not_like_an_address(name);
        let mut metadata = Map::new();
        metadata.insert("source".into(), format!("citewire:{number}").into());
        if let Some(page) = source.page {
            // Open WebUI counts pages from 0.
            metadata.insert("page".into(), json!(page.get() - 1));
        }
        if let Some(date) = &source.modified {
            // Open WebUI keeps the date, but its dialog shows only `parameters`.
            metadata.insert("date_accessed".into(), date.as_str().into());
            metadata.insert("parameters".into(), json!({"date_accessed": date}));
        }
        Self {
            document: vec![passage(source, withhold_encrypted).unwrap_or(&name).to_owned()],
            source: WebUiName { name, url: source.url.as_ref().map(|url| url.as_str().to_owned()) },
            metadata: vec![metadata],
            distances: source.score.filter(|score| (0.0..=1.0).contains(score)).into_iter().collect(),
        }
    }

    /// The card of the document at this place in the list, counted from 1 (rule AZ-05).
    pub(super) fn of_document(source: &Source, place: usize, form: CardMetadata, withhold_encrypted: bool) -> Self {
        let title = document_name(source);
        let url = link_address(source);
        let (name, identity) = match (form, &url) {
            (CardMetadata::Named, _) => (format!("[doc{place}] - {title}"), None),
            (CardMetadata::Addressed, Some(url)) => (format!("[doc{place}] {title}"), Some(url.as_str().to_owned())),
            (CardMetadata::Addressed, None) => (format!("[doc{place}] {title}"), None),
        };
        let mut metadata = Map::new();
        metadata.insert("source".into(), identity.unwrap_or_else(|| name.clone()).into());
        if let Some(url) = &url {
            metadata.insert("url".into(), url.as_str().into());
        }
        for (key, value) in &source.metadata {
            // A `source` that is not a string breaks the page of Open WebUI, also whenever the chat is opened again.
            let breaks = key == "source" && !value.is_string();
            if !breaks && !ACTED_UPON.contains(&key.as_str()) {
                metadata.insert(key.clone(), value.clone());
            }
        }
        Self {
            document: vec![passage(source, withhold_encrypted).unwrap_or(&title).to_owned()],
            source: WebUiName { name, url: url.map(|url| url.as_str().to_owned()) },
            metadata: vec![metadata],
            // Open WebUI expects the score 0 for an unscored source.
            distances: vec![source.score.filter(|score| (0.0..=1.0).contains(score)).unwrap_or(0.0)],
        }
    }
}

/// The address of a link to a document: that of the source, else its path if the path is a web address (rule AZ-05).
pub(super) fn link_address(source: &Source) -> Option<WebUrl> {
    source.url.clone().or_else(|| source.filepath.as_ref()?.parse().ok())
}

/// Puts a word joiner before a name that begins with `http`. For such a name the browser would ask a third party for an icon
/// and send the whole name.
fn not_like_an_address(name: String) -> String {
    let begins = name.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("http"));
    if begins { format!("{WORD_JOINER}{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn the_date_of_a_source_is_kept_and_shown_in_the_dialog() {
        let source = Source { modified: Some("2026-11-02".into()), ..Source::default() };
        let metadata = &named(&source, 1, false).metadata[0];
        assert_eq!(metadata["date_accessed"], "2026-11-02");
        assert_eq!(metadata["parameters"], json!({"date_accessed": "2026-11-02"}));
        assert_eq!(named(&Source::default(), 1, false).metadata[0].len(), 1);
    }
    use crate::answer::SensitivityLabel;

    fn named(source: &Source, number: usize, withhold_encrypted: bool) -> WebUiSource {
        WebUiSource::behind_badge(source, document_name(source), number, withhold_encrypted)
    }

    fn source() -> Source {
        Source {
            title: Some("Leave".into()),
            url: "https://x/leave.pdf".parse().ok(),
            content: Some("30 days".into()),
            page: NonZeroU32::new(3),
            score: Some(0.5),
            metadata: [("dept", json!("HR")), ("html", json!(true))]
                .map(|(key, value)| (key.to_owned(), value))
                .into_iter()
                .collect(),
            ..Source::default()
        }
    }

    fn behind_badge(source: &Source) -> Value {
        json!(named(source, 2, false))
    }

    fn document(source: &Source, form: CardMetadata) -> Value {
        json!(WebUiSource::of_document(source, 3, form, false))
    }

    #[test]
    fn a_source_has_a_name_a_passage_an_identity_and_a_score() {
        assert_eq!(
            behind_badge(&source()),
            json!({
                "source": {"name": "Leave", "url": "https://x/leave.pdf"},
                "document": ["30 days"],
                "metadata": [{"source": "citewire:2", "page": 2}],
                "distances": [0.5],
            })
        );
    }

    /// Traps 1 and 2: a member that is missing or of another type breaks the page.
    #[test]
    fn a_source_of_which_nothing_is_known_has_all_that_the_page_needs() {
        let expected = json!({"source": {"name": "Unknown Document"}, "document": ["Unknown Document"],
            "metadata": [{"source": "citewire:2"}]});
        assert_eq!(behind_badge(&Source { content: Some(" ".into()), ..Source::default() }), expected);
    }

    /// Trap 6: for such a name the browser asks a third party for an icon.
    #[test]
    fn no_name_begins_like_an_address() {
        for (title, expected) in [("https://x/secret?a=1", "leave.pdf"), ("HTTP for all", "\u{2060}HTTP for all")] {
            let shown = behind_badge(&Source { title: Some(title.into()), ..source() });
            assert_eq!(shown["source"]["name"], expected);
        }
    }

    /// Trap 7 and the members on which the page acts: a badge gets only the provider's members that are named here.
    #[test]
    fn what_the_page_acts_upon_is_never_passed_on() {
        let metadata = json!({"html": true, "file_id": "f", "embed_url": "https://x", "source": 5, "note": "kept"});
        let hostile = Source { metadata: metadata.as_object().cloned().unwrap_or_default(), ..source() };
        assert_eq!(behind_badge(&hostile)["metadata"], json!([{"source": "citewire:2", "page": 2}]));
        let expected = json!([{"source": "[doc3] - Leave", "url": "https://x/leave.pdf", "note": "kept"}]);
        assert_eq!(document(&hostile, CardMetadata::Named)["metadata"], expected);
    }

    #[test]
    fn a_score_outside_0_to_1_is_none() {
        for score in [Some(12.5), Some(-0.1), Some(f64::NAN), None] {
            let source = Source { score, ..source() };
            assert_eq!(behind_badge(&source).get("distances"), None);
            // In this form, an unscored source has the score 0.
            assert_eq!(document(&source, CardMetadata::Named)["distances"], json!([0.0]));
        }
    }

    #[test]
    fn the_card_of_a_document_has_its_name_address_metadata_and_score() {
        assert_eq!(
            document(&source(), CardMetadata::Named),
            json!({
                "source": {"name": "[doc3] - Leave", "url": "https://x/leave.pdf"},
                "document": ["30 days"],
                "metadata": [{"source": "[doc3] - Leave", "url": "https://x/leave.pdf", "dept": "HR"}],
                "distances": [0.5],
            })
        );
    }

    #[test]
    fn metadata_of_the_citation_may_override() {
        let metadata = json!({"source": "own", "url": "https://y"});
        let source = Source { metadata: metadata.as_object().cloned().unwrap_or_default(), ..source() };
        assert_eq!(document(&source, CardMetadata::Named)["metadata"], json!([metadata]));
    }

    /// The second documented form.
    #[test]
    fn the_identity_may_be_the_address() {
        let card = document(&source(), CardMetadata::Addressed);
        assert_eq!(card["source"]["name"], "[doc3] Leave");
        assert_eq!(card["metadata"][0]["source"], "https://x/leave.pdf");
        let passage = document(&Source { url: None, ..source() }, CardMetadata::Addressed);
        assert_eq!(passage["metadata"][0]["source"], "[doc3] Leave");
    }

    #[test]
    fn the_passage_of_an_encrypted_document_can_be_withheld() {
        let label = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let source = Source { label: Some(label), ..source() };
        assert_eq!(named(&source, 1, true).document, ["Leave"]);
        assert_eq!(WebUiSource::of_document(&source, 1, CardMetadata::Named, true).document, ["Leave"]);
        assert_eq!(named(&source, 1, false).document, ["30 days"]);
    }
}
