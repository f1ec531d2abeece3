//! Where keys come from, how long they are kept, and what happens when they do not come.

use std::time::Duration;

use citewire::channels::azure_bot::auth::{Caller, KeyIssuer, Unauthorized, UnauthorizedKind};
use futures_util::future::join_all;
use futures_util::poll;
use serde_json::{Value, json};

use super::publisher::{CHANNEL_KEYS, CHANNEL_METADATA, ENTRA_KEYS, ENTRA_METADATA, Page, Publisher};
use super::scene::{Scene, the_agent};
use super::signing::{CHANNEL_KEY, ENTRA_KEY, FOREIGN_KEY, NEXT_CHANNEL_KEY, TestKey};

const NO_KEYS: Unauthorized = Unauthorized::NoKeys { issuer: KeyIssuer::Channel };
const UNKNOWN_KEY: Unauthorized = Unauthorized::UnknownKey { issuer: KeyIssuer::Channel };

impl Scene {
    async fn call_signed_by(&self, key: &TestKey) -> Result<Caller, Unauthorized> {
        self.call_with(key, &self.channel_claims()).await
    }

    fn fetches(&self) -> (usize, usize) {
        (self.publisher.count(CHANNEL_METADATA), self.publisher.count(CHANNEL_KEYS))
    }

    fn pass(&self, seconds: i64) {
        self.clock.advance(chrono::Duration::seconds(seconds));
    }
}

fn broken() -> Page {
    Page::Status(500, "content-type: text/plain".to_owned())
}

#[tokio::test]
async fn keys_are_fetched_when_they_are_first_needed_and_then_kept() {
    let scene = Scene::new().await;
    assert_eq!(scene.fetches(), (0, 0));
    for _ in 0..3 {
        assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    }
    assert_eq!(scene.fetches(), (1, 1));
    assert_eq!(scene.publisher.count(ENTRA_KEYS), 0);
}

#[tokio::test]
async fn keys_can_be_fetched_before_they_are_needed() {
    let scene = Scene::new().await;
    scene.verifier.keep_fresh().await;
    scene.publisher.put(CHANNEL_METADATA, broken());
    scene.publisher.put(ENTRA_METADATA, broken());
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    assert_eq!(scene.call_with(&ENTRA_KEY, &scene.agent_claims()).await, Ok(the_agent()));
    assert_eq!((scene.fetches(), scene.publisher.count(ENTRA_METADATA)), ((1, 1), 1));
}

#[tokio::test]
async fn nothing_is_fetched_for_a_bot_without_an_app_id() {
    let scene = Scene::with(|options| options.app_id = None).await;
    scene.verifier.keep_fresh().await;
    assert_eq!(scene.fetches(), (0, 0));
}

#[tokio::test]
async fn a_new_key_is_found_when_the_first_token_comes_that_is_signed_with_it() {
    let scene = Scene::new().await;
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    scene.pass(3600);
    scene.publisher.put_keys(CHANNEL_KEYS, &[CHANNEL_KEY.published(), NEXT_CHANNEL_KEY.published()]);
    assert_eq!(scene.call_signed_by(&NEXT_CHANNEL_KEY).await, Ok(Caller::Channel));
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel), "the old one is still published");
    assert_eq!(scene.fetches(), (2, 2));
    scene.publisher.put_keys(CHANNEL_KEYS, &[NEXT_CHANNEL_KEY.published()]);
    scene.pass(24 * 3600);
    scene.verifier.keep_fresh().await;
    assert_eq!(scene.call_as_channel().await, Err(UNKNOWN_KEY), "the old one was withdrawn");
    assert_eq!(scene.call_signed_by(&NEXT_CHANNEL_KEY).await, Ok(Caller::Channel));
}

