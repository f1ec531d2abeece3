//! `deny.toml`, the rules for what we build with, kept here without the tool that it is written for.
//!
//! cargo-deny reads the same file and also knows advisories, for which it needs the network. A setting that is not read here is
//! refused, so that the two never differ in silence.

use crate::bans::Bans;
use crate::licences::Licences;
use crate::packages::Metadata;
use crate::repository::Repository;
use crate::sources::Sources;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    graph: Graph,
    licenses: Licences,
    bans: Bans,
    sources: Sources,
    #[serde(default, rename = "advisories")]
    _advisories: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Graph {
    all_features: bool,
}

/// How bad it is to break a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// It is an error.
    Deny,
    /// It is an error for us; cargo-deny prints a warning, which nobody would read in a suite that passes.
    #[default]
    Warn,
    /// It is allowed.
    Allow,
}

impl Level {
    pub(crate) fn is_kept(self) -> bool {
        self != Self::Allow
    }
}

/// Checks every package of the repository.
///
/// # Errors
/// When a rule is broken: with the name of each package that does, and of the rule.
pub(crate) fn check(repository: &Repository) -> Result<()> {
    let file = repository.path("deny.toml");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Rules::parse(&text)?.check(&repository.metadata)
}

impl Rules {
    fn parse(text: &str) -> Result<Self> {
        let rules: Self = toml::from_str(text).context("deny.toml has a setting that the suite does not read")?;
        if !rules.graph.all_features {
            bail!("deny.toml: the suite looks at all features; set `graph.all-features` to true");
        }
        Ok(rules)
    }

    fn check(&self, metadata: &Metadata) -> Result<()> {
        if metadata.packages.is_empty() {
            bail!("`cargo metadata` names no packages");
        }
        let mut complaints = self.licenses.complaints(&metadata.packages);
        complaints.extend(self.bans.complaints(&metadata.packages));
        complaints.extend(self.sources.complaints(metadata));
        if !complaints.is_empty() {
            bail!("packages that deny.toml does not let in:\n  {}", complaints.join("\n  "));
        }
        println!("{} packages, all as deny.toml wants them", metadata.packages.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Rules, check};
    use crate::packages::samples::{CRATES_IO, metadata, package};
    use crate::repository::Repository;

    const RULES: &str = r#"
        [graph]
        all-features = true
        [licenses]
        allow = ["MIT"]
        [bans]
        deny = [{ crate = "openssl-sys" }]
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
    "#;

    #[test]
    fn the_packages_that_we_build_with_keep_deny_toml() {
        check(&Repository::find().expect("this repository")).expect("no complaint");
    }

    /// One run of the suite names all that is wrong, so that nobody mends it in rounds.
    #[test]
    fn every_broken_rule_is_named_at_once() {
        let mut ours = package("ours", "1.0.0", None);
        ours.license = None;
        let packages = vec![
            ours,
            package("openssl-sys", "0.9.0", Some(CRATES_IO)),
            package("forked", "0.1.0", Some("git+https://git.example/forked#0123")),
        ];
        let rules = Rules::parse(RULES).expect("rules");
        let error = rules.check(&metadata(packages)).expect_err("three complaints").to_string();
        for part in ["ours 1.0.0: names no licence", "openssl-sys 0.9.0: is banned", "forked 0.1.0: comes from git+"] {
            assert!(error.contains(part), "{part}\n{error}");
        }
        assert_eq!(error.lines().count(), 4, "{error}");
    }

    #[test]
    fn an_empty_list_of_packages_is_a_failure() {
        assert!(Rules::parse(RULES).expect("rules").check(&metadata(Vec::new())).is_err());
    }

    /// cargo-deny would keep such a rule and the suite would not.
    #[test]
    fn a_setting_that_the_suite_does_not_read_is_refused() {
        for unread in
            ["[bans.build]\nexecutables = \"deny\"", "[licenses.private]\nignore = true", "[output]\nfeature-depth = 1"]
        {
            let error = Rules::parse(&format!("{RULES}\n{unread}")).expect_err(unread);
            assert!(format!("{error:#}").contains("unknown field"), "{error:#}");
        }
        assert!(Rules::parse(&RULES.replace("true", "false")).is_err());
        Rules::parse(&format!("{RULES}\n[advisories]\nyanked = \"deny\"")).expect("advisories are for cargo-deny");
    }
}
