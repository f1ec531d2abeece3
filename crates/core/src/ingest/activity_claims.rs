//! Claims of an activity, as clients read them: in `citation` of the Message entity, or as entities of their own. A member of
//! the wrong type counts as absent, and one value may stand where a list is usual.

use std::collections::HashMap;

use serde_json::Value;

use super::adaptive_card::{ADAPTIVE_CARD, card_text};
use super::location::{Located, web_url};
use super::manifest::WireLabel;
use crate::answer::{Interpreter, SensitivityLabel, Source, passages_in};
use crate::report::Entry;
use crate::url::WebUrl;

/// The deepest node that a reference finds.
const MAX_DEPTH: usize = 16;

/// The claims and the label in the entities of an activity.
#[derive(Debug, Default)]
pub(super) struct Claims {
    all: Vec<Claim>,
    by_position: HashMap<String, usize>,
    by_id: HashMap<String, usize>,
    /// The text of the Message entity.
    pub(super) text: Option<String>,
    pub(super) label: Option<SensitivityLabel>,
    pub(super) interpreter: Option<Interpreter>,
}

/// One claim, with the label of the definition that leads to it.
#[derive(Debug)]
struct Claim {
    position: Option<String>,
    source: Source,
}

/// The nodes with a blank name, by that name. A reference holds only the name.
#[derive(Default)]
struct Nodes<'v>(HashMap<&'v str, &'v Value>);

impl<'v> Nodes<'v> {
    fn gather(&mut self, value: &'v Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Object(members) => {
                if let Some(id) = members.get("@id").and_then(Value::as_str).filter(|id| id.starts_with("_:"))
                    && members.len() > 1
                {
                    self.0.entry(id).or_insert(value);
                }
                members.values().for_each(|member| self.gather(member, depth + 1));
            }
            Value::Array(list) => list.iter().for_each(|entry| self.gather(entry, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn follow(&self, value: &'v Value) -> &'v Value {
        let named = value["@id"].as_str().filter(|_| value.as_object().is_some_and(|members| members.len() == 1));
        named.and_then(|id| self.0.get(id).copied()).unwrap_or(value)
    }
}

/// The first value where a list is given, else the value.
fn one<'v>(thing: &'v Value, name: &str) -> &'v Value {
    let value = &thing[name];
    value.as_array().map_or(value, |list| list.first().unwrap_or(&Value::Null))
}

/// The entries of a list, or one value as a list, each with its pointer below `thing`.
fn many<'v>(thing: &'v Value, name: &str) -> Vec<(String, &'v Value)> {
    let value = &thing[name];
    match value.as_array() {
        Some(list) => list.iter().enumerate().map(|(at, entry)| (format!("/{name}/{at}"), entry)).collect(),
        None if value.is_null() => Vec::new(),
        None => vec![(format!("/{name}"), value)],
    }
}

fn text(thing: &Value, name: &str) -> Option<String> {
    one(thing, name).as_str().map(str::to_owned).filter(|text| !text.trim().is_empty())
}

fn is_a(thing: &Value, kind: &str) -> bool {
    let name = |name: &str| thing[name].as_str().unwrap_or_default();
    name("@type") == kind || name("type").strip_suffix(kind).is_some_and(|before| before.ends_with("schema.org/"))
}

