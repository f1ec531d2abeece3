//! The relationships of the parts of an Office file.

use std::collections::BTreeMap;

use crate::archive::Archive;
use crate::xml::{Step, walk};
use crate::{Limits, Unreadable};

/// Where a relationship leads: its type by its last word, and the whole name of the part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: String,
    pub(crate) part: String,
}

/// The relationships of a part, by their ids.
pub(crate) fn of_part(
    archive: &mut Archive<'_>,
    part: &str,
    limits: &Limits,
) -> Result<BTreeMap<String, Target>, Unreadable> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut found = BTreeMap::new();
    let Some(bytes) = archive.part(&format!("{folder}_rels/{name}.rels"))? else { return Ok(found) };
    walk(&bytes, limits, |step| {
        if let Step::Open(element) = step
            && element.name == "Relationship"
            && element.attribute("TargetMode") != Some("External")
            && let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
        {
            let kind = element.attribute("Type").and_then(|kind| kind.rsplit('/').next()).unwrap_or_default();
            found.insert(id.to_owned(), Target { kind: kind.to_owned(), part: resolve(&folder, target) });
        }
        Ok(())
    })?;
    Ok(found)
}

/// The part of this kind to which the file as a whole leads.
pub(crate) fn main_part(archive: &mut Archive<'_>, limits: &Limits, usual: &str) -> Result<String, Unreadable> {
    let root = of_part(archive, "", limits)?;
    let main = root.into_values().find(|target| target.kind == "officeDocument").map(|target| target.part);
    Ok(main.unwrap_or_else(|| usual.to_owned()))
}

/// The title among the properties of an Office file.
pub(crate) fn title(archive: &mut Archive<'_>, limits: &Limits) -> Result<Option<String>, Unreadable> {
    match archive.part("docProps/core.xml")? {
        Some(bytes) => crate::xml::text_in(&bytes, limits, "title"),
        None => Ok(None),
    }
}

/// The name of a part, seen from a folder that ends with `/` or is empty.
pub(crate) fn resolve(folder: &str, target: &str) -> String {
    let whole = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}{target}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_seen_from_its_folder() {
        for (folder, target, expected) in [
            ("word/", "styles.xml", "word/styles.xml"),
            ("ppt/slides/", "../media/a.png", "ppt/media/a.png"),
            ("word/", "/word/document.xml", "word/document.xml"),
            ("", "../../a", "a"),
        ] {
            assert_eq!(resolve(folder, target), expected);
        }
    }
}
