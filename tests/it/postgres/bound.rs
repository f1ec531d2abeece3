//! Turns whose callers wait in one of several nodes.

use std::sync::Arc;
use std::time::Duration;

use citewire::activity::ConversationId;
use citewire::clock::SystemClock;
use citewire::store::postgres::PostgresStore;
use citewire::store::{
    ConversationStore as _, EndOfTurn, NewTurn, Queued, StoreLimits, Turn, TurnKind, TurnQueue, TurnRoom, Turns as _,
};

use tokio::time::timeout;

use super::{Database, node};

fn id() -> ConversationId {
    "c".parse().expect("an id")
}

async fn add_turn(node: &PostgresStore, body: &str, bound: bool) {
    let (body, room) = (Some(body.to_owned()), TurnRoom { in_queue: 9, in_all: 99 });
    let turn = NewTurn { kind: TurnKind::Azure, body, room, name: None, bound };
    assert_eq!(node.queue_turn(&id(), turn).await.expect("a store"), Some(Queued::Taken));
}

/// The queue, as soon as it may be claimed.
async fn claim(node: &PostgresStore) -> TurnQueue {
    loop {
        if let Some(queue) = node.claim_queues(TurnKind::Azure, 9).await.expect("a store").pop() {
            return queue;
        }
        // Nodes look by themselves, too.
        timeout(Duration::from_millis(200), node.queues_to_claim(TurnKind::Azure)).await.ok();
    }
}

async fn next(node: &PostgresStore, queue: &TurnQueue) -> Option<Turn> {
    node.next_turn(queue).await.expect("a store")
}

fn body(turn: Option<&Turn>) -> Option<&str> {
    turn.and_then(|turn| turn.body.as_deref())
}

/// Another node could claim the turn, knew nothing of its caller, and ended it: the caller got no answer.
#[tokio::test]
async fn a_turn_whose_caller_waits_in_a_node_is_served_there_until_that_is_dead() {
    let database = Database::new().await;
    let open = || node(&database, StoreLimits::in_database(), Arc::new(SystemClock));
    let (a, b) = tokio::join!(open(), open());
    a.create(&id(), None).await.expect("created");
    add_turn(&b, "b's", false).await;
    let queue = claim(&b).await;
    add_turn(&a, "a's, bound", true).await;
    add_turn(&a, "a's, bound, too", true).await;
    let first = next(&b, &queue).await.expect("a turn");
    let end = EndOfTurn { queue: queue.clone(), turn: first.key, unless_answered: false };
    b.end_turn(&end).await.expect("held");
    assert_eq!(next(&b, &queue).await, None, "it is given to the other node");
    assert_eq!(b.claim_queues(TurnKind::Azure, 9).await.expect("a store"), []);
    let queue = claim(&a).await;
    let turn = next(&a, &queue).await;
    assert_eq!(body(turn.as_ref()), Some("a's, bound"));
    let end = EndOfTurn { queue, turn: turn.expect("a turn").key, unless_answered: false };
    a.end_turn(&end).await.expect("held");
    a.close().await.expect("closed");
    let queue = claim(&b).await;
    assert_eq!(body(next(&b, &queue).await.as_ref()), Some("a's, bound, too"));
    b.close().await.expect("closed");
}
