//! Answers questions from Azure Bot Service and from other agents.

use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::future::{self, Either};

use super::answering::{WORDS_ONLY, deleted};
use super::failure::{Case, UNANSWERED};
use super::{Assistant, AssistantOptions, Assistants, history};
use crate::activity::{Activity, Watermark};
use crate::channels::azure_bot::{
    Answered, AzureBotOptions, ConnectorAnswer, ConnectorRecords, Failed, Followed, GREETING, Kind, Turn, TurnHandler,
    TurnOutcome,
};
use crate::channels::direct_line::Owner;
use crate::channels::{Incomplete, counted, log_report};
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

    /// The same, counted there.
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
    async fn respond(&self, turn: &Turn) -> TurnOutcome {
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

    async fn apologize(&self, turn: &Turn) {
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
    async fn greet(&self, assistant: &Assistant, turn: &Turn) -> TurnOutcome {
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

    async fn answer(&self, assistant: &Assistant, turn: &Turn) -> TurnOutcome {
        let (id, options, words) = (&turn.conversation, assistant.options(), turn.inbound.words());
        let case = Case::new(assistant, Some(id), &words);
        let place = self.hear(turn, &words).await;
        let mut deleted = Box::pin(deleted(self.listener(turn).await));
        let mut answer = self.begin(turn);
        let mut asking = pin!(self.ask(assistant, turn, &words, place, !answer.can_stream()));
        // The back end is asked while the user is told so.
        let at_once = match future::select(pin!(answer.inform(&options.informative)), asking.as_mut()).await {
            Either::Left(((), _)) => None,
            Either::Right((reply, informing)) => {
                informing.await;
                Some(reply)
            }
        };
        let reply = async {
            match at_once {
                Some(reply) => reply,
                None => answer.during(asking).await,
            }
        };
        let reply = tokio::select! {
            biased;
            () = turn.ending.cancelled() => return self.close(turn, answer, (Apology::Failure, &options.failure)).await,
            // What asks ends with its future.
            () = &mut deleted => return self.close(turn, answer, (Apology::Failure, &options.failure)).await,
            reply = reply => reply,
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                case.failed(UNANSWERED, &error);
                return self.close(turn, answer, options.in_place_of_answer(&error)).await;
            }
        };
        let conversion = self.conversion(assistant, turn);
        let format = reply.events.from().slug();
        // At the end of everything, what has arrived is what there is.
        let ending = Box::pin(turn.ending.clone().cancelled_owned());
        let events = reply.events.with_parts(|parts| parts.take_until(future::select(ending, deleted)).boxed());
        match answer.follow(conversion, events).await {
            Ok(Followed { answered, incomplete, .. }) => {
                self.metrics.conversion(format, counted(&answered.report));
                log_report(&answered.report);
                let end = if incomplete.is_some() { TurnOutcome::Failed } else { TurnOutcome::Answered };
                match incomplete {
                    Some(Incomplete::NoEnd) if turn.ending.is_cancelled() => {
                        tracing::info!(conversation.id = %id, assistant = assistant.name(), "an answer was cut off because its time limit has passed");
                    }
                    Some(why) => case.incomplete(&why, &answered.report),
                    None => {}
                }
                let Answered { message, ids, .. } = answered;
                turn.record(message, &ids, None).await;
                end
            }
            Err(unanswered) => {
                if let Failed::NoAnswer(cause) = &unanswered.cause {
                    self.metrics.conversion(format, cause.counted());
                }
                let text = match &unanswered.cause {
                    // That there is nothing to say is an answer.
                    Failed::NoAnswer(cause) if cause.is_refused() => {
                        let (kind, refusal) = case.unanswered(cause);
                        self.metrics.apology(kind);
                        return self.tell(turn, unanswered.answer, refusal, None).await;
                    }
                    Failed::NoAnswer(cause) => case.unanswered(cause),
                    // Nothing of this is the back end's doing.
                    error @ Failed::Refused(_) => {
                        tracing::error!(conversation.id = %id, assistant = assistant.name(), %error, "an answer could not be sent");
                        (Apology::Failure, options.failure.as_str())
                    }
                };
                self.close(turn, unanswered.answer, text).await
            }
        }
    }

    /// Records what the user has said; returns its place, if it has one.
    async fn hear(&self, turn: &Turn, words: &str) -> Option<Watermark> {
        let Turn { conversation, reference, inbound, .. } = turn;
        match self.records.heard(conversation, reference, Activity::message(words), inbound.id()).await {
            Ok(heard) => heard?.recorded.first().map(|recorded| recorded.watermark),
            Err(error) => {
                tracing::error!(conversation.id = %conversation, %error, "a question was answered but not recorded");
                None
            }
        }
    }

    /// What falls silent when the conversation is deleted.
    async fn listener(&self, turn: &Turn) -> Option<ChangeListener> {
        self.store.subscribe(&turn.conversation).await.ok().flatten()
    }

    fn begin(&self, turn: &Turn) -> ConnectorAnswer {
        turn.begin(self.html_email, Arc::clone(&self.clock))
    }

    fn conversion(&self, assistant: &Assistant, turn: &Turn) -> Conversion {
        let mut conversion = assistant.conversion(turn.reference.dialect(self.html_email));
        conversion.addresses = self.assistants.addresses_for_anybody();
        conversion.options.self_contained |= self.self_contained_for_agents && turn.reference.is_agent();
        conversion
    }

    async fn ask(
        &self,
        assistant: &Assistant,
        turn: &Turn,
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
    async fn say(&self, turn: &Turn, text: &str, key: Option<&str>) -> TurnOutcome {
        self.tell(turn, self.begin(turn), text, key).await
    }

    /// Ends an answer with a text of our own, in place of what was asked for.
    async fn close(&self, turn: &Turn, answer: ConnectorAnswer, (kind, text): (Apology, &str)) -> TurnOutcome {
        self.metrics.apology(kind);
        self.tell(turn, answer, text, None).await;
        TurnOutcome::Failed
    }

    async fn tell(&self, turn: &Turn, answer: ConnectorAnswer, text: &str, key: Option<&str>) -> TurnOutcome {
        match answer.close(text).await {
            Ok(ids) => {
                turn.record(Activity::message(text), &ids, key).await;
                TurnOutcome::Answered
            }
            Err(error) => {
                tracing::error!(conversation.id = %turn.conversation, %error, "a text could not be sent to a user");
                TurnOutcome::Failed
            }
        }
    }
}
