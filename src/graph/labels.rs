//! Names of labels in one graph, and the one label that Teams takes.

use std::collections::{HashMap, HashSet};

use super::{BlankNodeId, SensitivityNode, UsageInfo};
use crate::answer::SensitivityLabel;

/// The label with the highest priority; the first one of several.
pub(super) fn most_sensitive<'l>(labels: impl Iterator<Item = &'l SensitivityLabel>) -> Option<&'l SensitivityLabel> {
    labels.reduce(|most, label| if label.priority > most.priority { label } else { most })
}

/// Names for labels: equal ones share a node, different ones never do, whatever ids the caller gave them.
pub(super) struct Labels<'l> {
    named: HashMap<&'l SensitivityLabel, BlankNodeId>,
    taken: HashSet<String>,
    /// How many numbered names of each stem were tried.
    numbered: HashMap<String, usize>,
}

impl<'l> Labels<'l> {
    /// `taken` are the nodes that are no labels.
    pub(super) fn new(taken: HashSet<String>) -> Self {
        Self { named: HashMap::new(), taken, numbered: HashMap::new() }
    }

    pub(super) fn usage_info(&mut self, label: &'l SensitivityLabel) -> UsageInfo {
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

/// The one label that Teams takes for a message and for those of its claims that agree with it (`docs/teams.md`).
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
