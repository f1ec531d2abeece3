//! Sensitivity labels in the two forms in which Microsoft's services give them.
//!
//! Microsoft Graph has [`searchSensitivityLabelInfo`](https://learn.microsoft.com/graph/api/resources/searchsensitivitylabelinfo);
//! the [retrieve action](https://learn.microsoft.com/azure/search/agentic-retrieval-how-to-retrieve) of Azure AI Search also
//! writes `labelId` and `labelName`.

use serde::Deserialize;

use super::json::text_or_number;
use super::manifest::WireLabel;
use crate::answer::SensitivityLabel;
use crate::report::Entry;

/// A label. All members may be null: then there is no label.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PurviewLabel {
    #[serde(default, alias = "labelId", deserialize_with = "text_or_number")]
    sensitivity_label_id: Option<String>,
    #[serde(alias = "labelName")]
    display_name: Option<String>,
    #[serde(alias = "toolTip")]
    tooltip: Option<String>,
    priority: Option<i64>,
    color: Option<String>,
    is_encrypted: Option<bool>,
}

impl PurviewLabel {
    /// The label; `None` if nothing names it and the document is not encrypted. `pointer` is its JSON pointer.
    pub(super) fn into_label(self, pointer: &str, warnings: &mut Vec<Entry>) -> Option<SensitivityLabel> {
        let label = WireLabel {
            id: self.sensitivity_label_id,
            name: self.display_name,
            description: self.tooltip,
            priority: self.priority,
            color: self.color,
            encrypted: self.is_encrypted,
        };
        let label = label.into_label(pointer, warnings);
        let is_named = [&label.id, &label.name, &label.description].into_iter().any(Option::is_some);
        (is_named || label.encrypted).then_some(label)
    }
}
