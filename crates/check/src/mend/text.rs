//! Mends the Markdown of a message outside its definitions.

use std::ops::Range;

use citewire_core::text::{ends_paragraph, loses_text};
use serde_json::{Value, json};

use super::pointers::{activity, claims, position};
use crate::finding::Finding;
use crate::link_label::{is_number, normal_label};
use crate::markdown::{Link, Markdown};
use crate::newer::task_markers;
use crate::raw_html::is_undrawn_html;

/// A part of a text, and what stands in its place.
type Edit = (Range<usize>, String);

/// Characters in UTF-8 that were read as Windows-1252, each with the character that was meant.
const MOJIBAKE: [(&str, &str); 9] = [
    ("\u{e2}\u{20ac}\u{2039}", "\u{200b}"),
    ("\u{e2}\u{20ac}\u{2dc}", "\u{2018}"),
    ("\u{e2}\u{20ac}\u{2122}", "\u{2019}"),
    ("\u{e2}\u{20ac}\u{153}", "\u{201c}"),
    ("\u{e2}\u{20ac}\u{9d}", "\u{201d}"),
    ("\u{e2}\u{20ac}\u{201c}", "\u{2013}"),
    ("\u{e2}\u{20ac}\u{201d}", "\u{2014}"),
    ("\u{e2}\u{20ac}\u{a6}", "\u{2026}"),
    ("\u{e2}\u{20ac}\u{a2}", "\u{2022}"),
];

/// Mends `finding`, and tells the change.
pub(super) fn mend(document: &mut Value, finding: &Finding) -> Option<String> {
    let owner = activity(&finding.pointer).to_owned();
    if finding.pointer != format!("{owner}/text") {
        return None;
    }
    let positions: Vec<String> =
        claims(document.pointer_mut(&owner)?).iter().filter_map(|claim| position(claim)).collect();
    let value = document.pointer_mut(&finding.pointer)?;
    let text = value.as_str()?.to_owned();
    let markdown = Markdown::read(&text);
    let reading = Reading { text: &text, markdown: &markdown, positions: &positions };
    let (edits, told) = match finding.code {
        "markers-fused" => (reading.fused(), "put U+200B between markers"),
        "markers-joined" => (reading.joined(), "wrote each number in brackets of its own"),
        "marker-swallowed" => (reading.swallowed(), "put U+200B behind a marker"),
        "marker-is-link" => (reading.marker_links(), "put U+200B between a marker and `(`"),
        "marker-is-image" => (reading.marker_images(), "put U+200B between `!` and a marker"),
        "marker-case-differs" => (reading.cases(), "wrote a marker like its definition"),
        "text-image" => (reading.images(), "made images links"),
        "text-html" | "text-forged-button" => (reading.html(), "escaped HTML that is not drawn"),
        "text-task-list" => (reading.tasks(), "wrote the boxes of a task list as ☐ and ☑"),
        "text-lost" => (reading.blocks(), "escaped HTML that ends a paragraph"),
        "link-scheme-unsafe" => (reading.unsafe_links(), "escaped a link with a dangerous address"),
        "text-mojibake" => {
            let mended = MOJIBAKE.iter().fold(text.clone(), |text, (read, meant)| text.replace(read, meant));
            *value = json!(mended);
            return Some("decoded UTF-8 that was read as Windows-1252".into());
        }
        _ => return None,
    };
    *value = json!(edited(&text, edits));
    Some(told.to_owned())
}

fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut result = String::with_capacity(text.len() + 4 * edits.len());
    let mut end = 0;
    for (range, instead) in edits {
        if range.start < end || !text.is_char_boundary(range.start) {
            continue;
        }
        result.push_str(&text[end..range.start]);
        result.push_str(&instead);
        end = range.end;
    }
    result.push_str(&text[end..]);
    result
}

struct Reading<'a> {
    text: &'a str,
    markdown: &'a Markdown,
    positions: &'a [String],
}

