//! One question that goes wrong: what its user reads, what the log says, and that the next question is answered.

use std::sync::Arc;

use citewire::assistant::Assistants;
use citewire::egress::{AddressKind, EgressError};
use citewire::upstream::{Upstream, UpstreamError};
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::sync::Barrier;

use super::scene::{
    BROKE_OFF, BUSY, FAILURE, HALF, Outcome, QUESTION, REFUSAL, Scene, delta, events, good, half, http, team,
};
use crate::app::Backend;
use crate::upstreams::model::{Model, Play, Then};
use crate::upstreams::{KEY, open};

/// The outcome of a question when a service plays this, and then answers.
async fn after(play: Play, limits: &str) -> Outcome {
    let model = Model::playing([play, good()]).await;
    let mut scene = Scene::new(team(http(&model.url, limits), |_| {})).await;
    scene.ask(QUESTION).await;
    scene.outcome().await
}

/// The question is answered with these words in place of an answer, and the log says this.
fn unanswered(outcome: &Outcome, words: &str, log: &str) {
    assert_eq!(outcome.said, [words]);
    let is_informative = |shown: &Value| shown["channelData"]["streamType"] == "informative";
    assert!(outcome.shown.iter().all(is_informative), "nothing of an answer: {:?}", outcome.shown);
    assert!(outcome.log.contains("WARN") && outcome.log.contains("a question got no answer"), "{}", outcome.log);
    assert!(outcome.log.contains(log) && outcome.log.contains("upstream.host=\"127.0.0.1\""), "{}", outcome.log);
}

/// The question has half an answer, with a note behind it, and the log says this.
fn incomplete(outcome: &Outcome, log: &str) {
    assert_eq!(outcome.said, [HALF, BROKE_OFF]);
    assert!(outcome.log.contains("WARN") && outcome.log.contains("an answer is incomplete"), "{}", outcome.log);
    assert!(outcome.log.contains(log) && outcome.log.contains("upstream.host=\"127.0.0.1\""), "{}", outcome.log);
}

#[tokio::test]
async fn a_refusal_is_an_apology_and_the_log_has_its_words_without_key_and_question() {
    for status in [401, 404, 500] {
        let words = json!({"error": {"message": format!("Bad key {KEY} for: {QUESTION} Ask the owner.")}});
        let outcome = after(Play::json(&words).status(status), "").await;
        let log = format!("127.0.0.1 answered with status {status}: Bad key **** for: **** Ask the owner.");
        unanswered(&outcome, FAILURE, &log);
    }
    let outcome = after(Play::of("text/html", "<html>500</html>").status(500), "").await;
    unanswered(&outcome, FAILURE, "127.0.0.1 answered with status 500\"");
}

#[tokio::test]
async fn who_is_too_busy_is_asked_again_later() {
    let play = Play::json(&json!({"error": "slow down"})).status(429).header("retry-after: 120");
    let log = "127.0.0.1 answered with status 429: slow down; it asks to wait 120 s";
    unanswered(&after(play, "").await, BUSY, log);
    for status in [503, 529] {
        let play = Play::json(&json!({})).status(status);
        let log = format!("127.0.0.1 answered with status {status}");
        unanswered(&after(play, "retries = 0").await, BUSY, &log);
    }
}

#[tokio::test]
async fn a_page_is_an_apology_whatever_it_says_it_is() {
    let page = || format!("<html>{QUESTION} {KEY}</html>");
    let outcome = after(Play::of("text/html", page()), "").await;
    unanswered(&outcome, FAILURE, "127.0.0.1 answered with text/html where JSON or an event stream was expected");
    unanswered(&after(Play::of("text/plain", page()), "").await, FAILURE, "error=\"");
    unanswered(&after(Play::events(page()), "").await, FAILURE, "error=\"");
}

/// The needle has letters that no hexadecimal id has: `abc`, which stood here, is in one conversation's id out of 140.
#[tokio::test]
async fn a_redirect_is_an_apology_wherever_it_leads() {
    const SECRET: &str = "query-not-for-the-log";
    for (to, host) in [
        ("https://login.contoso.example/?next=", "login.contoso.example"),
        ("http://169.254.169.254/latest?token=", "169.254.169.254"),
    ] {
        let play = Play::of("text/plain", "").status(307).header(&format!("location: {to}{SECRET}"));
        let outcome = after(play, "").await;
        unanswered(&outcome, FAILURE, &format!("it redirects to {host}; redirects are not followed"));
        assert!(!outcome.log.contains(SECRET), "{}", outcome.log);
    }
}

