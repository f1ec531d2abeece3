use std::path::Path;
use std::sync::Arc;

use chrono::Duration;
use citewire::activity::{Activity, ChannelAccount, ConversationId, Role};
use citewire::clock::{Clock, ManualClock};
use citewire::store::{Attachment, Batch, ConversationStore, Feedback, SqliteStore, StoreLimits};
use reqwest::{Method, StatusCode};
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::TempDir;

use crate::app::{API_KEY, Conversation, TestApp, answer};

/// A store in a folder of its own.
struct Disk {
    folder: TempDir,
    clock: Arc<ManualClock>,
    store: Arc<SqliteStore>,
}

impl Disk {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        let path = folder.path().join("citewire.db");
        let shared = Arc::clone(&clock) as Arc<dyn Clock>;
        let store = SqliteStore::open(&path, StoreLimits::in_memory(), shared).await.expect("a store");
        Self { folder, clock, store: Arc::new(store) }
    }

    /// A server over this store.
    fn serve(&self) -> TestApp {
        let store = Arc::clone(&self.store) as Arc<dyn ConversationStore>;
        TestApp::going_on(store, Arc::clone(&self.clock), |_| {})
    }

    /// Upkeep that finds nothing old enough to delete.
    async fn upkeep(&self) {
        let long_ago = self.clock.now() - Duration::days(1000);
        assert_eq!(self.store.expire(long_ago).await.expect("a store"), 0);
    }

    fn count(&self, word: &str) -> usize {
        occurrences(self.folder.path(), word)
    }
}

/// How often a word stands in the files of a folder.
fn occurrences(folder: &Path, word: &str) -> usize {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let contents = files.map(|path| std::fs::read(path).expect("readable"));
    contents.map(|bytes| bytes.windows(word.len()).filter(|window| *window == word.as_bytes()).count()).sum()
}

fn id(text: &str) -> ConversationId {
    text.parse().expect("a conversation id")
}

fn user(name: &str) -> ChannelAccount {
    ChannelAccount::new(name, Role::User)
}

async fn said(store: &dyn ConversationStore, conversation: &str, text: &str) {
    let batch = Batch::new(vec![Activity::message(text)]);
    store.append(&id(conversation), batch).await.expect("a store").expect("known");
}

