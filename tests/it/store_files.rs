use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::Duration;
use citewire::activity::{Activity, ChannelAccount, ConversationId, Role, Watermark};
use citewire::clock::{Clock, ManualClock};
use citewire::store::Selection;
use citewire::store::sqlite::Archive;
use citewire::store::{
    Attachment, Batch, ConversationStore as _, EndOfTurn, Feedback, NewTurn, SqliteError, SqliteStore, StoreError,
    StoreLimits, TurnKind, TurnRoom, Turns as _,
};
use futures_util::future::join_all;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqlSafeStr as _};
use tempfile::TempDir;

/// A place for a store, and the time there.
struct StoreFolder {
    folder: TempDir,
    clock: Arc<ManualClock>,
}

impl StoreFolder {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        Self { folder: tempfile::tempdir().expect("a folder"), clock }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("citewire.db")
    }

    async fn try_open(&self) -> Result<SqliteStore, SqliteError> {
        SqliteStore::open(&self.path(), StoreLimits::in_memory(), Arc::clone(&self.clock) as Arc<dyn Clock>).await
    }

    async fn open(&self) -> SqliteStore {
        self.try_open().await.expect("a store")
    }

    /// Runs a statement on the file while no store has it open.
    async fn execute(&self, statement: &'static str) {
        let options = SqliteConnectOptions::new().filename(self.path()).create_if_missing(true);
        let mut connection = options.connect().await.expect("a connection");
        sqlx::raw_sql(statement).execute(&mut connection).await.expect("executed");
        connection.close().await.expect("closed");
    }

    /// Opens what must not be a store, and finds it as it was.
    async fn refused(&self) -> SqliteError {
        let before = std::fs::read(self.path()).expect("a file");
        let error = self.try_open().await.expect_err("refused");
        assert!(std::fs::read(self.path()).expect("a file") == before, "the file was touched");
        assert!(error.to_string().contains(&self.path().display().to_string()), "{error}");
        error
    }
}

fn id(text: &str) -> ConversationId {
    text.parse().expect("a conversation id")
}

fn batch(text: &str) -> Batch {
    Batch::new(vec![Activity::message(text)])
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    let user = ChannelAccount::new("ann", Role::User);
    store.create(&id("c"), Some(user.clone())).await.expect("created");
    let keyed = || batch("keyed").keyed(Some("k".to_owned()));
    let first = store.append(&id("c"), keyed()).await.expect("a store").expect("known");
    let attachment = Attachment::new("image/png", Some("a.png".to_owned()), vec![7; 9000]);
    store.keep_attachment(&id("c"), "a", attachment.clone()).await.expect("a store");
    store.close().await.expect("closed");

    // The clock was set back in the meantime.
    folder.clock.advance(Duration::hours(-5));
    let store = folder.open().await;
    assert_eq!(store.find(&id("c")).await.expect("a store").expect("known").user, Some(user));
    assert_eq!(store.attachment(&id("c"), "a").await.expect("a store"), Some(attachment));
    let again = store.append(&id("c"), keyed()).await.expect("a store").expect("known");
    assert!(again.repeated);
    assert_eq!(again.recorded, first.recorded);
    let next = store.append(&id("c"), batch("next")).await.expect("a store").expect("known").recorded.remove(0);
    assert_eq!(next.watermark.index(), 1);
    assert!(next.activity.timestamp > first.recorded[0].activity.timestamp);
    store.close().await.expect("closed");
}

#[tokio::test]
async fn only_the_owner_reads_what_was_said() {
    let folder = StoreFolder::new();
    folder.open().await.close().await.expect("closed");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o644)).expect("set");
    let store = folder.open().await;
    store.create(&id("c"), None).await.expect("created");
    let files: Vec<_> =
        std::fs::read_dir(folder.folder.path()).expect("a folder").map(|file| file.expect("a file")).collect();
    assert!(files.len() >= 3, "the file, its log and its lock: {files:?}");
    for file in files {
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.path().display());
    }
    store.close().await.expect("closed");
}

