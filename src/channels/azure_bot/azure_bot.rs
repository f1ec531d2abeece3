//! The bot behind Azure Bot Service: authenticates incoming activities and queues them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::auth::{Bearer, Unauthorized, Verifier};
use super::conversation::{Address, ConnectorRecords, ConversationReference, Destination, SubmittedFeedback};
use super::event_body::Waiting;
use super::inbound::{DeliveryMode, Inbound, Kind};
use super::outbound::{ActivitySink as _, AppCredentials, Collected, ConnectorClient, Credentials, EventSink};
use super::proactive::ProactiveMessages;
use super::service_url::{TrustedServiceUrl, UntrustedServiceUrl};
use super::turns::{Fingerprint, Job, Offer, Offered, ReplyRoute, Turn, TurnHandler, TurnQueue, serve};
use super::{AzureBotOptions, EventBody, ReceiveError, Received};
use crate::activity::Activity;
use crate::channels::RefusalLog;
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, EgressError, EgressOptions};
use crate::metrics::{ChannelFigures, Queue};

/// So long an answer may take to come to its end once it has to.
const END_WITHIN: Duration = Duration::from_secs(1);

/// The bot behind Azure Bot Service: authentication, the queue of turns, and the sinks for answers.
#[derive(Debug)]
pub struct AzureBot {
    options: AzureBotOptions,
    verifier: Verifier,
    client: Arc<ConnectorClient>,
    records: ConnectorRecords,
    turns: Arc<TurnQueue<Job>>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    refusal_log: RefusalLog,
}

/// What is known of a post that was let in.
struct Admitted {
    inbound: Inbound,
    reference: ConversationReference,
    address: Address,
    service: Option<TrustedServiceUrl>,
}

impl AzureBot {
    /// A bot with these options, which keeps what is said to it in `records`.
    ///
    /// # Errors
    /// When no connections can be made from this system at all.
    pub fn new(
        options: AzureBotOptions,
        mut egress: EgressOptions,
        records: ConnectorRecords,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, EgressError> {
        let addresses = &options.auth.addresses;
        for url in [&addresses.channel_metadata, &addresses.entra_metadata, &addresses.login] {
            egress.allow.add_written(url);
        }
        let hosts = options.hosts.clone();
        let hosts = if options.loopback_services { hosts.and_loopback() } else { hosts };
        hosts.admit(&mut egress.allow);
        let egress = Client::new(egress)?;
        let credentials = match (options.auth.app_id, &options.app_secret) {
            (Some(app_id), Some(secret)) => {
                let tenant = options.auth.tenant.map(|tenant| tenant.to_string());
                let token_url = addresses.token_url(tenant.as_deref());
                let app = AppCredentials::new(app_id.to_string(), secret.clone(), token_url);
                Some(Credentials::new(egress.clone(), app, Arc::clone(&clock)))
            }
            (None, _) | (_, None) => None,
        };
        let verifier = Verifier::new(options.auth.clone(), egress.clone(), Arc::clone(&clock));
        let client = ConnectorClient::new(egress, hosts, credentials, Arc::clone(&clock), Arc::clone(&ids));
        let turns = Arc::new(TurnQueue::new(options.turns));
        let refusal_log = RefusalLog::default();
        Ok(Self { options, verifier, client: Arc::new(client), records, turns, clock, ids, refusal_log })
    }

    /// What was set.
    #[must_use]
    pub fn options(&self) -> &AzureBotOptions {
        &self.options
    }

    /// Which calls to the service were refused.
    #[must_use]
    pub fn figures(&self) -> &ChannelFigures {
        self.client.figures()
    }

    /// Activities that wait for their turn.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        self.turns.queue()
    }

    /// The way for answers that come later.
    #[must_use]
    pub fn later(&self) -> ProactiveMessages {
        let (client, clock) = (Arc::clone(&self.client), Arc::clone(&self.clock));
        ProactiveMessages::new(self.records.clone(), client, self.options.auth.addresses.clone(), clock)
            .self_contained_for_agents(self.options.self_contained_for_agents)
            .html_email(self.options.html_email)
    }

    /// By which answers are timed.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// What is kept of conversations.
    #[must_use]
    pub fn records(&self) -> &ConnectorRecords {
        &self.records
    }

    /// Keeps the keys of callers fresh. To be called from time to time.
    pub async fn keep_fresh(&self) {
        self.verifier.keep_fresh().await;
    }

