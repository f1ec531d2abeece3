//! A turn: one activity to answer, and the sink for its answers.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::activity::{Activity, ConversationId};
use crate::channels::azure_bot::conversation::{ConversationReference, Destination};
use crate::channels::azure_bot::inbound::Inbound;
use crate::channels::azure_bot::outbound::{
    ActivitySink, Collected, ConnectorClient, ConnectorSink, EventSink, Refusal,
};
use crate::dialect::Pacing;

/// An activity to answer, its sender, and the sink for the answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Turn {
    /// The activity.
    pub inbound: Inbound,
    /// Where the conversation is, and who has called.
    pub reference: ConversationReference,
    /// The conversation, as it is kept here.
    pub conversation: ConversationId,
    /// Cancelled when the answer has to come to its end, with what there is of it.
    pub ending: CancellationToken,
    /// Cancelled when nobody waits for the answer any more.
    pub(in crate::channels::azure_bot) forgotten: CancellationToken,
    pub(in crate::channels::azure_bot) way: ReplyRoute,
}

/// How answers get to the sender.
#[derive(Clone, Debug)]
pub(in crate::channels::azure_bot) enum ReplyRoute {
    /// By calls to the service of the conversation.
    Connector { client: Arc<ConnectorClient>, destination: Destination },
    /// In the body of the response, all at once.
    Replies(Collected),
    /// In the body of the response, one after the other.
    Events(EventSink),
}

/// The outcome of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The user has what was asked for, or was told that there is nothing.
    Answered,
    /// The user was told that something has failed, or could not be told anything.
    Failed,
}

/// The way to another agent: a stream would have to pass through its own channel, of which nobody knows anything.
struct ToAgent(ConnectorSink);

#[async_trait]
impl ActivitySink for ToAgent {
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        self.0.send(activity).await
    }

    async fn replace(&mut self, id: &str, activity: Activity) -> Result<(), Refusal> {
        self.0.replace(id, activity).await
    }

    fn can_stream(&self) -> bool {
        false
    }
}

impl Turn {
    /// The way to the sender. What goes out on it answers this activity.
    #[must_use]
    pub fn sink(&self) -> Box<dyn ActivitySink> {
        match &self.way {
            ReplyRoute::Connector { client, destination } => {
                let sink = ConnectorSink::new(Arc::clone(client), destination.clone());
                if self.reference.is_agent() { Box::new(ToAgent(sink)) } else { Box::new(sink) }
            }
            ReplyRoute::Replies(collected) => Box::new(collected.clone()),
            ReplyRoute::Events(events) => Box::new(events.clone()),
        }
    }

    /// How fast answers may go out.
    #[must_use]
    pub fn pacing(&self) -> Pacing {
        match &self.way {
            ReplyRoute::Events(_) => Pacing::EVENTS,
            ReplyRoute::Connector { .. } | ReplyRoute::Replies(_) => {
                Pacing::of(&self.reference.channel_id, self.reference.dialect(false))
            }
        }
    }

    /// Gives the conversation back to the agent that has called: without that, it would go on to hand over whatever its user
    /// says.
    pub(in crate::channels::azure_bot) async fn hand_back(&self, ended: TurnOutcome) -> Result<(), Refusal> {
        let mut end = Activity::new("endOfConversation");
        let code = match ended {
            TurnOutcome::Answered => "completedSuccessfully",
            TurnOutcome::Failed => "unknown",
        };
        end.extra.insert("code".to_owned(), Value::from(code));
        self.sink().send(end).await.map(drop)
    }
}
