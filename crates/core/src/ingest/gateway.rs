//! Sources that gateways and services put into chat completions, in members that OpenAI has not: one table says where each
//! stands. [LiteLLM](https://docs.litellm.ai/docs/providers/vertex), [RAGFlow](https://ragflow.io/docs/dev/http_api_reference),
//! [Groq](https://console.groq.com/docs/compound), [Zhipu](https://docs.bigmodel.cn/cn/guide/tools/web-search),
//! [Venice](https://docs.venice.ai/api-reference/endpoint/chat/completions).

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::{Map, Value};

use super::annotated::Annotated;
use super::anthropic_citation::WireCitation;
use super::anthropic_pages::FoundPages;
use super::gateway_source::source;
use super::gemini_grounding::Grounding;
use super::span::Unit;
use crate::answer::{Source, SourceIndex};
use crate::report::Entry;

/// One list of sources.
struct Row {
    base: Base,
    /// The names of the members that lead from the base to the list; `*` is each entry of a list.
    path: &'static [&'static str],
    counts: Counts,
    /// Whether the service gives only what was used for the answer, and not all that its search found.
    is_used: bool,
}

/// The object in which a path begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Body,
    /// The message or delta of the first choice.
    Message,
    /// Tags in the text of the answer.
    Text,
}

/// How markers in the text count the entries of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// `[1]` is the first entry.
    Places,
    /// `[ID:0]` is the first entry, and `[ID:481]` the entry with this name in an object of entries.
    FromZero,
    /// The entry has its marker without brackets in this member: `refer`, `index`.
    Named(&'static str),
    /// No marker counts them.
    Nothing,
}

const fn used(base: Base, path: &'static [&'static str]) -> Row {
    Row { base, path, counts: Counts::Places, is_used: true }
}

const fn found(base: Base, path: &'static [&'static str], counts: Counts) -> Row {
    Row { base, path, counts, is_used: false }
}

/// The lists, in the order in which their sources are numbered. Lists that repeat each other, as results and addresses do,
/// stand with the richer one first.
const ROWS: &[Row] = &[
    // RAGFlow. Agents have an object of chunks, by the number in the text.
    Row { base: Base::Message, path: &["reference", "chunks"], counts: Counts::FromZero, is_used: true },
    Row { base: Base::Message, path: &["reference"], counts: Counts::FromZero, is_used: true },
    // Venice writes `^1^`.
    used(Base::Body, &["venice_parameters", "web_search_citations"]),
    // Zhipu writes `[ref_1]`, and says so in each entry.
    found(Base::Body, &["web_search"], Counts::Named("refer")),
    found(Base::Message, &["web_search"], Counts::Named("refer")),
    // DashScope and Hunyuan number the entries.
    found(Base::Body, &["search_info", "search_results"], Counts::Named("index")),
    found(Base::Message, &["search_info", "search_results"], Counts::Named("index")),
    found(Base::Message, &["search_results"], Counts::Places),
    used(Base::Message, &["citations"]),
    used(Base::Body, &["citations"]),
    used(Base::Message, &["references"]),
    used(Base::Body, &["references"]),
    used(Base::Message, &["sources"]),
    used(Base::Body, &["sources"]),
    used(Base::Message, &["source_documents"]),
    used(Base::Body, &["source_documents"]),
    used(Base::Message, &["documents"]),
    used(Base::Body, &["documents"]),
    // Cloudflare AI Search.
    used(Base::Body, &["chunks"]),
    // Brave.
    Row { base: Base::Text, path: &["citation"], counts: Counts::Named("number"), is_used: true },
    found(Base::Text, &["thinking"], Counts::Nothing),
    // Groq.
    found(Base::Message, &["executed_tools", "*", "search_results", "results"], Counts::Nothing),
    found(Base::Message, &["executed_tools", "*", "browser_results"], Counts::Nothing),
    // LiteLLM in front of Claude.
    found(Base::Message, &["provider_specific_fields", "web_search_results", "*", "content"], Counts::Nothing),
];

