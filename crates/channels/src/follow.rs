//! Reads an answer while it arrives, and shows each part that is ready.

use std::error::Error;

use futures_util::Stream;

use crate::activity::Activity;
use crate::answer::Answer;
use crate::answer_events::{AnswerBroken, AnswerEvents, AnswerPart};
use crate::convert::{ConvertError, Streaming, Update};
use crate::ingest::IngestError;

/// The readers of a growing answer, and the pace of its updates.
pub(super) trait Audience {
    /// Why they want no more of it.
    type Over;

    /// Two times, awaited side by side. At the first one something has to be done however much of the body is there to take in, so that
    /// a body that always has more is shown as well. At the second one something may be done, where the body has nothing more: what
    /// has arrived already is taken in first, so that an answer that comes at once is not shown in pieces.
    fn times(&mut self) -> (impl Future<Output = Result<(), Self::Over>> + Send, impl Future<Output = ()> + Send);

    /// There is something new to show.
    fn wish(&mut self);

    /// Does what had to be done now in place of showing something new; whether there was such a thing.
    fn keep_alive(&mut self) -> impl Future<Output = bool> + Send {
        std::future::ready(false)
    }

    /// Shows all of the answer so far, or what it says of itself before it begins.
    fn show(
        &mut self,
        so_far: Option<Activity>,
        informative: Option<String>,
    ) -> impl Future<Output = Result<(), Self::Over>> + Send;
}

/// An answer of which nothing more is read.
pub(super) struct Arrived<E> {
    /// The conversion of all that was read.
    pub(super) streaming: Streaming,
    /// The answer that this is.
    pub(super) answer: Result<Answer, IngestError>,
    /// Why there is not more.
    pub(super) broken: Option<E>,
}

/// The reason why a body was not read to its end.
pub(super) enum Unread<O> {
    /// It is no answer.
    Convert(ConvertError),
    /// Its audience wants no more.
    Over(O),
}

/// Takes an answer in, and shows the parts of it that can be shown.
pub(super) async fn take_in<S, E, A>(
    mut streaming: Streaming,
    mut events: AnswerEvents<S>,
    audience: &mut A,
) -> Result<Arrived<E>, Unread<A::Over>>
where
    S: Stream<Item = Result<AnswerPart, E>> + Unpin,
    E: Error + 'static,
    A: Audience,
{
    let mut informative = None;
    let broken = loop {
        let (must, may) = audience.times();
        let item = tokio::select! {
            biased;
            come = must => {
                come.map_err(Unread::Over)?;
                None
            }
            item = events.next() => Some(item),
            () = may => None,
        };
        match item {
            Some(None) => break None,
            Some(Some(Err(AnswerBroken::Source(error)))) => break Some(error),
            Some(Some(Err(AnswerBroken::Unreadable(error)))) => return Err(Unread::Convert(error.into())),
            Some(Some(Ok(said))) => {
                let update = streaming.take(said, events.grammar());
                let update = update.map(|update| match update {
                    Update::Informative(text) => Some(text.to_owned()),
                    Update::Text(_) => None,
                });
                // Text behind the limit is not shown, and no more is read of the body.
                if streaming.is_full() {
                    break None;
                }
                if update.is_none() && streaming.is_behind() {
                    audience.wish();
                }
                let Some(update) = update else { continue };
                informative = update.or(informative);
                audience.wish();
            }
            None if audience.keep_alive().await => {}
            None => {
                // Nothing is borrowed of the conversion while something is sent: it cannot be looked at from two threads.
                let so_far = streaming.so_far();
                audience.show(so_far, informative.take()).await.map_err(Unread::Over)?;
            }
        }
    };
    Ok(Arrived { streaming, answer: events.finish(), broken })
}
