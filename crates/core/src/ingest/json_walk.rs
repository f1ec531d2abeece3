//! Finds strings in JSON, and their paths.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The position of a string in an event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The member names and list indexes on the path.
    names: Vec<String>,
    /// The types and numbers of the objects on the path. They tell apart strings that have the same path in different events.
    kinds: Vec<String>,
}

/// Members whose values tell apart strings with the same path.
const TELLING: [&str; 6] = ["type", "index", "contentBlockIndex", "output_index", "content_index", "summary_index"];

/// The maximum depth of a path.
const MAX_DEPTH: usize = 32;

impl Place {
    pub(super) fn pointer(&self) -> String {
        self.names.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
    }

    /// The byte offset at which the content of the string with this path begins, if there is one.
    pub(super) fn text_in(&self, json: &str) -> Option<usize> {
        let walk = Walk::new(json, |depth, name, _| self.names.get(depth).is_some_and(|wanted| wanted == name));
        (walk.place == *self && walk.end.starts_with('"')).then(|| offset(json, walk.end) + 1)
    }
}

/// A path into JSON.
pub(super) struct Walk<'j> {
    pub(super) place: Place,
    /// The value at the end of the path.
    end: &'j str,
}

impl<'j> Walk<'j> {
    /// The path to the innermost value that contains this byte.
    pub(super) fn to_byte(json: &'j str, at: usize) -> Self {
        Self::new(json, |_, _, value| (offset(json, value)..offset(json, value) + value.len()).contains(&at))
    }

    /// Follows at each depth the member that `choose` accepts, by depth, name and value, until it accepts none.
    fn new(json: &'j str, choose: impl Fn(usize, &str, &'j str) -> bool) -> Self {
        let mut walk = Self { place: Place::default(), end: json };
        for depth in 0..MAX_DEPTH {
            let members = members(walk.end);
            let telling = members
                .iter()
                .filter(|(name, value)| TELLING.contains(&name.as_str()) && !value.starts_with(['{', '[']));
            let chosen = members.iter().find(|(name, value)| choose(depth, name, value));
            let Some((name, value)) = chosen else { break };
            walk.place.kinds.extend(telling.map(|(name, value)| format!("{depth} {name} {value}")));
            walk.place.names.push(name.clone());
            walk.end = value;
        }
        walk
    }
}

/// The members of an object or a list, with their names or indexes. Strings and numbers have none.
fn members(json: &str) -> Vec<(String, &str)> {
    if json.starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        return list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value.get())).collect();
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
    members.into_iter().map(|(name, value)| (name, value.get())).collect()
}

/// The byte offset of a part of a text in that text.
pub(super) fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}
