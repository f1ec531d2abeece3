//! Where a text stands in JSON, and the way to it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Where a text stands in an event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The names and numbers of the members on the way.
    names: Vec<String>,
    /// What tells texts in the same place apart: the kinds and numbers of the objects on the way.
    kinds: Vec<String>,
}

/// The members that tell texts apart which stand in the same place of their events.
const TELLING: [&str; 6] = ["type", "index", "contentBlockIndex", "output_index", "content_index", "summary_index"];

/// JSON is looked into so deep.
const MAX_DEPTH: usize = 32;

impl Place {
    pub(super) fn pointer(&self) -> String {
        self.names.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
    }

    /// Where in the JSON the content of the text of this place begins, where there is one.
    pub(super) fn text_in(&self, json: &str) -> Option<usize> {
        let walk = Walk::new(json, |depth, name, _| self.names.get(depth).is_some_and(|wanted| wanted == name));
        (walk.place == *self && walk.end.starts_with('"')).then(|| offset(json, walk.end) + 1)
    }
}

/// A way into JSON.
pub(super) struct Walk<'j> {
    pub(super) place: Place,
    /// The value to which it leads.
    end: &'j str,
}

impl<'j> Walk<'j> {
    /// The way to the innermost value with this byte.
    pub(super) fn to_byte(json: &'j str, at: usize) -> Self {
        Self::new(json, |_, _, value| (offset(json, value)..offset(json, value) + value.len()).contains(&at))
    }

    /// Goes on to the member that is chosen by depth, name and value, as long as there is one.
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

/// The members of an object or a list, with their names or numbers; a text or a number has none.
fn members(json: &str) -> Vec<(String, &str)> {
    if json.starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        return list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value.get())).collect();
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
    members.into_iter().map(|(name, value)| (name, value.get())).collect()
}

/// Where a part of a text begins in it.
pub(super) fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}
