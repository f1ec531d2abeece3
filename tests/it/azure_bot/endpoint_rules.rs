//! The rules of the endpoint, one by one. What is held elsewhere in more detail is held here once, from outside.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::scene::{APP_SECRET, FAILURE, GROUP, Scene};
use crate::connector::{Bubble, Flavour, Mishap};
use crate::connector_auth::publisher::{CHANNEL_KEYS, Page};
use crate::connector_auth::scene::{AGENT, APP, FOREIGN_TENANT, changed};
use crate::connector_auth::signing::{CHANNEL_KEY, ENTRA_KEY, FOREIGN_KEY, NEXT_CHANNEL_KEY, unsigned};

/// Rule EP-01.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_post_is_acknowledged_before_its_work_begins_and_a_full_queue_asks_to_come_again() {
    let scene = Scene::with(Flavour::Teams, |setup| {
        setup.options.turns.at_once = 1;
        setup.options.turns = setup.options.turns.with_waiting(2);
        setup.options.turns.waiting_each = 2;
    })
    .await;
    scene.hand_in(&scene.message("1", "first")).await;
    let first = scene.backend.asked().await;
    for id in ["2", "3"] {
        scene.hand_in(&scene.message(id, id)).await;
    }
    let response = scene.request().json(&scene.message("4", "4")).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let seconds: u32 = response.headers()["retry-after"].to_str().expect("text").parse().expect("a number");
    assert!((1..=15).contains(&seconds));
    let said: Value = response.json().await.expect("JSON");
    assert_eq!(said["error"]["code"], "ServiceUnavailable");
    first.begin().done();
    scene.answer_next("two").await;
    // A refused activity was not remembered.
    scene.hand_in(&scene.message("4", "4")).await;
    scene.answer_next("three").await;
    scene.answer_next("four").await;
    assert_eq!(scene.texts_after(4, GROUP).await, [FAILURE, "two", "three", "four"]);
}

/// Rule EP-02.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_repeated_activity_is_acknowledged_and_not_run_again_for_ten_minutes() {
    let scene = Scene::new().await;
    for _ in 0..3 {
        scene.hand_in(&scene.message("1", "hi")).await;
    }
    scene.answer_next("Hello.").await;
    scene.service.called(1).await;
    scene.hand_in(&scene.message("1", "hi")).await;
    let mut elsewhere = scene.message("1", "hi");
    elsewhere["conversation"]["id"] = json!("19:other@thread.v2");
    scene.hand_in(&elsewhere).await;
    scene.answer_next("Hello there.").await;
    assert_eq!(scene.texts_after(2, GROUP).await, ["Hello."]);
    assert_eq!(scene.chat("19:other@thread.v2").len(), 1, "the same id in another conversation is another activity");
    scene.app.clock.advance(chrono::Duration::minutes(10));
    scene.hand_in(&scene.message("1", "hi")).await;
    scene.answer_next("Hello again.").await;
    assert_eq!(scene.texts_after(3, GROUP).await, ["Hello.", "Hello again."]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn conversations_do_not_wait_for_each_other_and_each_keeps_its_order() {
    let scene = Scene::new().await;
    for (id, conversation) in [("1", "19:a@thread.v2"), ("2", "19:a@thread.v2"), ("3", "19:b@thread.v2")] {
        let mut activity = scene.message(id, id);
        activity["conversation"]["id"] = json!(conversation);
        scene.hand_in(&activity).await;
    }
    let asked = [scene.backend.asked().await, scene.backend.asked().await];
    let mut questions: Vec<String> = asked.iter().map(|asked| asked.turns().concat()).collect();
    questions.sort();
    assert_eq!(questions, ["user: 1", "user: 3"], "the second waits for the first");
    assert!(scene.backend.is_idle().await);
    // The one that came later ends first.
    let [first, other] = asked;
    let (first, other) = if first.turns() == ["user: 1"] { (first, other) } else { (other, first) };
    for (asked, text) in [(other, "three"), (first, "one")] {
        let body = asked.begin();
        body.event(&json!({"delta": text}));
        body.done();
    }
    scene.answer_next("two").await;
    assert_eq!(scene.texts_after(3, "19:a@thread.v2").await, ["one", "two"]);
    assert_eq!(scene.chat("19:b@thread.v2")[0].text(), "three");
}

/// Rule EP-03.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_token_of_the_connector_with_anything_wrong_is_let_in() {
    let scene = Scene::guarded().await;
    let now = scene.channel_claims()["exp"].as_i64().expect("a number") - 3600;
    let with = |claim: &str, value: Value| CHANNEL_KEY.token(&changed(scene.channel_claims(), claim, value));
    let header = |algorithm: &str| json!({"alg": algorithm, "typ": "JWT", "kid": CHANNEL_KEY.id});
    let good = scene.channel_claims();
    for (what, token, status) in [
        ("another issuer", with("iss", json!("https://api.botframework.us")), 401),
        ("another audience", with("aud", json!(AGENT.to_string())), 401),
        ("expired for six minutes", with("exp", json!(now - 360)), 401),
        ("not valid for six minutes", with("nbf", json!(now + 360)), 401),
        ("unsigned", format!("Bearer {}.", unsigned(&header("none"), &good)), 401),
        ("signed as HS256", format!("Bearer {}.AAAA", unsigned(&header("HS256"), &good)), 401),
        ("signed as RS384", CHANNEL_KEY.token_rs384(&header("RS384"), &good), 401),
        ("with a key that nobody knows", FOREIGN_KEY.token(&good), 401),
        ("with a key of another name", FOREIGN_KEY.token_with(&header("RS256"), &good), 401),
        ("for another service", with("serviceurl", json!("https://smba.trafficmanager.net/")), 401),
        ("half a token", "Bearer eyJhbGciOiJSUzI1NiJ9".to_owned(), 401),
        ("another scheme", "Basic dXNlcjpwYXNz".to_owned(), 401),
        ("nothing", String::new(), 401),
    ] {
        refused(&scene, &token, "msteams", what, status).await;
    }
    refused(&scene, &scene.channel_token(), "slack", "for a channel that its key is not endorsed for", 403).await;
    let response = scene.request().json(&scene.message("1", "hi")).send().await.expect("an answer");
    assert_eq!(
        (response.status(), &response.headers()["www-authenticate"]),
        (StatusCode::UNAUTHORIZED, &"Bearer".parse().expect("a header"))
    );
    assert!(scene.backend.is_idle().await);
    // Within five minutes of skew it is good, and so is the token that all of these were made of.
    for (id, token) in [("1", with("exp", json!(now - 240))), ("2", scene.channel_token())] {
        assert_eq!(scene.post_as(&token, &scene.message(id, "hi")).await.0, StatusCode::ACCEPTED);
    }
}

