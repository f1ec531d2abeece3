//! Answers questions from Azure Bot Service and from other agents.

use std::sync::Arc;

use async_trait::async_trait;

use super::answering::WORDS_ONLY;
use super::azure_sink::{AzureSink, AzureTurn, tell};
use super::converse::converse;
use super::failure::Case;
use super::stopping::deleted;
use super::{Assistant, AssistantOptions, Assistants, history};
use crate::activity::{Activity, Watermark};
use crate::channels::azure_bot::{
    AzureBotOptions, ConnectorAnswer, ConnectorRecords, GREETING, Kind, TurnHandler, TurnInFlight, TurnOutcome,
};
use crate::channels::direct_line::Owner;
use crate::channels::earlier_answers;
use crate::clock::Clock;
use crate::convert::Conversion;
use crate::metrics::{Apology, Metrics};
use crate::store::{ChangeListener, ConversationStore};
use crate::upstream::{Ask, Reply, UpstreamError};

/// Answers turns from Azure Bot Service with an assistant.
#[derive(Debug)]
pub struct AzureResponder {
    assistants: Arc<Assistants>,
    store: Arc<dyn ConversationStore>,
    records: ConnectorRecords,
    clock: Arc<dyn Clock>,
    /// The assistant that answers; that of the channel itself where none is named.
    name: Option<String>,
    self_contained_for_agents: bool,
    html_email: bool,
    metrics: Metrics,
}

impl AzureResponder {
    /// The assistant that the options name.
    #[must_use]
    pub fn new(
        assistants: Arc<Assistants>,
        store: Arc<dyn ConversationStore>,
        records: ConnectorRecords,
        clock: Arc<dyn Clock>,
        options: &AzureBotOptions,
    ) -> Self {
        let AzureBotOptions { self_contained_for_agents, html_email, .. } = *options;
        let (name, metrics) = (options.assistant.clone(), Metrics::default());
        Self { assistants, store, records, clock, name, self_contained_for_agents, html_email, metrics }
    }

    /// Counts in these metrics.
    #[must_use]
    pub fn counted(self, metrics: Metrics) -> Self {
        Self { metrics, ..self }
    }

    fn assistant(&self) -> Option<Arc<Assistant>> {
        match &self.name {
            Some(name) => self.assistants.get(name),
            None => self.assistants.answering(&Owner::CHANNEL),
        }
    }

    /// The words of the assistant. Where there is none, nobody has set other words than the usual ones.
    fn options(&self) -> AssistantOptions {
        self.assistant().map_or_else(AssistantOptions::default, |assistant| assistant.options().clone())
    }
}

#[async_trait]
impl TurnHandler for AzureResponder {
    async fn respond(&self, turn: &TurnInFlight) -> TurnOutcome {
        let Some(assistant) = self.assistant() else {
            let id = &turn.conversation;
            tracing::warn!(conversation.id = %id, "no assistant answers Azure Bot Service: set azure_bot.assistant");
            match turn.inbound.asks() {
                Kind::Question | Kind::Wordless => self.apologize(turn).await,
                Kind::Arrival | Kind::Invoke(_) | Kind::End | Kind::Passing | Kind::Nothing => {}
            }
            return TurnOutcome::Failed;
        };
        match turn.inbound.asks() {
            Kind::Question => self.answer(&assistant, turn).await,
            Kind::Wordless => {
                self.metrics.apology(Apology::Wordless);
                self.say(turn, WORDS_ONLY, None).await
            }
            Kind::Arrival => self.greet(&assistant, turn).await,
            Kind::Invoke(_) | Kind::End | Kind::Passing | Kind::Nothing => TurnOutcome::Answered,
        }
    }

    async fn apologize(&self, turn: &TurnInFlight) {
        self.metrics.apology(Apology::Failure);
        self.say(turn, &self.options().failure, None).await;
    }

    fn busy(&self) -> String {
        self.metrics.apology(Apology::Busy);
        self.options().busy
    }
}

impl AzureResponder {
    /// Greets whoever has come, once in a conversation: that somebody has come is said in more than one way.
    async fn greet(&self, assistant: &Assistant, turn: &TurnInFlight) -> TurnOutcome {
        let (id, greeting) = (&turn.conversation, &assistant.options().greeting);
        if greeting.is_empty() {
            return TurnOutcome::Answered;
        }
        match self.records.recall(id, GREETING).await {
            Ok(Some(_)) => TurnOutcome::Answered,
            Ok(None) => self.say(turn, greeting, Some(GREETING)).await,
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "the greeting was not sent: the store could not be read");
                TurnOutcome::Failed
            }
        }
    }

    async fn answer(&self, assistant: &Assistant, turn: &TurnInFlight) -> TurnOutcome {
        let (id, options, words) = (&turn.conversation, assistant.options(), turn.inbound.words());
        let case = Case::new(assistant, Some(id), &words);
        let place = self.hear(turn, &words).await;
        let deleted = Box::pin(deleted(self.listener(turn).await));
        let answer = self.begin(turn);
        let asking = self.ask(assistant, turn, &words, place, !answer.can_stream());
        let mut conversion = self.conversion(assistant, turn);
        conversion.earlier = earlier_answers(&*self.store, id).await;
        let (informative, metrics) = (options.informative.as_str(), &self.metrics);
        let context = AzureTurn { turn, conversion: &conversion, informative, metrics };
        converse(case, AzureSink { answer, deleted, context }, asking).await
    }

    /// Records the user's words; returns its place, if it has one.
    async fn hear(&self, turn: &TurnInFlight, words: &str) -> Option<Watermark> {
        let TurnInFlight { conversation, reference, inbound, .. } = turn;
        match self.records.heard(conversation, reference, Activity::message(words), inbound.id()).await {
            Ok(heard) => heard?.recorded.first().map(|recorded| recorded.watermark),
            Err(error) => {
                tracing::error!(conversation.id = %conversation, %error, "a question was answered but not recorded");
                None
            }
        }
    }

    /// A listener that falls silent when the conversation is deleted.
    async fn listener(&self, turn: &TurnInFlight) -> Option<ChangeListener> {
        self.store.subscribe(&turn.conversation).await.ok().flatten()
    }

    fn begin(&self, turn: &TurnInFlight) -> ConnectorAnswer {
        turn.begin(self.html_email, Arc::clone(&self.clock))
    }

    fn conversion(&self, assistant: &Assistant, turn: &TurnInFlight) -> Conversion {
        let mut conversion = assistant.conversion(turn.reference.dialect(self.html_email));
        conversion.addresses = self.assistants.addresses_for_anybody();
        conversion.options.self_contained |= self.self_contained_for_agents && turn.reference.is_agent();
        conversion
    }

    async fn ask(
        &self,
        assistant: &Assistant,
        turn: &TurnInFlight,
        words: &str,
        place: Option<Watermark>,
        at_once: bool,
    ) -> Result<Reply, UpstreamError> {
        let id = &turn.conversation;
        let turns = history::up_to(&*self.store, id, place, words, assistant.options().history_tokens).await;
        let ask = Ask { conversation: Some(id.to_string()), at_once, ..Ask::new(turns) };
        self.assistants.ask(assistant, ask).await
    }

    /// Says something of our own.
    async fn say(&self, turn: &TurnInFlight, text: &str, key: Option<&str>) -> TurnOutcome {
        tell(turn, self.begin(turn), text, key).await
    }
}
