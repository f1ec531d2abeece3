//! Reads a text, block by block where it holds definitions of the model.
//!
//! A definition takes effect only behind itself, so that later text does not change a stream that readers have seen. So a
//! text with definitions is read block by block, each with the definitions before it.

use std::cell::RefCell;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, Parser};

use super::definitions::{Definitions, OPTIONS, is_behind_blank_line};
use super::events::Events;
use super::long::{without_long, without_long_lines};
use super::open::may_be_title;
use super::token::Definition;
use super::{Reader, Slice};

/// Reads a slice, and adds its definitions to those before it. `is_marker` tells which labels are those of markers: their
/// definitions take no effect.
pub(crate) fn read(
    slice: &Slice<'_>,
    definitions: &mut Definitions,
    is_marker: &dyn Fn(&str) -> bool,
    reader: &mut impl Reader,
) {
    let base = slice.range.start;
    let source = &slice.text[slice.range.clone()];
    let hidden = hidden(source, is_marker);
    let source = hidden.as_deref().unwrap_or(source);
    let parser = Parser::new_ext(source, OPTIONS);
    let defines = parser.reference_definitions().iter().next().is_some();
    let known = RefCell::new(std::mem::take(definitions));
    if !defines && known.borrow().len() == 0 {
        Events::new(slice, &[], &known, is_marker, reader).run(parser.into_offset_iter(), base);
        return;
    }
    let blocks = blocks(parser.into_offset_iter(), source);
    for (at, block) in blocks.iter().enumerate() {
        let by_label = |link: BrokenLink<'_>| {
            let known = known.borrow();
            let (url, title) = known.find(&link.reference)?;
            Some((CowStr::from(url.to_owned()), CowStr::from(title.to_owned())))
        };
        let inner = Slice {
            text: slice.text,
            range: base + block.start..base + block.end,
            is_in_list: slice.is_in_list && at == 0,
            finished: slice.finished || at + 1 < blocks.len(),
        };
        let source = &source[block.clone()];
        let hidden = without_markers(source, is_marker);
        let source = hidden.as_deref().unwrap_or(source);
        let text = &slice.text[inner.range.start..];
        let open = if inner.finished { None } else { without_open_definition(source, text) };
        if let Some((open, _)) = open {
            reader.hold(inner.range.start + open);
        }
        let source = open.as_ref().map_or(source, |(_, source)| source);
        let parser = Parser::new_with_broken_link_callback(source, OPTIONS, Some(by_label));
        let found = in_order(&parser, inner.range.start);
        Events::new(&inner, &found, &known, is_marker, reader).run(parser.into_offset_iter(), inner.range.start);
    }
    *definitions = known.into_inner();
}

