use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use citewire::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Role, Watermark};
use citewire::clock::{Clock, ManualClock};
use citewire::store::{Batch, ConversationStore, Created, MemoryLimits, MemoryStore, StoreError};
use futures_util::future::join_all;

/// An empty store with a clock that the suite moves.
struct Fixture {
    store: Arc<dyn ConversationStore>,
    clock: Arc<ManualClock>,
}

fn memory() -> Fixture {
    bounded(MemoryLimits::default())
}

fn bounded(limits: MemoryLimits) -> Fixture {
    let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00.000700Z".parse().expect("a time")));
    let store = MemoryStore::new(limits, Arc::clone(&clock) as Arc<dyn Clock>);
    Fixture { store: Arc::new(store), clock }
}

/// One test for each promise of the contract, for one backend.
macro_rules! suite {
    ($backend:ident: $($promise:ident),* $(,)?) => {
        $(#[tokio::test]
        async fn $promise() {
            super::promises::$promise(super::$backend()).await;
        })*
    };
}

/// All promises, for one backend: a new one is one more line at the end.
macro_rules! backend {
    ($name:ident) => {
        mod $name {
            suite!($name:
                creating_twice_finds_the_first,
                the_first_known_user_stays,
                places_count_from_zero_without_gaps,
                ids_and_conversation_are_assigned,
                timestamps_never_run_backwards,
                a_batch_stays_together,
                an_empty_batch_is_refused,
                a_key_records_once,
                keys_of_two_conversations_do_not_meet,
                pages_lead_through_everything_once,
                reading_beyond_the_newest_gives_nothing,
                concurrent_appends_leave_no_gap,
                the_doorbell_rings_for_every_append,
                the_doorbell_falls_silent_when_the_conversation_goes,
                what_is_unknown_is_none,
                idle_conversations_expire_and_active_ones_stay,
                deleting_takes_everything,
                conversations_do_not_mix,
                everything_in_an_activity_is_kept,
            );
        }
    };
}

backend!(memory);

fn id(text: &str) -> ConversationId {
    text.parse().expect("a conversation id")
}

fn message(text: &str) -> Activity {
    Activity::message(text)
}

impl Fixture {
    async fn create(&self, name: &str) -> ConversationId {
        self.store.create(&id(name), None).await.expect("created");
        id(name)
    }

    async fn append(&self, id: &ConversationId, text: &str) -> Watermark {
        let appended = self.store.append(id, Batch::new(vec![message(text)])).await.expect("a store").expect("known");
        appended.recorded[0].watermark
    }

    async fn texts(&self, id: &ConversationId, after: Option<u64>, limit: usize) -> (Vec<String>, Option<Watermark>) {
        let page = self.store.read(id, after.map(Watermark::from_index), limit).await.expect("a store").expect("known");
        let texts = page.recorded.iter().map(|recorded| recorded.activity.text.clone().unwrap_or_default()).collect();
        (texts, page.reached)
    }
}

mod promises {
    use super::*;

    pub(super) async fn creating_twice_finds_the_first(fixture: Fixture) {
        let first = fixture.store.create(&id("c"), None).await.expect("created");
        assert!(matches!(first, Created::New(_)));
        fixture.append(&id("c"), "one").await;
        let second = fixture.store.create(&id("c"), None).await.expect("found");
        assert!(matches!(second, Created::Existing(_)));
        assert_eq!(fixture.texts(&id("c"), None, 9).await.0, ["one"]);
    }

    pub(super) async fn the_first_known_user_stays(fixture: Fixture) {
        let user = |id: &str| Some(ChannelAccount::new(id, Role::User));
        let store = &fixture.store;
        for (given, expected) in [(None, None), (user("a"), user("a")), (user("b"), user("a")), (None, user("a"))] {
            store.create(&id("c"), given).await.expect("created");
            assert_eq!(store.find(&id("c")).await.expect("a store").expect("known").user, expected);
        }
    }

    pub(super) async fn places_count_from_zero_without_gaps(fixture: Fixture) {
        let c = fixture.create("c").await;
        for index in 0..5 {
            assert_eq!(fixture.append(&c, "x").await, Watermark::from_index(index));
        }
        let newest = fixture.store.newest(&c).await.expect("a store").expect("known");
        assert_eq!(newest.watermark, Some(Watermark::from_index(4)));
    }

    pub(super) async fn ids_and_conversation_are_assigned(fixture: Fixture) {
        let c = fixture.create("c").await;
        let mut activity = message("x");
        activity.id = Some("mine".to_owned().into());
        activity.conversation = Some(id("theirs").into());
        let appended = fixture.store.append(&c, Batch::new(vec![activity])).await.expect("a store").expect("known");
        let recorded = &appended.recorded[0].activity;
        assert_eq!(recorded.id.as_ref().map(ActivityId::as_str), Some("c|0000000"));
        assert_eq!(recorded.conversation.as_ref().map(|conversation| conversation.id.as_str()), Some("c"));
    }

