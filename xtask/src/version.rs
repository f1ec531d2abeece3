//! `cargo xtask version`: the version of `Cargo.toml`, held against the tag that a release is made of.

use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};

#[derive(Debug, Default, PartialEq, Eq)]
struct Release {
    /// The tag, such as `v1.2.3`.
    tag: Option<String>,
    /// The address of the repository where the release is made.
    repository: Option<String>,
}

/// Prints the version, unless a release from this tag and repository would be wrong.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let release = parse(arguments)?;
    let version = repository.version()?;
    release.judge(&version, repository.address()?)?;
    println!("{version}");
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Release> {
    let mut release = Release::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let place = match argument.as_str() {
            "--tag" => &mut release.tag,
            "--repository" => &mut release.repository,
            other => bail!("`version` takes --tag TAG and --repository ADDRESS, but got `{other}`"),
        };
        *place = Some(rest.next().with_context(|| format!("`{argument}` wants a value"))?.clone());
    }
    Ok(release)
}

impl Release {
    fn judge(&self, version: &str, address: Option<&str>) -> Result<()> {
        if let Some(tag) = &self.tag {
            if tag.strip_prefix('v') != Some(version) {
                bail!("the tag is `{tag}`, but the version in Cargo.toml is {version}: tag it `v{version}`");
            }
            // npm, PyPI and Debian each write and order these in their own way.
            if version.contains(['-', '+']) {
                bail!("{version} is no plain version: packages are made of versions such as 1.2.3");
            }
        }
        match (&self.repository, address) {
            (Some(wanted), None) => bail!("Cargo.toml names no repository: add `repository = \"{wanted}\"`"),
            (Some(wanted), Some(address)) if wanted != address => bail!(
                "Cargo.toml names the repository {address}, but this is {wanted}: npm takes no provenance of another one"
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Release, parse};

    const HERE: &str = "https://example.com/people/citewire";

    fn refusal(tag: Option<&str>, repository: Option<&str>, version: &str, address: Option<&str>) -> Option<String> {
        let release = Release { tag: tag.map(str::to_owned), repository: repository.map(str::to_owned) };
        release.judge(version, address).err().map(|error| error.to_string())
    }

    #[test]
    fn a_tag_has_to_name_the_version_of_cargo_toml() {
        assert_eq!(refusal(Some("v1.2.3"), None, "1.2.3", None), None);
        for tag in ["v1.2.4", "1.2.3", "v1.2.3-1", "vv1.2.3", "v1.2.3;ls", "v"] {
            assert!(refusal(Some(tag), None, "1.2.3", None).expect(tag).contains("tag it `v1.2.3`"));
        }
        assert!(
            refusal(Some("v1.2.3-rc.1"), None, "1.2.3-rc.1", None).expect("a refusal").contains("no plain version")
        );
        assert_eq!(refusal(None, None, "1.2.3-rc.1", None), None, "nothing is released");
    }

    #[test]
    fn a_release_is_made_in_the_repository_that_cargo_toml_names() {
        assert_eq!(refusal(Some("v1.2.3"), Some(HERE), "1.2.3", Some(HERE)), None);
        let other = refusal(Some("v1.2.3"), Some("https://example.com/fork"), "1.2.3", Some(HERE)).expect("a refusal");
        assert!(other.contains(HERE) && other.contains("https://example.com/fork"), "{other}");
        let none = refusal(Some("v1.2.3"), Some(HERE), "1.2.3", None).expect("a refusal");
        assert!(none.contains(&format!("add `repository = \"{HERE}\"`")), "{none}");
    }

    #[test]
    fn arguments_are_read_and_odd_ones_are_named() {
        let texts = |arguments: &[&str]| -> Vec<String> { arguments.iter().map(|&text| text.to_owned()).collect() };
        let expected = Release { tag: Some("v1.0.0".to_owned()), repository: Some(HERE.to_owned()) };
        assert_eq!(parse(&texts(&["--tag", "v1.0.0", "--repository", HERE])).expect("arguments"), expected);
        assert!(parse(&texts(&["--tag"])).expect_err("no value").to_string().contains("--tag"));
        assert!(parse(&texts(&["--nonsense"])).expect_err("unknown").to_string().contains("--nonsense"));
    }
}
