//! Back ends that refuse, or answer with what is no answer.

use std::time::Duration;

use chrono::{DateTime, Utc};
use citewire::clock::Clock as _;
use citewire::egress::EgressError;
use citewire::upstream::{UpstreamError, UpstreamOptions};
use serde_json::json;
use tokio::net::TcpSocket;

use super::model::{Model, Play, Then};
use super::{KEY, SEARCH_KEY, ask, clock, open, read, sample, try_open};

/// The outcome of a question when the model plays this; the number of calls, and the time that was waited in between.
async fn outcome(plays: Vec<Play>, more: &str) -> (Result<Vec<u8>, UpstreamError>, usize, Duration) {
    let model = Model::playing(plays).await;
    let clock = clock();
    let section = format!("url = '{}'\nmodel = 'm'\nkey_env = 'MODEL_KEY'\nfrom = 'citewire'\n{more}", model.url);
    let upstream = try_open("openai", &section, clock.clone()).expect("a back end");
    let start: DateTime<Utc> = clock.now();
    let outcome = match upstream.ask(ask()).await {
        Ok(reply) => Ok(read(reply).await.expect("a whole body")),
        Err(error) => Err(error),
    };
    let waited = (clock.now() - start).to_std().expect("time goes on");
    (outcome, model.seen().len(), waited)
}

async fn refused(play: Play) -> (UpstreamError, usize) {
    let (outcome, calls, _) = outcome(vec![play], "limits = { retries = 0 }").await;
    (outcome.expect_err("refused"), calls)
}

fn good() -> Play {
    Play::events(sample("native/stream"))
}

#[tokio::test]
async fn a_refusal_names_the_status_and_the_words_without_the_key() {
    for status in [400, 401, 403, 404, 429, 500, 503] {
        let body = json!({"error": {"message": format!("Incorrect key:\n{KEY}. {}", "x".repeat(400)), "code": "bad"}});
        let (error, _) = refused(Play::json(&body).status(status)).await;
        let UpstreamError::Status { host, status: told, message, retry_after } = &error else { panic!("{error:?}") };
        assert_eq!((host.as_str(), *told, *retry_after), ("127.0.0.1", status, None));
        assert!(message.starts_with("Incorrect key: ****. xxx") && message.chars().count() == 301, "{message}");
        assert!(
            error.to_string().starts_with(&format!("127.0.0.1 answered with status {status}: Incorrect")),
            "{error}"
        );
    }
    let (error, _) = refused(Play::of("text/html", "<html>Forbidden</html>").status(403)).await;
    assert_eq!(error.to_string(), "127.0.0.1 answered with status 403");
}

#[tokio::test]
async fn only_what_may_pass_is_repeated() {
    for status in [400, 401, 403, 404, 500] {
        let (outcome, calls, _) = outcome(vec![Play::json(&json!({})).status(status), good()], "").await;
        assert!(
            outcome.is_err_and(|error| matches!(error, UpstreamError::Status { status: told, .. } if told == status))
        );
        assert_eq!(calls, 1, "{status}");
    }
    for status in [429, 502, 503, 504, 529] {
        let (outcome, calls, waited) = outcome(vec![Play::json(&json!({})).status(status), good()], "").await;
        assert_eq!((outcome.ok(), calls), (Some(sample("native/stream")), 2), "{status}");
        assert!(waited >= Duration::from_millis(250) && waited <= Duration::from_millis(500), "{waited:?}");
    }
    for broken in [Then::End, Then::Reset] {
        let (outcome, calls, _) = outcome(vec![Play::nothing(broken), Play::nothing(broken), good()], "").await;
        assert_eq!((outcome.ok(), calls), (Some(sample("native/stream")), 3));
    }
}

#[tokio::test]
async fn two_repetitions_are_enough() {
    let (outcome, calls, _) = outcome(vec![Play::json(&json!({"message": "busy"})).status(503); 4], "").await;
    assert_eq!(
        (outcome.expect_err("refused").to_string().as_str(), calls),
        ("127.0.0.1 answered with status 503: busy", 3)
    );
}

