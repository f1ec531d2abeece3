//! Serves the queues of the bot: has each activity answered, and ends what another process has begun.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::body::{Ticket, TurnBody};
use super::calls::{Calls, WaitingCaller};
use super::{ReplyRoute, TurnHandler, TurnInFlight, TurnOutcome};
use crate::azure_bot::answer::{NotedAnswer, Progress};
use crate::azure_bot::auth::{Caller, CloudAddresses};
use crate::azure_bot::conversation::{ConnectorRecords, Destination, GREETING};
use crate::azure_bot::inbound::{Inbound, Kind};
use crate::azure_bot::outbound::ConnectorClient;
use crate::clock::Clock;
use crate::store::{self, StoreError, TurnStage};
use crate::{HeldQueue, TurnEnd, TurnServer};

/// The time in which an answer has to come to its end once it has to, and the words behind it.
const LAST_WORDS: Duration = Duration::from_secs(8);

/// Serves the queues of the bot.
#[derive(Clone, Debug)]
pub(crate) struct AzureServer {
    pub(crate) handler: Arc<dyn TurnHandler>,
    pub(crate) calls: Arc<Calls>,
    pub(crate) records: ConnectorRecords,
    pub(crate) client: Arc<ConnectorClient>,
    pub(crate) addresses: Arc<CloudAddresses>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) html_email: bool,
}

/// The part of a turn that is left to do.
#[derive(Clone, Copy, Debug)]
enum Remaining<'a> {
    /// All of it.
    Answer,
    /// To say that there is no answer: somebody else has begun one, or nobody can.
    Apology,
    /// To see to it that the whole answer has arrived, which somebody else has noted like this and may have sent.
    Conclusion(Option<&'a str>),
}

/// The server ends before anything was sent.
struct Interrupted;

#[async_trait]
impl TurnServer for AzureServer {
    type Memory = ();

    async fn answer(&self, queue: &HeldQueue, turn: &store::Turn, _memory: &mut ()) -> TurnEnd {
        let in_flight = match TurnBody::of(turn) {
            Ok(TurnBody::Later(ticket)) => {
                self.let_send(queue, &ticket).await;
                None
            }
            body => self.in_flight(queue, turn, body).await,
        };
        let Some(in_flight) = in_flight else { return TurnEnd::Silent };
        let remaining = match turn.stage {
            TurnStage::Waiting => Remaining::Answer,
            TurnStage::Spoken => {
                tracing::warn!(conversation.id = %queue.conversation(), attempts = turn.attempts,
                    "a question is given up, and its user gets an apology: the process that answered it has ended");
                Remaining::Apology
            }
            TurnStage::Final => Remaining::Conclusion(turn.said.as_deref()),
        };
        self.serve(in_flight, remaining).await
    }

    async fn apologize(&self, queue: &HeldQueue, turn: &store::Turn) -> TurnEnd {
        // Since it was read, its answer may have been sent.
        let turn = match self.records.store().next_turn(queue.queue()).await {
            Ok(Some(now)) if now.key == turn.key => now,
            Ok(_) => return TurnEnd::Lost,
            Err(error) => return TurnEnd::Failed(error),
        };
        let Some(in_flight) = self.in_flight(queue, &turn, TurnBody::of(&turn)).await else { return TurnEnd::Silent };
        let remaining = match turn.stage {
            TurnStage::Waiting | TurnStage::Spoken => Remaining::Apology,
            TurnStage::Final => Remaining::Conclusion(turn.said.as_deref()),
        };
        self.serve(in_flight, remaining).await
    }
}

impl AzureServer {
    /// Lets a proactive message be sent, and waits until it was.
    async fn let_send(&self, queue: &HeldQueue, ticket: &Ticket) {
        // One that went with its process will not be sent.
        let Some(tell) = self.calls.take_later(ticket) else { return };
        let (sent, forgotten) = (CancellationToken::new(), CancellationToken::new());
        let _running = self.calls.run(queue.conversation(), &forgotten);
        // Where nobody waits any more, the guard is dropped with the message.
        drop(tell.send(sent.clone().drop_guard()));
        tokio::select! {
            () = sent.cancelled() => {}
            () = forgotten.cancelled() => {}
            () = queue.ending.over.cancelled() => {}
        }
    }

