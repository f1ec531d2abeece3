//! Assistants: the sections `[assistants.NAME]` in the file, or the same as JSON in the environment.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Deserialize;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::error::{Fault, Origin};
use super::keys::given_secret;
use crate::assistant::{AssistantPlan, BackEnd, DOCS, DocumentsPlan};
use crate::channels::direct_line::Owner;
use crate::convert;
use crate::document::LibraryOptions;
use crate::upstream::UpstreamOptions;
use crate::url::WebUrl;

/// The key of the sections in the file.
pub(super) const KEY: &str = "assistants";

/// The table of a section that configures the back end.
pub(super) const UPSTREAM: &str = "upstream";

/// The kind without a back end: answers are sentences of the documents.
pub(super) const LOCAL: &str = "local";

/// The largest value of `max_turns`.
const MAX_TURNS: usize = 100_000;

/// The settings of an assistant, except its back end.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
#[schema(as = Assistant)]
pub(super) struct Section {
    /// The environment variable with the assistant's own Direct Line secret.
    secret_env: Option<String>,
    /// The file with that secret, instead of a variable.
    #[schema(value_type = Option<String>)]
    secret_file: Option<PathBuf>,
    /// Whether answers have citations. Without citations, passages have no numbers and readers see no sources.
    #[serde(alias = "EnableCitations")]
    enable_citations: Option<bool>,
    /// How readers can download cited documents without a URL: `none`, `authenticated` or `public`.
    #[serde(alias = "CitationLinkMode")]
    citation_link_mode: Option<String>,
    /// The instructions at the beginning of the system prompt.
    instructions: Option<String>,
    /// The context window of the model, in tokens.
    context_window: Option<u64>,
    /// How many tokens of earlier messages the model gets with a question; 0: none.
    history_tokens: Option<usize>,
    /// How many questions the assistant answers at the same time.
    #[schema(value_type = Option<usize>, minimum = 1)]
    max_turns: Option<NonZeroUsize>,
    /// The greeting for a user who joins a conversation.
    greeting: Option<String>,
    /// The text that readers see while the back end works.
    informative: Option<String>,
    /// The text instead of an answer that lacks the required grounding.
    refusal: Option<String>,
    /// The text instead of an answer if the back end fails before it sends any text.
    failure: Option<String>,
    /// The text instead of an answer if the back end is busy.
    busy: Option<String>,
    /// The conversion options of answers.
    #[serde(default)]
    #[schema(value_type = Option<convert::Options>)]
    options: convert::Options,
    /// The documents; required without a back end.
    documents: Option<Documents>,
}

/// The documents of an assistant.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
struct Documents {
    /// The folder. A relative path begins at the server's working directory.
    #[schema(value_type = String)]
    folder: PathBuf,
    /// The URL of the same folder on the web: citewire derives the URLs of documents from it.
    url: Option<String>,
    /// How many passages the model gets.
    passages: Option<usize>,
    /// The largest document in bytes. A larger document makes the folder invalid.
    max_document_bytes: Option<u64>,
    /// The largest total of all documents in bytes; citewire holds them in memory. A larger total makes the folder invalid.
    max_total_bytes: Option<u64>,
    /// The largest number of documents. More documents make the folder invalid.
    max_documents: Option<usize>,
    /// How deep subfolders may be nested.
    max_depth: Option<usize>,
}

/// The variable that holds assistants as JSON, in the shape of the file's sections: `{"hr": {"documents": {"folder":
/// "/srv/hr"}}}`.
pub(super) const VARIABLE: &str = "CITEWIRE_ASSISTANTS";

/// The sections from the environment.
pub(super) fn given(environment: &BTreeMap<String, String>, faults: &mut Vec<Fault>) -> Table {
    let Some(text) = environment.get(VARIABLE).filter(|text| !text.trim().is_empty()) else {
        return Table::new();
    };
    let reason = match serde_json::from_str(text) {
        Ok(Value::Table(given)) => return given,
        Ok(_) => "an object is required: {\"NAME\": {…}}, with the keys of [assistants.NAME] in a file".to_owned(),
        Err(error) => format!("this cannot be read as JSON without null: {error}"),
    };
    faults.push(Fault::new(Origin::Environment(VARIABLE.to_owned()), reason));
    Table::new()
}

