//! Surveys a body of an unknown format: its strings and its lists, by paths in which `[*]` stands for every place.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The most values that a survey looks at, so that a huge body costs no more than a large one.
const MAX_VALUES: usize = 100_000;

/// The most entries of one list that decide what its members mean.
const MAX_ENTRIES: usize = 200;

/// The strings and lists of a body.
#[derive(Debug, Default)]
pub(super) struct Survey<'v> {
    /// The strings at each path, in order.
    pub(super) strings: BTreeMap<String, Vec<&'v str>>,
    /// The entries of the lists at each path, and of objects that are used as lists.
    pub(super) lists: BTreeMap<String, Vec<&'v Value>>,
    seen: usize,
}

impl<'v> Survey<'v> {
    pub(super) fn of(value: &'v Value) -> Self {
        let mut survey = Self::default();
        survey.look_at(value, "$".to_owned());
        survey
    }

    /// Adds a value at a path.
    pub(super) fn look_at(&mut self, value: &'v Value, path: String) {
        self.seen += 1;
        if self.seen > MAX_VALUES {
            return;
        }
        match value {
            Value::String(text) => self.strings.entry(path).or_default().push(text),
            Value::Array(entries) => {
                let path = format!("{path}[*]");
                self.add_list(&path, entries.iter());
                for entry in entries {
                    self.look_at(entry, role(entry).map_or_else(|| path.clone(), |role| of_role(&path, &role)));
                }
            }
            Value::Object(members) => {
                let is_list = is_list(members);
                if is_list {
                    self.add_list(&format!("{path}.*"), members.values());
                }
                for (name, member) in members {
                    let path = if is_list { format!("{path}.*") } else { below(&path, name) };
                    self.look_at(member, path);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_list(&mut self, path: &str, entries: impl Iterator<Item = &'v Value>) {
        let list = self.lists.entry(path.to_owned()).or_default();
        let room = MAX_ENTRIES.saturating_sub(list.len());
        list.extend(entries.take(room));
    }
}

/// Whether an object is a list of others by name: they are alike, or their names are none that programs give to members.
fn is_list(members: &Map<String, Value>) -> bool {
    let mut objects = members.values().map(Value::as_object);
    let Some(Some(first)) = objects.next() else { return false };
    let is_alike = |other: Option<&Map<String, Value>>| {
        other.is_some_and(|other| other.keys().any(|name| first.contains_key(name)))
    };
    let is_odd =
        |name: &String| name.contains(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '$' | '@'));
    objects.all(is_alike) && (members.len() > 1 || members.keys().any(is_odd))
}

/// The condition by which the messages of one speaker differ from the others of a conversation.
pub(super) fn role(entry: &Value) -> Option<String> {
    let said = ["role", "sender", "type", "who", "speaker", "from"].into_iter();
    let by_word = |name| Some(format!("@.{name} == {}", quoted(entry.get(name)?.as_str()?)));
    let by_sign = |name| Some(format!("@.{name} == {}", entry.get(name)?.as_bool()?));
    said.clone().find_map(by_word).or_else(|| OF_USERS.into_iter().find_map(by_sign))
}

/// Members that say whether a message is the user's.
pub(super) const OF_USERS: [&str; 3] = ["isCreatedByUser", "is_user", "isUser"];

/// The path of the entries of a list that have this role.
fn of_role(list: &str, role: &str) -> String {
    format!("{}[?{role}]", list.strip_suffix("[*]").unwrap_or(list))
}

/// The path of a member.
pub(super) fn below(path: &str, name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_numeric()) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{}]", quoted(name))
    }
}

/// A string in a JSONPath.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The scalars in an entry of a list, at paths that begin with `@`. Lists of scalars count, lists of objects do not.
pub(super) fn leaves(entry: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    add_leaves(entry, "@".to_owned(), 0, &mut found);
    found
}

/// How deep the members of a source are searched.
const MAX_DEPTH: usize = 4;

fn add_leaves<'v>(value: &'v Value, path: String, depth: usize, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(members) if depth < MAX_DEPTH => {
            for (name, member) in members {
                add_leaves(member, below(&path, name), depth + 1, found);
            }
        }
        Value::Array(entries) if !entries.iter().any(|entry| entry.is_object() || entry.is_array()) => {
            found.extend(entries.iter().map(|entry| (format!("{path}[*]"), entry)));
        }
        Value::Object(_) | Value::Array(_) | Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push((path, value)),
    }
}

/// The last name of a path without case and signs, to compare it with names that people use: `@.meta.doc_title` → `doctitle`.
pub(super) fn last_name(path: &str) -> String {
    let path = path.trim_end_matches("[*]").trim_end_matches("']");
    let name = path.rsplit(['.', '\'']).next().unwrap_or_default();
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
