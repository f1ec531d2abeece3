//! Questions that are answered live, for `benches/livestreams.sh`.
//!
//!     livestreams citewire SERVER SECRET UPSTREAM PID STREAMS SECONDS INTERVAL_MS
//!     livestreams peer     SERVER UPSTREAM PID STREAMS SECONDS INTERVAL_MS
//!
//! Listens at UPSTREAM (address and port) as the back end of the server with the process id PID, asks it so many questions
//! at once, writes a hundred words a second as the answer to each, and reads what arrives at a socket for each.

#[path = "../sockets/client.rs"]
#[expect(dead_code, reason = "the other measurements use more of it")]
mod client;
mod figures;
mod reader;
mod upstream;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use client::{AT_ONCE, DirectLine, open, spawn};
use figures::{Figures, cpu_seconds};
use futures_util::{SinkExt as _, StreamExt as _, TryStreamExt as _, stream};
use tokio_tungstenite::tungstenite::Message;
use upstream::Written;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Whose answers are read.
enum Server {
    Citewire(DirectLine),
    /// Answers on the socket on which it is asked.
    Peer(String),
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (server, rest) = match arguments.as_slice() {
        ["citewire", server, secret, rest @ ..] => (Server::Citewire(DirectLine::new(server, secret)), rest),
        ["peer", server, rest @ ..] => (Server::Peer(server.replacen("http", "ws", 1)), rest),
        _ => anyhow::bail!(
            "`citewire SERVER SECRET …` or `peer SERVER …`, then UPSTREAM PID STREAMS SECONDS INTERVAL_MS"
        ),
    };
    let [upstream, pid, streams, seconds, interval] = rest else {
        anyhow::bail!("UPSTREAM PID STREAMS SECONDS INTERVAL_MS are wanted");
    };
    let (pid, streams) = (pid.parse().context("PID")?, streams.parse().context("STREAMS")?);
    let words = seconds.parse::<usize>().context("SECONDS")? * upstream::WORDS_A_SECOND;
    let interval = Duration::from_millis(interval.parse().context("INTERVAL_MS")?);
    let line = runtime.block_on(measure(server, upstream, pid, streams, words, interval))?;
    #[expect(clippy::print_stdout, reason = "this is what the program is for")]
    {
        println!("{line}");
    }
    // What is still open is not closed one by one.
    runtime.shutdown_background();
    Ok(())
}

async fn measure(
    server: Server,
    upstream: &str,
    pid: u32,
    streams: usize,
    words: usize,
    interval: Duration,
) -> anyhow::Result<String> {
    let written: Arc<Vec<Written>> = Arc::new((0..streams).map(|_| Written::new(words)).collect());
    upstream::listen(upstream, Arc::clone(&written)).await?;
    let server = &server;
    let connect = async |number: usize| {
        let (socket, conversation) = match server {
            Server::Citewire(direct_line) => {
                let id = direct_line.start().await?;
                (open(&direct_line.stream_url(&id).await?).await?, Some(id))
            }
            Server::Peer(url) => (open(url).await?, None),
        };
        anyhow::Ok((number, socket, conversation))
    };
    let connected: Vec<_> = stream::iter(0..streams).map(connect).buffer_unordered(AT_ONCE).try_collect().await?;
    let before = cpu_seconds(pid)?;
    let mut reading = Vec::with_capacity(streams);
    let mut asking = Vec::with_capacity(streams);
    for (number, mut socket, conversation) in connected {
        match (server, conversation) {
            (Server::Citewire(_), Some(id)) => asking.push((number, id)),
            (Server::Citewire(_) | Server::Peer(_), _) => {
                socket.send(Message::text(upstream::question(number))).await?;
            }
        }
        reading.push(spawn(reader::read(socket, number, words, Arc::clone(&written))));
    }
    if let Server::Citewire(direct_line) = server {
        let ask = async |(number, id): (usize, String)| direct_line.post(&id, &upstream::question(number)).await;
        stream::iter(asking).map(ask).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
    }
    let mut figures = Figures::default();
    for read in reading {
        figures.add(read.await??);
    }
    let cpu = cpu_seconds(pid)? - before;
    Ok(figures.line(streams, words, cpu, interval))
}
