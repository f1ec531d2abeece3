//! The graph of one cited answer.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{BlankNodeId, Claim, ClaimPosition, DigitalDocument, Message, Project, SensitivityNode, UsageInfo};
use crate::answer::{Answer, SensitivityLabel, Source};
use crate::cite::{CitedSource, CitedText, make_harmless};
use crate::report::{Entry, Kind};
use crate::text::cut_at_word;
use crate::url::WebUrl;

/// What a dialect asks of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphRules {
    /// The longest abstract, in UTF-16 units.
    pub abstract_max_utf16: usize,
    /// Hosts whose images may load in a passage.
    pub image_hosts: BTreeSet<String>,
    /// Whether the passages of encrypted documents are left out (policy P-11).
    pub withhold_encrypted: bool,
}

impl GraphRules {
    /// The rules of Web Chat, which reads no abstract; it is there for other readers of the activity.
    #[must_use]
    pub fn web_chat() -> Self {
        Self { abstract_max_utf16: 480, image_hosts: BTreeSet::new(), withhold_encrypted: false }
    }
}

/// Builds the Message with a Claim for every cited source.
#[must_use]
pub fn build(answer: &Answer, cited: &CitedText, rules: &GraphRules, entries: &mut Vec<Entry>) -> Message {
    let mut builder = Builder { answer, rules, labels: Labels::new(cited), entries };
    let claims = cited.sources.iter().map(|source| builder.claim(source)).collect();
    let mut message = Message::ai_generated(claims);
    message.usage_info = builder.message_label(cited);
    message
}

struct Builder<'b> {
    answer: &'b Answer,
    rules: &'b GraphRules,
    labels: Labels<'b>,
    entries: &'b mut Vec<Entry>,
}

impl<'b> Builder<'b> {
    fn source(&self, cited: &CitedSource) -> &'b Source {
        &self.answer.sources[cited.sources[0].0]
    }

    fn claim(&mut self, cited: &CitedSource) -> Claim {
        let source = self.source(cited);
        let url = cited.url.as_ref().map(|_| cited.definition_url());
        let id = url.clone().unwrap_or_else(|| claim_node(cited));
        let mut document = DigitalDocument::new(cited.title.clone());
        self.passages(cited, &mut document);
        document.url = url;
        document.encoding_format.clone_from(&source.media_type);
        document.date_modified.clone_from(&source.modified);
        document.editor.clone_from(&source.author);
        document.keywords.clone_from(&source.keywords);
        document.usage_info = self.label(cited).map(|label| self.labels.usage_info(label));
        let mut claim = Claim::new(id, ClaimPosition::Text(cited.position), document);
        claim.claim_interpreter = self
            .answer
            .interpreter
            .as_ref()
            .map(|by| Project::new(by.slogan.clone(), by.url.as_ref().map(WebUrl::markdown)));
        claim
    }

    /// The most sensitive label among the sources of one claim.
    fn label(&self, cited: &CitedSource) -> Option<&'b SensitivityLabel> {
        let labels = cited.sources.iter().filter_map(|index| self.answer.sources[index.0].label.as_ref());
        most_sensitive(labels)
    }

    /// The abstract is the first passage, cut; the text is all of them, where the abstract does not say it all or where
    /// the reader has nothing else (policy P-04).
    fn passages(&mut self, cited: &CitedSource, document: &mut DigitalDocument) {
        let is_encrypted = |source: &Source| source.label.as_ref().is_some_and(|label| label.encrypted);
        let mut passages: Vec<(&Source, &str)> = Vec::new();
        for index in &cited.sources {
            let source = &self.answer.sources[index.0];
            let Some(content) = source.content.as_deref() else { continue };
            if self.rules.withhold_encrypted && is_encrypted(source) {
                let message = "the document is encrypted, and its passages are withheld";
                self.entries.push(Entry::in_input(Kind::Dropped, "encrypted-passage", source.pointer.clone(), message));
            } else if !passages.iter().any(|(_, other)| *other == content) {
                passages.push((source, content));
            }
        }
        if let Some((source, first)) = passages.first() {
            let summary = cut_at_word(first.trim(), self.rules.abstract_max_utf16);
            if summary.len() < first.trim().len() {
                let message =
                    format!("the abstract of [{}] was cut to {} units", cited.position, self.rules.abstract_max_utf16);
                self.entries.push(Entry::in_input(Kind::Cut, "abstract", source.pointer.clone(), message));
            }
            document.summary = Some(summary.into_owned());
        }
        if cited.url.is_none() || passages.len() > 1 {
            let texts: Vec<String> = passages.iter().map(|(source, passage)| self.markdown(source, passage)).collect();
            document.text = Some(texts.join("\n\n"));
        }
    }

    /// A passage as the dialog of a non-URL citation may draw it: as Markdown with HTML.
    fn markdown(&self, source: &Source, passage: &str) -> String {
        let is_plain = source.media_type.as_deref().is_some_and(|media_type| media_type.starts_with("text/plain"));
        if is_plain {
            let escaped = passage.replace('&', "&amp;").replace('<', "&lt;");
            return make_harmless(&escaped, &self.rules.image_hosts);
        }
        make_harmless(passage, &self.rules.image_hosts)
    }

    /// The label of the whole message: the one given, else the most sensitive of those cited.
    fn message_label(&mut self, cited: &CitedText) -> Option<UsageInfo> {
        let of_claims = cited.sources.iter().filter_map(|source| self.label(source));
        let label = self.answer.label.as_ref().or_else(|| most_sensitive(of_claims))?;
        if cited.sources.is_empty() {
            let message = "Web Chat shows the label of a message only when something is cited";
            self.entries.push(Entry::in_input(Kind::Note, "label-not-shown", "/label", message));
        }
        Some(self.labels.usage_info(label))
    }
}