#[tokio::test]
async fn unknown_keys_cannot_make_citewire_ask_more_than_once_in_half_a_minute() {
    let scene = Scene::new().await;
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    scene.pass(30);
    for number in 0..20 {
        let header = json!({"alg": "RS256", "kid": format!("unknown-{number}")});
        let token = FOREIGN_KEY.token_with(&header, &scene.channel_claims());
        assert_eq!(scene.call(&token).await, Err(UNKNOWN_KEY));
    }
    assert_eq!(scene.fetches(), (2, 2));
    scene.pass(29);
    assert_eq!(scene.call_signed_by(&FOREIGN_KEY).await, Err(UNKNOWN_KEY));
    assert_eq!(scene.fetches(), (2, 2));
    scene.pass(1);
    assert_eq!(scene.call_signed_by(&FOREIGN_KEY).await, Err(UNKNOWN_KEY));
    assert_eq!(scene.fetches(), (3, 3));
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_keep_new_keys_out() {
    let scene = Scene::new().await;
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    scene.pass(-3600);
    scene.publisher.put_keys(CHANNEL_KEYS, &[NEXT_CHANNEL_KEY.published()]);
    assert_eq!(scene.call_signed_by(&NEXT_CHANNEL_KEY).await, Ok(Caller::Channel));
}

#[tokio::test]
async fn without_any_keys_calls_can_be_made_again_later_and_are_let_in_then() {
    let scene = Scene::new().await;
    scene.publisher.put(CHANNEL_METADATA, broken());
    let refusal = scene.call_as_channel().await.expect_err("there are no keys");
    assert_eq!((refusal.kind(), refusal), (UnauthorizedKind::Unavailable, NO_KEYS));
    scene.publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
    scene.pass(4);
    assert_eq!(scene.call_as_channel().await, Err(NO_KEYS));
    assert_eq!(scene.fetches(), (1, 0), "not so soon");
    scene.pass(1);
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
}

#[tokio::test]
async fn nobody_at_the_address_of_the_metadata_is_no_fault_of_the_caller() {
    let scene = Scene::with(|options| {
        options.addresses.channel_metadata = "http://127.0.0.1:1/metadata".parse().expect("a URL");
    })
    .await;
    assert_eq!(scene.call_as_channel().await, Err(NO_KEYS));
}

#[tokio::test]
async fn keys_are_renewed_after_a_day_and_kept_when_that_fails() {
    let scene = Scene::new().await;
    scene.verifier.keep_fresh().await;
    scene.pass(24 * 3600 - 1);
    scene.verifier.keep_fresh().await;
    assert_eq!(scene.fetches(), (1, 1));
    scene.publisher.put(CHANNEL_METADATA, broken());
    for fetches in 2..5 {
        scene.pass(60);
        scene.verifier.keep_fresh().await;
        assert_eq!(scene.fetches(), (fetches, 1), "every attempt that fails is followed by another");
        assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    }
    scene.pass(60);
    assert_eq!(scene.call_signed_by(&FOREIGN_KEY).await, Err(UNKNOWN_KEY), "nor is it the caller's excuse");
    scene.publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
    scene.pass(60);
    scene.verifier.keep_fresh().await;
    scene.pass(60);
    scene.verifier.keep_fresh().await;
    assert_eq!(scene.fetches(), (6, 2), "and then a day is a day again");
}

/// Pages without usable keys that are published instead of keys.
async fn useless(publisher: &Publisher, elsewhere: &Publisher) -> Vec<(&'static str, &'static str, Page)> {
    elsewhere.put_keys(CHANNEL_KEYS, &[NEXT_CHANNEL_KEY.published()]);
    publisher.put_keys("/other/keys", &[NEXT_CHANNEL_KEY.published()]);
    let with_keys = |url: Value| Page::Json(json!({ "jwks_uri": url }));
    let other = publisher.at("/other/keys");
    let named = other.replace("127.0.0.1", "localhost");
    let many: Vec<_> = (0..300).map(|_| NEXT_CHANNEL_KEY.published()).collect();
    let only_rs512 = json!({"jwks_uri": other, "id_token_signing_alg_values_supported": ["RS512"]});
    let to_other = |status| Page::Status(status, format!("location: {other}"));
    let mut pages = vec![
        ("keys of another server", CHANNEL_METADATA, with_keys(json!(elsewhere.at(CHANNEL_KEYS)))),
        ("keys of another host", CHANNEL_METADATA, with_keys(json!(named))),
        ("keys of another scheme", CHANNEL_METADATA, with_keys(json!(other.replace("http:", "https:")))),
        ("keys in a file", CHANNEL_METADATA, with_keys(json!("file:///etc/passwd"))),
        ("keys in the address", CHANNEL_METADATA, with_keys(json!("data:application/json,{}"))),
        ("no address of keys", CHANNEL_METADATA, with_keys(Value::Null)),
        ("half an address of keys", CHANNEL_METADATA, with_keys(json!("/other/keys"))),
        ("another algorithm", CHANNEL_METADATA, Page::Json(only_rs512)),
        ("a list as metadata", CHANNEL_METADATA, Page::Json(json!([]))),
        ("endless metadata", CHANNEL_METADATA, Page::Endless),
        ("endless keys", CHANNEL_KEYS, Page::Endless),
        ("too many keys", CHANNEL_KEYS, Page::Json(json!({ "keys": many }))),
        ("no keys", CHANNEL_KEYS, Page::Json(json!({"keys": []}))),
        (
            "a key too short",
            CHANNEL_KEYS,
            Page::Json(json!({"keys": [{"kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB"}]})),
        ),
        ("something else than keys", CHANNEL_KEYS, Page::Json(json!({"error": "gone"}))),
    ];
    for status in [204, 301, 307, 404, 500, 503] {
        pages.push(("a status instead of metadata", CHANNEL_METADATA, to_other(status)));
        pages.push(("a status instead of keys", CHANNEL_KEYS, to_other(status)));
    }
    pages
}

#[tokio::test]
async fn what_is_no_key_document_of_this_site_lets_nobody_in_and_drives_no_key_out() {
    let elsewhere = Publisher::start().await;
    let count = useless(&Publisher::start().await, &elsewhere).await.len();
    for number in 0..count {
        let scene = Scene::new().await;
        let (what, path, page) = useless(&scene.publisher, &elsewhere).await.swap_remove(number);
        scene.publisher.put(path, page.clone());
        assert_eq!(scene.call_signed_by(&NEXT_CHANNEL_KEY).await, Err(NO_KEYS), "{what}: {page:?}");
        scene.publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
        scene.publisher.put_keys(CHANNEL_KEYS, &[CHANNEL_KEY.published()]);
        scene.pass(60);
        assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel), "{what}");
        scene.publisher.put(path, page);
        scene.pass(60);
        assert_eq!(scene.call_signed_by(&NEXT_CHANNEL_KEY).await, Err(UNKNOWN_KEY), "{what}");
        assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel), "{what}");
        assert_eq!(scene.publisher.count("/other/keys"), 0, "{what}");
    }
    assert_eq!(elsewhere.count(CHANNEL_KEYS), 0);
}

