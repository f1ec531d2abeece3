//! Builds the graph of one cited answer.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::labels::{Labels, OneLabel, most_sensitive};
use super::{
    Claim, ClaimPosition, DigitalDocument, GraphRules, LabelForm, Members, Message, Project, SoftwareSourceCode,
    UsageInfo,
};
use crate::answer::{Answer, NO_PASSAGE, SensitivityLabel, Source, SupportMark, address_line};
use crate::cite::{CitedSource, make_harmless};
use crate::report::{Entry, Kind};
use crate::text::{cut_at_word, plain_text};
use crate::url::WebUrl;

/// Builds the Message with one Claim for each of the sources that [`CitedText`](crate::cite::CitedText) cites. `entries`
/// collects what was cut or dropped.
#[must_use]
pub fn build(answer: &Answer, cited: Vec<CitedSource>, rules: &GraphRules, entries: &mut Vec<Entry>) -> Message {
    let mut builder = Builder { answer, rules, labels: Labels::default(), one_label: None, entries };
    let message_label = builder.message_label(&cited);
    if rules.labels == LabelForm::Linked && message_label.is_some() {
        let of_claims: Vec<_> = cited.iter().filter_map(|source| builder.label(source)).collect();
        builder.labels = Labels::new(of_claims.into_iter().chain(message_label));
    }
    builder.one_label = message_label.filter(|_| rules.labels == LabelForm::One).map(OneLabel::new);
    let is_uncited = cited.is_empty();
    let claims = cited.into_iter().map(|source| builder.claim(source)).collect();
    let mut message = Message::new(claims, rules.ai_mark);
    message.usage_info = message_label.and_then(|label| builder.message_usage_info(label, is_uncited));
    message.is_based_on = builder.code();
    builder.interpreter_left_out();
    message
}

/// The passages of one claim, each with its source; nearly always one.
pub(super) type Passages<'b> = SmallVec<[(&'b Source, &'b str); 1]>;

pub(super) struct Builder<'b> {
    pub(super) answer: &'b Answer,
    pub(super) rules: &'b GraphRules,
    labels: Labels<'b>,
    /// The label of the message, if it is the only one that claims may have.
    one_label: Option<OneLabel<'b>>,
    pub(super) entries: &'b mut Vec<Entry>,
}

