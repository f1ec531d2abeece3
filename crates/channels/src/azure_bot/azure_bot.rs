//! The bot behind Azure Bot Service: authenticates incoming activities and queues them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::task::TaskTracker;

use super::admitted::Admitted;
use super::auth::{Bearer, Unauthorized, Verifier};
use super::conversation::{ConnectorRecords, SubmittedFeedback};
use super::inbound::{DeliveryMode, Inbound, Kind};
use super::outbound::{AppCredentials, ConnectorClient, ConnectorOptions, Credentials};
use super::proactive::ProactiveMessages;
use super::service_url::UntrustedServiceUrl;
use super::turns::{AzureServer, Calls, TurnHandler};
use super::{AzureBotOptions, EventBody, ReceiveError, Received};
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, EgressError, EgressOptions};
use crate::metrics::ChannelFigures;
use crate::store::{StoreError, TurnKind, WaitingTurns};
use crate::{Ending, QueueServer, RefusalLog};

/// The bot behind Azure Bot Service: authentication, the queue of turns, and the sinks for answers.
#[derive(Debug)]
pub struct AzureBot {
    pub(super) options: AzureBotOptions,
    verifier: Verifier,
    client: Arc<ConnectorClient>,
    pub(super) records: ConnectorRecords,
    pub(super) calls: Arc<Calls>,
    /// The feedback of the last minutes, which needs no turn.
    clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    refusal_log: RefusalLog,
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
        let AzureBotOptions { quote_questions, private_apologies, .. } = options;
        let calls = ConnectorOptions { quote_questions, private_apologies, ..ConnectorOptions::default() };
        let client = ConnectorClient::new(egress, hosts, credentials, Arc::clone(&clock), Arc::clone(&ids));
        Ok(Self {
            options,
            verifier,
            client: Arc::new(client.with_options(calls)),
            records,
            calls: Arc::new(Calls::new()),
            clock,
            ids,
            refusal_log: RefusalLog::default(),
        })
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &AzureBotOptions {
        &self.options
    }

    /// Which calls to the service were refused.
    #[must_use]
    pub fn figures(&self) -> &ChannelFigures {
        self.client.figures()
    }