async fn refused(scene: &Scene, token: &str, channel: &str, what: &str, status: u16) {
    let mut activity = scene.message("1", "hi");
    activity["channelId"] = json!(channel);
    let response = scene.request().header("authorization", token).json(&activity).send().await.expect("an answer");
    assert_eq!(response.status().as_u16(), status, "{what}");
    let challenge = response.headers()["www-authenticate"].to_str().expect("text").to_owned();
    assert!(challenge.starts_with("Bearer"), "{what}: {challenge}");
    let said: Value = response.json().await.expect("JSON");
    let code = if status == 403 { "Forbidden" } else { "Unauthorized" };
    assert_eq!(said["error"]["code"], code, "{what}");
    // The exact fault is for the operator alone.
    assert!(!said.to_string().contains(&APP.to_string()) && !said.to_string().contains("azure_bot"), "{said}");
}

/// Rule EP-04.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn of_the_tokens_of_entra_only_those_of_allowed_agents_are_let_in() {
    let scene = Scene::guarded().await;
    let with = |claim: &str, value: Value| ENTRA_KEY.token(&changed(scene.agent_claims(), claim, value));
    let foreign = format!("https://login.microsoftonline.com/{FOREIGN_TENANT}/v2.0");
    let of_foreign =
        changed(changed(scene.agent_claims(), "iss", json!(foreign)), "tid", json!(FOREIGN_TENANT.to_string()));
    for (what, token, status) in [
        ("a tenant that is not its issuer's", with("tid", json!(FOREIGN_TENANT.to_string())), 401),
        ("a foreign tenant", ENTRA_KEY.token(&of_foreign), 401),
        ("an agent that is not on the list", with("azp", json!("11111111-2222-4333-8444-555555555555")), 403),
        ("the bot itself", with("azp", json!(APP.to_string())), 403),
        ("nobody", with("azp", Value::Null), 401),
    ] {
        refused(&scene, &token, "msteams", what, status).await;
    }
    assert_eq!(scene.post_as(&scene.agent_token(), &scene.message("1", "hi")).await.0, StatusCode::ACCEPTED);
    let emulator = Scene::with(Flavour::Teams, |setup| setup.options.auth.emulator = true).await;
    let token = ENTRA_KEY.token(&changed(emulator.agent_claims(), "azp", json!(APP.to_string())));
    assert_eq!(emulator.post_as(&token, &emulator.message("1", "hi")).await.0, StatusCode::ACCEPTED);
}

