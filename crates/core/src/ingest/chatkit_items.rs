//! The items of a thread of [OpenAI ChatKit](https://openai.github.io/chatkit-python/), as they come whole or grow.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::annotated::Annotated;
use super::chatkit_source::{Annotation, Task};
use super::json::{self, entries, text_or_number};
use super::span::Unit;
use crate::answer::Answer;
use crate::report::{Entry, Kind};

/// An item. Its content is read only in a message of the assistant; in others it may be anything.
#[derive(Default, Deserialize)]
pub(super) struct WireItem {
    id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    created_at: Option<String>,
    #[serde(default)]
    content: Value,
    workflow: Option<Workflow>,
    task: Option<Task>,
}

#[derive(Default, Deserialize)]
struct Workflow {
    #[serde(default, deserialize_with = "entries")]
    tasks: Vec<Task>,
}

/// A change of an item, by its type.
#[derive(Deserialize)]
pub(super) struct Update {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    content_index: u64,
    delta: Option<String>,
    content: Option<WirePart>,
    annotation: Option<Annotation>,
    annotation_index: Option<u64>,
    #[serde(default)]
    task_index: u64,
    task: Option<Task>,
}

#[derive(Default, Deserialize)]
struct WirePart {
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    annotations: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Parts(#[serde(deserialize_with = "entries")] Vec<WirePart>);

/// A thing that stands in a list, by its place, with its JSON pointer.
type Placed<T> = BTreeMap<u64, (T, String)>;

/// A text with its annotations.
#[derive(Debug, Default)]
struct Part {
    text: String,
    annotations: Placed<Annotation>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    Asked,
    Answers,
    #[default]
    Other,
}

/// An item that has arrived, whole or in part.
#[derive(Debug, Default)]
pub(super) struct Item {
    id: String,
    role: Role,
    created_at: String,
    pointer: String,
    parts: BTreeMap<u64, Part>,
    tasks: Placed<Task>,
    is_done: bool,
}

impl WireItem {
    /// Reads an item at `pointer` of the event at `place`.
    ///
    /// # Errors
    /// When the content of a message of the assistant has another shape.
    pub(super) fn into_item(self, place: &str, pointer: &str, is_done: bool) -> Result<Item, IngestError> {
        let Self { id, kind, created_at, content, workflow, task } = self;
        let role = match kind.as_deref() {
            Some("assistant_message") => Role::Answers,
            Some("user_message") => Role::Asked,
            Some(_) | None => Role::Other,
        };
        let (full, mut parts) = (format!("{place}{pointer}"), Vec::new());
        if role == Role::Answers && !content.is_null() {
            Parts(parts) = json::member(content, &format!("{pointer}/content"))?;
        }
        let parts = (0..).zip(parts);
        let parts = parts.map(|(at, part)| (at, part.into_part(&format!("{full}/content/{at}")))).collect();
        let tasks = workflow.into_iter().flat_map(|workflow| workflow.tasks).enumerate();
        let tasks = tasks.map(|(at, task)| (task, format!("{full}/workflow/tasks/{at}")));
        let tasks = (0..).zip(tasks.chain(task.map(|task| (task, format!("{full}/task"))))).collect();
        let (id, created_at) = (id.unwrap_or_default(), created_at.unwrap_or_default());
        Ok(Item { id, role, created_at, pointer: full, parts, tasks, is_done })
    }
}

impl WirePart {
    fn into_part(self, pointer: &str) -> Part {
        let annotations = (0..).zip(self.annotations);
        let annotations = annotations.map(|(at, annotation)| (at, (annotation, format!("{pointer}/annotations/{at}"))));
        Part { text: self.text.unwrap_or_default(), annotations: annotations.collect() }
    }
}

impl Part {
    /// Takes over the annotations of a part that this one repeats without them, as servers do when a text ends.
    fn keep(&mut self, known: Self) {
        if self.annotations.is_empty() {
            self.annotations = known.annotations;
        }
    }
}

impl Item {
    fn text(&self) -> String {
        self.parts.values().map(|part| part.text.as_str()).collect()
    }

    fn answers(&self) -> bool {
        self.role == Role::Answers && self.parts.values().any(|part| !part.text.is_empty())
    }

    fn has_sources(&self) -> bool {
        self.parts.values().any(|part| !part.annotations.is_empty())
            || self.tasks.values().any(|(task, _)| !task.sources.is_empty())
    }

    fn update(&mut self, update: Update, place: &str) {
        let Update { kind, content_index, delta, content, annotation, annotation_index, task_index, task } = update;
        let pointer = format!("{place}/update");
        if let Some(task) = task {
            self.tasks.insert(task_index, (task, format!("{pointer}/task")));
        }
        if kind.is_none_or(|kind| !kind.starts_with("assistant_message.")) {
            return;
        }
        self.role = Role::Answers;
        let part = self.parts.entry(content_index).or_default();
        if let Some(content) = content {
            let known = std::mem::replace(part, content.into_part(&format!("{pointer}/content")));
            part.keep(known);
        }
        part.text.push_str(&delta.unwrap_or_default());
        if let Some(annotation) = annotation {
            let next = part.annotations.last_key_value().map_or(0, |(at, _)| at.saturating_add(1));
            part.annotations.insert(annotation_index.unwrap_or(next), (annotation, format!("{pointer}/annotation")));
        }
    }
}

/// The items of a thread.
#[derive(Debug, Default)]
pub(super) struct Items(Vec<Item>);

impl Items {
    /// Adds an item, or puts it in the place of the one with its id. If the item only `continues` that one, annotations
    /// that it lacks stay.
    pub(super) fn put(&mut self, mut item: Item, continues: bool) {
        let Some(known) = self.0.iter_mut().find(|known| !item.id.is_empty() && known.id == item.id) else {
            self.0.push(item);
            return;
        };
        for (at, part) in std::mem::take(&mut known.parts).into_iter().filter(|_| continues) {
            if let Some(renewed) = item.parts.get_mut(&at) {
                renewed.keep(part);
            }
        }
        *known = item;
    }

    pub(super) fn update(&mut self, id: &str, update: Update, place: &str) {
        let at = self.0.iter().position(|item| item.id == id).unwrap_or_else(|| {
            self.0.push(Item { id: id.to_owned(), pointer: place.to_owned(), ..Item::default() });
            self.0.len() - 1
        });
        self.0[at].update(update, place);
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.0.retain(|item| item.id != id);
    }

    /// The newest message of the assistant with a text.
    fn answer(&self) -> Option<&Item> {
        let answers = self.0.iter().filter(|item| item.answers());
        answers.max_by(|one, other| one.created_at.cmp(&other.created_at))
    }

    /// The text of the answer.
    pub(super) fn text(&self) -> String {
        self.answer().map(Item::text).unwrap_or_default()
    }

    /// Whether a message cites sources, or a search consulted some.
    pub(super) fn has_sources(&self) -> bool {
        self.0.iter().any(Item::has_sources)
    }

    /// Whether the answer has arrived as a whole.
    pub(super) fn is_answered(&self) -> bool {
        self.answer().is_some_and(|answer| answer.is_done)
    }

    /// Sorts the items, oldest first. Pages may have the newest first.
    fn sort(&mut self) {
        if let [first, .., last] = self.0.as_slice()
            && !last.created_at.is_empty()
            && first.created_at > last.created_at
        {
            self.0.reverse();
        }
        self.0.sort_by(|one, other| one.created_at.cmp(&other.created_at));
    }

    /// Writes text, sources and citations to the answer. Returns whether there is one.
    pub(super) fn finish(mut self, answer: &mut Answer) -> bool {
        self.sort();
        let Some(at) = self.0.iter().rposition(Item::answers) else { return false };
        let is_asked = |item: &Item| item.role == Role::Asked;
        if let Some(asked) = self.0[at..].iter().find(|item| is_asked(item)) {
            let message = "this message of the user is newer than the answer, which may be that to an older one";
            answer.warnings.push(Entry::in_input(Kind::Note, "unanswered", asked.pointer.clone(), message));
        }
        let start = self.0[..at].iter().rposition(is_asked).map_or(0, |asked| asked + 1);
        for step in self.0[start..at].iter().filter(|item| item.answers()) {
            let message = "this message came before the newest one, which is the answer; its text is left out";
            answer.warnings.push(Entry::in_input(Kind::Note, "step-left-out", step.pointer.clone(), message));
        }
        let end = self.0[at..].iter().position(is_asked).map_or(self.0.len(), |asked| at + asked);
        let tasks = self.0[start..end].iter_mut().flat_map(|item| std::mem::take(&mut item.tasks).into_values());
        let tasks: Vec<(Task, String)> = tasks.filter(|(task, _)| !task.sources.is_empty()).collect();
        let Item { parts, is_done, .. } = self.0.swap_remove(at);
        let searched = !tasks.is_empty();
        let mut annotated = Annotated::default();
        answer.text.clear();
        for part in parts.into_values() {
            part.annotate(&mut annotated, answer);
        }
        // Pages that were only seen come last (rule N-02).
        for (task, pointer) in tasks {
            for (at, source) in task.sources.into_iter().enumerate() {
                source.add(&mut annotated.sources, format!("{pointer}/sources/{at}"), &mut answer.warnings);
            }
        }
        annotated.finish(answer);
        answer.tools_invoked = (searched || !answer.sources.is_empty()).then_some(true);
        // A broken stream ends before the message is done.
        answer.complete = answer.error.is_none() && is_done;
        true
    }
}

impl Part {
    fn annotate(self, annotated: &mut Annotated, answer: &mut Answer) {
        let part = annotated.begin_part();
        annotated.grow(self.text.len());
        answer.text.push_str(&self.text);
        for (Annotation { source, index }, pointer) in self.annotations.into_values() {
            let Some(source) = source else { continue };
            let source = source.add(&mut annotated.sources, format!("{pointer}/source"), &mut answer.warnings);
            match index {
                Some(at) => annotated.point(part, at, Unit::Char, vec![source], pointer),
                None if answer.attested.contains(&source) => {}
                None => answer.attested.push(source),
            }
        }
    }
}