    pub(super) async fn timestamps_never_run_backwards(fixture: Fixture) {
        let c = fixture.create("c").await;
        for seconds in [0, 0, -3600, 1] {
            fixture.clock.advance(Duration::seconds(seconds));
            fixture.append(&c, "x").await;
        }
        let page = fixture.store.read(&c, None, 9).await.expect("a store").expect("known");
        let times: Vec<DateTime<Utc>> =
            page.recorded.iter().map(|recorded| recorded.activity.timestamp.expect("a time")).collect();
        let start: DateTime<Utc> = "2026-01-01T00:00:00.000Z".parse().expect("a time");
        let millis = |count| start + Duration::milliseconds(count);
        assert_eq!(times, [millis(0), millis(1), millis(2), millis(3)]);
    }

    pub(super) async fn a_batch_stays_together(fixture: Fixture) {
        let c = fixture.create("c").await;
        let batch = Batch::new(vec![message("a"), message("b"), message("c")]);
        let appended = fixture.store.append(&c, batch).await.expect("a store").expect("known");
        let places: Vec<u64> = appended.recorded.iter().map(|recorded| recorded.watermark.index()).collect();
        assert_eq!(places, [0, 1, 2]);
    }

    pub(super) async fn an_empty_batch_is_refused(fixture: Fixture) {
        let c = fixture.create("c").await;
        let error = fixture.store.append(&c, Batch::new(vec![])).await.expect_err("refused");
        assert!(matches!(error, StoreError::EmptyBatch));
    }

    pub(super) async fn a_key_records_once(fixture: Fixture) {
        let c = fixture.create("c").await;
        let batch = |text| Batch::new(vec![message(text), message(text)]).keyed(Some("k".to_owned()));
        let first = fixture.store.append(&c, batch("one")).await.expect("a store").expect("known");
        fixture.append(&c, "between").await;
        let second = fixture.store.append(&c, batch("two")).await.expect("a store").expect("known");
        assert_eq!((first.repeated, second.repeated), (false, true));
        assert_eq!(first.recorded, second.recorded);
        assert_eq!(fixture.texts(&c, None, 9).await.0, ["one", "one", "between"]);
    }

    pub(super) async fn keys_of_two_conversations_do_not_meet(fixture: Fixture) {
        for name in ["c", "d"] {
            let c = fixture.create(name).await;
            let batch = Batch::new(vec![message(name)]).keyed(Some("k".to_owned()));
            let appended = fixture.store.append(&c, batch).await.expect("a store").expect("known");
            assert!(!appended.repeated);
        }
    }

    pub(super) async fn pages_lead_through_everything_once(fixture: Fixture) {
        let c = fixture.create("c").await;
        let texts: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        for text in &texts {
            fixture.append(&c, text).await;
        }
        let (mut read, mut after) = (Vec::new(), None);
        loop {
            let (page, reached) = fixture.texts(&c, after, 3).await;
            if page.is_empty() {
                assert_eq!(reached, Some(Watermark::from_index(9)));
                break;
            }
            assert!(page.len() <= 3);
            read.extend(page);
            after = reached.map(Watermark::index);
        }
        assert_eq!(read, texts);
    }

    pub(super) async fn reading_beyond_the_newest_gives_nothing(fixture: Fixture) {
        let c = fixture.create("c").await;
        assert_eq!(fixture.texts(&c, None, 9).await, (vec![], None));
        assert_eq!(fixture.texts(&c, Some(7), 9).await, (vec![], None));
        fixture.append(&c, "x").await;
        for after in [0, 1, u64::MAX] {
            assert_eq!(fixture.texts(&c, Some(after), 9).await, (vec![], Some(Watermark::FIRST)), "{after}");
        }
    }

    pub(super) async fn concurrent_appends_leave_no_gap(fixture: Fixture) {
        let c = fixture.create("c").await;
        let mut places = join_all((0..50).map(|_| fixture.append(&c, "x"))).await;
        places.sort();
        assert_eq!(places, (0..50).map(Watermark::from_index).collect::<Vec<_>>());
    }

    pub(super) async fn the_doorbell_rings_for_every_append(fixture: Fixture) {
        let c = fixture.create("c").await;
        let mut doorbell = fixture.store.subscribe(&c).await.expect("a store").expect("known");
        for _ in 0..3 {
            fixture.append(&c, "x").await;
            assert_eq!(doorbell.rung().await, Ok(()));
        }
    }

