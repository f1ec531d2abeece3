//! The background tasks of a store in PostgreSQL.

use std::sync::Arc;

use citewire::clock::SystemClock;
use citewire::metrics::TaskFigures;
use citewire::store::{ConversationStore as _, StoreLimits};
use citewire_base::supervision::trip::{begun, trip};

use super::{Database, node};

const TASKS: [&str; 5] = ["store heartbeat", "store listener", "store notifier", "store maintenance", "store writer"];

#[tokio::test]
async fn a_store_outlives_a_bug_in_each_of_its_tasks() {
    let database = Database::new().await;
    let store = node(&database, StoreLimits::in_memory(), Arc::new(SystemClock)).await;
    let before = TASKS.map(|task| TaskFigures::of(task).restarts());
    for task in TASKS {
        begun(task, 1).await;
        trip(task);
        begun(task, 2).await;
    }
    for (task, before) in TASKS.iter().zip(before) {
        assert!(TaskFigures::of(task).restarts() > before, "{task}");
    }
    store.ready().await.expect("it answers on");
}
