//! Passages: texts that are no answers, and cite nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Rooms;
use super::read::{Container, Definition, Definitions, Inline, Leaf, LeafKind, Reader, Slice, read};
use super::write::open_fence;
use crate::answer::{Answer, MarkerGrammar};
use crate::cite::Rules;
use crate::cite::bibliography::Bibliography;
use crate::cite::resolve::Resolver;
use crate::report::{Entry, Kind};

/// Makes a passage harmless that a channel draws as Markdown: the dialog of a non-URL citation. With it comes what was made
/// harmless, by places in the passage.
#[must_use]
pub fn make_harmless(passage: &str, image_hosts: &BTreeSet<String>) -> (String, Vec<Entry>) {
    let rules = Rules { image_hosts: image_hosts.clone(), ..Rules::web_chat() };
    let answer = Answer { text: passage.to_owned(), grammar: MarkerGrammar::NONE, ..Answer::default() };
    let resolver = Resolver::default();
    let mut rooms = Rooms::new(&answer, &rules, &resolver);
    rooms.read(passage.len());
    let mut cited = rooms.finish(&answer, &Bibliography::default(), false);
    cited.entries.retain(|entry| entry.kind == Kind::Neutralised);
    (cited.text, cited.entries)
}

/// The text with the fence closed that it leaves open, and whether there was one.
pub(in crate::cite) fn close_open_fence(text: &str) -> (String, bool) {
    let mut last = LastFence { text, ..LastFence::default() };
    let slice = Slice { text, range: 0..text.len(), finished: true };
    read(&slice, &mut Definitions::default(), &|_| false, &mut last);
    let mut closed = text.to_owned();
    if let Some(fence) = last.open {
        if !closed.ends_with('\n') {
            closed.push('\n');
        }
        closed.push_str(fence);
    }
    (closed, last.open.is_some())
}

/// The fence that is open where the text ends, if there is one. Containers end their code with themselves.
#[derive(Default)]
struct LastFence<'t> {
    text: &'t str,
    depth: usize,
    open: Option<&'t str>,
}

impl Reader for LastFence<'_> {
    fn begin(&mut self, _at: usize) {}
    fn text(&mut self, _leaf: &Leaf, _inline: &Inline<'_>) {}
    fn definition(&mut self, _definition: &Definition) {}

    fn open(&mut self, _container: Container, _range: Range<usize>) {
        self.depth += 1;
    }

    fn close(&mut self, _container: Container, _range: Range<usize>) {
        self.depth -= 1;
    }

    fn verbatim(&mut self, leaf: &Leaf, content: &str) {
        if self.depth == 0 && leaf.kind == LeafKind::Fence {
            self.open = open_fence(&self.text[leaf.range.clone()], content);
        }
    }
}
