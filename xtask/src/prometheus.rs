//! The test that has a real Prometheus read the figures of a real server.

use crate::repository::Repository;
use crate::{browser, debian, process};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs of Prometheus.
struct Programs {
    server: PathBuf,
    promtool: PathBuf,
}

/// Builds the program, fetches Prometheus when it is missing, and runs the test.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let binary = repository.build_for_tests()?;
    let Programs { server, promtool } = ensure(repository)?;
    let folder = repository.path("tests/prometheus");
    let mut node = Command::new("node");
    node.current_dir(&folder)
        .env("CITEWIRE_BINARY", binary)
        .env("CITEWIRE_PROMETHEUS", server)
        .env("CITEWIRE_PROMTOOL", promtool);
    browser::run_tests(node, &folder)
}

/// The programs on PATH, else those of Debian's package. The package is unpacked into the target directory and not installed, so that
/// its service is never started.
fn ensure(repository: &Repository) -> Result<Programs> {
    if let Some((server, promtool)) = process::on_path("prometheus").zip(process::on_path("promtool")) {
        return Ok(Programs { server, promtool });
    }
    let folder = repository.target("prometheus");
    if let Some(programs) = unpacked(&folder) {
        return Ok(programs);
    }
    if process::on_path("apt-get").is_none() {
        bail!("Prometheus is missing: put `prometheus` and `promtool` on PATH");
    }
    debian::unpack("prometheus", &folder)?;
    unpacked(&folder).context("Debian's package of Prometheus has no `usr/bin/prometheus` and `usr/bin/promtool`")
}

fn unpacked(folder: &Path) -> Option<Programs> {
    let [server, promtool] = ["prometheus", "promtool"].map(|program| folder.join("usr/bin").join(program));
    (process::is_program(&server) && process::is_program(&promtool)).then_some(Programs { server, promtool })
}