/// The member in which LiteLLM keeps Gemini's grounding: in the body, the choice, the message or its `provider_specific_fields`.
const GROUNDING: &str = "vertex_ai_grounding_metadata";

/// The member in which LiteLLM keeps what only one provider has.
const SPECIFIC: &str = "provider_specific_fields";

/// Searchers for the first quoted name of each path. Every chunk is searched, so they are built once.
static FINDERS: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| {
    let rows = ROWS.iter().filter(|row| row.base != Base::Text);
    let mut names: Vec<&str> = rows.filter_map(|row| row.path.first().copied()).collect();
    names.extend([GROUNDING, SPECIFIC]);
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Finder::new(&format!("\"{name}\"")).into_owned()).collect()
});

/// Members beside the text of an answer, as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct Gateway {
    /// The entries of each list, by its place in [`ROWS`].
    lists: BTreeMap<usize, List>,
    grounding: Option<Grounding>,
    cited: Vec<Cited>,
}

/// A list as far as it has arrived.
#[derive(Debug, Default)]
struct List {
    entries: Vec<Value>,
    sources: Vec<Source>,
    /// The entries as JSON.
    seen: HashSet<String>,
}

/// A citation of Claude behind the text that it supports.
#[derive(Debug)]
struct Cited {
    pointer: String,
    citation: Value,
    behind: Behind,
}

#[derive(Debug)]
enum Behind {
    /// The supported text, of the block with this number.
    Text(usize, String),
    /// The text that had arrived, in bytes.
    Bytes(usize),
    /// Older versions do not say.
    Unknown,
}

impl Gateway {
    /// Reads what stands beside the text in a body or a chunk. `place` is its JSON pointer, and `said` the length of the text
    /// that arrived with it and before it, in bytes. Returns whether anything new was found.
    pub(super) fn read(&mut self, json: &str, place: &str, said: usize, warnings: &mut Vec<Entry>) -> bool {
        if !FINDERS.iter().any(|name| name.find(json.as_bytes()).is_some()) {
            return false;
        }
        let Ok(body) = serde_json::from_str::<Value>(json) else { return false };
        let choices = body["choices"].as_array().into_iter().flatten().enumerate();
        let mut choices = choices.filter(|(_, choice)| choice["index"].as_u64().unwrap_or_default() == 0);
        let first = choices.next();
        let message = first.and_then(|(at, choice)| {
            let name = ["message", "delta"].into_iter().find(|name| choice[*name].is_object())?;
            Some((format!("{place}/choices/{at}/{name}"), &choice[name]))
        });
        let mut is_new = false;
        for (number, row) in ROWS.iter().enumerate() {
            let base = match row.base {
                Base::Body => Some((place.to_owned(), &body)),
                Base::Message => message.clone(),
                Base::Text => None,
            };
            let Some((pointer, base)) = base else { continue };
            let mut entries = Vec::new();
            walk(base, row.path, &pointer, &mut entries);
            is_new |= self.take(number, entries, warnings);
        }
        let choice = first.map(|(at, choice)| (format!("{place}/choices/{at}"), choice));
        let specific = message.as_ref().map(|(pointer, message)| (format!("{pointer}/{SPECIFIC}"), &message[SPECIFIC]));
        let holders = [Some((place.to_owned(), &body)), choice, message, specific.clone()];
        for (pointer, holder) in holders.into_iter().flatten() {
            is_new |= self.ground(&holder[GROUNDING], &format!("{pointer}/{GROUNDING}"), json);
        }
        if let Some((pointer, specific)) = specific {
            is_new |= self.cite(specific, &pointer, said);
        }
        is_new
    }

    /// Takes the entries that tags of this name in the text have. `pointer` is that of the text.
    pub(super) fn read_tags(
        &mut self,
        name: &str,
        entries: &[Value],
        pointer: &str,
        warnings: &mut Vec<Entry>,
    ) -> bool {
        let row = ROWS.iter().position(|row| row.base == Base::Text && row.path == [name]);
        let entries = entries.iter().map(|entry| (pointer.to_owned(), entry)).collect();
        row.is_some_and(|row| self.take(row, entries, warnings))
    }

