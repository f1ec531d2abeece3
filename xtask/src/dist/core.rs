//! The package for npm with the core as WebAssembly, which is the same for every platform.

use super::parts::{copy, empty, write};
use super::{notices, npm};
use crate::process;
use crate::repository::Repository;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate of the module.
const CRATE: &str = "citewire-wasm";

/// The triple of modules that import nothing.
const TARGET: &str = "wasm32-unknown-unknown";

/// The files of the package that are in the repository.
const FILES: [&str; 6] = ["README.md", "calls.js", "node.js", "web.js", "index.d.ts", "load.d.ts"];

/// What a module is fast at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speed {
    /// It is built fast, for tests.
    Built,
    /// It is small and runs fast, for packages.
    Run,
}

/// Builds the module.
pub(super) fn module(repository: &Repository, speed: Speed) -> Result<PathBuf> {
    let (profile, folder) = match speed {
        Speed::Built => ("wasm-test", "wasm-test"),
        Speed::Run => ("wasm", "wasm"),
    };
    let options = ["build", "--locked", "--package", CRATE, "--target", TARGET, "--profile", profile];
    process::run(repository.cargo(&options).env("CARGO_INCREMENTAL", "0"))?;
    Ok(repository.target(TARGET).join(folder).join("citewire_wasm.wasm"))
}

/// Makes the package in a folder, around a module.
pub(super) fn npm(repository: &Repository, module: &Path, out: &Path) -> Result<PathBuf> {
    let (source, folder) = (repository.path("bindings/node"), out.join(".core"));
    empty(&folder)?;
    for file in FILES {
        copy(&source.join(file), &folder.join(file))?;
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&repository.path(licence), &folder.join(licence))?;
    }
    copy(module, &folder.join("citewire.wasm"))?;
    let types =
        Command::new("node").arg(source.join("types.mjs")).arg(repository.path("docs/api/openapi.json")).output();
    let types = types.context("cannot start node")?;
    anyhow::ensure!(types.status.success(), "{}", String::from_utf8_lossy(&types.stderr));
    fs::write(folder.join("schemas.d.ts"), types.stdout)?;
    write(&folder.join("THIRD-PARTY-LICENSES.txt"), &notices::of_library(repository, CRATE)?)?;
    let manifest = fs::read_to_string(source.join("package.json")).context("package.json cannot be read")?;
    let manifest = serde_json::from_str(&manifest).context("package.json is not JSON")?;
    write(
        &folder.join("package.json"),
        &npm::text(&published(manifest, &repository.version()?, repository.address()?)),
    )?;
    let package = npm::pack(&folder, out)?;
    fs::remove_dir_all(&folder)?;
    Ok(package)
}

/// The manifest in this version, with the repository of which npm takes provenance.
fn published(mut manifest: Value, version: &str, address: Option<&str>) -> Value {
    manifest["version"] = json!(version);
    if let Some(address) = address {
        manifest["repository"] = json!({ "type": "git", "url": format!("git+{address}.git") });
    }
    manifest
}

#[cfg(test)]
mod tests {
    use super::{FILES, published};
    use serde_json::{Value, json};

    #[test]
    fn the_manifest_has_the_version_and_the_repository_and_names_every_file() {
        let manifest: Value = serde_json::from_str(include_str!("../../../bindings/node/package.json")).expect("JSON");
        let published = published(manifest, "1.2.3", Some("https://example.com/people/citewire"));
        assert_eq!(published["version"], "1.2.3");
        assert_eq!(published["repository"]["url"], "git+https://example.com/people/citewire.git");
        let named = published["files"].as_array().expect("a list");
        for file in FILES.iter().filter(|file| **file != "README.md") {
            assert!(named.contains(&json!(file)), "{file}");
        }
    }
}