    /// How many activities wait for their turn, and since when the oldest has.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn waiting(&self) -> Result<(usize, Duration), StoreError> {
        let WaitingTurns { count, oldest } = self.records.store().waiting_turns(TurnKind::Azure).await?;
        let waiting = count.saturating_sub(self.calls.running());
        let oldest = oldest
            .filter(|_| waiting > 0)
            .map_or(Duration::ZERO, |oldest| (self.clock.now() - oldest).to_std().unwrap_or_default());
        Ok((waiting, oldest))
    }

    /// The way for answers that come later.
    #[must_use]
    pub fn later(&self) -> ProactiveMessages {
        let (client, clock) = (Arc::clone(&self.client), Arc::clone(&self.clock));
        ProactiveMessages::new(self.records.clone(), client, self.options.auth.addresses.clone(), clock)
            .in_turn(Arc::clone(&self.calls), self.options.turns.room())
            .self_contained_for_agents(self.options.self_contained_for_agents)
            .html_email(self.options.html_email)
    }

    /// The clock of the answers.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// The records of conversations.
    #[must_use]
    pub fn records(&self) -> &ConnectorRecords {
        &self.records
    }

    /// Keeps the keys of callers fresh. To be called from time to time.
    pub async fn keep_fresh(&self) {
        self.verifier.keep_fresh().await;
    }

    /// Has `handler` answer what comes in, until `ending` begins. Then no turn begins any more: what waits in the store is answered
    /// after the next start, and those who wait for answers in the response are told.
    pub async fn run(&self, handler: Arc<dyn TurnHandler>, tasks: TaskTracker, ending: Ending) {
        let server = AzureServer {
            handler: Arc::clone(&handler),
            calls: Arc::clone(&self.calls),
            records: self.records.clone(),
            client: Arc::clone(&self.client),
            addresses: Arc::new(self.options.auth.addresses.clone()),
            clock: Arc::clone(&self.clock),
            html_email: self.options.html_email,
        };
        let store = Arc::clone(self.records.store());
        let queues = QueueServer::new(store, TurnKind::Azure, self.options.turns.at_once);
        queues.run(Arc::new(server), tasks, ending).await;
        for call in self.calls.close() {
            call.turn_away(&handler.busy()).await;
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
                let id = admitted.conversation();
                self.records.store().forget_turns(&id, TurnKind::Azure).await?;
                self.calls.forget(&id);
                Ok(Received::nothing(mode))
            }
            Kind::Passing => Ok(Received::nothing(mode)),
            Kind::Nothing => {
                let (id, met) = (admitted.conversation(), self.records.meet(&admitted.reference).await);
                if let Err(error) = met {
                    // There is nothing to be lost.
                    tracing::error!(conversation.id = %id, %error, "a conversation reference could not be stored");
                }
                Ok(Received::nothing(mode))
            }
            Kind::Question | Kind::Wordless | Kind::Arrival => match mode {
                DeliveryMode::Normal => self.take_in(admitted).await,
                DeliveryMode::ExpectReplies => self.reply(admitted, handler).await,
                DeliveryMode::Stream => self.stream(admitted).await,
            },
        }
    }

    fn admit(&self, inbound: Inbound, bearer: Bearer, is_local: bool) -> Result<Admitted, ReceiveError> {
        let caller = bearer.speaks_for(inbound.channel_id(), inbound.service_url());
        let caller = caller.map_err(|error| self.unauthorized(&error))?;
        self.check_service(&inbound, is_local).map_err(|error| {
            self.complain(&error.to_string());
            ReceiveError::UntrustedServiceUrl
        })?;
        let reference = inbound.reference(caller);
        // The reader of activities has seen to it that there is a conversation.
        let mut address = reference.address().map_err(|_| ReceiveError::UntrustedServiceUrl)?;
        address.reply_to_id = inbound.answered_id().map(str::to_owned);
        Ok(Admitted { inbound, reference, address })
    }

    /// Sees to it that answers may go where they would. Who waits for them in the response need not say where that is.
    fn check_service(&self, inbound: &Inbound, is_local: bool) -> Result<(), UntrustedServiceUrl> {
        let Some(service_url) = inbound.service_url() else {
            return match inbound.delivery_mode() {
                DeliveryMode::Normal => Err(UntrustedServiceUrl::NoAddress),
                DeliveryMode::ExpectReplies | DeliveryMode::Stream => Ok(()),
            };
        };
        // This machine is a service only for who is on it.
        let hosts = if self.options.loopback_services && is_local { self.client.hosts() } else { &self.options.hosts };
        hosts.check(service_url).map(drop)
    }

    /// Keeps a user's opinion of an answer, before anyone is told that it is kept.
    async fn submitted(&self, admitted: &Admitted) -> Result<Received, ReceiveError> {
        let inbound = &admitted.inbound;
        let submitted = inbound.value().and_then(SubmittedFeedback::read).ok_or(ReceiveError::UnknownInvoke)?;
        let id = self.records.meet(&admitted.reference).await?;
        let name = admitted.name();
        self.records.rated(&id, submitted, inbound.from(), inbound.reply_to_id(), name.as_deref()).await?;
        // Teams shows an error when there is anything in it.
        let body = json!({});
        Ok(match inbound.delivery_mode() {
            DeliveryMode::Normal => Received::Outcome(body),
            DeliveryMode::ExpectReplies => Received::Replies { activities: Vec::new(), body: Some(body) },
            DeliveryMode::Stream => Received::Events(EventBody::of_invoke(&body)),
        })
    }

    /// Tells the operator why something was refused, in words that hold nothing secret.
    pub(super) fn complain(&self, words: &str) {
        if let Some(more) = self.refusal_log.take(words, self.clock.now()) {
            tracing::warn!(reason = words, more_since_last = more, "an activity was refused");
        }
    }
}
