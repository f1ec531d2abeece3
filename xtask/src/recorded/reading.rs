//! How citewire reads one body: the command is run as its users run it.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The outcome of one body.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Read(Reading),
    /// Why not, in one line.
    Refused(String),
}

impl Outcome {
    pub(super) fn read(&self) -> Option<&Reading> {
        match self {
            Self::Read(reading) => Some(reading),
            Self::Refused(_) => None,
        }
    }
}

/// A body that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) format: String,
    /// The sources that the provider gave, cited or not.
    pub(super) sources: usize,
    /// The badges in the text.
    pub(super) places: usize,
    /// The lists of the report with their codes and how often each stands there, without those of `cited`.
    pub(super) notes: BTreeMap<String, usize>,
}

/// The command.
pub(super) struct Citewire {
    binary: PathBuf,
    /// The formats that `--from` takes.
    pub(super) formats: Vec<String>,
}

impl Citewire {
    /// Asks the command for its formats: it lists them when it is given one that it does not know.
    pub(super) fn new(binary: PathBuf) -> Result<Self> {
        let mut command = Command::new(&binary);
        command.args(["convert", "--from", "?"]).stdin(std::process::Stdio::null());
        let output = command.output().with_context(|| format!("cannot start {}", binary.display()))?;
        let told = first_line(&output.stderr);
        let formats = formats(&told).with_context(|| format!("citewire lists no formats, but says: {told}"))?;
        Ok(Self { binary, formats })
    }

    /// Reads one body, by automatic detection when no format is named.
    pub(super) fn read(&self, body: &Path, format: Option<&str>) -> Result<Outcome> {
        let activity = self.convert(body, format, "web-chat")?;
        if !activity.status.success() {
            return Ok(Outcome::Refused(refusal(&activity, body)));
        }
        let records = self.convert(body, format, "records")?;
        if !records.status.success() {
            return Ok(Outcome::Refused(format!("as records: {}", refusal(&records, body))));
        }
        let records: Value = serde_json::from_slice(&records.stdout).context("records are no JSON")?;
        let text: Value = serde_json::from_slice(&activity.stdout).context("an activity is no JSON")?;
        let Some(sources) = records["sources"].as_array() else {
            bail!("{}: the records have no list of sources", body.display());
        };
        Ok(Outcome::Read(Reading {
            format: records["provider"].as_str().unwrap_or("?").to_owned(),
            sources: sources.len(),
            places: places(text["text"].as_str().unwrap_or(""), &positions(&text)),
            notes: notes(&String::from_utf8_lossy(&activity.stderr)),
        }))
    }

    fn convert(&self, body: &Path, format: Option<&str>, to: &str) -> Result<Output> {
        let mut command = Command::new(&self.binary);
        command.args(["convert", "--report", "--to", to, "--from", format.unwrap_or("auto")]).arg(body);
        command.output().with_context(|| format!("cannot start {}", self.binary.display()))
    }
}

/// The formats in the error about one that is not known.
fn formats(told: &str) -> Option<Vec<String>> {
    let listed = told.split_once("known formats: ")?.1;
    Some(listed.split(", ").filter(|format| *format != "auto").map(str::to_owned).collect())
}

/// Why a body was not read: the first line that citewire wrote, without the names of itself and of the file.
fn refusal(output: &Output, body: &Path) -> String {
    let line = first_line(&output.stderr);
    let Some(2) = output.status.code() else {
        return format!("citewire ended with {}: {line}", output.status);
    };
    let line = line.strip_prefix("citewire: ").unwrap_or(&line);
    line.strip_prefix(&format!("{}: ", body.display())).unwrap_or(line).to_owned()
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("(nothing was said)").to_owned()
}

/// The numbers of an activity's claims.
fn positions(activity: &Value) -> BTreeSet<u64> {
    let entities = activity["entities"].as_array().into_iter().flatten();
    let claims = entities.filter_map(|entity| entity["citation"].as_array()).flatten();
    claims.filter_map(|claim| claim["position"].as_u64().or_else(|| claim["position"].as_str()?.parse().ok())).collect()
}

/// How many badges a text has: the number of a claim in brackets, neither in code nor at the head of a definition.
fn places(text: &str, claims: &BTreeSet<u64>) -> usize {
    let mut fence: Option<&str> = None;
    let mut places = 0;
    for line in text.lines() {
        let bare = line.trim_start();
        let ticks = &bare[..bare.len() - bare.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && bare.len() == ticks.len() => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !bare[ticks.len()..].contains('`') => fence = Some(ticks),
            None if line.starts_with('[') && line.contains("]: ") && in_brackets(line).is_some() => {
                // `[1]: https://…` defines; `[1]: this` would have been written with a backslash.
            }
            None => places += places_in_line(line, claims),
        }
    }
    places
}

