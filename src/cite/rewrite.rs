//! Markers found and rewritten: a function of a text and of the rules for it.

use super::bibliography;
use super::clean::{Clean, Trail, Wishes, clean, names_source};
use super::definition;
use super::limit;
use super::mark::{Change, Mark};
use super::marker::{self, MAX_INNER_BYTES, Marker};
use super::number::Numberer;
use super::resolve::Resolver;
use super::separate::separators;
use super::structure::{Ink, Structure};
use super::writer::Writer;
use super::{CitedText, LiteralNumbers, Position, Rules};
use crate::answer::{Answer, is_marker_span};
use crate::report::{Entry, Kind};
use crate::text::Edits;

/// Rewrites the markers of an answer as badges, and appends what the badges stand for.
pub(super) fn rewrite(answer: &Answer, rules: &Rules) -> CitedText {
    let mut entries = Vec::new();
    let resolver = Resolver::new(&answer.sources);
    let start = without_bibliography(answer, &resolver, &mut entries);
    let wishes = Wishes { image_hosts: &rules.image_hosts, hard_breaks: rules.hard_breaks, markdown: rules.markdown };
    let Clean { text, structure, trail } = clean(start, &resolver, wishes, &mut entries);

    let mut finder = Finder {
        answer,
        text: &text,
        structure: &structure,
        resolver: &resolver,
        trail: &trail,
        marks: Vec::new(),
        entries: &mut entries,
    };
    finder.annotations();
    finder.links();
    finder.brackets();
    let marks = limit::to_max_claims(in_order(finder.marks), answer, rules, &mut entries);
    let separators = if rules.markdown { separators(&text, &structure, &marks) } else { Vec::new() };
    let may_bring_to_light = !separators.is_empty();
    let marks = in_order(marks.into_iter().chain(separators).collect());

    let mut numberer = Numberer::new(&answer.sources, rules);
    let numbered: Vec<(Mark, Vec<Position>)> = marks
        .into_iter()
        .map(|mark| {
            let positions = mark.change.sources().iter().map(|source| numberer.number(*source)).collect();
            (mark, positions)
        })
        .collect();
    let sources = numberer.finish(&mut entries);
    let labels = sources.iter().map(|source| source.position).collect();

    let open_fence = structure.open_fence.clone().filter(|_| !sources.is_empty());
    let mut writer = Writer::new(&text, &structure, rules, labels, open_fence);
    writer.write(&numbered);
    let (mut text, literal) = writer.finish();
    entries.extend(literal.into_iter().map(|(at, bracket)| {
        let at = trail.back(at);
        let (kind, code, fate) = match rules.literal_numbers {
            LiteralNumbers::Escape => (Kind::Neutralised, "escaped", "was escaped so that it does not become a link"),
            LiteralNumbers::Break => (Kind::Neutralised, "broken", "was broken so that it is not taken for a citation"),
            LiteralNumbers::Keep => (Kind::Note, "ambiguous", "looks like the number of a reference"),
        };
        Entry::in_text(kind, code, at, format!("{bracket} is text, and {fate}"))
    }));
    if may_bring_to_light {
        // What went may have kept something harmful from being a link, an image or HTML.
        let rewritten = Clean { structure: Structure::of(&text), text: text.into(), trail: Trail::default() };
        text = clean(rewritten, &Resolver::new(&[]), wishes, &mut entries).text.into_owned();
    }
    if rules.definitions {
        definition::append(&mut text, &sources);
    }
    CitedText { text, sources, entries }
}

fn without_bibliography<'a>(answer: &'a Answer, resolver: &Resolver, entries: &mut Vec<Entry>) -> Clean<'a> {
    let text = answer.text.as_str();
    let structure = Structure::of(text);
    let mut trail = Trail::default();
    let Some(list) = bibliography::find(text, &structure, &answer.sources, resolver) else {
        return Clean { text: text.into(), structure, trail };
    };
    let message = "the list of references at the end repeats the sources";
    entries.push(Entry::in_text(Kind::Dropped, "bibliography", list.start, message));
    let mut edits = Edits::default();
    edits.cut(list);
    let (text, shift) = edits.apply(text);
    trail.push(shift);
    Clean { structure: Structure::of(&text), text: text.into(), trail }
}

struct Finder<'f> {
    answer: &'f Answer,
    text: &'f str,
    structure: &'f Structure,
    resolver: &'f Resolver,
    trail: &'f Trail,
    marks: Vec<Mark>,
    entries: &'f mut Vec<Entry>,
}

impl<'f> Finder<'f> {
    /// Citations that came beside the text (rules N-04 and N-05).
    fn annotations(&mut self) {
        for citation in &self.answer.citations {
            let span = citation.span;
            let range = self.trail.forth(span.start())..self.trail.forth(span.end());
            let mut sources = citation.sources.clone();
            if is_marker_span(&self.answer.text[span.range()])
                && self.text.get(range.clone()) == Some(&self.answer.text[span.range()])
            {
                self.marks.push(Mark { range, change: Change::Cite(sources) });
                continue;
            }
            sources.sort_unstable();
            let spanned = self.text.get(range.clone()).unwrap_or_default();
            let end = range.start + spanned.trim_end().len();
            let (at, behind_block) = self.out_of_the_way(end);
            let change = if behind_block { Change::CiteBehindBlock(sources) } else { Change::Cite(sources) };
            self.marks.push(Mark { range: at..at, change });
        }
    }

