//! The destination of a bot's activities.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::{ConnectorClient, Refusal, RefusalCause, RefusalKind};
use crate::activity::Activity;
use crate::azure_bot::conversation::{Address, Destination};

/// Takes the activities of one turn, one after the other.
#[async_trait]
pub trait ActivitySink: Send {
    /// Sends an activity; returns the id that it got, where there is one.
    ///
    /// # Errors
    /// When it is not taken, or nobody knows whether it was.
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal>;

    /// Whether something can be said to the user who asked, so that others of the group do not see it.
    fn can_tell(&self) -> bool {
        false
    }

    /// Says something to the user who asked, so that others of the group do not see it, where the channel [can](Self::can_tell).
    ///
    /// # Errors
    /// When it is not taken, or nobody knows whether it was.
    async fn tell(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        self.send(activity).await
    }

    /// Puts an activity in the destination of one that was sent.
    ///
    /// # Errors
    /// When it is not taken: some channels cannot do this.
    async fn replace(&mut self, id: &str, activity: Activity) -> Result<(), Refusal>;

    /// Whether activities of a stream may be sent. Where they may not, an answer is one message.
    fn can_stream(&self) -> bool;
}

/// Sends activities through the Connector.
#[derive(Debug)]
pub struct ConnectorSink {
    client: Arc<ConnectorClient>,
    destination: Destination,
    /// Whether the next message quotes the question: the first one does.
    quotes: bool,
}

impl ConnectorSink {
    /// Activities to this destination.
    #[must_use]
    pub fn new(client: Arc<ConnectorClient>, destination: Destination) -> Self {
        let quotes = client.quotes_questions() && destination.address.is_group_chat();
        Self { client, destination, quotes }
    }

    /// The question that this activity quotes.
    fn quoted(&mut self, activity: &Activity) -> Option<String> {
        let is_message =
            activity.kind == "message" && activity.text.as_deref().is_some_and(|text| !text.trim().is_empty());
        if !(self.quotes && is_message) {
            return None;
        }
        self.quotes = false;
        self.destination.address.reply_to_id.clone()
    }

    async fn send_signed(&self, wire: &Map<String, Value>) -> Result<Option<String>, Refusal> {
        match &self.destination.address.reply_to_id {
            Some(answered) => self.client.reply(&self.destination, answered, wire).await,
            None => self.client.send(&self.destination, wire).await,
        }
    }
}

#[async_trait]
impl ActivitySink for ConnectorSink {
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        let wire = self.destination.address.sign(&activity);
        if let Some(question) = self.quoted(&activity) {
            match self.send_signed(&quoting(&wire, &question)).await {
                Err(Refusal { kind: RefusalKind::Malformed, cause, .. }) => {
                    tracing::warn!(%cause, "the channel took no quote of the question, so the answer is sent without");
                }
                sent => return sent,
            }
        }
        self.send_signed(&wire).await
    }

    fn can_tell(&self) -> bool {
        self.client.apologizes_privately() && self.destination.address.is_among_others()
    }

    async fn tell(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        let mut wire = self.destination.address.sign(&activity);
        // Such messages take no replies, and are none.
        wire.remove("replyToId");
        self.client.tell(&self.destination, &wire).await
    }

    async fn replace(&mut self, id: &str, activity: Activity) -> Result<(), Refusal> {
        let mut wire = self.destination.address.sign(&activity);
        wire.insert("id".to_owned(), Value::String(id.to_owned()));
        self.client.update(&self.destination, id, &wire).await
    }

    fn can_stream(&self) -> bool {
        self.destination.address.can_stream()
    }
}

/// The activity with a quote of a message before its text, in the form of the Teams SDK 2.1: an entity, and a placeholder with the
/// same id, for which Teams shows the beginning of that message.
fn quoting(wire: &Map<String, Value>, message_id: &str) -> Map<String, Value> {
    let mut wire = wire.clone();
    let id = message_id.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let text = wire.get("text").and_then(Value::as_str).unwrap_or_default();
    let text = format!("<quoted messageId=\"{id}\"/> {text}");
    wire.insert("text".to_owned(), Value::String(text));
    let quote = json!({"type": "quotedReply", "quotedReply": {"messageId": message_id}});
    if let Some(Value::Array(entities)) = wire.get_mut("entities") {
        entities.push(quote);
    } else {
        wire.insert("entities".to_owned(), json!([quote]));
    }
    wire
}

/// Keeps the activities of a turn for the answer to the call that has begun it: `deliveryMode: expectReplies`. Nothing goes
/// through the Connector (activity specification, A3113). Clones share what they keep.
#[derive(Clone, Debug)]
pub struct Collected {
    address: Address,
    activities: Arc<Mutex<Vec<Map<String, Value>>>>,
}

impl Collected {
    /// Nothing yet.
    #[must_use]
    pub fn new(address: Address) -> Self {
        Self { address, activities: Arc::default() }
    }

    /// The activities so far: the `activities` of the answer.
    #[must_use]
    pub fn take(&self) -> Vec<Map<String, Value>> {
        std::mem::take(&mut self.activities.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl ActivitySink for Collected {
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        let wire = self.address.sign(&activity);
        self.activities.lock().unwrap_or_else(PoisonError::into_inner).push(wire);
        Ok(None)
    }

    async fn replace(&mut self, _id: &str, _activity: Activity) -> Result<(), Refusal> {
        Err(RefusalCause::HandedOver.into())
    }

    fn can_stream(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn what_is_expected_as_replies_is_kept_without_ids_and_cannot_be_replaced() {
        let address = Address::new(json!({"id": "c1"})).expect("a conversation");
        let kept = Collected::new(address);
        let mut sink: Box<dyn ActivitySink> = Box::new(kept.clone());
        assert!(!sink.can_stream());
        assert!(matches!(sink.send(Activity::message("one")).await, Ok(None)));
        assert!(matches!(sink.send(Activity::new("endOfConversation")).await, Ok(None)));
        assert!(sink.replace("1", Activity::message("two")).await.is_err());
        let activities = kept.take();
        assert_eq!(
            activities.iter().map(|one| one["type"].clone()).collect::<Vec<_>>(),
            ["message", "endOfConversation"]
        );
        assert!(activities.iter().all(|one| one.get("id").is_none() && one["conversation"]["id"] == "c1"));
        assert!(kept.take().is_empty());
    }
}
