//! Formats of your own: the sections `[formats.NAME]` in the file, or one in a file of its own.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::error::{ConfigFault, FaultOrigin};
use crate::ingest::{Mapping, MappingOptions, Mappings};

/// The key of the sections in the file.
pub(super) const KEY: &str = "formats";

/// The lowest likeness (0 to 1) of a member that is meant.
const LIKE: f64 = 0.6;

/// A file that holds no mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", file.display())]
pub struct MappingFault {
    /// The file.
    pub file: PathBuf,
    /// The member and the reason why it is refused.
    pub reason: String,
}

/// Reads a mapping from a file: the members of `[formats.NAME]`, with or without that header. Without it, the mapping is
/// named after the file.
///
/// # Errors
/// When the file cannot be read, is no TOML, or holds no mapping.
pub fn mapping_file(file: &Path) -> Result<Mapping, MappingFault> {
    let fault = |reason: String| MappingFault { file: file.to_owned(), reason };
    let text = std::fs::read_to_string(file).map_err(|error| fault(error.to_string()))?;
    let table = text.trim_start_matches('\u{feff}').parse::<Table>().map_err(|error| {
        let before = &text.as_bytes()[..error.span().map_or(0, |span| span.start.min(text.len()))];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        fault(format!("line {line}: {}", error.message()))
    })?;
    let (name, section) = named(file, table).map_err(fault)?;
    read(&name, section)
        .map_err(|(member, reason)| fault(if member.is_empty() { reason } else { format!("{member}: {reason}") }))
}

/// The mapping of this name in a text of TOML without a header; `None` for any other text.
pub(crate) fn ready_mapping(name: &str, toml: &str) -> Option<Mapping> {
    read(name, Value::Table(toml.parse().ok()?)).ok()
}

/// The mapping in a file, with its name.
fn named(file: &Path, mut table: Table) -> Result<(String, Value), String> {
    match table.remove(KEY) {
        None => {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
            let name = stem.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' });
            Ok((name.collect(), Value::Table(table)))
        }
        Some(Value::Table(sections)) if sections.len() == 1 => {
            sections.into_iter().next().ok_or_else(|| "[formats.NAME] is missing".to_owned())
        }
        Some(_) => Err("one section [formats.NAME] is required, or its members without the header".to_owned()),
    }
}

/// Takes the formats out of the file's table.
pub(super) fn take(table: &mut Table, faults: &mut Vec<ConfigFault>) -> Mappings {
    let sections = match table.remove(KEY) {
        None => return Mappings::default(),
        Some(Value::Table(sections)) => sections,
        Some(other) => {
            let reason = format!("sections are required ([formats.NAME]), not a value of type {}", other.type_str());
            faults.push(ConfigFault::new(FaultOrigin::File(KEY.to_owned()), reason));
            return Mappings::default();
        }
    };
    let mut mappings = Vec::new();
    for (name, section) in sections {
        match read(&name, section) {
            Ok(mapping) => mappings.push(mapping),
            Err((member, reason)) => {
                let path = [KEY, &name, &member];
                let path: Vec<&str> = path.into_iter().filter(|part| !part.is_empty()).collect();
                faults.push(ConfigFault::new(FaultOrigin::File(path.join(".")), reason));
            }
        }
    }
    mappings.into_iter().collect()
}

/// Reads a mapping; else its member that is wrong, and the reason.
fn read(name: &str, section: Value) -> Result<Mapping, (String, String)> {
    let options: MappingOptions = serde_path_to_error::deserialize(section).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.inner().message().trim_end().replace('\n', " ");
        (if path == "." { String::new() } else { path }, meant(&reason))
    })?;
    Mapping::new(name, &options).map_err(|error| (error.member, error.reason))
}

/// A refusal of an unknown member, with the name that is most like it.
fn meant(reason: &str) -> String {
    let mut names = reason.split('`').skip(1).step_by(2);
    let Some(given) = names.next().filter(|_| reason.starts_with("unknown ")) else { return reason.to_owned() };
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, given);
    let like = names.map(|known| (likeness(known), known)).filter(|(like, _)| *like >= LIKE);
    match like.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((_, known)) => format!("there is no `{given}`; `{known}` is meant"),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(toml: &str) -> (Mappings, Vec<String>) {
        let mut faults = Vec::new();
        let mappings = take(&mut toml.parse().expect("TOML"), &mut faults);
        (mappings, faults.iter().map(|fault| format!("{}: {}", fault.origin, fault.reason)).collect())
    }

    #[test]
    fn a_wrong_section_is_reported_with_its_member_and_the_name_that_is_meant() {
        let (mappings, faults) = taken("[formats.wiki]\ntext = '$.a'\n[formats.wiki.stream]\ntext = '$.d'");
        assert!(faults.is_empty() && mappings.find("wiki").is_some(), "{faults:?}");
        for (toml, told) in [
            ("formats = 1", "formats in the configuration file: sections are required"),
            (
                "[formats.wiki]\ntxet = '$.a'",
                "formats.wiki.txet in the configuration file: there is no `txet`; `text` is meant",
            ),
            (
                "[formats.wiki]\ntext = '$.a'\nsources = '$.s'\nsource.titel = '@.t'",
                "formats.wiki.source.titel in the configuration file: there is no `titel`; `title` is meant",
            ),
            ("[formats.wiki]\ntext = 'a'", "formats.wiki.text in the configuration file: `a` does not begin with `$`"),
            ("[formats.wiki]\ntext = 5", "formats.wiki.text in the configuration file: invalid type: integer `5`"),
            ("[formats.dify]\ntext = '$.a'", "formats.dify in the configuration file: \"dify\" is a format"),
            ("[formats.w]\ntext = '$.a'\nspans.unit = 'utf32'", "formats.w.spans.unit in the configuration file: "),
        ] {
            let (_, faults) = taken(toml);
            assert!(faults.len() == 1 && faults[0].starts_with(told), "{toml}: {faults:?}");
        }
    }

    #[test]
    fn a_file_is_named_after_itself_or_by_its_header() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("written");
            mapping_file(&file)
        };
        assert_eq!(read("Our Wiki.toml", "text = '$.a'").expect("a mapping").name(), "our-wiki");
        assert_eq!(read("b.toml", "[formats.wiki]\ntext = '$.a'").expect("a mapping").name(), "wiki");
        let two = read("c.toml", "[formats.a]\ntext = '$.a'\n[formats.b]\ntext = '$.a'").expect_err("two");
        assert!(two.to_string().contains("one section [formats.NAME]"), "{two}");
        let broken = read("d.toml", "text = '$.a'\nsources = ").expect_err("no TOML");
        assert!(broken.to_string().contains("d.toml: line 2: "), "{broken}");
    }
}
