//! `citewire check`.

use std::io::{self, BufReader, IsTerminal as _, Read as _, Write as _};

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};

use super::args::{CheckArgs, CheckOutput};
use super::input::{Input, print};
use super::{Outcome, support};
use crate::check::report::{Style, junit, render, sarif};
use crate::check::{Channel, Finding, MAX_INPUT_BYTES, Profile, Severity, check, check_profile, mend, read};

/// The rules to check by.
#[derive(Clone, Copy)]
enum Rules {
    Channel(Channel),
    Profile(Profile),
}

impl Rules {
    fn of(args: &CheckArgs) -> anyhow::Result<Self> {
        match (&args.profile, &args.channel) {
            (Some(profile), _) => Ok(Self::Profile(profile.parse().context("--profile")?)),
            (None, Some(channel)) => Ok(Self::Channel(channel.parse().context("--channel")?)),
            (None, None) => Err(anyhow!("--channel or --profile is required")),
        }
    }

    fn channel(self) -> Channel {
        match self {
            Self::Channel(channel) => channel,
            Self::Profile(profile) => profile.channel(),
        }
    }

    fn check(self, document: &Value) -> Vec<Finding> {
        match self {
            Self::Channel(channel) => check(document, channel),
            Self::Profile(profile) => check_profile(document, profile),
        }
    }
}

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    if args.support {
        return support::run(args);
    }
    let rules = Rules::of(args)?;
    let input = Input::named(args.file.as_deref());
    let document = read(&bytes(&input)?).map_err(|error| anyhow!("{input}: {error}"))?;
    if args.fix {
        return fix(&document, rules, args.json);
    }
    let findings = rules.check(&document);
    let output = if args.json { CheckOutput::Json } else { args.output };
    let printed = match output {
        CheckOutput::Text => {
            let color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            render(&findings, Style { color })
        }
        CheckOutput::Json => format!("{}\n", json!({ "findings": findings })),
        CheckOutput::Sarif => format!("{}\n", sarif(&findings, &input.to_string())),
        CheckOutput::Junit => junit(&findings, &input.to_string()),
    };
    print(printed.as_bytes())?;
    Ok(outcome(&findings))
}

/// The input, up to one byte above the maximum, by which [`read`] knows that it is too large.
fn bytes(input: &Input) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reader = input.open()?.take(MAX_INPUT_BYTES as u64 + 1);
    BufReader::new(reader).read_to_end(&mut bytes).with_context(|| format!("{input} cannot be read"))?;
    Ok(bytes)
}

fn outcome(findings: &[Finding]) -> Outcome {
    let broken = findings.iter().any(|finding| finding.severity == Severity::Error);
    if broken { Outcome::Found } else { Outcome::Done }
}

/// Prints the mended document alone on stdout, so that it can be piped.
fn fix(document: &Value, rules: Rules, as_json: bool) -> anyhow::Result<Outcome> {
    let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mended = match mend(document, rules.channel()) {
        Ok(mended) => mended,
        Err(refused) => {
            let report = render(std::slice::from_ref(&refused.0), Style { color });
            io::stderr().write_all(report.as_bytes())?;
            return Ok(Outcome::Found);
        }
    };
    let findings = rules.check(&mended.document);
    if as_json {
        let all = json!({"activity": mended.document, "changes": mended.changes, "findings": findings});
        print(format!("{all}\n").as_bytes())?;
        return Ok(outcome(&findings));
    }
    print(format!("{}\n", serde_json::to_string_pretty(&mended.document)?).as_bytes())?;
    let mut stderr = io::stderr();
    for change in &mended.changes {
        let line = format!("fixed {} {}: {}", change.code, change.pointer, change.message);
        writeln!(stderr, "{}", crate::text::in_terminal(&line))?;
    }
    stderr.write_all(render(&findings, Style { color }).as_bytes())?;
    Ok(outcome(&findings))
}
