//! How long it takes until a socket on another node has what one node has acknowledged.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::client::{AT_ONCE, DirectLine, Socket, open, spawn};
use super::figures::{micros, percentile};

/// So long the last frames may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Stands before the number of a post.
const MARK: &str = "rings ";

type Watching = JoinHandle<anyhow::Result<Vec<(usize, Instant)>>>;

/// Opens a socket on both nodes for each conversation, and posts to the first node, to one conversation after the other, so often
/// a second, without waiting for answers. The line: posts, then in microseconds the median and the 99th percentile of the answers,
/// and of the frames since the answer, on the first node and on the other one.
pub(crate) async fn measure(
    nodes: [DirectLine; 2],
    conversations: usize,
    posts: usize,
    rate: u32,
) -> anyhow::Result<String> {
    let [first, other] = &nodes;
    let starting = stream::iter(0..conversations).map(|_| first.start()).buffered(AT_ONCE);
    let ids: Vec<String> = starting.try_collect().await?;
    let (here, elsewhere) = (watch_all(first, &ids, posts).await?, watch_all(other, &ids, posts).await?);
    let mut posting = Vec::new();
    let mut ticks = interval(Duration::from_secs(1) / rate);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for number in 0..posts {
        ticks.tick().await;
        let (node, id) = (first.clone(), ids[number % conversations].clone());
        posting.push(spawn(async move {
            let sent = Instant::now();
            node.post(&id, &format!("{MARK}{number} {}", "Leave is 30 days a year. ".repeat(40))).await?;
            anyhow::Ok((sent, Instant::now()))
        }));
    }
    let (mut answers, mut answered) = (Vec::new(), Vec::new());
    for post in posting {
        let (sent, at) = post.await??;
        answers.push(micros(sent, at));
        answered.push(at);
    }
    let figures = [
        answers,
        waits(here, &answered).await.context("on the node that was posted to")?,
        waits(elsewhere, &answered).await.context("on the other node")?,
    ];
    let figures =
        figures.map(|mut waits| format!("{:.0} {:.0}", percentile(&mut waits, 50), percentile(&mut waits, 99)));
    Ok(format!("{posts} {}", figures.join(" ")))
}

async fn watch_all(node: &DirectLine, ids: &[String], posts: usize) -> anyhow::Result<Vec<Watching>> {
    let open_one = async |(number, id): (usize, &String)| {
        let socket = open(&node.stream_url(id).await?).await?;
        anyhow::Ok(spawn(watch(socket, (number..posts).step_by(ids.len()).collect())))
    };
    stream::iter(ids.iter().enumerate()).map(open_one).buffer_unordered(AT_ONCE).try_collect().await
}

/// When each of these posts arrived at this socket: each once, in order.
async fn watch(mut socket: Socket, due: Vec<usize>) -> anyhow::Result<Vec<(usize, Instant)>> {
    let mut due = due.into_iter().peekable();
    let mut times = Vec::new();
    while due.peek().is_some() {
        let message = socket.next().await.context("a socket was closed")??;
        let arrived = Instant::now();
        let Message::Text(text) = message else { continue };
        for rest in text.split(MARK).skip(1) {
            let number = rest.split(' ').next().and_then(|number| number.parse().ok());
            let expected = due.next();
            ensure!(number == expected, "post {number:?} arrived where {expected:?} was due");
            times.extend(number.map(|number| (number, arrived)));
        }
    }
    Ok(times)
}

/// Microseconds from the answer to the frame, negative where the frame came first.
async fn waits(watching: Vec<Watching>, answered: &[Instant]) -> anyhow::Result<Vec<f64>> {
    let mut waits = Vec::with_capacity(answered.len());
    for watch in watching {
        for (number, arrived) in timeout(PATIENCE, watch).await.context("frames are missing")??? {
            waits.push(micros(answered[number], arrived));
        }
    }
    Ok(waits)
}
