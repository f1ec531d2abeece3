//! The state that all handlers share.

use std::sync::Arc;

use super::HttpOptions;
use super::admission::LimitError;
use super::admission::downloads::DownloadSlots;
use super::admission::limits::RateLimits;
use super::admission::uploads::UploadSlots;
use super::manifest::Pipeline;
use super::tasks::Tasks;
use crate::assistant::{Answering, AssistantManager, Assistants, Audience, AzureResponder, Downloads};
use crate::bus::Bus;
use crate::channels::azure_bot::{AzureBot, ProactiveMessages};
use crate::channels::direct_line::bot::{BotChannel, BotClient};
use crate::channels::direct_line::streaming::{StreamingAnswers, StreamingOptions};
use crate::channels::direct_line::{Caller, DirectLine, DirectLineOptions, Owner, Respondent, Tokens};
use crate::channels::direct_line_client::BoundDirectLine;
use crate::channels::{Delivery, RefusalLog, Retention};
use crate::clock::{Clock, IdSource};
use crate::document::DownloadKey;
use crate::metrics::Metrics;
use crate::redirects::Redirects;
use crate::store::ConversationStore;

/// The server's parts, put together once and shared by all workers.
#[derive(Debug)]
pub struct State {
    pub(crate) options: HttpOptions,
    pub(crate) direct_line: DirectLine,
    pub(crate) delivery: Delivery,
    /// Answers that are shown while they are written.
    pub(crate) streaming: StreamingAnswers,
    pub(crate) retention: Retention,
    pub(crate) store: Arc<dyn ConversationStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    /// The bot behind the channel, if there is one.
    pub(crate) bot: Option<Arc<BotChannel>>,
    /// The bot behind Azure Bot Service, if there is one.
    pub(crate) azure_bot: Option<Arc<AzureBot>>,
    /// Answers in conversations of the channel, where an assistant answers there.
    pub(crate) answering: Option<Answering>,
    /// The assistants that answer questions.
    pub(crate) assistants: Arc<Assistants>,
    /// Changes the assistants of the store, where callers may do that.
    pub(crate) manager: Option<Arc<AssistantManager>>,
    /// Judges addresses of documents that are credentials themselves.
    pub(crate) download_key: DownloadKey,
    /// Follows redirects of sources, if that is switched on.
    pub(crate) redirects: Option<Redirects>,
    pub(crate) tasks: Tasks,
    /// The uploads that are being taken in.
    pub(crate) uploads: Arc<UploadSlots>,
    /// The files that are given out.
    pub(crate) sending: Arc<DownloadSlots>,
    /// The rate limits of callers.
    pub(crate) limits: RateLimits,
    /// The refusals and downloads that stand in the log already.
    pub(crate) audited: RefusalLog,
    /// The metrics of the server.
    pub(crate) metrics: Metrics,
    /// Brings activities that are not recorded to readers on other nodes, if there are any.
    pub(crate) bus: Option<Bus>,
}

