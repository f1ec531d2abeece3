//! Sensitivity labels in the graph.

use serde::Serialize;

use super::BlankNodeId;
use crate::answer::{Color, SensitivityLabel};

/// A sensitivity label: its node, or a reference to the node.
///
/// An activity holds the node once, in the first claim with the label, and references elsewhere. Web Chat resolves
/// references over the whole activity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum UsageInfo {
    /// The full node.
    Node(Box<SensitivityNode>),
    /// `{ "@id": "_:s1" }`.
    Reference {
        /// The id of the node.
        #[serde(rename = "@id")]
        id: BlankNodeId,
    },
}

/// The full node of a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SensitivityNode {
    /// The id of the node.
    #[serde(rename = "@id")]
    pub id: BlankNodeId,
    #[serde(rename = "@type")]
    kind: &'static str,
    /// The text on the shield.
    pub name: String,
    /// The text of the tooltip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Two keywords for an encrypted document: Web Chat draws its lock for the first, and its own sample has the second.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub keywords: &'static [&'static str],
    /// The color of the shield.
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

    /// The node of a label with only its name and description, for Teams.
    #[must_use]
    pub fn bare(id: BlankNodeId, label: &SensitivityLabel) -> Self {
        Self { keywords: &[], pattern: None, ..Self::new(id, label) }
    }

    /// The text on the shield: name, else description, else id, else `Sensitive`.
    pub(super) fn name_of(label: &SensitivityLabel) -> &str {
        let name = label.name.as_ref().or(label.description.as_ref()).or(label.id.as_ref());
        name.map_or("Sensitive", String::as_str)
    }
}

/// A term of a controlled vocabulary; here always a CSS color.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinedTermSet {
    #[serde(rename = "@type")]
    kind: &'static str,
    in_defined_term_set: &'static str,
    name: &'static str,
    /// The color, from an allow-list, because Web Chat copies it into SVG unchecked.
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
