//! Where packages come from, by the section `sources` of `deny.toml`.

use crate::deny::Level;
use crate::packages::{Metadata, Package};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Sources {
    #[serde(default)]
    unknown_registry: Level,
    #[serde(default)]
    unknown_git: Level,
    #[serde(default = "crates_io")]
    allow_registry: Vec<String>,
    #[serde(default)]
    allow_git: Vec<String>,
}

/// crates.io, by the name that cargo has for it whichever protocol it speaks.
fn crates_io() -> Vec<String> {
    vec!["https://github.com/rust-lang/crates.io-index".to_owned()]
}

impl Sources {
    /// Names every package that comes from elsewhere. A folder of this machine is elsewhere, too, unless it is in the workspace.
    pub(crate) fn complaints(&self, metadata: &Metadata) -> Vec<String> {
        let strangers = metadata.packages.iter().filter(|package| !self.is_known(metadata, package));
        strangers
            .map(|package| {
                let source = package.source.as_deref().unwrap_or("a folder outside of the workspace");
                format!("{}: comes from {source}", package.title())
            })
            .collect()
    }

    fn is_known(&self, metadata: &Metadata, package: &Package) -> bool {
        let Some(source) = package.source.as_deref() else { return metadata.is_ours(package) };
        match source.split_once('+') {
            Some(("registry", url)) => names(&self.allow_registry, url) || !self.unknown_registry.is_kept(),
            // cargo-deny names a registry of this protocol with it.
            Some(("sparse", _)) => names(&self.allow_registry, source) || !self.unknown_registry.is_kept(),
            Some(("git", url)) => {
                let repository = url.split(['?', '#']).next().unwrap_or_default();
                names(&self.allow_git, repository) || !self.unknown_git.is_kept()
            }
            Some(_) | None => false,
        }
    }
}

fn names(allowed: &[String], url: &str) -> bool {
    let bare = |url: &str| url.trim_end_matches('/').trim_end_matches(".git").to_owned();
    allowed.iter().any(|allowed| bare(allowed) == bare(url))
}

#[cfg(test)]
mod tests {
    use super::Sources;
    use crate::packages::samples::{CRATES_IO, metadata, package};

    fn complaints(rules: &str, source: Option<&str>) -> Vec<String> {
        let rules = toml::from_str::<Sources>(rules).expect("rules");
        rules.complaints(&metadata(vec![package("ours", "1.0.0", None), package("theirs", "2.0.0", source)]))
    }

    #[test]
    fn packages_come_from_crates_io_and_the_workspace_alone() {
        let rules = "unknown-registry = 'deny'\nunknown-git = 'deny'";
        assert!(complaints(rules, Some(CRATES_IO)).is_empty());
        for stranger in [
            "registry+https://crates.example/index",
            "registry+https://github.com/rust-lang/crates.io-index-of-mine",
            "sparse+https://crates.example/index/",
            "git+https://github.com/rust-lang/crates.io-index?branch=main#0123",
            "odd",
        ] {
            assert_eq!(complaints(rules, Some(stranger)), [format!("theirs 2.0.0: comes from {stranger}")]);
        }
        assert_eq!(complaints(rules, None), ["theirs 2.0.0: comes from a folder outside of the workspace"]);
    }

    #[test]
    fn a_registry_and_a_repository_can_be_allowed() {
        let rules = "allow-registry = ['sparse+https://crates.example/index/']\n\
                     allow-git = ['https://git.example/theirs']";
        assert!(complaints(rules, Some("sparse+https://crates.example/index/")).is_empty());
        assert!(complaints(rules, Some("git+https://git.example/theirs.git?rev=0123#0123")).is_empty());
        assert_eq!(complaints(rules, Some("git+https://git.example/theirs-too#0123")).len(), 1);
        assert_eq!(complaints(rules, Some(CRATES_IO)).len(), 1, "the list takes the place of crates.io");
    }
}
