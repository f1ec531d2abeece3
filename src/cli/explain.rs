//! `citewire convert --explain`: as which format an answer is read, what is found in it, and a mapping for an unknown one.
//!
//! Every line that is no mapping is a comment of TOML, so that the output is a file for `--map`.

use std::sync::Arc;

use super::Outcome;
use super::args::ConvertArgs;
use super::conversion_args::from;
use super::input::{Input, print, without_mark};
use crate::answer::{Answer, Source};
use crate::cite::{CitedText, Rules, cite};
use crate::config::ready_mapping;
use crate::ingest::{
    AnswerFormat, Mapping, MappingOptions, MarkerOptions, SourceOptions, SpanOptions, StreamOptions, ingest, propose,
};
use crate::report::{At, Entry, Kind, SOURCES_UNREAD};
use crate::text::in_terminal;

/// The name of a proposed mapping.
const PROPOSED: &str = "proposed";

/// The mappings of `samples/formats`.
const READY: [(&str, &str); 6] = [
    ("amazon-q-business", include_str!("../../samples/formats/amazon-q-business.toml")),
    ("anythingllm", include_str!("../../samples/formats/anythingllm.toml")),
    ("dashscope", include_str!("../../samples/formats/dashscope.toml")),
    ("flowise", include_str!("../../samples/formats/flowise.toml")),
    ("ragflow", include_str!("../../samples/formats/ragflow.toml")),
    ("vectara", include_str!("../../samples/formats/vectara.toml")),
];

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
    let loses_all = match ingest(body, from) {
        Ok(answer) => {
            lines.push(format!("This is read as {}.", answer.provider.unwrap_or("an answer of no format")));
            found(&answer, &mut lines);
            if !loses_sources(&answer) {
                return (comments(&lines), Outcome::Done);
            }
            lines.push("None of its sources was read.".to_owned());
            true
        }
        Err(error) => {
            lines.push(format!("This cannot be read: {error}."));
            false
        }
    };
    if !matches!(from, AnswerFormat::Detected(_)) {
        return (comments(&lines), if loses_all { Outcome::Done } else { Outcome::Found });
    }
    match ready(body).or_else(|| guessed(body, loses_all)) {
        Some(Proposal { told, toml }) => {
            lines.extend(told);
            (format!("{}\n{toml}", comments(&lines)), Outcome::Done)
        }
        None if loses_all => (comments(&lines), Outcome::Done),
        None => {
            lines.push("Nothing in it looks like the text of an answer, so no mapping can be proposed.".to_owned());
            (comments(&lines), Outcome::Found)
        }
    }
}

/// Whether an answer has sources of which its format reads none.
fn loses_sources(answer: &Answer) -> bool {
    answer.sources.is_empty() && answer.warnings.iter().any(|entry| entry.code == SOURCES_UNREAD)
}

/// A mapping for a body.
struct Proposal {
    /// The origin of the mapping and the findings with it, as lines.
    told: Vec<String>,
    toml: String,
}

/// The ready mapping of the product that gave a body.
fn ready(body: &[u8]) -> Option<Proposal> {
    let mappings = READY.iter().filter_map(|(name, toml)| ready_mapping(name, toml)).collect();
    let answer = ingest(body, AnswerFormat::Detected(mappings)).ok()?;
    let (name, toml) = READY.iter().find(|(name, _)| answer.provider == Some(*name))?;
    let mut told = vec![format!("This ready mapping, samples/formats/{name}.toml, reads it. Save it, and use it with")];
    told.push(USE.to_owned());
    found(&answer, &mut told);
    Some(Proposal { told, toml: (*toml).to_owned() })
}

/// The words before a mapping that is shown.
const USE: &str = "`citewire convert --map FILE`. With it, citewire finds:";

