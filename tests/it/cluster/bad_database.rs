//! Databases that answer late, never, or with a refusal.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::PgConnection;
use tokio::time::timeout;

use super::model::Model;
use super::node::{Chat, Cluster, Node};
use super::together::{recorded, shows, text};
use crate::app::{API_KEY, answer};
use crate::postgres::{Database, Proxy, Weather, admin};

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(30);

impl Node {
    /// Posts an answer as a program does, whose errors have codes.
    async fn try_answer(&self, chat: &Chat) -> (StatusCode, Value) {
        let path = format!("/v1/conversations/{}/answers", chat.id);
        answer(self.post(&path, API_KEY).json(&json!({"text": "hi"}))).await
    }
}

/// Waits until the answer to this question has changed `times` times.
async fn changes(database: &mut PgConnection, question: &'static str, times: usize) {
    let mut ask = async || -> String { sqlx::query_scalar(question).fetch_one(&mut *database).await.expect(question) };
    let changed = async {
        let mut last = ask().await;
        for _ in 0..times {
            let mut now = ask().await;
            while now == last {
                now = ask().await;
            }
            last = now;
        }
    };
    timeout(PATIENCE, changed).await.expect("it changes in time");
}

#[tokio::test]
async fn a_database_that_answers_late_costs_time_and_nothing_else() {
    let (database, proxy, model) = (Database::new().await, Proxy::start().await, Model::start().await);
    let cluster = |url: &str| {
        let cluster = Cluster::over(url).asking(&model.url);
        cluster
            .set("CITEWIRE_CLUSTER_HEARTBEAT_MILLISECONDS", "500")
            .set("CITEWIRE_CLUSTER_DEAD_AFTER_MILLISECONDS", "6000")
    };
    let near = cluster(&database.url).start().await;
    let chat = near.open_chat().await;
    proxy.delay(Duration::from_millis(50));
    let far = cluster(&database.at(&proxy.hosts)).start().await;
    let (mut socket, mut near_socket) = (far.socket(&chat, None).await, near.socket(&chat, None).await);
    far.say(&chat, "why").await;
    let mut asked = model.asked().await;
    asked.begin().await;
    assert_eq!(text(&recorded(&mut socket).await), "why");
    asked.say("one ").await;
    // Without a bus, only the readers at the node that took the turn see the answer grow, and either node may have been the first.
    let is_far = tokio::select! {
        () = shows(&mut socket, "one") => true,
        () = shows(&mut near_socket, "one") => false,
    };
    asked.say("two ").await;
    shows(if is_far { &mut socket } else { &mut near_socket }, "one two").await;
    // The heartbeat of the node goes over the same connection.
    let beats = "SELECT string_agg(seen::text, ' ' ORDER BY seen) FROM node WHERE seen < (SELECT max(seen) FROM node)";
    changes(&mut database.connect().await, beats, 3).await;
    asked.done().await;
    assert_eq!(text(&recorded(&mut socket).await), "one two ");
    near.say(&chat, "elsewhere").await;
    assert_eq!(text(&recorded(&mut socket).await), "elsewhere");
    assert_eq!(far.texts(&chat).await, ["why", "one two ", "elsewhere"]);
    for line in ["took no heartbeat", "are not heard", "could not be recorded", "are taken over"] {
        assert_eq!(far.count(line) + near.count(line), 0, "{line}: {:?} {:?}", far.said(), near.said());
    }
    model.asked().await.answer("to elsewhere").await;
}

