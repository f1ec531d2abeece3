use std::process::Output;

use citewire::activity::{Activity, ChannelAccount, Role};
use citewire::clock::SystemClock;
use citewire::store::{Batch, ConversationStore as _, StoreLimits};
use serde_json::Value;
use std::sync::Arc;

use super::{Database, node};
use crate::app::{Serving, citewire};

fn store(database: &Database, arguments: &[&str]) -> Output {
    let mut command = citewire(&["store"]);
    command.args(arguments).env("CITEWIRE_STORE_URL", database.with_password()).output().expect("the command ends")
}

fn words(output: &Output) -> String {
    let words = [&output.stdout[..], &output.stderr].concat();
    let words = String::from_utf8(words).expect("text");
    assert!(!words.contains("hunter2"), "{words}");
    words
}

#[tokio::test]
async fn a_database_is_migrated_looked_at_exported_and_erased_by_commands() {
    let database = Database::new().await;
    let info = store(&database, &["info"]);
    assert!(info.status.code() != Some(0) && words(&info).contains("citewire store migrate"), "{}", words(&info));
    for expected in ["from schema version 0 to", "already"] {
        let migrated = store(&database, &["migrate"]);
        assert_eq!(migrated.status.code(), Some(0), "{}", words(&migrated));
        assert!(words(&migrated).contains(expected), "{}", words(&migrated));
    }
    let open = node(&database, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    for (id, user) in [("a", "ann"), ("b", "ben")] {
        let (id, user) = (id.parse().expect("an id"), ChannelAccount::new(user, Role::User));
        open.create(&id, Some(user)).await.expect("created");
        let batch = Batch::new(vec![Activity::message("one"), Activity::message("two")]);
        open.append(&id, batch).await.expect("a store").expect("known");
    }
    let info = words(&store(&database, &["info"]));
    assert!(info.contains("postgres://citewire@localhost/postgres"), "{info}");
    assert!(info.contains("activities      4") && info.contains("conversations   2"), "{info}");
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let output = store(&database, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        words(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    assert_eq!(lines(&["export"]).len(), 4);
    let of_user = lines(&["export", "--user", "ben"]);
    assert!(of_user.len() == 2 && of_user.iter().all(|line| line["conversation"] == "b"), "{of_user:?}");
    assert_eq!(lines(&["export", "--conversation", "a"])[1]["activity"]["text"], "two");
    assert!(words(&store(&database, &["erase", "--user", "ann"])).contains("1 conversations were deleted"));
    assert_eq!(lines(&["export"]).len(), 2);
    open.close().await.expect("closed");
}

#[tokio::test]
async fn a_server_serves_what_another_one_has_recorded() {
    const SECRET: &str = "the-direct-line-secret-of-the-tests";
    let (database, folder) = (Database::new().await, tempfile::tempdir().expect("a folder"));
    let url = database.with_password();
    let environment = [
        ("CITEWIRE_STORE_URL", url.as_str()),
        ("CITEWIRE_API_KEY", "the-api-key-of-the-tests"),
        ("CITEWIRE_DIRECT_LINE_SECRET", SECRET),
        ("CITEWIRE_PUBLIC_URL", "https://chat.example"),
    ];
    let nodes = [(); 2].map(|()| Serving::start(folder.path(), &environment));
    assert!(nodes[0].said.iter().any(|line| line.contains("conversations are kept in postgres://")));
    assert!(nodes.iter().all(|node| node.said.iter().all(|line| !line.contains("hunter2"))));
    let client = reqwest::Client::builder().build().expect("a client");
    let path = "v3/directline/conversations";
    let started = client.post(format!("{}/{path}", nodes[0].url)).bearer_auth(SECRET).send().await.expect("an answer");
    let started: Value = started.json().await.expect("JSON");
    let id = started["conversationId"].as_str().expect("an id");
    for (number, node) in nodes.iter().enumerate() {
        let body = serde_json::json!({"type": "message", "from": {"id": "ann"}, "text": number.to_string()});
        let url = format!("{}/{path}/{id}/activities", node.url);
        let posted = client.post(url).bearer_auth(SECRET).json(&body).send().await.expect("an answer");
        assert_eq!(posted.status(), 200);
        let ready = client.get(format!("{}/readyz", node.url)).send().await.expect("an answer");
        assert_eq!(ready.status(), 200);
    }
    let url = format!("{}/{path}/{id}/activities", nodes[0].url);
    let read: Value = client.get(url).bearer_auth(SECRET).send().await.expect("an answer").json().await.expect("JSON");
    let texts: Vec<_> = read["activities"].as_array().expect("a list").iter().map(|one| &one["text"]).collect();
    assert_eq!(texts, ["0", "1"]);

    // Services have no variable HOSTNAME, so that all nodes were called `process` and a number.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    let mut connection = database.connect().await;
    let named = sqlx::query_scalar::<_, String>("SELECT name FROM node").fetch_all(&mut connection).await;
    let mut named = named.expect("names");
    named.sort();
    let mut expected = nodes.each_ref().map(|node| format!("{}, process {}", host.trim(), node.child.id()));
    expected.sort();
    assert_eq!(named, expected);
}
