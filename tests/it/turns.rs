//! The contract of every store for turns.

use std::path::Path;
use std::sync::Arc;

use citewire::activity::{Activity, ChannelAccount, ConversationId, Role, Watermark};
use citewire::clock::{Clock, SystemClock};
use citewire::store::{
    Batch, ConversationStore, EndOfTurn, NewTurn, Queued, SqliteStore, StoreError, StoreLimits, Turn, TurnKind,
    TurnQueue, TurnRoom, TurnStage,
};
use tempfile::TempDir;

use crate::postgres::{Database, node, two_nodes as nodes};

/// A store, and the folder of its file.
struct Fixture {
    store: Arc<dyn ConversationStore>,
    _folder: Option<TempDir>,
}

async fn open(folder: &Path) -> Arc<dyn ConversationStore> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Arc::new(SqliteStore::open(&folder.join("citewire.db"), StoreLimits::on_disk(), clock).await.expect("a store"))
}

async fn postgres() -> Fixture {
    let database = Database::new().await;
    let store = node(&database, StoreLimits::in_memory(), Arc::new(SystemClock)).await;
    Fixture { store: Arc::new(store), _folder: None }
}

async fn two_nodes() -> Fixture {
    let database = Database::new().await;
    let store = nodes(&database, StoreLimits::in_memory(), Arc::new(SystemClock)).await;
    Fixture { store: Arc::new(store), _folder: None }
}

async fn memory() -> Fixture {
    let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store");
    Fixture { store: Arc::new(store), _folder: None }
}

async fn sqlite() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    Fixture { store: open(folder.path()).await, _folder: Some(folder) }
}

/// One test for each promise, for one backend.
macro_rules! backend {
    ($backend:ident: $($promise:ident),* $(,)?) => {
        mod $backend {
            $(#[tokio::test]
            async fn $promise() {
                let fixture = super::$backend().await;
                super::promises::$promise(&*fixture.store).await;
                fixture.store.close().await.expect("the store closes well");
            })*
        }
    };
}

/// All promises: a new backend is one more line.
macro_rules! backends {
    ($($backend:ident),*) => {
        $(backend!($backend:
            turns_come_in_the_order_of_the_history,
            a_line_has_one_holder,
            an_answer_ends_its_turn_and_is_recorded_with_it,
            a_holder_whose_line_was_given_back_records_nothing,
            a_turn_ends_once,
            a_turn_that_was_answered_gets_no_apology,
            an_apology_is_recorded_where_there_was_no_reply,
            a_line_and_all_lines_have_room_for_so_many,
            a_turn_of_a_known_name_is_not_recorded_again,
            a_forgotten_name_is_new_and_its_turn_stays,
            a_repeated_batch_asks_nothing,
            a_user_who_becomes_known_is_a_turn_once,
            turns_go_with_their_conversation,
            what_is_forgotten_is_not_answered,
            how_far_an_answer_has_come_is_kept,
            a_claimer_is_woken,
            kinds_do_not_meet,
        );)*
    };
}

backends!(memory, sqlite, postgres, two_nodes);

fn id(text: &str) -> ConversationId {
    text.parse().expect("an id")
}

fn turn(kind: TurnKind) -> NewTurn {
    NewTurn { kind, body: None, room: TurnRoom { in_queue: 9, in_all: 99 }, name: None, bound: false }
}

fn event(body: &str) -> NewTurn {
    NewTurn { body: Some(body.to_owned()), ..turn(TurnKind::Assistant) }
}

fn end(queue: &TurnQueue, turn: &Turn) -> EndOfTurn {
    EndOfTurn { queue: queue.clone(), turn: turn.key, unless_answered: false }
}

async fn ask(store: &dyn ConversationStore, conversation: &str, text: &str) -> Option<Queued> {
    let batch = Batch::new(vec![Activity::message(text)]).asking(Some(turn(TurnKind::Assistant)));
    store.append(&id(conversation), batch).await.expect("a store").expect("known").queued
}

async fn claim(store: &dyn ConversationStore) -> Vec<TurnQueue> {
    store.claim_queues(TurnKind::Assistant, 9).await.expect("a store")
}