    /// Takes the entries of a list that are new. Chunks may repeat the list, and it may grow.
    fn take(&mut self, row: usize, entries: Vec<(String, &Value)>, warnings: &mut Vec<Entry>) -> bool {
        if entries.is_empty() {
            return false;
        }
        let counts = ROWS[row].counts;
        let list = self.lists.entry(row).or_default();
        let same = list.entries.iter().zip(&entries).take_while(|(known, (_, entry))| known == entry).count();
        // A delta may also have a part of the list that stands alone.
        let is_apart = same < list.entries.len();
        let before = list.entries.len();
        for (pointer, entry) in entries.into_iter().skip(same) {
            if !list.seen.insert(entry.to_string()) && is_apart {
                continue;
            }
            let mut source = source(entry, &pointer, warnings);
            let name = pointer.rsplit('/').next().unwrap_or_default();
            source.marker = match counts {
                Counts::FromZero => Some(format!("[ID:{name}]")),
                Counts::Named(member) => named(&entry[member]),
                Counts::Places | Counts::Nothing => None,
            };
            list.entries.push(entry.clone());
            list.sources.push(source);
        }
        list.entries.len() > before
    }

    /// Takes Gemini's grounding: an object, or a list with one for each candidate, of which the first is the answer's.
    fn ground(&mut self, metadata: &Value, pointer: &str, json: &str) -> bool {
        let (metadata, pointer) = match metadata {
            Value::Array(list) => match list.first() {
                Some(first) => (first, format!("{pointer}/0")),
                None => return false,
            },
            Value::Object(_) => (metadata, pointer.to_owned()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return false,
        };
        let Ok(grounding) = serde_json::from_value::<Grounding>(metadata.clone()) else { return false };
        let grounding = grounding.standing_at(&pointer, json);
        match &mut self.grounding {
            Some(known) => known.renew(grounding),
            none => *none = Some(grounding),
        }
        true
    }

    /// Takes citations of Claude: a list for each block of the text, or in a stream, one behind the text that it supports.
    fn cite(&mut self, specific: &Value, pointer: &str, said: usize) -> bool {
        let before = self.cited.len();
        for (at, block) in specific["citations"].as_array().into_iter().flatten().enumerate() {
            for (n, citation) in block.as_array().into_iter().flatten().enumerate() {
                let text = citation["supported_text"].as_str().map(str::to_owned);
                let behind = text.map_or(Behind::Unknown, |text| Behind::Text(at, text));
                let pointer = format!("{pointer}/citations/{at}/{n}");
                self.cited.push(Cited { pointer, citation: citation.clone(), behind });
            }
        }
        if specific["citation"].is_object() {
            let citation = specific["citation"].clone();
            self.cited.push(Cited { pointer: format!("{pointer}/citation"), citation, behind: Behind::Bytes(said) });
        }
        self.cited.len() > before
    }

    /// Whether numbers in the text may count a list.
    pub(super) fn is_counted(&self) -> bool {
        self.lists.keys().any(|row| ROWS[*row].counts != Counts::Nothing)
    }

    /// Whether Gemini's grounding has the places, which LiteLLM repeats as annotations in another unit.
    pub(super) fn has_places(&self) -> bool {
        self.grounding.as_ref().is_some_and(Grounding::has_supports)
    }

    /// Adds the sources that markers count, and the cited ones. Returns those that were used for the answer, and of them the
    /// ones that the provider attests by citing them.
    pub(super) fn add_used(&mut self, part: usize, annotated: &mut Annotated, answer: (&str, &mut Vec<Entry>)) -> Used {
        let (text, warnings) = answer;
        let mut used = Used::default();
        let mut is_first = true;
        for (number, row) in ROWS.iter().enumerate() {
            if row.counts == Counts::Nothing {
                continue;
            }
            let Some(list) = self.lists.remove(&number) else { continue };
            for source in list.sources {
                // Numbers count the entries of the first list, so equal ones are not merged.
                let index = if is_first { annotated.sources.entry(source) } else { annotated.sources.page(source) };
                if row.is_used {
                    used.all.push(index);
                }
            }
            is_first = false;
        }
        let before = annotated.sources.len();
        if let Some(grounding) = self.grounding.take() {
            grounding.annotate(&[part], annotated, warnings);
        }
        used.all.extend((before..annotated.sources.len()).map(SourceIndex));
        used.attested = cite_blocks(std::mem::take(&mut self.cited), part, annotated, (text, warnings));
        used.all.extend(&used.attested);
        used
    }

    /// The sources that were only found.
    pub(super) fn into_found(self) -> impl Iterator<Item = Source> {
        self.lists.into_values().flat_map(|list| list.sources)
    }
}

/// Sources of an answer by what the service says of them.
#[derive(Debug, Default)]
pub(super) struct Used {
    pub(super) all: Vec<SourceIndex>,
    pub(super) attested: Vec<SourceIndex>,
}

/// Cites each source behind the text that it supports. Returns the sources.
fn cite_blocks(
    cited: Vec<Cited>,
    part: usize,
    annotated: &mut Annotated,
    (text, warnings): (&str, &mut Vec<Entry>),
) -> Vec<SourceIndex> {
    let mut found_pages = FoundPages::default();
    let mut sources = Vec::new();
    // The blocks follow each other in the text, and may say the same.
    let (mut block, mut end) = (None, 0);
    for Cited { pointer, citation, behind } in cited {
        let Ok(citation) = serde_json::from_value::<WireCitation>(citation) else { continue };
        let Some(source) = citation.cite(&mut annotated.sources, &mut found_pages, pointer.clone(), warnings) else {
            continue;
        };
        sources.push(source);
        let at = match behind {
            Behind::Bytes(bytes) => Some(bytes),
            Behind::Text(number, _) if block == Some(number) => Some(end),
            Behind::Text(number, supported) => {
                let found = text.get(end..).and_then(|rest| rest.find(&supported));
                end = found.map_or(end, |at| end + at + supported.len());
                block = Some(number);
                found.map(|_| end)
            }
            Behind::Unknown => None,
        };
        if let Some(at) = at {
            // A stream does not tell where the supported text began, so a whole answer is cited at its end, too.
            annotated.point(part, at, Unit::Utf8, vec![source], pointer);
        }
    }
    sources
}

/// Collects the entries of the lists at a path, with their JSON pointers. An object of objects is a list with names.
fn walk<'v>(value: &'v Value, path: &[&str], pointer: &str, entries: &mut Vec<(String, &'v Value)>) {
    let Some((name, rest)) = path.split_first() else {
        match value {
            Value::Array(list) => {
                // A list of lists is something else: LiteLLM's citations of Claude.
                let list = list.iter().enumerate().filter(|(_, entry)| !entry.is_array());
                entries.extend(list.map(|(at, entry)| (format!("{pointer}/{at}"), entry)));
            }
            Value::Object(named) if pointer.ends_with("/chunks") && is_named_list(named) => {
                entries.extend(named.iter().map(|(name, entry)| (format!("{pointer}/{}", escaped(name)), entry)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
        }
        return;
    };
    if *name != "*" {
        return walk(&value[*name], rest, &format!("{pointer}/{name}"), entries);
    }
    for (at, value) in value.as_array().into_iter().flatten().enumerate() {
        walk(value, rest, &format!("{pointer}/{at}"), entries);
    }
}

/// Whether an object holds only objects, as RAGFlow's agents have their chunks.
fn is_named_list(named: &Map<String, Value>) -> bool {
    !named.is_empty() && named.values().all(Value::is_object)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The marker that an entry names: `ref_1` → `[ref_1]`.
fn named(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().trim_matches(['[', ']']).to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then(|| format!("[{text}]"))
}
