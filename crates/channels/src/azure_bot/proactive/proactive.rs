//! Proactive messages to conversations that are known by their stored reference.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::DropGuard;

use super::{ProactiveError, ProactiveFailed};
use crate::activity::{ActivityId, ConversationId};
use crate::answer_events::{AnswerEvents, AnswerPart};
use crate::azure_bot::answer::{Answered, ConnectorAnswer, Failed, Followed, Unanswered};
use crate::azure_bot::auth::CloudAddresses;
use crate::azure_bot::conversation::{ConnectorRecords, ConversationReference, Destination, Line};
use crate::azure_bot::outbound::{ActivitySink, Collected, ConnectorClient, ConnectorSink};
use crate::azure_bot::turns::{Calls, TurnBody};
use crate::clock::Clock;
use crate::convert::{Conversion, Converted};
use crate::dialect::{Dialect, Pacing};
use crate::store::{Conversation, Queued, Recorded, TurnRoom};
use crate::{Delivered, Incomplete};

/// The time that a message waits for its turn. An answer before it may take as long as a back end may.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// The words behind the beginning of an answer whose rest will not come.
const GIVEN_UP: &str = "This answer could not be finished.";

/// Delivers proactive messages into conversations behind Azure Bot Service. Clones share their state.
#[derive(Clone, Debug)]
pub struct ProactiveMessages {
    records: ConnectorRecords,
    client: Arc<ConnectorClient>,
    addresses: Arc<CloudAddresses>,
    clock: Arc<dyn Clock>,
    /// Agents may drop what stands beside the text, so the text names the sources for them.
    self_contained_for_agents: bool,
    html_email: bool,
    /// The callers among whom they wait, and the room for them; `None` where no process serves the lines of a bot.
    turns: Option<(Arc<Calls>, TurnRoom)>,
}

/// A stored conversation behind Azure Bot Service.
#[derive(Clone, Debug, PartialEq)]
pub struct ProactiveConversation {
    /// Its id in the store.
    pub id: ConversationId,
    /// Its place, as far as is known now.
    pub reference: ConversationReference,
}

/// The dialect and the options for an answer in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenFor {
    /// For which channel.
    pub dialect: Dialect,
    /// Whether the text alone has to name the sources.
    pub self_contained: bool,
}

/// A turn for a proactive message: the exclusive right to write in the conversation, with everything that it needs.
#[derive(Debug)]
#[must_use = "dropped, it lets the next one speak"]
pub struct ProactiveTurn {
    answers: ProactiveMessages,
    conversation: ProactiveConversation,
    dialect: Dialect,
    destination: Destination,
    _exclusive: Exclusive,
}

/// A turn or a lock. As long as it is held, nothing else is written in the conversation.
#[derive(Debug)]
#[expect(dead_code, reason = "they are dropped, and not read")]
enum Exclusive {
    /// The turn in the line of the conversation, which all nodes of a cluster share.
    Turn(DropGuard),
    /// A lock of this process.
    Lock(Line),
}

/// A proactive message that was received as a stream and delivered.
#[derive(Debug)]
pub struct FollowedProactive<E> {
    /// The message.
    pub delivered: Delivered,
    /// Why there is not more of it, in which case readers were told that it is incomplete.
    pub incomplete: Option<Incomplete<E>>,
}

impl ProactiveConversation {
    /// The stored conversation; `None` when it is none behind Azure Bot Service.
    ///
    /// # Errors
    /// When where it is was stored in a way that this citewire does not know.
    pub fn of(found: &Conversation) -> Result<Option<Self>, ProactiveError> {
        let Some(stored) = &found.reference else { return Ok(None) };
        let reference = ConversationReference::from_stored(stored)?;
        Ok(Some(Self { id: found.id.clone(), reference }))
    }
}

impl WrittenFor {
    /// Has an answer written so, whatever its sender has wished.
    pub fn apply(self, conversion: &mut Conversion) {
        conversion.to = self.dialect;
        conversion.options.self_contained |= self.self_contained;
        conversion.in_parts = true;
    }
}

impl ProactiveMessages {
    /// Answers through this client, which are recorded here.
    #[must_use]
    pub fn new(
        records: ConnectorRecords,
        client: Arc<ConnectorClient>,
        addresses: CloudAddresses,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let addresses = Arc::new(addresses);
        Self { records, client, addresses, clock, self_contained_for_agents: true, html_email: false, turns: None }
    }

