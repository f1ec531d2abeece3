//! The text that readers see of an answer that has not ended.

use std::sync::Arc;

use super::brackets::{Brackets, Piece, may_cite};
use super::message::readdress;
use super::spacing::Spacing;
use super::{Conversion, EarlierAnswers};
use crate::answer::{
    Addresses, Answer, Interpreter, LabelCatalog, MarkerGrammar, SensitivityLabel, Source, SourceIndex,
};
use crate::cite::{CitedText, Incremental, Rules};
use crate::dialect::Dialect;
use crate::ingest::StreamEvent;

/// The text that is shown of an answer, and the phase that limits it.
#[derive(Debug)]
pub(super) struct Shown {
    dialect: Dialect,
    rules: Rules,
    phase: Phase,
    /// How many sources have arrived.
    sources: usize,
    brackets: Brackets,
    rewrite: Option<Incremental>,
    /// Text that goes to the rewrite together with the next text.
    waiting: String,
    /// Sources that go to the rewrite before `waiting` does.
    new_sources: Vec<Source>,
    /// The sensitivity labels of the configuration: updates withhold what the message withholds.
    labels: Arc<LabelCatalog>,
    /// Replaces the addresses of sources by ones that readers can open.
    addresses: Option<Arc<dyn Addresses>>,
    /// The earlier answers of the conversation, to whose sources only the message leads.
    earlier: Option<Arc<EarlierAnswers>>,
    label: Option<SensitivityLabel>,
    interpreter: Option<Interpreter>,
    spacing: Spacing,
    /// Whether updates are wanted at all.
    wanted: bool,
    /// Whether the answer cites.
    citations: bool,
    /// Whether anything has arrived.
    begun: bool,
}

/// How much of the answer may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing, until the message.
    Hidden,
    /// Everything that cannot change any more.
    Inline,
    /// Everything but markers; the message may insert them.
    Provisional,
    /// This number of bytes, and nothing more until the message.
    Frozen(usize),
}

impl Shown {
    /// The state before anything has arrived.
    pub(super) fn new(conversion: &Conversion) -> Self {
        let wanted = conversion.max_updates() > 0;
        let hidden = !wanted || conversion.options.may_refuse();
        Self {
            dialect: conversion.to,
            rules: conversion.rules(),
            phase: if hidden { Phase::Hidden } else { Phase::Inline },
            sources: 0,
            brackets: Brackets::default(),
            rewrite: None,
            waiting: String::new(),
            new_sources: Vec::new(),
            labels: Arc::clone(&conversion.labels),
            addresses: conversion.addresses.clone(),
            earlier: conversion.earlier.clone().filter(|_| conversion.citations),
            label: None,
            interpreter: None,
            spacing: Spacing::of(conversion.max_updates()),
            wanted,
            citations: conversion.citations,
            begun: false,
        }
    }

    /// The text that is shown. It only grows; blanks alone count as no text.
    pub(super) fn text(&self) -> &str {
        let text = match self.phase {
            Phase::Hidden => "",
            Phase::Inline | Phase::Provisional => self.written(),
            Phase::Frozen(length) => &self.written()[..length],
        };
        if text.trim().is_empty() { "" } else { text }
    }

    /// The answer so far, and its shown text with definitions, which refer to the sources of the answer. `None` while
    /// nothing is shown.
    pub(super) fn so_far(&self) -> Option<(&Answer, CitedText)> {
        let rewrite = self.rewrite.as_ref().filter(|_| !self.text().is_empty())?;
        Some((rewrite.answer(), rewrite.so_far()))
    }

    /// Whether text waits that [`catch_up`](Self::catch_up) would show.
    pub(super) fn is_behind(&self) -> bool {
        matches!(self.phase, Phase::Inline | Phase::Provisional)
            && self.rewrite.as_ref().is_some_and(Incremental::is_behind)
    }

    /// Shows all text that can be shown.
    pub(super) fn catch_up(&mut self) {
        if self.is_behind()
            && let Some(rewrite) = &mut self.rewrite
        {
            rewrite.catch_up();
        }
    }

    /// Whether the answer has begun, and nothing of it can be shown before its end.
    pub(super) fn is_silent(&self) -> bool {
        let silent = matches!(self.phase, Phase::Hidden | Phase::Frozen(_));
        self.wanted && self.begun && silent && self.text().is_empty()
    }

    /// At most `max` beginnings of the shown text, evenly spaced. Beginnings that the finished text does not share are left
    /// out, except in [`Phase::Provisional`], where the message may insert markers.
    pub(super) fn beginnings(&self, max: usize, finished: &str) -> impl Iterator<Item = &str> {
        let text = self.text();
        let end = match self.phase {
            Phase::Provisional => text.len(),
            Phase::Hidden | Phase::Inline | Phase::Frozen(_) => common_prefix(text, finished),
        };
        self.spacing.chosen(max, end).into_iter().map(|length| &text[..length])
    }

