//! Sensitivity labels: `[[labels]]` in the file; `label_members`, the metadata members of sources that contain label ids; and
//! `only_configured_labels`, which omits all other labels.

use serde::Deserialize;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::error::{ConfigFault, FaultOrigin};
use crate::answer::{LabelCatalog, SensitivityLabel};

/// The key of the list in the file.
pub(super) const KEY: &str = "labels";

/// The key of the members of metadata that name labels.
pub(super) const MEMBERS: &str = "label_members";

/// The key that takes no other labels.
pub(super) const ONLY: &str = "only_configured_labels";

/// A sensitivity label of your organization.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Label)]
pub(super) struct LabelEntry {
    /// The id that sources use, such as a Purview GUID.
    id: Option<String>,
    /// The name that readers see.
    name: String,
    /// The tooltip.
    description: Option<String>,
    /// The priority: a higher number is more sensitive.
    #[serde(default)]
    priority: i64,
    /// The color: a CSS color name or a hex number.
    color: Option<String>,
    /// Whether the label means encryption: the shield shows a lock.
    #[serde(default)]
    encrypted: bool,
}

/// Takes the labels out of the file's table.
pub(super) fn take(table: &mut Table, faults: &mut Vec<ConfigFault>) -> LabelCatalog {
    let mut catalog = LabelCatalog::default();
    if let Some(members) = table.remove(MEMBERS) {
        match members.try_into::<Vec<String>>() {
            Ok(members) => members.into_iter().for_each(|member| catalog.look_at(member)),
            Err(error) => {
                let reason = format!("a list of names is required: {}", error.message());
                faults.push(ConfigFault::new(FaultOrigin::File(MEMBERS.to_owned()), reason));
            }
        }
    }
    match table.remove(ONLY) {
        Some(Value::Boolean(true)) => catalog.close(),
        None | Some(Value::Boolean(false)) => {}
        Some(other) => {
            let reason = format!("true or false is required, not a value of type {}", other.type_str());
            faults.push(ConfigFault::new(FaultOrigin::File(ONLY.to_owned()), reason));
        }
    }
    let entries = match table.remove(KEY) {
        None => return catalog,
        Some(Value::Array(entries)) => entries,
        Some(other) => {
            let reason = format!("a list is required ([[labels]]), not a value of type {}", other.type_str());
            faults.push(ConfigFault::new(FaultOrigin::File(KEY.to_owned()), reason));
            return catalog;
        }
    };
    for (at, entry) in entries.into_iter().enumerate() {
        match read(entry) {
            Ok(label) => catalog.add(&label),
            Err(reason) => faults.push(ConfigFault::new(FaultOrigin::File(format!("{KEY}[{at}]")), reason)),
        }
    }
    catalog
}

fn read(entry: Value) -> Result<SensitivityLabel, String> {
    let entry: LabelEntry = entry.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let colour =
        entry.color.as_deref().map(|colour| colour.parse().map_err(|error| format!("color: {error}"))).transpose()?;
    let LabelEntry { id, name, description, priority, encrypted, .. } = entry;
    Ok(SensitivityLabel { id, name: Some(name), description, priority, colour, encrypted })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> (LabelCatalog, Vec<String>) {
        let mut table = text.parse::<Table>().expect("TOML");
        let mut faults = Vec::new();
        let catalog = take(&mut table, &mut faults);
        (catalog, faults.iter().map(|fault| format!("{}: {}", fault.origin, fault.reason)).collect())
    }

    #[test]
    fn a_label_is_found_by_its_id_and_its_name() {
        let text = "[[labels]]\nid = 'F42A-1'\nname = 'Secret'\npriority = 4\ncolor = 'red'\nencrypted = true\n";
        let (catalog, faults) = read_all(text);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(catalog.find("f42a-1"), catalog.find("secret"));
        let label = catalog.find("secret").expect("a label");
        assert_eq!((label.priority, label.encrypted), (4, true));
    }

    #[test]
    fn members_of_metadata_that_name_labels_are_known() {
        let (catalog, faults) = read_all("label_members = ['purview.id', 'MSIP.Label']");
        assert!(faults.is_empty(), "{faults:?}");
        let mut expected = LabelCatalog::default();
        expected.look_at("purview.id");
        expected.look_at("MSIP.Label");
        assert_eq!(catalog, expected);
    }

    #[test]
    fn only_labels_of_the_file_are_taken_where_it_says_so() {
        let (catalog, faults) = read_all("only_configured_labels = true");
        let mut expected = LabelCatalog::default();
        expected.close();
        assert_eq!((catalog, faults), (expected, Vec::new()));
        assert_eq!(read_all("only_configured_labels = false").0, LabelCatalog::default());
        assert!(read_all("only_configured_labels = 'yes'").1[0].contains("true or false is required"));
    }

    #[test]
    fn what_is_wrong_is_named_by_its_place() {
        let (_, faults) = read_all(
            "[[labels]]\nname = 'A'\ncolor = 'banana'\n[[labels]]\nid = '1'\n[[labels]]\nname = 'B'\ncolour = 'red'",
        );
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(
            faults[0].starts_with("labels[0] in the configuration file: color: \"banana\" is neither"),
            "{faults:?}"
        );
        assert!(faults[1].contains("missing field `name`"), "{faults:?}");
        assert!(faults[2].contains("unknown field `colour`"), "{faults:?}");
        assert!(read_all("labels = 3").1[0].contains("a list is required"));
        assert!(read_all("label_members = [3]").1[0].contains("a list of names is required"));
    }
}
