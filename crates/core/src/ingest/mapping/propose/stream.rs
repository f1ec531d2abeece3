//! Proposes a mapping for a stream: the repeated event with a growing text, the event with sources, the last event.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;

use super::super::options::{EventOptions, MappingOptions, SoFar, StreamOptions};
use super::super::path::Path;
use super::super::several::Several;
use super::answers::{describe, likeness, source_lists};
use super::survey::{Survey, below, last_name, quoted};

/// The kind of an event: its name, or the member that tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct EventKind {
    name: String,
    /// The path of a member, and its value.
    member: Option<(String, String)>,
}

/// Members that tell the kind of an event.
const KINDS: [&str; 6] = ["type", "event", "kind", "action", "object", "stage"];

impl EventKind {
    fn of((name, value): &(String, Value)) -> Self {
        let member = if name.is_empty() { told("@", value).or_else(|| told_inside(value)) } else { None };
        Self { name: name.clone(), member }
    }

    /// The event with this path in it. Where only one kind has the path, the path alone tells.
    fn rule(&self, path: String, is_only: bool) -> EventOptions {
        if is_only && self.name.is_empty() {
            return EventOptions::path(path);
        }
        let event = Some(self.name.clone()).filter(|name| !name.is_empty());
        let when = self.member.as_ref().map(|(member, value)| format!("{member} == {}", quoted(value)));
        EventOptions { event, when, path: Some(path).filter(|path| path != "$" || self == &Self::default()) }
    }

    fn says(&self, words: &[&str]) -> bool {
        let said = self.member.as_ref().map_or(self.name.as_str(), |(_, value)| value.as_str()).to_lowercase();
        words.iter().any(|word| said.contains(word))
    }
}

/// The member of an object that tells its kind, and the value of it.
fn told(path: &str, value: &Value) -> Option<(String, String)> {
    KINDS.into_iter().find_map(|member| Some((below(path, member), value.get(member)?.as_str()?.to_owned())))
}

/// The member of an object in an event that tells the kind of the event: `{"obj": {"type": …}}`.
fn told_inside(event: &Value) -> Option<(String, String)> {
    event.as_object()?.iter().find_map(|(name, value)| told(&below("@", name), value))
}

/// The strings at one path in events of one kind, in order.
type Strings<'v> = BTreeMap<(EventKind, String), Vec<&'v str>>;

/// Proposes a mapping for the events of a stream. `None` where no text grows in them.
pub(super) fn propose(events: &[(String, Value)], has_sentinel: bool) -> Option<MappingOptions> {
    let mut strings = Strings::new();
    for event in events {
        let kind = EventKind::of(event);
        for (path, texts) in Survey::of(&event.1).strings {
            strings.entry((kind.clone(), path)).or_default().extend(texts);
        }
    }
    let (kind, path, text, so_far) = text(&strings)?;
    let is_only = strings.keys().filter(|(_, other)| *other == path).count() == 1;
    let text_rule = kind.rule(path, is_only);
    let mut options = MappingOptions::default();
    let mut survey = Survey::default();
    for (_, value) in events {
        survey.look_at(value, "$".to_owned());
    }
    let sources = source_lists(&survey).into_iter().next();
    describe(&mut options, &survey, sources, &text);
    let found = options.sources.0.first().and_then(|path| sources_of(events, path));
    if found.is_some() {
        options.sources = Several::default();
    }
    options.stream = StreamOptions {
        recognize: text_rule.clone().into(),
        text: text_rule.into(),
        text_so_far: if so_far { SoFar::Yes } else { SoFar::No },
        sources: found.into_iter().collect(),
        end: end(events, has_sentinel),
        ..StreamOptions::default()
    };
    Some(options)
}

/// The events that bring sources, where the path finds something else in events of other kinds.
fn sources_of(events: &[(String, Value)], path: &str) -> Option<EventOptions> {
    let parsed = Path::absolute(path).ok()?;
    let kinds = |has_sources: bool| {
        let of_kind = move |(_, value): &&(String, Value)| Survey::of(value).lists.contains_key(path) == has_sources;
        events.iter().filter(|(_, value)| !parsed.find(value, "").is_empty()).filter(of_kind).map(EventKind::of)
    };
    let kind = kinds(true).next()?;
    let others: Vec<EventKind> = kinds(false).collect();
    let is_told = !others.is_empty() && kinds(true).all(|other| other == kind) && !others.contains(&kind);
    is_told.then(|| kind.rule(path.to_owned(), false))
}