    /// The turn as it is answered; `None` where there is nobody to answer.
    async fn in_flight(
        &self,
        queue: &HeldQueue,
        turn: &store::Turn,
        body: Result<TurnBody, serde_json::Error>,
    ) -> Option<TurnInFlight> {
        let id = queue.conversation();
        match body {
            Ok(TurnBody::Bound(ticket)) => match self.calls.take(&ticket) {
                Some(call) => Some(self.bound(queue, turn, call)),
                None => {
                    // A caller who went with the process to which it came has no answer.
                    if let (false, Some(name)) = (self.calls.is_ours(&ticket), &ticket.name) {
                        self.records.let_come_again(id, name).await;
                    }
                    None
                }
            },
            Ok(TurnBody::Delivered { caller, activity }) => {
                let in_flight =
                    Inbound::of(activity).ok().and_then(|inbound| self.delivered(queue, turn, inbound, caller));
                if in_flight.is_none() {
                    tracing::warn!(conversation.id = %id, "a waiting activity has no trusted service");
                }
                in_flight
            }
            // The process that has it sends it, or nobody does.
            Ok(TurnBody::Later(_)) => None,
            Err(error) => {
                tracing::warn!(conversation.id = %id, %error, "a waiting turn could not be understood");
                None
            }
        }
    }

    fn bound(&self, queue: &HeldQueue, turn: &store::Turn, call: WaitingCaller) -> TurnInFlight {
        let WaitingCaller { inbound, reference, route, forgotten, deadline, tell } = call;
        TurnInFlight {
            inbound,
            reference,
            conversation: queue.conversation().clone(),
            ending: CancellationToken::new(),
            forgotten,
            route,
            records: self.records.clone(),
            progress: Progress::unnoted(queue.end_of(turn)),
            deadline,
            // The response is over when the server is.
            server_ends: queue.ending.begun.clone(),
            caller: Some(tell),
        }
    }

    fn delivered(
        &self,
        queue: &HeldQueue,
        turn: &store::Turn,
        inbound: Inbound,
        caller: Caller,
    ) -> Option<TurnInFlight> {
        let reference = inbound.reference(caller);
        let mut address = reference.address().ok()?;
        address.reply_to_id = inbound.answered_id().map(str::to_owned);
        let service = self.client.hosts().check(inbound.service_url()?).ok()?;
        let mut destination = Destination::new(service, address);
        destination.scope = reference.caller.scope(&self.addresses);
        let store = Arc::clone(self.records.store());
        Some(TurnInFlight {
            inbound,
            reference,
            conversation: queue.conversation().clone(),
            ending: CancellationToken::new(),
            forgotten: CancellationToken::new(),
            route: ReplyRoute::Connector { client: Arc::clone(&self.client), destination },
            records: self.records.clone(),
            progress: Progress::noted(store, turn, queue.end_of(turn)),
            deadline: None,
            server_ends: queue.ending.over.clone(),
            caller: None,
        })
    }

    async fn answering(&self, turn: &TurnInFlight, remaining: Remaining<'_>) -> TurnOutcome {
        match remaining {
            Remaining::Answer => self.handler.respond(turn).await,
            Remaining::Apology => {
                match turn.inbound.asks() {
                    Kind::Question | Kind::Wordless => self.handler.apologize(turn).await,
                    // An answer to anything else is awaited by nobody.
                    Kind::Arrival | Kind::Invoke(_) | Kind::End | Kind::Passing | Kind::Nothing => {}
                }
                TurnOutcome::Failed
            }
            Remaining::Conclusion(said) => match said.and_then(NotedAnswer::read) {
                Some(said) => self.conclude(turn, said).await,
                None => {
                    tracing::warn!(conversation.id = %turn.conversation, "a waiting turn could not be understood");
                    TurnOutcome::Failed
                }
            },
        }
    }