/// Rule EP-05.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn keys_may_change_in_the_middle_and_old_ones_stay_good_while_new_ones_cannot_be_had() {
    let scene = Scene::guarded().await;
    assert_eq!(scene.post_as(&scene.channel_token(), &scene.message("1", "hi")).await.0, StatusCode::ACCEPTED);
    let rotated = NEXT_CHANNEL_KEY.token(&scene.channel_claims());
    scene.publisher.put(CHANNEL_KEYS, Page::Status(500, "x-y: z".to_owned()));
    scene.app.clock.advance(chrono::Duration::minutes(1));
    assert_eq!(scene.post_as(&rotated, &scene.message("2", "hi")).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(scene.post_as(&scene.channel_token(), &scene.message("3", "hi")).await.0, StatusCode::ACCEPTED);
    scene.publisher.put_keys(CHANNEL_KEYS, &[NEXT_CHANNEL_KEY.endorsed_for(&["msteams"])]);
    scene.app.clock.advance(chrono::Duration::minutes(1));
    assert_eq!(scene.post_as(&rotated, &scene.message("4", "hi")).await.0, StatusCode::ACCEPTED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn without_any_keys_a_sender_is_asked_to_come_again() {
    let scene = Scene::guarded().await;
    let unreachable = Scene::with(Flavour::Teams, |setup| {
        setup.options.auth.anonymous = false;
        setup.options.auth.addresses.channel_metadata = scene.publisher.at("/nothing").parse().expect("an address");
    })
    .await;
    let request = unreachable.request().header("authorization", unreachable.channel_token());
    let response = request.json(&unreachable.message("1", "hi")).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(response.headers().contains_key("retry-after"));
}

/// Rule EP-06.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_channel_is_answered_with_the_token_of_the_connector_and_an_agent_with_one_for_itself() {
    for (agent, scope) in
        [(false, "https%3A%2F%2Fapi.botframework.com%2F.default".to_owned()), (true, format!("{AGENT}%2F.default"))]
    {
        let scene = Scene::guarded().await;
        scene.service.guard();
        let token = if agent { scene.agent_token() } else { scene.channel_token() };
        assert_eq!(scene.post_as(&token, &scene.message("1", "hi")).await.0, StatusCode::ACCEPTED);
        scene.answer_next("Hello.").await;
        scene.service.called(1).await;
        let asked = scene.service.asked();
        assert_eq!(asked.len(), 1, "{asked:?} {:?}", scene.service.seen());
        assert!(asked[0].contains(&format!("scope={scope}")) && asked[0].contains(APP_SECRET), "{}", asked[0]);
        assert_eq!(scene.service.seen()[0].bearer.as_deref(), Some("token-1"));
        assert_eq!(scene.chat(GROUP)[0].text(), "Hello.");
    }
}

/// Rule EP-07.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn look_alikes_of_trusted_services_are_refused_whatever_token_they_come_with() {
    let scene = Scene::guarded().await;
    for url in [
        "https://botframework.com.evil.test/",
        "https://evilbotframework.com/",
        "https://smba.trafficmanager.net@evil.test/",
        "https://smba.trafficmanager.net:8443/",
        "https://SMBA.trafficmanager.net.:443/",
        "https://[::ffff:10.0.0.7]/",
        "https://[fd00::1]/",
    ] {
        let mut activity = scene.message("1", "hi");
        activity["serviceUrl"] = json!(url);
        // Entra says nothing about services, so the list decides alone.
        let (status, said) = scene.post_as(&scene.agent_token(), &activity).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{url}: {said}");
    }
    assert!(scene.backend.is_idle().await);
}

/// Rule EP-08.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_id_can_change_the_path_of_a_call() {
    let scene = Scene::new().await;
    for (n, id) in ["a/../b", "a?x=1", "a#b", "a%2Fb", "19:ä@thread.tacv2;messageid=1", "../../v3/x", "a b\u{1f600}"]
        .into_iter()
        .enumerate()
    {
        let mut activity = scene.message(&format!("{id}|{n}"), "hi");
        activity["conversation"]["id"] = json!(id);
        scene.hand_in(&activity).await;
        scene.answer_next("Hello.").await;
        scene.service.called(n + 1).await;
        assert_eq!(scene.chat(id).len(), 1, "{id}");
        let call = scene.service.seen().remove(n).call;
        assert_eq!(call.matches('/').count(), 6, "{call}");
    }
}

