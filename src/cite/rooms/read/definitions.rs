//! The definitions of the model, and in which order blocks are read because of them.
//!
//! A definition takes effect behind itself only: what a reader was shown of a stream is not changed by what comes later. So a text
//! that holds definitions is read block by block, each with the definitions before it.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser};

use super::events::Events;
use super::token::Definition;
use super::{Reader, Slice};

/// What the parser is asked for. Everything else (strikethrough, task boxes, math) is copied as characters.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

/// The definitions before a place: address and title by label.
#[derive(Clone, Debug, Default)]
pub(in crate::cite) struct Definitions(HashMap<String, (String, String)>);

/// Reads a slice, and adds the definitions in it to those before it. `is_marker` says which labels are those of markers: their
/// definitions take no effect.
pub(in crate::cite) fn read(
    slice: &Slice<'_>,
    definitions: &mut Definitions,
    is_marker: &dyn Fn(&str) -> bool,
    reader: &mut impl Reader,
) {
    let base = slice.range.start;
    let source = &slice.text[slice.range.clone()];
    let hidden = without_markers(source, is_marker);
    let source = hidden.as_deref().unwrap_or(source);
    let parser = Parser::new_ext(source, OPTIONS);
    let defines = parser.reference_definitions().iter().next().is_some();
    if !defines && definitions.0.is_empty() {
        Events::new(slice, &[], reader).run(parser.into_offset_iter(), base);
        return;
    }
    let blocks = blocks(parser.into_offset_iter(), source);
    for (at, block) in blocks.iter().enumerate() {
        let part = &source[block.clone()];
        let found = {
            let known = |link: BrokenLink<'_>| {
                let (url, title) = definitions.0.get(&same_label(&link.reference))?;
                Some((CowStr::from(url.clone()), CowStr::from(title.clone())))
            };
            let parser = Parser::new_with_broken_link_callback(part, OPTIONS, Some(known));
            let found = in_order(&parser, base + block.start);
            let inner = Slice {
                text: slice.text,
                range: base + block.start..base + block.end,
                finished: slice.finished || at + 1 < blocks.len(),
            };
            Events::new(&inner, &found, reader).run(parser.into_offset_iter(), inner.range.start);
            found
        };
        for definition in found.into_iter().filter(|definition| !is_marker(&definition.label)) {
            let Definition { label, url, title, .. } = definition;
            definitions.0.entry(same_label(&label)).or_insert((url, title));
        }
    }
}

/// A label in the form in which labels are compared.
pub(in crate::cite) fn same_label(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn in_order<'p, F: pulldown_cmark::BrokenLinkCallback<'p>>(parser: &Parser<'p, F>, base: usize) -> Vec<Definition> {
    let all = parser.reference_definitions().iter();
    let mut all: Vec<Definition> = all
        .map(|(label, found)| Definition {
            range: base + found.span.start..base + found.span.end,
            label: label.to_owned(),
            url: found.dest.to_string(),
            title: found.title.as_deref().unwrap_or_default().to_owned(),
        })
        .collect();
    all.sort_by_key(|definition| definition.range.start);
    all
}

/// The top-level blocks of a source, each with what stands behind it up to the next.
fn blocks<'s>(events: impl Iterator<Item = (Event<'s>, Range<usize>)>, source: &str) -> Vec<Range<usize>> {
    let (mut depth, mut starts) = (0_usize, vec![0]);
    for (event, range) in events {
        if let Event::Start(_) = event {
            depth += 1;
        } else if let Event::End(_) = event {
            depth -= 1;
        }
        if depth == 0 && !source[range.end..].trim().is_empty() {
            starts.push(range.end);
        }
    }
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([source.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// So many times the parser is asked which definitions there are; each time it tells the first of every label.
const PASSES: usize = 8;

/// The source with a label that nobody can write in place of those of markers, of the same length: these definitions take no
/// effect then.
fn without_markers(source: &str, is_marker: &dyn Fn(&str) -> bool) -> Option<String> {
    memchr::memmem::find(source.as_bytes(), b"]:")?;
    let mut hidden: Option<String> = None;
    for pass in 0..=PASSES {
        let text = hidden.as_deref().unwrap_or(source);
        let parser = Parser::new_ext(text, OPTIONS);
        let found = parser.reference_definitions().iter().filter(|(label, _)| is_marker(label));
        let labels: Vec<Range<usize>> = found
            .filter_map(|(_, found)| {
                let from = found.span.start + text[found.span.clone()].find('[')? + 1;
                let label = from..from + text[from..].find(']')?;
                // One label a thousand times is no answer: behind the last pass all brackets that look like it go.
                Some(if pass == PASSES { from..text.len() } else { label })
            })
            .collect();
        if labels.is_empty() {
            break;
        }
        let mut bytes = text.as_bytes().to_vec();
        for label in labels {
            hide(&mut bytes[label], pass == PASSES);
        }
        hidden = String::from_utf8(bytes).ok();
    }
    hidden
}

fn hide(label: &mut [u8], are_many: bool) {
    let mut is_label = !are_many;
    for byte in label {
        match byte {
            b'[' => is_label = true,
            b']' if are_many => is_label = false,
            _ if is_label && !byte.is_ascii_whitespace() => *byte = 1,
            _ => {}
        }
    }
}
