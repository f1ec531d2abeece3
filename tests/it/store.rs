use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use citewire::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Role, Watermark};
use citewire::clock::{Clock, ManualClock};
use citewire::store::{Attachment, Batch, ConversationStore, Created, Feedback, SqliteStore, StoreError, StoreLimits};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::postgres::{Database, node};

/// An empty store with a clock that the suite moves.
struct Fixture {
    store: Arc<dyn ConversationStore>,
    clock: Arc<ManualClock>,
    /// The folder of the store, if it is in a file.
    _folder: Option<TempDir>,
}

/// Opens one of the backends with these limits.
type Backend = fn(StoreLimits) -> Pin<Box<dyn Future<Output = Fixture>>>;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-01-01T00:00:00.000700Z".parse().expect("a time")))
}

fn memory(limits: StoreLimits) -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let clock = clock();
        let store = SqliteStore::in_memory(limits, Arc::clone(&clock) as Arc<dyn Clock>).await.expect("a store");
        Fixture { store: Arc::new(store), clock, _folder: None }
    })
}

fn sqlite(limits: StoreLimits) -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let (clock, folder) = (clock(), tempfile::tempdir().expect("a folder"));
        let path = folder.path().join("citewire.db");
        let store = SqliteStore::open(&path, limits, Arc::clone(&clock) as Arc<dyn Clock>).await.expect("a store");
        Fixture { store: Arc::new(store), clock, _folder: Some(folder) }
    })
}

fn postgres(limits: StoreLimits) -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let (clock, database) = (clock(), Database::new().await);
        let store = node(&database, limits, Arc::clone(&clock) as Arc<dyn Clock>).await;
        Fixture { store: Arc::new(store), clock, _folder: None }
    })
}

fn two_nodes(limits: StoreLimits) -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let (clock, database) = (clock(), Database::new().await);
        let store = crate::postgres::two_nodes(&database, limits, Arc::clone(&clock) as Arc<dyn Clock>).await;
        Fixture { store: Arc::new(store), clock, _folder: None }
    })
}

/// One test for each promise of the contract, for one backend.
macro_rules! suite {
    ($backend:ident: $($promise:ident),* $(,)?) => {
        $(#[tokio::test]
        async fn $promise() {
            let fixture = super::$backend(StoreLimits::in_memory()).await;
            let store = Arc::clone(&fixture.store);
            super::promises::$promise(fixture).await;
            store.close().await.expect("the store closes well");
        })*
    };
}

/// All promises, for one backend: a new one is one more line at the end.
macro_rules! backend {
    ($name:ident) => {
        mod $name {
            use std::sync::Arc;

            use citewire::store::StoreLimits;

            suite!($name:
                creating_twice_finds_the_first,
                the_first_known_user_stays,
                places_count_from_zero_without_gaps,
                ids_and_conversation_are_assigned,
                timestamps_never_run_backwards,
                a_batch_stays_together,
                an_empty_batch_is_refused,
                a_key_records_once,
                what_a_key_has_recorded_can_be_recalled,
                a_batch_may_have_to_be_stamped_later_than_now,
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
                every_ring_of_many_writers_is_heard,
                the_batches_of_many_writers_stay_together,
                a_key_used_by_many_at_once_records_once,
                attachments_come_back_byte_for_byte,
                an_attachment_never_changes,
                attachments_go_with_their_conversation,
                conversations_are_listed_by_their_last_activity,
                the_pages_of_the_list_lead_through_everything_once,
                what_there_is_is_counted,
                a_reference_is_kept_until_another_takes_its_place,
                a_reference_is_no_sign_of_life,
                a_batch_is_found_under_all_its_names,
                a_name_stays_with_the_batch_that_had_it_first,
                feedback_is_kept_in_order_with_its_time,
                the_pages_of_feedback_lead_through_everything_once,
                feedback_that_comes_again_under_its_name_is_kept_once,
                feedback_is_a_sign_of_life,
                references_names_and_feedback_go_with_their_conversation,
                the_first_thing_that_a_user_has_said_is_known,
                the_conversations_of_a_user_are_found_page_by_page,
                erasing_a_user_takes_their_conversations_and_no_others,
            );

            #[tokio::test]
            async fn a_full_store_refuses_and_keeps_what_it_has() {
                super::promises::a_full_store_refuses_and_keeps_what_it_has(super::$name).await;
            }

            #[tokio::test]
            async fn a_conversation_takes_no_more_than_its_share() {
                super::promises::a_conversation_takes_no_more_than_its_share(super::$name).await;
            }

            #[tokio::test]
            async fn conversations_without_content_make_room_for_others() {
                super::promises::conversations_without_content_make_room_for_others(super::$name).await;
            }

            #[tokio::test]
            async fn what_is_deleted_makes_room_again() {
                super::promises::what_is_deleted_makes_room_again(super::$name).await;
            }
        }
    };
}

