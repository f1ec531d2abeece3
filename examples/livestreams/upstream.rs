//! The back end: a hundred words a second for each question, and when each of them was written.

use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;

use super::client::spawn;

pub(crate) const WORDS_A_SECOND: usize = 100;

/// When each word of an answer was written.
#[derive(Debug)]
pub(crate) struct Written(Vec<OnceLock<Instant>>);

impl Written {
    pub(crate) fn new(words: usize) -> Self {
        Self((0..words).map(|_| OnceLock::new()).collect())
    }

    pub(crate) fn at(&self, word: usize) -> Option<Instant> {
        self.0.get(word)?.get().copied()
    }
}

/// The question of a stream, by which the back end knows it.
pub(crate) fn question(stream: usize) -> String {
    format!("stream={stream};")
}

/// Answers from now on.
pub(crate) async fn listen(address: &str, written: Arc<Vec<Written>>) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address).await.context("UPSTREAM")?;
    spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            spawn(answer(connection, Arc::clone(&written)));
        }
    });
    Ok(())
}

async fn answer(mut connection: TcpStream, written: Arc<Vec<Written>>) -> anyhow::Result<()> {
    connection.set_nodelay(true)?;
    let (mut request, mut buffer) = (String::new(), [0; 4096]);
    let stream: usize = loop {
        let length = connection.read(&mut buffer).await?;
        anyhow::ensure!(length > 0, "no question");
        request.push_str(&String::from_utf8_lossy(&buffer[..length]));
        // The last one: questions before it are history.
        let named = request.rsplit_once("stream=").and_then(|(_, rest)| rest.split_once(';'));
        if let Some((number, _)) = named {
            break number.parse()?;
        }
    };
    let written = written.get(stream).context("a stream that was asked for")?;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    connection.write_all(head.as_bytes()).await?;
    let sources = r#"{"sources":[{"title":"Leave policy","url":"https://hr.contoso.example/leave"}]}"#;
    write(&mut connection, sources).await?;
    let mut ticks = tokio::time::interval(Duration::from_millis(1000 / WORDS_A_SECOND as u64));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for (word, time) in written.0.iter().enumerate() {
        ticks.tick().await;
        let marker = if word % 20 == 19 { "[1] " } else { "" };
        time.get_or_init(Instant::now);
        write(&mut connection, &format!(r#"{{"delta":"w{word} {marker}"}}"#)).await?;
    }
    write(&mut connection, r#"{"done":true}"#).await?;
    connection.write_all(b"0\r\n\r\n").await?;
    Ok(())
}

async fn write(connection: &mut TcpStream, event: &str) -> anyhow::Result<()> {
    let data = format!("data: {event}\n\n");
    connection.write_all(format!("{:x}\r\n{data}\r\n", data.len()).as_bytes()).await?;
    Ok(())
}
