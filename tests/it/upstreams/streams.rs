//! Bodies that arrive oddly: in single bytes, too slowly, without an end, or not to the end.

use citewire::egress::EgressError;
use citewire::upstream::UpstreamError;

use super::model::{Model, Play, Then};
use super::{ask, message, open, promised, read, sample};

const CASE: &str = "native/stream";

async fn http(model: &Model, limits: &str) -> citewire::upstream::Reply {
    let section = format!("url = '{}'\nlimits = {{ {limits} }}", model.url);
    open("http", &section).ask(ask()).await.expect("an answer begins")
}

#[tokio::test]
async fn every_byte_may_be_a_piece_of_its_own() {
    for case in [
        "native/stream",
        "azure-oyd/stream-split",
        "perplexity/search-stream",
        "cohere/rag-stream",
        "native/stream-failed",
    ] {
        let model = Model::playing([Play::events(sample(case)).cut(1)]).await;
        let body = read(http(&model, "").await).await.expect("a whole body");
        assert_eq!(body, sample(case), "{case}");
        assert_eq!(message(&body, None), promised(case), "{case}");
    }
}

#[tokio::test]
async fn a_stall_ends_the_answer_and_keeps_what_came() {
    let half = &sample(CASE)[..200];
    let model = Model::playing([Play::events(half).then(Then::Stall)]).await;
    let (body, error) = read(http(&model, "silence_seconds = 0.1").await).await.expect_err("it stalls");
    assert_eq!(body, half);
    assert!(
        matches!(&error, UpstreamError::Stalled { host, silence } if host == "127.0.0.1" && silence.as_millis() == 100)
    );
    assert_eq!(error.to_string(), "127.0.0.1 sent nothing for 0.1 s");
    model.was_left(1).await;
}

#[tokio::test]
async fn a_connection_that_breaks_ends_the_answer() {
    let half = &sample(CASE)[..200];
    let model = Model::playing([Play::events(half).cut(50).then(Then::Reset)]).await;
    // Bytes that were in flight when the connection broke may be lost.
    let (body, error) = read(http(&model, "").await).await.expect_err("it breaks");
    assert!(half.starts_with(&body));
    assert!(matches!(error, UpstreamError::Egress(EgressError::Broken { .. })), "{error:?}");
    assert_eq!(model.seen().len(), 1, "nothing is repeated once an answer has begun");
}

#[tokio::test]
async fn an_answer_without_an_end_stops_at_the_limit() {
    let model =
        Model::playing([Play::events("data: {\"delta\":\"and so on \"}\n\n".repeat(100)).then(Then::Repeat)]).await;
    let (body, error) = read(http(&model, "max_bytes = 100_000").await).await.expect_err("it is too long");
    assert!(matches!(error, UpstreamError::TooLong { limit: 100_000, .. }), "{error:?}");
    assert!(body.len() <= 100_000);
    model.was_left(1).await;
}

#[tokio::test]
async fn the_sign_of_the_end_is_the_end() {
    for case in ["azure-oyd/stream", "openai-chat/annotations-stream"] {
        let model = Model::playing([Play::events(sample(case)).then(Then::Stall)]).await;
        let body = read(http(&model, "").await).await.expect("it ends by itself");
        assert_eq!(body, sample(case), "{case}");
        model.was_left(1).await;
    }
}

#[tokio::test]
async fn a_reply_that_is_dropped_closes_its_connection() {
    let model =
        Model::playing([Play::events(&sample(CASE)[..100]).then(Then::Stall), Play::nothing(Then::Stall)]).await;
    let mut reply = http(&model, "").await;
    assert!(reply.events.next().await.is_some_and(|events| events.is_ok()));
    drop(reply);
    model.was_left(1).await;
    // The wait is the same while the answer has not begun.
    let upstream = open("http", &format!("url = '{}'", model.url));
    let asking = upstream.ask(ask());
    let gone = async {
        while model.seen().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = asking => panic!("nothing is said"),
        () = gone => {}
    }
    model.was_left(2).await;
}
