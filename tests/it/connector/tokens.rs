//! Tokens: asked for once, kept, renewed, and never seen.

use std::sync::Arc;

use citewire::activity::Activity;
use citewire::channels::azure_bot::{
    ActivitySink as _, ConnectorClient, ConnectorSink, PUBLIC_HOSTS, RefusalCause, RefusalKind, TokenError,
    TrustedHosts,
};
use citewire::clock::CountingIds;
use citewire::egress::{Client, EgressOptions};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{APP, APP_SECRET, Flavour, Mishap, SCOPE, Scene, http};

impl Scene {
    async fn say(&self, scope: &str) -> Result<Option<String>, citewire::channels::azure_bot::Refusal> {
        let mut place = self.place();
        place.scope = Some(scope.to_owned());
        ConnectorSink::new(Arc::clone(&self.client), place).send(Activity::message("hi")).await
    }

    fn bearers(&self) -> Vec<String> {
        self.service.seen().into_iter().map(|seen| seen.bearer.unwrap_or_default()).collect()
    }
}

#[tokio::test]
async fn a_token_is_asked_for_by_client_credentials_and_kept() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.guard();
    for _ in 0..3 {
        scene.say(SCOPE).await.expect("taken");
    }
    let asked = scene.service.asked();
    assert_eq!(
        asked,
        [format!(
            "/botframework.com/oauth2/v2.0/token grant_type=client_credentials&client_id={APP}&client_secret={APP_SECRET}\
             &scope=https%3A%2F%2Fapi.botframework.com%2F.default"
        )]
    );
    assert_eq!(scene.bearers(), ["token-1", "token-1", "token-1"]);
}

#[tokio::test]
async fn point_06_each_scope_has_a_token_of_its_own() {
    let scene = Scene::new(Flavour::Teams).await;
    for scope in [SCOPE, "agent/.default", SCOPE, "agent/.default"] {
        scene.say(scope).await.expect("taken");
    }
    assert_eq!(scene.bearers(), ["token-1", "token-2", "token-1", "token-2"]);
    assert!(scene.service.asked()[1].ends_with("scope=agent%2F.default"));
}

#[tokio::test]
async fn a_token_is_renewed_300_seconds_before_it_expires() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.expire_in(json!("3600"));
    let mut asked = Vec::new();
    for seconds in [0, 3299, 1, 3299, 1] {
        scene.clock.advance(chrono::Duration::seconds(seconds));
        scene.say(SCOPE).await.expect("taken");
        asked.push(scene.service.asked().len());
    }
    assert_eq!(asked, [1, 1, 2, 2, 3]);
}

#[tokio::test]
async fn calls_at_once_ask_for_a_token_once_and_share_a_refusal() {
    let scene = Scene::new(Flavour::Teams).await;
    let outcomes = join_all((0..20).map(|_| scene.say(SCOPE))).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(scene.service.asked().len(), 1);
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.plan_tokens(|_| Some(Mishap::Json(401, json!({"error": "invalid_client"}))));
    let outcomes = join_all((0..20).map(|_| scene.say(SCOPE))).await;
    assert!(outcomes.iter().all(Result::is_err));
    assert_eq!((scene.service.asked().len(), scene.service.seen().len()), (1, 0));
}

#[tokio::test]
async fn point_09_a_token_that_is_refused_is_replaced_once() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.guard();
    scene.say(SCOPE).await.expect("taken");
    scene.service.revoke();
    scene.say(SCOPE).await.expect("taken with another one");
    assert_eq!(
        (scene.bearers(), scene.service.asked().len()),
        (vec!["token-1".to_owned(), "token-1".into(), "token-3".into()], 2)
    );
    scene.service.plan(|_, _| Some((Mishap::error(401, "Unauthorized", "No."), false)));
    let refusal = scene.say(SCOPE).await.expect_err("refused");
    assert_eq!((refusal.kind, scene.service.asked().len(), scene.bearers().len()), (RefusalKind::Denied, 3, 5));
}

#[tokio::test]
async fn a_login_service_that_stumbles_is_asked_again_and_one_that_refuses_is_not() {
    for (mishap, asked) in [
        (Mishap::status(503), 2),
        (Mishap::With(429, "retry-after", "1".to_owned(), String::new()), 2),
        (Mishap::Json(400, json!({"error": "invalid_scope", "error_description": "AADSTS70011: no"})), 1),
        (Mishap::Json(200, json!({"token_type": "Bearer"})), 1),
        (Mishap::Json(200, json!({"access_token": "two words"})), 1),
    ] {
        let scene = Scene::new(Flavour::Teams).await;
        let first = mishap.clone();
        scene.service.plan_tokens(move |n| (n == 0).then(|| first.clone()));
        let outcome = scene.say(SCOPE).await;
        assert_eq!((outcome.is_ok(), scene.service.asked().len()), (asked == 2, asked), "{mishap:?}");
    }
}

