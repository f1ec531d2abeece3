//! The package for npm with the core as WebAssembly, which is the same for every platform.

use super::parts::{copy, empty, write};
use super::{notices, npm};
use crate::process;
use crate::repository::Repository;
use anyhow::{Context as _, Result};
use serde_json::json;
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

/// The functions of the module.
const EXPORTS: [&str; 13] = [
    "body",
    "parameters",
    "result",
    "convert",
    "check",
    "fix",
    "records",
    "prompt",
    "stream_begin",
    "stream_push",
    "stream_so_far",
    "stream_finish",
    "stream_free",
];

/// The size from which the main thread of a page of Chromium instantiates no module at once, in bytes.
const TOO_LARGE: u64 = 8 * 1024 * 1024;

/// The room for calls within calls, in bytes: as much as a thread of Rust has.
const STACK: u32 = 2 * 1024 * 1024;

/// Builds the module. It is linked here, with its own functions alone as roots: a dynamic library of cargo also keeps what its
/// dependencies export, such as wasm-bindgen, and what that imports.
pub(super) fn module(repository: &Repository, speed: Speed) -> Result<PathBuf> {
    ensure_target(repository)?;
    let profile = match speed {
        Speed::Built => "wasm-test",
        Speed::Run => "wasm",
    };
    let options = ["rustc", "--locked", "--package", CRATE, "--lib", "--crate-type", "staticlib", "--target", TARGET];
    process::run(repository.cargo(&options).args(["--profile", profile]).env("CARGO_INCREMENTAL", "0"))?;
    let folder = repository.target(TARGET).join(profile);
    let module = folder.join("citewire.wasm");
    let mut link = Command::new(linker(repository)?);
    link.args(["-flavor", "wasm", "--no-entry", "--gc-sections", "--strip-all", "--stack-first"]);
    link.args(["-z".to_owned(), format!("stack-size={STACK}")]).args(EXPORTS.map(|name| format!("--export={name}")));
    process::run(link.arg(folder.join("libcitewire_wasm.a")).arg("-o").arg(&module))?;
    let bytes = fs::metadata(&module).context("the module")?.len();
    anyhow::ensure!(speed == Speed::Built || bytes < TOO_LARGE, "pages cannot load a module of {bytes} bytes");
    Ok(module)
}

/// Has rustup fetch the standard library for WebAssembly where it is not there. `rust-toolchain.toml` does not ask for it: without a
/// network nothing at all would be built then.
fn ensure_target(repository: &Repository) -> Result<()> {
    if !platforms(repository)?.join(TARGET).is_dir() {
        process::run(Command::new("rustup").args(["target", "add", TARGET]).current_dir(repository.path(".")))?;
    }
    Ok(())
}

/// The folder of rustc in which each platform has its files.
fn platforms(repository: &Repository) -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    let told = process::output(rustc.args(["--print", "sysroot"]).current_dir(repository.path(".")))?;
    Ok(Path::new(told.trim()).join("lib/rustlib"))
}

/// The linker for WebAssembly that comes with rustc.
fn linker(repository: &Repository) -> Result<PathBuf> {
    let platforms = platforms(repository)?;
    let folders = fs::read_dir(&platforms).with_context(|| format!("{} cannot be read", platforms.display()))?;
    let mut linkers = folders.filter_map(|folder| Some(folder.ok()?.path().join("bin/rust-lld")));
    linkers.find(|linker| process::is_program(linker)).context("rust-lld is not beside rustc")
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
    let manifest = published(&manifest, &repository.version()?, repository.address()?);
    write(&folder.join("package.json"), &manifest.context("package.json has no line of its version")?)?;
    let package = npm::pack(&folder, out)?;
    fs::remove_dir_all(&folder)?;
    Ok(package)
}

/// The manifest in this version, with the repository of which npm takes provenance; `None` if it has no line of its version. It
/// is changed as text: of the conditions in `exports` the first that fits counts, and a value of JSON has its members by name.
fn published(manifest: &str, version: &str, address: Option<&str>) -> Option<String> {
    let (before, behind) = manifest.split_once("  \"version\": \"")?;
    let (_, behind) = behind.split_once("\",\n")?;
    let repository = address.map(|address| json!({ "type": "git", "url": format!("git+{address}.git") }));
    let repository = repository.map(|repository| format!("  \"repository\": {repository},\n")).unwrap_or_default();
    Some(format!("{before}  \"version\": {},\n{repository}{behind}", json!(version)))
}

#[cfg(test)]
mod tests {
    use super::{EXPORTS, FILES, published};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    #[test]
    fn every_export_of_the_crate_is_linked() {
        let source = include_str!("../../../bindings/node/src/exports.rs");
        let names = source.split("pub extern \"C\" fn ").skip(1).filter_map(|rest| rest.split('(').next());
        let exports: BTreeSet<&str> = EXPORTS.into();
        assert_eq!(names.collect::<BTreeSet<&str>>(), exports);
    }

    #[test]
    fn the_manifest_has_the_version_and_the_repository_and_names_every_file() {
        let manifest = include_str!("../../../bindings/node/package.json");
        let text = published(manifest, "1.2.3", Some("https://example.com/people/citewire")).expect("a version");
        let published: Value = serde_json::from_str(&text).expect("JSON");
        // A process of Node takes the first condition that fits, and `default` fits everywhere.
        let conditions = ["\"types\": \"./index", "\"node\": \"./node", "\"default\": \"./web"]
            .map(|condition| text.find(condition).expect("a condition"));
        assert!(conditions.is_sorted());
        assert_eq!(published["version"], "1.2.3");
        assert_eq!(published["repository"]["url"], "git+https://example.com/people/citewire.git");
        let named = published["files"].as_array().expect("a list");
        for file in FILES.iter().filter(|file| **file != "README.md") {
            assert!(named.contains(&json!(file)), "{file}");
        }
    }
}