    /// Records a whole answer that somebody else may have sent. The end of a stream is sent once more before.
    async fn conclude(&self, turn: &TurnInFlight, said: NotedAnswer) -> TurnOutcome {
        let NotedAnswer { message, stream } = said;
        let sent = match stream {
            Some(stream) => {
                let answer = turn.begin(self.html_email, Arc::clone(&self.clock));
                answer.once_more(message.clone(), stream).await.map_err(Some)
            }
            None => Err(None),
        };
        let ids = sent.unwrap_or_else(|refusal| {
            let error = refusal.as_ref().map(tracing::field::display);
            tracing::warn!(conversation.id = %turn.conversation, code = "connector_doubtful", error, "an answer may not have arrived");
            Vec::new()
        });
        let key = (turn.inbound.asks() == Kind::Arrival).then_some(GREETING);
        turn.record(message, &ids, key).await;
        TurnOutcome::Answered
    }

    /// Has a turn answered, and hands the conversation back where an agent has called.
    async fn serve(&self, turn: TurnInFlight, remaining: Remaining<'_>) -> TurnEnd {
        if turn.forgotten.is_cancelled() {
            return TurnEnd::Silent;
        }
        let _running = self.calls.run(&turn.conversation, &turn.forgotten);
        let ended = match AssertUnwindSafe(respond(&turn, self.answering(&turn, remaining))).catch_unwind().await {
            Ok(Ok(ended)) => ended,
            Ok(Err(Interrupted)) => return TurnEnd::Interrupted,
            Err(_) => {
                self.failed(&turn).await;
                TurnOutcome::Failed
            }
        };
        let holds_the_user = turn.reference.is_agent() && turn.inbound.asks() != Kind::Arrival;
        if holds_the_user && !turn.forgotten.is_cancelled() {
            hand_back(&turn, ended).await;
        }
        let end = match turn.progress.take_outcome() {
            None => TurnEnd::Silent,
            Some(Ok(())) => TurnEnd::Recorded,
            Some(Err(StoreError::Superseded)) => TurnEnd::Lost,
            Some(Err(error)) => TurnEnd::Failed(error),
        };
        if let Some(tell) = turn.caller {
            // Not every sender waits for it.
            tell.send(()).ok();
        }
        end
    }

    /// Tells a user that an answer has failed because of a bug.
    async fn failed(&self, turn: &TurnInFlight) {
        // The words of the panic have gone to stderr already.
        tracing::error!(conversation.id = %turn.conversation, "an answer failed because of a bug in citewire");
        let apology = timeout(LAST_WORDS, AssertUnwindSafe(self.handler.apologize(turn)).catch_unwind());
        if !matches!(apology.await, Ok(Ok(()))) {
            tracing::error!(conversation.id = %turn.conversation, "the failure message could not be sent to a user");
        }
    }
}

async fn hand_back(turn: &TurnInFlight, ended: TurnOutcome) {
    match timeout(LAST_WORDS, turn.hand_back(ended)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(conversation.id = %turn.conversation, %error, "the end of a conversation could not be sent to its agent");
        }
        Err(_) => {
            tracing::warn!(conversation.id = %turn.conversation, "the end of a conversation could not be sent to its agent in time");
        }
    }
}

/// Waits for the answer; tells it when it has to come to its end. Where nothing was sent by then, and somebody can answer after
/// the next start, it ends without one.
async fn respond(
    turn: &TurnInFlight,
    answering: impl Future<Output = TurnOutcome>,
) -> Result<TurnOutcome, Interrupted> {
    let TurnInFlight { deadline, server_ends, caller, .. } = turn;
    let answering = async {
        tokio::select! {
            biased;
            // The caller waits no more: all work on the answer ends here.
            () = turn.forgotten.cancelled() => TurnOutcome::Failed,
            ended = answering => ended,
        }
    };
    let mut answering = std::pin::pin!(answering);
    let time_is_up = async {
        match *deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        turn.ending.cancel();
    }
    tokio::select! {
        biased;
        ended = &mut answering => return Ok(ended),
        () = server_ends.cancelled() => {}
        () = time_is_up => {}
    }
    if caller.is_none() && turn.progress.is_silent() {
        tracing::info!(conversation.id = %turn.conversation, "an answer was cut off because the server is shutting down; the question is answered after the next start");
        return Err(Interrupted);
    }
    turn.ending.cancel();
    match timeout(LAST_WORDS, answering).await {
        Ok(ended) => Ok(ended),
        Err(_) => {
            tracing::error!(conversation.id = %turn.conversation, "an answer was abandoned: it did not end in time");
            if caller.is_none() { Err(Interrupted) } else { Ok(TurnOutcome::Failed) }
        }
    }
}
