//! The document behind a claim.

use std::sync::Arc;

use serde::Serialize;

use super::{ImageObject, UsageInfo};

/// The appearance of a claim. All members except the name may be absent; `null` is never written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DigitalDocument {
    #[serde(rename = "@type")]
    kind: &'static str,
    /// The title: one line, never empty.
    pub name: String,
    /// The address, byte for byte as in the link definition of the text. Absent if the source has no address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Arc<str>>,
    /// The first passage, cut to the channel's limit.
    #[serde(rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The passages. Always present without an address: Web Chat then shows them as Markdown in a dialog. For Teams, the
    /// JSON of an Adaptive Card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The media type of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_format: Option<String>,
    /// The date of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_modified: Option<String>,
    /// The author or editor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor: Option<String>,
    /// The keywords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// The icon of its file type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageObject>,
    /// Its sensitivity label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_info: Option<UsageInfo>,
}

impl DigitalDocument {
    /// A document with a title.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            kind: "DigitalDocument",
            name: name.into(),
            url: None,
            summary: None,
            text: None,
            encoding_format: None,
            date_modified: None,
            editor: None,
            keywords: Vec::new(),
            image: None,
            usage_info: None,
        }
    }
}
