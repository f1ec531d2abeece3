//! A reader that connects again and again, each time to any node, behind what it has read.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use super::history::{Reading, place_of};
use super::node::Chat;
use super::stage::{CALL, Shared};
use crate::app::Dice;

/// The time after which a silent connection is given up: its node may be gone without a word.
const SILENCE: Duration = Duration::from_secs(4);

/// The pause before a reader that found no node tries again.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest time after the last record within which a reader must have read everything.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Reader {
    number: usize,
    chat: Chat,
    dice: Dice,
    shared: Arc<Shared>,
    /// The place of what it has to read next.
    next: u64,
}

impl Reader {
    pub(super) fn new(number: usize, chat: Chat, dice: Dice, shared: Arc<Shared>) -> Self {
        Self { number, chat, dice, shared, next: 0 }
    }

    /// Reads until it has reached the goal.
    pub(super) async fn run(mut self) {
        let mut late: Option<Instant> = None;
        loop {
            let reading = self.read().await;
            let Some(reading) = reading else {
                sleep(PAUSE).await;
                continue;
            };
            let is_last = reading.until.is_some();
            self.shared.readings.lock().expect("no panic").push(reading);
            if is_last {
                return;
            }
            if self.goal().is_some() {
                let late = late.get_or_insert_with(Instant::now).elapsed();
                assert!(late < PATIENCE, "reader {} has read only {} of {:?}", self.number, self.next, self.goal());
            }
        }
    }

    fn goal(&self) -> Option<u64> {
        self.shared.goals.borrow().get(&self.chat.id).copied()
    }

    /// Reads over one connection; `None` without one.
    async fn read(&mut self) -> Option<Reading> {
        let door = self.shared.doors.any(&mut self.dice);
        let after = self.next.checked_sub(1);
        let url = timeout(CALL, door.stream_url(&self.chat, after)).await.ok()?.ok()?;
        let (mut socket, _) = timeout(SILENCE, connect_async(&url)).await.ok()?.ok()?;
        let mut reading =
            Reading { reader: self.number, conversation: self.chat.id.clone(), after, frames: Vec::new(), until: None };
        let mut open = BTreeSet::new();
        // Some readers go before they have to.
        let most = 20 + usize::try_from(self.dice.below(400)).expect("small");
        let mut goals = self.shared.goals.subscribe();
        while reading.frames.len() < most || self.goal().is_some() {
            if self.goal() == Some(self.next) && open.is_empty() {
                reading.until = Some(self.next);
                break;
            }
            let message = tokio::select! {
                message = timeout(SILENCE, socket.next()) => message,
                _ = goals.changed() => continue,
            };
            let Ok(Some(Ok(message))) = message else { break };
            let Message::Text(message) = message else { continue };
            if !message.is_empty() {
                let set: Value = serde_json::from_str(&message).expect("JSON");
                for activity in set["activities"].as_array().expect("activities") {
                    self.seen(activity, &mut open);
                    reading.frames.push(activity.clone());
                }
            }
        }
        Some(reading)
    }

    fn seen(&mut self, activity: &Value, open: &mut BTreeSet<String>) {
        if let Some(place) = place_of(activity["id"].as_str().expect("an id")) {
            self.next = place + 1;
            if let Some(question) = activity["replyToId"].as_str() {
                self.shared.answered.send_modify(|answered| {
                    answered.insert(question.to_owned());
                });
            }
        }
        let data = &activity["channelData"];
        let Some(stream) = data["streamId"].as_str() else { return };
        match data["streamType"].as_str() {
            Some("final") => open.remove(stream),
            Some(_) | None => open.insert(stream.to_owned()),
        };
    }
}