    /// A place in code, a link, HTML or markup moves behind it (policy P-15).
    fn out_of_the_way(&self, at: usize) -> (usize, bool) {
        let Structure { code_blocks, links, html, .. } = self.structure;
        let block = code_blocks.get(code_blocks.partition_point(|block| block.end < at));
        if let Some(block) = block.filter(|block| block.start < at) {
            return (block.end, true);
        }
        let before = &links[..links.partition_point(|link| link.range.start < at)];
        if let Some(link) = before.iter().rev().find(|link| !link.nested).filter(|link| at < link.range.end) {
            return (link.range.end, false);
        }
        let tag = html.get(html.partition_point(|tag| tag.end <= at));
        if let Some(tag) = tag.filter(|tag| tag.start < at) {
            return (tag.end, false);
        }
        let mut at = at;
        let hidden = |at: usize| matches!(self.structure.ink(at), Ink::Markup | Ink::Opaque);
        let blank = |at: usize| self.text.as_bytes()[at].is_ascii_whitespace();
        while at > 0 && at < self.text.len() && hidden(at - 1) && hidden(at) && !blank(at) {
            at += 1;
        }
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        (at, false)
    }

    /// Links that show nothing but a marker: the manifest says where they lead (policy P-06).
    fn links(&mut self) {
        for link in &self.structure.links {
            if link.nested {
                continue;
            }
            let Some(sources) = names_source(self.text, link, self.resolver) else { continue };
            // The `!` of an image was the end of a sentence: "Great![1](https://…)".
            let start = link.range.start + usize::from(link.image);
            // `[1](2024)` is a marker and a year, not an address.
            let is_address = link.url.contains([':', '/', '#']) || link.url.is_empty();
            let end = if is_address { link.range.end } else { link.inner.end + 1 };
            self.marks.push(Mark { range: start..end, change: Change::Cite(sources) });
        }
    }

    fn brackets(&mut self) {
        let mut from = 0;
        while let Some(found) = self.text[from..].find(['[', '【', '\u{e200}']) {
            let at = from + found;
            from = self.bracket(at).unwrap_or_else(|| at + self.text[at..].chars().next().map_or(1, char::len_utf8));
        }
    }

    /// Reads the bracket at this place; returns where to go on when it is a marker.
    fn bracket(&mut self, at: usize) -> Option<usize> {
        if self.structure.ink(at) != Ink::Text || self.structure.is_escaped(self.text, at) {
            return None;
        }
        let open = self.text[at..].chars().next()?;
        let close = match open {
            '[' => ']',
            '【' => '】',
            _ => '\u{e201}',
        };
        let inner_start = at + open.len_utf8();
        let inner = self.inner(inner_start, open, close)?;
        let end = inner_start + inner.len() + close.len_utf8();
        let grammar = &self.answer.grammar;
        let marker = match open {
            '[' => marker::in_square_brackets(inner, grammar),
            '【' => marker::in_lenticular_brackets(inner, grammar),
            _ => marker::in_private_use(inner, grammar),
        }?;
        let token = &self.text[at..end];
        let resolved = self.resolver.resolve(token, &marker);
        if resolved.is_none() && !matches!(marker, Marker::Name(_)) {
            let fate = if marker.is_machine_made() { "it was taken out" } else { "it stays as text" };
            let message = format!("{token} names no source; {fate}");
            self.entries.push(Entry::in_text(Kind::Unresolved, "marker", self.trail.back(at), message));
        }
        let change = match resolved {
            Some(sources) => Change::Cite(sources),
            None if marker.is_machine_made() => Change::Vanish,
            None => return None,
        };
        self.marks.push(Mark { range: at..end, change });
        Some(end)
    }

    /// What stands between the brackets, when all of it is text that readers see.
    fn inner(&self, start: usize, open: char, close: char) -> Option<&'f str> {
        let limit = self.text.len().min(start + MAX_INNER_BYTES + close.len_utf8());
        for (at, c) in self.text[start..].char_indices() {
            let at = start + at;
            if at + c.len_utf8() > limit || c == open {
                return None;
            }
            if c == close {
                return Some(&self.text[start..at]).filter(|_| self.structure.ink(at) == Ink::Text);
            }
            if self.structure.ink(at) != Ink::Text && !c.is_whitespace() {
                return None;
            }
        }
        None
    }
}

/// The marks in the order of the text; one that overlaps an earlier one is left out, and citations that belong to the
/// same place are one.
fn in_order(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
    let mut ordered: Vec<Mark> = Vec::with_capacity(marks.len());
    for mark in marks {
        match ordered.last_mut() {
            Some(Mark { range, change: Change::Cite(sources) | Change::CiteBehindBlock(sources) })
                if *range == mark.range && mark.range.is_empty() =>
            {
                sources.extend(mark.change.sources());
                sources.sort_unstable();
                sources.dedup();
            }
            Some(last) if mark.range.start < last.range.end => {}
            _ => ordered.push(mark),
        }
    }
    ordered
}
