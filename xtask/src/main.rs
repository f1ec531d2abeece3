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
mod linters;
mod npm;
mod packages;
mod playground;
mod process;
mod prometheus;
mod python;
mod recorded;
mod repository;
mod soak;
mod suite;
mod verify_samples;
mod version;
mod web_chat;

use anyhow::{Result, bail};
use repository::Repository;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask run [--release] [ARGUMENTS OF citewire serve]
    fetch Web Chat if it is missing, build, and serve the page
cargo xtask test [--fast] [--list] [STEP...]
    run the suite, or the named steps of it; --fast leaves out what takes long
cargo xtask nightly
    run the tests that repeat with 20,000 cases and all their kills, the channel on two servers, benchmarks and examples
cargo xtask soak citations|formats|places|spans|streams|blocks [--cases N] [--seed S] [--workers W]
    try a property with many generated cases, a million unless told otherwise, on all cores
cargo xtask soak crash [--kills N] [--seed S]
    kill a server while it is written to, a hundred times unless told otherwise, and look for what was acknowledged
cargo xtask soak nodes|bus [--kills N] [--seed S]
    end, stop and kill nodes of a cluster under load, fifty times unless told otherwise, and judge what clients and readers saw;
    with `bus`, Redis stands between them
cargo xtask soak failover [--promotions N] [--seed S]
    kill the primary of a cluster under load and promote its standby, ten times unless told otherwise, and judge the same
cargo xtask verify-samples
    hold the sample answers against the models of the vendors' SDKs, which are fetched for that
cargo xtask recorded DIR
    convert recorded answers of providers, all that are in a folder, and print how each was read
cargo xtask package [--target TRIPLE] [--program FILE] [--check]
    make the archive and the packages for npm, PyPI and Debian in target/package, of a program built for that or of FILE;
    --check installs each in an empty place and asks a question there
cargo xtask version [--tag TAG] [--repository ADDRESS]
    print the version, unless Cargo.toml has another one than the tag, or names another repository
cargo xtask web-chat
    fetch Web Chat and print where it is
cargo xtask pictures
    draw the pictures of the page and of Teams' emulator in docs/pictures anew";

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
        "recorded" => recorded::run(&Repository::find()?, rest),
        "version" => version::run(&Repository::find()?, rest),
        "package" => dist::run(&Repository::find()?, rest),
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
            println!("{USAGE}");
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
