//! Refusals, and how a fresh credential mends them.

use std::sync::Arc;

use chrono::Duration;
use citewire::activity::Activity;
use citewire::channels::direct_line_client::{Credential, DirectLineClient, PostError};
use citewire::clock::Clock;
use citewire::egress::{Client, EgressOptions};
use serde_json::json;
use tokio::net::TcpSocket;

use super::{Played, Reply, SECRET, TOKEN, conversation, egress, secret, token};

const FRESH: &str = "a-fresh-token-for-the-next-hour";

fn expired() -> Reply {
    Reply::error(403, "TokenExpired", "The token has expired.")
}

#[tokio::test]
async fn what_goes_out_is_a_users_message_without_what_only_a_channel_says() {
    let played = Played::new(token(), vec![Reply::id("c1|1")]).await;
    let posted = played.post().await.expect("it arrives");
    let seen = &played.upstream.seen()[0];
    assert_eq!((seen.call.as_str(), seen.bearer.as_str()), ("POST /conversations/c1/activities", TOKEN));
    assert!(seen.head.to_lowercase().contains("content-type: application/json"), "{}", seen.head);
    assert!(seen.head.to_lowercase().contains("user-agent: citewire/"), "{}", seen.head);
    assert_eq!(seen.body["from"], json!({"id": "citewire", "role": "user"}));
    assert_eq!((seen.body.get("id"), seen.body.get("timestamp")), (None, None));
    assert!(!posted.by_citewire, "nobody said so");
}

#[tokio::test]
async fn a_bad_request_an_unknown_conversation_and_too_much_are_for_good() {
    for (status, code) in [(400, "BadArgument"), (404, "NotFound"), (409, "Conflict"), (413, "MessageSizeTooBig")] {
        let played = Played::new(token(), vec![Reply::error(status, code, "No.")]).await;
        let (words, doubtful) = played.failure().await;
        assert!(
            words.ends_with(&format!("/conversations/c1/activities: {status} {code}: No.")) && !doubtful,
            "{words}"
        );
        assert_eq!(played.upstream.calls(), ["POST "]);
    }
}

#[tokio::test]
async fn a_redirect_is_a_refusal() {
    let to = "http://169.254.169.254/".to_owned();
    let played = Played::new(token(), vec![Reply::With(307, "location", to, String::new())]).await;
    assert!(played.failure().await.0.ends_with(": 307"));
    assert_eq!(played.upstream.calls(), ["POST "]);
}

#[tokio::test]
async fn an_expired_token_is_renewed_once_and_the_new_one_is_kept() {
    for refusal in [Reply::error(401, "Unauthorized", "Who?"), expired()] {
        let script = vec![refusal, Reply::token(FRESH), Reply::id("c1|1"), Reply::id("c1|2")];
        let played = Played::new(token(), script).await;
        assert_eq!((played.posted_id().await, played.posted_id().await), ("c1|1".to_owned(), "c1|2".to_owned()));
        assert_eq!(played.upstream.calls(), ["POST ", "POST /tokens/refresh", "POST ", "POST "]);
        let bearers: Vec<_> = played.upstream.seen().into_iter().map(|seen| seen.bearer).collect();
        assert_eq!(bearers, [TOKEN, TOKEN, FRESH, FRESH]);
    }
}

#[tokio::test]
async fn a_secret_that_is_refused_is_exchanged_for_a_token_of_the_conversation() {
    let script = vec![Reply::error(401, "Unauthorized", "Use a token."), Reply::token(FRESH), Reply::id("c1|1")];
    let played = Played::new(Credential::Secret(secret(SECRET)), script).await;
    assert_eq!(played.posted_id().await, "c1|1");
    let seen = played.upstream.seen();
    assert_eq!((seen[1].call.as_str(), seen[1].bearer.as_str()), ("GET /conversations/c1", SECRET));
    assert_eq!(seen[2].bearer, FRESH);
}

#[tokio::test]
async fn a_403_that_stays_is_given_up_after_one_renewal() {
    let played = Played::new(token(), vec![expired(), Reply::token(FRESH), expired()]).await;
    let (words, doubtful) = played.failure().await;
    assert!(words.ends_with("403 TokenExpired: The token has expired.") && !doubtful, "{words}");
    assert_eq!(played.upstream.calls(), ["POST ", "POST /tokens/refresh", "POST "]);
}