    pub(super) async fn the_doorbell_falls_silent_when_the_conversation_goes(fixture: Fixture) {
        let c = fixture.create("c").await;
        let mut doorbell = fixture.store.subscribe(&c).await.expect("a store").expect("known");
        assert!(fixture.store.delete(&c).await.expect("a store"));
        assert!(doorbell.rung().await.is_err());
    }

    pub(super) async fn what_is_unknown_is_none(fixture: Fixture) {
        let (store, unknown) = (&fixture.store, id("unknown"));
        assert_eq!(store.find(&unknown).await.expect("a store"), None);
        assert_eq!(store.append(&unknown, Batch::new(vec![message("x")])).await.expect("a store"), None);
        assert_eq!(store.read(&unknown, None, 9).await.expect("a store"), None);
        assert_eq!(store.newest(&unknown).await.expect("a store"), None);
        assert!(store.subscribe(&unknown).await.expect("a store").is_none());
        assert!(!store.delete(&unknown).await.expect("a store"));
    }

    pub(super) async fn idle_conversations_expire_and_active_ones_stay(fixture: Fixture) {
        let (idle, active) = (fixture.create("idle").await, fixture.create("active").await);
        fixture.clock.advance(Duration::hours(2));
        fixture.append(&active, "x").await;
        let since = fixture.clock.now() - Duration::hours(1);
        assert_eq!(fixture.store.expire(since).await.expect("a store"), 1);
        assert_eq!(fixture.store.find(&idle).await.expect("a store"), None);
        assert!(fixture.store.find(&active).await.expect("a store").is_some());
        assert_eq!(fixture.store.expire(since).await.expect("a store"), 0);
    }

    pub(super) async fn deleting_takes_everything(fixture: Fixture) {
        let c = fixture.create("c").await;
        let keyed = || Batch::new(vec![message("x")]).keyed(Some("k".to_owned()));
        fixture.store.append(&c, keyed()).await.expect("a store").expect("known");
        fixture.store.delete(&c).await.expect("a store");
        fixture.create("c").await;
        assert_eq!(fixture.texts(&c, None, 9).await, (vec![], None));
        assert!(!fixture.store.append(&c, keyed()).await.expect("a store").expect("known").repeated);
    }

    pub(super) async fn conversations_do_not_mix(fixture: Fixture) {
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        fixture.append(&c, "in c").await;
        fixture.append(&d, "in d").await;
        assert_eq!(fixture.texts(&c, None, 9).await.0, ["in c"]);
        assert_eq!(fixture.texts(&d, None, 9).await.0, ["in d"]);
    }

    pub(super) async fn everything_in_an_activity_is_kept(fixture: Fixture) {
        let c = fixture.create("c").await;
        let wire = serde_json::json!({"type": "event", "channelData": {"a": [1, null]}, "x-unknown": "\u{1F600}",
            "entities": [{"type": "ours"}], "attachments": [{"contentType": "image/png", "contentUrl": "https://a.example/"}]});
        let activity: Activity = serde_json::from_value(wire.clone()).expect("an activity");
        fixture.store.append(&c, Batch::new(vec![activity])).await.expect("a store").expect("known");
        let page = fixture.store.read(&c, None, 9).await.expect("a store").expect("known");
        let read = serde_json::to_value(&*page.recorded[0].activity).expect("JSON");
        for (name, value) in wire.as_object().expect("an object") {
            assert_eq!(&read[name], value, "{name}");
        }
    }
}

#[tokio::test]
async fn a_full_store_refuses_and_keeps_what_it_has() {
    let limits = MemoryLimits { max_conversations: 1, max_activities: 2, max_bytes: 1000 };
    let fixture = bounded(limits);
    let c = fixture.create("c").await;
    let full = |error| matches!(error, Err(StoreError::Full { .. }));
    assert!(matches!(fixture.store.create(&id("d"), None).await, Err(StoreError::Full { .. })));
    assert!(full(fixture.store.append(&c, Batch::new(vec![message(&"x".repeat(1000))])).await));
    assert!(full(fixture.store.append(&c, Batch::new(vec![message("a"), message("b"), message("c")])).await));
    fixture.append(&c, "a").await;
    fixture.append(&c, "b").await;
    assert!(full(fixture.store.append(&c, Batch::new(vec![message("c")])).await));
    assert_eq!(fixture.texts(&c, None, 9).await.0, ["a", "b"]);
}

#[tokio::test]
async fn what_is_deleted_makes_room_again() {
    let fixture = bounded(MemoryLimits { max_conversations: 1, max_activities: 9, max_bytes: 200 });
    for _ in 0..3 {
        let c = fixture.create("c").await;
        fixture.append(&c, &"x".repeat(120)).await;
        fixture.store.delete(&c).await.expect("a store");
    }
}
