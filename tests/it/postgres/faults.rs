use std::sync::Arc;
use std::time::Duration;

use citewire::activity::{Activity, ConversationId};
use citewire::clock::SystemClock;
use citewire::store::postgres::{Address, PostgresOptions, PostgresStore};
use citewire::store::{Batch, ConversationStore as _, Feedback, StoreError, StoreLimits};
use futures_util::future::join_all;

use super::proxy::{Proxy, Weather};
use super::{Database, node};

struct Fixture {
    database: Database,
    proxy: Proxy,
    store: Arc<PostgresStore>,
}

async fn fixture(write_timeout: Duration) -> Fixture {
    let (database, proxy) = (Database::new().await, Proxy::start().await);
    let address = Address::parse(&database.at(&proxy.hosts)).expect("an address");
    let options = PostgresOptions { write_timeout, ..PostgresOptions::default() };
    let store = PostgresStore::open(address, options, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    let store = Arc::new(store.expect("a store"));
    store.create(&id("c"), None).await.expect("created");
    Fixture { database, proxy, store }
}

fn id(text: &str) -> ConversationId {
    text.parse().expect("an id")
}

fn say(text: &str) -> Batch {
    Batch::new(vec![Activity::message(text)])
}

impl Fixture {
    async fn texts(&self) -> Vec<String> {
        let page = self.store.read(&id("c"), None, 999).await.expect("a store").expect("known");
        page.recorded.iter().map(|recorded| recorded.activity.text.clone().unwrap_or_default()).collect()
    }
}

const PATIENT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn what_is_committed_is_recorded_once_when_the_answer_is_lost() {
    let fixture = fixture(PATIENT).await;
    for text in ["one", "two"] {
        fixture.proxy.set(Weather::LosesAnswerOfCommit(&Weather::Fine));
        let appended = fixture.store.append(&id("c"), say(text)).await.expect("a store").expect("known");
        assert!(!appended.repeated);
    }
    assert_eq!(fixture.texts().await, ["one", "two"]);
    fixture.proxy.set(Weather::LosesAnswerOfCommit(&Weather::Fine));
    assert!(fixture.store.keep_feedback(&id("c"), Feedback::default(), None).await.expect("a store"));
    let kept = fixture.store.feedback(&id("c"), None, 9).await.expect("a store").expect("known");
    assert_eq!(kept.feedback.len(), 1);
}

/// Of many at once, every one is recorded once and in its place.
#[tokio::test]
async fn a_group_whose_answer_is_lost_is_recorded_once() {
    let fixture = fixture(PATIENT).await;
    fixture.proxy.set(Weather::LosesAnswerOfCommit(&Weather::Fine));
    let c = id("c");
    let appends = join_all((0..40).map(|number: u32| fixture.store.append(&c, say(&number.to_string()))));
    let mut places: Vec<u64> = Vec::new();
    for appended in appends.await {
        places.push(appended.expect("a store").expect("known").recorded[0].watermark.index());
    }
    places.sort_unstable();
    assert_eq!(places, (0..40).collect::<Vec<_>>());
    assert_eq!(fixture.texts().await.len(), 40);
}

#[tokio::test]
async fn a_conversation_is_created_once_when_the_answer_is_lost() {
    let fixture = fixture(PATIENT).await;
    fixture.proxy.set(Weather::LosesAnswerOfCommit(&Weather::Fine));
    fixture.store.create(&id("d"), None).await.expect("created");
    assert!(fixture.store.find(&id("d")).await.expect("a store").is_some());
    assert_eq!(fixture.store.count().await.expect("a store").conversations, 2);
}

#[tokio::test]
async fn a_commit_that_never_arrives_is_done_again() {
    let fixture = fixture(PATIENT).await;
    fixture.proxy.set(Weather::LosesCommit);
    fixture.store.append(&id("c"), say("one")).await.expect("a store").expect("known");
    assert_eq!(fixture.texts().await, ["one"]);
}

#[tokio::test]
async fn what_cannot_be_settled_in_time_is_doubtful_and_there_once_at_most() {
    let fixture = fixture(Duration::from_secs(1)).await;
    fixture.proxy.set(Weather::LosesAnswerOfCommit(&Weather::Closed));
    let refused = fixture.store.append(&id("c"), say("one")).await.expect_err("no answer");
    assert!(matches!(refused, StoreError::Doubtful), "{refused:?}");
    fixture.proxy.set(Weather::Fine);
    assert_eq!(fixture.texts().await, ["one"]);
    fixture.store.append(&id("c"), say("two")).await.expect("a store").expect("known");
}

/// A failover lasts some seconds, and no request is refused for it.
#[tokio::test]
async fn posts_and_reads_wait_while_the_server_is_away() {
    let fixture = fixture(PATIENT).await;
    fixture.store.append(&id("c"), say("before")).await.expect("a store").expect("known");
    fixture.proxy.set(Weather::Closed);
    fixture.proxy.cut();
    let away = async {
        fixture.proxy.refused(4).await;
        fixture.proxy.set(Weather::Fine);
    };
    let c = id("c");
    let (appended, read, ()) =
        tokio::join!(fixture.store.append(&c, say("meanwhile")), fixture.store.read(&c, None, 1), away);
    assert_eq!(appended.expect("a store").expect("known").recorded[0].watermark.index(), 1);
    assert_eq!(read.expect("a store").expect("known").recorded.len(), 1);
}

#[tokio::test]
async fn where_the_server_stays_away_posts_and_reads_fail_in_time() {
    let fixture = fixture(Duration::from_secs(1)).await;
    fixture.proxy.set(Weather::Closed);
    fixture.proxy.cut();
    let refused = fixture.store.append(&id("c"), say("x")).await.expect_err("refused");
    assert!(matches!(refused, StoreError::Failed { .. }), "{refused:?}");
    let refused = fixture.store.find(&id("c")).await.expect_err("refused");
    assert!(matches!(refused, StoreError::Failed { .. }), "{refused:?}");
    fixture.proxy.set(Weather::Fine);
    assert_eq!(fixture.texts().await, Vec::<String>::new());
}

/// Its connections look whole and say nothing, as behind a firewall that has forgotten them.
#[tokio::test]
async fn a_listener_that_hears_nothing_is_replaced_and_what_was_missed_is_found() {
    let fixture = fixture(PATIENT).await;
    let other = node(&fixture.database, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    let mut listener = fixture.store.subscribe(&id("c")).await.expect("a store").expect("known");
    fixture.proxy.silence();
    other.append(&id("c"), say("unheard")).await.expect("a store").expect("known");
    tokio::time::timeout(PATIENT, listener.changed()).await.expect("in time").expect("the conversation is there");
    let gone = fixture.store.subscribe(&id("c")).await.expect("a store").expect("known");
    drop(gone);
    other.delete(&id("c")).await.expect("a store");
    let closed = tokio::time::timeout(PATIENT, async { while listener.changed().await.is_ok() {} }).await;
    closed.expect("in time");
    assert!(fixture.proxy.passed() > 2);
}

/// Most changes do not touch what is damaged, and say nothing about it.
#[tokio::test]
async fn a_database_with_a_table_missing_is_not_ready_until_it_is_opened_anew() {
    let fixture = fixture(PATIENT).await;
    fixture.database.run("ALTER TABLE activity RENAME TO elsewhere").await;
    fixture.store.append(&id("c"), say("refused")).await.expect_err("damaged");
    fixture.store.create(&id("d"), None).await.expect("nothing of that is damaged");
    for _ in 0..3 {
        assert!(matches!(fixture.store.ready().await, Err(StoreError::Lost { .. })));
    }
    let other = node(&fixture.database, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    other.ready().await.expect("nothing is known yet");
    other.read(&id("c"), None, 1).await.expect_err("damaged");
    assert!(matches!(other.ready().await, Err(StoreError::Lost { .. })), "reading meets it as well");
    fixture.database.run("ALTER TABLE elsewhere RENAME TO activity").await;
    assert!(matches!(other.ready().await, Err(StoreError::Lost { .. })));
    let anew = node(&fixture.database, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    anew.append(&id("c"), say("recorded")).await.expect("a store").expect("known");
    anew.ready().await.expect("ready");
}
