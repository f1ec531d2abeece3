//! A text that arrives piece by piece (policy P-12).

use super::read::decided;
use super::rewrite::{Given, Rewrite};
use crate::answer::{Answer, Interpreter, MarkerGrammar, SensitivityLabel, Source, SourceIndex};
use crate::cite::bibliography::Bibliography;
use crate::cite::cite::place_or_first;
use crate::cite::resolve::Resolver;
use crate::cite::{CitedPlace, CitedText, Rules, definition};

/// A block that is longer is not read again with each piece of it, but when it has grown by a sixteenth.
const LONG_BLOCK: usize = 32 * 1024;

/// Cites a text while it arrives: deltas in, appended text out.
///
/// [`push`](Self::push) never takes text back: its pieces, joined, are the beginning of the text that
/// [`finish`](Self::finish) returns, and that text is the one that [`cite()`](super::cite()) makes of the whole answer,
/// wherever the deltas were cut. Text whose meaning may still change is held back, and returned by `finish` at the
/// latest.
///
/// With each piece, the block that is open is read again. Beside blanks at the end, at most 4 KiB of it are held back, and a few
/// bytes of most answers; of a list of references, up to 8 KiB; of a block past 32 KiB, a sixteenth in addition.
#[derive(Debug)]
pub struct Incremental {
    /// The text so far, and its sources.
    answer: Answer,
    rules: Rules,
    resolver: Resolver,
    bibliography: Bibliography,
    rewrite: Rewrite,
    /// Places before each of which only the first so many sources were known.
    arrivals: Vec<(usize, usize)>,
    /// How far the text was read, and where what was held back then begins.
    read: usize,
    held: usize,
    /// The pieces that `push` returned, joined.
    shown: String,
}

impl Incremental {
    /// A text of which nothing has arrived.
    #[must_use]
    pub fn new(grammar: MarkerGrammar, rules: &Rules) -> Self {
        Self {
            answer: Answer { grammar, ..Answer::default() },
            rules: rules.clone(),
            resolver: Resolver::default(),
            bibliography: Bibliography::default(),
            rewrite: Rewrite::new(rules),
            arrivals: Vec::new(),
            read: 0,
            held: 0,
            shown: String::new(),
        }
    }

    /// Adds sources behind those that are known. A marker that came before its source names nothing.
    pub fn add_sources(&mut self, sources: impl IntoIterator<Item = Source>) {
        if self.held > 0 {
            self.arrivals.push((self.held, self.answer.sources.len()));
        }
        self.answer.sources.extend(sources);
        self.resolver.forget();
    }

    /// Takes a piece of the answer; returns what can be shown in addition, which may be nothing.
    pub fn push(&mut self, delta: &str) -> &str {
        self.answer.text.push_str(delta);
        let from = self.shown.len();
        let open = self.answer.text.len() - self.rewrite.settled();
        if open < LONG_BLOCK || self.answer.text.len() - self.read > open / 16 {
            self.read_on();
        }
        &self.shown[from..]
    }

    fn read_on(&mut self) {
        let Self { answer, rules, resolver, bibliography, rewrite, arrivals, .. } = self;
        self.read = answer.text.len();
        let visible = bibliography.read(&answer.text, false, &answer.sources, resolver);
        let to = decided(&answer.text[..visible]).max(self.held);
        let given = Given { answer, rules, resolver, arrivals };
        self.held = rewrite.read(&given, to, Some(self.held));
        // The next character decides about blanks and these signs at the end: whether they stay, and what they mean.
        let signs = if rules.markdown { " \t\r\n!\\#<\u{200b}" } else { " \t\r\n!" };
        let written = rewrite.output.text().trim_end_matches(|c| signs.contains(c));
        debug_assert!(
            written.starts_with(&self.shown) || self.shown.starts_with(written),
            "{:?} was shown, and is {written:?} now",
            self.shown
        );
        self.shown.push_str(written.get(self.shown.len()..).unwrap_or_default());
    }

    /// Cites sources at the end of the text so far (formats whose citations come with a block of text). They are added before the next
    /// piece of text at the latest.
    pub fn cite_here(&mut self, sources: Vec<SourceIndex>) {
        let text = &self.answer.text;
        self.rewrite.decisions.places.cite_at(place_or_first(text, text.len()), sources.into());
    }

    /// All that can be shown so far: the pieces that [`push`](Self::push) returned, joined.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The text to show so far, as if it ended there: with the definitions of the numbers in it and of no others, and with a fence
    /// closed that they would stand in. Text that is held back is not in it, so that all before the definitions is the
    /// beginning of what [`finish`](Self::finish) returns, but for a fence that was closed.
    #[must_use]
    pub fn so_far(&self) -> CitedText {
        let sources = self.rewrite.sources(&self.answer);
        let mut text = self.shown.clone();
        if let Some(fence) = self.rewrite.output.open_fence().filter(|_| self.rules.close_fence && !sources.is_empty())
        {
            text.push_str(fence);
        }
        if self.rules.definitions {
            definition::append(&mut text, &sources);
        }
        CitedText { text, sources, ..CitedText::default() }
    }

    /// The text that has arrived, its sources, and what was said of the whole: what [`so_far`](Self::so_far) refers to.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Says what the whole answer is labelled with, and who stands behind it. Neither changes the text.
    pub fn describe(&mut self, label: Option<SensitivityLabel>, interpreter: Option<Interpreter>) {
        self.answer.label = label;
        self.answer.interpreter = interpreter;
    }

    /// Where the numbers of the sources stand in what can be shown so far, in order. Known only under
    /// [`Rules::only_markers`].
    #[must_use]
    pub fn places(&self) -> &[CitedPlace] {
        if !self.rules.only_markers {
            return &[];
        }
        let places = self.rewrite.places();
        &places[..places.partition_point(|place| place.range.end <= self.shown.len())]
    }

    /// Whether a marker has arrived that names none of the sources known so far.
    #[must_use]
    pub fn has_unresolved(&self) -> bool {
        !self.rewrite.decisions.unresolved.is_empty()
    }

    /// The text as a whole, with its definitions. It begins with what has been shown.
    #[must_use]
    pub fn finish(self) -> CitedText {
        let Self { answer, rules, resolver, mut bibliography, rewrite, arrivals, .. } = self;
        let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
        let given = Given { answer: &answer, rules: &rules, resolver: &resolver, arrivals: &arrivals };
        rewrite.finish(&given, &bibliography, visible)
    }
}
