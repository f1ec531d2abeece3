//! The sensitivity labels of an organization, and their assignment to sources (policy P-11).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Answer, SensitivityLabel};
use crate::report::{Entry, Kind};
use crate::text::visible;

/// The configured labels, by id (such as a Purview GUID) and by name, in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelCatalog {
    labels: BTreeMap<String, SensitivityLabel>,
    members: Vec<String>,
    is_closed: bool,
}

impl LabelCatalog {
    /// Adds a label under its id and its name.
    pub fn add(&mut self, label: &SensitivityLabel) {
        for key in [&label.id, &label.name].into_iter().flatten() {
            self.labels.insert(key.to_lowercase(), label.clone());
        }
    }

    /// Looks for labels also in this metadata member of a source, before the built-in members. Dots lead into objects
    /// (`purview.label.id`), unless a member has the whole name.
    pub fn look_at(&mut self, member: impl Into<String>) {
        self.members.push(member.into());
    }

    /// Accepts only the configured labels from now on, with their configured properties. Any other label is reported and
    /// dropped; its `encrypted` is kept.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// The first label name or id in the metadata of a source, with its JSON pointer.
    fn named<'m>(&self, metadata: &'m Map<String, Value>) -> Option<(String, &'m str)> {
        if metadata.is_empty() {
            return None;
        }
        let members = self.members.iter().map(String::as_str).chain(METADATA_KEYS);
        members
            .filter_map(|member| {
                let (pointer, value) = member_at(metadata, member)?;
                Some((pointer, value.as_str()?))
            })
            .find(|(_, named)| !named.trim().is_empty())
    }

    /// The label with this id or name, in any case.
    #[must_use]
    pub fn find(&self, id_or_name: &str) -> Option<&SensitivityLabel> {
        self.labels.get(&id_or_name.trim().to_lowercase())
    }
}

/// The metadata members that may name a label.
const METADATA_KEYS: [&str; 8] = [
    "label",
    "labelId",
    "label_id",
    "sensitivity",
    "sensitivityLabel",
    "sensitivityLabelId",
    "sensitivity_label",
    "sensitivity_label_id",
];

impl LabelCatalog {
    /// Gives the answer and each source its label. A label that has only an id or name is filled in from the catalog; a
    /// source without a label gets the one that its metadata names. An unknown name becomes a new label, unless the catalog
    /// is closed. An unknown id tells readers nothing, so it is dropped and reported.
    pub fn complete(&self, answer: &mut Answer) {
        if let Some(label) = answer.label.take() {
            answer.label = self.completed(label, "/label", &mut answer.warnings);
        }
        for source in &mut answer.sources {
            if let Some(label) = source.label.take() {
                source.label = self.completed(label, &format!("{}/label", source.pointer), &mut answer.warnings);
                if source.label.is_some() {
                    continue;
                }
            }
            let Some((place, named)) = self.named(&source.metadata) else { continue };
            match self.find(named) {
                Some(label) => source.label = Some(label.clone()),
                None if looks_like_id(named) => {
                    let pointer = format!("{}/metadata{place}", source.pointer);
                    let message = format!("no label with the id {named} is configured");
                    answer.warnings.push(Entry::in_input(Kind::Dropped, "label-unknown", pointer, message));
                }
                None if self.is_closed => {
                    answer.warnings.push(unknown(format!("{}/metadata{place}", source.pointer)));
                }
                None => {
                    let name = Some(visible(named.trim()).into_owned());
                    source.label = Some(SensitivityLabel { name, ..SensitivityLabel::default() });
                }
            }
        }
    }