#[tokio::test]
async fn a_file_of_a_later_version_is_refused_with_both_versions() {
    let folder = StoreFolder::new();
    folder.open().await.close().await.expect("closed");
    folder.execute("INSERT INTO _sqlx_migrations VALUES (4711, 'later', 0, true, x'00', 0)").await;
    let error = folder.refused().await;
    assert!(matches!(error, SqliteError::Newer { found: 4711, known: 8, .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains("4711") && words.contains("up to 8"), "{words}");
}

/// The records of version 1 of the schema are all there afterwards, and can have members that they could not have then.
#[tokio::test]
async fn a_file_of_the_first_version_is_brought_up_to_date() {
    let folder = StoreFolder::new();
    let first = Migration::new(
        1,
        "conversations".into(),
        MigrationType::Simple,
        include_str!("../../crates/store/src/sqlite/migrations/0001_conversations.sql").into_sql_str(),
        false,
    );
    let options = SqliteConnectOptions::new().filename(folder.path()).create_if_missing(true);
    let mut connection = options.connect().await.expect("a connection");
    Migrator::with_migrations(vec![first]).run(&mut connection).await.expect("migrated");
    connection.close().await.expect("closed");
    folder
        .execute(
            r#"INSERT INTO conversation VALUES (1, 'c', '{"id":"ann","role":"user"}', 1767225600000, 1767225600000, 3, 1767225600002);
               INSERT INTO activity VALUES (1, 1, 0, 1767225600000, '{"type":"message","text":"hi","from":{"id":"ben","role":"user"}}');
               INSERT INTO activity VALUES (2, 1, 1, 1767225600001, '{"type":"message","text":"ho","from":{"id":"bot","role":"bot"}}');
               INSERT INTO activity VALUES (3, 1, 2, 1767225600002, '{"type":"message","text":"again","from":{"id":"ben","role":"user"}}');
               INSERT INTO batch VALUES (1, 1, 'k', 0, 1);"#,
        )
        .await;
    // The file may be looked into before a server has changed it.
    assert_eq!(exported(&folder.path(), Some("c")).await, 3);
    let archive = Archive::open(&folder.path()).await.expect("an archive");
    assert_eq!(archive.describe().await.expect("read").version, 1);
    let of_user = archive.export(Selection::User("ann"), |_| Ok::<(), std::convert::Infallible>(())).await;
    assert!(matches!(of_user, Err(SqliteError::Older { found: 1, needed: 3, .. })), "{of_user:?}");
    archive.close().await;

    let store = folder.open().await;
    // The users of a conversation are found in the activities that were recorded before.
    for (user, place) in [("ann", None), ("ben", Some(0)), ("bot", None)] {
        let first = store.first_said(&id("c"), user).await.expect("a store");
        assert_eq!(first.map(Watermark::index), place, "{user}");
        let found = store.conversations_of(user, None, 9).await.expect("a store");
        assert_eq!(found.len(), usize::from(user != "bot"), "{user}");
    }
    let found = store.find(&id("c")).await.expect("a store").expect("known");
    assert_eq!((found.user, found.reference), (Some(ChannelAccount::new("ann", Role::User)), None));
    let recalled = store.recall(&id("c"), "k").await.expect("a store").expect("recorded");
    assert_eq!(recalled.recorded[0].activity.text.as_deref(), Some("hi"));
    assert!(store.refer(&id("c"), serde_json::json!({"a": 1})).await.expect("a store"));
    assert!(store.keep_feedback(&id("c"), Feedback::default(), None).await.expect("a store"));
    store.append(&id("c"), batch("next")).await.expect("a store").expect("known");
    store.close().await.expect("closed");
    let sizes = "SELECT conversation.bytes, (SELECT sum(octet_length(body)) FROM activity) FROM conversation";
    let mut connection =
        SqliteConnectOptions::new().filename(folder.path()).read_only(true).connect().await.expect("a connection");
    let (noted, counted): (i64, i64) = sqlx::query_as(sizes).fetch_one(&mut connection).await.expect("read");
    connection.close().await.expect("closed");
    assert_eq!(noted, counted + 2, "the sizes of what was there before, of what came then, and of feedback {{}}");
    let store = folder.open().await;
    let found = store.find(&id("c")).await.expect("a store").expect("known");
    assert_eq!(found.reference, Some(serde_json::json!({"a": 1})));
    assert_eq!(store.feedback(&id("c"), None, 9).await.expect("a store").expect("known").feedback.len(), 1);
    assert_eq!(store.newest(&id("c")).await.expect("a store").expect("known").watermark.map(Watermark::index), Some(3));
    store.close().await.expect("closed");
}

#[tokio::test]
async fn a_file_that_was_cut_in_half_is_refused() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    store.create(&id("c"), None).await.expect("created");
    for _ in 0..20 {
        store.append(&id("c"), batch(&"x".repeat(10_000))).await.expect("a store");
    }
    store.close().await.expect("closed");
    let whole = std::fs::read(folder.path()).expect("a file");
    for length in [whole.len() / 2, whole.len() / 2 + 1000, 5000] {
        std::fs::write(folder.path(), &whole[..length]).expect("written");
        let error = folder.refused().await;
        assert!(matches!(error, SqliteError::Damaged { .. }), "{length}: {error}");
    }
    std::fs::write(folder.path(), &whole).expect("written");
    folder.open().await.close().await.expect("closed");
}

/// A copy may get its first page last, or not at all; a log without its file is half a store, too.
#[tokio::test]
async fn the_rest_of_a_copy_that_was_broken_off_is_no_new_store() {
    let folder = StoreFolder::new();
    for rest in [&b""[..], &[0; 8192], &[0; 100], b"SQLite format 3\0"] {
        std::fs::write(folder.path(), rest).expect("written");
        let error = folder.refused().await;
        let words = error.to_string();
        assert!(
            words.contains("damaged or cut short") && words.contains("put a backup"),
            "{} bytes: {words}",
            rest.len()
        );
        assert!(
            matches!(Archive::open(&folder.path()).await, Err(SqliteError::Damaged { .. })),
            "{} bytes",
            rest.len()
        );
    }
    std::fs::remove_file(folder.path()).expect("removed");
    folder.execute("PRAGMA journal_mode = WAL").await;
    assert!(matches!(folder.refused().await, SqliteError::Damaged { .. }), "a first page that says nothing");
    std::fs::remove_file(folder.path()).expect("removed");
    let log = folder.folder.path().join("citewire.db-wal");
    std::fs::write(&log, "changes").expect("written");
    assert!(matches!(folder.try_open().await, Err(SqliteError::Damaged { .. })));
    std::fs::remove_file(&log).expect("removed");
    // A first start that was broken off keeps no later one from making a store.
    std::fs::write(folder.folder.path().join("citewire.db.new"), "begun").expect("written");
    folder.open().await.close().await.expect("closed");
    assert!(!folder.folder.path().join("citewire.db.new").exists());
}

/// While it was open, the file or its log was deleted or replaced: what would be recorded would be gone with the process.
#[tokio::test]
async fn a_file_that_loses_its_name_takes_nothing_more() {
    for name in ["citewire.db", "citewire.db-wal"] {
        for replaced in [false, true] {
            let folder = StoreFolder::new();
            let store = folder.open().await;
            store.create(&id("c"), None).await.expect("created");
            store.ready().await.expect("ready");
            let path = folder.folder.path().join(name);
            let other = folder.folder.path().join("other");
            std::fs::copy(&path, &other).expect("copied");
            if replaced {
                std::fs::rename(&other, &path).expect("replaced");
            } else {
                std::fs::remove_file(&path).expect("deleted");
            }
            let refused = store.append(&id("c"), batch("lost")).await;
            assert!(matches!(refused, Err(StoreError::Lost { .. })), "{name}: {refused:?}");
            assert!(matches!(store.ready().await, Err(StoreError::Lost { .. })), "{name}");
        }
    }
}

/// A reading caller is told as well, not just one that writes.
#[tokio::test]
async fn a_store_whose_file_is_gone_is_not_ready() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    std::fs::remove_file(folder.path()).expect("deleted");
    assert!(matches!(store.ready().await, Err(StoreError::Lost { .. })));
}