#[tokio::test]
async fn a_database_that_swallows_everything_is_given_up_in_time_and_used_again_by_itself() {
    let (database, proxy) = (Database::new().await, Proxy::start().await);
    let cluster = Cluster::over(&database.at(&proxy.hosts)).set("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", "2");
    let node = cluster.start().await;
    let chat = node.open_chat().await;
    node.say(&chat, "before").await;
    proxy.set(Weather::Swallows);
    proxy.silence();
    let path = chat.path("/activities");
    let (posted, answered, read) =
        tokio::join!(node.try_say(&chat, "lost"), node.try_answer(&chat), answer(node.get(&path, &chat.token)));
    let (status, body) = posted;
    assert_eq!(
        (status, &body["error"]["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("ServiceUnavailable")),
        "{body}"
    );
    let (status, body) = answered;
    assert_eq!((status, &body["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("store_failed")), "{body}");
    assert_eq!(read.0, StatusCode::SERVICE_UNAVAILABLE, "{}", read.1);
    for said in ["took no heartbeat", "could not be asked", "could not be recorded"] {
        node.says(said, 1).await;
    }
    assert_eq!(node.count("see that PostgreSQL runs, can be reached and has connections left"), 3, "{:?}", node.said());
    proxy.set(Weather::Fine);
    assert_eq!(node.say(&chat, "after").await, chat.at(1));
    assert_eq!(node.texts(&chat).await, ["before", "after"]);
    for said in ["takes heartbeats of this node again", "the database answers again", "the store records changes again"]
    {
        node.says(said, 1).await;
    }
}

#[tokio::test]
async fn a_pooler_that_breaks_listen_is_named_once_and_costs_seconds() {
    let (database, proxy) = (Database::new().await, Proxy::start().await);
    proxy.deafen(true);
    let (pooled, direct) = (Cluster::over(&database.at(&proxy.hosts)), Cluster::over(&database.url));
    let (pooled, direct) = tokio::join!(pooled.start(), direct.start());
    let chat = direct.open_chat().await;
    let mut socket = pooled.socket(&chat, None).await;
    direct.say(&chat, "one").await;
    assert_eq!(timeout(Duration::from_secs(12), socket.texts(1)).await.expect("by the sweep"), ["one"]);
    let named = "PostgreSQL delivers no notification to this node";
    pooled.says(named, 1).await;
    assert_eq!(pooled.count("pool_mode = session"), 1, "{:?}", pooled.said());
    // The node then asks for all conversations each second.
    direct.say(&chat, "two").await;
    assert_eq!(timeout(Duration::from_secs(5), socket.texts(1)).await.expect("by the sweep"), ["two"]);
    proxy.deafen(false);
    pooled.says("PostgreSQL delivers notifications to this node again", 1).await;
    direct.say(&chat, "three").await;
    assert_eq!(socket.texts(1).await, ["three"]);
    assert_eq!((pooled.count(named), pooled.count("are not heard")), (1, 0), "{:?}", pooled.said());
    assert_eq!((direct.count(named), direct.count("are not heard")), (0, 0), "{:?}", direct.said());
}

#[tokio::test]
async fn a_full_disk_of_the_database_is_named_and_refuses_only_what_is_written_then() {
    let database = Database::new().await;
    let node = Cluster::over(&database.url).start().await;
    let chat = node.open_chat().await;
    node.say(&chat, "before").await;
    // This is the error of PostgreSQL where a table cannot grow.
    database
        .run(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION \
             'could not extend file \"base/5/16384\": No space left on device' USING ERRCODE = 'disk_full'; END $$; \
             CREATE TRIGGER full_disk BEFORE INSERT ON activity FOR EACH ROW EXECUTE FUNCTION full_disk()",
        )
        .await;
    for _ in 0..5 {
        let (status, body) = node.try_say(&chat, "refused").await;
        assert_eq!(
            (status, &body["error"]["code"]),
            (StatusCode::SERVICE_UNAVAILABLE, &json!("ServiceUnavailable")),
            "{body}"
        );
        assert!(!body.to_string().contains("base/5"), "{body}");
    }
    let (status, body) = node.try_answer(&chat).await;
    assert_eq!((status, &body["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("store_no_space")), "{body}");
    assert_eq!(node.texts(&chat).await, ["before"]);
    node.says("free space on the disk of PostgreSQL", 1).await;
    database.run("DROP TRIGGER full_disk ON activity").await;
    assert_eq!(node.say(&chat, "after").await, chat.at(1));
    node.says("the store records changes again", 1).await;
    assert_eq!(node.texts(&chat).await, ["before", "after"]);
}

#[tokio::test]
async fn a_database_that_becomes_read_only_is_read_on_and_named() {
    let database = Database::new().await;
    let (_, schema) = database.url.split_once("search_path%3D").expect("a schema");
    let role = format!("of_{schema}");
    admin(&format!("CREATE ROLE {role} LOGIN SUPERUSER")).await;
    let cluster = Cluster::over(&database.url.replacen("//citewire@", &format!("//{role}@"), 1));
    // A machine with much to do needs some seconds for a new connection, and a write that ends before that names no cause.
    let node = cluster.set("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", "6").start().await;
    let chat = node.open_chat().await;
    node.say(&chat, "before").await;
    admin(&format!("ALTER ROLE {role} SET default_transaction_read_only = on")).await;
    let connections = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'");
    admin(&connections).await;
    let (status, body) = node.try_answer(&chat).await;
    assert_eq!((status, &body["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("store_failed")), "{body}");
    assert_eq!(node.texts(&chat).await, ["before"]);
    // A connection that ended in the middle of its work may be named before them.
    let mend = "unset default_transaction_read_only, which managed services set when the disk is nearly full";
    // Heartbeats go on, and are named again after some seconds; one refused change is named once.
    node.says_in_one_line(&["took no heartbeat", mend]).await;
    node.says_in_one_line(&["could not be recorded", mend]).await;
    assert_eq!(node.count("could not be recorded"), 1, "{:?}", node.said());
    admin(&format!("ALTER ROLE {role} RESET default_transaction_read_only")).await;
    assert_eq!(node.say(&chat, "after").await, chat.at(1));
    assert_eq!(node.texts(&chat).await, ["before", "after"]);
    node.says("the store records changes again", 1).await;
}