    /// The label, filled in from the catalog. `None` if the catalog is closed and does not know the label, unless it is
    /// encrypted.
    fn completed(
        &self,
        mut label: SensitivityLabel,
        pointer: &str,
        warnings: &mut Vec<Entry>,
    ) -> Option<SensitivityLabel> {
        if !self.is_closed {
            self.fill_in(&mut label);
            return Some(label);
        }
        let encrypted = label.encrypted;
        let known = [&label.id, &label.name].into_iter().flatten().find_map(|key| self.find(key));
        if let Some(known) = known {
            return Some(SensitivityLabel { encrypted: known.encrypted || encrypted, ..known.clone() });
        }
        let is_bare = label == SensitivityLabel { encrypted, ..SensitivityLabel::default() };
        if !is_bare {
            warnings.push(unknown(pointer.to_owned()));
        }
        // Without `encrypted`, the passages of an encrypted document would be shown.
        encrypted.then(|| SensitivityLabel { encrypted, ..SensitivityLabel::default() })
    }

    /// Replaces a label that has only an id or name by the configured label. A label found by name keeps its own id.
    fn fill_in(&self, label: &mut SensitivityLabel) {
        let given_by_id_or_name = *label
            == SensitivityLabel { id: label.id.clone(), name: label.name.clone(), ..SensitivityLabel::default() };
        if !given_by_id_or_name {
            return;
        }
        if let Some(known) = label.id.as_deref().and_then(|id| self.find(id)) {
            *label = known.clone();
        } else if let Some(known) = label.name.as_deref().and_then(|name| self.find(name)) {
            let id = label.id.take().or_else(|| known.id.clone());
            *label = SensitivityLabel { id, ..known.clone() };
        }
    }
}

fn unknown(pointer: String) -> Entry {
    let message = "the label is left out: only labels of the configuration are taken, and it is none of them";
    Entry::in_input(Kind::Dropped, "label-unknown", pointer, message)
}

/// The member with this name or dotted path, with its JSON pointer.
fn member_at<'m>(metadata: &'m Map<String, Value>, path: &str) -> Option<(String, &'m Value)> {
    let step = |name: &str| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    if let Some(value) = metadata.get(path) {
        return Some((step(path), value));
    }
    let (first, rest) = path.split_once('.')?;
    let (behind, value) = member_at(metadata.get(first)?.as_object()?, rest)?;
    Some((step(first) + &behind, value))
}