#[tokio::test]
async fn retry_after_is_honoured_in_both_forms_and_up_to_a_limit() {
    for (value, seconds) in [("3", 3), ("Sun, 22 Nov 2026 10:00:07 GMT", 7), ("0", 0)] {
        let busy = Play::json(&json!({})).status(429).header(&format!("retry-after: {value}"));
        let (outcome, calls, waited) = outcome(vec![busy, good()], "").await;
        assert_eq!((outcome.is_ok(), calls, waited), (true, 2, Duration::from_secs(seconds)), "{value}");
    }
    for value in ["11", "Sun, 22 Nov 2026 10:01:00 GMT"] {
        let busy = Play::json(&json!({})).status(429).header(&format!("retry-after: {value}"));
        let (outcome, calls, waited) = outcome(vec![busy, good()], "").await;
        let asked = match outcome {
            Err(UpstreamError::Status { status: 429, retry_after, .. }) => retry_after,
            other => panic!("{other:?}"),
        };
        assert!(asked.is_some_and(|asked| asked > Duration::from_secs(10)));
        assert_eq!((calls, waited), (1, Duration::ZERO));
    }
}

#[tokio::test]
async fn a_page_is_no_answer() {
    let (error, _) = refused(Play::of("text/html; charset=utf-8", "<html>Sign in</html>")).await;
    let expected = "127.0.0.1 answered with text/html; charset=utf-8 where JSON or an event stream was expected";
    assert_eq!((error.to_string().as_str(), matches!(error, UpstreamError::ContentType { .. })), (expected, true));
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_told_by_its_host_alone() {
    let inside = Play::of("text/plain", "").status(307).header("location: http://169.254.169.254/latest?token=abc");
    let (error, calls) = refused(inside).await;
    let expected = "127.0.0.1 answered with status 307: it redirects to 169.254.169.254; redirects are not followed";
    assert_eq!((error.to_string().as_str(), calls), (expected, 1));
    let (error, _) = refused(Play::of("text/plain", "").status(302)).await;
    assert!(error.to_string().contains("it redirects to nowhere"), "{error}");
}

#[tokio::test]
async fn a_compressed_answer_is_not_read() {
    // A body that says that it unfolds to very much is not read.
    let bomb = good().header("content-encoding: gzip");
    let (error, _) = refused(bomb).await;
    assert_eq!(
        error.to_string(),
        "the answer of 127.0.0.1 has the encoding gzip; citewire reads only answers without encoding"
    );
    assert!(matches!(error, UpstreamError::Egress(EgressError::Encoded { .. })));
}

#[tokio::test]
async fn who_says_nothing_at_all_is_not_waited_for() {
    let (outcome, calls, _) =
        outcome(vec![Play::nothing(Then::Stall), good()], "limits = { first_byte_seconds = 0.1 }").await;
    assert!(
        matches!(outcome, Err(UpstreamError::Stalled { silence, .. }) if silence.as_millis() == 100),
        "{outcome:?}"
    );
    assert_eq!(calls, 1);
    let headers_alone = Play::events("").then(Then::Stall);
    let (outcome, _, _) = super::failures::outcome(vec![headers_alone], "limits = { first_byte_seconds = 0.1 }").await;
    assert!(matches!(outcome, Err(UpstreamError::Stalled { .. })), "{outcome:?}");
}

#[tokio::test]
async fn nobody_there_is_told_after_the_repetitions() {
    let silent = TcpSocket::new_v4().expect("a socket");
    silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let clock = clock();
    let start = clock.now();
    let upstream = try_open("http", &format!("url = '{url}'"), clock.clone()).expect("a back end");
    let error = upstream.ask(ask()).await.expect_err("nobody is there");
    assert!(matches!(error, UpstreamError::Egress(EgressError::Connect { .. })), "{error:?}");
    let waited = clock.now() - start;
    assert!(
        waited >= chrono::Duration::milliseconds(750) && waited <= chrono::Duration::milliseconds(1500),
        "{waited}"
    );
}

#[tokio::test]
async fn garbage_is_handed_on_and_what_cannot_be_read_says_so() {
    let garbage: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let model = Model::playing([Play::of("application/json", garbage.clone()), Play::events(garbage.clone())]).await;
    let section = format!("url = '{}'\nmodel = 'm'", model.url);
    let body = read(open("openai", &section).ask(ask()).await.expect("an answer")).await.expect("a body");
    assert_eq!(body, garbage);
    // Where passages were given, the answer is incomplete and its error says why.
    let mut ask = ask();
    ask.sources = citewire::ingest::retrieved(b"[{\"content\": \"x\"}]").expect("sources").sources;
    let body = read(open("openai", &section).ask(ask).await.expect("an answer")).await.expect("a body");
    let events = super::events(&body);
    assert_eq!((events.len(), events[1]["error"]["code"].as_str()), (2, Some("unreadable")));
}

#[test]
fn keys_are_nowhere_to_be_seen() {
    let azure = "endpoint = 'https://x.openai.azure.com'\ndeployment = 'd'\nkey_env = 'MODEL_KEY'\n\
                 search_endpoint = 'https://s.example'\nsearch_key_env = 'SEARCH_KEY'\nindex = 'i'";
    let shown = format!("{:?}", open("azure", azure));
    assert!(!shown.contains(KEY) && !shown.contains(SEARCH_KEY), "{shown}");
    let shown = format!("{:?}", open("http", "url = 'https://x.example/?code=abc'\nkey_env = 'MODEL_KEY'"));
    assert!(!shown.contains(KEY) && !shown.contains("code=abc"), "{shown}");
}

#[test]
fn every_fault_of_a_section_names_its_key() {
    let faults = |kind: &str, section: &str| -> Vec<String> {
        let faults = try_open(kind, section, clock()).expect_err("faults");
        faults.iter().map(ToString::to_string).collect()
    };
    let one = |kind: &str, section: &str| faults(kind, section).remove(0);
    assert!(one("bedrock", "").starts_with("kind: unknown kind of back end \"bedrock\"; known kinds: openai, azure"));
    assert!(one("openai", "").contains("`model`"));
    assert!(
        one("openai", "model = 'm'\nkey = 'sk-secret'").contains("key")
            && !one("openai", "model = 'm'\nkey = 'sk-secret'").contains("sk-secret")
    );
    assert!(one("openai", "model = 5").starts_with("model: expected a string"));
    assert!(one("openai", "model = 'm'\nurl = 'https://me:pw@x.example'").starts_with("url: an http or https URL"));
    assert!(one("openai", "model = 'm'\nlimits = { retries = -1 }").starts_with("limits.retries: "));
    assert!(one("openai", "model = 'm'\nfrom = 'nobody'").starts_with("from: unknown format"));
    assert!(one("anthropic", "model = 'm'\nsources = { style = 'x' }").starts_with("sources.style: "));
    assert!(!one("openai", "model = 'm'\nlimits = 'sk-secret'").contains("sk-secret"));
    let azure = "endpoint = 'https://x.openai.azure.com'\ndeployment = ' '\nkey_env = 'NO_KEY'\nlimits = { retries = 99 }\n\
                 headers = { Authorization = 'sk-secret' }";
    let all = faults("azure", azure);
    let named =
        ["deployment: ", "key_env: ", "headers.Authorization: ", "search_endpoint: ", "index: ", "limits.retries: "];
    assert_eq!(all.len(), named.len(), "{all:#?}");
    for (fault, name) in all.iter().zip(named) {
        assert!(fault.starts_with(name) && !fault.contains("sk-secret"), "{fault}");
    }
}

#[test]
fn every_kind_is_known_by_its_name() {
    for kind in UpstreamOptions::KINDS {
        let fault = UpstreamOptions::read(kind, toml::Table::new()).expect_err("something is always needed");
        assert!(!fault.to_string().starts_with("kind"), "{kind}: {fault}");
    }
}
