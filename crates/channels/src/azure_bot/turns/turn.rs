//! A turn in flight: one activity to answer, and the sink for its answers.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::activity::{Activity, ConversationId};
use crate::azure_bot::answer::{ConnectorAnswer, Progress};
use crate::azure_bot::conversation::{ConnectorRecords, ConversationReference, Destination};
use crate::azure_bot::inbound::Inbound;
use crate::azure_bot::outbound::{ActivitySink, Collected, ConnectorClient, ConnectorSink, EventSink, Refusal};
use crate::clock::Clock;
use crate::dialect::Pacing;
use crate::store::StoreError;

/// An activity to answer, its sender, and the sink for the answer.
#[derive(Debug)]
pub struct TurnInFlight {
    /// The activity.
    pub inbound: Inbound,
    /// Where the conversation is, and who has called.
    pub reference: ConversationReference,
    /// The conversation, as it is kept here.
    pub conversation: ConversationId,
    /// Cancelled when the answer has to come to its end, with what there is of it.
    pub ending: CancellationToken,
    /// Cancelled when nobody waits for the answer any more.
    pub(crate) forgotten: CancellationToken,
    pub(crate) route: ReplyRoute,
    pub(crate) records: ConnectorRecords,
    pub(crate) progress: Progress,
    /// The time at which the answers have to be there.
    pub(super) deadline: Option<Instant>,
    /// Cancelled when the server ends, and the answer has to come to its end.
    pub(super) server_ends: CancellationToken,
    /// Tells the caller that the turn was served, where its answers go into the response.
    pub(super) caller: Option<oneshot::Sender<()>>,
}

/// How answers get to the sender.
#[derive(Clone, Debug)]
pub(crate) enum ReplyRoute {
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

impl ReplyRoute {
    /// The way to the sender. What goes out on it answers its activity.
    pub(super) fn sink(&self, reference: &ConversationReference) -> Box<dyn ActivitySink> {
        match self {
            Self::Connector { client, destination } => {
                let sink = ConnectorSink::new(Arc::clone(client), destination.clone());
                if reference.is_agent() { Box::new(ToAgent(sink)) } else { Box::new(sink) }
            }
            Self::Replies(collected) => Box::new(collected.clone()),
            Self::Events(events) => Box::new(events.clone()),
        }
    }
}

impl TurnOutcome {
    /// The activity that gives a conversation back to the agent that has called.
    pub(super) fn end_of_conversation(self) -> Activity {
        let mut end = Activity::new("endOfConversation");
        let code = match self {
            Self::Answered => "completedSuccessfully",
            Self::Failed => "unknown",
        };
        end.extra.insert("code".to_owned(), Value::from(code));
        end
    }
}

impl TurnInFlight {
    /// An answer of which nothing was sent. E-mails are HTML where `html_email` says so.
    pub fn begin(&self, html_email: bool, clock: Arc<dyn Clock>) -> ConnectorAnswer {
        let dialect = self.reference.dialect(html_email);
        ConnectorAnswer::begin(self.route.sink(&self.reference), dialect, self.pacing(), clock)
            .noting(self.progress.clone())
    }

    /// Records what was said, under the ids that the service gave it and under a key of ours. The turn ends with that.
    pub async fn record(&self, said: Activity, ids: &[String], key: Option<&str>) {
        let (id, end) = (&self.conversation, Some(self.progress.end_of_turn()));
        let recorded = self.records.said(id, &self.reference, said, ids, key, end).await;
        if let Err(error) = &recorded {
            tracing::error!(conversation.id = %id, %error, "an answer was sent but not recorded");
        }
        match recorded {
            // An answer that is recorded under its key already ends no turn.
            Ok(Some(appended)) if appended.repeated => {}
            Ok(Some(_)) => self.progress.settle(Ok(())),
            // A conversation that was deleted stays deleted.
            Ok(None) => self.progress.settle(Err(StoreError::Superseded)),
            Err(error) => self.progress.settle(Err(error)),
        }
    }

    /// The pace at which answers may go out.
    fn pacing(&self) -> Pacing {
        match &self.route {
            ReplyRoute::Events(_) => Pacing::EVENTS,
            ReplyRoute::Connector { .. } | ReplyRoute::Replies(_) => {
                Pacing::of(&self.reference.channel_id, self.reference.dialect(false))
            }
        }
    }

    /// Gives the conversation back to the agent that has called: without that, it would go on to hand over whatever its user
    /// says.
    pub(crate) async fn hand_back(&self, ended: TurnOutcome) -> Result<(), Refusal> {
        self.route.sink(&self.reference).send(ended.end_of_conversation()).await.map(drop)
    }
}
