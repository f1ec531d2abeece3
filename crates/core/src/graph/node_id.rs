//! Blank node ids, for nodes without an address.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::cite::Position;

/// A blank node id: `_:` and a name of letters, digits, `_`, `-` and `.` that neither begins with `-` or `.` nor ends with
/// `.` (`BLANK_NODE_LABEL` of RDF 1.1 Turtle).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BlankNodeId(String);

/// The text is not a blank node id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a blank node id such as _:s1")]
pub struct InvalidBlankNodeId {
    given: String,
}

impl FromStr for BlankNodeId {
    type Err = InvalidBlankNodeId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let valid = text.strip_prefix("_:").is_some_and(|name| {
            name.starts_with(|c: char| c.is_ascii_digit() || is_letter(c))
                && name.chars().all(|c| c == '.' || is_name_char(c))
                && !name.ends_with('.')
        });
        if valid { Ok(Self(text.to_owned())) } else { Err(InvalidBlankNodeId { given: text.to_owned() }) }
    }
}

impl BlankNodeId {
    /// The node of a label without a usable id: `_:s1`.
    #[must_use]
    pub fn first_label() -> Self {
        Self("_:s1".to_owned())
    }

    /// The id with its `_:`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The node of a claim.
    pub(super) fn of_claim(position: Position) -> Self {
        Self(format!("_:c{position}"))
    }

    /// The blank node with exactly this id, which may begin with `_:`. `None` if the id is not valid in a blank node.
    #[must_use]
    pub fn exactly(id: &str) -> Option<Self> {
        format!("_:{}", id.strip_prefix("_:").unwrap_or(id)).parse().ok()
    }

    /// The blank node closest to this id: the exact one if it is valid, else one with `-` for each invalid character. `None`
    /// if nothing is left.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        if let Some(exactly) = Self::exactly(id) {
            return Some(exactly);
        }
        let id = id.strip_prefix("_:").unwrap_or(id);
        let name: String = id.chars().map(|c| if c == '.' || is_name_char(c) { c } else { '-' }).collect();
        format!("_:{}", name.trim_matches(|c: char| "-_.".contains(c))).parse().ok()
    }
}

/// `PN_CHARS_U` of RDF 1.1 Turtle.
fn is_letter(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '_' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}'
        | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

/// `PN_CHARS` of RDF 1.1 Turtle.
fn is_name_char(c: char) -> bool {
    is_letter(c) || matches!(c, '0'..='9' | '-' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
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
        for (id, node) in [
            ("s1", "_:s1"),
            ("_:s1", "_:s1"),
            ("a b/c.", "_:a-b-c"),
            ("6f2a-11", "_:6f2a-11"),
            ("_s", "_:_s"),
            ("vertraulich-für-alle_", "_:vertraulich-für-alle_"),
            ("機密", "_:機密"),
            ("{6f2a}", "_:6f2a"),
            ("-x", "_:x"),
        ] {
            assert_eq!(BlankNodeId::from_id(id).map(|id| id.to_string()).as_deref(), Some(node), "{id}");
        }
        assert_eq!(BlankNodeId::from_id("***"), None);
        assert!("s1".parse::<BlankNodeId>().is_err());
    }
}