    fn written(&self) -> &str {
        self.rewrite.as_ref().map_or("", Incremental::shown)
    }

    /// Takes the next event. `grammar` is the marker grammar of the format.
    pub(super) fn take(&mut self, event: StreamEvent, grammar: MarkerGrammar) {
        self.begun = true;
        match event {
            StreamEvent::Text(delta) => self.add_text(&delta, grammar),
            StreamEvent::Sources(_) | StreamEvent::Cited(_) if !self.citations => {}
            StreamEvent::Sources(sources) => {
                if self.brackets.named_before(self.sources, &sources) {
                    self.become_late();
                }
                self.sources += sources.len();
                if self.phase == Phase::Inline {
                    let mut labelled = Answer { sources, ..Answer::default() };
                    self.labels.complete(&mut labelled);
                    // The report of the message names the sources without an address.
                    readdress(&mut labelled.sources, self.addresses.as_deref());
                    self.new_sources.extend(labelled.sources);
                }
            }
            StreamEvent::Cited(sources) => self.cite(sources),
            StreamEvent::Late => self.become_late(),
            StreamEvent::Label(label) => {
                let mut labelled = Answer { label: Some(label), ..Answer::default() };
                self.labels.complete(&mut labelled);
                self.label = labelled.label;
                self.describe();
            }
            StreamEvent::Interpreter(interpreter) => {
                self.interpreter = Some(interpreter);
                self.describe();
            }
            // The message at the end has the code.
            StreamEvent::Code(_) | StreamEvent::Note(_) | StreamEvent::Error(_) | StreamEvent::Done => {}
        }
        self.spacing.grown_to(self.text().len());
    }

    fn add_text(&mut self, delta: &str, grammar: MarkerGrammar) {
        if matches!(self.phase, Phase::Hidden | Phase::Frozen(_)) {
            return;
        }
        for piece in self.brackets.push(delta) {
            match piece {
                Piece::Text(text) => self.show(&text, grammar),
                Piece::Bracket { label, target } => {
                    let is_earlier = |earlier: &Arc<EarlierAnswers>| earlier.may_mean(&label, self.sources);
                    if may_cite(&label) && (self.sources == 0 || self.earlier.as_ref().is_some_and(is_earlier)) {
                        self.become_late();
                    }
                    if self.phase == Phase::Inline || !may_cite(&label) {
                        self.show(&(label + &target), grammar);
                    } else if self.waiting.ends_with(' ') {
                        // The blank before the marker is left out with it.
                        self.waiting.pop();
                    }
                }
            }
        }
    }

    fn show(&mut self, text: &str, grammar: MarkerGrammar) {
        if !matches!(self.phase, Phase::Inline | Phase::Provisional) {
            return;
        }
        self.waiting.push_str(text);
        // When a marker is left out, the blank before it is too, so a blank at the end waits for the next text.
        let may_leave_out = self.phase == Phase::Provisional || self.sources == 0;
        let waits = may_leave_out && self.waiting.ends_with(' ');
        let ready = self.waiting.len() - usize::from(waits);
        if ready == 0 {
            return;
        }
        let blank = self.waiting.split_off(ready);
        let ready = std::mem::replace(&mut self.waiting, blank);
        let (label, interpreter) = (&self.label, &self.interpreter);
        let rewrite = self.rewrite.get_or_insert_with(|| {
            let mut rewrite = Incremental::new(grammar, &self.rules);
            rewrite.describe(label.clone(), interpreter.clone());
            rewrite
        });
        if !self.new_sources.is_empty() {
            rewrite.add_sources(std::mem::take(&mut self.new_sources));
        }
        rewrite.push(&ready);
    }

    fn describe(&mut self) {
        if let Some(rewrite) = &mut self.rewrite {
            rewrite.describe(self.label.clone(), self.interpreter.clone());
        }
    }

    /// Cites the block that ends here. With an open bracket at its end, or without shown text, the answer becomes late.
    fn cite(&mut self, sources: Vec<SourceIndex>) {
        if self.phase != Phase::Inline {
            return;
        }
        match &mut self.rewrite {
            Some(rewrite) if !self.brackets.is_open() => {
                rewrite.add_sources(std::mem::take(&mut self.new_sources));
                rewrite.cite_here(sources);
            }
            _ => self.become_late(),
        }
    }

    /// Marks the answer as late: its final text is known only at its end.
    fn become_late(&mut self) {
        if self.phase == Phase::Inline {
            self.phase =
                if self.dialect.streams_claims() { Phase::Provisional } else { Phase::Frozen(self.written().len()) };
        }
    }
}

/// The length in bytes of the common beginning of two texts.
fn common_prefix(a: &str, b: &str) -> usize {
    a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b).map_or(a.len().min(b.len()), |((at, _), _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_characters() {
        assert_eq!([common_prefix("aé", "aè"), common_prefix("ab", "abc"), common_prefix("", "a")], [1, 2, 0]);
    }
}