/// A model's answer was thrown away because the disk failed for some seconds at its end.
#[tokio::test]
async fn the_end_of_a_turn_is_tried_again_while_the_disk_fails() {
    let folder = StoreFolder::new();
    let store = folder.open().await.patient(std::time::Duration::from_secs(20));
    store.create(&id("c"), None).await.expect("created");
    let room = TurnRoom { in_queue: 9, in_all: 9 };
    let turn = NewTurn { kind: TurnKind::Assistant, body: None, room, name: None, bound: false };
    store.append(&id("c"), batch("question").asking(Some(turn))).await.expect("a store").expect("known");
    let queue = store.claim_queues(TurnKind::Assistant, 1).await.expect("a store").remove(0);
    let turn = store.next_turn(&queue).await.expect("a store").expect("a turn").key;
    let mut other = SqliteConnectOptions::new().filename(folder.path()).connect().await.expect("a connection");
    let fail = "CREATE TRIGGER fails BEFORE INSERT ON activity BEGIN SELECT RAISE(ABORT, 'the disk'); END";
    sqlx::raw_sql(fail).execute(&mut other).await.expect("executed");
    let metrics = citewire::metrics::Metrics::new();
    metrics.watch_store(store.figures());
    store.append(&id("c"), batch("a post")).await.expect_err("a client sends it again");
    let end = EndOfTurn { queue, turn, unless_answered: false };
    let failures = |count: u32| format!("citewire_store_group_duration_seconds_count{{outcome=\"failed\"}} {count}");
    let c = id("c");
    let mended = async {
        while !metrics.text().contains(&failures(2)) {
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql("DROP TRIGGER fails").execute(&mut other).await.expect("executed");
    };
    let (appended, ()) = tokio::join!(store.append(&c, batch("answer").ending(Some(end))), mended);
    let appended = appended.expect("a store").expect("known");
    assert_eq!((appended.recorded[0].watermark.index(), appended.repeated), (1, false));
}

/// Damage is met by some changes only, and those beside it say nothing about that.
#[tokio::test]
async fn a_damaged_store_is_not_ready_until_it_is_opened_anew() {
    let folder = StoreFolder::new();
    folder.open().await.close().await.expect("closed");
    folder.execute("ALTER TABLE activity RENAME TO elsewhere").await;
    let store = folder.open().await;
    store.create(&id("c"), None).await.expect("created");
    store.append(&id("c"), batch("refused")).await.expect_err("damaged");
    store.create(&id("d"), None).await.expect("nothing of that is damaged");
    for _ in 0..3 {
        assert!(matches!(store.ready().await, Err(StoreError::Lost { .. })));
    }
    store.close().await.expect("closed");
    let store = folder.open().await;
    store.create(&id("c"), None).await.expect("created");
    store.read(&id("c"), None, 1).await.expect_err("damaged");
    assert!(matches!(store.ready().await, Err(StoreError::Lost { .. })), "reading meets it as well");
    store.close().await.expect("closed");
    folder.execute("ALTER TABLE elsewhere RENAME TO activity").await;
    let store = folder.open().await;
    store.append(&id("c"), batch("recorded")).await.expect("a store").expect("known");
    store.ready().await.expect("ready");
}

#[tokio::test]
async fn a_file_of_something_else_is_refused() {
    let folder = StoreFolder::new();
    std::fs::write(folder.path(), "not a database at all").expect("written");
    let error = folder.refused().await;
    assert!(matches!(error, SqliteError::Foreign { .. }), "{error}");
    assert!(matches!(Archive::open(&folder.path()).await, Err(SqliteError::Foreign { .. })));
    std::fs::remove_file(folder.path()).expect("removed");
    folder.execute("CREATE TABLE recipes (name TEXT)").await;
    assert!(matches!(folder.refused().await, SqliteError::Foreign { .. }));
}

#[tokio::test]
async fn a_store_that_is_open_is_not_opened_again() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    let error = folder.try_open().await.expect_err("refused");
    assert!(matches!(&error, SqliteError::InUse { holder, .. } if holder.contains(&std::process::id().to_string())));
    store.close().await.expect("closed");
    folder.open().await.close().await.expect("closed");
}