#[tokio::test]
async fn a_403_whose_renewal_fails_is_given_up_at_once() {
    for failed in [expired(), Reply::Json(200, json!({})), Reply::Close] {
        let played = Played::new(token(), vec![expired(), failed]).await;
        let (words, _) = played.failure().await;
        assert!(words.contains("/conversations/c1/activities: 403"), "the refusal is told, not the renewal: {words}");
        assert_eq!(played.upstream.calls(), ["POST ", "POST /tokens/refresh"]);
    }
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let played = Played::new(token(), vec![Reply::token(FRESH), expired(), Reply::token(TOKEN)]).await;
    assert!(played.client.keep_fresh().await.expect("renewed"), "nobody knows how old it is");
    assert!(!played.client.keep_fresh().await.expect("good"));
    played.clock.advance(Duration::seconds(900));
    played.client.keep_fresh().await.expect_err("refused");
    assert!(!played.client.keep_fresh().await.expect("later"), "a failure is not repeated at once");
    played.clock.advance(Duration::seconds(300));
    assert!(played.client.keep_fresh().await.expect("renewed"));
    let bearers: Vec<_> = played.upstream.seen().into_iter().map(|seen| seen.bearer).collect();
    assert_eq!(bearers, [TOKEN, FRESH, FRESH]);
}

#[tokio::test]
async fn a_secret_needs_no_renewal() {
    let played = Played::new(Credential::Secret(secret(SECRET)), vec![]).await;
    assert!(!played.client.keep_fresh().await.expect("good"));
    assert_eq!(played.upstream.calls(), [""; 0]);
}

#[tokio::test]
async fn a_credential_appears_in_no_error_and_no_debug_output() {
    let played = Played::new(token(), vec![Reply::error(400, TOKEN, &format!("no: Bearer {TOKEN}\u{1b}[2J"))]).await;
    let error = played.post().await.expect_err("refused");
    let shown = format!("{error} {error:?} {:?}", played.client);
    assert!(shown.contains("no: Bearer ****") && !shown.contains(TOKEN) && !shown.contains('\u{1b}'), "{shown}");
}

#[tokio::test]
async fn what_is_too_long_is_not_sent() {
    let played = Played::new(token(), vec![]).await;
    let long = Activity::message("ä".repeat(150_000));
    let error = played.client.post(&conversation(), long, None).await.expect_err("too long");
    assert!(matches!(error, PostError::TooLong { limit: 150_000, .. }), "{error:?}");
    assert_eq!(played.upstream.calls(), [""; 0]);
}

/// The error of a client with these options for a host that does not take its calls, and the time that it waited.
async fn unreachable(url: &str, options: EgressOptions) -> (String, Duration) {
    let played = Played::new(token(), vec![]).await;
    let start = played.clock.now();
    let client = DirectLineClient::new(
        Client::new(options).expect("a client"),
        url.parse().expect("an address"),
        token(),
        "citewire".to_owned(),
        Arc::clone(&played.clock) as Arc<dyn Clock>,
        Arc::new(citewire::clock::CountingIds::default()),
    );
    let error = client.post(&conversation(), Activity::message("hi"), None).await.expect_err("nobody is there");
    (error.to_string(), played.clock.now() - start)
}

#[tokio::test]
async fn a_port_on_which_nobody_listens_is_tried_again_and_given_up() {
    let silent = TcpSocket::new_v4().expect("a socket");
    silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let url = format!("http://{}/v3/directline", silent.local_addr().expect("an address"));
    let (words, waited) = unreachable(&url, egress()).await;
    assert!(words.contains("cannot connect to 127.0.0.1: Connection refused"), "{words}");
    assert!(waited >= Duration::milliseconds(1875), "{waited}");
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused_without_a_second_try() {
    let (words, waited) = unreachable("http://localhost:9/v3/directline", EgressOptions::default()).await;
    assert!(words.contains("localhost leads to ") && words.contains("egress.allow_hosts"), "{words}");
    assert_eq!(waited, Duration::zero());
}
