//! Statements that a node sends to its database.

use std::time::Duration;

use tokio::time::Instant;

use super::model::Model;
use super::node::Cluster;
use super::together::text;
use crate::postgres::{Database, Proxy};

const STREAMS: usize = 12;

const PIECES: usize = 20;

/// The statements of an idle node in a second, twice over.
const IDLE: f64 = 10.0;

#[tokio::test]
async fn the_pieces_of_livestreams_cost_no_statements() {
    let (database, proxy, model) = (Database::new().await, Proxy::start().await, Model::start().await);
    let node = Cluster::over(&database.at(&proxy.hosts)).asking(&model.url).start().await;
    let mut streams = Vec::new();
    for number in 0..STREAMS {
        let chat = node.open_chat().await;
        let mut socket = node.socket(&chat, None).await;
        node.say(&chat, &number.to_string()).await;
        let mut asked = model.asked().await;
        asked.begin().await;
        asked.say("so").await;
        while text(&socket.activity().await) != "so" {}
        streams.push((asked, socket));
    }
    let (begun, before) = (Instant::now(), proxy.statements());
    assert!(before > STREAMS, "{before} statements are counted");
    let mut shown = "so".to_owned();
    for _ in 0..PIECES {
        for (asked, _) in &mut streams {
            asked.say(" on").await;
        }
        shown.push_str(" on");
        for (_, socket) in &mut streams {
            while text(&socket.activity().await) != shown {}
        }
    }
    let (statements, elapsed) = (proxy.statements() - before, begun.elapsed());
    // On a busy machine the last statements that begin an answer are sent while pieces are counted already. If every fourth piece
    // sent a statement, there would be more than these.
    let beginnings = 2.0 * STREAMS as f64;
    let most = beginnings + IDLE * (elapsed + Duration::from_secs(1)).as_secs_f64();
    assert!((statements as f64) < most, "{statements} statements for {} pieces in {elapsed:?}", STREAMS * PIECES);
}