/// Two labels of definitions are the same without regard to case and blanks.
pub(super) fn normalized(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Claims {
    /// The claims in `entities` of the activity at `pointer`.
    pub(super) fn of(entities: &Value, pointer: &str, warnings: &mut Vec<Entry>) -> Self {
        let mut nodes = Nodes::default();
        nodes.gather(entities, 0);
        let mut claims = Self::default();
        for (at, entity) in entities.as_array().map(Vec::as_slice).unwrap_or_default().iter().enumerate() {
            let place = format!("{pointer}/entities/{at}");
            if is_a(entity, "Claim") {
                claims.add(entity, place, &nodes, warnings);
            } else if is_a(entity, "Message") {
                claims.text = claims.text.take().or_else(|| text(entity, "text"));
                let label = read_label(nodes.follow(one(entity, "usageInfo")), &place, warnings);
                claims.label = claims.label.take().or(label);
                // Some bots write `citations`.
                for (below, claim) in many(entity, "citation").into_iter().chain(many(entity, "citations")) {
                    claims.add(nodes.follow(claim), format!("{place}{below}"), &nodes, warnings);
                }
            }
        }
        claims
    }

    fn add(&mut self, claim: &Value, pointer: String, nodes: &Nodes<'_>, warnings: &mut Vec<Entry>) {
        if !claim.is_object() {
            return;
        }
        let by = nodes.follow(one(claim, "claimInterpreter"));
        if let Some(slogan) = text(by, "slogan").or_else(|| text(by, "name")).filter(|_| self.interpreter.is_none()) {
            let Located { url, .. } = web_url(text(by, "url"), || format!("{pointer}/claimInterpreter/url"), warnings);
            self.interpreter = Some(Interpreter::new(slogan, url));
        }
        let position = match one(claim, "position") {
            Value::String(text) => Some(normalized(text)),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        if let Some(id) = text(claim, "@id") {
            self.by_id.entry(id).or_insert(self.all.len());
        }
        let source = read_source(claim, nodes, pointer, warnings);
        self.push(position.filter(|position| !position.is_empty()), source);
    }

    /// Adds a source at a position. A position that is taken keeps its source.
    fn push(&mut self, position: Option<String>, source: Source) {
        let at = self.all.len();
        let position = position.filter(|position| *self.by_position.entry(position.clone()).or_insert(at) == at);
        self.all.push(Claim { position, source });
    }

    /// Gives the definition `[label]: target "title"` of the text at `pointer` to its claim. A number, or an address only
    /// for citations, makes a source of its own. Returns whether the definition is one of a citation.
    pub(super) fn define(&mut self, label: &str, target: &str, title: Option<&str>, pointer: &str) -> bool {
        let label = normalized(label);
        let unplaced = |at: &usize| self.all[*at].position.is_none();
        let known = self.by_position.get(&label).or_else(|| self.by_id.get(target).filter(|at| unplaced(at)));
        let at = match known.copied() {
            Some(at) => at,
            None if label.bytes().all(|byte| byte.is_ascii_digit()) || target.starts_with("cite:") => {
                let source = Source { pointer: pointer.to_owned(), ..Source::default() };
                self.push(Some(label.clone()), source);
                self.all.len() - 1
            }
            None => return false,
        };
        let claim = &mut self.all[at];
        if claim.position.is_none() {
            self.by_position.insert(label.clone(), at);
            claim.position = Some(label);
        }
        let source = &mut claim.source;
        source.url = source.url.take().or_else(|| target.parse().ok());
        source.title = source.title.take().or_else(|| title.map(str::to_owned));
        true
    }

    /// The sources in the order of their positions; those without one come last.
    pub(super) fn into_sources(mut self) -> Vec<Source> {
        let number = |claim: &Claim| claim.position.as_ref().map(|position| position.parse().unwrap_or(usize::MAX - 1));
        self.all.sort_by_key(|claim| number(claim).unwrap_or(usize::MAX));
        let sources = self.all.into_iter().map(|Claim { position, mut source }| {
            source.marker = position.as_ref().map(|position| format!("[{position}]"));
            source.id = position;
            source
        });
        sources.collect()
    }
}

/// The source of a claim. Old claims have the members of `appearance` themselves.
fn read_source(claim: &Value, nodes: &Nodes<'_>, pointer: String, warnings: &mut Vec<Entry>) -> Source {
    let document = nodes.follow(one(claim, "appearance"));
    let fact = |name: &str| text(document, name).or_else(|| text(claim, name));
    let id = text(claim, "@id").filter(|id| id.parse::<WebUrl>().is_ok());
    let Located { url, filepath, address } =
        web_url(fact("url").or(id), || format!("{pointer}/appearance/url"), warnings);
    let usage = [document, claim].into_iter().map(|thing| nodes.follow(one(thing, "usageInfo")));
    let usage = usage.into_iter().find(|usage| usage.is_object()).unwrap_or(&Value::Null);
    let format = fact("encodingFormat");
    let text_of_dialog = fact("text");
    let shown = text_of_dialog.as_deref().and_then(|text| passages_in(text, url.as_ref()));
    let content = passage(fact("abstract"), shown.map(str::to_owned), format.as_deref());
    let keywords = many(document, "keywords").into_iter();
    let keywords = keywords.filter_map(|(_, word)| Some(word.as_str().or_else(|| word["name"].as_str())?.to_owned()));
    Source {
        title: text(claim, "name").or_else(|| text(document, "name")).or_else(|| text(claim, "alternateName")),
        url,
        address,
        filepath,
        content,
        media_type: format.filter(|format| format != ADAPTIVE_CARD),
        modified: fact("dateModified"),
        author: fact("editor").or_else(|| text(one(document, "editor"), "name")),
        keywords: keywords.collect(),
        icon: text(one(document, "image"), "name"),
        label: read_label(usage, &pointer, warnings),
        pointer,
        ..Source::default()
    }
}

/// The passage. `text` is Markdown that repeats the abstract or says more, or a card for Teams.
fn passage(summary: Option<String>, text: Option<String>, format: Option<&str>) -> Option<String> {
    let Some(text) = text else { return summary };
    let card = Some(&text).filter(|_| format == Some(ADAPTIVE_CARD)).and_then(|text| serde_json::from_str(text).ok());
    if let Some(card) = card {
        return Some(card_text(&card)).filter(|text| !text.is_empty()).or(summary);
    }
    let bare = text.replace("&lt;", "<").replace("&amp;", "&");
    if summary.as_ref().is_some_and(|summary| summary.trim() == bare.trim()) {
        return summary;
    }
    Some(if format.is_some_and(|format| format.starts_with("text/plain")) { bare } else { text })
}

/// The label in a `usageInfo`; `None` if it is none, or a reference to a node that is not there.
fn read_label(usage: &Value, pointer: &str, warnings: &mut Vec<Entry>) -> Option<SensitivityLabel> {
    let is_described = usage.as_object().is_some_and(|members| members.keys().any(|name| name != "@id"));
    if !is_described {
        return None;
    }
    let has_lock = |word: &str| {
        ["encrypted-content", "EncryptedContent", "HasEncryption"].iter().any(|lock| lock.eq_ignore_ascii_case(word))
    };
    let pattern = one(usage, "pattern");
    let label = WireLabel {
        id: text(usage, "@id").map(|id| id.strip_prefix("_:").unwrap_or(&id).to_owned()),
        name: text(usage, "name"),
        description: text(usage, "description"),
        priority: None,
        color: text(pattern, "termCode"),
        encrypted: Some(many(usage, "keywords").iter().any(|(_, word)| word.as_str().is_some_and(has_lock))),
    };
    Some(label.into_label(&format!("{pointer}/usageInfo"), warnings))
}