impl State {
    /// Puts the parts together.
    #[must_use]
    pub fn new(
        options: HttpOptions,
        direct_line: DirectLineOptions,
        store: Arc<dyn ConversationStore>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Self {
        let metrics = Metrics::new();
        let uploads = UploadSlots::new(options.limits, &direct_line, metrics.clone());
        let sending = DownloadSlots::new(options.limits, metrics.clone());
        let limits = RateLimits::new(options.limits);
        let download_key =
            DownloadKey::new(&options.direct_line_secret).or_by(options.second_direct_line_secret.as_ref());
        let tokens = Tokens::new(&options.direct_line_secret, Arc::clone(&clock), Arc::clone(&ids))
            .or_by(options.second_direct_line_secret.as_ref());
        let delivery = Delivery::new(Arc::clone(&store), &direct_line);
        let retention = Retention::new(Arc::clone(&store), Arc::clone(&clock), options.retention);
        let channel = direct_line.clone();
        let direct_line =
            DirectLine::new(Arc::clone(&store), tokens, Arc::clone(&clock), Arc::clone(&ids), direct_line);
        metrics.watch_store(store.figures());
        let streaming =
            StreamingAnswers::new(direct_line.publisher(), Arc::clone(&store), &channel, StreamingOptions::default());
        let streaming = streaming.counted(metrics.clone());
        Self {
            options,
            direct_line,
            delivery,
            streaming,
            retention,
            store,
            clock,
            ids,
            bot: None,
            azure_bot: None,
            answering: None,
            assistants: Arc::default(),
            manager: None,
            download_key,
            redirects: None,
            tasks: Tasks::default(),
            uploads,
            sending,
            limits,
            audited: RefusalLog::default(),
            metrics,
            bus: None,
        }
    }

    /// Sets the options for answers that are shown while they are written.
    #[must_use]
    pub fn show_live(self, options: StreamingOptions) -> Self {
        Self { streaming: self.streaming.with_options(options), ..self }
    }

    /// Lets readers see the answers that other nodes stream.
    #[must_use]
    pub fn with_bus(self, bus: Bus) -> Self {
        self.metrics.watch_bus(bus.figures());
        self.direct_line.publisher().hub().connect(bus.clone());
        Self { bus: Some(bus), ..self }
    }

    /// Connects a bot behind the channel.
    #[must_use]
    pub fn with_bot(self, client: BotClient) -> Self {
        let citer = Arc::new(Pipeline::new(Arc::clone(&self.options.labels)));
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let bot = BotChannel::new(client, store, self.direct_line.publisher(), clock, citer);
        let bot = Arc::new(bot.counted(self.metrics.clone()));
        Self { bot: Some(bot), ..self }.listen()
    }

    /// Connects a bot behind Azure Bot Service, into whose conversations answers can come later as well.
    #[must_use]
    pub fn with_azure_bot(self, azure: AzureBot) -> Self {
        self.metrics.watch_channel(azure.figures());
        let state = self.answer_later(azure.later());
        Self { azure_bot: Some(Arc::new(azure)), ..state }
    }

    /// Adds answers that come later into conversations behind Azure Bot Service.
    #[must_use]
    pub fn answer_later(self, later: ProactiveMessages) -> Self {
        Self { delivery: self.delivery.answer_later(later), ..self }
    }

    /// The responder that answers behind Azure Bot Service.
    pub(crate) fn behind_azure(&self, azure: &AzureBot) -> AzureResponder {
        let (assistants, store) = (Arc::clone(&self.assistants), Arc::clone(&self.store));
        AzureResponder::new(assistants, store, azure.records().clone(), Arc::clone(azure.clock()), azure.options())
            .counted(self.metrics.clone())
    }

    /// Adds conversations that are bound to another Direct Line.
    #[must_use]
    pub fn bind(self, elsewhere: BoundDirectLine) -> Self {
        self.metrics.watch_channel(elsewhere.figures());
        Self { delivery: self.delivery.bind(elsewhere), ..self }
    }

    /// The owner of the conversations for which this Direct Line secret is valid: the channel itself, or an assistant.
    pub(crate) fn owner_of_secret(&self, secret: &str) -> Option<Owner> {
        if self.options.is_direct_line_secret(secret) {
            return Some(Owner::CHANNEL);
        }
        self.assistants.owner_of_secret(secret)
    }

    /// Counts a post of the holder of a token; the holder of a secret posts as often as he likes.
    ///
    /// # Errors
    /// When it is one too many.
    pub(crate) fn limit_post(&self, caller: &Caller) -> Result<(), LimitError> {
        match caller {
            Caller::Token(claims) => self.limits.post(claims),
            Caller::Secret(_) => Ok(()),
        }
    }

    /// Sets the assistants that answer questions.
    #[must_use]
    pub fn with_assistants(self, assistants: Arc<Assistants>) -> Self {
        self.metrics.watch_back_ends(assistants.figures());
        Self { assistants, ..self }.listen()
    }

    /// Adds the manager, through which callers of the API change assistants.
    #[must_use]
    pub fn with_manager(self, manager: Arc<AssistantManager>) -> Self {
        Self { manager: Some(manager), ..self }
    }

    /// Makes and judges addresses of documents for readers of conversations.
    pub(crate) fn downloads(&self) -> Downloads {
        Downloads::new(Arc::clone(&self.assistants), Arc::clone(&self.store), self.download_key.clone())
    }

    /// Starts to answer the messages of users.
    fn listen(self) -> Self {
        let answering = Answering::new(
            Arc::clone(&self.assistants),
            Arc::clone(&self.store),
            self.streaming.clone(),
            self.downloads(),
            self.direct_line.options(),
        );
        self.metrics.watch_queue("turns", answering.queue());
        let bot = self.bot.clone().map(|bot| bot as Arc<dyn Respondent>);
        let audience = Audience::new(bot, answering.clone());
        let direct_line = self.direct_line.answered_by(Arc::new(audience));
        Self { direct_line, answering: Some(answering), ..self }
    }

    /// Adds the resolver that follows redirects of sources.
    #[must_use]
    pub fn follow(self, redirects: Redirects) -> Self {
        Self { redirects: Some(redirects), ..self }
    }
}
