//! The events of an answer, from the first byte that is understood to the last.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};

use crate::answer::{Answer, MarkerGrammar, TokenCounts};
use crate::ingest::{AnswerFormat, AnswerStream, IngestError, StreamEvent};

/// A part of an answer as its author hands it over.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerPart {
    /// Bytes in the format of the answer.
    Bytes(Bytes),
    /// Events whose meaning is known, and the token counts that are known with them.
    Events {
        /// The events, in order.
        events: Vec<StreamEvent>,
        /// The token counts so far.
        token_counts: TokenCounts,
    },
}

/// The reason why no more of an answer is read.
#[derive(Debug, thiserror::Error)]
pub enum AnswerBroken<E: std::error::Error + 'static> {
    /// A part makes the answer unusable.
    #[error(transparent)]
    Unreadable(IngestError),
    /// The parts broke off. The ones before make up what there is of the answer.
    #[error(transparent)]
    Source(E),
}

/// Reads the parts of an answer while they arrive. Bytes are read here, and nowhere else.
#[derive(Debug)]
pub struct AnswerEvents<S> {
    parts: S,
    reader: AnswerStream,
    from: AnswerFormat,
    /// A part that was awaited, and is not read yet.
    first: Option<AnswerPart>,
    is_over: bool,
}

impl<S> AnswerEvents<S> {
    /// The events of these parts. Bytes among them are in the format `from`.
    #[must_use]
    pub fn new(from: impl Into<AnswerFormat>, parts: S) -> Self {
        let from = from.into();
        Self { parts, reader: AnswerStream::new(from.clone()), from, first: None, is_over: false }
    }

    /// The format in which the answer is read.
    #[must_use]
    pub fn from(&self) -> &AnswerFormat {
        &self.from
    }

    /// The brackets that are markers in the text.
    #[must_use]
    pub fn grammar(&self) -> MarkerGrammar {
        self.reader.grammar().unwrap_or_default()
    }

    /// Replaces the stream of the parts that have not arrived, for a limit of time or a guard around it.
    pub fn with_parts<T>(self, change: impl FnOnce(S) -> T) -> AnswerEvents<T> {
        let Self { parts, reader, from, first, is_over } = self;
        AnswerEvents { parts: change(parts), reader, from, first, is_over }
    }

    /// Returns the answer that the parts so far make, whether or not more would come.
    ///
    /// # Errors
    /// When they make none.
    pub fn finish(self) -> Result<Answer, IngestError> {
        self.reader.finish()
    }

    /// Like [`finish`](Self::finish), and reads the token counts of a whole document too.
    ///
    /// # Errors
    /// Like [`finish`](Self::finish).
    pub fn finish_counting(self) -> Result<Answer, IngestError> {
        self.reader.finish_counting()
    }
}

impl<S, E> AnswerEvents<S>
where
    S: Stream<Item = Result<AnswerPart, E>> + Unpin,
    E: std::error::Error + 'static,
{
    /// Waits until the answer begins, or is over.
    ///
    /// # Errors
    /// When it breaks off before its first part.
    pub async fn begin(&mut self) -> Result<(), E> {
        let first = self.parts.next().await.transpose()?;
        self.is_over = first.is_none();
        self.first = first;
        Ok(())
    }

    /// The events of the next part, which may say nothing; `None` at the end. The future may be dropped at any time.
    pub async fn next(&mut self) -> Option<Result<Vec<StreamEvent>, AnswerBroken<E>>> {
        if self.is_over {
            return None;
        }
        let part = match self.first.take() {
            Some(first) => Some(Ok(first)),
            None => self.parts.next().await,
        };
        self.is_over = !matches!(part, Some(Ok(_)));
        Some(match part? {
            Ok(AnswerPart::Bytes(bytes)) => self.reader.push(&bytes).map_err(AnswerBroken::Unreadable),
            Ok(AnswerPart::Events { events, token_counts }) => Ok(self.reader.take(events, token_counts)),
            Err(error) => Err(AnswerBroken::Source(error)),
        })
    }
}

/// The events of a body in the format `from`.
pub fn of_bytes<B, E>(
    from: impl Into<AnswerFormat>,
    bytes: B,
) -> AnswerEvents<impl Stream<Item = Result<AnswerPart, E>> + Unpin>
where
    B: Stream<Item = Result<Bytes, E>>,
{
    AnswerEvents::new(from, Box::pin(bytes.map(|bytes| bytes.map(AnswerPart::Bytes))))
}

impl From<Vec<StreamEvent>> for AnswerPart {
    fn from(events: Vec<StreamEvent>) -> Self {
        Self::Events { events, token_counts: TokenCounts::default() }
    }
}

impl From<StreamEvent> for AnswerPart {
    fn from(event: StreamEvent) -> Self {
        vec![event].into()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    type Parts = Vec<Result<AnswerPart, std::io::Error>>;

    fn text(text: &str) -> AnswerPart {
        StreamEvent::Text(text.to_owned()).into()
    }

    fn events(parts: Parts) -> AnswerEvents<stream::Iter<std::vec::IntoIter<Result<AnswerPart, std::io::Error>>>> {
        AnswerEvents::new(AnswerFormat::own(), stream::iter(parts))
    }

    #[tokio::test]
    async fn the_parts_before_a_break_make_an_answer() {
        let mut arriving = events(vec![Ok(text("a")), Err(std::io::Error::other("gone")), Ok(text("b"))]);
        arriving.begin().await.expect("it begins");
        assert_eq!(arriving.next().await.expect("a part").expect("events"), [StreamEvent::Text("a".to_owned())]);
        assert!(matches!(arriving.next().await, Some(Err(AnswerBroken::Source(_)))));
        assert!(arriving.next().await.is_none(), "nothing follows a break");
        let answer = arriving.finish().expect("an answer");
        assert_eq!((answer.text.as_str(), answer.complete), ("a", false));
    }

    #[tokio::test]
    async fn bytes_are_read_in_the_format_of_the_answer() {
        let bytes = |text: &'static str| Ok(AnswerPart::Bytes(Bytes::from_static(text.as_bytes())));
        let mut arriving =
            events(vec![bytes("data: {\"delta\":"), bytes("\"a\"}\n\n"), bytes("data: {\"delta\":5}\n\n")]);
        assert_eq!(arriving.next().await.expect("a part").expect("half an event"), []);
        assert_eq!(arriving.next().await.expect("a part").expect("events").len(), 1);
        assert!(matches!(arriving.next().await, Some(Err(AnswerBroken::Unreadable(_)))));
        assert!(arriving.next().await.is_none());
    }

    #[tokio::test]
    async fn an_answer_of_no_parts_is_over_at_once() {
        let mut arriving = events(Vec::new());
        arriving.begin().await.expect("no break");
        assert!(arriving.next().await.is_none() && arriving.finish().is_err());
    }
}
