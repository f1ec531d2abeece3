//! The blank nodes of one activity: descriptions and references.
//!
//! Web Chat resolves them over all entities at any depth before it reads anything. A node is a reference if its `@id` starts
//! with `_:` and all of its keys start with `@`. Its description is the node with the same `@id` that has at least one other
//! key.

use std::collections::BTreeMap;

use serde_json::Value;

use super::code;
use super::findings::Findings;
use super::place::Place;
use super::pointer::Pointer;

/// The maximum nesting that is read. The JSON parser stops at 128 levels.
const MAX_DEPTH: usize = 100;

/// The blank nodes of one activity.
#[derive(Debug, Default)]
pub(super) struct BlankNodes<'v> {
    described: BTreeMap<&'v str, Vec<Place<'v>>>,
    references: Vec<Reference<'v>>,
}

/// A reference to a node.
#[derive(Debug)]
struct Reference<'v> {
    id: &'v str,
    at: Pointer,
    /// The member whose value or list holds the reference.
    member: Option<&'v str>,
}

impl<'v> BlankNodes<'v> {
    /// Gathers the blank nodes below `root`, and reports values that are nested too deeply.
    pub(super) fn gather(root: &Place<'v>, findings: &mut Findings) -> Self {
        let mut nodes = Self::default();
        nodes.walk(root, None, 0, findings);
        nodes
    }

    fn walk(&mut self, place: &Place<'v>, member: Option<&'v str>, depth: usize, findings: &mut Findings) {
        if depth > MAX_DEPTH {
            findings.add_once(
                code::NESTING_TOO_DEEP,
                &place.at,
                format!(
                    "More than {MAX_DEPTH} levels below `entities`: nothing below this place was checked. Flatten it."
                ),
            );
            return;
        }
        match place.value {
            Value::Object(object) => {
                if let Some(id) = blank_id(place.value) {
                    if is_reference(place.value) {
                        self.references.push(Reference { id, at: place.at.clone(), member });
                    } else {
                        self.described.entry(id).or_default().push(place.clone());
                    }
                }
                for (key, value) in object.iter().filter(|(_, value)| value.is_object() || value.is_array()) {
                    self.walk(&Place::new(value, place.at.key(key)), Some(key), depth + 1, findings);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if item.is_object() || item.is_array() {
                        self.walk(&Place::new(item, place.at.index(index)), member, depth + 1, findings);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The node behind `place`: its description if `place` is a reference. `None` if the reference has no description.
    pub(super) fn follow(&self, place: Place<'v>) -> Option<Place<'v>> {
        match blank_id(place.value) {
            Some(id) if is_reference(place.value) => self.described.get(id)?.first().cloned(),
            _ => Some(place),
        }
    }

    /// Reports references without a description, and descriptions that contradict each other.
    pub(super) fn check(&self, findings: &mut Findings) {
        for Reference { id, at, member } in &self.references {
            // The messages of a group name it, and none describes it.
            if self.described.contains_key(id) || *member == Some("isPartOf") {
                continue;
            }
            let (code, lost) = match *member {
                Some("usageInfo") => (code::LABEL_DANGLING, "Users see no sensitivity label here"),
                Some("citation") => {
                    (code::REFERENCE_DANGLING, "This claim is absent, with its title, label and passage")
                }
                Some(_) | None => (code::REFERENCE_DANGLING, "What belongs here is absent"),
            };
            let mend = match *member {
                Some("usageInfo") => "Put the full object with this `@id` into one claim",
                Some(_) | None => "Write the whole object here, or describe the node elsewhere in the entities",
            };
            findings.add_once(
                code,
                at,
                format!(
                    "This is a reference to the blank node {id:?}, which nothing in the activity describes. {lost}, and \
                     there is no error in any version. {mend}."
                ),
            );
        }
        for (id, bodies) in &self.described {
            let Some((first, others)) = bodies.split_first() else { continue };
            for other in others.iter().filter(|other| other.value != first.value) {
                findings.add_once(
                    code::BLANK_NODE_TWO_BODIES,
                    &other.at,
                    format!(
                        "The blank node {id:?} is already described differently at {}. Which description wins depends \
                         on depth, so users may see the wrong label. Describe it once and refer to it elsewhere.",
                        first.at.as_str()
                    ),
                );
            }
        }
    }
}

/// The `@id` of a reference that is not a blank node. Web Chat does not resolve it.
pub(super) fn unread_reference(value: &Value) -> Option<&str> {
    let id = value.get("@id")?.as_str().filter(|id| !id.starts_with("_:"))?;
    (value.get("@type").is_none() && is_reference(value)).then_some(id)
}

fn blank_id(value: &Value) -> Option<&str> {
    value.get("@id")?.as_str().filter(|id| id.starts_with("_:"))
}

fn is_reference(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.keys().all(|key| key.starts_with('@')))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn codes(value: &Value) -> Vec<(&'static str, String)> {
        let mut findings = Findings::default();
        BlankNodes::gather(&Place::new(value, Pointer::default()), &mut findings).check(&mut findings);
        findings.finish().into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    #[test]
    fn a_reference_without_description_dangles() {
        assert_eq!(codes(&json!([{"usageInfo": {"@id": "_:s9"}}])), [("label-dangling", "/0/usageInfo".into())]);
        assert_eq!(codes(&json!([{"usageInfo": {"@id": "_:s1"}}, {"@id": "_:s1", "name": "x"}])), []);
    }

    #[test]
    fn a_reference_with_a_type_is_still_a_reference() {
        let value = json!([{"usageInfo": [{"@id": "_:s1", "@type": "CreativeWork"}]}]);
        assert_eq!(codes(&value), [("label-dangling", "/0/usageInfo/0".into())]);
    }

    /// Such a claim was once reported as a missing sensitivity label.
    #[test]
    fn a_claim_that_is_only_a_reference_is_named_as_one() {
        let value = json!([{"citation": [{"@id": "_:x"}], "about": {"@id": "_:y"}}]);
        assert_eq!(
            codes(&value),
            [("reference-dangling", "/0/about".into()), ("reference-dangling", "/0/citation/0".into())]
        );
        let described = json!([{"citation": [{"@id": "_:x"}]}, {"@id": "_:x", "@type": "Claim", "position": "1"}]);
        assert_eq!(codes(&described), []);
    }

    /// Web Chat's main branch groups the messages that are part of one node, wherever that is described.
    #[test]
    fn the_group_of_a_message_needs_no_description() {
        assert_eq!(codes(&json!([{"isPartOf": {"@id": "_:group-1", "@type": "HowTo"}}])), []);
    }

    #[test]
    fn one_node_with_two_descriptions_is_an_error_unless_they_agree() {
        let two = json!([{"@id": "_:s1", "name": "a"}, {"@id": "_:s1", "name": "b"}]);
        assert_eq!(codes(&two), [("blank-node-two-bodies", "/1".into())]);
        let same = json!([{"@id": "_:s1", "name": "a"}, {"@id": "_:s1", "name": "a"}]);
        assert_eq!(codes(&same), []);
    }

    #[test]
    fn very_deep_values_are_reported_and_left() {
        let mut value = json!({"@id": "_:deep"});
        for _ in 0..150 {
            value = json!([value]);
        }
        let found = codes(&value);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "nesting-too-deep");
    }
}
