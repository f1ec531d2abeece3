//! Reads parts of citewire's own manifest, and names the members that it does not know: a misspelt `titel` would be lost.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_ignored::Path;

use super::IngestError;
use super::json;
use crate::report::{Entry, Kind};

/// The members of a manifest, by the object that they stand in. A test holds them against the types that read them.
const KNOWN: [(Place, &[&str]); 6] = [
    (Place::Top, &["annotations", "code", "delta", "done", "error", "interpreter", "label", "sources", "text"]),
    (
        Place::Source,
        &[
            "author",
            "content",
            "filepath",
            "icon",
            "id",
            "keywords",
            "label",
            "marker",
            "media_type",
            "metadata",
            "modified",
            "page",
            "score",
            "title",
            "url",
        ],
    ),
    (Place::Annotation, &["end", "sources", "start", "unit"]),
    (Place::Label, &["color", "description", "encrypted", "id", "name", "priority"]),
    (Place::Interpreter, &["slogan", "url"]),
    (Place::Code, &["language", "text"]),
];

/// How alike a name and the known one have to be, from 0 to 1: `titel` and `title` are at 0.8, `model` and `code` at 0.6.
const LIKE: f64 = 0.65;

/// The object in which a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Top,
    Source,
    Annotation,
    Label,
    Interpreter,
    Code,
}

/// The members of a body that its type does not read.
#[derive(Debug, Default)]
pub(super) struct UnknownMembers(BTreeMap<(Place, String), Found>);

/// One of them: its first pointer, and how often it occurs.
#[derive(Debug)]
struct Found {
    pointer: String,
    count: usize,
}

/// Reads a document, and collects the members that `T` ignores. `None` for a document with a fault, without a reason.
fn read_faultless<'de, T: Deserialize<'de>>(body: &'de str) -> Option<(T, UnknownMembers)> {
    let mut unknown = UnknownMembers::default();
    let mut reader = serde_json::Deserializer::from_str(body);
    let value = serde_ignored::deserialize(&mut reader, |path| unknown.add(&path)).ok()?;
    reader.end().ok()?;
    Some((value, unknown))
}

/// Reads a document, and collects the members that `T` ignores.
pub(super) fn read<'de, T: Deserialize<'de>>(body: &'de str) -> Result<(T, UnknownMembers), IngestError> {
    // The reader that knows the pointer of a fault is slower.
    read_faultless(body).map_or_else(|| json::read(body).map(|value| (value, UnknownMembers::default())), Ok)
}

impl UnknownMembers {
    /// Whether every member was read.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of those at the top, at most six, as a message shows them.
    pub(super) fn names_at_top(&self) -> String {
        let at_top = self.0.keys().filter(|(place, _)| *place == Place::Top).map(|(_, name)| shown(name));
        at_top.take(6).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    fn add(&mut self, path: &Path<'_>) {
        let mut names = Vec::new();
        collect(path, &mut names);
        let Some((name, parents)) = names.split_last() else { return };
        let place = Place::of(parents);
        let pointer = || names.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect();
        let found = self.0.entry((place, name.clone())).or_insert_with(|| Found { pointer: pointer(), count: 0 });
        found.count += 1;
    }

    /// A note about each of them, below a pointer. At the top, only names that are like a known one have a note: a body may
    /// hold much that is no part of a manifest.
    pub(super) fn notes(self, below: &str) -> Vec<Entry> {
        let note = |((place, name), Found { pointer, count }): ((Place, String), Found)| {
            let shown = shown(&name);
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            let advice = match (nearest(place, &name), place) {
                (Some(meant), _) if meant == name => "only the events of a stream have this member".to_owned(),
                (Some(meant), _) => format!("do you mean `{meant}`?"),
                (None, Place::Source) => "further facts about a document belong into its `metadata`".to_owned(),
                (None, Place::Top) => return None,
                (None, Place::Annotation | Place::Label | Place::Interpreter | Place::Code) => {
                    "a manifest has no such member".to_owned()
                }
            };
            let message = format!("`{shown}` is not read{times}; {advice}");
            Some(Entry::in_input(Kind::Dropped, "unknown-member", format!("{below}{pointer}"), message))
        };
        self.0.into_iter().filter_map(note).collect()
    }
}

/// A name in a message of one line.
fn shown(name: &str) -> String {
    name.chars().take(60).collect::<String>().escape_debug().to_string()
}

impl Place {
    /// The object with this path of names and indexes.
    fn of(parents: &[String]) -> Self {
        match parents.iter().rfind(|name| name.parse::<usize>().is_err()).map(String::as_str) {
            Some("sources") => Self::Source,
            Some("annotations") => Self::Annotation,
            Some("label") => Self::Label,
            Some("interpreter") => Self::Interpreter,
            Some("code") => Self::Code,
            Some(_) | None => Self::Top,
        }
    }
}

/// The known name that is most like this one. Letters of other case and other separators do not count.
fn nearest(place: Place, name: &str) -> Option<&'static str> {
    let known = KNOWN.iter().find(|(of, _)| *of == place).map_or(&[][..], |(_, names)| *names);
    let given = name.to_lowercase().replace('-', "_");
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, &given);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    nearest.copied().filter(|nearest| likeness(nearest) >= LIKE)
}

