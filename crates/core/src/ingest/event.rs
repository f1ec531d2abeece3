//! One event of a stream: as it arrives, and what it says.

use std::fmt::Debug;

use super::{IngestError, Provider};
use crate::answer::{
    Answer, Interpreter, MarkerGrammar, ProviderError, SensitivityLabel, Source, SourceIndex, TakenOut,
};
use crate::report::Entry;

/// The sentinel that ends many streams; nothing behind it is read (rule T-04).
pub(super) const SENTINEL: &str = "[DONE]";

/// An event as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// The line on which its data begins, counted from 1.
    pub(super) line: usize,
    /// What it carries: JSON, in nearly all formats.
    pub(super) data: &'a [u8],
}

impl Event<'_> {
    /// Where the event stands, as a JSON pointer into the list of all events.
    pub(super) fn pointer(&self) -> String {
        format!("/{}", self.number - 1)
    }
}

/// Events that have arrived and were not read yet, their data one behind the other: most are so short that memory for
/// each of them would cost more than reading it.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    data: Vec<u8>,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    number: usize,
    line: usize,
    /// Where its data ends, and that of the next begins.
    end: usize,
}

impl Arrived {
    /// Adds an event.
    pub(super) fn push(&mut self, Event { number, line, data }: Event<'_>) {
        self.data.extend_from_slice(data);
        self.places.push(Place { number, line, end: self.data.len() });
    }

    /// How many events have arrived.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The events, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Event<'_>> {
        self.places.iter().scan(0, |start, Place { number, line, end }| {
            let data = &self.data[std::mem::replace(start, *end)..*end];
            Some(Event { number: *number, line: *line, data })
        })
    }
}

/// What an event of a stream says, in citewire's own terms.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// The text goes on.
    Text(String),
    /// Sources, behind those that are known.
    Sources(Vec<Source>),
    /// All text since the last such event, or since the beginning, rests on these: they are cited where it ends.
    Cited(Vec<SourceIndex>),
    /// Text that has arrived is cited by something that is not in the text: where the citations go is known at the end.
    Late,
    /// The label of the whole answer.
    Label(SensitivityLabel),
    /// Who stands behind the answer.
    Interpreter(Interpreter),
    /// The provider failed; nothing follows.
    Error(ProviderError),
    /// The provider's own sign that the answer is whole (rule N-12).
    Done,
}

impl StreamEvent {
    /// Takes out what readers must not get, but for what stands in the text.
    pub(super) fn clean(&mut self, taken: &mut TakenOut) {
        match self {
            Self::Sources(sources) => sources.iter_mut().for_each(|source| source.clean(taken)),
            Self::Label(label) => label.clean(taken),
            Self::Interpreter(interpreter) => interpreter.clean(taken),
            Self::Text(_) | Self::Cited(_) | Self::Late | Self::Error(_) | Self::Done => {}
        }
    }
}

/// Reads the events of one format. Whatever these say together is the same answer as the whole response that says it.
pub(super) trait ReadEvents: Debug + Send {
    /// Which brackets of the text are markers.
    fn grammar(&self) -> MarkerGrammar;

    /// Reads one event, and adds what it says to `said`; `json` is its data, a JSON object. Unknown members say nothing
    /// (rule N-16).
    ///
    /// # Errors
    /// When the data is not JSON, or a member that matters has the wrong type.
    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError>;

    /// Whose format the events turned out to have, where that is told later than by the first of them.
    fn told_provider(&self) -> Option<Provider> {
        None
    }

    /// Adds to the answer what only the whole of it can tell.
    fn finish(self: Box<Self>, answer: &mut Answer);
}
