use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use citewire::activity::Activity;
use citewire::channels::azure_bot::auth::Caller;
use citewire::channels::azure_bot::{ConnectorRecords, ConversationReference};
use citewire::clock::SystemClock;
use citewire::store::{ConversationStore, SqliteStore, StoreLimits};
use serde_json::{Value, json};

use crate::app::{Serving, citewire};

const SECRET: &str = "the-direct-line-secret-of-the-tests";

fn store(data: &Path, arguments: &[&str]) -> Output {
    let mut command = citewire(&["store"]);
    command.args(arguments).env("CITEWIRE_DATA_DIR", data).output().expect("the command ends")
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// A server with two conversations, in the first of which something was said.
async fn talk(data: &Path) -> (Serving, Vec<String>) {
    let secrets = [("CITEWIRE_API_KEY", "the-api-key-of-the-tests"), ("CITEWIRE_DIRECT_LINE_SECRET", SECRET)];
    let serving = Serving::start(data, &secrets);
    let client = reqwest::Client::builder().build().expect("a client");
    let mut ids = Vec::new();
    let url = format!("{}/v3/directline/conversations", serving.url);
    for texts in [&["one", "two", "th\u{ef}rd\n\u{1F600}"][..], &["elsewhere"]] {
        let started = client.post(&url).bearer_auth(SECRET).json(&json!({})).send().await.expect("an answer");
        let started: Value = started.json().await.expect("JSON");
        let id = started["conversationId"].as_str().expect("an id").to_owned();
        for text in texts {
            let body = json!({"type": "message", "from": {"id": "ann"}, "text": text});
            let path = format!("{url}/{id}/activities");
            let posted = client.post(path).bearer_auth(SECRET).json(&body).send().await.expect("an answer");
            assert_eq!(posted.status(), 200);
        }
        ids.push(id);
    }
    (serving, ids)
}

fn lines(output: &Output) -> Vec<Value> {
    assert_eq!(output.status.code(), Some(0), "{}", words(&output.stderr));
    words(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[tokio::test]
async fn what_a_server_has_open_can_be_looked_at_and_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serving, ids) = talk(folder.path()).await;
    let info = store(folder.path(), &["info"]);
    assert_eq!(info.status.code(), Some(0), "{}", words(&info.stderr));
    let text = words(&info.stdout);
    let value = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).expect("a line");
        line[name.len()..].trim().to_owned()
    };
    assert_eq!(value("store"), folder.path().join("citewire.db").display().to_string());
    assert_eq!(
        (value("schema version"), value("conversations"), value("activities")),
        ("8".into(), "2".into(), "4".into())
    );
    assert!(value("newest").ends_with("UTC") && value("oldest").ends_with("UTC"), "{text}");

    let all = lines(&store(folder.path(), &["export"]));
    assert_eq!(all.len(), 4);
    assert_eq!(all[2]["activity"]["text"], "th\u{ef}rd\n\u{1F600}");
    assert_eq!(all[2]["activity"]["id"], format!("{}|0000002", ids[0]));
    assert_eq!((&all[2]["conversation"], &all[2]["watermark"]), (&json!(ids[0]), &json!("2")));

    // Killed, so that the log is not moved into the file.
    drop(serving);
    let one = lines(&store(folder.path(), &["export", "--conversation", &ids[1]]));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0]["activity"]["text"], "elsewhere");
    let unknown = store(folder.path(), &["export", "--conversation", "unknown"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(words(&unknown.stderr).contains("unknown"));
}

#[tokio::test]
async fn a_conversation_behind_azure_is_exported_by_both_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("citewire.db");
    let store = SqliteStore::open(&path, StoreLimits::on_disk(), Arc::new(SystemClock)).await.expect("a store");
    let store: Arc<dyn ConversationStore> = Arc::new(store);
    let records = ConnectorRecords::new(Arc::clone(&store));
    let conversation = json!({"id": "19:a@thread.tacv2;messageid=1"});
    let reference = ConversationReference::new(conversation, "msteams", Caller::Channel);
    let id = records.meet(&reference).await.expect("a store");
    records.heard(&id, &reference, Activity::message("hi"), Some("1700")).await.expect("a store").expect("known");
    store.close().await.expect("closed");
    for name in [id.as_str(), "msteams:19:a@thread.tacv2;messageid=1"] {
        let one = lines(&self::store(folder.path(), &["export", "--conversation", name]));
        assert_eq!((one.len(), &one[0]["conversation"]), (1, &json!(id)));
        assert_eq!(one[0]["activity"]["serviceId"], "1700");
    }
    let unknown = self::store(folder.path(), &["export", "--conversation", "msteams:other"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_store_that_is_not_there_is_named_and_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [&["info"][..], &["export"]] {
        let output = store(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(words(&output.stderr).contains("there is no store at"), "{}", words(&output.stderr));
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    let memory = citewire(&["store", "info"]).env("CITEWIRE_STORE_URL", "memory:").env("HOME", "/nowhere").output();
    let memory = memory.expect("the command ends");
    assert_eq!(memory.status.code(), Some(2));
    assert!(words(&memory.stderr).contains("/v3/directline/conversations"), "{}", words(&memory.stderr));
}

/// The data of a user are exported and erased where no server is needed; while one has the store open, erasing is
/// refused, and the message says what to do.
#[tokio::test]
async fn a_user_is_exported_and_erased_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(store(folder.path(), &["erase", "--user", "ann"]).status.code(), Some(2), "there is no store");
    assert!(!folder.path().join("citewire.db").exists(), "and none is made");
    let (serving, _) = talk(folder.path()).await;
    assert_eq!(lines(&store(folder.path(), &["export", "--user", "ann"])).len(), 4);
    let refused = store(folder.path(), &["erase", "--user", "ann"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = words(&refused.stderr);
    assert!(message.contains("DELETE /v1/users/ID") && message.contains("is in use by process"), "{message}");
    assert_eq!(lines(&store(folder.path(), &["export"])).len(), 4);

    drop(serving);
    let unknown = store(folder.path(), &["erase", "--user", "an"]);
    assert_eq!((unknown.status.code(), words(&unknown.stdout).as_str()), (Some(0), "0 conversations were deleted\n"));
    let erased = store(folder.path(), &["erase", "--user", "ann"]);
    assert_eq!((erased.status.code(), words(&erased.stdout).as_str()), (Some(0), "2 conversations were deleted\n"));
    let file = std::fs::read(folder.path().join("citewire.db")).expect("a file");
    assert!(!file.windows(9).any(|window| window == b"elsewhere"), "the words are gone from the file");
    let nothing = store(folder.path(), &["export", "--user", "ann"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(
        words(&nothing.stderr).contains("the store has no conversations of the user ann"),
        "{}",
        words(&nothing.stderr)
    );
}

/// A data directory that the server makes is its owner's alone, whatever the umask. One that is there stays as it is; where others
/// may write into it, the log says so and names the mend.
#[tokio::test]
async fn the_data_directory_is_private_or_the_operator_is_told() {
    let mode = |path: &Path| std::fs::metadata(path).expect("a folder").permissions().mode() & 0o777;
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("made/here");
    let warned = |serving: &Serving| serving.said.iter().any(|line| line.contains("chmod 700"));
    let serving = Serving::start(&made, &[]);
    assert_eq!(mode(&made), 0o700);
    assert!(!warned(&serving), "{:?}", serving.said);
    drop(serving);

    std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o777)).expect("opened");
    let serving = Serving::start(&made, &[]);
    assert!(warned(&serving), "{:?}", serving.said);
    assert_eq!(mode(&made), 0o777);
}

/// A backup is made while a server writes, is whole and private, and is a store itself.
#[tokio::test]
async fn a_backup_is_a_whole_private_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serving, ids) = talk(folder.path()).await;
    let backup = folder.path().join("backup.db");
    let name = backup.to_str().expect("UTF-8");
    let output = store(folder.path(), &["backup", name]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output.stderr));
    assert!(words(&output.stdout).contains("backup.db is a whole copy of"), "{}", words(&output.stdout));
    assert_eq!(std::fs::metadata(&backup).expect("a file").permissions().mode() & 0o777, 0o600);
    let parts = |folder: &Path| {
        let names = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").file_name());
        names.filter(|name| name.to_string_lossy().contains(".part")).count()
    };
    assert_eq!(parts(folder.path()), 0);
    let again = store(folder.path(), &["backup", name]);
    assert_eq!(again.status.code(), Some(2));
    assert!(words(&again.stderr).contains("exists already"), "{}", words(&again.stderr));
    let nowhere = store(folder.path(), &["backup", "/proc/self/backup.db"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(words(&nowhere.stderr).contains("no backup was written to"), "{}", words(&nowhere.stderr));
    assert_eq!(store(folder.path(), &["check"]).status.code(), Some(0), "the server has it open");
    drop(serving);

    let restored = tempfile::tempdir().expect("a folder");
    std::fs::copy(&backup, restored.path().join("citewire.db")).expect("copied");
    let checked = store(restored.path(), &["check"]);
    assert_eq!((checked.status.code(), words(&checked.stdout).contains("is whole")), (Some(0), true));
    assert_eq!(lines(&store(restored.path(), &["export"])).len(), 4);
    let (serving, _) = talk(restored.path()).await;
    assert_eq!(serving.interrupt(), Some(0));
    assert_eq!(lines(&store(restored.path(), &["export", "--conversation", &ids[0]])).len(), 3);
}

#[tokio::test]
async fn damage_is_found_in_a_file_and_kept_out_of_backups() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serving, _) = talk(folder.path()).await;
    assert_eq!(serving.interrupt(), Some(0));
    let path = folder.path().join("citewire.db");
    let mut file = std::fs::read(&path).expect("a file");
    let end = file.len();
    file[4096..end].fill(0xa5);
    std::fs::write(&path, &file).expect("written");
    let checked = store(folder.path(), &["check", path.to_str().expect("UTF-8")]);
    assert_eq!(checked.status.code(), Some(1), "{}", words(&checked.stderr));
    assert!(!checked.stdout.is_empty() && words(&checked.stderr).contains("is damaged"), "{}", words(&checked.stderr));
    let backup = folder.path().join("backup.db");
    assert_eq!(store(folder.path(), &["backup", backup.to_str().expect("UTF-8")]).status.code(), Some(2));
    assert!(!backup.exists());

    std::fs::write(&path, "").expect("written");
    assert_eq!(store(folder.path(), &["check"]).status.code(), Some(1));
    let output = citewire(&["serve", "--bind", "127.0.0.1:0"]).env("CITEWIRE_DATA_DIR", folder.path()).output();
    let output = output.expect("the command ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(words(&output.stderr).contains("damaged or cut short"), "{}", words(&output.stderr));
    assert_eq!(std::fs::metadata(&path).expect("a file").len(), 0);

    let missing = store(folder.path(), &["check", "/nowhere/citewire.db"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_database_is_left_to_the_programs_of_postgresql() {
    for (command, program) in [(&["backup", "x.db"][..], "pg_dump"), (&["check"], "pg_amcheck")] {
        let output =
            citewire(&["store"]).args(command).env("CITEWIRE_STORE_URL", "postgres://me:hunter2@db/x").output();
        let output = output.expect("the command ends");
        assert_eq!(output.status.code(), Some(2));
        let message = words(&output.stderr);
        assert!(message.contains(program) && !message.contains("hunter2"), "{message}");
    }
}