fn collect(path: &Path<'_>, names: &mut Vec<String>) {
    match path {
        Path::Root => {}
        Path::Seq { parent, index } => {
            collect(parent, names);
            names.push(index.to_string());
        }
        Path::Map { parent, key } => {
            collect(parent, names);
            names.push(key.clone());
        }
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            collect(parent, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;
    use crate::report::At;

    fn unknown(body: &str) -> Vec<(String, String)> {
        let answer = ingest(body.as_bytes(), None).expect("an answer");
        let unknown = answer.warnings.into_iter().filter(|entry| entry.code == "unknown-member");
        let told = |entry: Entry| match entry.at {
            At::Pointer(pointer) => (pointer, entry.message),
            At::Offset(_) => unreachable!("a member has a pointer"),
        };
        unknown.map(told).collect()
    }

    #[test]
    fn a_misspelt_member_is_named_once_with_the_one_that_was_meant() {
        let sources = json!([{"titel": "A", "url": "https://a"}, {"titel": "B", "lang": "de"}]);
        let expected = [
            ("/sources/1/lang", "`lang` is not read; further facts about a document belong into its `metadata`"),
            ("/sources/0/titel", "`titel` is not read (2 times); do you mean `title`?"),
        ];
        let whole = json!({"text": "a [1]", "sources": sources, "model": "m"}).to_string();
        let told = unknown(&whole);
        assert_eq!(told.iter().map(|(at, message)| (at.as_str(), message.as_str())).collect::<Vec<_>>(), expected);
        let stream = format!("data: {}\n\ndata: {{\"delta\": \"a [1]\"}}\n\n", json!({"sources": sources}));
        assert_eq!(unknown(&stream), told.map_pointers(|at| format!("/0{at}")));
    }

    trait MapPointers {
        fn map_pointers(self, map: impl Fn(String) -> String) -> Self;
    }

    impl MapPointers for Vec<(String, String)> {
        fn map_pointers(self, map: impl Fn(String) -> String) -> Self {
            self.into_iter().map(|(at, message)| (map(at), message)).collect()
        }
    }

    #[test]
    fn at_the_top_only_a_misspelt_name_is_told() {
        let told = unknown(r#"{"text": "a", "anotations": [], "model": "m", "Sources": []}"#);
        let names: Vec<_> = told.iter().map(|(at, _)| at.as_str()).collect();
        assert_eq!(names, ["/Sources", "/anotations"]);
    }

    /// The list of known names is used for advice alone; the types decide what is read.
    #[test]
    fn every_known_member_is_read() {
        for (place, names) in KNOWN {
            for name in names {
                let object = json!({*name: null});
                let body = match place {
                    Place::Top => continue,
                    Place::Source => json!({"text": "a", "sources": [object]}),
                    Place::Annotation => json!({"text": "a", "annotations": [object]}),
                    Place::Label => json!({"text": "a", "label": object, "sources": [{"label": object}]}),
                    Place::Interpreter => json!({"text": "a", "interpreter": object}),
                    Place::Code => json!({"text": "a", "code": object}),
                };
                assert_eq!(unknown(&body.to_string()), [], "{name}");
            }
        }
    }
}