/// The label with the highest priority; the first one of several.
fn most_sensitive<'l>(labels: impl Iterator<Item = &'l SensitivityLabel>) -> Option<&'l SensitivityLabel> {
    labels.reduce(|most, label| if label.priority > most.priority { label } else { most })
}

fn claim_node(cited: &CitedSource) -> String {
    format!("_:c{}", cited.position)
}

/// Names for labels: equal ones share a node, different ones never do, whatever ids the caller gave them.
struct Labels<'l> {
    named: HashMap<&'l SensitivityLabel, BlankNodeId>,
    taken: HashSet<String>,
    /// How many numbered names of each stem were tried.
    numbered: HashMap<String, usize>,
}

impl<'l> Labels<'l> {
    fn new(cited: &CitedText) -> Self {
        let taken = cited.sources.iter().map(claim_node).collect();
        Self { named: HashMap::new(), taken, numbered: HashMap::new() }
    }

    fn usage_info(&mut self, label: &'l SensitivityLabel) -> UsageInfo {
        if let Some(id) = self.named.get(label) {
            return UsageInfo::Reference { id: id.clone() };
        }
        let id = self.free(label.id.as_deref().and_then(BlankNodeId::from_id));
        self.named.insert(label, id.clone());
        UsageInfo::Node(Box::new(SensitivityNode::new(id, label)))
    }