impl<'b> Builder<'b> {
    pub(super) fn source(&self, cited: &CitedSource) -> &'b Source {
        &self.answer.sources[cited.sources[0].0]
    }

    /// The code that the answer rests on; a channel that does not show it gets none, which is reported.
    fn code(&mut self) -> Option<SoftwareSourceCode> {
        let code = self.answer.code.as_ref()?;
        if self.rules.code {
            return Some(SoftwareSourceCode::new(code));
        }
        let message = "the channel does not show the code that an answer rests on";
        self.entries.push(Entry::in_input(Kind::Dropped, "code", "/code", message));
        None
    }

    fn claim(&mut self, cited: CitedSource) -> Claim {
        match self.rules.members {
            Members::Full => self.full_claim(cited),
            Members::Contract => self.contract_claim(&cited),
        }
    }

    /// A claim with all known members of the document.
    fn full_claim(&mut self, cited: CitedSource) -> Claim {
        let source = self.source(&cited);
        let url = cited.url.as_ref().map(WebUrl::shared_markdown);
        let id = url.clone().unwrap_or_else(|| self.labels.claim(cited.position).as_str().into());
        let passages = self.passages(&cited);
        let summary = self.summary(&cited, &passages);
        let behind_passages = cited.url.as_ref().filter(|_| self.rules.lists_passages && !passages.is_empty());
        let text = match behind_passages {
            // Behind passages that end inside of a fence, the link would be code.
            Some(url) => Some(format!("{}{}", address_line(url), self.all_passages(&passages))),
            None => self.text(&cited, &passages),
        };
        let usage_info = self.usage_info(&cited);
        let mut document = DigitalDocument::new(cited.title);
        document.summary = summary;
        document.text = text;
        document.url = url.filter(|_| behind_passages.is_none());
        document.encoding_format.clone_from(&source.media_type);
        document.date_modified.clone_from(&source.modified);
        document.editor.clone_from(&source.author);
        document.keywords.clone_from(&source.keywords);
        document.usage_info = usage_info;
        let mut claim = Claim::new(Some(id), ClaimPosition::Text(cited.position), document);
        claim.claim_interpreter = self
            .answer
            .interpreter
            .as_ref()
            .map(|by| Project::new(by.slogan.clone(), by.url.as_ref().map(WebUrl::markdown)));
        claim
    }

    /// Cuts a text to `max` UTF-16 code units, and reports a cut.
    pub(super) fn cut<'t>(
        &mut self,
        code: &'static str,
        cited: &CitedSource,
        source: &Source,
        text: &'t str,
        max: usize,
    ) -> Cow<'t, str> {
        let kept = cut_at_word(text, max);
        if kept != text {
            let message = format!("the {code} of [{}] was cut to {max} units", cited.position);
            self.entries.push(Entry::in_input(Kind::Cut, code, source.pointer.clone(), message));
        }
        kept
    }

    /// The most sensitive label among the sources of one claim.
    fn label(&self, cited: &CitedSource) -> Option<&'b SensitivityLabel> {
        let labels = cited.sources.iter().filter_map(|index| self.answer.sources[index.0].label.as_ref());
        most_sensitive(labels)
    }

    /// The label of a claim in the form that the channel takes; a label that it does not take is reported.
    pub(super) fn usage_info(&mut self, cited: &CitedSource) -> Option<UsageInfo> {
        let label = self.label(cited)?;
        if self.rules.labels == LabelForm::Linked {
            return Some(self.labels.usage_info(label));
        }
        if let Some(one) = self.one_label.as_ref().filter(|one| one.is_same(label)) {
            return Some(one.usage_info());
        }
        let reason = match self.rules.labels {
            LabelForm::One => "differs from that of the message, and a message has one",
            LabelForm::Linked | LabelForm::Absent => "is left out: the channel has no labels",
        };
        let message = format!("the label of [{}] {reason}", cited.position);
        self.entries.push(Entry::in_input(Kind::Dropped, "label", self.source(cited).pointer.clone(), message));
        None
    }

    /// The distinct passages of the sources of one claim, without withheld ones.
    pub(super) fn passages(&mut self, cited: &CitedSource) -> Passages<'b> {
        let is_encrypted = |source: &Source| source.label.as_ref().is_some_and(|label| label.encrypted);
        let mut passages = Passages::new();
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
        passages
    }

    /// The first passage, cut to the limit (policy P-04).
    pub(super) fn summary(&mut self, cited: &CitedSource, passages: &[(&'b Source, &'b str)]) -> Option<String> {
        let (source, first) = passages.first()?;
        let limit = self.rules.abstract_limit_utf16.unwrap_or(usize::MAX);
        let max = self.rules.abstract_max_utf16.min(limit);
        let Some((marked, mark)) = self.mark(cited) else {
            let passage = self.shown_passage(source, first);
            return Some(self.cut("abstract", cited, source, &passage, max).into_owned());
        };
        // The sentence that comes closest stands in what is kept of a long passage.
        let is_long = mark.words.len() + first.len() > max;
        let closest = mark.closest.clone().filter(|_| is_long && std::ptr::eq(marked, *source));
        let from = closest.and_then(|closest| first.get(closest.start..)).filter(|rest| rest.len() < first.len());
        let shown = |passage| self.shown_passage(source, passage);
        let passage = from.map_or_else(|| shown(first).into_owned(), |rest| format!("… {}", shown(rest)));
        let text = format!("{} {passage}", mark.words);
        Some(self.cut("abstract", cited, source, &text, max).into_owned())
    }

    /// A passage as its channel shows it: Markdown, or the words of it.
    fn shown_passage<'t>(&self, source: &Source, passage: &'t str) -> Cow<'t, str> {
        if self.rules.abstract_plain && !is_plain(source) {
            Cow::Owned(plain_text(passage))
        } else {
            Cow::Borrowed(passage.trim())
        }
    }

    /// The source of a claim that does not hold what it is cited for, and the note about it.
    fn mark(&self, cited: &CitedSource) -> Option<(&'b Source, &'b SupportMark)> {
        let mut sources = cited.sources.iter().map(|index| &self.answer.sources[index.0]);
        sources.find_map(|source| Some((source, source.mark.as_ref()?)))
    }

    /// All passages, if there are several or the claim has no address; else `None`, because the abstract suffices.
    fn text(&mut self, cited: &CitedSource, passages: &[(&'b Source, &'b str)]) -> Option<String> {
        if cited.url.is_some() && passages.len() < 2 {
            return None;
        }
        if passages.is_empty() {
            return Some(NO_PASSAGE.to_owned());
        }
        Some(self.all_passages(passages))
    }

    fn all_passages(&mut self, passages: &[(&'b Source, &'b str)]) -> String {
        let texts: Vec<String> = passages.iter().map(|(source, passage)| self.markdown(source, passage)).collect();
        texts.join("\n\n")
    }

    /// A passage for the dialog of a citation without an address, which draws Markdown with HTML.
    fn markdown(&mut self, source: &Source, passage: &str) -> String {
        if is_plain(source) {
            return make_harmless(&without_html(passage), &self.rules.image_hosts).0;
        }
        let (harmless, made) = make_harmless(passage, &self.rules.image_hosts);
        self.entries.extend(made.into_iter().map(|entry| {
            let message = format!("in the passage, {}", entry.message);
            Entry::in_input(entry.kind, entry.code, source.pointer.clone(), message)
        }));
        harmless
    }

    /// The label of the whole message: the given one, else the most sensitive of the cited sources.
    fn message_label(&self, cited: &[CitedSource]) -> Option<&'b SensitivityLabel> {
        let of_claims = cited.iter().filter_map(|source| self.label(source));
        self.answer.label.as_ref().or_else(|| most_sensitive(of_claims))
    }

    fn message_usage_info(&mut self, label: &'b SensitivityLabel, is_uncited: bool) -> Option<UsageInfo> {
        match self.rules.labels {
            LabelForm::Linked => {
                if is_uncited {
                    let message = "Web Chat shows the label of a message only when something is cited";
                    self.entries.push(Entry::in_input(Kind::Note, "label-not-shown", "/label", message));
                }
                Some(self.labels.usage_info(label))
            }
            LabelForm::One => self.one_label.as_ref().map(OneLabel::usage_info),
            LabelForm::Absent => {
                if self.answer.label.is_some() {
                    let message = "the label of the message is left out: the channel has no labels";
                    self.entries.push(Entry::in_input(Kind::Dropped, "label", "/label", message));
                }
                None
            }
        }
    }
}

