//! The rules of admission: host names, proxies, and rate limits of callers.

use std::sync::Arc;

use citewire::http::{Access, ApiKey, LimitOptions, ROUTES, Scope, TrustedProxies};
use citewire::secret::Secret;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::app::{API_KEY, DIRECT_LINE_SECRET, Nodes, TestApp};

/// A server that others can reach.
fn on_all_addresses(change: impl FnOnce(&mut citewire::http::HttpOptions)) -> TestApp {
    let mut app = TestApp::with(|setup| {
        setup.http.bind = "0.0.0.0:0".parse().expect("an address");
        setup.http.page_answers = false;
        change(&mut setup.http);
    });
    app.url = format!("http://127.0.0.1:{}", app.address.port());
    app
}

/// A session as the page asks for it in a browser that found it at this host, without the header `Host`.
fn from_page(app: &TestApp, host: &str) -> RequestBuilder {
    let request = app.request(Method::POST, "/page/session");
    request.header("origin", format!("http://{host}")).header("sec-fetch-site", "same-origin")
}

fn session(app: &TestApp, host: &str) -> RequestBuilder {
    from_page(app, host).header("host", host)
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.expect("an answer").status()
}

/// A web site that lets its name lead to this server (DNS rebinding) got a session of the page, and read the documents through
/// the browser of a visitor.
#[tokio::test]
async fn the_page_is_served_under_names_that_are_set_and_no_others() {
    let app = on_all_addresses(|http| {
        http.public_url = "https://bot.example".parse().ok();
        http.allowed_hosts = "chat.example, *.inside.example".parse().expect("names");
    });
    for path in ["/", "/page/page.js", "/page/samples"] {
        assert_eq!(status(app.request(Method::GET, path).header("host", "evil.example")).await, 421, "{path}");
    }
    let refused = session(&app, "evil.example").send().await.expect("an answer");
    assert_eq!(refused.status(), 421);
    let problem: Value = refused.json().await.expect("a problem");
    let detail = problem["detail"].as_str().expect("words");
    assert!(detail.contains("evil.example") && detail.contains("allowed_hosts"), "{detail}");
    for host in ["bot.example", "chat.example", "a.b.inside.example", "localhost", "10.1.2.3:3978", "[2001:db8::1]:80"]
    {
        assert_eq!(status(session(&app, host)).await, 200, "{host}");
    }
}

/// A container calls `http://citewire:3978/v1` with a key: what asks for a credential cannot be had through a browser.
#[tokio::test]
async fn a_route_with_a_credential_answers_under_any_name() {
    let app = on_all_addresses(|_| {});
    let convert = app.request(Method::POST, "/v1/activities").header("host", "citewire:3978");
    assert_eq!(status(convert.bearer_auth(API_KEY).json(&json!({"text": "Hello."}))).await, 200);
    let token = app.request(Method::POST, "/v3/directline/tokens/generate").header("host", "tunnel.example");
    assert_eq!(status(token.bearer_auth(DIRECT_LINE_SECRET)).await, 200);
    assert_eq!(status(app.request(Method::GET, "/healthz").header("host", "citewire:3978")).await, 200);
}

/// With `trust_forwarded` no host name was judged at all, not even on loopback.
#[tokio::test]
async fn the_host_that_a_proxy_names_is_judged_as_well() {
    let app = TestApp::with(|setup| {
        setup.http.trusted_proxies = TrustedProxies::nearby();
        setup.http.allowed_hosts = "chat.example".parse().expect("a name");
    });
    let through = |name: &str| from_page(&app, name).header("host", "127.0.0.1").header("x-forwarded-host", name);
    assert_eq!(status(through("evil.example")).await, 421);
    assert_eq!(status(through("chat.example")).await, 200);
}

/// A script asked for sessions until the store was full. The limit holds for an address; behind a proxy for that of the client.
#[tokio::test]
async fn an_address_starts_thirty_sessions_of_the_page_in_a_minute() {
    let app = TestApp::with(|setup| {
        setup.nodes = Nodes::One;
        setup.http.trusted_proxies = TrustedProxies::nearby();
    });
    let from = |client: &str| session(&app, "localhost").header("x-forwarded-for", client);
    for _ in 0..30 {
        assert_eq!(status(from("192.0.2.1")).await, 200);
    }
    let refused = from("192.0.2.1").send().await.expect("an answer");
    assert_eq!(refused.status(), 429);
    let wait: u32 = refused.headers()["retry-after"].to_str().expect("text").parse().expect("seconds");
    assert!((1..=2).contains(&wait), "{wait}");
    let problem: Value = refused.json().await.expect("a problem");
    assert!(problem["detail"].as_str().is_some_and(|words| words.contains("page_sessions_per_minute")), "{problem}");
    assert_eq!(status(from("192.0.2.2")).await, 200, "another client");
    assert_eq!(status(from("192.0.2.2, 192.0.2.1")).await, 429, "the words of the client itself do not count");
}

