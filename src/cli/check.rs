//! `citewire check`.

use std::io::{self, IsTerminal as _};

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};

use super::Outcome;
use super::args::CheckArgs;
use super::input::{Input, print, without_mark};
use crate::check::report::{Style, render};
use crate::check::{Channel, Severity, check};

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let channel: Channel = args.channel.parse().context("--channel")?;
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let document: Value =
        serde_json::from_slice(without_mark(&bytes)).map_err(|error| anyhow!("{input}: not JSON: {error}"))?;
    let findings = check(&document, channel);
    if args.json {
        print(format!("{}\n", json!({ "findings": findings })).as_bytes())?;
    } else {
        let color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        print(render(&findings, Style { color }).as_bytes())?;
    }
    let broken = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if broken { Outcome::Found } else { Outcome::Done })
}