async fn say_and_upload(app: &TestApp, conversation: &Conversation) {
    app.post_text(conversation, "wombat in the garden").await;
    let file = format!("quokka{}quokka", "0123456789".repeat(2_000));
    let upload = app.post(&conversation.path("/upload?userId=dl_ann"), &conversation.token);
    let upload = upload.header("content-type", "text/plain").header("content-disposition", "name=file; filename=a.txt");
    let (status, body) = answer(upload.body(file)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
}

/// A conversation is deleted over HTTP. When that is answered, neither its words nor its file are in any file of the store,
/// while the server runs and after it has ended; the words of another conversation are.
#[tokio::test]
async fn a_deleted_conversation_is_nowhere_in_the_files_of_the_store() {
    let disk = Disk::new().await;
    let app = disk.serve();
    let (other, conversation) = (app.conversation().await, app.conversation().await);
    app.post_text(&other, "platypus stays").await;
    say_and_upload(&app, &conversation).await;
    assert!(disk.count("wombat") > 0 && disk.count("quokka") > 1);

    let path = format!("/v1/conversations/{}", conversation.id);
    let deleted = app.request(Method::DELETE, &path).bearer_auth(API_KEY).send().await.expect("an answer");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    assert_eq!((disk.count("wombat"), disk.count("quokka")), (0, 0), "while the server runs");
    assert!(disk.count("platypus") > 0);

    drop(app);
    disk.store.close().await.expect("closed");
    assert_eq!((disk.count("wombat"), disk.count("quokka")), (0, 0), "after the end");
    assert!(disk.count("platypus") > 0);
}

/// Expired conversations are erased in the same way.
#[tokio::test]
async fn an_expired_conversation_is_nowhere_in_the_files_of_the_store() {
    let disk = Disk::new().await;
    for number in 0..40 {
        let name = format!("c{number}");
        disk.store.create(&id(&name), Some(user("wombat-user"))).await.expect("created");
        said(&*disk.store, &name, &format!("wombat {}", "x".repeat(number * 300))).await;
        let feedback = serde_json::from_value::<Feedback>(json!({"text": "wombat"})).expect("feedback");
        disk.store.keep_feedback(&id(&name), feedback, None).await.expect("a store");
    }
    disk.clock.advance(Duration::hours(1));
    said(&*disk.store, "c7", "platypus").await;
    let expired = disk.store.expire(disk.clock.now() - Duration::minutes(30)).await.expect("a store");
    assert_eq!(expired, 39);
    // One user name, one user's word and one opinion are those of the conversation that lives.
    assert_eq!(disk.count("wombat "), 1);
    assert_eq!(disk.count("platypus"), 1);
    disk.store.close().await.expect("closed");
}

/// Rows of many conversations lie between each other in the pages of the file, and SQLite moves them when it merges pages.
/// After upkeep the deleted ones have left nothing, neither where they stood last nor where they stood before.
#[tokio::test]
async fn deleted_rows_between_others_leave_nothing() {
    let disk = Disk::new().await;
    let names: Vec<String> = (0..24).map(|number| format!("c{number}")).collect();
    for name in &names {
        disk.store.create(&id(name), None).await.expect("created");
    }
    for round in 0..30_usize {
        for (number, name) in names.iter().enumerate() {
            let filler = "y".repeat((round * 37 + number * 113) % 1500);
            said(&*disk.store, name, &format!("<{name}> {filler} <{name}>")).await;
        }
    }
    let attachment = || Attachment::new("text/plain", None, "<c5>".repeat(3000).into_bytes());
    disk.store.keep_attachment(&id("c5"), "a", attachment()).await.expect("a store");
    // Neither in the order in which they came nor in the reverse of it.
    for number in (0..24).map(|step| step * 7 % 24).take(20) {
        assert!(disk.store.delete(&id(&names[number])).await.expect("a store"));
    }
    disk.upkeep().await;
    let gone: Vec<usize> = (0..24).map(|step| step * 7 % 24).take(20).collect();
    for (number, name) in names.iter().enumerate() {
        let expected = if gone.contains(&number) { 0 } else { 60 };
        assert_eq!(disk.count(&format!("<{name}>")), expected, "{name}");
    }
    disk.store.close().await.expect("closed");
}

/// A program that reads the file holds on to what it sees, so the log cannot be emptied. The deletion does not wait for it
/// to end, and the first upkeep after its end removes the words.
#[tokio::test]
async fn words_that_another_program_still_reads_go_when_it_has_ended() {
    let disk = Disk::new().await;
    disk.store.create(&id("c"), None).await.expect("created");
    said(&*disk.store, "c", "wombat").await;
    let path = disk.folder.path().join("citewire.db");
    let mut reader = SqliteConnectOptions::new().filename(path).read_only(true).connect().await.expect("a connection");
    sqlx::query("BEGIN").execute(&mut reader).await.expect("begun");
    let seen = "SELECT count(*) FROM activity";
    assert_eq!(sqlx::query_scalar::<_, i64>(seen).fetch_one(&mut reader).await.expect("read"), 1);

    assert!(disk.store.delete(&id("c")).await.expect("a store"));
    assert!(disk.count("wombat") > 0, "what is being read is still there");
    disk.upkeep().await;
    assert!(disk.count("wombat") > 0, "what is being read is still there");
    disk.store.create(&id("d"), None).await.expect("others go on");

    sqlx::query("COMMIT").execute(&mut reader).await.expect("ended");
    disk.upkeep().await;
    assert_eq!(disk.count("wombat"), 0);
    reader.close().await.expect("closed");
    disk.store.close().await.expect("closed");
}

/// One user has conversations on more than one page. They are exported and erased with a single call each; what others said
/// elsewhere stays. An id with signs that a path has to write in percent signs is found.
#[tokio::test]
async fn a_user_is_exported_and_erased_with_all_their_conversations() {
    let disk = Disk::new().await;
    let app = disk.serve();
    let ann = "29:a/n+n% \u{e4}";
    for number in 0..230 {
        let conversation = format!("c{number}");
        disk.store.create(&id(&conversation), Some(user("ben"))).await.expect("created");
        let mut activity = Activity::message(format!("wombat {number}"));
        activity.from = Some(user(ann));
        disk.store.append(&id(&conversation), Batch::new(vec![activity])).await.expect("a store");
    }
    disk.store.create(&id("other"), Some(user("ben"))).await.expect("created");
    said(&*disk.store, "other", "platypus").await;

    let path = "/v1/users/29%3Aa%2Fn%2Bn%25%20%C3%A4";
    let exported = app.get(&format!("{path}/export"), API_KEY).send().await.expect("an answer");
    assert_eq!(exported.headers()["content-type"], "application/x-ndjson");
    let text = exported.text().await.expect("all of it");
    let mut texts: Vec<String> = Vec::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["activity"]["from"]["id"], ann);
        assert_eq!((&line["watermark"], line["conversation"].is_string()), (&json!("0"), true));
        texts.push(line["activity"]["text"].as_str().expect("a text").to_owned());
    }
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 230);

    for _ in 0..2 {
        let erased = app.request(Method::DELETE, path).bearer_auth(API_KEY).send().await.expect("an answer");
        assert_eq!(erased.status(), StatusCode::NO_CONTENT);
        assert_eq!((disk.count("wombat"), disk.count("a/n+n")), (0, 0));
    }
    let nothing = app.get(&format!("{path}/export"), API_KEY).send().await.expect("an answer");
    assert_eq!((nothing.status(), nothing.text().await.expect("a body")), (StatusCode::OK, String::new()));
    assert!(disk.count("platypus") > 0);
    let refused = app.request(Method::DELETE, path).send().await.expect("an answer");
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    drop(app);
    disk.store.close().await.expect("closed");
}