/// Whether the passages of a source are plain text.
fn is_plain(source: &Source) -> bool {
    source.media_type.as_deref().is_some_and(|media_type| media_type.starts_with("text/plain"))
}

/// Escapes `&` and `<`, so that the text holds no HTML.
fn without_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::answer::SourceCode;
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
        serde_json::to_value(build(answer, cited.sources, &GraphRules::web_chat(), &mut Vec::new())).expect("JSON")
    }

    fn answer(text: &str, sources: Vec<Source>) -> Answer {
        Answer { text: text.into(), sources, ..Answer::default() }
    }

    #[test]
    fn code_is_in_the_message_of_web_chat_and_told_elsewhere() {
        let code = Some(SourceCode { text: "print(1)".into(), language: Some("Python".into()) });
        let answer = Answer { code, ..answer("a", Vec::new()) };
        let thing = json!({"@type": "SoftwareSourceCode", "programmingLanguage": "Python", "text": "print(1)"});
        assert_eq!(graph(&answer)["isBasedOn"], thing);
        for rules in [GraphRules::teams(), GraphRules::m365_copilot(), GraphRules::chat(), GraphRules::plain()] {
            let mut entries = Vec::new();
            assert_eq!(build(&answer, Vec::new(), &rules, &mut entries).is_based_on, None);
            assert_eq!(entries.iter().map(|entry| entry.code).collect::<Vec<_>>(), ["code"]);
        }
    }

    #[test]
    fn a_claim_has_the_address_of_its_definition_and_a_non_url_citation_has_none() {
        let web = Source { url: "https://x/a b(1)".parse().ok(), ..Source::default() };
        let graph = graph(&answer("[1][2]", vec![web, Source::default()]));
        assert_eq!(
            graph["citation"],
            json!([
                {"@type": "Claim", "@id": "https://x/a%20b%281%29", "position": "1",
                 "appearance": {"@type": "DigitalDocument", "name": "x", "url": "https://x/a%20b%281%29"}},
                {"@type": "Claim", "@id": "_:c2", "position": "2",
                 "appearance": {"@type": "DigitalDocument", "name": "Document 2", "text": NO_PASSAGE}},
            ])
        );
    }

    #[test]
    fn an_entry_of_the_list_may_open_the_passage_and_leads_on_to_the_address() {
        let web = Source { url: "https://x_y.example/a b(1)".parse().ok(), ..Source::default() };
        let passage = Source { content: Some("- one\n- two".into()), ..web.clone() };
        let other = Source { url: "https://other.example".parse().ok(), ..Source::default() };
        let cited = cite(&answer("[1][2]", vec![passage, other]), &Rules::web_chat());
        let rules = GraphRules { lists_passages: true, ..GraphRules::web_chat() };
        let answer = answer("", vec![Source { content: Some("- one\n- two".into()), ..web }, Source::default()]);
        let graph = json!(build(&answer, cited.sources, &rules, &mut Vec::new()));
        let [first, second] = [0, 1].map(|at| &graph["citation"][at]["appearance"]);
        assert_eq!(first["url"], Value::Null);
        assert_eq!(first["text"], "[x\\_y.example](<https://x_y.example/a%20b%281%29>)\n\n- one\n- two");
        assert_eq!(
            [&graph["citation"][0]["@id"], &second["url"]],
            ["https://x_y.example/a%20b%281%29", "https://other.example/"]
        );
        assert_eq!(second["text"], Value::Null);
    }

    #[test]
    fn the_passages_of_one_document_are_joined() {
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
    fn the_message_refers_to_the_most_sensitive_label_among_the_cited() {
        let labelled = |id, priority| Source { label: label(id, priority), ..Source::default() };
        let sources = vec![labelled("low", 1), labelled("high", 3), labelled("uncited", 9), labelled("high", 3)];
        let graph = graph(&answer("[1] [2] [4]", sources));
        assert_eq!(graph["usageInfo"], json!({"@id": "_:high"}));
        let of = |n: usize| &graph["citation"][n]["appearance"]["usageInfo"];
        assert_eq!(of(0)["name"], "Label low");
        assert_eq!(of(1)["name"], "Label high");
        assert_eq!(*of(2), json!({"@id": "_:high"}));
    }

    fn node_ids(sources: Vec<Source>) -> Vec<(String, String)> {
        let text: String = (1..=sources.len()).map(|n| format!("[{n}] ")).collect();
        let graph = graph(&answer(&text, sources));
        let id = |value: &Value| value["@id"].as_str().unwrap_or_default().to_owned();
        let claims = graph["citation"].as_array().expect("claims");
        claims.iter().map(|claim| (id(claim), id(&claim["appearance"]["usageInfo"]))).collect()
    }

    fn labelled(labels: &[Option<SensitivityLabel>]) -> Vec<Source> {
        labels.iter().map(|label| Source { label: label.clone(), ..Source::default() }).collect()
    }

    fn ids(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(claim, label)| ((*claim).to_owned(), (*label).to_owned())).collect()
    }

    /// Once, a label without id took `_:s1` and a claim took `_:c1`, so that labels with these ids were renamed.
    #[test]
    fn a_label_keeps_the_id_that_its_caller_gave() {
        let nameless = Some(SensitivityLabel::default());
        let labels = [nameless, label("s1", 1), label("_:c1", 0), label("größe_", 2)];
        assert_eq!(
            node_ids(labelled(&labels)),
            ids(&[("_:c1-1", "_:s2"), ("_:c2", "_:s1"), ("_:c3", "_:c1"), ("_:c4", "_:größe_")])
        );
    }

    #[test]
    fn different_labels_never_share_a_node() {
        let mut other = label("s", 1);
        if let Some(label) = &mut other {
            label.name = Some("Other".into());
        }
        // Two labels share an id, and three ids map to the same blank node.
        let labels = [label("s", 1), other, label("s", 1), label("a b", 0), label("a/b", 0), label("a-b", 0)];
        assert_eq!(
            node_ids(labelled(&labels)),
            ids(&[
                ("_:c1", "_:s"),
                ("_:c2", "_:s-1"),
                ("_:c3", "_:s"),
                ("_:c4", "_:a-b-1"),
                ("_:c5", "_:a-b-2"),
                ("_:c6", "_:a-b")
            ])
        );
    }

    #[test]
    fn the_label_that_the_caller_gives_wins() {
        let mut answer = answer("[1]", vec![Source { label: label("a", 9), ..Source::default() }]);
        answer.label = label("b", 0);
        assert_eq!(graph(&answer)["usageInfo"]["name"], "Label b");
    }

    #[test]
    fn encrypted_passages_are_withheld_when_the_policy_says_so() {
        let encrypted = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let secret = Source { content: Some("secret".into()), label: Some(encrypted), ..Source::default() };
        let answer = answer("[1]", vec![secret]);
        let rules = GraphRules { withhold_encrypted: true, ..GraphRules::web_chat() };
        let mut entries = Vec::new();
        let message = build(&answer, cite(&answer, &Rules::web_chat()).sources, &rules, &mut entries);
        assert!(!serde_json::to_string(&message).expect("JSON").contains("secret"));
        assert_eq!(entries[0].code, "encrypted-passage");
        let shown = serde_json::to_value(&message).expect("JSON");
        assert_eq!(
            shown["citation"][0]["appearance"]["usageInfo"]["keywords"],
            json!(["encrypted-content", "EncryptedContent"])
        );
        assert_eq!(shown["citation"][0]["appearance"]["text"], NO_PASSAGE);
    }

    #[test]
    fn a_passage_cannot_load_or_act_when_its_dialog_opens() {
        let hostile = Source { content: Some("![x](https://evil/?q) <img src=x> a < b".into()), ..Source::default() };
        let graph = graph(&answer("[1]", vec![hostile]));
        assert_eq!(graph["citation"][0]["appearance"]["text"], "[x](https://evil/?q) &lt;img src=x> a < b");
    }
}