backend!(memory);
backend!(sqlite);
backend!(postgres);
backend!(two_nodes);

fn id(text: &str) -> ConversationId {
    text.parse().expect("a conversation id")
}

fn feedback(text: &str) -> Feedback {
    Feedback { text: Some(text.to_owned()), ..Feedback::default() }
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

    async fn reference(&self, id: &ConversationId) -> Option<Value> {
        self.store.find(id).await.expect("a store").expect("known").reference
    }

    /// The texts of a page of feedback, and where the next one starts.
    async fn feedback(&self, id: &ConversationId, after: Option<u64>, limit: usize) -> (Vec<String>, Option<u64>) {
        let page = self.store.feedback(id, after, limit).await.expect("a store").expect("known");
        (page.feedback.into_iter().filter_map(|noted| noted.feedback.text).collect(), page.next)
    }

    async fn texts(&self, id: &ConversationId, after: Option<u64>, limit: usize) -> (Vec<String>, Option<Watermark>) {
        let page = self.store.read(id, after.map(Watermark::from_index), limit).await.expect("a store").expect("known");
        let texts = page.recorded.iter().map(|recorded| recorded.activity.text.clone().unwrap_or_default()).collect();
        (texts, page.reached)
    }
}

fn said_by(user: &str, role: Role) -> Batch {
    let mut activity = message("x");
    activity.from = Some(ChannelAccount::new(user, role));
    Batch::new(vec![activity])
}

mod promises {
    use super::*;

    /// Bots say nothing as users, and a user for whom a conversation was started has not spoken for that.
    pub(super) async fn the_first_thing_that_a_user_has_said_is_known(fixture: Fixture) {
        let store = &fixture.store;
        store.create(&id("c"), Some(ChannelAccount::new("ann", Role::User))).await.expect("created");
        for (user, role) in [("bot", Role::Bot), ("ben", Role::User), ("ann", Role::User), ("ben", Role::User)] {
            store.append(&id("c"), said_by(user, role)).await.expect("a store").expect("known");
        }
        fixture.append(&id("c"), "by nobody").await;
        for (user, place) in [("bot", None), ("ben", Some(1)), ("ann", Some(2)), ("Ben", None), ("", None)] {
            let first = store.first_said(&id("c"), user).await.expect("a store");
            assert_eq!(first, place.map(Watermark::from_index), "{user}");
        }
        assert_eq!(store.first_said(&id("d"), "ben").await.expect("a store"), None);
    }

