//! What clients notice while nodes are restarted: posts that are refused, and how long sockets are gone.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_tungstenite::tungstenite::Message;

use super::client::{AT_ONCE, DirectLine, open, spawn};
use super::figures::percentile;

/// A client comes back after so long and up to so much later, as directlinejs does.
const COME_BACK: Duration = Duration::from_secs(3);
const SPREAD: Duration = Duration::from_secs(12);

/// So long the last frames may take.
const PATIENCE: Duration = Duration::from_secs(40);

const MARK: &str = "restart ";

/// What the reader of a conversation has seen.
#[derive(Debug, Default)]
struct Read {
    posts: Vec<usize>,
    /// How long it had no socket, in milliseconds, each time.
    gone: Vec<f64>,
}

type Reads = Arc<Mutex<Vec<Read>>>;

/// Posts to the conversations in turn, so often a second, while a reader of each comes back as often as its socket is closed. The
/// line: posts, those refused, frames lost, frames doubled or in the wrong place, sockets closed, and in milliseconds the median of
/// the times for which one was gone, and the longest.
pub(crate) async fn measure(server: DirectLine, conversations: usize, rate: u32, posts: u32) -> anyhow::Result<String> {
    let starting = stream::iter(0..conversations).map(|_| server.start()).buffered(AT_ONCE);
    let ids: Vec<String> = starting.try_collect().await?;
    let reads: Reads = Arc::new(Mutex::new(ids.iter().map(|_| Read::default()).collect()));
    for (number, id) in ids.iter().cloned().enumerate() {
        let (server, reads) = (server.clone(), Arc::clone(&reads));
        let reader = Reader { server, id, number, reads, watermark: "-".to_owned(), gone: None };
        spawn(reader.run());
    }
    let mut posting = Vec::new();
    let mut ticks = interval(Duration::from_secs(1) / rate);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for number in 0..posts as usize {
        ticks.tick().await;
        let (server, id) = (server.clone(), ids[number % conversations].clone());
        posting.push(spawn(async move { server.post(&id, &format!("{MARK}{number} ")).await }));
    }
    let taken = taken(posting).await?;
    wait_for(&reads, &taken).await;
    let reads = std::mem::take(&mut *reads.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(line(&reads, &taken, posts as usize))
}

/// The numbers of the posts that were acknowledged. It says on standard error why others were not.
#[expect(clippy::print_stderr, reason = "the caller wants to see why")]
async fn taken(posting: Vec<JoinHandle<anyhow::Result<()>>>) -> anyhow::Result<Vec<usize>> {
    let mut taken = Vec::new();
    for (number, post) in posting.into_iter().enumerate() {
        match post.await? {
            Ok(()) => taken.push(number),
            Err(error) => eprintln!("post {number}: {error:#}"),
        }
    }
    Ok(taken)
}

/// Waits until the readers have seen everything that was acknowledged.
async fn wait_for(reads: &Reads, taken: &[usize]) {
    let end = Instant::now() + PATIENCE;
    while missing(&reads.lock().unwrap_or_else(PoisonError::into_inner), taken) > 0 && Instant::now() < end {
        sleep(Duration::from_millis(100)).await;
    }
}

fn missing(reads: &[Read], taken: &[usize]) -> usize {
    taken.iter().filter(|number| !reads[*number % reads.len()].posts.contains(number)).count()
}

fn line(reads: &[Read], taken: &[usize], posts: usize) -> String {
    let is_wrong = |pair: &&[usize]| pair[0] >= pair[1];
    let wrong: usize = reads.iter().map(|read| read.posts.windows(2).filter(is_wrong).count()).sum();
    let mut gone: Vec<f64> = reads.iter().flat_map(|read| read.gone.iter().copied()).collect();
    let (closed, refused, lost) = (gone.len(), posts - taken.len(), missing(reads, taken));
    let (median, longest) = (percentile(&mut gone, 50), percentile(&mut gone, 100));
    format!("{posts} {refused} {lost} {wrong} {closed} {median:.0} {longest:.0}")
}

/// Reads one conversation.
struct Reader {
    server: DirectLine,
    id: String,
    /// Of the conversation.
    number: usize,
    reads: Reads,
    watermark: String,
    /// Since when it has no socket; absent before the first one.
    gone: Option<Instant>,
}

impl Reader {
    /// Reads over as many sockets as it takes.
    async fn run(mut self) {
        for attempt in 0.. {
            if self.read().await.is_ok() {
                self.gone = Some(Instant::now());
            }
            sleep(COME_BACK + SPREAD * ((self.number * 37 + attempt * 11) % 100) as u32 / 100).await;
        }
    }

    /// Reads from one socket until it ends. An error means that there was none.
    async fn read(&mut self) -> anyhow::Result<()> {
        let mut socket = open(&self.server.stream_url_after(&self.id, &self.watermark).await?).await?;
        if let Some(gone) = self.gone {
            self.note(|read| read.gone.push(gone.elapsed().as_secs_f64() * 1000.0));
        }
        while let Some(Ok(message)) = socket.next().await {
            // Empty frames keep the socket alive.
            if let Message::Text(text) = message
                && !text.is_empty()
            {
                self.frame(&serde_json::from_str(&text)?);
            }
        }
        Ok(())
    }

    fn frame(&mut self, set: &Value) {
        let number =
            |activity: &Value| -> Option<usize> { activity["text"].as_str()?.strip_prefix(MARK)?.trim().parse().ok() };
        let posts = set["activities"].as_array().into_iter().flatten().filter_map(number);
        self.note(|read| read.posts.extend(posts));
        if let Some(reached) = set["watermark"].as_str() {
            reached.clone_into(&mut self.watermark);
        }
    }

    fn note(&self, change: impl FnOnce(&mut Read)) {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.get_mut(self.number).map(change);
    }
}