fn places_in_line(line: &str, claims: &BTreeSet<u64>) -> usize {
    let mut places = 0;
    let mut rest = line;
    while let Some(at) = rest.find(['[', '`', '\\']) {
        let here = &rest[at..];
        rest = if here.starts_with('`') {
            let ticks = &here[..here.len() - here.trim_start_matches('`').len()];
            let behind = &here[ticks.len()..];
            // Ticks that no ticks end are text.
            behind.find(ticks).map_or(behind, |end| &behind[end + ticks.len()..])
        } else if let Some(escaped) = here.strip_prefix('\\') {
            escaped.char_indices().nth(1).map_or("", |(next, _)| &escaped[next..])
        } else if let Some((number, behind)) = in_brackets(here) {
            // `[1](address)` is a link.
            places += usize::from(claims.contains(&number) && !behind.starts_with('('));
            behind
        } else {
            &here[1..]
        };
    }
    places
}

/// The number in `[1]` at the start of a text, and what follows.
fn in_brackets(text: &str) -> Option<(u64, &str)> {
    let (number, behind) = text.strip_prefix('[')?.split_once(']')?;
    Some((number.parse().ok()?, behind))
}

/// The report's lines but for those of what was cited, by list and code: `notes: … (sources-unread, /citations)`.
fn notes(report: &str) -> BTreeMap<String, usize> {
    let mut notes = BTreeMap::new();
    for line in report.lines().map(str::trim_end) {
        let Some((list, told)) = line.split_once(": ") else { continue };
        let code = told.rsplit_once(" (").and_then(|(_, code)| code.split_once(", ")).map(|(code, _)| code);
        let note = match (list, code) {
            ("cited", _) => continue,
            ("incomplete" | "provider error", _) | (_, None) => list.to_owned(),
            (list, Some(code)) => format!("{list} {code}"),
        };
        *notes.entry(note).or_insert(0) += 1;
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        places(text, &BTreeSet::from([1, 2]))
    }

    #[test]
    fn badges_are_counted_in_the_text_and_not_in_definitions() {
        assert_eq!(count("One.[1] Two.[1][2]\n\n[1]: https://a.example \"A\"\n[2]: https://b.example"), 3);
        assert_eq!(count("[1] begins a line.\r\n\r\n[1]: https://a.example\r\n"), 1);
    }

    #[test]
    fn numbers_of_no_claim_links_and_what_is_escaped_are_no_badges() {
        assert_eq!(count("a [3] [x] [1](https://a.example) \\[1] [^1] []"), 0);
        assert_eq!(count("ends with \\"), 0);
        assert_eq!(count("é\\é[1]"), 1);
    }

    #[test]
    fn code_has_no_badges() {
        assert_eq!(count("`a[1]` and ``b ` [2]`` but `open [1]"), 1);
        assert_eq!(count("```rust\na[1]\n```\nb[1]"), 1);
        assert_eq!(count("````\n```\na[1]\n````\n"), 0);
    }

    #[test]
    fn the_formats_are_those_of_the_error() {
        let told = "citewire: --from: unknown format \"?\"; known formats: auto, cohere, xai";
        assert_eq!(formats(told), Some(vec!["cohere".to_owned(), "xai".to_owned()]));
        assert_eq!(formats("something else"), None);
    }

    #[test]
    fn notes_are_counted_by_list_and_code() {
        let report = "incomplete: the provider did not say\r\ncited: [1] is \"A (b, c)\": https://a.example (source, /a)\r\n\
            notes: odd (a thing) (moved, byte 3)\nnotes: odd (moved, byte 9)\nnothing cited, nothing changed\n";
        let expected = [("incomplete", 1), ("notes moved", 2)].map(|(note, count)| (note.to_owned(), count));
        assert_eq!(notes(report), BTreeMap::from(expected));
    }

    #[test]
    fn the_claims_numbers_are_read_as_text_and_as_numbers() {
        let activity = serde_json::json!({"entities": [{"citation": [{"position": "1"}, {"position": 2}]}, {}]});
        assert_eq!(positions(&activity), BTreeSet::from([1, 2]));
    }

    #[test]
    fn an_error_is_its_first_line() {
        assert_eq!(first_line(b"\r\ncitewire: no\r\nmore\r\n"), "citewire: no");
    }
}
