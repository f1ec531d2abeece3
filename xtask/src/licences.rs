//! The licences of everything we build with, by the section `licenses` of `deny.toml`.

use crate::packages::Package;
use crate::spdx;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Licences {
    /// Accepted wherever they stand.
    allow: Vec<String>,
    /// Accepted in one named package only.
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

impl Licences {
    /// Names every package whose licence is not accepted.
    pub(crate) fn complaints(&self, packages: &[Package]) -> Vec<String> {
        packages.iter().filter_map(|package| self.complaint(package)).collect()
    }

    fn complaint(&self, package: &Package) -> Option<String> {
        let title = package.title();
        let Some(licence) = &package.license else {
            return Some(format!("{title}: names no licence"));
        };
        let excepted = || self.exceptions.iter().filter(|exception| exception.name == package.name);
        let accepted = |one: &str| {
            self.allow.iter().chain(excepted().flat_map(|exception| &exception.allow)).any(|allowed| allowed == one)
        };
        match spdx::allows(licence, &accepted) {
            Some(true) => None,
            Some(false) => Some(format!("{title}: is under {licence}, which is not accepted")),
            None => Some(format!("{title}: `{licence}` is no licence expression")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Licences;
    use crate::packages::Package;
    use crate::packages::samples::{CRATES_IO, package};

    fn under(name: &str, licence: &str) -> Package {
        Package { license: Some(licence.to_owned()), ..package(name, "1.0.0", Some(CRATES_IO)) }
    }

    fn complaints(packages: &[Package]) -> Vec<String> {
        let rules = r#"
            allow = ["MIT"]
            exceptions = [{ crate = "tables", allow = ["Unicode-DFS-2016"] }]
        "#;
        toml::from_str::<Licences>(rules).expect("rules").complaints(packages)
    }

    #[test]
    fn a_package_with_another_licence_is_named() {
        let silent = Package { license: None, ..package("silent", "3.0.0", None) };
        let said = complaints(&[under("good", "MIT OR Apache-2.0"), under("bad", "AGPL-3.0-only"), silent]);
        assert_eq!(
            said,
            ["bad 1.0.0: is under AGPL-3.0-only, which is not accepted", "silent 3.0.0: names no licence"]
        );
        assert_eq!(complaints(&[under("odd", "MIT OR")]), ["odd 1.0.0: `MIT OR` is no licence expression"]);
    }

    #[test]
    fn an_exception_holds_for_its_package_alone() {
        assert!(complaints(&[under("tables", "Unicode-DFS-2016"), under("tables", "MIT")]).is_empty());
        assert_eq!(complaints(&[under("other", "Unicode-DFS-2016")]).len(), 1);
    }
}
