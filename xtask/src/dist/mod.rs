//! `cargo xtask package`: the packages that bring citewire to machines without Rust, all made of one program.
//!
//! An archive, two packages for npm, a wheel for PyPI and a package for Debian, with a list of checksums beside them. Web Chat is
//! inside the program. A program for Linux is linked by zig against an old glibc, so that it runs on old systems too. The core alone
//! is a package for npm, the same for all platforms, and a wheel. `cargo xtask nuget`: the packages for NuGet, of what each platform has
//! made for them.

mod archive;
mod build;
mod check;
mod core;
mod debian;
mod dotnet;
mod notices;
mod npm;
mod parts;
pub(crate) mod platform;
mod python;
mod wheel;

use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use parts::{Parts, empty, megabytes, write};
use platform::Platform;
use std::fs;
use std::path::{Path, PathBuf};

/// The platform whose build also makes what is the same for all.
const FOR_ALL: &str = "x86_64-unknown-linux-gnu";

/// The folder of what the packages for NuGet are made of.
const DOTNET: &str = "dotnet";

#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    target: Option<String>,
    program: Option<PathBuf>,
    check: bool,
}

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let arguments = parse(arguments)?;
    let platform = arguments.target.as_deref().map_or_else(Platform::here, Platform::by_triple)?;
    let program = match arguments.program {
        Some(file) => file,
        None => build::program(repository, platform)?,
    };
    let out = repository.target("package");
    let mut common = vec![python::wheel(repository, platform, "dist", &out)?];
    dotnet::library(repository, platform, "dist", &out.join(DOTNET))?;
    dotnet::program(platform, &program, &out.join(DOTNET))?;
    if platform.triple == FOR_ALL {
        common.push(core::npm(repository, &core::module(repository, core::Speed::Run)?, &out)?);
    }
    let packages = make(repository, platform, program, &out, &common)?;
    for package in packages.iter().chain(&common) {
        let size = fs::metadata(package).with_context(|| format!("{} is missing", package.display()))?.len();
        println!("{:>6.1} MB  {}", megabytes(size), package.display());
    }
    if arguments.check { check::all(repository, &packages) } else { Ok(()) }
}

fn parse(arguments: &[String]) -> Result<Arguments> {
    let mut parsed = Arguments::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("`{argument}` wants a value"));
        match argument.as_str() {
            "--target" => parsed.target = Some(value()?.clone()),
            "--program" => parsed.program = Some(value()?.into()),
            "--check" => parsed.check = true,
            other => bail!("`package` takes --target TRIPLE, --program FILE and --check, but got `{other}`"),
        }
    }
    Ok(parsed)
}

/// The packages for npm and PyPI of this machine, around a program, in an empty folder.
pub(crate) fn for_guides(repository: &Repository, program: PathBuf, out: &Path) -> Result<()> {
    empty(out)?;
    let parts = parts(repository, Platform::here()?, program, out)?;
    npm::make(&parts)?;
    wheel::make(&parts)?;
    Ok(())
}

/// Makes the packages for NuGet in the folder of packages, of the files that are there for them or in a folder.
pub(crate) fn nuget(repository: &Repository, arguments: &[String]) -> Result<()> {
    let out = repository.target("package");
    let parts = match arguments {
        [] => out.join(DOTNET),
        [folder] => PathBuf::from(folder),
        _ => bail!("`nuget` takes a folder, or nothing"),
    };
    for package in [dotnet::core(repository, &parts, &out)?, dotnet::tool(repository, &parts, &out)?] {
        println!("{}", package.display());
    }
    Ok(())
}

pub(crate) use dotnet::command as dotnet_command;

/// The packages for NuGet, in an empty folder, around a library that is not optimised and a program.
pub(crate) fn dotnet_for_tests(repository: &Repository, program: &Path, out: &Path) -> Result<()> {
    empty(out)?;
    let (platform, parts) = (Platform::here()?, out.join(DOTNET));
    dotnet::library(repository, platform, "dev", &parts)?;
    dotnet::program(platform, program, &parts)?;
    dotnet::core(repository, &parts, out)?;
    dotnet::tool(repository, &parts, out)?;
    Ok(())
}

/// The wheel with the core, in an empty folder, around a module that is not optimised.
pub(crate) fn python_for_tests(repository: &Repository, out: &Path) -> Result<PathBuf> {
    empty(out)?;
    python::wheel(repository, Platform::here()?, "dev", out)
}

/// The package with the core for npm, in an empty folder, around a module that is not optimised.
pub(crate) fn core_for_tests(repository: &Repository, out: &Path) -> Result<PathBuf> {
    empty(out)?;
    core::npm(repository, &core::module(repository, core::Speed::Built)?, out)
}

fn parts<'r>(
    repository: &'r Repository,
    platform: &'static Platform,
    program: PathBuf,
    out: &Path,
) -> Result<Parts<'r>> {
    let work = out.join(format!(".{}", platform.short()));
    empty(&work)?;
    let parts = Parts {
        repository,
        platform,
        version: repository.version()?,
        program,
        notices: work.join("THIRD-PARTY-LICENSES.txt"),
        out: out.to_owned(),
        work,
    };
    write(&parts.notices, &notices::of_program(repository)?)?;
    Ok(parts)
}

/// Makes every package of a platform in the folder, and the list of their checksums and of those beside them, which stands last.
fn make(
    repository: &Repository,
    platform: &'static Platform,
    program: PathBuf,
    out: &Path,
    beside: &[PathBuf],
) -> Result<Vec<PathBuf>> {
    let parts = parts(repository, platform, program, out)?;
    let mut packages = vec![archive::make(&parts)?];
    packages.extend(npm::make(&parts)?);
    packages.push(wheel::make(&parts)?);
    if let Some(architecture) = platform.debian {
        packages.push(debian::make(&parts, architecture)?);
    }
    let sums = out.join(format!("SHA256SUMS-{}", platform.short()));
    write(&sums, &checksums(packages.iter().chain(beside))?)?;
    packages.push(sums);
    fs::remove_dir_all(&parts.work).with_context(|| format!("cannot remove {}", parts.work.display()))?;
    Ok(packages)
}

/// Lines as `sha256sum --check` reads them.
fn checksums<'f>(files: impl Iterator<Item = &'f PathBuf>) -> Result<String> {
    use sha2::{Digest as _, Sha256};
    let mut lines = String::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        lines += &format!("{digest}  {name}\n");
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