    /// The wanted name, or the first numbered one that nobody has.
    fn free(&mut self, wanted: Option<BlankNodeId>) -> BlankNodeId {
        let stem = match wanted {
            Some(id) if self.taken.insert(id.to_string()) => return id,
            Some(id) => format!("{id}-"),
            None => "_:s".to_owned(),
        };
        loop {
            let n = self.numbered.entry(stem.clone()).or_default();
            *n += 1;
            let name = format!("{stem}{n}");
            if self.taken.insert(name.clone()) {
                return name.parse().expect("a stem and a number are a valid name");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cite::{Rules, cite};

    fn label(id: &str, priority: i64) -> Option<SensitivityLabel> {
        Some(SensitivityLabel {
            id: Some(id.into()),
            name: Some(format!("Label {id}")),
            priority,
            ..SensitivityLabel::default()
        })
    }

    fn graph(answer: &Answer) -> Value {
        let cited = cite(answer, &Rules::web_chat());
        serde_json::to_value(build(answer, &cited, &GraphRules::web_chat(), &mut Vec::new())).expect("JSON")
    }

    fn answer(text: &str, sources: Vec<Source>) -> Answer {
        Answer { text: text.into(), sources, ..Answer::default() }
    }

    #[test]
    fn p07_a_claim_has_the_address_of_its_definition_and_a_non_url_citation_has_none() {
        let web = Source { url: "https://x/a b(1)".parse().ok(), ..Source::default() };
        let graph = graph(&answer("[1][2]", vec![web, Source::default()]));
        assert_eq!(
            graph["citation"],
            json!([
                {"@type": "Claim", "@id": "https://x/a%20b%281%29", "position": "1",
                 "appearance": {"@type": "DigitalDocument", "name": "x", "url": "https://x/a%20b%281%29"}},
                {"@type": "Claim", "@id": "_:c2", "position": "2",
                 "appearance": {"@type": "DigitalDocument", "name": "Document 2", "text": ""}},
            ])
        );
    }

    #[test]
    fn p04_the_passages_of_one_document_are_joined() {
        let chunk = |content: &str| Source {
            url: "https://x/a".parse().ok(),
            content: Some(content.into()),
            ..Source::default()
        };
        let graph = graph(&answer("[2] [1] [3]", vec![chunk("one"), chunk("two"), chunk("two")]));
        let appearance = &graph["citation"][0]["appearance"];
        assert_eq!((&appearance["abstract"], &appearance["text"]), (&json!("two"), &json!("two\n\none")));
    }

    #[test]
    fn p11_the_message_refers_to_the_most_sensitive_label_among_the_cited() {
        let labelled = |id, priority| Source { label: label(id, priority), ..Source::default() };
        let sources = vec![labelled("low", 1), labelled("high", 3), labelled("uncited", 9), labelled("high", 3)];
        let graph = graph(&answer("[1] [2] [4]", sources));
        assert_eq!(graph["usageInfo"], json!({"@id": "_:high"}));
        let of = |n: usize| &graph["citation"][n]["appearance"]["usageInfo"];
        assert_eq!(of(0)["name"], "Label low");
        assert_eq!(of(1)["name"], "Label high");
        assert_eq!(*of(2), json!({"@id": "_:high"}));
    }

    #[test]
    fn p11_different_labels_never_share_a_node_and_no_label_takes_the_node_of_a_claim() {
        let mut other = label("s", 1);
        if let Some(label) = &mut other {
            label.name = Some("Other".into());
        }
        let nameless = Some(SensitivityLabel::default());
        let sources: Vec<Source> =
            [label("s", 1), other, nameless, label("c1", 0)].map(|label| Source { label, ..Source::default() }).into();
        let graph = graph(&answer("[1] [2] [3] [4]", sources));
        let ids: Vec<&Value> = (0..4).map(|n| &graph["citation"][n]["appearance"]["usageInfo"]["@id"]).collect();
        assert_eq!(ids, ["_:s", "_:s-1", "_:s1", "_:c1-1"].map(|id| Box::leak(Box::new(json!(id))) as &Value));
    }

    #[test]
    fn p11_the_label_that_the_caller_gives_wins() {
        let mut answer = answer("[1]", vec![Source { label: label("a", 9), ..Source::default() }]);
        answer.label = label("b", 0);
        assert_eq!(graph(&answer)["usageInfo"]["name"], "Label b");
    }

    #[test]
    fn p11_encrypted_passages_are_withheld_when_the_policy_says_so() {
        let encrypted = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let secret = Source { content: Some("secret".into()), label: Some(encrypted), ..Source::default() };
        let answer = answer("[1]", vec![secret]);
        let rules = GraphRules { withhold_encrypted: true, ..GraphRules::web_chat() };
        let mut entries = Vec::new();
        let message = build(&answer, &cite(&answer, &Rules::web_chat()), &rules, &mut entries);
        assert!(!serde_json::to_string(&message).expect("JSON").contains("secret"));
        assert_eq!(entries[0].code, "encrypted-passage");
        let shown = serde_json::to_value(&message).expect("JSON");
        assert_eq!(
            shown["citation"][0]["appearance"]["usageInfo"]["keywords"],
            json!(["encrypted-content", "EncryptedContent"])
        );
    }

    #[test]
    fn a_passage_cannot_load_or_act_when_its_dialog_opens() {
        let hostile = Source { content: Some("![x](https://evil/?q) <img src=x> a < b".into()), ..Source::default() };
        let graph = graph(&answer("[1]", vec![hostile]));
        assert_eq!(graph["citation"][0]["appearance"]["text"], "[x](https://evil/?q) &lt;img src=x> a < b");
    }
}