/// Claims `count` queues. A node without readers may have to wait for a moment.
async fn claim_all(store: &dyn ConversationStore, kind: TurnKind, count: usize) -> Vec<TurnQueue> {
    let mut queues = Vec::new();
    loop {
        queues.extend(store.claim_queues(kind, count).await.expect("a store"));
        if queues.len() >= count {
            assert_eq!(queues.len(), count);
            return queues;
        }
        store.queues_to_claim(kind).await;
    }
}

async fn claim_one(store: &dyn ConversationStore) -> TurnQueue {
    claim_all(store, TurnKind::Assistant, 1).await.remove(0)
}

async fn next(store: &dyn ConversationStore, queue: &TurnQueue) -> Turn {
    store.next_turn(queue).await.expect("a store").expect("a turn")
}

async fn texts(store: &dyn ConversationStore, conversation: &str) -> Vec<String> {
    let page = store.read(&id(conversation), None, 99).await.expect("a store").expect("known");
    page.recorded.iter().map(|recorded| recorded.activity.text.clone().unwrap_or_default()).collect()
}

async fn count(store: &dyn ConversationStore) -> usize {
    store.waiting_turns(TurnKind::Assistant).await.expect("a store").count
}

mod promises {
    use super::*;

    pub(super) async fn turns_come_in_the_order_of_the_history(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        for text in ["one", "two"] {
            assert_eq!(ask(store, "c", text).await, Some(Queued::Taken));
        }
        assert_eq!(store.queue_turn(&id("c"), event("typing")).await.expect("a store"), Some(Queued::Taken));
        assert_eq!(ask(store, "c", "three").await, Some(Queued::Taken));
        let queue = claim_one(store).await;
        let mut served = Vec::new();
        while let Some(turn) = store.next_turn(&queue).await.expect("a store") {
            served.push((turn.place.index(), turn.body.clone()));
            store.end_turn(&end(&queue, &turn)).await.expect("held");
        }
        let expected = [(0, None), (1, None), (2, Some("typing".to_owned())), (2, None)];
        assert_eq!(served, expected);
        assert_eq!((count(store).await, claim(store).await.len()), (0, 0));
    }

    pub(super) async fn a_line_has_one_holder(store: &dyn ConversationStore) {
        for conversation in ["a", "b"] {
            store.create(&id(conversation), None).await.expect("created");
            ask(store, conversation, "one").await;
        }
        let queues = claim_all(store, TurnKind::Assistant, 2).await;
        let mut names: Vec<_> = queues.iter().map(|queue| queue.conversation.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["a", "b"]);
        ask(store, "a", "two").await;
        assert!(claim(store).await.is_empty(), "who holds the queue will see it");
        store.release_queue(&queues[0]).await.expect("a store");
        let again = claim_one(store).await;
        assert_eq!(again.conversation, queues[0].conversation);
        assert!(again.fence > queues[0].fence && again.fence > queues[1].fence);
        assert_eq!(store.next_turn(&queues[0]).await.expect("a store"), None, "the old holder has it no more");
    }

    pub(super) async fn an_answer_ends_its_turn_and_is_recorded_with_it(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        ask(store, "c", "two").await;
        let queue = claim_one(store).await;
        let first = next(store, &queue).await;
        let answer = Batch::new(vec![Activity::message("answer")]).ending(Some(end(&queue, &first)));
        store.append(&id("c"), answer).await.expect("a store").expect("known");
        assert_eq!(texts(store, "c").await, ["one", "two", "answer"]);
        assert_eq!(next(store, &queue).await.place, Watermark::from_index(1));
        assert_eq!(count(store).await, 1);
    }

    pub(super) async fn a_holder_whose_line_was_given_back_records_nothing(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        let old = claim_one(store).await;
        let turn = next(store, &old).await;
        store.release_queue(&old).await.expect("a store");
        let new = claim_one(store).await;
        let answer = |queue: &TurnQueue, text: &str| {
            Batch::new(vec![Activity::message(text)]).keyed(Some(text.to_owned())).ending(Some(end(queue, &turn)))
        };
        let refused = store.append(&id("c"), answer(&old, "old")).await;
        assert!(matches!(refused, Err(StoreError::Superseded)), "{refused:?}");
        assert!(matches!(store.end_turn(&end(&old, &turn)).await, Err(StoreError::Superseded)));
        assert!(matches!(store.note_turn(&old, turn.key, TurnStage::Spoken, None).await, Err(StoreError::Superseded)));
        store.append(&id("c"), answer(&new, "new")).await.expect("held").expect("known");
        assert_eq!(texts(store, "c").await, ["one", "new"]);
    }