    /// Makes the answers wait for their turns among those of the bot, whose lines some process has to serve.
    #[must_use]
    pub(crate) fn in_turn(self, calls: Arc<Calls>, room: TurnRoom) -> Self {
        Self { turns: Some((calls, room)), ..self }
    }

    /// Makes answers for agents self-contained, or not.
    #[must_use]
    pub fn self_contained_for_agents(self, self_contained_for_agents: bool) -> Self {
        Self { self_contained_for_agents, ..self }
    }

    /// Writes e-mails as HTML, or not.
    #[must_use]
    pub fn html_email(self, html_email: bool) -> Self {
        Self { html_email, ..self }
    }

    /// Where they are recorded.
    #[must_use]
    pub fn records(&self) -> &ConnectorRecords {
        &self.records
    }

    /// How an answer for this conversation is written.
    #[must_use]
    pub fn written_for(&self, conversation: &ProactiveConversation) -> WrittenFor {
        let reference = &conversation.reference;
        WrittenFor {
            dialect: reference.dialect(self.html_email),
            self_contained: self.self_contained_for_agents && reference.is_agent(),
        }
    }

    /// Waits until nobody else speaks in the conversation. Where it is is looked up then, since it may have moved meanwhile; its
    /// answer is one that is written for `to`.
    ///
    /// # Errors
    /// When the conversation is gone or must not be called, or when others speak there for too long.
    pub async fn turn(&self, to: &ProactiveConversation) -> Result<ProactiveTurn, ProactiveError> {
        let exclusive = match &self.turns {
            Some((calls, room)) => Exclusive::Turn(self.wait_for_turn(&to.id, calls, *room).await?),
            None => Exclusive::Lock(self.records.line(&to.id).await),
        };
        let reference = self.records.reference(&to.id).await?.ok_or(ProactiveError::Gone)?;
        let destination = self.destination(&reference)?;
        let conversation = ProactiveConversation { id: to.id.clone(), reference };
        let dialect = to.reference.dialect(self.html_email);
        Ok(ProactiveTurn { answers: self.clone(), conversation, dialect, destination, _exclusive: exclusive })
    }

    /// Waits for a turn in the line of the conversation. The turn ends when the guard is dropped.
    async fn wait_for_turn(
        &self,
        id: &ConversationId,
        calls: &Arc<Calls>,
        room: TurnRoom,
    ) -> Result<DropGuard, ProactiveError> {
        let deadline = Instant::now() + LONGEST_WAIT;
        let mut listener = self.records.store().subscribe(id).await?.ok_or(ProactiveError::Gone)?;
        loop {
            let mut later = calls.wait_for_turn(id).ok_or(ProactiveError::Ending)?;
            let turn = TurnBody::Later(later.ticket.clone()).to_turn(room, None);
            match self.records.store().queue_turn(id, turn).await? {
                Some(Queued::Taken | Queued::Repeated) => {}
                Some(Queued::QueueFull | Queued::Full) => return Err(ProactiveError::Busy),
                None => return Err(ProactiveError::Gone),
            }
            tokio::select! {
                biased;
                turn = &mut later.turn => {
                    if let Ok(turn) = turn {
                        return Ok(turn);
                    }
                    // An `endOfConversation` has removed all turns that waited: queue again.
                }
                () = listener.closed() => return Err(ProactiveError::Gone),
                () = sleep_until(deadline) => return Err(ProactiveError::Busy),
            }
        }
    }

    /// Where an answer goes. It is no reply: nobody has just asked.
    fn destination(&self, reference: &ConversationReference) -> Result<Destination, ProactiveError> {
        let service_url = reference.service_url.as_deref().ok_or(ProactiveError::NoServiceUrl)?;
        let trusted = self.client.hosts().check(service_url)?;
        let mut destination = Destination::new(trusted, reference.address()?);
        destination.scope = reference.caller.scope(&self.addresses);
        Ok(destination)
    }
}

impl ProactiveTurn {
    /// Sends a whole answer. With a `key`, a repeated call sends nothing and returns what the first one has sent.
    ///
    /// # Errors
    /// When the answer has no words, or the service does not take it.
    pub async fn deliver(self, converted: Converted, key: Option<&str>) -> Result<Delivered, ProactiveError> {
        if let Some(before) = self.before(key).await? {
            return Ok(delivered(&before, converted.report));
        }
        match self.begin().whole(converted).await {
            Ok(answered) => Ok(self.record(answered, key).await),
            Err(unanswered) => Err(give_up(*unanswered).await.into()),
        }
    }

