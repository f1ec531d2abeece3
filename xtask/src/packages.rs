//! The packages of a build, as `cargo metadata` tells of them.

use serde::Deserialize;
use std::path::PathBuf;

/// The part of `cargo metadata` that is read here.
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
}

impl Package {
    /// `name version`, by which complaints name it.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}