    pub(super) async fn a_turn_ends_once(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        ask(store, "c", "two").await;
        let queue = claim_one(store).await;
        let first = next(store, &queue).await;
        let answer = || store.append_text("c", "answer", end(&queue, &first));
        let outcomes = futures_util::future::join_all((0..8).map(|_| answer())).await;
        assert_eq!(outcomes.iter().filter(|outcome| **outcome).count(), 1, "one of eight at the same time");
        assert_eq!(texts(store, "c").await, ["one", "two", "answer"]);
    }

    pub(super) async fn a_turn_that_was_answered_gets_no_apology(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        let reply = Batch::new(vec![Activity::message("reply")]).answering(Some(turn.place));
        store.append(&id("c"), reply).await.expect("a store").expect("known");
        assert!(next(store, &queue).await.answered);
        let end = EndOfTurn { unless_answered: true, ..end(&queue, &turn) };
        let apology = Batch::new(vec![Activity::message("sorry")]).ending(Some(end));
        let appended = store.append(&id("c"), apology).await.expect("held").expect("known");
        assert!(appended.recorded.is_empty() && !appended.repeated);
        assert_eq!(texts(store, "c").await, ["one", "reply"]);
        assert_eq!(count(store).await, 0, "the turn has ended all the same");
    }

    pub(super) async fn an_apology_is_recorded_where_there_was_no_reply(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        let other = Batch::new(vec![Activity::message("reply to another")]).answering(Some(Watermark::from_index(7)));
        store.append(&id("c"), other).await.expect("a store").expect("known");
        let end = EndOfTurn { unless_answered: true, ..end(&queue, &turn) };
        let apology = Batch::new(vec![Activity::message("sorry")]).ending(Some(end));
        store.append(&id("c"), apology).await.expect("held").expect("known");
        assert_eq!(texts(store, "c").await, ["one", "reply to another", "sorry"]);
    }

    pub(super) async fn a_line_and_all_lines_have_room_for_so_many(store: &dyn ConversationStore) {
        let room = TurnRoom { in_queue: 2, in_all: 3 };
        let ask = async |conversation: &str| {
            let turn = NewTurn { room, ..turn(TurnKind::Assistant) };
            let batch = Batch::new(vec![Activity::message("x")]).asking(Some(turn));
            store.append(&id(conversation), batch).await.expect("a store").expect("known").queued
        };
        for conversation in ["a", "b", "c"] {
            store.create(&id(conversation), None).await.expect("created");
            assert_eq!(ask(conversation).await, Some(Queued::Taken));
        }
        let queues = claim_all(store, TurnKind::Assistant, 3).await;
        assert_eq!(
            [ask("a").await, ask("a").await, ask("a").await].map(Option::unwrap),
            [Queued::Taken, Queued::Taken, Queued::QueueFull]
        );
        assert_eq!([ask("b").await, ask("b").await].map(Option::unwrap), [Queued::Taken, Queued::Full]);
        assert_eq!(texts(store, "b").await.len(), 3, "what was said is recorded all the same");
        let a = queues.iter().find(|queue| queue.conversation == id("a")).expect("held");
        let turn = next(store, a).await;
        store.end_turn(&end(a, &turn)).await.expect("held");
        assert_eq!(ask("b").await, Some(Queued::Taken), "room comes back");
        store.create(&id("d"), None).await.expect("created");
        assert_eq!(ask("d").await, Some(Queued::Full), "a new conversation waits as well until somebody answers it");
    }

