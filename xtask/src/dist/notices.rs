//! The licences of everything inside the program, with their copyright lines: MIT, BSD and Apache want them to go with it.

use crate::packages::Package;
use crate::process;
use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// How the names of files with licences begin, in small letters.
const NAMES: [&str; 6] = ["licen", "copying", "notice", "unlicense", "copyright", "authors"];

/// The width of a line between two texts.
const RULE: usize = 78;

/// What the program carries beside packages of Rust.
const WEB_CHAT: &str = "\nWeb Chat (botframework-webchat) is Copyright (c) Microsoft Corporation, under the MIT licence; its bundle \
                        names its own parts.\n";

/// The licences of everything inside the program.
pub(super) fn of_program(repository: &Repository) -> Result<String> {
    text(repository, "citewire", WEB_CHAT)
}

/// The licences of everything inside a library.
pub(super) fn of_library(repository: &Repository, package: &str) -> Result<String> {
    text(repository, package, "")
}

/// Each text once, below the packages that carry it.
fn text(repository: &Repository, package: &str, beside: &str) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for (name, version) in inside(repository, package)? {
        let found =
            repository.metadata.packages.iter().find(|package| package.name == name && package.version == version);
        let package = found.with_context(|| format!("`cargo metadata` does not name {name} {version}"))?;
        if repository.metadata.is_ours(package) {
            continue;
        }
        let licences = licences(package)?;
        if licences.is_empty() {
            without.push(format!("{}: {}", package.title(), package.license.as_deref().unwrap_or("unknown")));
        }
        for licence in licences {
            texts.entry(licence).or_default().push(package.title());
        }
    }
    if texts.len() < 20 {
        bail!(
            "only {} licences were found; are the sources of the dependencies there? `cargo fetch` gets them",
            texts.len()
        );
    }
    Ok(written(beside, &texts, &without))
}

/// Names and versions of the packages whose code is in the program, on whatever platform.
fn inside(repository: &Repository, package: &str) -> Result<BTreeSet<(String, String)>> {
    let mut tree = repository.cargo(&["tree", "--locked", "--package", package, "--edges", "normal,no-proc-macro"]);
    let text =
        process::output(tree.args(["--target", "all", "--prefix", "none", "--format", "{p}", "--color", "never"]))?;
    let packages = text.lines().filter(|line| !line.is_empty()).map(|line| {
        let (name, rest) = line.split_once(" v").with_context(|| format!("`cargo tree` wrote `{line}`"))?;
        Ok((name.to_owned(), rest.split(' ').next().unwrap_or_default().to_owned()))
    });
    packages.collect()
}

/// The texts of a package's licences, as they lie in its folder.
fn licences(package: &Package) -> Result<Vec<String>> {
    let folder = package.manifest_path.parent().unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        NAMES.iter().any(|start| name.starts_with(start))
    });
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let bytes = fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        // Line ends differ between copies of one text.
        texts.push(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned());
    }
    texts.retain(|text| !text.is_empty());
    Ok(texts)
}

fn written(beside: &str, texts: &BTreeMap<String, Vec<String>>, without: &[String]) -> String {
    let mut blocks: Vec<(&Vec<String>, &String)> = texts.iter().map(|(text, packages)| (packages, text)).collect();
    blocks.sort();
    let rule = "=".repeat(RULE);
    let mut all = format!("citewire contains these packages, under these licences.\n{beside}");
    for (packages, text) in blocks {
        all += &format!("\n{rule}\n{}\n\n{text}\n", packages.join(", "));
    }
    if !without.is_empty() {
        all +=
            &format!("\n{rule}\nPackages that name their licence and bring no text of it:\n\n{}\n", without.join("\n"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::written;
    use std::collections::BTreeMap;

    #[test]
    fn a_text_that_several_packages_carry_stands_once_below_their_names() {
        let texts = BTreeMap::from([
            ("MIT text".to_owned(), vec!["a 1.0.0".to_owned(), "b 2.0.0".to_owned()]),
            ("BSD text".to_owned(), vec!["c 3.0.0".to_owned()]),
        ]);
        let all = written("", &texts, &["d 4.0.0: MIT".to_owned()]);
        assert_eq!(all.matches("MIT text").count(), 1);
        assert!(all.contains("a 1.0.0, b 2.0.0\n\nMIT text\n"), "{all}");
        assert!(all.ends_with("d 4.0.0: MIT\n"), "{all}");
    }
}