/// The holder of one token posted as fast as the line let him, and had a model answer each post.
#[tokio::test]
async fn a_token_posts_a_hundred_at_once_and_the_secret_as_often_as_it_likes() {
    let app = TestApp::alone();
    let conversation = app.conversation().await;
    let post = |bearer: String| {
        let path = format!("/v3/directline/conversations/{}/activities", conversation.id);
        let message = json!({"type": "message", "from": {"id": "ann"}, "text": "Hello?"});
        status(app.request(Method::POST, &path).bearer_auth(bearer).json(&message))
    };
    for at in 0..100 {
        assert_eq!(post(conversation.token.clone()).await, 200, "{at}");
    }
    // While these were posted, the token got further ones: the slower the machine, the more.
    let mut further = 0;
    while post(conversation.token.clone()).await != 429 {
        further += 1;
        assert!(further < 1_000, "a token posts as fast as the line lets it");
    }
    assert_eq!(post(DIRECT_LINE_SECRET.to_owned()).await, 200);
}

/// A key could be guessed at the speed of the line.
#[tokio::test]
async fn an_address_tries_twenty_wrong_keys_in_a_minute_and_a_good_one_is_never_refused() {
    let app = TestApp::alone();
    let list = |key: &str| status(app.request(Method::GET, "/v1/conversations").bearer_auth(key));
    for _ in 0..20 {
        assert_eq!(list("a-key-that-nobody-has").await, 401);
    }
    assert_eq!(list("a-key-that-nobody-has").await, 429);
    assert_eq!(list(API_KEY).await, 200);
    let forged = app.request(Method::POST, "/v3/directline/conversations").bearer_auth("not.a.token");
    assert_eq!(status(forged).await, 429, "one limit for all kinds");
}

/// One visitor of a public page had an answer of 15 MB converted, which took ten seconds and a gigabyte.
#[tokio::test]
async fn the_page_takes_answers_only_where_it_is_told_to_and_none_larger_than_an_activity() {
    let public = on_all_addresses(|_| {});
    let granted: Value = session(&public, "localhost").send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(granted["takesAnswers"], false);
    let answer = |app: &TestApp, token: &Value, text: &str| {
        let body = json!({"answer": {"text": text}});
        let request = app.request(Method::POST, "/page/answers").bearer_auth(token.as_str().expect("a token"));
        request.json(&body).send()
    };
    let refused = answer(&public, &granted["token"], "Hello.").await.expect("an answer");
    assert_eq!(refused.status(), 403);
    assert!(refused.text().await.expect("a problem").contains("page_answers"));
    let app = TestApp::start();
    let granted: Value = session(&app, "localhost").send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(granted["takesAnswers"], true);
    assert_eq!(answer(&app, &granted["token"], "Hello.").await.expect("an answer").status(), 201);
    let long = "[a](".repeat(70_000);
    assert_eq!(answer(&app, &granted["token"], &long).await.expect("an answer").status(), 413);
}

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

/// One key opened everything: Open WebUI, which asks assistants, could read and delete every conversation.
#[tokio::test]
async fn a_key_opens_the_routes_of_its_scopes_and_no_others() {
    let text = |scope: Scope| format!("a-key-with-the-scope-{scope}");
    let app = TestApp::with(|setup| {
        setup.http.limits = LimitOptions::NONE;
        setup.http.keys.extend(Scope::ALL.map(|scope| ApiKey {
            name: scope.to_string(),
            secrets: vec![secret(&text(scope)), secret(&format!("{}-next", text(scope)))],
            scopes: [scope].into(),
        }));
    });
    for route in ROUTES {
        let wanted = match Access::of(route.path) {
            Access::Key(scope) => scope,
            Access::Download => Scope::Answer,
            Access::Metrics => Scope::Metrics,
            Access::Open | Access::DirectLine | Access::Page | Access::Bot => continue,
        };
        for scope in Scope::ALL {
            for key in [text(scope), format!("{}-next", text(scope))] {
                let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
                let request = app.request(method, &route.path.replace("{id}", "c1")).bearer_auth(key);
                let answer = request.send().await.expect("an answer");
                let is_let_in = ![401, 403].contains(&answer.status().as_u16());
                assert_eq!(is_let_in, scope == wanted, "{} {} with {scope}", route.method, route.path);
                if !is_let_in {
                    let words = answer.text().await.expect("a problem");
                    assert!(words.contains(&format!("the API key lacks the scope {wanted}")), "{words}");
                }
            }
        }
    }
}