    pub(super) async fn a_turn_of_a_known_name_is_not_recorded_again(store: &dyn ConversationStore) {
        for conversation in ["a", "b"] {
            store.create(&id(conversation), None).await.expect("created");
        }
        let queue = async |conversation: &str, name: &str| {
            let turn = NewTurn { name: Some(name.to_owned()), ..event("x") };
            store.queue_turn(&id(conversation), turn).await.expect("a store").expect("known")
        };
        assert_eq!([queue("a", "1").await, queue("a", "1").await], [Queued::Taken, Queued::Repeated]);
        assert_eq!([queue("a", "2").await, queue("b", "1").await], [Queued::Taken, Queued::Taken]);
        for queue in claim_all(store, TurnKind::Assistant, 2).await {
            while let Some(turn) = store.next_turn(&queue).await.expect("a store") {
                store.end_turn(&end(&queue, &turn)).await.expect("held");
            }
        }
        assert_eq!(queue("a", "1").await, Queued::Repeated, "a name is known after its turn has ended");
    }

    pub(super) async fn a_forgotten_name_is_new_and_its_turn_stays(store: &dyn ConversationStore) {
        for conversation in ["a", "b"] {
            store.create(&id(conversation), None).await.expect("created");
        }
        let queue = async |conversation: &str| {
            let turn = NewTurn { name: Some("1".to_owned()), ..event("x") };
            store.queue_turn(&id(conversation), turn).await.expect("a store").expect("known")
        };
        assert_eq!([queue("a").await, queue("b").await], [Queued::Taken, Queued::Taken]);
        store.forget_name(&id("a"), "1").await.expect("a store");
        assert_eq!([queue("a").await, queue("b").await], [Queued::Taken, Queued::Repeated]);
        assert_eq!((queue("a").await, count(store).await), (Queued::Repeated, 3));
        store.forget_name(&id("c"), "1").await.expect("nothing is known of it");
    }

    pub(super) async fn a_repeated_batch_asks_nothing(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        for queued in [Some(Queued::Taken), None] {
            let batch = Batch::new(vec![Activity::message("one")]).keyed(Some("k".to_owned()));
            let appended = store.append(&id("c"), batch.asking(Some(turn(TurnKind::Assistant)))).await;
            assert_eq!(appended.expect("a store").expect("known").queued, queued);
        }
        assert_eq!(count(store).await, 1);
    }

    pub(super) async fn a_user_who_becomes_known_is_a_turn_once(store: &dyn ConversationStore) {
        let ann = || Some(ChannelAccount::new("ann", Role::User));
        store.create_asking(&id("c"), None, Some(event("nobody"))).await.expect("created");
        assert_eq!(count(store).await, 0, "nobody has come");
        store.append(&id("c"), Batch::new(vec![Activity::message("x")])).await.expect("a store");
        for _ in 0..2 {
            store.create_asking(&id("c"), ann(), Some(event("ann"))).await.expect("a store");
        }
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        assert_eq!((turn.body.as_deref(), turn.place), (Some("ann"), Watermark::from_index(1)));
        store.end_turn(&end(&queue, &turn)).await.expect("held");
        store.create_asking(&id("d"), ann(), Some(event("ann"))).await.expect("created");
        assert_eq!(claim_one(store).await.conversation, id("d"));
    }

    pub(super) async fn turns_go_with_their_conversation(store: &dyn ConversationStore) {
        for conversation in ["a", "b"] {
            store.create(&id(conversation), None).await.expect("created");
            ask(store, conversation, "one").await;
        }
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        for conversation in ["a", "b"] {
            assert!(store.delete(&id(conversation)).await.expect("a store"));
        }
        assert_eq!((count(store).await, claim(store).await.len()), (0, 0));
        store.create(&queue.conversation, None).await.expect("created");
        ask(store, queue.conversation.as_str(), "new").await;
        let answer = Batch::new(vec![Activity::message("late")]).ending(Some(end(&queue, &turn)));
        let refused = store.append(&queue.conversation, answer).await;
        assert!(matches!(refused, Err(StoreError::Superseded)), "an old fence is none of the new queue: {refused:?}");
    }

    pub(super) async fn what_is_forgotten_is_not_answered(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        ask(store, "c", "two").await;
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        assert_eq!(store.forget_turns(&id("c"), TurnKind::Assistant).await.expect("a store"), 2);
        assert_eq!(store.next_turn(&queue).await.expect("a store"), None);
        assert!(matches!(store.end_turn(&end(&queue, &turn)).await, Err(StoreError::Superseded)));
        assert_eq!((count(store).await, texts(store, "c").await.len()), (0, 2));
    }

