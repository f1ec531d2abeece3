//! Blank nodes of labels in one graph, and the single label that Teams accepts.

use std::collections::{HashMap, HashSet};

use super::{BlankNodeId, SensitivityNode, UsageInfo};
use crate::answer::SensitivityLabel;
use crate::cite::Position;

/// The label with the highest priority; the first among equals.
pub(super) fn most_sensitive<'l>(labels: impl Iterator<Item = &'l SensitivityLabel>) -> Option<&'l SensitivityLabel> {
    labels.reduce(|most, label| if label.priority > most.priority { label } else { most })
}

/// Assigns blank nodes in a graph: equal labels share a node, and all other things have different nodes.
///
/// A label keeps the id that its caller gave. New names go to claims and to labels whose id is missing, is not a valid blank
/// node, or belongs to another label already.
#[derive(Default)]
pub(super) struct Labels<'l> {
    named: HashMap<&'l SensitivityLabel, BlankNodeId>,
    described: HashSet<&'l SensitivityLabel>,
    taken: HashSet<BlankNodeId>,
    /// The number of numbered names that were tried for each stem.
    numbered: HashMap<String, usize>,
}

impl<'l> Labels<'l> {
    /// Names the labels of a graph. Among labels with the same id, the first keeps it.
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

    /// The full node at the first use of a label, and a reference later.
    pub(super) fn usage_info(&mut self, label: &'l SensitivityLabel) -> UsageInfo {
        let id = self.name(label);
        if self.described.insert(label) {
            UsageInfo::Node(Box::new(SensitivityNode::new(id, label)))
        } else {
            UsageInfo::Reference { id }
        }
    }

    /// The blank node of a claim without an address.
    pub(super) fn claim(&mut self, position: Position) -> BlankNodeId {
        self.free(Some(BlankNodeId::of_claim(position)))
    }

    /// The wanted name if it is free, else the first free name with a number.
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

/// The label of a message for Teams, which allows one label for the message and its claims (`docs/guides/teams.md`).
pub(super) struct OneLabel<'l> {
    label: &'l SensitivityLabel,
    node: SensitivityNode,
}

impl<'l> OneLabel<'l> {
    pub(super) fn new(label: &'l SensitivityLabel) -> Self {
        let id = label.id.as_deref().and_then(BlankNodeId::from_id).unwrap_or_else(BlankNodeId::first_label);
        Self { label, node: SensitivityNode::bare(id, label) }
    }

    /// The node for the message, and for each claim with the same label.
    pub(super) fn usage_info(&self) -> UsageInfo {
        UsageInfo::Node(Box::new(self.node.clone()))
    }

    /// Whether `other` has the same id, name and description. Teams refuses a message with different labels.
    pub(super) fn is_same(&self, other: &SensitivityLabel) -> bool {
        let other = (&other.id, SensitivityNode::name_of(other), &other.description);
        (&self.label.id, SensitivityNode::name_of(self.label), &self.label.description) == other
    }
}
