//! Packages that we do not build with, by the section `bans` of `deny.toml`.

use crate::deny::Level;
use crate::packages::Package;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Bans {
    /// Dependencies of which any version will do.
    #[serde(default)]
    wildcards: Level,
    /// More than one version of a package.
    #[serde(default)]
    multiple_versions: Level,
    #[serde(default)]
    deny: Vec<Banned>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Banned {
    /// A name alone, which bans all versions.
    #[serde(rename = "crate")]
    name: Name,
}

/// The name of a package. cargo-deny also takes versions behind it (`name@1.2`), which are not read here.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains(['@', ':']) {
            return Err(format!("`{text}` names versions, which the suite does not read: name the package alone"));
        }
        Ok(Self(text))
    }
}

impl Bans {
    /// Names every package that is banned, there twice, or asks for any version of another.
    pub(crate) fn complaints(&self, packages: &[Package]) -> Vec<String> {
        let mut complaints: Vec<String> = packages
            .iter()
            .filter(|package| self.deny.iter().any(|banned| banned.name.0 == package.name))
            .map(|package| format!("{}: is banned", package.title()))
            .collect();
        if self.wildcards.is_kept() {
            complaints.extend(wildcards(packages));
        }
        if self.multiple_versions.is_kept() {
            complaints.extend(multiple_versions(packages));
        }
        complaints
    }
}

fn wildcards(packages: &[Package]) -> impl Iterator<Item = String> {
    packages.iter().flat_map(|package| {
        let wild = package.dependencies.iter().filter(|dependency| dependency.req == "*");
        wild.map(|dependency| format!("{}: takes any version of {}", package.title(), dependency.name))
    })
}

fn multiple_versions(packages: &[Package]) -> impl Iterator<Item = String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    versions.into_iter().filter(|(_, versions)| versions.len() > 1).map(|(name, versions)| {
        let versions: Vec<&str> = versions.into_iter().collect();
        format!("{name}: is there in the versions {}", versions.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::Bans;
    use crate::packages::samples::{CRATES_IO, package};
    use crate::packages::{Dependency, Package};

    fn complaints(rules: &str, packages: &[Package]) -> Vec<String> {
        toml::from_str::<Bans>(rules).expect("rules").complaints(packages)
    }

    fn packages() -> Vec<Package> {
        let wild = Dependency { name: "tls".to_owned(), req: "*".to_owned() };
        vec![
            Package { dependencies: vec![wild], ..package("ours", "1.0.0", None) },
            package("tls", "1.0.0", Some(CRATES_IO)),
            package("tls", "2.0.0", Some(CRATES_IO)),
        ]
    }

    #[test]
    fn a_banned_package_is_named_in_all_its_versions() {
        let rules = "wildcards = 'allow'\nmultiple-versions = 'allow'\ndeny = [{ crate = 'tls' }, { crate = 'our' }]";
        assert_eq!(complaints(rules, &packages()), ["tls 1.0.0: is banned", "tls 2.0.0: is banned"]);
    }

    #[test]
    fn a_dependency_on_any_version_is_named() {
        let rules = "wildcards = 'deny'\nmultiple-versions = 'allow'";
        assert_eq!(complaints(rules, &packages()), ["ours 1.0.0: takes any version of tls"]);
    }

    #[test]
    fn a_package_with_two_versions_is_named_unless_that_is_allowed() {
        for level in ["deny", "warn"] {
            let rules = format!("wildcards = 'allow'\nmultiple-versions = '{level}'");
            assert_eq!(complaints(&rules, &packages()), ["tls: is there in the versions 1.0.0, 2.0.0"], "{level}");
        }
        assert!(complaints("wildcards = 'allow'\nmultiple-versions = 'allow'", &packages()).is_empty());
    }

    #[test]
    fn a_ban_on_some_versions_is_refused() {
        let error = toml::from_str::<Bans>("deny = [{ crate = 'tls@1' }]").expect_err("not read").to_string();
        assert!(error.contains("`tls@1` names versions"), "{error}");
    }
}