#[tokio::test]
async fn a_compressed_answer_is_an_apology() {
    let outcome = after(good().header("content-encoding: gzip"), "").await;
    unanswered(&outcome, FAILURE, "the answer of 127.0.0.1 has the encoding gzip");
}

#[tokio::test]
async fn who_says_nothing_in_time_is_an_apology() {
    for silent in [Play::nothing(Then::Stall), Play::events("").then(Then::Stall)] {
        let outcome = after(silent, "first_byte_seconds = 0.2").await;
        unanswered(&outcome, FAILURE, "127.0.0.1 sent nothing for 0.2 s");
    }
}

#[tokio::test]
async fn who_cannot_be_reached_is_an_apology_until_he_can() {
    let silent = TcpSocket::new_v4().expect("a socket");
    silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let mut scene = Scene::new(team(http(&url, ""), |_| {})).await;
    scene.ask(QUESTION).await;
    scene.until_message().await;
    let _model = Model::at(silent.listen(8).expect("a listener"), [good()]);
    unanswered(&scene.outcome().await, FAILURE, "cannot connect to 127.0.0.1: ");
}

/// Asks an assistant that can never be answered, and puts another in its place for the next question.
async fn replaced(upstream: Arc<dyn Upstream>, ask: impl AsyncFnOnce(&mut Scene)) -> Outcome {
    let model = Model::playing([good()]).await;
    let mut scene = Scene::new(team(upstream, |_| {})).await;
    scene.ask(QUESTION).await;
    ask(&mut scene).await;
    scene.until_message().await;
    Assistants::replace(&scene.assistants, team(http(&model.url, ""), |_| {}));
    scene.outcome().await
}

#[tokio::test]
async fn a_name_that_leads_nowhere_is_an_apology() {
    // A label of a name has at most 63 letters, so that no name server is asked for this one.
    let host = format!("{}.example", "x".repeat(70));
    let outcome = replaced(http(&format!("http://{host}/ask"), ""), async |_| {}).await;
    assert_eq!(outcome.said, [FAILURE]);
    assert!(outcome.log.contains(&format!("the name {host} cannot be found")), "{}", outcome.log);
}

#[tokio::test]
async fn a_name_that_leads_inside_is_an_apology() {
    let backend = Backend::new();
    let asked = Arc::clone(&backend);
    let outcome = replaced(backend, async move |_| {
        let (host, address) = ("rag.contoso.example".to_owned(), [10, 0, 0, 7].into());
        let refused = EgressError::Refused { host, address, kind: AddressKind::Private };
        asked.asked().await.fail(UpstreamError::from(refused));
    })
    .await;
    assert_eq!(outcome.said, [FAILURE]);
    assert!(outcome.log.contains("rag.contoso.example leads to 10.0.0.7, a private address"), "{}", outcome.log);
    assert!(outcome.log.contains("egress.allow_hosts"), "the log says what to do: {}", outcome.log);
}

#[tokio::test]
async fn garbage_is_an_apology() {
    let garbage: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    for content_type in ["application/json", "text/event-stream"] {
        unanswered(&after(Play::of(content_type, garbage.clone()), "").await, FAILURE, "error=\"");
    }
    // A parser repeats a part of an answer that it cannot read, which must not reach the log.
    for body in [
        json!({"text": "x", "sources": HALF}),
        json!({"choices": format!("{HALF} {QUESTION}")}),
        json!({"error": {"message": format!("{KEY} {QUESTION}")}}),
    ] {
        unanswered(&after(Play::json(&body), "").await, FAILURE, "error=\"");
    }
}

#[tokio::test]
async fn an_answer_without_words_is_an_apology() {
    let empty = events(&[json!({"done": true})]);
    let blank = events(&[delta(" \n"), json!({"done": true})]);
    for body in [empty, blank] {
        unanswered(&after(Play::events(body), "").await, FAILURE, "the answer is empty");
    }
    unanswered(&after(Play::events(""), "").await, FAILURE, "error=\"");
    unanswered(
        &after(Play::events(events(&[delta("\n")])), "").await,
        FAILURE,
        "the answer ended without its end marker",
    );
    let error = json!({"error": {"code": "overloaded", "message": format!("Not {QUESTION}, with {KEY}!")}});
    for first in [vec![error.clone()], vec![delta("\n"), error]] {
        unanswered(&after(Play::events(events(&first)), "").await, FAILURE, "overloaded: Not ****, with ****!");
    }
}

#[tokio::test]
async fn an_answer_that_falls_silent_is_kept_as_far_as_it_came() {
    let outcome = after(Play::events(half()).then(Then::Stall), "silence_seconds = 0.2").await;
    incomplete(&outcome, "127.0.0.1 sent nothing for 0.2 s");
}

