//! Sensitivity labels in the graph.

use serde::Serialize;

use super::BlankNodeId;
use crate::answer::{Color, SensitivityLabel};

/// A label: the node itself, or a blank node that refers to it.
///
/// The node stands once in an activity, in the first claim that has it; everywhere else it is referred to. Web Chat
/// resolves references over the whole activity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum UsageInfo {
    /// The node.
    Node(Box<SensitivityNode>),
    /// `{ "@id": "_:s1" }`.
    Reference {
        /// The node's name.
        #[serde(rename = "@id")]
        id: BlankNodeId,
    },
}

/// The full node of a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SensitivityNode {
    /// The name of the node.
    #[serde(rename = "@id")]
    pub id: BlankNodeId,
    #[serde(rename = "@type")]
    kind: &'static str,
    /// What is shown.
    pub name: String,
    /// What the tooltip says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Both words for an encrypted document: Web Chat draws its lock for the first, the second is the one that Web Chat's
    /// own sample has.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub keywords: &'static [&'static str],
    /// The colour of the shield.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<DefinedTermSet>,
}

impl SensitivityNode {
    /// The node of a label.
    #[must_use]
    pub fn new(id: BlankNodeId, label: &SensitivityLabel) -> Self {
        Self {
            id,
            kind: "CreativeWork",
            name: Self::name_of(label).to_owned(),
            description: label.description.clone(),
            keywords: if label.encrypted { &["encrypted-content", "EncryptedContent"] } else { &[] },
            pattern: label.colour.as_ref().map(DefinedTermSet::colour),
        }
    }

    /// The node of a label with nothing but its name and description, for Teams.
    #[must_use]
    pub fn bare(id: BlankNodeId, label: &SensitivityLabel) -> Self {
        Self { keywords: &[], pattern: None, ..Self::new(id, label) }
    }

    /// What is shown of a label; never empty.
    pub(super) fn name_of(label: &SensitivityLabel) -> &str {
        let name = label.name.as_ref().or(label.description.as_ref()).or(label.id.as_ref());
        name.map_or("Sensitive", String::as_str)
    }
}

/// A word of a controlled vocabulary: here always a colour of CSS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinedTermSet {
    #[serde(rename = "@type")]
    kind: &'static str,
    in_defined_term_set: &'static str,
    name: &'static str,
    /// The colour; from an allow-list, because Web Chat puts it into SVG as it stands.
    pub term_code: String,
}

impl DefinedTermSet {
    fn colour(colour: &Color) -> Self {
        Self {
            kind: "DefinedTermSet",
            in_defined_term_set: "https://www.w3.org/TR/css-color-4/",
            name: "color",
            term_code: colour.to_string(),
        }
    }
}