/// A copy of the source, of the same length, without syntax that the parser must not see; `None` when there is none.
fn hidden(source: &str, is_marker: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut hidden: Option<String> = None;
    let mut hide = |without: &dyn Fn(&str) -> Option<String>| {
        let next = without(hidden.as_deref().unwrap_or(source));
        let hides = next.is_some();
        hidden = next.or(hidden.take());
        hides
    };
    hide(&without_returns);
    hide(&without_long_lines);
    hide(&|source| without_markers(source, is_marker));
    if hide(&without_long) {
        // Code or HTML that was too long may have held definitions of markers, which are definitions now.
        hide(&|source| without_markers(source, is_marker));
    }
    hidden
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

/// When the text behind the last definition may still become its title: the offset of this definition, and the source
/// without its opening bracket. In that source the definition is a paragraph, which a stream holds back, and the blocks
/// before it are read as they will be once the definition is complete. `text` begins with the source.
fn without_open_definition(source: &str, text: &str) -> Option<(usize, String)> {
    let parser = Parser::new_ext(source, OPTIONS);
    let all = parser.reference_definitions().iter().map(|(_, found)| found.span.clone());
    let last = all.max_by_key(|span| span.end).filter(|last| may_be_title(&text[last.end..]))?;
    let bracket = last.start + source[last.start..].find('[').unwrap_or_default();
    Some((last.start, format!("{}\u{1}{}", &source[..bracket], &source[bracket + 1..])))
}

/// The source with line feeds in place of lone carriage returns; `None` when there are none. The parser loses a lone
/// carriage return in code that the text ends in.
fn without_returns(source: &str) -> Option<String> {
    let is_alone = |at: &usize| source.as_bytes().get(at + 1) != Some(&b'\n');
    let mut alone = memchr::memchr_iter(b'\r', source.as_bytes()).filter(is_alone).peekable();
    alone.peek()?;
    let mut bytes = source.as_bytes().to_vec();
    alone.for_each(|at| bytes[at] = b'\n');
    String::from_utf8(bytes).ok()
}

/// The parts of a source to parse separately: each top-level block, and each definition between two. Parsed together, only
/// the first definition of each label would be reported.
fn blocks<'s>(events: impl Iterator<Item = (Event<'s>, Range<usize>)>, source: &str) -> Vec<Range<usize>> {
    let (mut depth, mut end, mut starts) = (0_usize, 0, vec![0]);
    for (event, range) in events {
        if depth == 0 {
            between(source, end..range.start, &mut starts);
        }
        if let Event::Start(_) = event {
            depth += 1;
        } else if let Event::End(_) = event {
            depth -= 1;
        }
        if depth == 0 {
            // The parser ends a list right before the next block.
            end = source[..range.end].trim_end().len();
        }
    }
    between(source, end..source.len(), &mut starts);
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([source.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Adds the starts of the definitions between two blocks, and the start of the next block's line.
fn between(source: &str, gap: Range<usize>, starts: &mut Vec<usize>) {
    let mut at = gap.start;
    for line in source[gap.clone()].split_inclusive(['\n', '\r']) {
        let content = line.trim_start_matches(' ');
        if content.starts_with('[') && content.contains("]:") {
            starts.push(at);
        }
        at += line.len();
    }
    let line = source[..gap.end].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    // Right behind a definition, the indentation of the block means nothing.
    if line > gap.start && line < source.len() && is_behind_blank_line(source, line) {
        starts.push(line);
    }
}

/// How often the parser is asked for the definitions; each time it reports the first of every label. The rest is found when
/// its block is parsed separately.
const PASSES: usize = 8;

/// The source with unused labels in place of those of markers, of the same length, so that these definitions take no effect;
/// `None` when there are none.
fn without_markers(source: &str, is_marker: &dyn Fn(&str) -> bool) -> Option<String> {
    memchr::memmem::find(source.as_bytes(), b"]:")?;
    let mut hidden: Option<String> = None;
    let mut count = 0;
    for pass in 0..=PASSES {
        let text = hidden.as_deref().unwrap_or(source);
        let parser = Parser::new_ext(text, OPTIONS);
        let found = parser.reference_definitions().iter().filter(|(label, _)| is_marker(label));
        let labels: Vec<Range<usize>> = found
            .filter_map(|(_, found)| {
                let from = found.span.start + text[found.span.clone()].find('[')? + 1;
                Some(from..from + text[from..].find(']')?)
            })
            .collect();
        if labels.is_empty() {
            break;
        }
        let mut bytes = text.as_bytes().to_vec();
        if pass == PASSES {
            // One label a thousand times is no answer: hide all labels that look like definitions of markers.
            let first = labels.iter().map(|label| label.start).min().unwrap_or_default();
            hide_all(&mut bytes[first - 1..], is_marker, &mut count);
        } else {
            labels.into_iter().for_each(|label| hide(&mut bytes[label], &mut count));
        }
        hidden = String::from_utf8(bytes).ok();
    }
    hidden
}

/// Control characters that are no blanks. Labels in answers do not hold them.
const UNWRITTEN: &[u8] =
    b"\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";

/// Overwrites a label with the next one made of control characters.
fn hide(label: &mut [u8], count: &mut usize) {
    let mut number = *count;
    *count += 1;
    for byte in label.iter_mut().filter(|byte| !byte.is_ascii_whitespace()) {
        *byte = UNWRITTEN[number % UNWRITTEN.len()];
        number /= UNWRITTEN.len();
    }
}

/// Hides the labels of markers that begin a line and stand before a colon. Any other bracket stays: hidden, it could be read
/// as a link to one of these definitions, because there are few hidden labels of one character.
fn hide_all(bytes: &mut [u8], is_marker: &dyn Fn(&str) -> bool, count: &mut usize) {
    let (mut at, mut line) = (0, 0);
    while let Some(open) = memchr::memchr(b'[', &bytes[at..]).map(|found| at + found + 1) {
        let Some(end) = memchr::memchr2(b'[', b']', &bytes[open..]).map(|found| open + found) else { break };
        line = memchr::memrchr2(b'\n', b'\r', &bytes[line..open]).map_or(line, |found| line + found + 1);
        let begins_line = bytes[line..open - 1].iter().all(|byte| b" \t>-+*.)0123456789".contains(byte));
        let label = std::str::from_utf8(&bytes[open..end]).unwrap_or_default();
        if begins_line && bytes[end..].starts_with(b"]:") && is_marker(label) {
            hide(&mut bytes[open..end], count);
        }
        at = end;
    }
}
