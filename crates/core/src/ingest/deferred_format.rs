//! A reader for a format with two shapes. The first event decides between them.

use super::event::{Event, ReadEvents, StreamEvent};
use super::format::Members;
use super::{IngestError, Provider, json};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

/// Reads all events with the reader that the first event selects.
#[derive(Debug)]
pub(super) struct DeferredFormat {
    grammar: MarkerGrammar,
    choose: fn(&Members) -> Box<dyn ReadEvents>,
    chosen: Option<Box<dyn ReadEvents>>,
}

impl DeferredFormat {
    /// `grammar` is that of both shapes. `choose` gets the members of the first event.
    pub(super) fn new(grammar: MarkerGrammar, choose: fn(&Members) -> Box<dyn ReadEvents>) -> Self {
        Self { grammar, choose, chosen: None }
    }
}

impl ReadEvents for DeferredFormat {
    fn grammar(&self) -> MarkerGrammar {
        self.chosen.as_ref().map_or(self.grammar, |chosen| chosen.grammar())
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        if self.chosen.is_none() {
            self.chosen = Some((self.choose)(&json::read(json)?));
        }
        self.chosen.as_mut().map_or_else(|| Ok(()), |chosen| chosen.read(event, json, notes, said))
    }

    fn told_provider(&self) -> Option<Provider> {
        self.chosen.as_ref()?.told_provider()
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        if let Some(chosen) = self.chosen {
            chosen.finish(answer);
        }
    }
}
