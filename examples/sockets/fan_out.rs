//! How long it takes until every socket of a conversation has what was posted to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use memchr::memmem::Finder;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use super::client::{AT_ONCE, DirectLine, Socket, open, spawn};
use super::figures::{micros, percentile};

/// So many posts come first and are not counted.
const WARM_UP: usize = 3;

/// So long a post may take to arrive everywhere.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is searched for in a frame; the number of the post follows.
const MARK: &str = "fan-out ";
const DIGITS: usize = 6;

/// When a post was sent and when its answer was here.
#[derive(Clone, Copy, Debug)]
struct Posted {
    sent: Instant,
    answered: Instant,
}

/// Counts what arrives and tells the one who posts when the last socket has it.
#[derive(Debug)]
struct Arrivals {
    sockets: usize,
    count: AtomicUsize,
    complete: Sender<()>,
}

/// Opens the sockets and posts, one post after the other. The line: sockets, posts, then in microseconds the median and
/// the 99th percentile over all frames since the answer, the same since the sending, and the median of the answers.
pub(crate) async fn measure(direct_line: DirectLine, sockets: usize, posts: usize) -> anyhow::Result<String> {
    let id = direct_line.start().await?;
    let total = WARM_UP + posts;
    let (complete, is_complete) = channel();
    let arrivals = Arc::new(Arrivals { sockets, count: AtomicUsize::new(0), complete });
    let open_one = async |_| {
        let socket = open(&direct_line.stream_url(&id).await?).await?;
        anyhow::Ok(spawn(watch(socket, Arc::clone(&arrivals), total)))
    };
    let watching: Vec<JoinHandle<anyhow::Result<Vec<Instant>>>> =
        stream::iter(0..sockets).map(open_one).buffer_unordered(AT_ONCE).try_collect().await?;
    // On a thread of its own, so that its answers do not wait for the sockets here.
    let posting = std::thread::spawn(move || post_all(&direct_line, &id, total, &is_complete));
    let posted = tokio::task::spawn_blocking(move || posting.join()).await?;
    let posted = posted.map_err(|_| anyhow::anyhow!("the thread that posts has failed"))??;
    let (mut since_answer, mut since_sending) = (Vec::new(), Vec::new());
    for watch in watching {
        for (arrived, posted) in watch.await??.into_iter().zip(&posted).skip(WARM_UP) {
            since_answer.push(micros(posted.answered, arrived));
            since_sending.push(micros(posted.sent, arrived));
        }
    }
    ensure!(since_answer.len() == sockets * posts, "{} frames of {}", since_answer.len(), sockets * posts);
    let mut answers: Vec<f64> = posted.iter().skip(WARM_UP).map(|post| micros(post.sent, post.answered)).collect();
    let figures = [
        percentile(&mut since_answer, 50),
        percentile(&mut since_answer, 99),
        percentile(&mut since_sending, 50),
        percentile(&mut since_sending, 99),
        percentile(&mut answers, 50),
    ];
    Ok(format!("{sockets} {posts} {}", figures.map(|figure| format!("{figure:.0}")).join(" ")))
}

/// When each post arrived at this socket: each once, in order.
async fn watch(mut socket: Socket, arrivals: Arc<Arrivals>, total: usize) -> anyhow::Result<Vec<Instant>> {
    let mark = Finder::new(MARK);
    let mut times = Vec::with_capacity(total);
    while times.len() < total {
        let message = socket.next().await.context("a socket was closed")??;
        let arrived = Instant::now();
        let Message::Text(text) = message else { continue };
        // Empty frames keep the socket alive.
        let Some(place) = mark.find(text.as_bytes()) else { continue };
        let number = text.get(place + MARK.len()..place + MARK.len() + DIGITS).and_then(|digits| digits.parse().ok());
        if number != Some(times.len()) {
            bail!("post {number:?} arrived where {} was due", times.len());
        }
        times.push(arrived);
        if (arrivals.count.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(arrivals.sockets) {
            arrivals.complete.send(()).ok();
        }
    }
    Ok(times)
}

/// Posts so often, each time after the one before has arrived everywhere.
fn post_all(
    direct_line: &DirectLine,
    id: &str,
    total: usize,
    is_complete: &Receiver<()>,
) -> anyhow::Result<Vec<Posted>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let direct_line = direct_line.apart();
    let mut posted = Vec::new();
    for number in 0..total {
        let words = "Leave is 30 days a year, and what is not taken expires after one. ".repeat(17);
        let text = format!("{MARK}{number:0DIGITS$} {words}");
        let sent = Instant::now();
        runtime.block_on(direct_line.post(id, &text))?;
        posted.push(Posted { sent, answered: Instant::now() });
        is_complete.recv_timeout(PATIENCE).with_context(|| format!("post {number} did not arrive everywhere"))?;
    }
    Ok(posted)
}