/// Takes the assistants out of the file's table, without those of whose names some are given by the environment, and adds
/// these. Secrets stand in the environment, under the names that the sections give.
pub(super) fn take(
    table: &mut Table,
    given: Table,
    environment: &BTreeMap<String, String>,
    faults: &mut Vec<Fault>,
) -> Vec<AssistantPlan> {
    let in_file = match table.remove(KEY) {
        None => Table::new(),
        Some(Value::Table(sections)) => sections,
        Some(other) => {
            let reason = format!("sections are required ([assistants.NAME]), not a value of type {}", other.type_str());
            faults.push(Fault::new(Origin::File(KEY.to_owned()), reason));
            Table::new()
        }
    };
    let in_file = in_file.into_iter().filter(|(name, _)| !given.contains_key(name)).collect::<Table>();
    let at = |parts: &[&str]| parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    let mut plans = Vec::new();
    for (name, section) in in_file {
        match read(&name, section, environment) {
            Ok(plan) => plans.push(plan),
            Err(wrong) => faults.extend(
                wrong.into_iter().map(|(key, reason)| Fault::new(Origin::File(at(&[KEY, &name, &key])), reason)),
            ),
        }
    }
    for (name, section) in given {
        match read(&name, section, environment) {
            Ok(plan) => plans.push(plan),
            Err(wrong) => faults.extend(wrong.into_iter().map(|(key, reason)| {
                Fault::new(Origin::Environment(VARIABLE.to_owned()), format!("{}: {reason}", at(&[&name, &key])))
            })),
        }
    }
    plans
}

/// Reads a section, or says all that is wrong with it: keys in it, and reasons.
fn read(
    name: &str,
    section: Value,
    environment: &BTreeMap<String, String>,
) -> Result<AssistantPlan, Vec<(String, String)>> {
    let one = |key: &str, reason: String| vec![(key.to_owned(), reason)];
    let Value::Table(mut section) = section else {
        return Err(one("", "a section is required".to_owned()));
    };
    let mut faults = Vec::new();
    let mut wrong = |key: &str, reason: String| faults.push((key.to_owned(), reason));
    if let Err(error) = name.parse::<Owner>() {
        wrong("", error.to_string());
    }
    let back_end = match section.remove(UPSTREAM) {
        None => Some(BackEnd::Local),
        Some(Value::Table(upstream)) => read_back_end(upstream, &mut wrong),
        Some(other) => {
            wrong(UPSTREAM, format!("a section is required, not a value of type {}", other.type_str()));
            None
        }
    };
    let read: Result<Section, _> = serde_path_to_error::deserialize(Value::Table(section));
    let section = match read {
        Ok(section) => section,
        Err(error) => {
            let path = error.path().to_string();
            // The words of the parser may be over several lines.
            let reason = error.inner().message().trim_end().replace('\n', " ");
            wrong(if path == "." { "" } else { &path }, reason);
            return Err(faults);
        }
    };
    let (variable, file) = (section.secret_env.as_deref(), section.secret_file.as_deref());
    let secret = given_secret(environment, variable, file).unwrap_or_else(|reason| {
        wrong(if file.is_some() { "secret_file" } else { "secret_env" }, reason);
        None
    });
    let documents = section.documents.map(|documents| {
        let url = documents.url.and_then(|url| {
            url.parse::<WebUrl>()
                .map_err(|_| wrong("documents.url", "an address with http or https is required".to_owned()))
                .ok()
        });
        let mut library = LibraryOptions { base_url: url, ..LibraryOptions::new(documents.folder) };
        library.max_document_bytes = documents.max_document_bytes.unwrap_or(library.max_document_bytes);
        library.max_total_bytes = documents.max_total_bytes.unwrap_or(library.max_total_bytes);
        library.max_documents = documents.max_documents.unwrap_or(library.max_documents);
        library.max_depth = documents.max_depth.unwrap_or(library.max_depth);
        let mut plan = DocumentsPlan::new(library);
        plan.passages = documents.passages.unwrap_or(plan.passages);
        plan
    });
    if back_end == Some(BackEnd::Local) && documents.is_none() {
        wrong("documents", "documents are required without a back end: set folder = \"…\"".to_owned());
    }
    let Some(back_end) = back_end.filter(|_| faults.is_empty()) else {
        return Err(faults);
    };
    let mut plan = AssistantPlan { secret, documents, ..AssistantPlan::new(name, back_end) };
    let options = &mut plan.options;
    options.citations = section.enable_citations.unwrap_or(options.citations);
    options.link_mode = section.citation_link_mode.map_or(options.link_mode, |mode| {
        mode.parse().unwrap_or_else(|error| {
            // What is unknown acts like none (rule AH-07).
            plan.warnings.push(format!("citation_link_mode: {error}; documents are not linked"));
            options.link_mode
        })
    });
    options.instructions = section.instructions;
    options.context_window = section.context_window;
    options.history_tokens = section.history_tokens.unwrap_or(options.history_tokens);
    options.max_turns = section.max_turns.map(|limit| limit.get().min(MAX_TURNS));
    options.convert = section.options;
    for (given, option) in [
        (section.greeting, &mut options.greeting),
        (section.informative, &mut options.informative),
        (section.refusal, &mut options.refusal),
        (section.failure, &mut options.failure),
        (section.busy, &mut options.busy),
    ] {
        if let Some(given) = given {
            *option = given;
        }
    }
    Ok(plan)
}

