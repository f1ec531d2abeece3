//! `citewire prompt`.

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};

use super::Outcome;
use super::args::PromptArgs;
use super::input::{Input, print, without_mark};
use crate::ingest::{Retrieved, retrieved};
use crate::prompt::{Budget, Numbered, Options, Prompt, Style, build, inject};

/// The separator between a system prompt and the sources.
const BETWEEN: &str = "\n\n";

/// The end of the output.
const LINE_END: &str = "\n";

pub(super) fn run(args: &PromptArgs) -> anyhow::Result<Outcome> {
    let style: Style = args.style.parse().context("--style")?;
    let system = args.system.as_deref().map(system_prompt).transpose()?;
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let Retrieved { sources, messages, .. } = retrieved(&bytes).map_err(|error| anyhow!("{input}: {error}"))?;
    let budget = budget(args);
    let mut options = Options::new(style);
    options.instructions = !args.sources_only;
    // The text around the context is paid from its budget; the system prompt is not.
    options.budget = if args.json || system.is_some() { budget.beside(BETWEEN) } else { budget };
    if !args.json {
        options.budget = options.budget.beside(LINE_END);
    }
    let prompt = build(&sources, &options);
    let mut said = notes(&prompt, budget, style);
    if args.json {
        let mut messages = messages.unwrap_or_default();
        let used =
            inject(&mut messages, &prompt.text, system.as_deref()).map_err(|error| anyhow!("{input}: {error}"))?;
        if system.is_some() && !used {
            said.push("the messages already have a system message, so --system is ignored".to_owned());
        }
        print(format!("{}\n", json!({ "messages": messages, "sources": became(&prompt) })).as_bytes())?;
    } else {
        let parts = [system.as_deref().unwrap_or_default(), &prompt.text];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            print(format!("{}{LINE_END}", parts.join(BETWEEN)).as_bytes())?;
        }
    }
    for note in said {
        writeln!(io::stderr(), "citewire: {input}: {note}")?;
    }
    Ok(Outcome::Done)
}

fn budget(args: &PromptArgs) -> Budget {
    match (args.max_bytes, args.max_tokens) {
        (Some(bytes), _) => Budget::Bytes(bytes),
        (None, Some(tokens)) => Budget::Tokens(tokens),
        (None, None) => Budget::Unlimited,
    }
}

/// The system prompt as it was typed, or from the file it names.
fn system_prompt(typed: &str) -> anyhow::Result<String> {
    let Some(path) = typed.strip_prefix('@') else { return Ok(typed.trim_end().to_owned()) };
    let bytes = Input::File(Path::new(path).to_owned()).read().context("--system")?;
    let text = std::str::from_utf8(without_mark(&bytes)).with_context(|| format!("--system: {path} is not UTF-8"))?;
    Ok(text.replace("\r\n", "\n").trim_end().to_owned())
}

/// The number of each source, by its position in the manifest.
fn became(prompt: &Prompt) -> Vec<Value> {
    let sources = prompt.sources.iter().enumerate();
    sources.map(|(at, source)| json!({ "place": at + 1, "number": source.number, "listed": source.listed })).collect()
}

/// The notes for stderr.
fn notes(prompt: &Prompt, budget: Budget, style: Style) -> Vec<String> {
    let (all, listed) = (prompt.sources.len(), prompt.listed());
    if all == 0 {
        return vec!["there are no sources, so there is nothing to inject".to_owned()];
    }
    let mut notes = Vec::new();
    let limit = match budget {
        Budget::Bytes(max) => format!("{max} bytes"),
        Budget::Tokens(max) => format!("{max} tokens"),
        Budget::Unlimited => String::new(),
    };
    let out = match all - listed {
        0 => None,
        _ if listed == 0 => {
            Some(format!("not even the first of {all} sources fits into {limit}; there is nothing to inject"))
        }
        1 => Some(format!("source {all} of {all} is left out: it does not fit into {limit}")),
        _ => Some(format!("sources {} to {all} of {all} are left out: they do not fit into {limit}", listed + 1)),
    };
    notes.extend(out);
    let shares = |(at, source): (usize, &Numbered)| source.number != at + 1;
    if style == Style::Tags && prompt.sources.iter().enumerate().any(shares) {
        let what =
            "sources with the same id, or without an id, share a number, so numbers are not positions in the manifest";
        notes.push(format!("{what}; --json prints the number of each source"));
    }
    notes
}
