//! Names of nodes that have no address.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A blank node: `_:` and a name of ASCII letters, digits, `-`, `_` and `.`, beginning with a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BlankNodeId(String);

/// The text names no blank node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is no blank node; it would look like _:s1")]
pub struct InvalidBlankNodeId {
    given: String,
}

impl FromStr for BlankNodeId {
    type Err = InvalidBlankNodeId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let valid = text.strip_prefix("_:").is_some_and(|name| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
                && !name.ends_with('.')
        });
        if valid { Ok(Self(text.to_owned())) } else { Err(InvalidBlankNodeId { given: text.to_owned() }) }
    }
}

impl BlankNodeId {
    /// The name of a label without an id of its own.
    #[must_use]
    pub fn first_label() -> Self {
        Self("_:s1".to_owned())
    }

    /// The blank node that comes closest to somebody's own id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        let id = id.strip_prefix("_:").unwrap_or(id);
        let name: String =
            id.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
        format!("_:{}", name.trim_matches(|c: char| "-_.".contains(c))).parse().ok()
    }
}

impl fmt::Display for BlankNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_becomes_a_valid_blank_node() {
        for (id, node) in [("s1", "_:s1"), ("_:s1", "_:s1"), ("a b/c.", "_:a-b-c"), ("6f2a-11", "_:6f2a-11")] {
            assert_eq!(BlankNodeId::from_id(id).map(|id| id.to_string()).as_deref(), Some(node), "{id}");
        }
        assert_eq!(BlankNodeId::from_id("***"), None);
        assert!("s1".parse::<BlankNodeId>().is_err());
    }
}
