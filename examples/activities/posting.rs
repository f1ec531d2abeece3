//! What Teams does: a message at its time, and how long until the bot has taken it.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};

/// So many conversations take turns, so that none of them has to wait for its own answer at any rate that a bot keeps.
const CONVERSATIONS: usize = 5000;

/// A message that was taken.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) at: Instant,
    /// How long the bot took to say so.
    pub(crate) acknowledged: Duration,
}

/// Posts so many messages at this rate, and gives when each of them was posted.
#[expect(clippy::disallowed_methods, reason = "a measurement calls nobody but a server on this machine")]
pub(crate) async fn post(server: &str, service_url: &str, rate: usize, count: usize) -> anyhow::Result<Vec<Posted>> {
    let client = reqwest::Client::new();
    let address = format!("{server}/api/messages");
    let begun = tokio::time::Instant::now();
    let mut posting = Vec::with_capacity(count);
    for number in 0..count {
        tokio::time::sleep_until(begun + Duration::from_secs_f64(number as f64 / rate as f64)).await;
        let request = client.post(&address).json(&message(number, service_url));
        posting.push(actix_web::rt::spawn(async move {
            let at = Instant::now();
            let response = request.send().await?;
            ensure!(response.status().is_success(), "the bot answered {}", response.status());
            response.bytes().await?;
            Ok(Posted { at, acknowledged: at.elapsed() })
        }));
    }
    let mut posted = Vec::with_capacity(count);
    for each in posting {
        posted.push(each.await??);
    }
    Ok(posted)
}

/// A question in a group chat, where an answer is one message.
fn message(number: usize, service_url: &str) -> Value {
    let conversation = format!("19:chat{}@thread.v2", number % CONVERSATIONS);
    json!({
        "type": "message",
        "id": format!("a{number}"),
        "channelId": "msteams",
        "serviceUrl": service_url,
        "timestamp": "2026-01-01T00:00:00Z",
        "locale": "en-US",
        "textFormat": "plain",
        "text": "<at>Handbook</at> How many days of annual leave are there?",
        "from": {"id": "29:ann", "name": "Ann", "aadObjectId": "6b0e1d2c-0000-4000-8000-000000000001"},
        "recipient": {"id": "28:handbook", "name": "Handbook"},
        "conversation": {
            "id": conversation,
            "isGroup": true,
            "conversationType": "groupChat",
            "tenantId": "6b0e1d2c-0000-4000-8000-000000000002",
        },
        "channelData": {"tenant": {"id": "6b0e1d2c-0000-4000-8000-000000000002"}},
        "entities": [{
            "type": "mention",
            "text": "<at>Handbook</at>",
            "mentioned": {"id": "28:handbook", "name": "Handbook"},
        }],
    })
}