/// To change the secret ended all tokens at once.
#[tokio::test]
async fn both_secrets_of_direct_line_are_good_and_so_are_the_tokens_of_both() {
    let before = TestApp::start();
    let conversation = before.conversation().await;
    let app = TestApp::going_on(Arc::clone(&before.store), Arc::clone(&before.clock), |setup| {
        setup.http.second_direct_line_secret = Some(setup.http.direct_line_secret.clone());
        setup.http.direct_line_secret = secret("the-next-direct-line-secret");
    });
    assert!(!app.post_text(&conversation, "Still here?").await.is_empty());
    let generate =
        |bearer: &str| app.request(Method::POST, "/v3/directline/tokens/generate").bearer_auth(bearer).send();
    for good in ["the-next-direct-line-secret", DIRECT_LINE_SECRET] {
        assert_eq!(generate(good).await.expect("an answer").status(), 200);
    }
    let granted: Value = generate(DIRECT_LINE_SECRET).await.expect("an answer").json().await.expect("JSON");
    let alone = TestApp::with(|setup| setup.http.direct_line_secret = secret("the-next-direct-line-secret"));
    let start = alone.request(Method::POST, "/v3/directline/conversations");
    let start = start.bearer_auth(granted["token"].as_str().expect("a token"));
    assert_eq!(status(start).await, 201, "what is new is signed with the new secret");
}

/// Browsers guessed what JSON without `nosniff` is, and could keep answers with tokens.
#[tokio::test]
async fn every_answer_forbids_guessing_and_json_is_kept_nowhere() {
    let app = TestApp::with(|setup| setup.http.public_url = "https://bot.example".parse().ok());
    for path in ["/", "/healthz", "/openapi.json", "/page/samples", "/page/page.js", "/nowhere", "/v1/models", "/docs/"]
    {
        let answer = app.request(Method::GET, path).send().await.expect("an answer");
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned());
        assert_eq!(header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert_eq!(header("strict-transport-security").as_deref(), Some("max-age=31536000"), "{path}");
        if header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
            assert_eq!(header("cache-control").as_deref(), Some("no-store"), "{path}");
        }
    }
    let token = app.request(Method::POST, "/v3/directline/tokens/generate").bearer_auth(DIRECT_LINE_SECRET);
    assert_eq!(token.send().await.expect("an answer").headers()["cache-control"], "no-store");
    let plain = TestApp::start();
    let answer = plain.request(Method::GET, "/healthz").send().await.expect("an answer");
    assert!(!answer.headers().contains_key("strict-transport-security"), "no https is known here");
}

/// The description of all routes was there for everybody, and could not be switched off.
#[tokio::test]
async fn without_the_page_there_is_no_description_of_the_routes_either() {
    let app = TestApp::with(|setup| setup.http.page = false);
    for path in ["/", "/page/page.js", "/openapi.json", "/docs", "/docs/"] {
        assert_eq!(status(app.request(Method::GET, path)).await, 404, "{path}");
    }
    assert_eq!(status(app.request(Method::GET, "/healthz")).await, 200);
}

/// Conversions below 256 KiB ran on the worker, so that four of 240 KB held up all other requests of it.
#[tokio::test]
async fn a_large_answer_keeps_no_worker_from_its_other_requests() {
    let app = TestApp::start();
    let body = json!({"text": "[a](".repeat(60_000)}).to_string();
    let convert = || {
        let request = app.request(Method::POST, "/v1/activities").bearer_auth(API_KEY);
        request.header("content-type", "application/json").body(body.clone()).send()
    };
    let mut conversions = std::pin::pin!(futures_util::future::join_all((0..4).map(|_| convert())));
    let mut answered = 0;
    let converted = loop {
        tokio::select! {
            biased;
            converted = &mut conversions => break converted,
            status = status(app.request(Method::GET, "/healthz")) => {
                assert_eq!(status, 200);
                answered += 1;
            }
        }
    };
    assert!(converted.iter().all(|answer| answer.as_ref().is_ok_and(|answer| answer.status() == 200)));
    // On the worker itself, one may come before each conversion, and one after the last.
    assert!(answered > 10, "only {answered} of the other requests were answered meanwhile");
}
