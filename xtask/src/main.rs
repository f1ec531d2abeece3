//! `cargo xtask`: one command that runs citewire and one that tests it.
//!
//! Both prepare what they need on a fresh Linux machine with Rust, Node and npm.

mod browser;
mod buckets;
mod chromium;
mod conformance;
mod debian;
mod dist;
mod documents;
mod guides;
mod in_process;
mod linters;
mod npm;
mod packages;
mod playground;
mod process;
mod prometheus;
mod python;
mod repository;
mod soak;
mod suite;
mod verify_samples;
mod version;
mod web_chat;

use anyhow::{Result, bail};
use repository::Repository;
use std::process::ExitCode;

const USAGE: &str = include_str!("usage.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((command, rest)) = arguments.split_first() else {
        bail!("say what to do\n\n{USAGE}");
    };
    match command.as_str() {
        "run" => run(rest),
        "test" => suite::run(&Repository::find()?, rest),
        "step" => suite::run_step(&Repository::find()?, rest),
        "nightly" => suite::nightly(&Repository::find()?),
        "soak" => soak::run(&Repository::find()?, rest),
        "verify-samples" => verify_samples::run(&Repository::find()?, rest),
        "version" => version::run(&Repository::find()?, rest),
        "package" => dist::run(&Repository::find()?, rest),
        "nuget" => dist::nuget(&Repository::find()?, rest),
        "web-chat" => {
            let repository = Repository::find()?;
            for version in web_chat::VERSIONS {
                println!("{}", web_chat::ensure(&repository, version)?.display());
            }
            Ok(())
        }
        "pictures" => {
            let repository = Repository::find()?;
            browser::pictures(&repository)?;
            playground::picture(&repository)
        }
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => bail!("there is no command `{other}`\n\n{USAGE}"),
    }
}

/// Builds citewire and becomes it, so that signals reach the service itself.
fn run(arguments: &[String]) -> Result<()> {
    let repository = Repository::find()?;
    let release = arguments.first().is_some_and(|argument| argument == "--release");
    let arguments = if release { &arguments[1..] } else { arguments };
    let web_chat = match std::env::var_os(web_chat::VARIABLE) {
        Some(file) => file,
        None => web_chat::ensure(&repository, &web_chat::RELEASE)?.into_os_string(),
    };
    let binary = repository.build(release)?;
    let mut serve = std::process::Command::new(binary);
    serve.arg("serve").args(arguments).env(web_chat::VARIABLE, web_chat);
    process::become_it(serve)
}
