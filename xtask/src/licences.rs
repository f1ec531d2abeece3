//! The licences of everything we build with, read from `cargo metadata`.

use crate::spdx;
use anyhow::{Result, bail};
use serde_json::Value;

/// Accepted wherever they stand. `deny.toml` names the same ones.
const ACCEPTED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Accepted in one named package only.
///
/// The three under MPL-2.0 come with json-ld, are used unchanged, and ask for nothing beyond their own files;
/// `webpki-root-certs` is a list of certificates, whose licence is one for data, and `finl_unicode`, which only tests
/// use, holds tables of the Unicode Consortium under its older licence.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("bitmaps", "MPL-2.0"),
    ("finl_unicode", "Unicode-DFS-2016"),
    ("im", "MPL-2.0"),
    ("sized-chunks", "MPL-2.0"),
    ("webpki-root-certs", "CDLA-Permissive-2.0"),
];

/// Fails with the name of every package whose licence is not accepted.
pub(crate) fn check(metadata: &Value) -> Result<()> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if packages.is_empty() {
        bail!("`cargo metadata` names no packages");
    }
    let complaints: Vec<String> = packages.iter().filter_map(complaint).collect();
    if !complaints.is_empty() {
        bail!("licences that are not accepted:\n  {}", complaints.join("\n  "));
    }
    println!("{} packages, all under accepted licences", packages.len());
    Ok(())
}

fn complaint(package: &Value) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("(unnamed)");
    let version = package["version"].as_str().unwrap_or("(no version)");
    let Some(licence) = package["license"].as_str() else {
        return Some(format!("{name} {version}: names no licence"));
    };
    let accepted = |one: &str| ACCEPTED.contains(&one) || EXCEPTIONS.contains(&(name, one));
    match spdx::allows(licence, &accepted) {
        Some(true) => None,
        Some(false) => Some(format!("{name} {version}: {licence}")),
        None => Some(format!("{name} {version}: `{licence}` is no licence expression")),
    }
}

#[cfg(test)]
mod tests {
    use super::{ACCEPTED, EXCEPTIONS, check};
    use serde_json::json;

    #[test]
    fn a_package_with_another_licence_is_named() {
        let error = check(&json!({ "packages": [
            { "name": "good", "version": "1.0.0", "license": "MIT OR Apache-2.0" },
            { "name": "bad", "version": "2.0.0", "license": "AGPL-3.0-only" },
            { "name": "silent", "version": "3.0.0", "license": null },
        ] }))
        .expect_err("two packages are not acceptable")
        .to_string();
        assert!(error.contains("bad 2.0.0: AGPL-3.0-only"), "{error}");
        assert!(error.contains("silent 3.0.0: names no licence"), "{error}");
        assert!(!error.contains("good"), "{error}");
    }

    #[test]
    fn an_empty_list_of_packages_is_a_failure() {
        assert!(check(&json!({})).is_err());
    }

    #[test]
    fn deny_toml_accepts_the_same_licences() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../deny.toml");
        let text = std::fs::read_to_string(file).expect("deny.toml is there");
        let section = text.split("[licenses]").nth(1).expect("it has a section on licences");
        let list = section.split(']').next().expect("which holds a list");
        let mut named: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        named.sort_unstable();
        assert_eq!(named, ACCEPTED);
        for (package, licence) in EXCEPTIONS {
            let line = format!(r#"{{ crate = "{package}", allow = ["{licence}"] }}"#);
            assert!(text.contains(&line), "{line}");
        }
        assert_eq!(text.matches(", allow = [").count(), EXCEPTIONS.len());
    }
}
