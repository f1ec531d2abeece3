//! `expected.json`: what somebody who read a body without citewire found in it.

use super::bodies::{Body, EXPECTATIONS};
use anyhow::{Context as _, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The expectations of one body; those that are left out are not compared.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) format: Option<String>,
    pub(super) sources: Option<usize>,
    pub(super) places: Option<usize>,
    /// No answer: citewire refuses it.
    #[serde(default)]
    pub(super) refused: bool,
}

/// Expectations by the names of bodies.
#[derive(Default)]
pub(super) struct Expectations(BTreeMap<String, Expected>);

impl Expectations {
    /// Those of a folder; none when it has no such file.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let path = folder.join(EXPECTATIONS);
        if !path.exists() {
            return Ok(Self::default());
        }
        let bytes = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        Self::parsed(&bytes).with_context(|| format!("{} holds no expectations", path.display()))
    }

    fn parsed(bytes: &[u8]) -> Result<Self> {
        // Editors on Windows begin a file with this mark.
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let listed: BTreeMap<String, Expected> = serde_json::from_slice(bytes)?;
        // Windows writes `\` in paths.
        Ok(Self(listed.into_iter().map(|(name, expected)| (name.replace('\\', "/"), expected)).collect()))
    }

    pub(super) fn get(&self, name: &str) -> Option<&Expected> {
        self.0.get(name)
    }

    /// The names for which there is no body.
    pub(super) fn without_body(&self, bodies: &[Body]) -> Vec<&str> {
        self.0.keys().map(String::as_str).filter(|name| bodies.iter().all(|body| body.name != *name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read_with_the_line_ends_of_windows() {
        let text = "\u{feff}{\r\n \"cohere\\\\a.json\": {\"format\": \"cohere\", \"sources\": 2},\r\n \"b.json\": {\"refused\": true}\r\n}\r\n";
        let read = Expectations::parsed(text.as_bytes()).unwrap();
        let cohere = Expected { format: Some("cohere".to_owned()), sources: Some(2), ..Expected::default() };
        assert_eq!(read.get("cohere/a.json"), Some(&cohere));
        assert_eq!(read.get("b.json"), Some(&Expected { refused: true, ..Expected::default() }));
        assert_eq!(read.get("c.json"), None);
    }

    #[test]
    fn an_expectation_that_is_not_known_is_an_error_with_its_place() {
        let error = Expectations::parsed(b"{\n \"a.json\": {\"source\": 2}}").err().unwrap();
        assert!(error.to_string().contains("unknown field `source`"), "{error}");
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
