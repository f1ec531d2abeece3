//! What arrives at one socket.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures_util::StreamExt as _;
use tokio_tungstenite::tungstenite::Message;

use super::client::Socket;
use super::upstream::Written;

/// So long an answer may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// What one socket has seen of its answer.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// For each frame: how old its newest word was.
    pub(crate) newest: Vec<Duration>,
    /// For each word: how old it was in the first frame that had it.
    pub(crate) words: Vec<Duration>,
    pub(crate) frames: usize,
    pub(crate) bytes: usize,
    /// The length of the last frame, which has the whole answer.
    pub(crate) last_bytes: usize,
}

/// Reads until the last word of the answer is there, every word before it was, and the answer is a message.
pub(crate) async fn read(
    mut socket: Socket,
    stream: usize,
    words: usize,
    written: Arc<Vec<Written>>,
) -> anyhow::Result<Seen> {
    let written = &written[stream];
    let mut seen = Seen::default();
    let mut next = 0;
    loop {
        let message = tokio::time::timeout(PATIENCE, socket.next()).await.context("an answer that is silent")?;
        let arrived = Instant::now();
        let Message::Text(text) = message.context("a socket was closed")?? else { continue };
        let Some(newest) = newest_word(&text) else { continue };
        seen.frames += 1;
        seen.bytes += text.len();
        seen.last_bytes = text.len();
        let age = |word| written.at(word).map(|at| arrived.saturating_duration_since(at));
        if newest >= next {
            seen.newest.push(age(newest).context("a word that was not written")?);
            for word in next..=newest {
                seen.words.push(age(word).context("a word that was not written")?);
            }
            next = newest + 1;
        }
        // The final message comes after the last update.
        if next == words && text.contains(r#""message""#) {
            ensure!(text.contains("hr.contoso.example"), "the answer lost its citation");
            return Ok(seen);
        }
    }
}

/// The number of the last `w<number>` followed by a blank or the end.
fn newest_word(text: &str) -> Option<usize> {
    text.rmatch_indices('w').find_map(|(at, _)| {
        let digits: &str = text[at + 1..].split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    })
}