/// A mapping that the names and values in a body suggest. Where a format reads the text, only one with sources is of use.
fn guessed(body: &[u8], needs_sources: bool) -> Option<Proposal> {
    let options = propose(body)?;
    let mapping = Mapping::new(PROPOSED, &options).ok()?;
    let toml = written(&options)?;
    let answer = ingest(body, Arc::new(mapping));
    if needs_sources && !answer.as_ref().is_ok_and(|answer| !answer.sources.is_empty()) {
        return None;
    }
    let mut told =
        vec!["This mapping is a guess from its names and values. Save it, mend it, and use it with".to_owned()];
    told.push(USE.to_owned());
    match answer {
        Ok(answer) => {
            found(&answer, &mut told);
            told.extend(doubts(&options, &answer).into_iter().map(|doubt| format!("check: {doubt}")));
        }
        Err(error) => told.push(format!("nothing: {error}")),
    }
    Some(Proposal { told, toml })
}

/// A mapping as people write it: an event on one line.
fn written(options: &MappingOptions) -> Option<String> {
    let MappingOptions { source, markers, spans, stream, .. } = options;
    let top = MappingOptions {
        source: SourceOptions::default(),
        markers: MarkerOptions::default(),
        spans: SpanOptions::default(),
        stream: StreamOptions::default(),
        ..options.clone()
    };
    let events = toml::Table::try_from(stream).ok()?;
    let names = ["recognize", "text", "text_so_far", "sources", "spans", "end"].into_iter();
    let stream = names.filter_map(|name| Some(format!("{name} = {}\n", events.get(name)?))).collect();
    let sections = [
        ("source", toml::to_string(source).ok()?),
        ("markers", toml::to_string(markers).ok()?),
        ("spans", toml::to_string(spans).ok()?),
        ("stream", stream),
    ];
    let sections = sections.into_iter().filter(|(_, members)| !members.is_empty());
    let sections: String = sections.map(|(name, members)| format!("\n[{name}]\n{members}")).collect();
    let mapping = format!("{}{sections}", toml::to_string(&top).ok()?);
    Some(mapping.trim_start().to_owned())
}

/// Doubts about a guess.
fn doubts(options: &MappingOptions, answer: &Answer) -> Vec<String> {
    let text = answer.text.trim();
    let is_json = text.starts_with(['{', '[']) && serde_json::from_str::<serde_json::Value>(text).is_ok();
    let many = options.text.0.iter().find(|path| path.contains("[*]") || path.contains(".*"));
    let CitedText { unresolved, entries, .. } = cite(answer, &Rules::numbered());
    let alike = entries.iter().filter(|entry| entry.code == "looks-like-marker").count();
    let unnamed = answer.sources.iter().filter(|source| source.display_title().is_none()).count();
    let nameless = unresolved.len() + alike;
    let doubts = [
        many.map(|path| format!("`{path}` joins all texts that it finds")),
        is_json
            .then(|| "the text is JSON; name the text in it, with `json_in` for the string that holds it".to_owned()),
        (text.starts_with('<') && text.contains("</"))
            .then(|| "the text is HTML, and readers get its tags; look for a plain text beside it".to_owned()),
        answer.sources.is_empty().then(|| "no sources were found".to_owned()),
        (nameless > 0).then(|| format!("markers that name no source: {nameless}; see `markers`")),
        (unnamed > 0).then(|| format!("sources without a name: {unnamed}; see `source.title`")),
    ];
    doubts.into_iter().flatten().collect()
}

/// Adds the findings of an answer as lines: text, sources, places, and the entries of its report.
fn found(answer: &Answer, lines: &mut Vec<String>) {
    let CitedText { places, sources, entries, .. } = cite(answer, &Rules::numbered());
    let chars = answer.text.chars().count();
    lines.push(format!("  text: {chars} characters: {}", ends(&answer.text)));
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

/// A text with its beginning and its end, where a mapping often takes too much.
fn ends(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= 2 * MAX_CHARS {
        return format!("{text:?}");
    }
    let end: String = text.chars().skip(chars - MAX_CHARS).collect();
    format!("{:?} … {end:?}", text.chars().take(MAX_CHARS).collect::<String>())
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