#[tokio::test]
async fn point_13_no_secret_and_no_token_is_in_any_error_or_debug_output() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.say(SCOPE).await.expect("taken");
    let echo = json!({"error": {"code": "token-1", "message": "Bearer token-1"}});
    scene.service.plan(move |_, _| Some((Mishap::Json(400, echo.clone()), false)));
    let refused = scene.say(SCOPE).await.expect_err("refused");
    let echo = json!({"error": "x", "error_description": format!("client_secret={APP_SECRET}")});
    scene.service.plan_tokens(move |_| Some(Mishap::Json(401, echo.clone())));
    let unauthorized = scene.say("other/.default").await.expect_err("no token");
    assert!(matches!(unauthorized.cause, RefusalCause::NoToken(TokenError::Refused { .. })));
    let texts =
        [format!("{refused} {refused:?}"), format!("{unauthorized} {unauthorized:?}"), format!("{:?}", scene.client)];
    for text in &texts {
        assert!(!text.contains("token-1") && !text.contains(APP_SECRET), "{text}");
    }
}

#[tokio::test]
async fn a_place_without_a_scope_is_called_without_a_token_and_one_with_a_scope_needs_credentials() {
    let scene = Scene::new(Flavour::Teams).await;
    let mut place = scene.place();
    place.scope = None;
    ConnectorSink::new(Arc::clone(&scene.client), place).send(Activity::message("hi")).await.expect("taken");
    assert_eq!((scene.bearers(), scene.service.asked().len()), (vec![String::new()], 0));
    let hosts = TrustedHosts::new(PUBLIC_HOSTS).and_loopback();
    let client = ConnectorClient::new(http(), hosts, None, scene.eager(), Arc::new(CountingIds::default()));
    let refusal =
        ConnectorSink::new(Arc::new(client), scene.place()).send(Activity::message("hi")).await.expect_err("no token");
    assert!(matches!(refusal.cause, RefusalCause::NoToken(TokenError::NoCredentials)));
    assert_eq!(scene.service.seen().len(), 1);
}

#[tokio::test]
async fn point_07_a_place_that_is_not_trusted_any_more_gets_no_token_and_no_call() {
    let scene = Scene::new(Flavour::Teams).await;
    let http = Client::new(EgressOptions::default()).expect("a client");
    let strict = TrustedHosts::new(PUBLIC_HOSTS);
    let client = ConnectorClient::new(http, strict, None, scene.eager(), Arc::new(CountingIds::default()));
    let mut place = scene.place();
    place.scope = None;
    let refusal = ConnectorSink::new(Arc::new(client), place).send(Activity::message("hi")).await.expect_err("refused");
    assert!(matches!(refusal.cause, RefusalCause::Untrusted(_)), "{refusal}");
    assert_eq!(scene.service.seen().len(), 0);
}

#[tokio::test]
async fn a_service_at_a_private_address_is_refused_when_connecting() {
    // Trusted by its name, and still not called: nothing has told the connections that it may be here.
    let scene = Scene::new(Flavour::Teams).await;
    let http = Client::new(EgressOptions::default()).expect("a client");
    let hosts = TrustedHosts::new(PUBLIC_HOSTS).and_loopback();
    let client = ConnectorClient::new(http, hosts, None, scene.eager(), Arc::new(CountingIds::default()));
    let mut place = scene.place();
    place.scope = None;
    let outcome = ConnectorSink::new(Arc::new(client), place).send(Activity::message("hi")).await;
    let refusal = outcome.expect_err("refused");
    assert_eq!((refusal.kind, scene.service.seen().len()), (RefusalKind::Denied, 0));
    assert!(refusal.to_string().contains("a loopback address"), "{refusal}");
}

#[tokio::test]
async fn a_reply_names_what_it_answers_and_says_nothing_that_the_channel_assigns() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.say(SCOPE).await.expect("taken");
    let body = scene.service.seen().remove(0).body;
    let expected = json!({
        "type": "message", "text": "hi", "textFormat": "markdown", "channelId": "msteams", "replyToId": "q/1",
        "from": {"id": "28:bot"}, "recipient": {"id": "29:user"},
        "conversation": {"id": "a:1", "conversationType": "personal", "tenantId": "t"},
    });
    assert_eq!(body, expected);
    assert_eq!(body.get("id"), None::<&Value>);
}
