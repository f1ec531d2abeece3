//! `citewire convert --explain`: as which format an answer is read, what is found in it, and a mapping for an unknown one.
//!
//! Every line that is no mapping is a comment of TOML, so that the output is a file for `--map`.

use std::sync::Arc;

use super::Outcome;
use super::args::ConvertArgs;
use super::input::{Input, print, without_mark};
use super::wanted::from;
use crate::answer::{Answer, Source};
use crate::cite::{CitedText, Rules, cite};
use crate::ingest::{AnswerFormat, IngestError, Mapping, ingest, propose};
use crate::report::{At, Entry, Kind};
use crate::text::in_terminal;

/// The name of a proposed mapping.
const PROPOSED: &str = "proposed";

/// The most sources and entries of a report that are shown.
const MAX_SHOWN: usize = 10;

/// The longest text that is shown, in characters.
const MAX_CHARS: usize = 80;

pub(super) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let from = from(args)?;
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let (explained, outcome) = explain(without_mark(&bytes), &from);
    print(explained.as_bytes())?;
    Ok(outcome)
}

/// The explanation of a body. An unknown one without a mapping to propose is a finding.
fn explain(body: &[u8], from: &AnswerFormat) -> (String, Outcome) {
    let mut lines = Vec::new();
    match ingest(body, from) {
        Ok(answer) => {
            lines.push(format!("This is read as {}.", answer.provider.unwrap_or("an answer of no format")));
            found(&answer, &mut lines);
            (comments(&lines), Outcome::Done)
        }
        Err(error) => {
            lines.push(format!("This cannot be read: {error}."));
            match (from, proposal(body)) {
                (AnswerFormat::Detected(_), Some((toml, answer))) => {
                    lines.push(
                        "This mapping is a guess from its names and values. Save it, mend it, and use it with"
                            .to_owned(),
                    );
                    lines.push("`citewire convert --map FILE`. With it, citewire finds:".to_owned());
                    answered(answer, &mut lines);
                    (format!("{}\n{toml}", comments(&lines)), Outcome::Done)
                }
                (AnswerFormat::Known(_) | AnswerFormat::Mapped(_), _) => (comments(&lines), Outcome::Found),
                (AnswerFormat::Detected(_), None) => {
                    lines.push(
                        "Nothing in it looks like the text of an answer, so no mapping can be proposed.".to_owned(),
                    );
                    (comments(&lines), Outcome::Found)
                }
            }
        }
    }
}

/// A mapping for an unknown body as TOML, and what it reads.
fn proposal(body: &[u8]) -> Option<(String, Result<Answer, IngestError>)> {
    let options = propose(body)?;
    let mapping = Mapping::new(PROPOSED, &options).ok()?;
    let toml = toml::to_string(&options).ok()?;
    Some((toml, ingest(body, Arc::new(mapping))))
}

fn answered(answer: Result<Answer, IngestError>, lines: &mut Vec<String>) {
    match answer {
        Ok(answer) => found(&answer, lines),
        Err(error) => lines.push(format!("nothing: {error}")),
    }
}

/// What is in an answer: text, sources, places, and what its report says.
fn found(answer: &Answer, lines: &mut Vec<String>) {
    let CitedText { places, sources, entries, .. } = cite(answer, &Rules::numbered());
    let chars = answer.text.chars().count();
    lines.push(format!("  text: {chars} characters: {:?}", start(&answer.text)));
    lines.push(format!("  sources: {}, of which the text cites {}", answer.sources.len(), sources.len()));
    let shown = answer.sources.iter().zip(1..).take(MAX_SHOWN);
    lines.extend(shown.map(|(source, number)| format!("    {number}. {}", named(source))));
    if answer.sources.len() > MAX_SHOWN {
        lines.push(format!("    and {} more", answer.sources.len() - MAX_SHOWN));
    }
    let spans = answer.citations.len();
    lines.push(format!("  citations: {} in the text, of which {spans} are given as positions", places.len()));
    if !answer.complete {
        lines.push("  the end sign is missing, or it does not say that the answer is complete".to_owned());
    }
    let odd: Vec<&Entry> = answer.warnings.iter().chain(&entries).filter(|entry| entry.kind != Kind::Cited).collect();
    lines.extend(odd.iter().take(MAX_SHOWN).map(|entry| format!("  note: {}{}", entry.message, place(entry))));
    if odd.len() > MAX_SHOWN {
        lines.push(format!("  and {} notes more; --report shows all", odd.len() - MAX_SHOWN));
    }
}

fn place(entry: &Entry) -> String {
    match &entry.at {
        At::Pointer(pointer) if !pointer.is_empty() => format!(" ({pointer})"),
        At::Pointer(_) | At::Offset(_) => String::new(),
    }
}

fn named(source: &Source) -> String {
    let name = source.display_title().map_or("(no name)".to_owned(), |name| start(&name));
    let url = source.url.as_ref().map_or(String::new(), |url| format!(", {}", url.as_str()));
    let passage = source.content.as_ref().map_or(String::new(), |text| format!(", {:?}", start(text)));
    format!("{name}{url}{passage}")
}

fn start(text: &str) -> String {
    let mut start: String = text.chars().take(MAX_CHARS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

fn comments(lines: &[String]) -> String {
    lines.iter().map(|line| format!("# {}\n", in_terminal(line))).collect()
}