#[tokio::test]
async fn a_change_that_does_not_fit_does_not_take_others_with_it() {
    let folder = StoreFolder::new();
    let limits = StoreLimits { max_bytes: 2_000_000, max_conversation_bytes: usize::MAX, ..StoreLimits::in_memory() };
    let store =
        SqliteStore::open(&folder.path(), limits, Arc::clone(&folder.clock) as Arc<dyn Clock>).await.expect("a store");
    let c = id("c");
    store.create(&id("c"), None).await.expect("created");
    let large = Attachment::new("text/plain", None, vec![0; 3_000_000]);
    let appends = join_all((0..20).map(|number| store.append(&c, batch(&number.to_string()))));
    // All of them are in the queue before the writer gets its turn.
    let (kept, appended) = tokio::join!(store.keep_attachment(&c, "a", large), appends);
    assert!(matches!(kept, Err(StoreError::Full { what: "bytes", .. })), "{kept:?}");
    for append in appended {
        append.expect("a store").expect("known");
    }
    let page = store.read(&id("c"), None, 99).await.expect("a store").expect("known");
    assert_eq!(page.recorded.len(), 20);
    store.close().await.expect("closed");
}

#[tokio::test]
async fn a_full_queue_refuses_and_nothing_of_it_is_lost() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    store.create(&id("c"), None).await.expect("created");
    let c = id("c");
    let outcomes = join_all((0..3000).map(|number: u32| store.append(&c, batch(&number.to_string())))).await;
    let taken = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let busy = outcomes.iter().filter(|outcome| matches!(outcome, Err(StoreError::Busy))).count();
    assert!(taken >= 1024 && busy > 0, "{taken} taken, {busy} refused");
    assert_eq!(taken + busy, 3000);
    assert_eq!(store.count().await.expect("a store").activities, taken as u64);
    store.close().await.expect("closed");
}

