//! The program, with Web Chat inside.

use super::platform::Platform;
use crate::repository::Repository;
use crate::{process, python, web_chat};
use anyhow::Result;
use std::path::PathBuf;

/// Builds the program as packages have it. For Linux by cargo-zigbuild, which links against the oldest glibc that will do.
pub(super) fn program(repository: &Repository, platform: &Platform) -> Result<PathBuf> {
    let script = web_chat::ensure(repository, &web_chat::RELEASE)?;
    let target = platform.target();
    let build = if platform.is_linux() { "zigbuild" } else { "build" };
    let options = ["--locked", "--profile", "dist", "--bin", "citewire", "--features", "web-chat", "--target", &target];
    let mut cargo = repository.cargo(&[build]);
    cargo.args(options).env(web_chat::VARIABLE, script);
    if platform.is_linux() {
        python::on_path(&mut cargo, &tools(repository)?)?;
    }
    process::run(&mut cargo)?;
    Ok(repository.target(platform.triple).join("dist").join(platform.program()))
}

/// An environment of Python with the tools that packages are made with.
pub(super) fn tools(repository: &Repository) -> Result<PathBuf> {
    let environment = repository.target("package-tools");
    python::install(&repository.path("packaging/requirements.txt"), &environment)?;
    Ok(environment)
}
