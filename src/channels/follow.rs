//! Reads the body of an answer while it arrives, and shows each part that is ready.

use std::pin::pin;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};

use crate::activity::Activity;
use crate::convert::{ConvertError, Streaming, Update};

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

/// An answer whose body has ended.
pub(super) struct Arrived<E> {
    /// What there is of it.
    pub(super) streaming: Streaming,
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

/// Takes a body in, and shows what can be shown of it.
pub(super) async fn take_in<S, E, A>(
    mut streaming: Streaming,
    body: S,
    audience: &mut A,
) -> Result<Arrived<E>, Unread<A::Over>>
where
    S: Stream<Item = Result<Bytes, E>>,
    A: Audience,
{
    let mut body = pin!(body);
    let mut informative = None;
    loop {
        let (must, may) = audience.times();
        let item = tokio::select! {
            biased;
            come = must => {
                come.map_err(Unread::Over)?;
                None
            }
            item = body.next() => Some(item),
            () = may => None,
        };
        match item {
            Some(None) => return Ok(Arrived { streaming, broken: None }),
            Some(Some(Err(error))) => return Ok(Arrived { streaming, broken: Some(error) }),
            Some(Some(Ok(bytes))) => {
                let update = streaming.push(&bytes).map_err(Unread::Convert)?;
                let update = update.map(|update| match update {
                    Update::Informative(text) => Some(text.to_owned()),
                    Update::Text(_) => None,
                });
                // Text behind the limit is not shown, and no more is read of the body.
                if streaming.is_full() {
                    return Ok(Arrived { streaming, broken: None });
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
    }
}