    /// Follows the body of an answer and shows it while it arrives, where the channel has streams. With a `key`, a repeated
    /// call shows nothing and returns what the first one has sent.
    ///
    /// An answer that breaks off stays as it is, however that came about: the channel takes nothing back.
    ///
    /// # Errors
    /// When nothing of use has arrived, or no words, when required grounding is missing, or when the service does not take it.
    pub async fn follow<S, E>(
        self,
        conversion: Conversion,
        events: AnswerEvents<S>,
        key: Option<&str>,
    ) -> Result<FollowedProactive<E>, ProactiveFailed<E>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        let before = self.before(key).await.map_err(ProactiveFailed::Later)?;
        let answer = match &before {
            // The sender waits for the report all the same.
            Some(_) => self.over(Box::new(Collected::new(self.destination.address.clone()))),
            None => self.begin(),
        };
        let followed = match answer.follow(conversion, events).await {
            Ok(followed) => followed,
            Err(unanswered) if before.is_some() => return Err(unanswered.cause.into()),
            Err(unanswered) => return Err(give_up(*unanswered).await.into()),
        };
        let Followed { answered, incomplete, .. } = followed;
        let delivered = match before {
            Some(before) => delivered(&before, answered.report),
            None => self.record(answered, key).await,
        };
        Ok(FollowedProactive { delivered, incomplete })
    }

    fn begin(&self) -> ConnectorAnswer {
        self.over(Box::new(ConnectorSink::new(Arc::clone(&self.answers.client), self.destination.clone())))
    }

    fn over(&self, sink: Box<dyn ActivitySink>) -> ConnectorAnswer {
        let pacing = Pacing::of(&self.conversation.reference.channel_id, self.dialect);
        ConnectorAnswer::begin(sink, self.dialect, pacing, Arc::clone(&self.answers.clock))
    }

    /// The message that was sent under this key before.
    async fn before(&self, key: Option<&str>) -> Result<Option<Recorded>, ProactiveError> {
        let Some(key) = key else { return Ok(None) };
        let before = self.answers.records.recall(&self.conversation.id, &of_caller(key)).await?;
        Ok(before.and_then(|before| before.recorded.into_iter().next_back()))
    }

    /// Records what readers have. They have it even when that fails, so whoever has sent it must not send it again.
    async fn record(&self, answered: Answered, key: Option<&str>) -> Delivered {
        let ProactiveConversation { id, reference } = &self.conversation;
        let Answered { message, ids, report, .. } = answered;
        let key = key.map(of_caller);
        let recorded = match self.answers.records.said(id, reference, message.clone(), &ids, key.as_deref(), None).await
        {
            Ok(appended) => appended.and_then(|appended| appended.recorded.into_iter().next_back()),
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "an answer was sent but could not be recorded");
                None
            }
        };
        match recorded {
            Some(recorded) => delivered(&recorded, report),
            // The conversation was deleted meanwhile, or the store has failed: the service alone has a name for it.
            None => {
                let id = ActivityId::from(ids.into_iter().next_back().unwrap_or_default());
                Delivered { id, activity: Arc::new(message), report }
            }
        }
    }
}

/// Keys of callers are apart from those that citewire itself has for what it says once in a conversation.
fn of_caller(key: &str) -> String {
    format!("call:{key}")
}

fn delivered(recorded: &Recorded, report: crate::report::Report) -> Delivered {
    let activity = Arc::clone(&recorded.activity);
    let id = activity.id.clone().unwrap_or_else(|| ActivityId::from(String::new()));
    Delivered { id, activity, report }
}

/// Ends an answer that will not come. Readers who have seen nothing of it need not know that there was to be one.
async fn give_up<E: Error + 'static>(unanswered: Unanswered<E>) -> Failed<E> {
    let Unanswered { cause, answer, .. } = unanswered;
    if answer.has_spoken()
        && let Err(refusal) = answer.close(GIVEN_UP).await
    {
        tracing::warn!(error = %refusal, "the failure message could not be sent to readers");
    }
    cause
}
