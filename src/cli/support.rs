//! `citewire check --support`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Outcome;
use super::args::CheckArgs;
use super::input::{Input, print, without_mark};
use crate::claims::{Claim, Claims, claims};
use crate::ingest::{AnswerFormat, ingest};
use crate::text::in_terminal;
use anyhow::anyhow;

/// Says for each citation of an answer whether its sources hold it. An alarm is an outcome of its own.
pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let answer = ingest(without_mark(&bytes), AnswerFormat::default()).map_err(|error| anyhow!("{input}: {error}"))?;
    let claims = claims(&answer);
    let printed = if args.json { serde_json::to_string(&claims)? + "\n" } else { described(&claims) };
    print(printed.as_bytes())?;
    let is_alarmed = claims.claims.iter().any(|claim| claim.verdict.is_alarm());
    Ok(if is_alarmed { Outcome::Found } else { Outcome::Done })
}

/// A line for each claim, one for each of its reasons, and a count.
fn described(claims: &Claims) -> String {
    let mut lines = String::new();
    let mut counts = BTreeMap::new();
    for Claim { start, end, positions, verdict, reasons, .. } in &claims.claims {
        *counts.entry(*verdict).or_insert(0) += 1;
        let words = claims.text.get(*start..*end).unwrap_or_default();
        let positions: String = positions.iter().map(|position| format!("[{position}]")).collect();
        writeln!(lines, "{}: {} {positions}", verdict.code(), in_terminal(words)).ok();
        for reason in reasons {
            let about = reason.text.as_deref().map(|words| format!(": {}", in_terminal(words))).unwrap_or_default();
            writeln!(lines, "  {} [{}]{about}", reason.code.code(), reason.position).ok();
        }
    }
    let counted: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.code())).collect();
    let counted = if counted.is_empty() { "no citation".to_owned() } else { counted.join(", ") };
    writeln!(lines, "{counted}; {} sentences without a citation", claims.uncited).ok();
    for marker in &claims.unresolved {
        writeln!(lines, "no source: {}", in_terminal(marker)).ok();
    }
    for pointer in &claims.unread {
        writeln!(lines, "not read: {}", in_terminal(pointer)).ok();
    }
    lines
}
