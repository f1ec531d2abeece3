//! Names of labels in one graph, and the one label that Teams takes.

use std::collections::{HashMap, HashSet};

use super::{BlankNodeId, SensitivityNode, UsageInfo};
use crate::answer::SensitivityLabel;
use crate::cite::Position;

/// The label with the highest priority; the first one of several.
pub(super) fn most_sensitive<'l>(labels: impl Iterator<Item = &'l SensitivityLabel>) -> Option<&'l SensitivityLabel> {
    labels.reduce(|most, label| if label.priority > most.priority { label } else { most })
}

/// Names for the blank nodes of a graph: equal labels share one, and nothing else does.
///
/// A label keeps the id that its caller gave it. Only what has no such id gives way: labels without an id, with one that no blank
/// node can have, or with one that another label has as well, and claims.
#[derive(Default)]
pub(super) struct Labels<'l> {
    named: HashMap<&'l SensitivityLabel, BlankNodeId>,
    described: HashSet<&'l SensitivityLabel>,
    taken: HashSet<BlankNodeId>,
    /// How many numbered names of each stem were tried.
    numbered: HashMap<String, usize>,
}

impl<'l> Labels<'l> {
    /// Names the labels of a graph; of those with one id, the first keeps it.
    pub(super) fn new(labels: impl Iterator<Item = &'l SensitivityLabel> + Clone) -> Self {
        let mut names = Self::default();
        for label in labels.clone() {
            if let Some(id) = label.id.as_deref().and_then(BlankNodeId::exactly)
                && !names.named.contains_key(label)
                && names.taken.insert(id.clone())
            {
                names.named.insert(label, id);
            }
        }
        for label in labels {
            names.name(label);
        }
        names
    }

    fn name(&mut self, label: &'l SensitivityLabel) -> BlankNodeId {
        if let Some(id) = self.named.get(label) {
            return id.clone();
        }
        let id = self.free(label.id.as_deref().and_then(BlankNodeId::from_id));
        self.named.insert(label, id.clone());
        id
    }

    /// The node of a label where it first stands, and a reference to it everywhere else.
    pub(super) fn usage_info(&mut self, label: &'l SensitivityLabel) -> UsageInfo {
        let id = self.name(label);
        if self.described.insert(label) {
            UsageInfo::Node(Box::new(SensitivityNode::new(id, label)))
        } else {
            UsageInfo::Reference { id }
        }
    }

    /// The node of a claim without address.
    pub(super) fn claim(&mut self, position: Position) -> BlankNodeId {
        self.free(Some(BlankNodeId::of_claim(position)))
    }

    /// The wanted name, or the first numbered one that nobody has.
    fn free(&mut self, wanted: Option<BlankNodeId>) -> BlankNodeId {
        let stem = match wanted {
            Some(id) if self.taken.insert(id.clone()) => return id,
            Some(id) => format!("{id}-"),
            None => "_:s".to_owned(),
        };
        loop {
            let n = self.numbered.entry(stem.clone()).or_default();
            *n += 1;
            let name: BlankNodeId = format!("{stem}{n}").parse().expect("a stem and a number are a valid name");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The one label that Teams takes for a message and for those of its claims that agree with it (`docs/guides/teams.md`).
pub(super) struct OneLabel<'l> {
    label: &'l SensitivityLabel,
    node: SensitivityNode,
}

impl<'l> OneLabel<'l> {
    pub(super) fn new(label: &'l SensitivityLabel) -> Self {
        let id = label.id.as_deref().and_then(BlankNodeId::from_id).unwrap_or_else(BlankNodeId::first_label);
        Self { label, node: SensitivityNode::bare(id, label) }
    }

    /// The label of the message, and of a claim that has the same.
    pub(super) fn usage_info(&self) -> UsageInfo {
        UsageInfo::Node(Box::new(self.node.clone()))
    }

    /// Whether `other` has the id, name and description of this one: Teams refuses a message whose labels differ.
    pub(super) fn is_same(&self, other: &SensitivityLabel) -> bool {
        let other = (&other.id, SensitivityNode::name_of(other), &other.description);
        (&self.label.id, SensitivityNode::name_of(self.label), &self.label.description) == other
    }
}