impl Reading<'_> {
    fn is_defined(&self, label: &str) -> bool {
        self.markdown.definitions.iter().any(|definition| !definition.loser && definition.label == label)
    }

    fn is_marker(&self, label: &str) -> bool {
        self.is_defined(label) || self.positions.iter().any(|position| position == label)
    }

    /// The place behind the first `sign` at or after `start`.
    fn behind(&self, start: usize, sign: &str) -> Option<usize> {
        Some(start + self.text.get(start..)?.find(sign)? + sign.len())
    }

    /// U+200B between the brackets of `][`.
    fn fused(&self) -> Vec<Edit> {
        let is_fused = |link: &&Link| {
            let (text, label) = (normal_label(&link.text), normal_label(&link.label));
            !link.image && !link.inline && text != label && (is_number(&text) || self.is_marker(&text))
        };
        let places = self.markdown.links.iter().filter(is_fused).filter_map(|link| {
            let end = self.behind(link.start, "]")?;
            self.text[end..].starts_with('[').then_some(end)
        });
        places.map(space).collect()
    }

    fn joined(&self) -> Vec<Edit> {
        let is_known = |number: u64| self.is_marker(&number.to_string());
        let meant = self.markdown.joined.iter().filter(|joined| joined.is_meant(is_known));
        meant.map(|joined| (joined.span.clone(), joined.parted("\u{200b}"))).collect()
    }

    fn swallowed(&self) -> Vec<Edit> {
        let loose = self.markdown.loose.iter().filter(|loose| loose.before_bracket && self.is_defined(&loose.label));
        loose.filter_map(|loose| self.behind(loose.start, "]")).map(space).collect()
    }

    fn marker_links(&self) -> Vec<Edit> {
        let is_faulty = |link: &&Link| {
            let text = normal_label(&link.text);
            let same = self.markdown.definitions.iter().any(|found| found.label == text && found.url == link.url);
            !link.image && link.inline && self.is_marker(&text) && !same
        };
        let links = self.markdown.links.iter().filter(is_faulty);
        links.filter_map(|link| self.behind(link.start, "](")).map(|end| space(end - 1)).collect()
    }

    fn marker_images(&self) -> Vec<Edit> {
        let is_faulty = |link: &&Link| {
            let label = normal_label(&link.label);
            link.image && !link.inline && normal_label(&link.text) == label && self.is_marker(&label)
        };
        self.markdown.links.iter().filter(is_faulty).map(|link| space(link.start + 1)).collect()
    }

    fn cases(&self) -> Vec<Edit> {
        let edit = |link: &Link| {
            let label = normal_label(&link.label);
            let definition = self.markdown.definitions.iter().find(|found| !found.loser && found.label == label)?;
            let range = link.start + 1..link.start + 1 + link.label.len();
            let is_there = self.text.get(range.clone()) == Some(link.label.as_str());
            let differs = definition.written.trim() != link.label.trim() && normal_label(&link.text) == label;
            (is_there && differs && !link.image).then(|| (range, definition.written.clone()))
        };
        self.markdown.links.iter().filter_map(edit).collect()
    }

    /// Images without their `!`, unless they stand in a link or have no description.
    fn images(&self) -> Vec<Edit> {
        let is_alone = |link: &&Link| {
            link.image && link.inline && !link.text.trim().is_empty() && !self.text[..link.start].ends_with('[')
        };
        let images = self.markdown.links.iter().filter(is_alone);
        let mut edits: Vec<Edit> = images.map(|link| (link.start..link.start + 1, String::new())).collect();
        edits.extend(self.escaped(|tag| tag.contains("<img")));
        edits
    }

    fn tasks(&self) -> Vec<Edit> {
        let sign = |done: bool| if done { "☑" } else { "☐" };
        task_markers(self.text).into_iter().map(|(range, done)| (range, sign(done).to_owned())).collect()
    }

    fn html(&self) -> Vec<Edit> {
        self.escaped(is_undrawn_html)
    }

    fn blocks(&self) -> Vec<Edit> {
        self.escaped(|html| ends_paragraph(html) || loses_text(html))
    }

    /// Escapes each `<` of the pieces of HTML that `is_meant` in lower case.
    fn escaped(&self, is_meant: impl Fn(&str) -> bool) -> Vec<Edit> {
        let mut edits = Vec::new();
        for html in &self.markdown.html {
            let Some(source) = self.text.get(html.span.clone()) else { continue };
            if is_meant(&source.to_ascii_lowercase()) {
                let places = source.match_indices('<').map(|(at, _)| html.span.start + at);
                edits.extend(places.map(|at| (at..at + 1, "&lt;".to_owned())));
            }
        }
        edits
    }

    fn unsafe_links(&self) -> Vec<Edit> {
        use crate::address::Scheme;
        let is_unsafe = |link: &&Link| !link.image && link.inline && Scheme::of(&link.url) == Scheme::Dangerous;
        self.markdown.links.iter().filter(is_unsafe).map(|link| (link.start..link.start, "\\".to_owned())).collect()
    }
}

fn space(at: usize) -> Edit {
    (at..at, "\u{200b}".to_owned())
}
