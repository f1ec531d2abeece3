//! The packages of a build, as `cargo metadata` tells of them.

use serde::Deserialize;
use std::path::PathBuf;

/// What we read of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
    pub(crate) packages: Vec<Package>,
    /// The ids of the packages that are ours.
    pub(crate) workspace_members: Vec<String>,
}

impl Metadata {
    /// Whether the package is one of ours.
    pub(crate) fn is_ours(&self, package: &Package) -> bool {
        self.workspace_members.contains(&package.id)
    }
}

/// One version of a package.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// The address of its public repository.
    pub(crate) repository: Option<String>,
    /// Its `Cargo.toml`, in the folder with its sources.
    pub(crate) manifest_path: PathBuf,
    /// `registry+URL`, `sparse+URL` or `git+URL?reference#commit`; nothing for a package in a folder of this machine.
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency as the manifest of a package asks for it.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The versions that will do, such as `^1.2`.
    pub(crate) req: String,
}

impl Package {
    /// `name version`, by which complaints name it.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Packages for tests.
#[cfg(test)]
pub(crate) mod samples {
    use super::{Metadata, Package};
    use serde_json::json;

    /// The index of crates.io, as `cargo metadata` and `Cargo.lock` name it.
    pub(crate) const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

    /// A package under MIT from `source`, without dependencies.
    pub(crate) fn package(name: &str, version: &str, source: Option<&str>) -> Package {
        let id = format!("{}#{name}@{version}", source.unwrap_or("path+file:///here"));
        let package = json!({ "id": id, "name": name, "version": version, "license": "MIT", "source": source, "dependencies": [], "manifest_path": "/there/Cargo.toml" });
        serde_json::from_value(package).expect("a package")
    }

    /// The packages of a workspace whose only member is the first of them.
    pub(crate) fn metadata(packages: Vec<Package>) -> Metadata {
        let workspace_members = packages.first().map(|package| package.id.clone()).into_iter().collect();
        Metadata {
            workspace_root: "/here".into(),
            target_directory: "/here/target".into(),
            packages,
            workspace_members,
        }
    }
}
