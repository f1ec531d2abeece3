//! What clients notice while nodes are restarted: posts that are refused, and how long sockets are gone.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
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
    /// How long its socket was gone, in microseconds, each time.
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
    for (number, id) in ids.iter().enumerate() {
        spawn(follow(server.clone(), id.clone(), number, Arc::clone(&reads)));
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

/// The numbers of the posts that were acknowledged. Says on standard error why others were not.
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
    let mut gone: Vec<f64> = reads.iter().flat_map(|read| read.gone.iter().map(|micros| micros / 1000.0)).collect();
    let (closed, refused, lost) = (gone.len(), posts - taken.len(), missing(reads, taken));
    let (median, longest) = (percentile(&mut gone, 50), percentile(&mut gone, 100));
    format!("{posts} {refused} {lost} {wrong} {closed} {median:.0} {longest:.0}")
}

/// Reads a conversation, over as many sockets as it takes.
async fn follow(server: DirectLine, id: String, number: usize, reads: Reads) {
    let mut watermark = "-".to_owned();
    let mut gone: Option<Instant> = None;
    for attempt in 0.. {
        let back = |since: Option<Instant>| {
            let Some(since) = since else { return };
            if let Some(read) = reads.lock().unwrap_or_else(PoisonError::into_inner).get_mut(number) {
                read.gone.push(since.elapsed().as_secs_f64() * 1e6);
            }
        };
        read(&server, &id, &mut watermark, &mut gone, back, |post| {
            if let Some(read) = reads.lock().unwrap_or_else(PoisonError::into_inner).get_mut(number) {
                read.posts.push(post);
            }
        })
        .await
        .ok();
        gone = gone.or_else(|| Some(Instant::now()));
        sleep(COME_BACK + SPREAD * ((number * 37 + attempt * 11) % 100) as u32 / 100).await;
    }
}

/// Reads from one socket until it is closed.
async fn read(
    server: &DirectLine,
    id: &str,
    watermark: &mut String,
    gone: &mut Option<Instant>,
    back: impl Fn(Option<Instant>),
    mut seen: impl FnMut(usize),
) -> anyhow::Result<()> {
    let mut socket = open(&server.stream_url_after(id, watermark).await?).await?;
    back(gone.take());
    while let Some(message) = socket.next().await {
        match message? {
            Message::Text(text) if !text.is_empty() => {
                let set: Value = serde_json::from_str(&text)?;
                for activity in set["activities"].as_array().context("activities")? {
                    let text = activity["text"].as_str().unwrap_or_default();
                    let number = text.strip_prefix(MARK).and_then(|number| number.trim().parse().ok());
                    number.into_iter().for_each(&mut seen);
                }
                if let Some(reached) = set["watermark"].as_str() {
                    reached.clone_into(watermark);
                }
            }
            Message::Close(_) => break,
            Message::Text(_) | Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
    bail!("the socket was closed")
}
