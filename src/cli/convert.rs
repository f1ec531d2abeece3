//! `citewire convert`.

use std::io::{self, Write as _};

use anyhow::{Context as _, bail};

use super::Outcome;
use super::args::{ConvertArgs, Grounding};
use super::input::{Input, print, without_mark};
use crate::convert::{self, Conversion, ConvertError};
use crate::dialect::Dialect;
use crate::report::{At, Entry, Report};

/// What `--to` will take in later versions.
const LATER: [&str; 3] = ["open-webui", "assistanthub", "records"];

pub(super) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let conversion = conversion(args)?;
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let converted = match convert::convert(without_mark(&bytes), &conversion) {
        Ok(converted) => converted,
        Err(error @ (ConvertError::GroundingNoTools | ConvertError::GroundingNoCitations)) => {
            writeln!(io::stderr(), "citewire: {input}: {error}")?;
            return Ok(Outcome::Found);
        }
        Err(error @ ConvertError::Ingest(_)) => bail!("{input}: {error}"),
    };
    if args.report {
        write!(io::stderr(), "{}", describe(&converted.report))?;
    }
    let message = converted.activities.last().context("the conversion gave no message")?;
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    print(&line)?;
    Ok(Outcome::Done)
}

fn conversion(args: &ConvertArgs) -> anyhow::Result<Conversion> {
    let dialect = match args.to.parse::<Dialect>() {
        Ok(dialect) => dialect,
        Err(_) if LATER.contains(&args.to.as_str()) => bail!("--to {}: this version cannot write that yet", args.to),
        Err(error) => bail!("--to: {error}"),
    };
    let mut conversion = Conversion::to(dialect);
    // The command prints the message alone.
    conversion.options.updates = Some(0);
    if args.from != "auto" {
        conversion.from = Some(args.from.parse().context("--from")?);
    }
    if let Some(grounding) = args.require_grounding {
        conversion.options.require_grounding = match grounding {
            Grounding::Any => convert::Grounding::Any,
            Grounding::Anchored => convert::Grounding::Anchored,
        };
    }
    Ok(conversion)
}

/// The report for people: one line an entry, under what happened.
fn describe(report: &Report) -> String {
    let mut lines = Vec::new();
    if !report.complete {
        lines.push("incomplete: the provider did not say that the answer is whole".to_owned());
    }
    if let Some(error) = &report.error {
        lines.push(format!("provider error: {error}"));
    }
    for (list, entries) in report.lists() {
        let line = |entry: &Entry| format!("{list}: {} ({}, {})", entry.message, entry.code, place(entry));
        lines.extend(entries.iter().map(line));
    }
    if lines.is_empty() {
        lines.push("nothing cited, nothing changed".to_owned());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn place(entry: &Entry) -> String {
    match &entry.at {
        At::Offset(offset) => format!("byte {offset}"),
        At::Pointer(pointer) if pointer.is_empty() => "the whole".to_owned(),
        At::Pointer(pointer) => pointer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Kind;

    #[test]
    fn a_report_is_one_line_an_entry() {
        let mut report = Report { complete: true, ..Report::default() };
        assert_eq!(describe(&report), "nothing cited, nothing changed\n");
        report.extend([
            Entry { kind: Kind::Cited, code: "cited", at: At::Offset(17), message: "1: Leave policy".to_owned() },
            Entry { kind: Kind::Note, code: "odd", at: At::Pointer("/a".to_owned()), message: "odd".to_owned() },
        ]);
        assert_eq!(describe(&report), "cited: 1: Leave policy (cited, byte 17)\nnotes: odd (odd, /a)\n");
    }
}
