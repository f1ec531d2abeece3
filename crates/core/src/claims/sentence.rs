//! The part of a block that a group of badges stands for.

use std::ops::Range;

use citewire_support::{ContentWords, MAX_SENTENCE_BYTES, ends_sentence};

use super::block::Block;
use super::sentence_bounds::first_sentence;

/// The least words of a cited part that say something.
pub(super) const LEAST_WORDS: usize = 2;

/// The claims of one answer that are held against their sources. Further ones are `unknown`, with the reason `cut`.
pub(super) const MOST_CLAIMS: usize = 2_000;

/// The bytes behind a badge that are looked at for the part that it stands for: more than are read of a sentence.
const MOST_BEHIND: usize = MAX_SENTENCE_BYTES + 1;

/// Badges that touch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Where they stand in the visible text.
    pub(super) at: usize,
    /// Their indexes among all badges.
    pub(super) badges: Range<usize>,
    /// The part of the visible text that they stand for.
    pub(super) part: Range<usize>,
}

/// The sentences of a block, and its words, found once for all of its badges.
pub(super) struct ReadBlock<'b> {
    pub(super) block: &'b Block,
    sentences: Vec<Range<usize>>,
    words: ContentWords,
}

impl<'b> ReadBlock<'b> {
    pub(super) fn new(block: &'b Block) -> Self {
        Self { block, sentences: sentences(&block.visible), words: ContentWords::of(&block.visible) }
    }

    /// The sentences of a part of the visible text, the last one first. One that begins before the part is none of them.
    pub(super) fn sentences_before(&self, part: Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let inside = move |sentence: &Range<usize>| sentence.start >= part.start && sentence.end <= part.end;
        self.sentences.iter().rev().filter(move |sentence| inside(sentence))
    }

    /// Whether a part of the visible text says something.
    pub(super) fn says_something(&self, part: &Range<usize>) -> bool {
        self.words.within(part) >= LEAST_WORDS
    }
}

/// The groups of a block, each with the part that it stands for by its place alone.
pub(super) fn groups(read: &ReadBlock<'_>) -> Vec<Group> {
    let ReadBlock { block, .. } = read;
    let visible = &block.visible;
    let joined = joined(block);
    let mut groups: Vec<Group> = Vec::with_capacity(joined.len());
    for (index, (at, badges)) in joined.iter().enumerate() {
        let before = groups.last().map_or(0, |group| group.at);
        let next = joined.get(index + 1).map_or(visible.len(), |(next, _)| *next);
        // A further claim is not judged, and its part would be looked for in vain.
        let is_judged = index < MOST_CLAIMS;
        let part = if is_judged { part(read, *at, before, next) } else { trimmed(visible, before..*at) };
        groups.push(Group { at: *at, badges: badges.clone(), part });
    }
    groups
}

/// The sentences of a block that groups stand for, and the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SentenceCounts {
    pub(super) cited: usize,
    pub(super) uncited: usize,
}

/// Counts the sentences of a block, of at least two words that say something. Headings, headers of tables and code have none.
pub(super) fn sentence_counts(read: &ReadBlock<'_>, groups: &[Group]) -> SentenceCounts {
    let mut counts = SentenceCounts::default();
    if !read.block.is_prose {
        return counts;
    }
    let mut cited = groups.iter().map(|group| &group.part).peekable();
    for sentence in &read.sentences {
        while cited.next_if(|part| part.end <= sentence.start).is_some() {}
        let is_cited = cited.peek().is_some_and(|part| part.start < sentence.end);
        if read.says_something(sentence) {
            *(if is_cited { &mut counts.cited } else { &mut counts.uncited }) += 1;
        }
    }
    counts
}

/// The sentences of a text, with the blanks behind them (UAX #29), which go on behind abbreviations and ordinals.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = at + first_sentence(&text[at..]);
        match sentences.last_mut() {
            Some(last) if !ends_sentence(text, at) => last.end = end,
            _ => sentences.push(at..end),
        }
        at = end;
    }
    sentences
}

/// The badges of a block, joined where only blanks and commas stand between them.
fn joined(block: &Block) -> Vec<(usize, Range<usize>)> {
    let mut joined: Vec<(usize, Range<usize>)> = Vec::new();
    for (at, index) in &block.badges {
        if let Some((last, badges)) = joined.last_mut() {
            let between = &block.visible[*last..*at];
            if badges.end == *index
                && between.chars().all(|character| character.is_whitespace() || matches!(character, ',' | ';'))
            {
                badges.end = index + 1;
                continue;
            }
        }
        joined.push((*at, *index..index + 1));
    }
    joined
}

/// The part for which a group at a place stands: back to the group before it or the start of its sentence; on to the next group or
/// the end of the sentence where too few words stand before it.
fn part(read: &ReadBlock<'_>, at: usize, before: usize, next: usize) -> Range<usize> {
    let (visible, sentences) = (read.block.visible.as_str(), &read.sentences);
    // A badge behind the full stop, and behind a closing quotation mark, belongs to the sentence before it.
    let closes =
        |mark: char| mark.is_whitespace() || matches!(mark, '»' | '«' | '”' | '“' | '"' | '’' | '」' | '』' | ')');
    let last = visible[..at].trim_end_matches(closes).len();
    let sentence = sentences.get(sentences.partition_point(|sentence| sentence.end < last)).filter(|_| last > 0);
    let start = sentence.map_or(at, |sentence| sentence.start.max(before));
    let back = trimmed(visible, start..at);
    if read.says_something(&back) {
        return back;
    }
    // "According to [1], leave is 30 days." But behind a full stop another sentence begins.
    let goes_on = !visible[..last].ends_with(['.', '!', '?', '。']) || back.is_empty();
    let end =
        sentences.get(sentences.partition_point(|sentence| sentence.end <= at)).map_or(at, |sentence| sentence.end);
    let end = end.min(visible.floor_char_boundary(at + MOST_BEHIND));
    let ends = [end.min(next), end].map(|end| trimmed(visible, at..end.max(at)));
    let on = ends.into_iter().find(|on| goes_on && read.says_something(on));
    on.unwrap_or(back)
}

/// A part without the blanks and the punctuation around it.
pub(super) fn trimmed(visible: &str, part: Range<usize>) -> Range<usize> {
    let text = &visible[part.clone()];
    let start = text.len()
        - text
            .trim_start_matches(|character: char| {
                character.is_whitespace() || matches!(character, ',' | ';' | ':' | '.' | ')')
            })
            .len();
    let end = text.trim_end().len();
    part.start + start.min(end)..part.start + end
}
