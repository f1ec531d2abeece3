//! Reads a whole answer by a mapping.

use serde_json::Value;

use super::super::{IngestError, json, thinking};
use super::mapping::Mapping;
use super::oddities::Oddities;
use super::path::{Found, Path, shown};
use super::spans::{Part, citations};
use crate::answer::{Answer, Source, TakenOut};
use crate::report::{Entry, Kind};

impl Mapping {
    /// Reads a whole answer.
    ///
    /// # Errors
    /// When the body is not JSON, when it has an error where the mapping says, or when it has no text.
    pub(crate) fn parse(&self, body: &str) -> Result<Answer, IngestError> {
        let mut value: Value = json::read(body)?;
        self.open_json(&mut value);
        self.read(&value)
    }

    /// Whether a whole answer has everything by which `auto` chooses this mapping.
    pub(crate) fn recognizes(&self, value: &Value) -> bool {
        !self.recognize.is_empty() && self.recognize.iter().all(|path| path.is_in(value))
    }

    /// Whether a list is a whole answer, and not a list of events.
    pub(crate) fn reads_list(&self, value: &Value) -> bool {
        self.stream.is_none() || self.text.iter().any(|path| path.is_in(value))
    }

    /// Puts the content of strings that hold JSON in their place.
    pub(super) fn open_json(&self, value: &mut Value) {
        for path in &self.json_in {
            let found: Vec<String> = path.find(value, "").into_iter().map(|found| found.pointer).collect();
            for pointer in found {
                let Some(place) = value.pointer_mut(&pointer) else { continue };
                if let Some(inner) = place.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) {
                    *place = inner;
                }
            }
        }
    }

    pub(super) fn read(&self, value: &Value) -> Result<Answer, IngestError> {
        let error = self.error(value);
        let (text, parts) = match self.text(value) {
            Ok(text) => text,
            Err(reason) => return Err(error.map_or(reason, |found| json::error_instead(found.value))),
        };
        let reasoning = thinking::reasoning(&text);
        let said = text[reasoning..].to_owned();
        let mut answer = Answer { text: said, grammar: self.grammar, complete: error.is_none(), ..Answer::default() };
        answer.error = error.map(|found| json::provider_error(found.value));
        let mut odd = Oddities::default();
        answer.sources = self.sources(&self.sources, value, "", &mut answer.warnings, &mut odd);
        answer.warnings.extend(none_found("sources", &self.sources, value));
        if let Some(spans) = &self.spans {
            let found = spans.each.iter().flat_map(|path| path.find(value, ""));
            let found = found.map(|found| spans.read(&found, &mut odd)).collect();
            answer.warnings.extend(none_found("spans.each", &spans.each, value));
            answer.citations = citations(&text, reasoning, &parts, &answer.sources, found, &mut answer.warnings);
        }
        answer.warnings.extend(odd.entries());
        Ok(self.gave(answer))
    }

    /// The error that stands in place of an answer.
    fn error<'v>(&self, value: &'v Value) -> Option<Found<'v>> {
        let holds = |when: &Path| when.is_in(&Value::Array(vec![value.clone()]));
        let rules = self.error.iter().filter(|rule| rule.when.as_ref().is_none_or(holds));
        rules.flat_map(|rule| rule.path.find(value, "")).find(|found| is_error(found.value))
    }

    /// Completes an answer: its format, and without content that readers must not get.
    pub(super) fn gave(&self, mut answer: Answer) -> Answer {
        answer.provider = Some(self.name);
        answer.clean(TakenOut::default());
        answer
    }

    /// The text with its parts, which follow each other without separators (rule N-10).
    fn text(&self, value: &Value) -> Result<(String, Vec<Part>), IngestError> {
        let mut wrong = None;
        for path in &self.text {
            match text_at(path, value) {
                Ok((_, parts)) if parts.is_empty() => {}
                Ok(found) => return Ok(found),
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        Err(wrong.unwrap_or_else(|| IngestError::member("", self.without_text(value))))
    }

    fn without_text(&self, value: &Value) -> String {
        let Some(path) = self.text.first() else {
            return format!("the mapping {} reads streams alone: it has no `text`", self.name);
        };
        let there = path.missing(value, "").unwrap_or_else(|| "its list is empty".to_owned());
        format!("`text` ({}) of the mapping {} finds nothing: {there}", path.written(), self.name)
    }

    /// The sources that paths find, in order. `below` is the JSON pointer of `value`.
    pub(super) fn sources(
        &self,
        paths: &[Path],
        value: &Value,
        below: &str,
        notes: &mut Vec<Entry>,
        odd: &mut Oddities,
    ) -> Vec<Source> {
        let mut sources = Vec::new();
        for path in paths {
            for found in path.find(value, below) {
                let mut source = self.source.read(&found, notes, odd);
                if source.id.is_none() && self.source.id.is_empty() {
                    source.id = key(value, below, &found.pointer);
                }
                sources.push(source);
            }
        }
        sources
    }
}

/// The strings that a path finds, as one text with its parts; an error where it finds something else.
fn text_at(path: &Path, value: &Value) -> Result<(String, Vec<Part>), IngestError> {
    let (mut text, mut parts) = (String::new(), Vec::new());
    for Found { pointer, value } in path.find(value, "") {
        match value {
            Value::String(part) => {
                parts.push((pointer, text.len()..text.len() + part.len()));
                text.push_str(part);
            }
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                return Err(IngestError::member(pointer, no_text("text", path, value)));
            }
        }
    }
    Ok((text, parts))
}

/// The name under which an object of sources holds one of them, which is its id: `{"docs": {"a7": {…}}}`.
fn key(value: &Value, below: &str, pointer: &str) -> Option<String> {
    let (parent, name) = pointer.strip_prefix(below)?.rsplit_once('/')?;
    let siblings = value.pointer(parent)?.as_object()?;
    // An object with one source has a member for it, whose name says nothing of it.
    let is_list = siblings.len() > 1 && siblings.values().all(Value::is_object);
    is_list.then(|| name.replace("~1", "/").replace("~0", "~"))
}

/// Whether a value that stands where errors do is one.
pub(super) fn is_error(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

/// The message about a value that should be text.
pub(super) fn no_text(member: &str, path: &Path, value: &Value) -> String {
    let mend = match value {
        Value::Array(_) => format!("; write `{}[*]` for its entries", path.written()),
        Value::Object(_) => "; name the member of it that is the text".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => String::new(),
    };
    format!("`{member}` ({}) finds no string here: it {}{mend}", path.written(), shown(value))
}

/// A note for each path of a member, if none of them leads anywhere in a body. Where one leads to an empty list, there is
/// nothing to find.
fn none_found(member: &str, paths: &[Path], value: &Value) -> Vec<Entry> {
    if paths.iter().any(|path| path.leads_to_any(value)) {
        return Vec::new();
    }
    let note = |path: &Path| {
        let there = path.missing(value, "")?;
        let message = format!("`{member}` ({}) finds nothing: {there}", path.written());
        Some(Entry::in_input(Kind::Note, "mapping-empty", "", message))
    };
    paths.iter().filter_map(note).collect()
}