fn read_back_end(mut upstream: Table, wrong: &mut impl FnMut(&str, String)) -> Option<BackEnd> {
    let kinds = || format!("{LOCAL}, {}", UpstreamOptions::KINDS.join(", "));
    let kind = match upstream.remove("kind") {
        Some(Value::String(kind)) => kind,
        Some(_) | None => {
            wrong("upstream.kind", format!("a kind is required: one of {}", kinds()));
            return None;
        }
    };
    if kind == LOCAL {
        if let Some(key) = upstream.keys().next() {
            wrong(&format!("{UPSTREAM}.{key}"), "there is no such setting".to_owned());
        }
        return Some(BackEnd::Local);
    }
    if !UpstreamOptions::KINDS.contains(&kind.as_str()) {
        wrong("upstream.kind", format!("unknown kind; the kinds are {}", kinds()));
        return None;
    }
    match UpstreamOptions::read(&kind, upstream) {
        Ok(options) => Some(BackEnd::Called(options)),
        Err(fault) => {
            wrong(UPSTREAM, fault.to_string());
            None
        }
    }
}

/// The name of the assistant that answers on the channel itself.
pub(super) fn of_channel(
    wished: Option<&str>,
    plans: &[AssistantPlan],
    has_bot: bool,
) -> Result<Option<String>, String> {
    match wished {
        Some("none") => Ok(None),
        Some(_) if has_bot => {
            Err("a bot already answers on the channel: leave out assistant or bot.endpoint".to_owned())
        }
        Some(name) if name == DOCS || plans.iter().any(|plan| plan.name == name) => Ok(Some(name.to_owned())),
        Some(_) => Err(format!("this assistant does not exist; known: {}", known(plans))),
        None if has_bot => Ok(None),
        None => match plans {
            [] => Ok(Some(DOCS.to_owned())),
            [plan] => Ok(plan.secret.is_none().then(|| plan.name.clone())),
            _ => {
                let mut open = plans.iter().filter(|plan| plan.secret.is_none());
                match (open.next(), open.next()) {
                    (Some(only), None) => Ok(Some(only.name.clone())),
                    (None, _) => Ok(None),
                    (Some(_), Some(_)) => Err(format!(
                        "choose the assistant of the channel with assistant = \"…\": {}, or none",
                        known(plans)
                    )),
                }
            }
        },
    }
}

/// Whether there is an assistant of this name, where one is named.
pub(super) fn named(name: Option<&str>, plans: &[AssistantPlan]) -> Result<(), String> {
    match name {
        Some(name) if name != DOCS && plans.iter().all(|plan| plan.name != name) => {
            Err(format!("this assistant does not exist; known: {}", known(plans)))
        }
        Some(_) | None => Ok(()),
    }
}

fn known(plans: &[AssistantPlan]) -> String {
    let names = plans.iter().map(|plan| plan.name.as_str()).chain([DOCS]);
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    names.join(", ")
}
