//! The packages for npm: one for each platform with the program, and a small one that starts the program of its platform.
//!
//! npm installs only the platform package whose `os` and `cpu` fit, as an optional dependency of the small one.

use super::parts::{Parts, copy, write};
use super::platform::{PLATFORMS, Platform};
use crate::{npm, process};
use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The name of the package with the program of a platform.
pub(super) fn name(platform: &Platform) -> String {
    format!("@citewire/{}", platform.short())
}

pub(super) fn make(parts: &Parts) -> Result<Vec<PathBuf>> {
    let address = parts.repository.address()?;
    let small = parts.work.join("npm/citewire");
    write(&small.join("package.json"), &text(&launcher(&parts.version, address)))?;
    copy(&parts.source("packaging/npm/citewire.js"), &small.join("citewire.js"))?;
    let with_program = parts.work.join("npm/program");
    write(&with_program.join("package.json"), &text(&program(&parts.version, address, parts.platform)))?;
    copy(&parts.program, &with_program.join("bin").join(parts.platform.program()))?;
    copy(&parts.notices, &with_program.join("THIRD-PARTY-LICENSES.txt"))?;
    for folder in [&small, &with_program] {
        copy(&parts.source("packaging/npm/README.md"), &folder.join("README.md"))?;
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            copy(&parts.source(licence), &folder.join(licence))?;
        }
    }
    Ok(vec![pack(&small, &parts.out)?, pack(&with_program, &parts.out)?])
}

/// The manifest of the small package.
fn launcher(version: &str, address: Option<&str>) -> Value {
    let programs: Map<String, Value> =
        PLATFORMS.iter().map(|platform| (name(platform), Value::from(version))).collect();
    let mut manifest = common("citewire", version, address);
    manifest["bin"] = json!({ "citewire": "citewire.js" });
    manifest["files"] = json!(["citewire.js", "LICENSE-*"]);
    manifest["engines"] = json!({ "node": ">=18" });
    manifest["keywords"] = json!(["rag", "citations", "bot-framework", "web-chat", "direct-line"]);
    manifest["optionalDependencies"] = Value::Object(programs);
    manifest
}

/// The manifest of the package with a program.
fn program(version: &str, address: Option<&str>, platform: &Platform) -> Value {
    let mut manifest = common(&name(platform), version, address);
    manifest["os"] = json!([platform.npm.0]);
    manifest["cpu"] = json!([platform.npm.1]);
    if platform.is_linux() {
        manifest["libc"] = json!(["glibc"]);
    }
    manifest["files"] = json!(["bin", "LICENSE-*", "THIRD-PARTY-LICENSES.txt"]);
    // Package managers that keep archives zipped have to unpack this one, so that the program can be started.
    manifest["preferUnplugged"] = json!(true);
    manifest
}

/// npm takes provenance only of the repository that the manifest names.
fn common(name: &str, version: &str, address: Option<&str>) -> Value {
    let mut manifest = json!({
        "name": name,
        "version": version,
        "description": "Turns RAG answers with citations into cited Bot Framework messages",
        "license": "MIT OR Apache-2.0",
        "publishConfig": { "access": "public" },
    });
    if let Some(address) = address {
        manifest["repository"] = json!({ "type": "git", "url": format!("git+{address}.git") });
    }
    manifest
}

pub(super) fn text(manifest: &Value) -> String {
    format!("{manifest:#}\n")
}

/// Lets npm make the archive, as it would to publish the folder.
pub(super) fn pack(folder: &Path, out: &Path) -> Result<PathBuf> {
    let mut npm = npm::command();
    npm.args(["pack", "--silent", "--ignore-scripts", "--no-update-notifier", "--pack-destination"]).arg(out);
    let said = process::output(npm.current_dir(folder))?;
    let name = said.lines().next_back().context("`npm pack` did not name its archive")?;
    Ok(out.join(name.trim()))
}

#[cfg(test)]
mod tests {
    use super::{launcher, program};
    use crate::dist::platform::PLATFORMS;

    #[test]
    fn the_small_package_names_the_program_of_every_platform_in_its_own_version() {
        let manifest = launcher("1.2.3", None);
        let programs = manifest["optionalDependencies"].as_object().expect("an object");
        assert_eq!(programs.len(), PLATFORMS.len());
        for platform in &PLATFORMS {
            let own = program("1.2.3", None, platform);
            assert_eq!(programs[own["name"].as_str().expect("a name")], own["version"]);
            assert_eq!((own["os"][0].as_str(), own["cpu"][0].as_str()), (Some(platform.npm.0), Some(platform.npm.1)));
            assert_eq!(own.get("libc").is_some(), platform.is_linux(), "only Linux has more than one C library");
        }
    }

    #[test]
    fn a_manifest_names_the_repository_when_there_is_one() {
        let address = "https://example.com/people/citewire";
        for manifest in [launcher("1.2.3", Some(address)), program("1.2.3", Some(address), &PLATFORMS[0])] {
            assert_eq!(manifest["repository"]["url"], "git+https://example.com/people/citewire.git");
        }
        assert!(launcher("1.2.3", None).get("repository").is_none());
    }
}
