use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Duration, SubsecRound as _, Utc};
use citewire::activity::{Activity, ChannelAccount, ConversationId, Role, Watermark};
use citewire::clock::{Clock, ManualClock};
use citewire::store::{Attachment, Batch, ConversationStore, Created, Feedback, SqliteStore, StoreError, StoreLimits};
use futures_util::future::join_all;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use tempfile::TempDir;

use crate::postgres::{Database, node, two_nodes};

const LIMITS: StoreLimits =
    StoreLimits { max_conversations: 3, max_activities: 12, max_bytes: 64 << 20, max_conversation_bytes: 64 << 20 };

/// One action of a client.
#[derive(Clone, Debug)]
enum Act {
    Create(u8, Option<u8>),
    /// Several clients append at the same time: to which conversation, how many activities, under which key.
    Append(Vec<(u8, usize, Option<u8>)>),
    Read(u8, Option<u64>, usize),
    Keep(u8, u8, Vec<u8>),
    /// Sets the reference of a conversation.
    Refer(u8, u8),
    /// Feedback of one user, while that many others give theirs at the same time.
    Rate(u8, usize),
    Delete(u8),
    /// Milliseconds that pass; negative ones when the clock is set back.
    Wait(i64),
    /// Deletes everything that is idle for this many milliseconds.
    Expire(i64),
    List(usize),
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    let conversation = 0_u8..4;
    let append = (conversation.clone(), 1_usize..4, proptest::option::weighted(0.3, 0_u8..3));
    prop_oneof![
        3 => (conversation.clone(), proptest::option::of(0_u8..3)).prop_map(|(c, user)| Act::Create(c, user)),
        6 => proptest::collection::vec(append, 1..5).prop_map(Act::Append),
        3 => (conversation.clone(), proptest::option::of(0_u64..14), 0_usize..6).prop_map(|(c, after, limit)| Act::Read(c, after, limit)),
        1 => (conversation.clone(), 0_u8..2, proptest::collection::vec(any::<u8>(), 0..9)).prop_map(|(c, id, bytes)| Act::Keep(c, id, bytes)),
        1 => (conversation.clone(), any::<u8>()).prop_map(|(c, place)| Act::Refer(c, place)),
        1 => (conversation.clone(), 1_usize..4).prop_map(|(c, count)| Act::Rate(c, count)),
        1 => conversation.prop_map(Act::Delete),
        1 => (-50_i64..100).prop_map(Act::Wait),
        1 => (0_i64..120).prop_map(Act::Expire),
        1 => (0_usize..4).prop_map(Act::List),
        1 => Just(Act::Reopen),
    ]
}

/// A conversation, as simple as can be.
#[derive(Clone, Debug)]
struct Plain {
    user: Option<String>,
    /// Texts and times.
    said: Vec<(String, DateTime<Utc>)>,
    keys: BTreeMap<u8, (usize, usize)>,
    attachments: BTreeMap<u8, Vec<u8>>,
    reference: Option<u8>,
    /// The times of the feedback.
    feedback: Vec<DateTime<Utc>>,
    created: DateTime<Utc>,
    active: DateTime<Utc>,
    /// Whether anything was recorded, if only once.
    has_content: bool,
}

/// A backend that can be opened again.
enum Backend {
    Sqlite(TempDir),
    Postgres(Database),
    TwoNodes(Database),
}

impl Backend {
    async fn open(&self, clock: &Arc<ManualClock>) -> Arc<dyn ConversationStore> {
        let clock = Arc::clone(clock) as Arc<dyn Clock>;
        match self {
            Self::Sqlite(folder) => {
                let path = folder.path().join("citewire.db");
                Arc::new(SqliteStore::open(&path, LIMITS, clock).await.expect("a store"))
            }
            Self::Postgres(database) => Arc::new(node(database, LIMITS, clock).await),
            Self::TwoNodes(database) => Arc::new(two_nodes(database, LIMITS, clock).await),
        }
    }
}

