//! `citewire check`.

use std::io::{self, BufReader, IsTerminal as _, Read as _, Write as _};

use anyhow::{Context as _, anyhow};
use serde_json::Value;

use super::args::{CheckArgs, CheckOutput};
use super::input::{Input, print};
use super::{Outcome, support};
use crate::calls::Rules;
use crate::check::report::{Style, junit, render, sarif};
use crate::check::{Finding, MAX_INPUT_BYTES, Severity, read};

/// The rules to check by. A profile says which channel it is of.
fn rules(args: &CheckArgs) -> anyhow::Result<Rules> {
    let profile = args.profile.as_ref().map(|name| name.parse()).transpose().context("--profile")?;
    let channel = args.channel.as_ref().filter(|_| profile.is_none());
    let channel = channel.map(|name| name.parse()).transpose().context("--channel")?;
    if channel.is_none() && profile.is_none() {
        return Err(anyhow!("--channel or --profile is required"));
    }
    Ok(Rules::new(channel, profile)?)
}

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    if args.support {
        return support::run(args);
    }
    let rules = rules(args)?;
    let input = Input::named(args.file.as_deref());
    let document = read(&bytes(&input)?).map_err(|error| anyhow!("{input}: {error}"))?;
    if args.fix {
        return fix(&document, rules, args.json);
    }
    let answer = rules.check(&document);
    let findings = &answer.findings;
    let output = if args.json { CheckOutput::Json } else { args.output };
    let printed = match output {
        CheckOutput::Text => {
            let color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            render(findings, Style { color })
        }
        CheckOutput::Json => format!("{}\n", serde_json::to_string(&answer)?),
        CheckOutput::Sarif => format!("{}\n", sarif(findings, &input.to_string())),
        CheckOutput::Junit => junit(findings, &input.to_string()),
    };
    print(printed.as_bytes())?;
    Ok(outcome(findings))
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
    let answer = match rules.fix(document) {
        Ok(answer) => answer,
        Err(refused) => {
            let report = render(std::slice::from_ref(&refused.0), Style { color });
            io::stderr().write_all(report.as_bytes())?;
            return Ok(Outcome::Found);
        }
    };
    if as_json {
        print(format!("{}\n", serde_json::to_string(&answer)?).as_bytes())?;
        return Ok(outcome(&answer.findings));
    }
    print(format!("{}\n", serde_json::to_string_pretty(&answer.activity)?).as_bytes())?;
    let mut stderr = io::stderr();
    for change in answer.changes.iter().flatten() {
        let line = format!("fixed {} {}: {}", change.code, change.pointer, change.message);
        writeln!(stderr, "{}", crate::text::in_terminal(&line))?;
    }
    stderr.write_all(render(&answer.findings, Style { color }).as_bytes())?;
    Ok(outcome(&answer.findings))
}