#[tokio::test]
async fn an_answer_that_breaks_is_kept_as_far_as_it_was_shown() {
    let seen = Arc::new(Barrier::new(2));
    let model = Model::playing([Play::events(half()).held(&seen, "").then(Then::Reset), good()]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
    scene.ask(QUESTION).await;
    scene.until_shown().await;
    seen.wait().await;
    incomplete(&scene.outcome().await, "the connection to 127.0.0.1 broke off: ");
}

#[tokio::test]
async fn an_answer_without_its_end_is_kept() {
    incomplete(&after(Play::events(half()), "").await, "the answer ended without its end marker");
}

#[tokio::test]
async fn an_answer_that_never_ends_is_kept_up_to_the_limit() {
    let endless = Play::events(events(&[delta("and so on ")])).then(Then::Repeat);
    let outcome = after(endless, "max_bytes = 20_000").await;
    assert!(outcome.said[0].starts_with("and so on and so on ") && outcome.said[0].len() < 20_000);
    assert_eq!(outcome.said[1..], [BROKE_OFF]);
    assert!(outcome.log.contains("the answer of 127.0.0.1 is longer than 20000 bytes"), "{}", outcome.log);
}

#[tokio::test]
async fn a_providers_own_error_in_the_middle_keeps_what_came() {
    let words = format!("No more for {KEY}: {QUESTION}");
    let error = json!({"error": {"code": "rate_limit_exceeded", "message": words}});
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": HALF}}]});
    let model = Model::playing([Play::events(events(&[chunk, error.clone()])), good()]).await;
    let section = format!("url = '{}'\nmodel = 'm'\nkey_env = 'MODEL_KEY'\nfrom = 'auto'", model.url);
    let mut scene = Scene::new(team(open("openai", &section), |_| {})).await;
    scene.ask(QUESTION).await;
    let log = "the back end reported an error: rate_limit_exceeded: No more for ****: ****";
    incomplete(&scene.outcome().await, log);
    incomplete(&after(Play::events(events(&[delta(HALF), error])), "").await, log);
}

#[tokio::test]
async fn garbage_in_the_middle_leaves_no_half_bubble() {
    let seen = Arc::new(Barrier::new(2));
    let garbage = [b"data: {\"delta\": [\"".as_slice(), HALF.as_bytes(), b"\"]}\n\n\xff\xfe\x00 nothing\n\n"].concat();
    let model = Model::playing([Play::events(half()).held(&seen, garbage), good()]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
    scene.ask(QUESTION).await;
    scene.until_shown().await;
    seen.wait().await;
    let outcome = scene.outcome().await;
    // An unreadable event makes the whole of it unusable, as it does for an answer that is not streamed.
    assert_eq!((outcome.said.as_slice(), outcome.shown.len()), ([FAILURE.to_owned()].as_slice(), 2));
    assert!(outcome.log.contains("event 2 at line 3: /delta: invalid type: sequence"), "{}", outcome.log);
}

#[tokio::test]
async fn an_event_of_ten_megabytes_is_an_answer_or_an_apology_as_the_limit_says() {
    let long = events(&[delta(&format!("{HALF} ").repeat(1024 * 1024)), json!({"done": true})]);
    let outcome = after(Play::events(long.clone()), "max_bytes = 1_000_000").await;
    unanswered(&outcome, FAILURE, "the answer of 127.0.0.1 is longer than 1000000 bytes");
    let model = Model::playing([Play::events(long)]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
    scene.ask(QUESTION).await;
    let message = scene.first_message().await;
    let length = message["text"].as_str().map(str::len);
    assert!(length.is_some_and(|length| (1_048_000..=1_048_576).contains(&length)), "{length:?}");
}

#[tokio::test]
async fn an_answer_without_required_grounding_is_refused_while_it_comes() {
    let model = Model::playing([Play::events(events(&[delta(HALF), json!({"done": true})])), good()]).await;
    let team = team(http(&model.url, ""), |options| {
        options.convert = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
    });
    let mut scene = Scene::new(team).await;
    scene.ask(QUESTION).await;
    let outcome = scene.outcome().await;
    assert_eq!(outcome.said, [REFUSAL]);
    assert!(!format!("{:?}", outcome.shown).contains(HALF), "{:?}", outcome.shown);
    assert!(outcome.log.contains("INFO") && outcome.log.contains("an answer was refused"), "{}", outcome.log);
    assert!(outcome.log.contains("grounding is required"), "{}", outcome.log);
}