    /// Has `handler` answer what comes in, until `ending`. Then nothing more is taken in, answers come to their end with what
    /// there is of them, and those who still wait are told.
    pub async fn run(&self, handler: Arc<dyn TurnHandler>, tasks: TaskTracker, ending: CancellationToken) {
        let serve = |turn| serve(turn, Arc::clone(&handler), self.records.clone(), ending.clone());
        let left = Arc::clone(&self.turns).run(serve, tasks, ending.clone()).await;
        if left > 0 {
            tracing::error!(activities = left, "the server is shutting down and dropped waiting activities");
        }
    }

    /// Judges the `Authorization` of a call as far as that can be done before its body is read: a stranger has nothing read and
    /// parsed. `is_local` says whether it was made on this machine, to a name of this machine.
    ///
    /// # Errors
    /// When no activity could have the call let in.
    pub async fn judge(&self, authorization: Option<&str>, is_local: bool) -> Result<Bearer, ReceiveError> {
        // A name that leads here may be that of a web site, or of a proxy that passes on what others send.
        let is_nobody = authorization.is_none() && !is_local;
        let bearer = if is_nobody { Err(Unauthorized::NoToken) } else { self.verifier.read(authorization).await };
        bearer.map_err(|error| self.unauthorized(&error))
    }

    fn unauthorized(&self, error: &Unauthorized) -> ReceiveError {
        self.complain(&error.to_string());
        ReceiveError::Unauthorized(error.kind())
    }

    /// Takes in what was posted by a caller who was [let through](Self::judge) with this. `is_local` says whether it was posted on this
    /// machine, to a name of this machine. `handler` is who answers, and says so when it has no time to.
    ///
    /// Where answers go out by themselves this returns at once, else when they are there.
    ///
    /// # Errors
    /// When the activity is refused; nothing of it was done.
    pub async fn receive(
        &self,
        inbound: Inbound,
        bearer: Bearer,
        is_local: bool,
        handler: &dyn TurnHandler,
    ) -> Result<Received, ReceiveError> {
        let admitted = self.admit(inbound, bearer, is_local)?;
        let mode = admitted.inbound.delivery_mode();
        match admitted.inbound.asks() {
            Kind::Invoke(name) if name == SubmittedFeedback::INVOKE => self.submitted(&admitted).await,
            Kind::Invoke(_) => Err(ReceiveError::UnknownInvoke),
            Kind::End => {
                self.turns.forget(admitted.line().as_str());
                Ok(nothing(mode))
            }
            Kind::Passing => Ok(nothing(mode)),
            Kind::Question | Kind::Wordless | Kind::Arrival | Kind::Nothing => self.enqueue(admitted, handler).await,
        }
    }

    fn admit(&self, inbound: Inbound, bearer: Bearer, is_local: bool) -> Result<Admitted, ReceiveError> {
        let caller = bearer.speaks_for(inbound.channel_id(), inbound.service_url());
        let caller = caller.map_err(|error| self.unauthorized(&error))?;
        let service = self.service(&inbound, is_local).map_err(|error| {
            self.complain(&error.to_string());
            ReceiveError::UntrustedServiceUrl
        })?;
        let reference = inbound.reference(caller);
        // The reader of activities has seen to it that there is a conversation.
        let mut address = reference.address().map_err(|_| ReceiveError::UntrustedServiceUrl)?;
        address.reply_to_id = inbound.answered_id().map(str::to_owned);
        Ok(Admitted { inbound, reference, address, service })
    }

    /// Where answers go. Who waits for them in the response need not say.
    fn service(&self, inbound: &Inbound, is_local: bool) -> Result<Option<TrustedServiceUrl>, UntrustedServiceUrl> {
        let Some(service_url) = inbound.service_url() else {
            return match inbound.delivery_mode() {
                DeliveryMode::Normal => Err(UntrustedServiceUrl::NoAddress),
                DeliveryMode::ExpectReplies | DeliveryMode::Stream => Ok(None),
            };
        };
        // This machine is a service only for who is on it.
        let hosts = if self.options.loopback_services && is_local { self.client.hosts() } else { &self.options.hosts };
        hosts.check(service_url).map(Some)
    }