/// Rule EP-09.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_call_that_fails_in_a_way_that_passes_is_made_again_and_others_are_not() {
    let scene = Scene::guarded().await;
    scene.service.guard();
    assert_eq!(scene.post_as(&scene.channel_token(), &scene.message("1", "hi")).await.0, StatusCode::ACCEPTED);
    scene.service.fail_first(vec![
        Mishap::With(429, "retry-after", "3".to_owned(), "{}".to_owned()),
        Mishap::status(503),
        Mishap::error(401, "Unauthorized", "expired"),
    ]);
    scene.answer_next("Hello.").await;
    assert_eq!(scene.texts_after(4, GROUP).await, ["Hello."]);
    assert_eq!(scene.service.asked().len(), 2, "another token was asked for once");
    let denied = Scene::new().await;
    denied.service.plan(|_, _| Some((Mishap::error(403, "Forbidden", "not in this conversation"), false)));
    denied.hand_in(&denied.message("1", "hi")).await;
    denied.answer_next("Hello.").await;
    denied.service.called(2).await;
    denied.hand_in(&denied.message("2", "hi")).await;
    drop(denied.backend.asked().await);
    assert_eq!(denied.service.seen().len(), 2, "the answer, and an apology in its place");
}

/// Rule EP-10.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_answer_over_the_limit_of_the_channel_comes_in_parts() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("1", "hi")).await;
    let paragraphs: Vec<String> = (0..200).map(|n| format!("{n} {}", "word ".repeat(100))).collect();
    scene.answer_next(&paragraphs.join("\n\n")).await;
    scene.service.called(2).await;
    scene.hand_in(&scene.message("2", "hi")).await;
    drop(scene.backend.asked().await);
    let told = scene.chat(GROUP);
    assert!(told.len() > 1, "{}", told.len());
    let whole: String = told.iter().map(Bubble::text).collect();
    for n in 0..200 {
        assert!(whole.contains(&format!("{n} word")), "{n} is missing");
    }
}

/// Rule EP-12.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stream_that_is_refused_becomes_one_message() {
    let scene = Scene::new().await;
    let mut personal = scene.message("1", "hi");
    personal["conversation"] = json!({"id": "a:1", "conversationType": "personal"});
    scene.service.plan(|n, _| {
        (n == 0).then(|| (Mishap::error(400, "BadArgument", "Bad Argument: streaming api is not enabled"), false))
    });
    scene.hand_in(&personal).await;
    scene.answer_next("Hello [1].").await;
    assert_eq!(scene.texts_after(2, "a:1").await, ["Hello [1]."]);
    personal["id"] = json!("2");
    scene.hand_in(&personal).await;
    scene.answer_next("Hello again [1].").await;
    scene.service.ended("a:1", 2).await;
    let told = scene.chat("a:1");
    assert_eq!((told.len(), told[1].text(), told[1].growing), (2, "Hello again [1].", false), "{told:?}");
    assert_eq!(scene.service.faults(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_user_who_presses_stop_gets_nothing_more() {
    let scene = Scene::new().await;
    let mut personal = scene.message("1", "hi");
    personal["conversation"] = json!({"id": "a:1", "conversationType": "personal"});
    scene.hand_in(&personal).await;
    let asked = scene.backend.asked().await;
    scene.service.called(1).await;
    scene.service.stop("a:1");
    let body = asked.begin();
    body.event(&json!({"delta": "Too late."}));
    body.done();
    scene.service.called(2).await;
    personal["id"] = json!("2");
    scene.hand_in(&personal).await;
    scene.answer_next("Hello.").await;
    scene.service.ended("a:1", 2).await;
    let told = scene.chat("a:1");
    assert_eq!((told.len(), told[1].text()), (2, "Hello."), "{told:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn without_an_assistant_whoever_asks_is_told_so_as_after_any_failure() {
    // Nothing was said at all, and in the response that was an empty list.
    let scene = Scene::with(Flavour::Teams, |setup| setup.options.assistant = Some("nobody".to_owned())).await;
    scene.hand_in(&scene.message("1", "hi")).await;
    assert_eq!(scene.texts_after(1, GROUP).await, [FAILURE]);
    let mut inline = scene.message("2", "hi");
    inline["deliveryMode"] = json!("expectReplies");
    let (status, body) = scene.post(&inline).await;
    assert_eq!((status, &body["activities"][0]["text"]), (StatusCode::OK, &json!(FAILURE)), "{body}");
    // A user who has only come has asked nothing.
    let came =
        scene.activity("installationUpdate", &json!({"id": "3", "action": "add", "deliveryMode": "expectReplies"}));
    assert_eq!(scene.post(&came).await, (StatusCode::OK, json!({"activities": []})));
}