/// Whether a text has the form of a GUID, which Purview uses as label id.
fn looks_like_id(text: &str) -> bool {
    let text = text.trim();
    text.len() == 36 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_comes_from_the_metadata_by_name_or_by_configured_id() {
        const GUID: &str = "f42aa342-8706-4288-bd11-ebb85995028c";
        let configured = SensitivityLabel {
            id: Some(GUID.into()),
            name: Some("Secret".into()),
            priority: 5,
            ..SensitivityLabel::default()
        };
        let mut catalog = LabelCatalog::default();
        catalog.add(&configured);
        let with = |metadata: serde_json::Value| crate::answer::Source {
            metadata: metadata.as_object().cloned().unwrap_or_default(),
            ..crate::answer::Source::default()
        };
        let named = |name: &str| SensitivityLabel { name: Some(name.into()), ..SensitivityLabel::default() };
        let mut answer = Answer {
            label: Some(named("secret")),
            sources: vec![
                with(serde_json::json!({"sensitivityLabelId": GUID})),
                with(serde_json::json!({"label": "Internal"})),
                with(serde_json::json!({"label_id": "00000000-0000-0000-0000-000000000000"})),
                with(serde_json::json!({"label": 7})),
            ],
            ..Answer::default()
        };
        catalog.complete(&mut answer);
        assert_eq!(answer.label, Some(configured.clone()));
        let labels: Vec<_> = answer.sources.iter().map(|source| source.label.clone()).collect();
        assert_eq!(labels, [Some(configured), Some(named("Internal")), None, None]);
        assert_eq!(answer.warnings[0].code, "label-unknown");
    }

    /// Otherwise, anyone who can add a document to the index could show a shield with any words.
    #[test]
    fn a_closed_catalogue_takes_only_its_own_labels() {
        let text = |text: &str| Some(text.to_owned());
        let secret =
            SensitivityLabel { id: text("s"), name: text("Secret"), priority: 5, ..SensitivityLabel::default() };
        let mut catalog = LabelCatalog::default();
        catalog.add(&secret);
        catalog.close();
        let plain = |id: Option<&str>, name: &str, encrypted| SensitivityLabel {
            id: id.map(str::to_owned),
            name: text(name),
            priority: 9,
            encrypted,
            ..SensitivityLabel::default()
        };
        let locked = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let cases = [
            (plain(Some("s"), "Public", false), Some(secret.clone()), 0),
            (plain(None, "SECRET", true), Some(SensitivityLabel { encrypted: true, ..secret.clone() }), 0),
            (plain(None, "No such", false), None, 1),
            (plain(None, "No such", true), Some(locked), 1),
        ];
        for (given, expected, told) in cases {
            let source = crate::answer::Source { label: Some(given.clone()), ..crate::answer::Source::default() };
            let mut answer = Answer { label: Some(given), sources: vec![source], ..Answer::default() };
            // A second pass changes nothing.
            for _ in 0..2 {
                catalog.complete(&mut answer);
                assert_eq!((&answer.label, &answer.sources[0].label), (&expected, &expected));
                assert_eq!(answer.warnings.iter().filter(|entry| entry.code == "label-unknown").count(), 2 * told);
            }
        }
        let mut source = crate::answer::Source::default();
        source.metadata.insert("label".into(), "No such".into());
        let mut answer = Answer { sources: vec![source], ..Answer::default() };
        catalog.complete(&mut answer);
        assert_eq!((&answer.sources[0].label, answer.warnings[0].code), (&None, "label-unknown"));
    }

    #[test]
    fn a_label_that_is_found_by_name_keeps_the_id_that_its_caller_gave() {
        let text = |text: &str| Some(text.to_owned());
        let configured =
            SensitivityLabel { id: text("6F2A-11"), name: text("Secret"), priority: 5, ..SensitivityLabel::default() };
        let mut catalog = LabelCatalog::default();
        catalog.add(&configured);
        for (id, name, found) in [
            (text("own"), text("secret"), text("own")),
            (None, text("secret"), text("6F2A-11")),
            (text("6f2a-11"), None, text("6F2A-11")),
        ] {
            let label = SensitivityLabel { id, name, ..SensitivityLabel::default() };
            let mut answer = Answer { label: Some(label), ..Answer::default() };
            catalog.complete(&mut answer);
            assert_eq!(answer.label, Some(SensitivityLabel { id: found, ..configured.clone() }));
        }
    }

    #[test]
    fn a_catalogue_finds_a_label_by_id_and_by_name() {
        let mut catalog = LabelCatalog::default();
        let label = SensitivityLabel {
            id: Some("6F2A-11".into()),
            name: Some("Confidential".into()),
            ..SensitivityLabel::default()
        };
        catalog.add(&label);
        assert_eq!(catalog.find("6f2a-11"), Some(&label));
        assert_eq!(catalog.find(" confidential"), Some(&label));
        assert_eq!(catalog.find("public"), None);
    }

    #[test]
    fn a_configured_member_of_the_metadata_names_the_label_first() {
        let mut catalog = LabelCatalog::default();
        catalog.look_at("purview.label.id");
        catalog.look_at("a.b");
        let named = |metadata: Value| {
            let metadata = metadata.as_object().cloned().unwrap_or_default();
            catalog.named(&metadata).map(|(pointer, name)| format!("{pointer} {name}"))
        };
        let both = serde_json::json!({"purview": {"label": {"id": "Secret"}}, "label": "General"});
        assert_eq!(named(both).as_deref(), Some("/purview/label/id Secret"));
        let blank = serde_json::json!({"purview": {"label": {"id": " "}}, "label": "General"});
        assert_eq!(named(blank).as_deref(), Some("/label General"));
        assert_eq!(named(serde_json::json!({"a.b": "Dotted", "a": {"b": "Deep"}})).as_deref(), Some("/a.b Dotted"));
        assert_eq!(named(serde_json::json!({"purview": {"label": 5}, "label": null})), None);
    }
}