/// The path whose strings look most like a text in pieces, and the text.
fn text(strings: &Strings<'_>) -> Option<(EventKind, String, String, bool)> {
    let scored = strings.iter().filter_map(|((kind, path), pieces)| {
        let grows = pieces.len() > 1
            && pieces.windows(2).all(|pair| pair[1].starts_with(pair[0]))
            && pieces[0] != pieces[pieces.len() - 1];
        let text = if grows { pieces.last().map(|last| (*last).to_owned())? } else { pieces.concat() };
        let constant = pieces.len() > 1 && pieces.iter().all(|piece| *piece == pieces[0]);
        let told = if kind.says(&["delta", "token", "text", "answer", "message", "content", "chunk"]) { 10 } else { 0 };
        let not = if kind.says(&["reason", "think", "thought", "status", "tool", "log"]) { -100 } else { 0 };
        let repeated = i64::try_from(pieces.len()).unwrap_or(i64::MAX).min(20) * 4;
        let score = likeness(path, &text) + told + not + repeated;
        (score > 0 && !constant && pieces.len() > 1).then_some((score, kind, path, text, grows))
    });
    let best = scored.max_by_key(|(score, _, path, ..)| (*score, Reverse(path.len())))?;
    Some((best.1.clone(), best.2.clone(), best.3, best.4))
}

/// The end sign: the line `[DONE]`, else a kind of event that comes last and once, else a member that becomes true there.
fn end(events: &[(String, Value)], has_sentinel: bool) -> Several<EventOptions> {
    if has_sentinel {
        return EventOptions::path("[DONE]").into();
    }
    let Some((last, before)) = events.split_last() else { return Several::default() };
    let kind = EventKind::of(last);
    let is_once = !before.iter().any(|event| EventKind::of(event) == kind);
    if is_once && kind.says(&["done", "end", "complete", "finish", "stop", "final"]) {
        return kind.rule("$".to_owned(), false).into();
    }
    let late = events.len().saturating_sub(LATE);
    let at_end = (late..events.len()).rev().find_map(|at| sign(&events[at].1, &events[..at]));
    at_end.into_iter().collect()
}

/// The most events of which one has the end sign; behind it come statistics.
const LATE: usize = 3;

/// Names of members that become true, or get a word, when the answer ends.
const ENDS: [&str; 10] =
    ["done", "end", "final", "finished", "isfinal", "complete", "completed", "last", "finishreason", "stopreason"];

/// A member of an event that is set there for the first time, and that is called like an end sign.
fn sign(event: &Value, before: &[(String, Value)]) -> Option<EventOptions> {
    let (pointer, value) = signs(event, "")
        .into_iter()
        .find(|(pointer, _)| !before.iter().any(|(_, event)| event.pointer(pointer).is_some_and(is_set)))?;
    let path = pointer.split('/').skip(1).fold(String::new(), |path, name| match name.parse::<usize>() {
        Ok(place) => format!("{path}[{place}]"),
        Err(_) => below(&path, name),
    });
    match value.as_str() {
        // Before the end, writers put words such as "null" there.
        Some(word) => {
            Some(EventOptions { when: Some(format!("@{path} == {}", quoted(word))), ..EventOptions::default() })
        }
        None => Some(EventOptions::path(format!("${path}"))),
    }
}

fn is_set(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && !matches!(value.as_str(), Some("" | "null"))
}

/// The members of a value that are called like end signs and are set, with their JSON pointers.
fn signs<'v>(value: &'v Value, pointer: &str) -> Vec<(String, &'v Value)> {
    if let Some(first) = value.get(0) {
        return signs(first, &format!("{pointer}/0"));
    }
    let Some(members) = value.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in members.iter().filter(|(name, _)| !name.contains(['/', '~'])) {
        let pointer = format!("{pointer}/{name}");
        if value.is_object() || value.is_array() {
            found.extend(signs(value, &pointer));
        } else if ENDS.contains(&last_name(name).as_str()) && is_set(value) {
            found.push((pointer, value));
        }
    }
    found
}