    pub(super) async fn how_far_an_answer_has_come_is_kept(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        assert_eq!((turn.stage, turn.said), (TurnStage::Waiting, None));
        store.note_turn(&queue, turn.key, TurnStage::Final, Some("said".to_owned())).await.expect("held");
        store.release_queue(&queue).await.expect("a store");
        let queue = claim_one(store).await;
        let turn = next(store, &queue).await;
        assert_eq!((turn.stage, turn.said.as_deref()), (TurnStage::Final, Some("said")));
    }

    pub(super) async fn a_claimer_is_woken(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        for text in ["one", "two"] {
            let waiting = async {
                loop {
                    let queues = claim(store).await;
                    if !queues.is_empty() {
                        return queues;
                    }
                    store.queues_to_claim(TurnKind::Assistant).await;
                }
            };
            let (queues, _) = tokio::join!(waiting, ask(store, "c", text));
            let turn = next(store, &queues[0]).await;
            store.end_turn(&end(&queues[0], &turn)).await.expect("held");
        }
    }

    pub(super) async fn kinds_do_not_meet(store: &dyn ConversationStore) {
        store.create(&id("c"), None).await.expect("created");
        ask(store, "c", "one").await;
        for kind in [TurnKind::Bot, TurnKind::Azure] {
            assert!(store.claim_queues(kind, 9).await.expect("a store").is_empty());
            let queued = store.queue_turn(&id("c"), NewTurn { kind, ..event("x") }).await.expect("a store");
            assert_eq!(queued, Some(Queued::Taken));
            claim_all(store, kind, 1).await;
        }
        claim_one(store).await;
    }
}

trait AppendText {
    /// Whether the turn has ended with this text.
    async fn append_text(&self, conversation: &str, text: &str, end: EndOfTurn) -> bool;
}

impl AppendText for dyn ConversationStore + '_ {
    async fn append_text(&self, conversation: &str, text: &str, end: EndOfTurn) -> bool {
        let batch = Batch::new(vec![Activity::message(text)]).ending(Some(end));
        match self.append(&id(conversation), batch).await {
            Ok(appended) => appended.is_some(),
            Err(StoreError::Superseded) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Questions that waited when the process ended were lost.
#[tokio::test]
async fn turns_are_there_after_a_restart_with_what_is_known_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await;
    store.create(&id("c"), None).await.expect("created");
    ask(&*store, "c", "one").await;
    store.queue_turn(&id("c"), NewTurn { name: Some("n".to_owned()), ..event("two") }).await.expect("a store");
    let queue = claim_one(&*store).await;
    let turn = next(&*store, &queue).await;
    store.note_turn(&queue, turn.key, TurnStage::Spoken, None).await.expect("held");
    let reply = Batch::new(vec![Activity::message("reply")]).answering(Some(turn.place));
    store.append(&id("c"), reply).await.expect("a store").expect("known");
    store.close().await.expect("closed");
    drop(store);
    let store = open(folder.path()).await;
    let queue = claim_one(&*store).await;
    let first = next(&*store, &queue).await;
    assert_eq!((first.key, first.place, first.attempts), (turn.key, turn.place, 1));
    assert_eq!((first.stage, first.answered, first.arrived), (TurnStage::Spoken, true, turn.arrived));
    store.end_turn(&end(&queue, &first)).await.expect("held");
    let second = next(&*store, &queue).await;
    assert_eq!((second.body.as_deref(), second.attempts), (Some("two"), 0));
    let named = || NewTurn { name: Some("n".to_owned()), ..event("two") };
    assert_eq!(store.queue_turn(&id("c"), named()).await.expect("a store"), Some(Queued::Repeated));
    store.forget_name(&id("c"), "n").await.expect("a store");
    store.close().await.expect("closed");
    drop(store);
    let store = open(folder.path()).await;
    assert_eq!(store.queue_turn(&id("c"), named()).await.expect("a store"), Some(Queued::Taken), "it stays forgotten");
    store.close().await.expect("closed");
}