#[tokio::test]
async fn slow_metadata_delays_nobody_whose_key_is_known() {
    let scene = Scene::new().await;
    scene.verifier.keep_fresh().await;
    scene.pass(24 * 3600);
    scene.publisher.put(CHANNEL_METADATA, Page::Silence);
    let mut renewing = Box::pin(scene.verifier.keep_fresh());
    assert!(poll!(&mut renewing).is_pending());
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    assert!(poll!(&mut renewing).is_pending());
}

#[tokio::test]
async fn keys_that_do_not_come_in_time_do_not_come() {
    for path in [CHANNEL_METADATA, CHANNEL_KEYS] {
        let scene = Scene::with(|options| options.key_timeout = Duration::from_millis(100)).await;
        scene.publisher.put(path, Page::Silence);
        assert_eq!(scene.call_as_channel().await, Err(NO_KEYS), "{path}");
    }
}

#[tokio::test]
async fn many_callers_at_once_wait_for_one_fetch() {
    let scene = Scene::new().await;
    let claims = scene.channel_claims();
    let calls = join_all((0..50).map(|_| scene.call_with(&CHANNEL_KEY, &claims))).await;
    assert!(calls.iter().all(|called| *called == Ok(Caller::Channel)), "{calls:?}");
    assert_eq!(scene.fetches(), (1, 1));
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_end_the_fetch_for_the_others() {
    let scene = Scene::new().await;
    let keys = scene.publisher.at(CHANNEL_KEYS);
    scene.publisher.put(CHANNEL_METADATA, Page::Held(json!({ "jwks_uri": keys })));
    let mut impatient = Box::pin(scene.call_as_channel());
    assert!(poll!(&mut impatient).is_pending());
    scene.publisher.asked_for(CHANNEL_METADATA).await;
    drop(impatient);
    scene.publisher.release();
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    assert_eq!(scene.fetches(), (1, 1));
}
