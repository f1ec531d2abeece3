//! Reads a source by the paths of a mapping.

use std::num::NonZeroU32;

use serde_json::Value;

use super::super::location::{Located, location};
use super::mapping::SourcePaths;
use super::oddities::Oddities;
use super::path::{Found, Path, shown};
use crate::answer::{SensitivityLabel, Source};
use crate::report::Entry;

/// Where a source stands, and how to report what is odd in it.
struct Members<'v, 'n> {
    found: &'v Found<'v>,
    odd: &'n mut Oddities,
}

impl SourcePaths {
    /// Reads a source: an object by its members, a text as address or file name, a number as id. `null` is a source of which
    /// nothing is known, so that the others keep their places.
    pub(super) fn read(&self, found: &Found<'_>, notes: &mut Vec<Entry>, odd: &mut Oddities) -> Source {
        let mut source = match found.value {
            Value::Object(_) => self.of_object(found, notes, odd),
            Value::String(text) => {
                let Located { url, filepath, address } = location(Some(text.clone()), || found.pointer.clone(), notes);
                Source { url, filepath, address, ..Source::default() }
            }
            Value::Number(id) => Source { id: Some(id.to_string()), ..Source::default() },
            Value::Null => Source::default(),
            Value::Bool(_) | Value::Array(_) => {
                let message = format!("`sources` finds no source here: it {}", shown(found.value));
                odd.add("mapping-type", message, &found.pointer);
                Source::default()
            }
        };
        let is_unnamed = source.display_title().is_none() && source.id.is_none() && source.content.is_none();
        if is_unnamed && found.value.is_object() {
            let message =
                "the source has neither title, address, file name, id nor passage where the mapping looks: it ";
            odd.add("source-unnamed", format!("{message}{}", shown(found.value)), &found.pointer);
        }
        source.pointer.clone_from(&found.pointer);
        source
    }

    /// An address without what stands before it.
    fn stripped(&self, address: &str) -> String {
        let rest = self.strip.iter().find_map(|before| address.strip_prefix(before.as_str()));
        rest.unwrap_or(address).to_owned()
    }

    fn of_object(&self, found: &Found<'_>, notes: &mut Vec<Entry>, odd: &mut Oddities) -> Source {
        let mut members = Members { found, odd };
        let address = members.first("source.url", &self.url);
        let pointer = || address.as_ref().map_or_else(String::new, |(pointer, _)| pointer.clone());
        let located = location(address.as_ref().map(|(_, text)| self.stripped(text)), pointer, notes);
        let Located { url, filepath: path_in_url, address } = located;
        let label = members.text("source.label", &self.label);
        Source {
            id: members.text("source.id", &self.id),
            title: members.text("source.title", &self.title),
            url,
            address,
            filepath: members.text("source.filepath", &self.filepath).or(path_in_url),
            chunk_id: members.text("source.chunk_id", &self.chunk_id),
            page: members.page(&self.page),
            content: members.joined("source.content", &self.content, "\n\n"),
            score: members.score(&self.score),
            modified: members.text("source.modified", &self.modified),
            author: members.joined("source.author", &self.author, ", "),
            media_type: members.text("source.media_type", &self.media_type),
            label: label.map(|name| SensitivityLabel { name: Some(name), ..SensitivityLabel::default() }),
            marker: members.text("source.marker", &self.marker),
            ..Source::default()
        }
    }
}

impl Members<'_, '_> {
    /// The texts of the first path that finds any, with their JSON pointers. A number is a text, too.
    fn all(&mut self, member: &'static str, paths: &[Path]) -> Vec<(String, String)> {
        for path in paths {
            let mut texts = Vec::new();
            for Found { pointer, value } in path.find(self.found.value, &self.found.pointer) {
                match value {
                    Value::String(text) if text.trim().is_empty() => {}
                    Value::String(text) => texts.push((pointer, text.clone())),
                    Value::Number(number) => texts.push((pointer, number.to_string())),
                    Value::Null => {}
                    Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                        let message =
                            format!("`{member}` ({}) finds no text here: it {}", path.written(), shown(value));
                        self.odd.add("mapping-type", message, &pointer);
                    }
                }
            }
            if !texts.is_empty() {
                return texts;
            }
        }
        Vec::new()
    }

    fn first(&mut self, member: &'static str, paths: &[Path]) -> Option<(String, String)> {
        self.all(member, paths).into_iter().next()
    }

    fn text(&mut self, member: &'static str, paths: &[Path]) -> Option<String> {
        self.first(member, paths).map(|(_, text)| text)
    }

    fn joined(&mut self, member: &'static str, paths: &[Path], between: &str) -> Option<String> {
        let texts: Vec<String> = self.all(member, paths).into_iter().map(|(_, text)| text).collect();
        (!texts.is_empty()).then(|| texts.join(between))
    }

    fn page(&mut self, paths: &[Path]) -> Option<NonZeroU32> {
        let (pointer, text) = self.first("source.page", paths)?;
        let page = text.trim().parse::<f64>().ok().filter(|page| page.fract() == 0.0 && (0.0..1e9).contains(page));
        if page.is_none() {
            self.odd.add("mapping-type", "`source.page` finds no page number here".to_owned(), &pointer);
        }
        page.and_then(|page| NonZeroU32::new(page as u32))
    }

    /// A score is between 0 and 1, or none (rule N-15).
    fn score(&mut self, paths: &[Path]) -> Option<f64> {
        let (pointer, text) = self.first("source.score", paths)?;
        let score = text.trim().parse::<f64>().ok();
        if score.is_none() {
            self.odd.add("mapping-type", "`source.score` finds no number here".to_owned(), &pointer);
        }
        score.filter(|score| (0.0..=1.0).contains(score))
    }
}
