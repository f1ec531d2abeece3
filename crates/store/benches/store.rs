//! Durable appends per second through the contract, against what SQLite itself does with the same rows.
//!
//!     cargo bench --package citewire-store --bench store
//!
//! The floor writes the same JSON into a table and an index of the same shape, as many rows in a transaction as there
//! are writers, on one connection, with nothing around it. Both take turns in the same run, on the same disk.

#![expect(clippy::print_stdout, reason = "the table is what this is for")]

#[path = "../examples/group_commit/floor.rs"]
mod floor;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use citewire_base::clock::SystemClock;
use citewire_core::activity::{Activity, ConversationId};
use citewire_store::postgres::{Address, PostgresOptions, PostgresStore};
use citewire_store::{Batch, ConversationStore, SqliteStore, StoreLimits};
use floor::CONVERSATIONS;

/// How long each measurement lasts.
const MEASURE: Duration = Duration::from_secs(3);

/// How long where nothing is measured: the suite only looks whether this program still works.
const TRY: Duration = Duration::from_millis(50);

/// How often both take their turn.
const ROUNDS: usize = 3;

fn activity() -> Activity {
    Activity::message("Leave is 30 days a year, and what is not taken expires after one. ".repeat(18))
}

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let body = serde_json::to_string(&activity()).expect("JSON");
    println!("{} bytes an activity", body.len());
    // `cargo bench` says so; the suite does not.
    let measured = std::env::args().any(|argument| argument == "--bench");
    let (rounds, time) = if measured { (ROUNDS, MEASURE) } else { (1, TRY) };
    if let Ok(url) = std::env::var("CITEWIRE_STORE_URL") {
        return runtime.block_on(postgres(&url, time));
    }
    println!("| writers | floor, appends/s | store, appends/s | of the floor | p50, µs | p99, µs |");
    println!("|---|---|---|---|---|---|");
    for writers in [1, 16, 128] {
        let (mut floors, mut stores, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let folder = tempfile::tempdir_in(".").expect("a folder");
            let path = folder.path().join("floor.db");
            let bare = floor::appends_per_second(&path, &body, writers, time);
            floors.push(runtime.block_on(bare).expect("written"));
            let (rate, mut taken) = runtime.block_on(store(&folder.path().join("store.db"), writers, time));
            stores.push(rate);
            times.append(&mut taken);
        }
        times.sort_unstable();
        let (floor, store) = (median(floors), median(stores));
        let at = |share: usize| times.get(times.len() * share / 100).map_or(0, Duration::as_micros);
        let share = 100.0 * store / floor;
        println!("| {writers} | {floor:.0} | {store:.0} | {share:.0} % | {} | {} |", at(50), at(99));
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// The database of `CITEWIRE_STORE_URL`, for which `pgbench` with the same rows is the floor.
async fn postgres(url: &str, time: Duration) {
    println!("| writers | PostgreSQL, appends/s | p50, µs | p99, µs |");
    println!("|---|---|---|---|");
    for writers in [1, 16, 64, 128] {
        let address = Address::parse(url).expect("an address");
        let store = PostgresStore::open(address, PostgresOptions::default(), limits(), Arc::new(SystemClock)).await;
        let (rate, mut times) = appends(Arc::new(store.expect("a store")), writers, time).await;
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).map_or(0, Duration::as_micros);
        println!("| {writers} | {rate:.0} | {} | {} |", at(50), at(99));
    }
}

fn limits() -> StoreLimits {
    StoreLimits { max_activities: usize::MAX, max_conversation_bytes: usize::MAX, ..StoreLimits::on_disk() }
}

async fn store(path: &Path, writers: usize, time: Duration) -> (f64, Vec<Duration>) {
    let store = SqliteStore::open(path, limits(), Arc::new(SystemClock)).await.expect("a store");
    appends(Arc::new(store), writers, time).await
}

async fn appends(store: Arc<dyn ConversationStore>, writers: usize, time: Duration) -> (f64, Vec<Duration>) {
    let ids: Vec<ConversationId> =
        (0..CONVERSATIONS).map(|number| format!("c{number}").parse().expect("an id")).collect();
    for id in &ids {
        store.create(id, None).await.expect("created");
    }
    let ids = Arc::new(ids);
    let since = Instant::now();
    let tasks: Vec<_> = (0..writers)
        .map(|writer| {
            let (store, ids) = (Arc::clone(&store), Arc::clone(&ids));
            let (work, mut times) = (activity(), Vec::new());
            let task = async move {
                let mut number = writer;
                while since.elapsed() < time {
                    let begun = Instant::now();
                    let batch = Batch::new(vec![work.clone()]);
                    store.append(&ids[number % CONVERSATIONS], batch).await.expect("a store").expect("known");
                    times.push(begun.elapsed());
                    number += writers;
                }
                times
            };
            spawn(task)
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.append(&mut task.await.expect("a writer"));
    }
    let rate = times.len() as f64 / since.elapsed().as_secs_f64();
    store.close().await.expect("closed");
    (rate, times)
}

#[expect(clippy::disallowed_methods, reason = "the tasks of this measurement end before it does")]
fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    tokio::spawn(task)
}