    /// What users think of an answer. It is kept before anyone is told that it was.
    async fn submitted(&self, admitted: &Admitted) -> Result<Received, ReceiveError> {
        let inbound = &admitted.inbound;
        let submitted = inbound.value().and_then(SubmittedFeedback::read).ok_or(ReceiveError::UnknownInvoke)?;
        let fingerprint = admitted.fingerprint();
        if !self.turns.is_repeated(fingerprint, self.clock.now()) {
            let id = self.records.meet(&admitted.reference).await?;
            self.records.rated(&id, submitted, inbound.from(), inbound.reply_to_id()).await?;
            // Only now: the sender may hang up while it is stored, which ends this, and come again.
            self.turns.remember(fingerprint, self.clock.now());
        }
        // Teams shows an error when there is anything in it.
        let body = json!({});
        Ok(match inbound.delivery_mode() {
            DeliveryMode::Normal => Received::Outcome(body),
            DeliveryMode::ExpectReplies => Received::Replies { activities: Vec::new(), body: Some(body) },
            DeliveryMode::Stream => Received::Events(EventBody::of_invoke(&body)),
        })
    }

    /// Puts a call into the line of its conversation, and waits for its answers where they go into the response.
    async fn enqueue(&self, admitted: Admitted, handler: &dyn TurnHandler) -> Result<Received, ReceiveError> {
        let (mode, forgotten) = (admitted.inbound.delivery_mode(), CancellationToken::new());
        let (line, fingerprint) = (admitted.line(), admitted.fingerprint());
        let asks = admitted.inbound.asks();
        let (asks_nothing, wants_words) = (asks == Kind::Nothing, matches!(asks, Kind::Question | Kind::Wordless));
        let deadline = Instant::now() + self.options.reply_within;
        let Admitted { inbound, reference, address, service } = admitted;
        let bytes = inbound.bytes();
        let collected = Collected::new(address.clone());
        let mut events = None;
        let way = match (mode, service) {
            (DeliveryMode::ExpectReplies, _) => ReplyRoute::Replies(collected.clone()),
            (DeliveryMode::Normal, Some(service)) => {
                let mut destination = Destination::new(service, address);
                destination.scope = reference.caller.scope(&self.options.auth.addresses);
                ReplyRoute::Connector { client: Arc::clone(&self.client), destination }
            }
            // A normal post without a service was refused before this.
            (DeliveryMode::Stream | DeliveryMode::Normal, _) => {
                let (sink, body) = EventSink::new(address, Arc::clone(&self.ids));
                events = Some(body);
                ReplyRoute::Events(sink)
            }
        };
        let (tell, told) = oneshot::channel();
        let call = Turn {
            inbound,
            reference,
            conversation: line.clone(),
            ending: CancellationToken::new(),
            forgotten: forgotten.clone(),
            way,
        };
        let deadline = (mode == DeliveryMode::ExpectReplies).then_some(deadline);
        let job = Job::new(call, deadline, tell);
        let offer = Offer { line: line.as_str(), fingerprint, bytes, forgotten: &forgotten };
        match self.turns.offer(offer, job, self.clock.now()) {
            Offered::Taken => {}
            Offered::Repeated => return Ok(nothing(mode)),
            // There is nothing to be lost.
            Offered::Full(_) | Offered::Closed if asks_nothing => return Ok(nothing(mode)),
            Offered::Full(full) => {
                self.complain(full.mend());
                return Err(ReceiveError::Full);
            }
            Offered::Closed => return Err(ReceiveError::Ending),
        }
        let waiting = || Waiting::new(forgotten.clone(), fingerprint, Arc::clone(&self.turns));
        match (deadline, events) {
            (Some(deadline), _) => {
                let waiting = waiting();
                let in_time = is_served(deadline + END_WITHIN, told, &forgotten).await;
                // From here on nobody reads what is said.
                waiting.finish();
                let busy = (wants_words && !in_time).then(|| handler.busy());
                Ok(replies(collected, busy).await)
            }
            (None, Some(events)) => Ok(Received::Events(EventBody::following(events, waiting()))),
            (None, None) => Ok(Received::Accepted),
        }
    }

    /// Tells the operator why something was refused, in words that hold nothing secret.
    fn complain(&self, words: &str) {
        if let Some(more) = self.refusal_log.take(words, self.clock.now()) {
            tracing::warn!(reason = words, more_since_last = more, "an activity was refused");
        }
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

/// The answer to what needs none.
fn nothing(mode: DeliveryMode) -> Received {
    match mode {
        DeliveryMode::Normal => Received::Accepted,
        DeliveryMode::ExpectReplies => Received::Replies { activities: Vec::new(), body: None },
        DeliveryMode::Stream => Received::Events(EventBody::empty()),
    }
}

impl Admitted {
    fn line(&self) -> crate::activity::ConversationId {
        self.reference.name().id()
    }

    /// By what the activity is known; one without an id is never known.
    fn fingerprint(&self) -> Option<Fingerprint> {
        self.inbound.id().map(|id| Fingerprint::of(self.reference.name().as_str(), id))
    }
}