#[tokio::test]
async fn closing_finishes_what_was_accepted() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    let c = id("c");
    store.create(&c, None).await.expect("created");
    let appends = join_all((0..500).map(|number: u32| store.append(&c, batch(&number.to_string()))));
    let (appended, closed) = tokio::join!(appends, store.close());
    closed.expect("closed");
    assert!(appended.iter().all(Result::is_ok), "they were accepted before it was closed");
    assert!(matches!(store.append(&c, batch("late")).await, Err(StoreError::Closed)));
    assert!(matches!(store.ready().await, Err(StoreError::Closed)));
    let store = folder.open().await;
    assert_eq!(store.count().await.expect("a store").activities, 500);
    store.close().await.expect("closed");
}

#[tokio::test]
async fn what_expires_gives_its_space_back() {
    let folder = StoreFolder::new();
    let store = folder.open().await;
    for number in 0..100 {
        let c = id(&number.to_string());
        store.create(&c, None).await.expect("created");
        store.append(&c, batch(&"x".repeat(20_000))).await.expect("a store");
        let attachment = Attachment::new("text/plain", None, vec![1; 30_000]);
        store.keep_attachment(&c, "a", attachment).await.expect("a store");
    }
    let full = store.count().await.expect("a store").bytes;
    let since = folder.clock.now() + Duration::seconds(1);
    assert_eq!(store.expire(since).await.expect("a store"), 100);
    let empty = store.count().await.expect("a store").bytes;
    assert!(full > 5_000_000 && empty < 200_000, "{full} and then {empty}");
    store.close().await.expect("closed");
    let length = std::fs::metadata(folder.path()).expect("a file").len();
    assert_eq!(length, empty);
}

#[tokio::test]
async fn an_archive_reads_what_a_server_has_open() {
    let folder = StoreFolder::new();
    assert!(matches!(Archive::open(&folder.path()).await, Err(SqliteError::Missing { .. })));
    let store = folder.open().await;
    for name in ["c", "d"] {
        store.create(&id(name), None).await.expect("created");
        for number in 0..300 {
            store.append(&id(name), batch(&format!("{name} {number}"))).await.expect("a store");
        }
    }
    assert_eq!(exported(&folder.path(), None).await, 600);
    assert_eq!(exported(&folder.path(), Some("d")).await, 300);
    store.append(&id("c"), batch("the server goes on")).await.expect("a store").expect("known");
    store.close().await.expect("closed");
    assert_eq!(exported(&folder.path(), None).await, 601);
}

/// Counts the activities of an export, after a check of their order.
async fn exported(path: &Path, only: Option<&str>) -> u64 {
    let archive = Archive::open(path).await.expect("an archive");
    let only = only.map(id);
    let which = only.as_ref().map_or(Selection::All, Selection::Conversation);
    let mut last = None;
    let count = archive.export(which, |archived| {
        let place = (archived.conversation.clone(), archived.watermark);
        assert!(last.as_ref().is_none_or(|last| *last < place), "{place:?} after {last:?}");
        last = Some(place);
        Ok::<(), std::convert::Infallible>(())
    });
    let count = count.await.expect("read").unwrap_or_else(|never| match never {});
    archive.close().await;
    count
}
