//! Posts that may have been taken in: the client looks first.

use serde_json::json;

use citewire::activity::Activity;

use super::{Played, Reply, conversation, token};

fn rejected() -> Reply {
    Reply::error(502, "BotRejectedActivity", "The bot did not answer.")
}

#[tokio::test]
async fn a_502_is_not_repeated_when_the_echo_is_there() {
    let played = Played::new(token(), vec![rejected(), Reply::Echo("c1|4")]).await;
    assert_eq!(played.posted_id().await, "c1|4");
    assert_eq!(played.upstream.calls(), ["POST ", "GET "]);
}

#[tokio::test]
async fn a_502_is_repeated_when_the_echo_is_not_there() {
    let played = Played::new(token(), vec![rejected(), Reply::nothing(), Reply::id("c1|5")]).await;
    assert_eq!(played.posted_id().await, "c1|5");
    assert_eq!(played.upstream.calls(), ["POST ", "GET ", "POST "]);
    let seen = played.upstream.seen();
    assert_eq!(seen[0].body, seen[2].body, "the repetition is known by the same name");
}

#[tokio::test]
async fn a_502_is_never_repeated_when_nobody_can_look() {
    let mut script = vec![rejected()];
    script.extend(vec![Reply::error(500, "ServiceError", "No."); 9]);
    let played = Played::new(token(), script).await;
    let (words, doubtful) = played.failure().await;
    assert!(
        words.contains("502 BotRejectedActivity") && words.contains("may have been delivered") && doubtful,
        "{words}"
    );
    let posts = played.upstream.calls().iter().filter(|call| call.starts_with("POST")).count();
    assert_eq!(posts, 1);
}

#[tokio::test]
async fn the_echo_is_looked_for_in_every_piece_of_the_conversation() {
    let piece = Reply::Json(200, json!({"activities": [{"id": "x"}], "watermark": "AB 1&c"}));
    let played = Played::new(token(), vec![rejected(), piece, Reply::Echo("c1|4")]).await;
    assert_eq!(played.posted_id().await, "c1|4");
    assert_eq!(played.upstream.calls(), ["POST ", "GET ", "GET ?watermark=AB+1%26c"]);
}

#[tokio::test]
async fn a_500_is_repeated_after_a_look_and_a_wait() {
    let failed = || Reply::error(500, "ServiceError", "Oops.");
    let script = vec![failed(), Reply::nothing(), failed(), Reply::nothing(), Reply::id("c1|5")];
    let played = Played::new(token(), script).await;
    assert_eq!(played.posted_id().await, "c1|5");
    let waits = played.upstream.waits();
    assert!(waits[0] > waits[1] && waits[2] > waits[0], "one waits before one looks, each time longer: {waits:?}");
}

#[tokio::test]
async fn what_is_broken_for_good_is_looked_for_once_more_and_given_up() {
    let mut script = vec![];
    for _ in 0..5 {
        script.extend([Reply::error(503, "ServiceUnavailable", "Later."), Reply::nothing()]);
    }
    let played = Played::new(token(), script).await;
    let (words, doubtful) = played.failure().await;
    assert!(words.contains("503 ServiceUnavailable: Later.") && !doubtful, "{words}");
    assert_eq!(played.upstream.calls().len(), 10);
}

#[tokio::test]
async fn a_connection_that_is_closed_leaves_the_same_doubt() {
    let played = Played::new(token(), vec![Reply::Close, Reply::nothing(), Reply::id("c1|5")]).await;
    assert_eq!(played.posted_id().await, "c1|5");
    let played = Played::new(token(), vec![Reply::Close, Reply::Echo("c1|4")]).await;
    assert_eq!(played.posted_id().await, "c1|4");
    assert_eq!(played.upstream.calls(), ["POST ", "GET "]);
}

#[tokio::test]
async fn an_answer_that_does_not_come_or_not_end_leaves_the_same_doubt() {
    for reply in [Reply::Silence, Reply::HalfAnswer] {
        // On a slow machine the look may take too long as well, and be repeated.
        let script = [vec![reply], vec![Reply::Echo("c1|4"); 8]].concat();
        let played = Played::impatient(script).await;
        assert_eq!(played.posted_id().await, "c1|4");
        let calls = played.upstream.calls();
        assert!(calls[0] == "POST " && calls[1..].iter().all(|call| call == "GET "), "{calls:?}");
    }
}

#[tokio::test]
async fn an_answer_that_never_ends_is_not_read_to_its_end() {
    let played = Played::new(token(), vec![Reply::Endless, Reply::nothing(), Reply::id("c1|5")]).await;
    assert_eq!(played.posted_id().await, "c1|5");
    assert_eq!(played.upstream.calls(), ["POST ", "GET ", "POST "]);
}

#[tokio::test]
async fn an_agreement_without_an_id_is_looked_up_and_never_repeated() {
    let odd = || {
        [
            Reply::With(200, "content-type", "text/html".to_owned(), "<html>".to_owned()),
            Reply::Json(200, json!({})),
            Reply::Json(200, json!({"id": 5})),
            Reply::With(204, "x-nothing", "here".to_owned(), String::new()),
        ]
    };
    for reply in odd() {
        let played = Played::new(token(), vec![reply, Reply::Echo("c1|4")]).await;
        assert_eq!(played.posted_id().await, "c1|4");
    }
    for reply in odd() {
        let played = Played::new(token(), vec![reply, Reply::nothing()]).await;
        let (words, doubtful) = played.failure().await;
        assert!(doubtful && words.contains(", but the body"), "{words}");
        assert_eq!(played.upstream.calls(), ["POST ", "GET "]);
    }
}

#[tokio::test]
async fn a_key_that_was_used_before_posts_nothing() {
    let script = vec![Reply::nothing(), Reply::id("c1|4"), Reply::Echo("c1|4"), Reply::nothing(), Reply::id("c1|5")];
    let played = Played::new(token(), script).await;
    let mut ids = Vec::new();
    for key in ["k1", "k1", "k2"] {
        let posted = played.client.post(&conversation(), Activity::message("hi"), Some(key)).await;
        ids.push(posted.expect("it arrives").id.to_string());
    }
    assert_eq!(ids, ["c1|4", "c1|4", "c1|5"]);
    assert_eq!(played.upstream.calls(), ["GET ", "POST ", "GET ", "GET ", "POST "]);
    let seen = played.upstream.seen();
    let name = |index: usize| seen[index].body["channelData"]["citewire"]["sendId"].clone();
    assert_ne!(name(1), name(4));
}
