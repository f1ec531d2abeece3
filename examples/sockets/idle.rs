//! What memory a server takes for sockets on which nothing happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use futures_util::{SinkExt as _, StreamExt as _, TryStreamExt as _, stream};
use tokio_tungstenite::tungstenite::Message;

use super::client::{AT_ONCE, Server, Socket, open, spawn};

/// So many sockets are open before memory is looked at, so that what a server needs anyway is not counted.
const WARM_UP: usize = 100;

/// So long everything is left alone before memory is looked at.
const SETTLE: Duration = Duration::from_secs(2);

/// So long the first frames may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What sockets of the echo server are sent and get back: about as long as the first frame of the others.
const FIRST: usize = 350;

/// Sockets that are being read, and what became of them.
#[derive(Debug, Default)]
struct Watched {
    /// Have got something.
    greeted: AtomicUsize,
    /// Have come to an end.
    lost: AtomicUsize,
}

/// Opens the sockets and leaves them alone for `idle`. The line: sockets, RSS in KiB before, with the conversations
/// started, and with all open, bytes a conversation, and bytes a socket.
pub(crate) async fn measure(server: &Server, pid: u32, sockets: usize, idle: Duration) -> anyhow::Result<String> {
    let watched = Arc::<Watched>::default();
    let conversations = start(server, WARM_UP).await?;
    open_all(server, &conversations, &watched).await?;
    wait(&watched, WARM_UP).await?;
    tokio::time::sleep(SETTLE).await;
    let before = resident_kib(pid)?;
    let conversations = start(server, sockets).await?;
    tokio::time::sleep(SETTLE).await;
    let started = resident_kib(pid)?;
    open_all(server, &conversations, &watched).await?;
    wait(&watched, WARM_UP + sockets).await?;
    tokio::time::sleep(idle).await;
    let opened = resident_kib(pid)?;
    let lost = watched.lost.load(Ordering::Relaxed);
    ensure!(lost == 0, "{lost} sockets have ended by themselves");
    let each = |from: i64, to: i64| (to - from) * 1024 / sockets.max(1) as i64;
    Ok(format!("{sockets} {before} {started} {opened} {} {}", each(before, started), each(started, opened)))
}

/// Starts so many conversations with one message in each; the echo server has none.
async fn start(server: &Server, count: usize) -> anyhow::Result<Vec<String>> {
    let Server::Citewire(direct_line) = server else {
        return Ok(vec![String::new(); count]);
    };
    let start = async |_| {
        let id = direct_line.start().await?;
        direct_line.post(&id, "Leave is 30 days.").await?;
        anyhow::Ok(id)
    };
    stream::iter(0..count).map(start).buffer_unordered(AT_ONCE).try_collect().await
}

async fn open_all(server: &Server, conversations: &[String], watched: &Arc<Watched>) -> anyhow::Result<()> {
    let open_one = async |id: &String| {
        let socket = match server {
            Server::Citewire(direct_line) => open(&direct_line.stream_url(id).await?).await?,
            Server::Echo(url) => {
                let mut socket = open(url).await?;
                socket.send(Message::text("x".repeat(FIRST))).await?;
                socket
            }
        };
        spawn(watch(socket, Arc::clone(watched)));
        anyhow::Ok(())
    };
    stream::iter(conversations).map(open_one).buffer_unordered(AT_ONCE).try_collect().await
}

async fn watch(mut socket: Socket, watched: Arc<Watched>) {
    let mut is_greeted = false;
    while let Some(Ok(message)) = socket.next().await {
        if !is_greeted && !message.is_empty() {
            watched.greeted.fetch_add(1, Ordering::Relaxed);
            is_greeted = true;
        }
    }
    watched.lost.fetch_add(1, Ordering::Relaxed);
}

/// Waits until so many sockets have got something.
async fn wait(watched: &Watched, count: usize) -> anyhow::Result<()> {
    let since = Instant::now();
    loop {
        let greeted = watched.greeted.load(Ordering::Relaxed);
        if greeted >= count {
            return Ok(());
        }
        if since.elapsed() > PATIENCE {
            bail!("{greeted} of {count} sockets have got something");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The memory of a process that is in RAM.
fn resident_kib(pid: u32) -> anyhow::Result<i64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).context("the server has ended")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS in /proc")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
