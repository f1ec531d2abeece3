//! Sends files to readers, part by part.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use tokio::time::Instant;

use super::admission::downloads::DownloadSlot;

/// The bytes that are handed to the connection at a time.
const CHUNK_BYTES: usize = 64 * 1024;

/// The time in which a reader may take the file as slowly as it likes.
const GRACE: Duration = Duration::from_secs(30);

/// The reason why a file is not sent to its end. The connection then closes, so that no client takes a part for the
/// whole.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError<E> {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(E),
    /// The file is not any more the one of the beginning.
    #[error("the document was changed while it was sent")]
    Changed,
    /// The reader takes too little.
    #[error("the reader takes less than {rate} bytes a second (limits.download_bytes_per_second)")]
    TooSlow { rate: u32 },
}

/// A file on its way to a reader.
struct Sending<R> {
    read: R,
    at: u64,
    end: u64,
    part: Bytes,
    begun: Instant,
    sent: u64,
    rate: u32,
    _slot: DownloadSlot,
}

/// The bytes of a file from `at` up to `end`, which `read` gives from a place on. No more of it is held than one part. A reader
/// has to take `rate` bytes a second behind the first thirty seconds; 0 asks for nothing.
pub(super) fn sent<E>(
    read: impl AsyncFn(u64) -> Result<Bytes, E>,
    at: u64,
    end: u64,
    rate: u32,
    slot: DownloadSlot,
) -> impl Stream<Item = Result<Bytes, SendError<E>>> {
    let sending = Sending { read, at, end, part: Bytes::new(), begun: Instant::now(), sent: 0, rate, _slot: slot };
    stream::try_unfold(sending, async |mut sending| {
        if sending.at >= sending.end {
            return Ok(None);
        }
        let seconds = sending.sent.checked_div(sending.rate.into()).map(Duration::from_secs);
        if seconds.is_some_and(|seconds| sending.begun.elapsed() > GRACE + seconds) {
            return Err(SendError::TooSlow { rate: sending.rate });
        }
        if sending.part.is_empty() {
            sending.part = (sending.read)(sending.at).await.map_err(SendError::Unreadable)?;
        }
        let wanted = usize::try_from(sending.end - sending.at).unwrap_or(usize::MAX).min(CHUNK_BYTES);
        let chunk = sending.part.split_to(wanted.min(sending.part.len()));
        if chunk.is_empty() {
            return Err(SendError::Changed);
        }
        sending.at += chunk.len() as u64;
        sending.sent += chunk.len() as u64;
        Ok(Some((chunk, sending)))
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::pin;

    use futures_util::StreamExt as _;

    use super::*;
    use crate::http::admission::LimitOptions;
    use crate::http::admission::downloads::DownloadSlots;
    use crate::metrics::Metrics;

    async fn slot() -> DownloadSlot {
        DownloadSlots::new(LimitOptions::default(), Metrics::new()).begin(None, 1).await.expect("a slot")
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_too_little_is_let_go() {
        let read = async |_| Ok::<_, Infallible>(Bytes::from(vec![b'x'; CHUNK_BYTES]));
        let mut parts = pin!(sent(read, 0, 1024 * CHUNK_BYTES as u64, 8 * 1024, slot().await));
        let begun = Instant::now();
        let mut last = parts.next().await;
        while let Some(Ok(_)) = last {
            tokio::time::sleep(Duration::from_secs(20)).await;
            last = parts.next().await;
        }
        assert!(matches!(last, Some(Err(SendError::TooSlow { rate: 8_192 }))));
        assert_eq!(begun.elapsed().as_secs(), 60, "30 s, and 8 s for each chunk");
    }

    #[tokio::test]
    async fn a_file_is_sent_from_its_place_on_and_breaks_off_where_it_has_changed() {
        let read = async |at: u64| {
            Ok::<_, Infallible>(Bytes::from_static(&b"0123456789"[usize::try_from(at).expect("few")..]))
        };
        let mut parts = pin!(sent(read, 3, 6, 0, slot().await));
        assert!(matches!(parts.next().await, Some(Ok(part)) if part == "345"));
        assert!(parts.next().await.is_none());
        let mut parts = pin!(sent(read, 8, 12, 0, slot().await));
        assert!(matches!(parts.next().await, Some(Ok(part)) if part == "89"));
        let gone = async |_| Ok::<_, Infallible>(Bytes::new());
        let mut parts = pin!(sent(gone, 0, 5, 0, slot().await));
        assert!(matches!(parts.next().await, Some(Err(SendError::Changed))));
    }
}
