//! Queues what was let in, and waits for its answers where they go into the response.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::admitted::Admitted;
use super::azure_bot::AzureBot;
use super::conversation::ConversationReference;
use super::event_body::Waiting;
use super::inbound::{DeliveryMode, Kind};
use super::outbound::{ActivitySink as _, Collected, EventSink};
use super::turns::{RAISE_ALL, RAISE_EACH, ReplyRoute, TurnBody, TurnHandler, WaitingCaller};
use super::{EventBody, ReceiveError, Received};
use crate::activity::Activity;
use crate::store::Queued;

/// The time in which an answer has to come to its end once it has to.
const END_WITHIN: Duration = Duration::from_secs(1);

impl AzureBot {
    /// Takes in an activity whose answers go out by themselves.
    pub(super) async fn take_in(&self, admitted: Admitted) -> Result<Received, ReceiveError> {
        let name = admitted.name();
        let Admitted { inbound, reference, .. } = admitted;
        let body = TurnBody::Delivered { caller: reference.caller.clone(), activity: inbound.into_members() };
        self.queue(&reference, &body, name).await?;
        Ok(Received::Accepted)
    }

    /// Puts a turn into the queue of its conversation; whether it is a new one.
    async fn queue(
        &self,
        reference: &ConversationReference,
        body: &TurnBody,
        name: Option<String>,
    ) -> Result<bool, ReceiveError> {
        let id = self.records.meet(reference).await?;
        let turn = body.to_turn(self.options.turns.room(), name);
        let advice = match self.records.store().queue_turn(&id, turn).await? {
            Some(Queued::Taken) => return Ok(true),
            Some(Queued::Repeated) => return Ok(false),
            Some(Queued::QueueFull) => RAISE_EACH,
            // The conversation was deleted in between: it is there again when its sender comes again.
            None | Some(Queued::Full) => RAISE_ALL,
        };
        self.complain(advice);
        Err(ReceiveError::Full)
    }

    /// Has a caller wait for its answers in the response; `None` where its activity came before.
    async fn bind(
        &self,
        admitted: Admitted,
        route: ReplyRoute,
        deadline: Option<Instant>,
    ) -> Result<Option<(Waiting, oneshot::Receiver<()>)>, ReceiveError> {
        let (name, conversation) = (admitted.name(), admitted.conversation());
        let Admitted { inbound, reference, .. } = admitted;
        let (tell, told) = oneshot::channel();
        let gone = CancellationToken::new();
        let call =
            WaitingCaller { inbound, reference: reference.clone(), route, forgotten: gone.clone(), deadline, tell };
        let ticket = self.calls.wait(call, name.clone()).ok_or(ReceiveError::Ending)?;
        let (calls, records) = (Arc::clone(&self.calls), self.records.clone());
        let waiting = Waiting { gone, calls, ticket: ticket.clone(), conversation, records, over: false };
        match self.queue(&reference, &TurnBody::Bound(ticket), name).await {
            Ok(true) => Ok(Some((waiting, told))),
            Ok(false) => {
                waiting.finish();
                Ok(None)
            }
            Err(error) => {
                waiting.finish();
                Err(error)
            }
        }
    }

    /// Waits for the answers to a call that expects all of them in the response.
    pub(super) async fn reply(&self, admitted: Admitted, handler: &dyn TurnHandler) -> Result<Received, ReceiveError> {
        let deadline = Instant::now() + self.options.reply_within;
        let wants_words = matches!(admitted.inbound.asks(), Kind::Question | Kind::Wordless);
        let collected = Collected::new(admitted.address.clone());
        let route = ReplyRoute::Replies(collected.clone());
        let Some((waiting, told)) = self.bind(admitted, route, Some(deadline)).await? else {
            return Ok(Received::nothing(DeliveryMode::ExpectReplies));
        };
        let in_time = is_served(deadline + END_WITHIN, told, &waiting.gone).await;
        // From here on nobody reads what is said.
        waiting.finish();
        let busy = (wants_words && !in_time).then(|| handler.busy());
        Ok(replies(collected, busy).await)
    }

    /// Shows a caller its answers while they are written.
    pub(super) async fn stream(&self, admitted: Admitted) -> Result<Received, ReceiveError> {
        let (sink, events) = EventSink::new(admitted.address.clone(), Arc::clone(&self.ids));
        let id = admitted.conversation();
        let Some((waiting, _)) = self.bind(admitted, ReplyRoute::Events(sink), None).await? else {
            return Ok(Received::nothing(DeliveryMode::Stream));
        };
        let listener = self.records.store().subscribe(&id).await?;
        Ok(Received::Events(EventBody::following(events, waiting, listener)))
    }
}

/// Waits until a call was served, and no longer than its sender does. A call that was let go of was not, unless its sender has ended
/// the conversation meanwhile and waits for nothing.
async fn is_served(deadline: Instant, told: oneshot::Receiver<()>, forgotten: &CancellationToken) -> bool {
    match timeout_at(deadline, told).await {
        Ok(Ok(())) => true,
        Ok(Err(_)) => forgotten.is_cancelled(),
        Err(_) => false,
    }
}

/// The answers of a call; these words where there are none.
async fn replies(mut collected: Collected, otherwise: Option<String>) -> Received {
    let mut activities = collected.take();
    let is_message = |activity: &Map<String, Value>| activity.get("type").is_some_and(|kind| kind == "message");
    if let Some(otherwise) = otherwise
        && !activities.iter().any(is_message)
    {
        // Collecting cannot fail.
        drop(collected.send(Activity::message(otherwise)).await);
        activities.append(&mut collected.take());
    }
    Received::Replies { activities, body: None }
}
