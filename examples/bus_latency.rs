//! How long the pieces of livestreams take to readers on the node that writes them, and to readers on another node.
//!
//!     redis-server --port 7777 --save "" &
//!     cargo run --release --example bus_latency redis://127.0.0.1:7777
//!
//! Both nodes are in this process and share a store in memory and the Redis server. What a reader on the other node waits for beyond
//! one on the node that writes is what the bus takes.

#![expect(clippy::print_stdout, reason = "the table is what this is for")]
#![expect(clippy::disallowed_methods, reason = "the tasks of this measurement end with it")]

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use citewire::activity::ConversationId;
use citewire::answer_events::of_bytes;
use citewire::bus::{Bus, BusKey, BusOptions};
use citewire::channels::direct_line::streaming::{StreamingAnswers, StreamingOptions};
use citewire::channels::direct_line::{DirectLineOptions, Feed, Hub, Publisher};
use citewire::clock::{IdSource as _, RandomIds, SystemClock};
use citewire::convert::Conversion;
use citewire::dialect::Dialect;
use citewire::ingest::AnswerFormat;
use citewire::secret::Secret;
use citewire::store::{ConversationStore, SqliteStore, StoreLimits};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::time::sleep;

/// So many answers are written at one time, in so many pieces each.
const STREAMS: usize = 100;
const PIECES: usize = 100;

/// A little more than the pause after which an answer is updated, so that each piece goes out at once.
const PAUSE: Duration = Duration::from_millis(110);

/// What a piece adds to its answer; the average update then has some 4.5 kB.
const WORDS: &str = "Leave is 30 days a year, and what is not taken expires after one. All about it is here. ";

type Store = Arc<dyn ConversationStore>;

fn node(store: &Store, bus: &BusOptions) -> anyhow::Result<Arc<Publisher>> {
    let hub = Hub::new(8, 64);
    let key = BusKey::new(&Secret::parse("the-secret-of-the-measurement")?);
    let bus = Bus::new(bus, RandomIds.fresh(), key)?.ok_or_else(|| anyhow::anyhow!("no bus"))?;
    hub.connect(bus.clone());
    let publisher = Publisher::new(Arc::clone(store), hub, Arc::new(SystemClock), Arc::new(RandomIds));
    let publisher = Arc::new(publisher);
    tokio::spawn(Arc::clone(&publisher).hear(bus));
    Ok(publisher)
}

async fn feed(node: &Publisher, store: &Store, id: &ConversationId) -> anyhow::Result<Feed> {
    let listener = store.subscribe(id).await?.ok_or_else(|| anyhow::anyhow!("no conversation"))?;
    Ok(node.hub().feed(Arc::clone(store), listener, id.clone(), None)?)
}

/// When each update was seen, by the number of pieces in it.
async fn watch(mut feed: Feed) -> anyhow::Result<Vec<(usize, Instant)>> {
    let mut seen = Vec::new();
    while let Some(frame) = feed.next().await? {
        let now = Instant::now();
        let set: Value = serde_json::from_str(&frame)?;
        let activity = &set["activities"][0];
        if activity["type"] == "message" {
            break;
        }
        seen.push((activity["text"].as_str().unwrap_or_default().matches("Leave").count(), now));
    }
    Ok(seen)
}

/// An answer in its pieces; tells when each was there.
async fn write(answers: StreamingAnswers, id: ConversationId) -> Vec<Instant> {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let body = stream::unfold(0, move |number| {
        let tell = tell.clone();
        async move {
            let event = if number < PIECES { json!({"delta": WORDS}) } else { json!({"done": true}) };
            if number > PIECES {
                return None;
            }
            sleep(PAUSE).await;
            tell.send(Instant::now()).ok();
            Some((Ok::<_, Infallible>(Bytes::from(format!("data: {event}\n\n"))), number + 1))
        }
    });
    answers
        .begin(id)
        .follow(Conversion::to(Dialect::WebChat), of_bytes(AnswerFormat::default(), body), None)
        .await
        .ok();
    let mut sent = Vec::new();
    while let Ok(at) = told.try_recv() {
        sent.push(at);
    }
    sent
}

fn report(who: &str, mut waits: Vec<Duration>) {
    waits.sort_unstable();
    let at = |share: usize| waits.get((waits.len() * share / 1000).min(waits.len().saturating_sub(1)));
    let milliseconds = |share| at(share).map_or(0.0, |wait| wait.as_secs_f64() * 1000.0);
    println!(
        "| {who} | {} | {:.2} | {:.2} | {:.2} |",
        waits.len(),
        milliseconds(500),
        milliseconds(990),
        milliseconds(999)
    );
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1:6379".to_owned());
    let bus = BusOptions { address: Some(url.parse()?), ..BusOptions::default() };
    let store: Store = Arc::new(SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await?);
    let (a, b) = (node(&store, &bus)?, node(&store, &bus)?);
    let channel = DirectLineOptions::default();
    let answers = StreamingAnswers::new(Arc::clone(&a), Arc::clone(&store), &channel, StreamingOptions::default());
    let mut running = Vec::new();
    for number in 0..STREAMS {
        let id: ConversationId = format!("c{number}").parse()?;
        store.create(&id, None).await?;
        let here = tokio::spawn(watch(feed(&a, &store, &id).await?));
        let elsewhere = tokio::spawn(watch(feed(&b, &store, &id).await?));
        running.push((tokio::spawn(write(answers.clone(), id)), here, elsewhere));
        // Not all in the same instant.
        sleep(PAUSE / STREAMS as u32).await;
    }
    let (mut here, mut elsewhere, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
    for (writer, reader, other) in running {
        let (sent, seen, seen_elsewhere) = (writer.await?, reader.await??, other.await??);
        let since =
            |&(pieces, at): &(usize, Instant)| Some(at.saturating_duration_since(*sent.get(pieces.checked_sub(1)?)?));
        here.extend(seen.iter().filter_map(since));
        elsewhere.extend(seen_elsewhere.iter().filter_map(since));
        for (pieces, at) in &seen_elsewhere {
            let first = seen.iter().find(|(other, _)| other == pieces);
            beyond.extend(first.map(|(_, first)| at.saturating_duration_since(*first)));
        }
    }
    println!("| reader | pieces | p50, ms | p99, ms | p99.9, ms |");
    report("on the node that writes", here);
    report("on the other node", elsewhere);
    report("the other one beyond the first", beyond);
    Ok(())
}
