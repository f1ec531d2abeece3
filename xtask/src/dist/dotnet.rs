//! The packages for NuGet: `Citewire.Core` around the core as a native library, and the tool `citewire` around the program.
//!
//! Each holds what it has for every platform. A platform makes its own parts, in `native`; they are packed where all are together.

use super::parts::{copy, empty, write};
use super::platform::{PLATFORMS, Platform};
use super::{build, notices};
use crate::repository::Repository;
use crate::{process, python};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate of the library.
const CRATE: &str = "citewire-dotnet";

/// The folder of a platform below that of all parts.
fn folder(parts: &Path, platform: &Platform) -> PathBuf {
    parts.join(platform.dotnet).join("native")
}

/// Builds the library, and puts it beside those of other platforms.
pub(super) fn library(repository: &Repository, platform: &Platform, profile: &str, parts: &Path) -> Result<()> {
    let build = if platform.is_linux() { "zigbuild" } else { "build" };
    let target = platform.target();
    let mut cargo = repository.cargo(&[build]);
    cargo.args(["--locked", "--package", CRATE, "--lib", "--profile", profile, "--target", &target]);
    if platform.is_linux() {
        python::on_path(&mut cargo, &build::tools(repository)?)?;
    }
    process::run(cargo.env("CARGO_INCREMENTAL", "0"))?;
    let built = if profile == "dev" { "debug" } else { profile };
    let name = platform.library("citewire_native");
    copy(&repository.target(platform.triple).join(built).join(&name), &folder(parts, platform).join(name))
}

/// Puts the program beside those of other platforms.
pub(super) fn program(platform: &Platform, program: &Path, parts: &Path) -> Result<()> {
    copy(program, &folder(parts, platform).join(platform.program()))
}

/// Makes the package with the core.
pub(super) fn core(repository: &Repository, parts: &Path, out: &Path) -> Result<PathBuf> {
    let notices = notices::of_library(repository, CRATE)?;
    pack(repository, "Citewire.Core", &notices, parts, |platform| platform.library("citewire_native"), out)
}

/// Makes the package with the program.
pub(super) fn tool(repository: &Repository, parts: &Path, out: &Path) -> Result<PathBuf> {
    let notices = notices::of_program(repository)?;
    pack(repository, "Citewire.Tool", &notices, parts, |platform| platform.program().to_owned(), out)
}

/// Has `dotnet` make a package of a project and the files of each platform.
fn pack(
    repository: &Repository,
    project: &str,
    notices: &str,
    parts: &Path,
    file: impl Fn(&Platform) -> String,
    out: &Path,
) -> Result<PathBuf> {
    let (source, work) = (repository.path("bindings/dotnet"), out.join(".dotnet"));
    empty(&work)?;
    // A copy is built, because dotnet leaves folders of its own beside a project.
    for entry in fs::read_dir(source.join(project)).with_context(|| format!("{project}, a project"))? {
        let path = entry?.path();
        copy(&path, &work.join(project).join(path.file_name().context("a name")?))?;
    }
    copy(&source.join("README.md"), &work.join("README.md"))?;
    let files = work.join("files");
    write(&files.join("THIRD-PARTY-LICENSES.txt"), notices)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&repository.path(licence), &files.join(licence))?;
    }
    let mut there = 0;
    for platform in &PLATFORMS {
        let (name, place) = (file(platform), folder(parts, platform));
        if place.join(&name).is_file() {
            copy(&place.join(&name), &folder(&files.join("runtimes"), platform).join(&name))?;
            there += 1;
        }
    }
    anyhow::ensure!(there > 0, "{} has nothing for {project}", parts.display());
    let version = repository.version()?;
    let made = work.join("made");
    let mut dotnet = command()?;
    dotnet.args(["pack", "--nologo", "--configuration", "Release", "--verbosity", "quiet", "--output"]).arg(&made);
    dotnet.arg(format!("-p:CitewireVersion={version}")).arg(format!("-p:CitewireParts={}", files.display()));
    process::run(dotnet.current_dir(work.join(project)))?;
    let packages: Vec<PathBuf> =
        fs::read_dir(&made)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>().context("what dotnet has made")?;
    let [package] = packages.as_slice() else { bail!("dotnet has made {packages:?}") };
    let to = out.join(package.file_name().context("a name")?);
    fs::rename(package, &to)?;
    fs::remove_dir_all(work)?;
    Ok(to)
}

/// The command of .NET, which tells nobody what it does.
pub(crate) fn command() -> Result<Command> {
    if process::on_path("dotnet").is_none() {
        bail!("`dotnet` is missing: install the SDK of .NET, 3.1 or newer");
    }
    let mut dotnet = Command::new("dotnet");
    dotnet.env("DOTNET_CLI_TELEMETRY_OPTOUT", "1").env("DOTNET_NOLOGO", "1");
    dotnet.env("DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "1").env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    Ok(dotnet)
}
