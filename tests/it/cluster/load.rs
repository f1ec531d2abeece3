//! Clients that post, ask and read at all nodes while these come and go, and write down what they see.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::history::{Call, History, Outcome, place_of};
use super::node::{Chat, Door};
use super::reader::Reader;
use super::stage::{CALL, Doors, Shared};
use crate::app::Dice;

/// Between two posts of a client.
const PACE: Duration = Duration::from_millis(20);

/// The longest wait for everything that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The clients that post in each conversation, besides one that asks.
const POSTERS: usize = 2;

/// The clients that read in each conversation.
const READERS: usize = 2;

/// Clients at work.
pub(crate) struct Load {
    shared: Arc<Shared>,
    chats: Vec<Chat>,
    writing: JoinSet<()>,
    reading: JoinSet<()>,
}

impl Load {
    /// Starts conversations and their clients, who do the same for the same seed as far as the nodes let them.
    pub(crate) async fn start(doors: Doors, conversations: usize, dice: &mut Dice) -> Self {
        let shared = Arc::new(Shared::new(doors.clone()));
        let (mut chats, mut writing, mut reading) = (Vec::new(), JoinSet::new(), JoinSet::new());
        for number in 0..conversations {
            let chat = doors.any(dice).open_chat().await;
            for client in 0..=POSTERS {
                let client = Client {
                    number: number * 10 + client,
                    asks: client == POSTERS,
                    chat: chat.clone(),
                    dice: Dice(dice.below(u64::MAX)),
                    shared: Arc::clone(&shared),
                };
                writing.spawn(client.run());
            }
            for reader in 0..READERS {
                let dice = Dice(dice.below(u64::MAX));
                let reader = Reader::new(number * 10 + reader, chat.clone(), dice, Arc::clone(&shared));
                reading.spawn(reader.run());
            }
            chats.push(chat);
        }
        Self { shared, chats, writing, reading }
    }

    /// Waits until this many more posts are acknowledged.
    pub(crate) async fn progress(&self, more: u64) {
        let mut acknowledged = self.shared.acknowledged.subscribe();
        let goal = *acknowledged.borrow() + more;
        let reached = timeout(PATIENCE, acknowledged.wait_for(|now| *now >= goal)).await;
        reached.expect("posts are acknowledged in time").expect("the clients live");
    }

    /// Ends when all questions are answered and all readers have read everything: with what has happened.
    pub(crate) async fn finish(mut self, door: &Door) -> History {
        self.shared.stop.cancel();
        while let Some(ended) = self.writing.join_next().await {
            ended.expect("a client ends well");
        }
        for chat in &self.chats {
            let log = timeout(PATIENCE, answered(door, chat)).await;
            let log = log.unwrap_or_else(|_| panic!("questions are not answered in time in {}", chat.id));
            self.shared.goals.send_modify(|goals| {
                goals.insert(chat.id.clone(), log.len() as u64);
            });
        }
        while let Some(ended) = self.reading.join_next().await {
            ended.expect("a reader ends well");
        }
        let mut logs = BTreeMap::new();
        for chat in &self.chats {
            logs.insert(chat.id.clone(), door.log(chat).await);
        }
        let calls = std::mem::take(&mut *self.shared.calls.lock().expect("no panic"));
        let readings = std::mem::take(&mut *self.shared.readings.lock().expect("no panic"));
        History { calls, readings, logs }
    }
}

/// The log, once each question in it has an answer.
async fn answered(door: &Door, chat: &Chat) -> Vec<Value> {
    loop {
        let log = door.log(chat).await;
        let replies: BTreeSet<&str> = log.iter().filter_map(|activity| activity["replyToId"].as_str()).collect();
        let mut questions = log.iter().filter(|said| said["type"] == "message" && said["from"]["role"] != "bot");
        if questions.all(|question| replies.contains(question["id"].as_str().expect("an id"))) {
            return log;
        }
        sleep(PACE).await;
    }
}

/// One who posts events as fast as is polite, or asks one question after the other.
struct Client {
    number: usize,
    asks: bool,
    chat: Chat,
    dice: Dice,
    shared: Arc<Shared>,
}

impl Client {
    async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        while !shared.stop.is_cancelled() {
            let number = shared.texts.fetch_add(1, Ordering::Relaxed);
            let text = format!("{}.{number}?", self.number);
            let mut outcome = self.post(&text).await;
            // A client that asks gives its posts an id, by which they can be repeated at any node.
            while self.asks && outcome == Outcome::Doubtful {
                sleep(PACE).await;
                outcome = match self.post(&text).await {
                    Outcome::Refused => Outcome::Doubtful,
                    outcome @ (Outcome::Acknowledged(_) | Outcome::Doubtful) => outcome,
                };
            }
            let call = Call { client: self.number, conversation: self.chat.id.clone(), text, asks: self.asks, outcome };
            shared.calls.lock().expect("no panic").push(call);
            let Outcome::Acknowledged(place) = outcome else { continue };
            shared.acknowledged.send_modify(|count| *count += 1);
            if self.asks {
                let (id, mut answered) = (self.chat.at(place), shared.answered.subscribe());
                tokio::select! {
                    () = shared.stop.cancelled() => {}
                    answered = answered.wait_for(|answered| answered.contains(&id)) => drop(answered.expect("it lives")),
                }
            }
            sleep(PACE).await;
        }
    }

    async fn post(&mut self, text: &str) -> Outcome {
        let (door, _post) = self.shared.doors.for_post(&mut self.dice).await;
        let activity = match self.asks {
            true => {
                json!({"type": "message", "text": text, "from": {"id": "dl_ann"}, "channelData": {"clientActivityID": text}})
            }
            false => json!({"type": "event", "name": text, "from": {"id": "dl_ann"}}),
        };
        let request = door.post(&self.chat.path("/activities"), &self.chat.token).timeout(CALL).json(&activity);
        let Ok(response) = request.send().await else { return Outcome::Doubtful };
        let status = response.status();
        let Ok(body) = response.text().await else { return Outcome::Doubtful };
        if status == 200 {
            let body: Value = serde_json::from_str(&body).expect("JSON");
            return Outcome::Acknowledged(place_of(body["id"].as_str().expect("an id")).expect("a place"));
        }
        // 408 comes from a node that has slept since the head of the request arrived.
        assert!([408, 429, 503].contains(&status.as_u16()), "{status}: {body}");
        if body.contains("not known") { Outcome::Doubtful } else { Outcome::Refused }
    }
}
