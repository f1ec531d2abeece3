use std::sync::Arc;
use std::time::Duration;

use citewire::activity::{Activity, ConversationId};
use citewire::clock::SystemClock;
use citewire::store::postgres::{Address, PostgresOptions, PostgresStore};
use citewire::store::{Batch, ConversationStore as _, NewTurn, StoreLimits, TurnKind, TurnRoom, Turns as _};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::Database;

const DEAD_AFTER: Duration = Duration::from_millis(600);

async fn node(database: &Database) -> PostgresStore {
    let mut options = PostgresOptions::default();
    (options.heartbeat, options.dead_after) = (DEAD_AFTER / 6, DEAD_AFTER);
    let address = Address::parse(&database.url).expect("an address");
    PostgresStore::open(address, options, StoreLimits::in_database(), Arc::new(SystemClock)).await.expect("a store")
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn a_node_whose_threads_are_all_busy_is_not_dead() {
    let (busy, free) = (runtime(), runtime());
    let database = free.block_on(Database::new());
    let id: ConversationId = "c".parse().expect("an id");
    let (store, queue) = busy.block_on(async {
        let store = node(&database).await;
        store.create(&id, None).await.expect("created");
        let room = TurnRoom { in_queue: 9, in_all: 99 };
        let turn = NewTurn { kind: TurnKind::Assistant, body: None, room, name: None, bound: false };
        store.append(&id, Batch::new(vec![Activity::message("why")]).asking(Some(turn))).await.expect("a store");
        loop {
            let claimed = store.claim_queues(TurnKind::Assistant, 9).await.expect("a store");
            if let Some(queue) = claimed.into_iter().next() {
                return (store, queue);
            }
            store.queues_to_claim(TurnKind::Assistant).await;
        }
    });
    // Nothing runs on its runtime from here on, as if each of its threads had something else to do.
    free.block_on(async {
        let other = node(&database).await;
        let mut connection = database.connect().await;
        let age = "SELECT extract(epoch FROM min(seen) - max(started))::float8 FROM node";
        // The other node has looked for dead nodes within this time.
        let enough = (3 * DEAD_AFTER).as_secs_f64();
        let beats =
            async { while sqlx::query_scalar::<_, f64>(age).fetch_one(&mut connection).await.expect(age) < enough {} };
        timeout(Duration::from_secs(20), beats).await.expect("its heart beats");
        assert_eq!(other.claim_queues(TurnKind::Assistant, 9).await.expect("a store"), []);
        other.close().await.expect("closed");
    });
    busy.block_on(async {
        assert!(store.next_turn(&queue).await.expect("it is still its own").is_some());
        store.close().await.expect("closed");
    });
}