    pub(super) async fn the_conversations_of_a_user_are_found_page_by_page(fixture: Fixture) {
        let store = &fixture.store;
        let user = |name: &str| Some(ChannelAccount::new(name, Role::User));
        for number in 0..7 {
            store.create(&id(&format!("started-{number}")), user("ann")).await.expect("created");
            let (spoken, rated) = (fixture.create(&format!("spoken-{number}")).await, id(&format!("rated-{number}")));
            store.append(&spoken, said_by("ann", Role::User)).await.expect("a store");
            store.append(&spoken, said_by("ann", Role::User)).await.expect("a store");
            store.create(&rated, user("ben")).await.expect("created");
            let mut rating = feedback("good");
            rating.from = user("ann");
            assert!(store.keep_feedback(&rated, rating, None).await.expect("a store"));
            store.create(&id(&format!("other-{number}")), user("annabel")).await.expect("created");
        }
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = store.conversations_of("ann", after.as_ref(), 4).await.expect("a store");
            assert!(page.len() <= 4);
            let Some(last) = page.last() else { break };
            after = Some(last.clone());
            seen.extend(page);
        }
        assert_eq!(seen.len(), 21);
        assert!(seen.is_sorted() && seen.iter().all(|id| !id.as_str().starts_with("other")), "{seen:?}");
        assert_eq!(store.conversations_of("ann", None, 0).await.expect("a store").len(), 1, "at least one");
        assert_eq!(store.conversations_of("nobody", None, 9).await.expect("a store"), []);
    }

    pub(super) async fn erasing_a_user_takes_their_conversations_and_no_others(fixture: Fixture) {
        let store = &fixture.store;
        for number in 0..70 {
            let both = fixture.create(&format!("both-{number}")).await;
            store.append(&both, said_by("ben", Role::User)).await.expect("a store");
            store.append(&both, said_by("ann", Role::User)).await.expect("a store");
        }
        let other = fixture.create("other").await;
        store.append(&other, said_by("ben", Role::User)).await.expect("a store");
        let listener = store.subscribe(&id("both-0")).await.expect("a store").expect("known");
        assert_eq!(store.erase("ann").await.expect("a store"), 70);
        assert_eq!(store.erase("ann").await.expect("a store"), 0);
        assert_eq!(store.find(&id("both-69")).await.expect("a store"), None);
        assert_eq!(store.conversations_of("ben", None, 99).await.expect("a store"), [other]);
        assert_eq!(store.count().await.expect("a store").conversations, 1);
        drop(listener);
    }

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

    pub(super) async fn what_a_key_has_recorded_can_be_recalled(fixture: Fixture) {
        let c = fixture.create("c").await;
        assert_eq!(fixture.store.recall(&c, "k").await.expect("a store"), None);
        fixture.append(&c, "before").await;
        let batch = Batch::new(vec![message("one"), message("two")]).keyed(Some("k".to_owned()));
        let appended = fixture.store.append(&c, batch).await.expect("a store").expect("known");
        let recalled = fixture.store.recall(&c, "k").await.expect("a store").expect("recorded");
        assert_eq!((recalled.recorded, recalled.repeated), (appended.recorded, true));
        let unknown = "unknown".parse().expect("an id");
        for (id, key) in [(&c, "other"), (&unknown, "k")] {
            assert_eq!(fixture.store.recall(id, key).await.expect("a store"), None);
        }
    }

    pub(super) async fn a_batch_may_have_to_be_stamped_later_than_now(fixture: Fixture) {
        let c = fixture.create("c").await;
        let now = fixture.clock.now();
        for (earliest, expected) in [(now + Duration::seconds(1), "00:00:01.000"), (now, "00:00:01.002")] {
            let batch = Batch::new(vec![message("one"), message("two")]).not_before(Some(earliest));
            let appended = fixture.store.append(&c, batch).await.expect("a store").expect("known");
            let first = appended.recorded[0].activity.timestamp.expect("a time");
            assert_eq!(first.format("%H:%M:%S%.3f").to_string(), expected);
            assert_eq!(appended.recorded[1].activity.timestamp, Some(first + Duration::milliseconds(1)));
        }
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
        let mut listener = fixture.store.subscribe(&c).await.expect("a store").expect("known");
        for _ in 0..3 {
            fixture.append(&c, "x").await;
            assert_eq!(listener.changed().await, Ok(()));
        }
    }

    pub(super) async fn the_doorbell_falls_silent_when_the_conversation_goes(fixture: Fixture) {
        let c = fixture.create("c").await;
        let mut listener = fixture.store.subscribe(&c).await.expect("a store").expect("known");
        assert!(fixture.store.delete(&c).await.expect("a store"));
        assert!(listener.changed().await.is_err());
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

    pub(super) async fn every_ring_of_many_writers_is_heard(fixture: Fixture) {
        let c = fixture.create("c").await;
        let mut listener = fixture.store.subscribe(&c).await.expect("a store").expect("known");
        let listening = async {
            let mut read = Vec::new();
            while read.len() < 200 {
                listener.changed().await.expect("the conversation is there");
                let after = (read.len() as u64).checked_sub(1);
                read.extend(fixture.texts(&c, after, 1000).await.0);
            }
            read
        };
        let writing = join_all((0..200).map(|number: u32| {
            let (fixture, c) = (&fixture, &c);
            async move { (fixture.append(c, &number.to_string()).await, number.to_string()) }
        }));
        let (read, mut written) = tokio::join!(listening, writing);
        written.sort();
        assert_eq!(read, written.into_iter().map(|(_, text)| text).collect::<Vec<_>>());
    }

    pub(super) async fn the_batches_of_many_writers_stay_together(fixture: Fixture) {
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        let appends = (0..60).map(|number: usize| {
            let (store, id) = (&fixture.store, if number.is_multiple_of(2) { &c } else { &d });
            let batch = Batch::new(vec![message(&number.to_string()); 1 + number % 4]);
            async move { store.append(id, batch).await.expect("a store").expect("known").recorded }
        });
        let batches = join_all(appends).await;
        for id in [&c, &d] {
            let (texts, _) = fixture.texts(id, None, 1000).await;
            let runs = texts.chunk_by(|a, b| a == b).map(|run| (run[0].clone(), run.len()));
            for (text, length) in runs {
                let number: usize = text.parse().expect("a number");
                assert_eq!(length, 1 + number % 4, "batch {number} was torn apart");
            }
        }
        let longest = batches.iter().find(|batch| batch.len() == 4).expect("a batch");
        let places: Vec<u64> = longest.iter().map(|recorded| recorded.watermark.index()).collect();
        assert_eq!(places, (places[0]..places[0] + 4).collect::<Vec<_>>());
    }

    pub(super) async fn a_key_used_by_many_at_once_records_once(fixture: Fixture) {
        let c = fixture.create("c").await;
        let appends = (0..20).map(|number: u32| {
            let batch = Batch::new(vec![message(&number.to_string())]).keyed(Some("k".to_owned()));
            fixture.store.append(&c, batch)
        });
        let outcomes = join_all(appends).await;
        let outcomes: Vec<_> = outcomes.into_iter().map(|one| one.expect("a store").expect("known")).collect();
        assert_eq!(outcomes.iter().filter(|outcome| !outcome.repeated).count(), 1);
        assert!(outcomes.iter().all(|outcome| outcome.recorded == outcomes[0].recorded));
        assert_eq!(fixture.texts(&c, None, 99).await.0.len(), 1);
    }

    pub(super) async fn attachments_come_back_byte_for_byte(fixture: Fixture) {
        let c = fixture.create("c").await;
        let every_byte: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        let given = [
            ("empty", Attachment::new("text/plain", None, Vec::new())),
            ("bytes", Attachment::new("application/octet-stream", Some("a\u{1F600}.bin".to_owned()), every_byte)),
            ("zero", Attachment::new("", Some(String::new()), vec![0; 5])),
        ];
        for (id, attachment) in &given {
            assert!(fixture.store.keep_attachment(&c, id, attachment.clone()).await.expect("a store"));
        }
        for (id, attachment) in given {
            assert_eq!(fixture.store.attachment(&c, id).await.expect("a store"), Some(attachment));
        }
    }

    pub(super) async fn an_attachment_never_changes(fixture: Fixture) {
        let c = fixture.create("c").await;
        let attachment = |text: &str| Attachment::new("text/plain", None, text.as_bytes().to_vec());
        for text in ["first", "second"] {
            assert!(fixture.store.keep_attachment(&c, "a", attachment(text)).await.expect("a store"));
        }
        assert_eq!(fixture.store.attachment(&c, "a").await.expect("a store"), Some(attachment("first")));
    }

    pub(super) async fn attachments_go_with_their_conversation(fixture: Fixture) {
        let (store, attachment) = (&fixture.store, || Attachment::new("text/plain", None, b"x".to_vec()));
        assert!(!store.keep_attachment(&id("unknown"), "a", attachment()).await.expect("a store"));
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        store.keep_attachment(&c, "a", attachment()).await.expect("a store");
        assert_eq!(store.attachment(&d, "a").await.expect("a store"), None, "it is of another conversation");
        store.delete(&c).await.expect("a store");
        fixture.create("c").await;
        assert_eq!(store.attachment(&c, "a").await.expect("a store"), None);
    }

    pub(super) async fn conversations_are_listed_by_their_last_activity(fixture: Fixture) {
        let user = Some(ChannelAccount::new("ann", Role::User));
        fixture.store.create(&id("a"), user.clone()).await.expect("created");
        for name in ["b", "c"] {
            fixture.clock.advance(Duration::seconds(1));
            fixture.create(name).await;
        }
        fixture.clock.advance(Duration::seconds(1));
        fixture.append(&id("a"), "x").await;
        fixture.append(&id("a"), "y").await;
        let listing = fixture.store.list(None, 9).await.expect("a store");
        let names: Vec<_> = listing.conversations.iter().map(|one| one.conversation.id.as_str()).collect();
        assert_eq!((names, listing.next), (vec!["a", "c", "b"], None));
        let first = &listing.conversations[0];
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        assert_eq!((first.activities, first.created, first.active), (2, start, start + Duration::seconds(3)));
        assert_eq!(first.conversation.user, user);
        assert_eq!(listing.conversations[1].activities, 0);
    }

    pub(super) async fn the_pages_of_the_list_lead_through_everything_once(fixture: Fixture) {
        for number in 0..10 {
            // Several of one moment.
            fixture.clock.advance(Duration::seconds(i64::from(number % 3 == 0)));
            fixture.create(&number.to_string()).await;
        }
        let (mut names, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let listing = fixture.store.list(after, 3).await.expect("a store");
            names.extend(listing.conversations.iter().map(|one| one.conversation.id.to_string()));
            pages += 1;
            match listing.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        assert_eq!((names.concat(), pages), ("9876543210".to_owned(), 4));
    }

    pub(super) async fn what_there_is_is_counted(fixture: Fixture) {
        let before = fixture.store.count().await.expect("a store");
        assert_eq!((before.conversations, before.activities), (0, 0));
        let (c, _) = (fixture.create("c").await, fixture.create("d").await);
        fixture.append(&c, &"x".repeat(100_000)).await;
        let after = fixture.store.count().await.expect("a store");
        assert_eq!((after.conversations, after.activities), (2, 1));
        // Pages that were there already may take some of it.
        assert!(after.bytes >= before.bytes + 90_000, "{before:?} {after:?}");
    }

    pub(super) async fn a_reference_is_kept_until_another_takes_its_place(fixture: Fixture) {
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        assert_eq!(fixture.reference(&c).await, None);
        for reference in
            [json!({"serviceUrl": "https://a.example/\u{1F600}\"'"}), json!({"serviceUrl": "https://b.example/"})]
        {
            assert!(fixture.store.refer(&c, reference.clone()).await.expect("a store"));
            fixture.append(&c, "x").await;
            assert_eq!(fixture.reference(&c).await, Some(reference.clone()));
            let listing = fixture.store.list(None, 9).await.expect("a store");
            let listed = listing.conversations.iter().find(|one| one.conversation.id == c).expect("listed");
            assert_eq!(listed.conversation.reference, Some(reference.clone()));
            for user in [None, Some(ChannelAccount::new("ann", Role::User))] {
                let found = fixture.store.create(&c, user).await.expect("found");
                assert!(matches!(found, Created::Existing(found) if found.reference.as_ref() == Some(&reference)));
            }
        }
        assert_eq!(fixture.reference(&d).await, None, "it is of another conversation");
        assert!(!fixture.store.refer(&id("unknown"), json!({})).await.expect("a store"));
    }

    pub(super) async fn a_reference_is_no_sign_of_life(fixture: Fixture) {
        let c = fixture.create("c").await;
        fixture.clock.advance(Duration::hours(2));
        fixture.store.refer(&c, json!({})).await.expect("a store");
        assert_eq!(fixture.store.expire(fixture.clock.now() - Duration::hours(1)).await.expect("a store"), 1);
    }

    pub(super) async fn a_batch_is_found_under_all_its_names(fixture: Fixture) {
        let c = fixture.create("c").await;
        fixture.append(&c, "before").await;
        let names = || vec!["1".to_owned(), "2".to_owned(), "1".to_owned()];
        let batch = Batch::new(vec![message("a"), message("b")]).keyed(Some("k".to_owned())).named(names());
        let appended = fixture.store.append(&c, batch).await.expect("a store").expect("known");
        let nameless = Batch::new(vec![message("c")]).named(vec!["3".to_owned()]);
        fixture.store.append(&c, nameless).await.expect("a store").expect("known");
        for name in ["k", "1", "2"] {
            let recalled = fixture.store.recall(&c, name).await.expect("a store").expect("recorded");
            assert_eq!(recalled.recorded, appended.recorded, "{name}");
        }
        let third = fixture.store.recall(&c, "3").await.expect("a store").expect("recorded");
        assert_eq!(third.recorded[0].watermark.index(), 3);
        assert_eq!(fixture.store.recall(&c, "4").await.expect("a store"), None);
    }

    pub(super) async fn a_name_stays_with_the_batch_that_had_it_first(fixture: Fixture) {
        let c = fixture.create("c").await;
        let batch = |text: &str| Batch::new(vec![message(text)]).named(vec!["n".to_owned()]);
        for text in ["first", "second"] {
            let appended = fixture.store.append(&c, batch(text)).await.expect("a store").expect("known");
            assert!(!appended.repeated, "a name is no key");
        }
        let keyed = Batch::new(vec![message("third")]).keyed(Some("n".to_owned()));
        let appended = fixture.store.append(&c, keyed).await.expect("a store").expect("known");
        assert!(appended.repeated, "a key that is a name is known");
        assert_eq!(appended.recorded[0].activity.text.as_deref(), Some("first"));
        // Of those that come at the same time as well.
        let d = fixture.create("d").await;
        let outcomes = join_all((0..20).map(|number: u32| fixture.store.append(&d, batch(&number.to_string())))).await;
        assert!(outcomes.into_iter().all(|outcome| outcome.is_ok_and(|appended| appended.is_some())));
        let named = fixture.store.recall(&d, "n").await.expect("a store").expect("recorded");
        assert_eq!((named.recorded.len(), named.recorded[0].watermark), (1, Watermark::FIRST));
        assert_eq!(fixture.texts(&d, None, 99).await.0.len(), 20);
    }

    pub(super) async fn feedback_is_kept_in_order_with_its_time(fixture: Fixture) {
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        assert_eq!(fixture.feedback(&c, None, 9).await, (vec![], None));
        let place = fixture.append(&c, "an answer").await;
        let mut whole = feedback("Great \u{1F600}\n\"'");
        whole.about = Some(place);
        whole.reply_to_id = Some("1700".to_owned());
        whole.reaction = Some("like".to_owned());
        whole.from = Some(ChannelAccount::new("ann", Role::User));
        whole.details = Some(json!({"why": [1, null]}));
        assert!(fixture.store.keep_feedback(&c, whole.clone(), None).await.expect("a store"));
        fixture.clock.advance(Duration::seconds(1));
        assert!(fixture.store.keep_feedback(&c, Feedback::default(), None).await.expect("a store"));
        let page = fixture.store.feedback(&c, None, 9).await.expect("a store").expect("known");
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        let kept: Vec<_> = page.feedback.into_iter().map(|noted| (noted.received, noted.feedback)).collect();
        assert_eq!(kept, [(start, whole), (start + Duration::seconds(1), Feedback::default())]);
        assert_eq!(fixture.feedback(&d, None, 9).await, (vec![], None), "it is of another conversation");
        let unknown = id("unknown");
        assert!(!fixture.store.keep_feedback(&unknown, Feedback::default(), None).await.expect("a store"));
        assert_eq!(fixture.store.feedback(&unknown, None, 9).await.expect("a store"), None);
        assert_eq!(fixture.texts(&c, None, 9).await.0, ["an answer"], "feedback is nothing that was said");
    }

    pub(super) async fn the_pages_of_feedback_lead_through_everything_once(fixture: Fixture) {
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        for number in 0..10 {
            for id in [&c, &d] {
                fixture.store.keep_feedback(id, feedback(&format!("{id}{number}")), None).await.expect("a store");
            }
        }
        let (mut texts, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let (page, next) = fixture.feedback(&d, after, 3).await;
            texts.extend(page);
            pages += 1;
            match next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        assert_eq!((texts.concat(), pages), ("d0d1d2d3d4d5d6d7d8d9".to_owned(), 4));
        assert_eq!(fixture.feedback(&d, Some(u64::MAX), 3).await, (vec![], None));
        assert_eq!(fixture.feedback(&d, None, 0).await.0, ["d0"], "at least one");
    }

    /// Services deliver again what is not acknowledged in time.
    pub(super) async fn feedback_that_comes_again_under_its_name_is_kept_once(fixture: Fixture) {
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        let keep = |id, text: &str, name: &str| fixture.store.keep_feedback(id, feedback(text), Some(name.to_owned()));
        let (first, meanwhile) = tokio::join!(keep(&c, "1", "n"), keep(&c, "1", "n"));
        assert!(first.expect("a store") && meanwhile.expect("a store"));
        for (id, text, name) in [(&c, "1", "n"), (&c, "2", "m"), (&d, "1", "n")] {
            assert!(keep(id, text, name).await.expect("a store"), "{text}");
        }
        assert_eq!(fixture.feedback(&c, None, 9).await.0, ["1", "2"]);
        assert_eq!(fixture.feedback(&d, None, 9).await.0, ["1"], "it is of another conversation");
        fixture.append(&c, "an answer").await;
        assert_eq!(fixture.texts(&c, None, 9).await.0, ["an answer"]);
    }

    pub(super) async fn feedback_is_a_sign_of_life(fixture: Fixture) {
        let c = fixture.create("c").await;
        fixture.clock.advance(Duration::hours(2));
        fixture.store.keep_feedback(&c, feedback("still here"), None).await.expect("a store");
        assert_eq!(fixture.store.expire(fixture.clock.now() - Duration::hours(1)).await.expect("a store"), 0);
        let listing = fixture.store.list(None, 9).await.expect("a store");
        assert!(listing.conversations[0].active > listing.conversations[0].created);
    }

    pub(super) async fn references_names_and_feedback_go_with_their_conversation(fixture: Fixture) {
        let c = fixture.create("c").await;
        for ends in [true, false] {
            assert_eq!((fixture.reference(&c).await, fixture.feedback(&c, None, 9).await.0), (None, vec![]));
            assert_eq!(fixture.store.recall(&c, "n").await.expect("a store"), None);
            fixture.store.refer(&c, json!({})).await.expect("a store");
            fixture.store.keep_feedback(&c, feedback("x"), None).await.expect("a store");
            let batch = Batch::new(vec![message("x")]).named(vec!["n".to_owned()]);
            fixture.store.append(&c, batch).await.expect("a store").expect("known");
            if ends {
                fixture.store.delete(&c).await.expect("a store");
            } else {
                fixture.clock.advance(Duration::hours(2));
                let since = fixture.clock.now() - Duration::hours(1);
                assert_eq!(fixture.store.expire(since).await.expect("a store"), 1);
            }
            fixture.create("c").await;
        }
        assert_eq!((fixture.reference(&c).await, fixture.feedback(&c, None, 9).await.0), (None, vec![]));
    }

    pub(super) async fn a_full_store_refuses_and_keeps_what_it_has(backend: Backend) {
        let limits = StoreLimits {
            max_conversations: 1,
            max_activities: 2,
            max_bytes: 2_000_000,
            max_conversation_bytes: usize::MAX,
        };
        let fixture = backend(limits).await;
        let c = fixture.create("c").await;
        let full = |error| matches!(error, Err(StoreError::Full { .. }));
        assert!(full(fixture.store.append(&c, Batch::new(vec![message(&"x".repeat(2_000_000))])).await));
        let large = Attachment::new("text/plain", None, vec![0; 2_000_001]);
        let kept = fixture.store.keep_attachment(&c, "a", large).await;
        assert!(matches!(kept, Err(StoreError::Full { what: "bytes", limit: 2_000_000 })), "{kept:?}");
        let large = || "x".repeat(2_000_001);
        assert!(full(fixture.store.refer(&c, json!(large())).await.map(|_| None)));
        assert!(full(fixture.store.keep_feedback(&c, feedback(&large()), None).await.map(|_| None)));
        assert!(full(fixture.store.append(&c, Batch::new(vec![message("a"), message("b"), message("c")])).await));
        fixture.append(&c, "a").await;
        fixture.append(&c, "b").await;
        assert!(matches!(fixture.store.create(&id("d"), None).await, Err(StoreError::Full { .. })));
        assert!(full(fixture.store.append(&c, Batch::new(vec![message("c")])).await));
        assert_eq!(fixture.texts(&c, None, 9).await.0, ["a", "b"]);
        assert_eq!(fixture.store.attachment(&c, "a").await.expect("a store"), None);
        assert_eq!((fixture.reference(&c).await, fixture.feedback(&c, None, 9).await.0), (None, vec![]));
        fixture.store.ready().await.expect("a store that is full can still be read and expired");
    }

    /// Activities, files and feedback count together. What goes beyond is refused and leaves nothing; other conversations go on,
    /// and so does this one with what still fits.
    pub(super) async fn a_conversation_takes_no_more_than_its_share(backend: Backend) {
        let limits = StoreLimits { max_conversation_bytes: 10_000, ..StoreLimits::in_memory() };
        let fixture = backend(limits).await;
        let (c, d) = (fixture.create("c").await, fixture.create("d").await);
        let full = |error: StoreError| {
            assert!(matches!(error, StoreError::ConversationFull { limit: 10_000 }), "{error:?}");
            assert!(error.to_string().contains("store.max_conversation_bytes"), "{error}");
        };
        let large = || "x".repeat(4_000);
        let file = |length| Attachment::new("text/plain", None, vec![0; length]);
        fixture.append(&c, &large()).await;
        assert!(fixture.store.keep_attachment(&c, "a", file(3_000)).await.expect("a store"));
        full(fixture.store.append(&c, Batch::new(vec![message(&large())])).await.expect_err("refused"));
        full(fixture.store.keep_attachment(&c, "b", file(4_000)).await.expect_err("refused"));
        full(fixture.store.keep_feedback(&c, feedback(&large()), None).await.expect_err("refused"));
        assert_eq!(fixture.store.attachment(&c, "b").await.expect("a store"), None);
        assert_eq!(fixture.texts(&c, None, 9).await.0, [large()]);
        fixture.append(&c, "small").await;
        fixture.append(&d, &large()).await;
        fixture.append(&d, &large()).await;
        full(fixture.store.append(&d, Batch::new(vec![message(&large())])).await.expect_err("refused"));
        fixture.store.ready().await.expect("a store that others can use");
    }

    /// Users who only start conversations take no room from those who write. The oldest go first; those with content or
    /// a reference stay, and where there are no others, the store is full.
    pub(super) async fn conversations_without_content_make_room_for_others(backend: Backend) {
        let fixture = backend(StoreLimits { max_conversations: 4, ..StoreLimits::in_memory() }).await;
        for name in ["said", "held", "old", "new"] {
            fixture.create(name).await;
            fixture.clock.advance(Duration::seconds(1));
        }
        fixture.append(&id("said"), "x").await;
        fixture.store.refer(&id("held"), json!({})).await.expect("a store");
        let listener = fixture.store.subscribe(&id("old")).await.expect("a store").expect("known");
        fixture.create("next").await;
        assert_eq!(fixture.store.find(&id("old")).await.expect("a store"), None);
        drop(listener);
        assert!(fixture.store.find(&id("new")).await.expect("a store").is_some());
        for round in 0..9 {
            fixture.clock.advance(Duration::seconds(1));
            fixture.create(&format!("round-{round}")).await;
        }
        assert_eq!(fixture.store.count().await.expect("a store").conversations, 4);
        let both = [id("round-7"), id("round-8")];
        for last in &both {
            fixture.append(last, "x").await;
        }
        let refused = fixture.store.create(&id("no-more"), None).await;
        assert!(matches!(refused, Err(StoreError::Full { what: "conversations", limit: 4 })), "{refused:?}");
        for name in ["said", "held", "round-7", "round-8"] {
            assert!(fixture.store.find(&id(name)).await.expect("a store").is_some(), "{name}");
        }
    }

    pub(super) async fn what_is_deleted_makes_room_again(backend: Backend) {
        let fixture = backend(StoreLimits {
            max_conversations: 1,
            max_activities: 9,
            max_bytes: 2_000_000,
            max_conversation_bytes: usize::MAX,
        })
        .await;
        for _ in 0..3 {
            let c = fixture.create("c").await;
            fixture.append(&c, &"x".repeat(600_000)).await;
            let large = Attachment::new("text/plain", None, vec![0; 600_000]);
            assert!(fixture.store.keep_attachment(&c, "a", large).await.expect("a store"));
            fixture.store.delete(&c).await.expect("a store");
        }
    }
}
