//! A text that arrives piece by piece (policy P-12).

use super::bibliography::Bibliography;
use super::cite::{Sources, finish};
use super::resolve::Resolver;
use super::scan::Scanner;
use super::{CitedText, Rules};
use crate::answer::{Answer, MarkerGrammar, Source, SourceIndex};

/// Cites a text while it arrives: deltas in, appended text out.
///
/// What has been given out is never changed: all pieces joined are the beginning of the text that
/// [`finish`](Self::finish) returns, and that text is the one that [`cite()`](super::cite) makes of the whole answer,
/// wherever the deltas were cut. Text that what follows may still change is held back, and given out by `finish` at the
/// latest.
#[derive(Debug)]
pub struct Incremental {
    /// The text so far, and its sources.
    answer: Answer,
    rules: Rules,
    resolver: Resolver,
    bibliography: Bibliography,
    scanner: Scanner,
    /// How much of what is written was given out.
    shown: usize,
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
            scanner: Scanner::new(rules),
            shown: 0,
        }
    }

    /// Adds sources behind those that are known. A marker that came before its source names nothing.
    pub fn add_sources(&mut self, sources: impl IntoIterator<Item = Source>) {
        self.answer.sources.extend(sources);
        self.resolver.forget();
    }

    /// Takes a piece of the answer; returns what can be shown in addition, which may be nothing.
    pub fn push(&mut self, delta: &str) -> &str {
        let end = self.answer.text.len();
        self.answer.text.push_str(delta);
        if self.bibliography.is_settled() && self.scanner.take_plain(&self.answer.text, end) {
            let from = std::mem::replace(&mut self.shown, self.scanner.writer.written().len());
            return &self.scanner.writer.written()[from..];
        }
        let Self { answer, rules, resolver, bibliography, scanner, .. } = self;
        let visible = bibliography.read(&answer.text, false, &answer.sources, resolver);
        let sources = Sources { answer, rules, resolver };
        scanner.run(&sources.input(&answer.text[..visible], false));
        let from = self.shown;
        // Blanks at the end give way to what follows them.
        let written = self.scanner.writer.written();
        self.shown = from + written[from..].trim_end_matches([' ', '\t', '\r', '\n']).len();
        &written[from..self.shown]
    }

    /// Cites sources at the end of the text so far (formats whose citations come with a block of text).
    pub fn cite_here(&mut self, sources: Vec<SourceIndex>) {
        self.scanner.cite_at(self.answer.text.trim_end().len(), sources);
    }

    /// All that can be shown so far: the pieces that [`push`](Self::push) returned, joined.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.scanner.writer.written()[..self.shown]
    }

    /// The text as a whole, with its definitions. It begins with what has been shown.
    #[must_use]
    pub fn finish(self) -> CitedText {
        let Self { answer, rules, resolver, mut bibliography, scanner, .. } = self;
        let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
        finish(
            scanner,
            &bibliography,
            visible,
            &answer.text,
            &Sources { answer: &answer, rules: &rules, resolver: &resolver },
        )
    }
}