struct World {
    backend: Backend,
    clock: Arc<ManualClock>,
    store: Arc<dyn ConversationStore>,
    plain: BTreeMap<u8, Plain>,
    /// Makes every text another one.
    count: u32,
}

fn id(number: u8) -> ConversationId {
    format!("c{number}").parse().expect("an id")
}

impl World {
    async fn new(backend: Backend) -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        let store = backend.open(&clock).await;
        Self { backend, clock, store, plain: BTreeMap::new(), count: 0 }
    }

    async fn does(&mut self, act: Act) {
        match act {
            Act::Create(number, user) => self.create(number, user.map(|user| format!("user {user}"))).await,
            Act::Append(appends) => self.append(&appends).await,
            Act::Read(number, after, limit) => self.read(number, after, limit).await,
            Act::Keep(number, name, bytes) => self.keep(number, name, bytes).await,
            Act::Refer(number, place) => {
                let there = self.store.refer(&id(number), json!({ "place": place })).await.expect("a store");
                assert_eq!(there, self.plain.contains_key(&number));
                if let Some(plain) = self.plain.get_mut(&number) {
                    plain.reference = Some(place);
                }
            }
            Act::Rate(number, count) => self.rate(number, count).await,
            Act::Delete(number) => {
                let there = self.plain.remove(&number).is_some();
                assert_eq!(self.store.delete(&id(number)).await.expect("a store"), there);
            }
            Act::Wait(millis) => self.clock.advance(Duration::milliseconds(millis)),
            Act::Expire(millis) => {
                let since = self.clock.now() - Duration::milliseconds(millis);
                let before = self.plain.len();
                self.plain.retain(|_, plain| plain.active >= since);
                assert_eq!(self.store.expire(since).await.expect("a store"), before - self.plain.len());
            }
            Act::List(limit) => self.list(limit).await,
            Act::Reopen => {
                self.store.close().await.expect("closed");
                self.store = self.backend.open(&self.clock).await;
            }
        }
    }

    async fn create(&mut self, number: u8, user: Option<String>) {
        let account = user.clone().map(|user| ChannelAccount::new(user, Role::User));
        let created = self.store.create(&id(number), account).await;
        let full = self.plain.len() >= LIMITS.max_conversations && !self.plain.contains_key(&number);
        let empty = self.plain.iter().filter(|(_, plain)| !plain.has_content && plain.reference.is_none());
        let oldest = empty.min_by_key(|(number, plain)| (plain.created, **number)).map(|(number, _)| *number);
        if let (true, Some(oldest)) = (full, oldest) {
            self.plain.remove(&oldest);
        } else if full {
            assert!(matches!(created, Err(StoreError::Full { .. })), "{created:?}");
            return;
        }
        let new = !self.plain.contains_key(&number);
        let active = self.clock.now().trunc_subsecs(3);
        let plain = self.plain.entry(number).or_insert_with(|| Plain {
            user: None,
            said: Vec::new(),
            keys: BTreeMap::new(),
            attachments: BTreeMap::new(),
            reference: None,
            feedback: Vec::new(),
            created: active,
            active,
            has_content: false,
        });
        plain.user = plain.user.take().or(user);
        let conversation = match created.expect("created") {
            Created::New(conversation) => {
                assert!(new);
                conversation
            }
            Created::Existing(conversation) => {
                assert!(!new);
                conversation
            }
        };
        assert_eq!(conversation.user.and_then(|user| user.id), plain.user);
    }

    /// Clients that append at the same time may come in any order, but each batch is whole, and all of them together
    /// are what one after the other in that order would have made.
    async fn append(&mut self, appends: &[(u8, usize, Option<u8>)]) {
        let now = self.clock.now();
        let batches = appends.iter().map(|&(number, length, key)| {
            self.count += 1;
            let texts: Vec<String> = (0..length).map(|place| format!("{}.{place}", self.count)).collect();
            let activities = texts.iter().map(Activity::message).collect();
            (number, key, texts, Batch::new(activities).keyed(key.map(|key| key.to_string())))
        });
        let batches: Vec<_> = batches.collect();
        let store = &self.store;
        let outcomes = join_all(batches.into_iter().map(|(number, key, texts, batch)| async move {
            (number, key, texts, store.append(&id(number), batch).await)
        }));
        let mut recorded = Vec::new();
        let mut repeated = Vec::new();
        for (number, key, texts, outcome) in outcomes.await {
            match outcome {
                Ok(None) => assert!(!self.plain.contains_key(&number)),
                Ok(Some(appended)) if appended.repeated => repeated.push((number, key, appended)),
                Ok(Some(appended)) => recorded.push((number, key, texts, appended)),
                Err(StoreError::Full { .. }) => {
                    let plain = &self.plain[&number];
                    let possible: usize =
                        appends.iter().filter(|append| append.0 == number).map(|append| append.1).sum();
                    assert!(plain.said.len() + possible > LIMITS.max_activities, "it would have fitted");
                }
                Err(error) => panic!("{error}"),
            }
        }
        recorded.sort_by_key(|(number, _, _, appended)| (*number, appended.recorded[0].watermark));
        for (number, key, texts, appended) in recorded {
            let plain = self.plain.get_mut(&number).expect("known");
            let first = plain.said.len();
            for (text, one) in texts.iter().zip(&appended.recorded) {
                assert_eq!(one.watermark, Watermark::from_index(plain.said.len() as u64));
                assert_eq!(one.activity.text.as_ref(), Some(text));
                let after = plain.said.last().map(|(_, time)| *time + Duration::milliseconds(1));
                let time = after.map_or(now.trunc_subsecs(3), |after| after.max(now.trunc_subsecs(3)));
                assert_eq!(one.activity.timestamp, Some(time));
                plain.said.push((text.clone(), time));
                plain.has_content = true;
            }
            assert_eq!(texts.len(), appended.recorded.len());
            assert!(plain.said.len() <= LIMITS.max_activities);
            if let Some(key) = key {
                assert_eq!(plain.keys.insert(key, (first, texts.len())), None, "a key recorded twice");
            }
            plain.active = now.trunc_subsecs(3);
        }
        for (number, key, appended) in repeated {
            let plain = &self.plain[&number];
            let (first, length) = plain.keys[&key.expect("a key")];
            let texts: Vec<_> = appended.recorded.iter().filter_map(|one| one.activity.text.clone()).collect();
            let said: Vec<_> = plain.said[first..first + length].iter().map(|(text, _)| text.clone()).collect();
            assert_eq!(texts, said);
        }
    }

    async fn read(&self, number: u8, after: Option<u64>, limit: usize) {
        let after_mark = after.map(Watermark::from_index);
        let page = self.store.read(&id(number), after_mark, limit).await.expect("a store");
        let Some(plain) = self.plain.get(&number) else {
            assert_eq!(page, None);
            return;
        };
        let page = page.expect("known");
        let start = after.map_or(0, |after| (after + 1).min(plain.said.len() as u64)) as usize;
        let expected: Vec<_> = plain.said[start..].iter().take(limit.max(1)).cloned().collect();
        let found = page
            .recorded
            .iter()
            .map(|one| (one.activity.text.clone().unwrap_or_default(), one.activity.timestamp.expect("a time")));
        assert_eq!(found.collect::<Vec<_>>(), expected);
        let reached = (start + expected.len()).checked_sub(1).map(|place| Watermark::from_index(place as u64));
        assert_eq!(page.reached, reached);
        let newest = self.store.newest(&id(number)).await.expect("a store").expect("known");
        assert_eq!(newest.watermark.map(Watermark::index), (plain.said.len() as u64).checked_sub(1));
        assert_eq!(newest.timestamp, plain.said.last().map(|(_, time)| *time));
    }

    async fn keep(&mut self, number: u8, name: u8, bytes: Vec<u8>) {
        let attachment = Attachment::new("text/plain", None, bytes.clone());
        let kept = self.store.keep_attachment(&id(number), &name.to_string(), attachment).await.expect("a store");
        assert_eq!(kept, self.plain.contains_key(&number));
        if let Some(plain) = self.plain.get_mut(&number) {
            plain.has_content |= !bytes.is_empty();
            plain.attachments.entry(name).or_insert(bytes);
        }
    }

    async fn rate(&mut self, number: u8, count: usize) {
        let id = id(number);
        let rates = (0..count).map(|_| self.store.keep_feedback(&id, Feedback::default(), None));
        for kept in join_all(rates).await {
            assert_eq!(kept.expect("a store"), self.plain.contains_key(&number));
        }
        let now = self.clock.now().trunc_subsecs(3);
        if let Some(plain) = self.plain.get_mut(&number) {
            plain.feedback.extend(std::iter::repeat_n(now, count));
            plain.has_content = true;
            plain.active = now;
        }
    }

    /// The reference of a conversation and its feedback, page by page.
    async fn beside(&self, number: u8) {
        let found = self.store.find(&id(number)).await.expect("a store");
        let plain = self.plain.get(&number);
        let reference = plain.and_then(|plain| plain.reference).map(|place| json!({ "place": place }));
        assert_eq!(found.and_then(|found| found.reference), reference);
        let (mut times, mut after) = (Vec::new(), None);
        while let Some(page) = self.store.feedback(&id(number), after, 2).await.expect("a store") {
            times.extend(page.feedback.iter().map(|noted| noted.received));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(Some(&times), plain.map(|plain| &plain.feedback).or(Some(&Vec::new())));
    }

    async fn list(&self, limit: usize) {
        let mut expected: Vec<_> =
            self.plain.iter().map(|(&number, plain)| (plain.active, id(number), plain.said.len())).collect();
        expected.sort_by(|a, b| b.cmp(a));
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let listing = self.store.list(after, limit).await.expect("a store");
            found.extend(
                listing.conversations.into_iter().map(|one| (one.active, one.conversation.id, one.activities as usize)),
            );
            match listing.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        assert_eq!(found, expected);
    }

    /// Checks everything once more at the end.
    async fn verify(self) {
        for number in 0..4 {
            self.read(number, None, 99).await;
            self.beside(number).await;
            for name in 0..2_u8 {
                let found = self.store.attachment(&id(number), &name.to_string()).await.expect("a store");
                let plain = self.plain.get(&number).and_then(|plain| plain.attachments.get(&name));
                assert_eq!(found.map(|attachment| attachment.bytes).as_ref(), plain);
            }
        }
        self.list(2).await;
        let counts = self.store.count().await.expect("a store");
        let said: usize = self.plain.values().map(|plain| plain.said.len()).sum();
        assert_eq!((counts.conversations, counts.activities), (self.plain.len() as u64, said as u64));
        self.store.close().await.expect("closed");
    }
}

#[test]
fn sqlite_does_what_a_plain_list_does() {
    does_what_a_plain_list_does(8, || Box::pin(async { Backend::Sqlite(tempfile::tempdir().expect("a folder")) }));
}

#[test]
fn postgres_does_what_a_plain_list_does() {
    does_what_a_plain_list_does(40, || Box::pin(async { Backend::Postgres(Database::new().await) }));
}

#[test]
fn two_nodes_do_what_a_plain_list_does() {
    does_what_a_plain_list_does(40, || Box::pin(async { Backend::TwoNodes(Database::new().await) }));
}

/// A case writes to the disk dozens of times, so there is one where other properties have `fewer`.
fn does_what_a_plain_list_does(fewer: u32, backend: fn() -> Pin<Box<dyn Future<Output = Backend>>>) {
    let config = Config { failure_persistence: None, ..Config::default() };
    let config = Config { cases: config.cases.div_ceil(fewer), ..config };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let tried = TestRunner::new(config).run(&proptest::collection::vec(act(), 1..40), |acts| {
        runtime.block_on(async {
            let mut world = World::new(backend().await).await;
            for act in acts {
                world.does(act).await;
            }
            world.verify().await;
        });
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{error}"));
}
