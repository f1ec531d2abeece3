//! The events of a stream: their raw form, and [`StreamEvent`], which says what they mean.

use std::fmt::Debug;

use super::{IngestError, Provider};
use crate::answer::{
    Answer, Interpreter, MarkerGrammar, ProviderError, SensitivityLabel, Source, SourceCode, SourceIndex, TakenOut,
    TokenCounts,
};
use crate::report::Entry;

/// The sentinel at the end of many streams. Nothing behind it is read (rule T-04).
pub(super) const SENTINEL: &str = "[DONE]";

/// A raw event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// The number of the event, counted from 1.
    pub(super) number: usize,
    /// The line on which its data begins, counted from 1.
    pub(super) line: usize,
    /// The data of the event, which is JSON in nearly all formats.
    pub(super) data: &'a [u8],
    /// The name of the event, where the reader wants names; else empty.
    pub(super) name: &'a str,
}

impl Event<'_> {
    /// JSON pointer of the event in the list of all events, counted from 0.
    pub(super) fn pointer(&self) -> String {
        format!("/{}", self.number - 1)
    }
}

/// A buffer of events that have arrived but are not read yet. Their data is in one vector, because most events are so short
/// that an allocation for each would cost more than reading it.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    data: Vec<u8>,
    places: Vec<Place>,
    /// The names of events, in pairs with the number of the event.
    names: Vec<(usize, String)>,
}

#[derive(Debug)]
struct Place {
    number: usize,
    line: usize,
    /// The end of its data in the buffer, where the data of the next event begins.
    end: usize,
}

impl Arrived {
    /// Adds an event.
    pub(super) fn push(&mut self, Event { number, line, data, name }: Event<'_>) {
        if !name.is_empty() {
            self.names.push((number, name.to_owned()));
        }
        self.data.extend_from_slice(data);
        self.places.push(Place { number, line, end: self.data.len() });
    }

    /// The number of events.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The events, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Event<'_>> {
        let mut names = self.names.iter().peekable();
        self.places.iter().scan(0, move |start, Place { number, line, end }| {
            let data = &self.data[std::mem::replace(start, *end)..*end];
            let name = names.next_if(|(of, _)| of == number).map_or("", |(_, name)| name.as_str());
            Some(Event { number: *number, line: *line, data, name })
        })
    }
}

/// The meaning of an event of a stream, independent of the provider's format.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// More text, to be added to the end.
    Text(String),
    /// More sources. They go behind the known ones in the list.
    Sources(Vec<Source>),
    /// The sources of all text since the last `Cited`, or since the beginning. The citation goes to the end of that text.
    Cited(Vec<SourceIndex>),
    /// Citations that are not in the text itself may still come for text that has already arrived. Their positions are known
    /// only at the end of the stream.
    Late,
    /// The sensitivity label of the whole answer.
    Label(SensitivityLabel),
    /// The service that made the answer, which Web Chat shows beside the time.
    Interpreter(Interpreter),
    /// The code that the answer rests on.
    Code(SourceCode),
    /// A line for the report of the answer, which readers do not see.
    Note(Entry),
    /// An error of the provider. No event follows.
    Error(ProviderError),
    /// The provider's end sign: the answer is complete (rule N-12).
    Done,
}

impl StreamEvent {
    /// Cleans sources, labels, interpreters and code of content that readers must not get. Text stays as it is.
    pub(super) fn clean(&mut self, taken: &mut TakenOut) {
        match self {
            Self::Sources(sources) => sources.iter_mut().for_each(|source| source.clean(taken)),
            Self::Label(label) => label.clean(taken),
            Self::Interpreter(interpreter) => interpreter.clean(taken),
            Self::Code(code) => code.clean(taken),
            Self::Text(_) | Self::Cited(_) | Self::Late | Self::Note(_) | Self::Error(_) | Self::Done => {}
        }
    }
}

/// A reader of the events of one format. The events of a stream must lead to the same answer as the whole response with the
/// same content (rule N-11).
pub(super) trait ReadEvents: Debug + Send {
    /// The brackets that are markers in the text of this format.
    fn grammar(&self) -> MarkerGrammar;

    /// Whether events may be JSON lists.
    fn takes_lists(&self) -> bool {
        false
    }

    /// Reads one event and adds its meaning to `said`. `json` is the data of the event, a JSON object, or a list if the reader
    /// [takes lists](Self::takes_lists). Unknown members are skipped (rule N-16).
    ///
    /// # Errors
    /// When the data is not JSON, or a member that the reader needs has the wrong type.
    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError>;

    /// Whether data that is no JSON object belongs to the format, and a later event repeats what it says. Other such data is
    /// reported as skipped.
    fn passes_over(&self, _data: &str) -> bool {
        false
    }

    /// The provider, for formats where a later event than the first identifies it.
    fn told_provider(&self) -> Option<Provider> {
        None
    }

    /// Whether events count whose data is no JSON object.
    fn reads_any_data(&self) -> bool {
        false
    }

    /// Whether the reader reads token counts with the rest of an event, so that no event is parsed a second time for them.
    fn counts_tokens(&self) -> bool {
        false
    }

    /// Hands over the token counts of the last event, if the reader [counts](Self::counts_tokens).
    fn take_counts(&mut self) -> Option<TokenCounts> {
        None
    }

    /// Takes note of the line `[DONE]`.
    fn take_sentinel(&mut self) {}

    /// Why no text was found, in the words of an error.
    fn nothing(&self) -> Option<String> {
        None
    }

    /// Adds to the answer the sources, citations and warnings that are known only at the end.
    fn finish(self: Box<Self>, answer: &mut Answer);
}
