//! Answers to what people ask through Azure Bot Service, and through other agents.

use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::future::{self, Either};

use super::answering::{WORDS_ONLY, deleted};
use super::cause::{Case, UNANSWERED};
use super::{Assistant, AssistantOptions, Assistants, history};
use crate::activity::{Activity, Watermark};
use crate::channels::azure_bot::{
    Answered, AzureBotOptions, Call, CallEnd, ConnectorAnswer, ConnectorRecords, Failed, Followed, Kind, Line,
    Responder,
};
use crate::channels::direct_line::Owner;
use crate::channels::{Incomplete, counted};
use crate::clock::Clock;
use crate::convert::Conversion;
use crate::metrics::Metrics;
use crate::store::{ConversationStore, ChangeListener};
use crate::upstream::{Ask, Reply, UpstreamError};

/// Under which key a greeting is recorded, of which a conversation has one.
const GREETING: &str = "greeting";

/// The assistant behind Azure Bot Service at work.
#[derive(Debug)]
pub struct BehindAzure {
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

impl BehindAzure {
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
impl Responder for BehindAzure {
    async fn respond(&self, call: &Call) -> CallEnd {
        let Some(assistant) = self.assistant() else {
            let id = &call.conversation;
            tracing::warn!(conversation.id = %id, "nobody answers behind Azure Bot Service: set azure_bot.assistant");
            match call.inbound.asks() {
                Kind::Question | Kind::Wordless => self.apologise(call).await,
                Kind::Arrival | Kind::Invoke(_) | Kind::End | Kind::Passing | Kind::Nothing => {}
            }
            return CallEnd::Failed;
        };
        match call.inbound.asks() {
            Kind::Question => self.answer(&assistant, call).await,
            Kind::Wordless => self.say(call, WORDS_ONLY, None).await,
            Kind::Arrival => self.greet(&assistant, call).await,
            Kind::Invoke(_) | Kind::End | Kind::Passing | Kind::Nothing => CallEnd::Answered,
        }
    }

    async fn apologise(&self, call: &Call) {
        self.say(call, &self.options().failure, None).await;
    }

    fn busy(&self) -> String {
        self.options().busy
    }
}

impl BehindAzure {
    /// Greets whoever has come, once in a conversation: that somebody has come is said in more than one way.
    async fn greet(&self, assistant: &Assistant, call: &Call) -> CallEnd {
        let (id, greeting) = (&call.conversation, &assistant.options().greeting);
        if greeting.is_empty() {
            return CallEnd::Answered;
        }
        match self.records.recall(id, GREETING).await {
            Ok(Some(_)) => CallEnd::Answered,
            Ok(None) => self.say(call, greeting, Some(GREETING)).await,
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "nobody is greeted, who may have been already");
                CallEnd::Failed
            }
        }
    }

    async fn answer(&self, assistant: &Assistant, call: &Call) -> CallEnd {
        let (id, options, words) = (&call.conversation, assistant.options(), call.inbound.words());
        let case = Case::new(assistant, Some(id), &words);
        let place = self.hear(call, &words).await;
        // An answer that was sent for later may be on its way.
        let line = tokio::select! {
            biased;
            () = call.ending.cancelled() => {
                // Whoever has the line may not come to an end in time.
                self.tell(call, self.begin(call), &options.failure, None).await;
                return CallEnd::Failed;
            }
            line = self.records.line(id) => line,
        };
        let mut deleted = pin!(deleted(self.listener(call).await));
        let mut answer = self.begin(call);
        let mut asking = pin!(self.ask(assistant, call, &words, place, !answer.can_stream()));
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
            () = call.ending.cancelled() => return self.close(call, answer, &options.failure, line).await,
            // What asks ends with its future.
            () = &mut deleted => return self.close(call, answer, &options.failure, line).await,
            reply = reply => reply,
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                case.failed(UNANSWERED, &error);
                return self.close(call, answer, options.in_place_of_answer(&error), line).await;
            }
        };
        let conversion = self.conversion(assistant, call, &reply);
        let format = conversion.slug();
        // At the end of everything, what has arrived is what there is.
        let ending = pin!(call.ending.cancelled());
        let body = reply.body.take_until(future::select(ending, deleted));
        match answer.follow(conversion, body).await {
            Ok(Followed { answered, incomplete, .. }) => {
                self.metrics.conversion(format, counted(&answered.report));
                let end = if incomplete.is_some() { CallEnd::Failed } else { CallEnd::Answered };
                match incomplete {
                    Some(Incomplete::NoEnd) if call.ending.is_cancelled() => {
                        tracing::info!(conversation.id = %id, assistant = assistant.name(), "the time is over in the middle of an answer");
                    }
                    Some(why) => case.incomplete(&why, &answered.report),
                    None => {}
                }
                let Answered { message, ids, .. } = answered;
                self.record(call, message, &ids, None).await;
                end
            }
            Err(unanswered) => {
                if let Failed::NoAnswer(cause) = &unanswered.cause {
                    self.metrics.conversion(format, cause.counted());
                }
                let text = match &unanswered.cause {
                    // That there is nothing to say is an answer.
                    Failed::NoAnswer(cause) if cause.is_refused() => {
                        let refusal = case.unanswered(cause);
                        return self.tell(call, unanswered.answer, refusal, None).await;
                    }
                    Failed::NoAnswer(cause) => case.unanswered(cause),
                    // Nothing of this is the back end's doing.
                    error @ Failed::Refused(_) => {
                        tracing::error!(conversation.id = %id, assistant = assistant.name(), %error, "an answer could not be sent");
                        &options.failure
                    }
                };
                self.close(call, unanswered.answer, text, line).await
            }
        }
    }

    /// Records what the user has said; returns its place, if it has one.
    async fn hear(&self, call: &Call, words: &str) -> Option<Watermark> {
        let Call { conversation, reference, inbound, .. } = call;
        match self.records.heard(conversation, reference, Activity::message(words), inbound.id()).await {
            Ok(heard) => heard?.recorded.first().map(|recorded| recorded.watermark),
            Err(error) => {
                tracing::error!(conversation.id = %conversation, %error, "a question is answered and not recorded");
                None
            }
        }
    }

    /// What falls silent when the conversation is deleted.
    async fn listener(&self, call: &Call) -> Option<ChangeListener> {
        self.store.subscribe(&call.conversation).await.ok().flatten()
    }

    fn begin(&self, call: &Call) -> ConnectorAnswer {
        ConnectorAnswer::begin(
            call.outlet(),
            call.reference.dialect(self.html_email),
            call.pacing(),
            Arc::clone(&self.clock),
        )
    }

    fn conversion(&self, assistant: &Assistant, call: &Call, reply: &Reply) -> Conversion {
        let mut conversion = assistant.conversion(call.reference.dialect(self.html_email));
        conversion.from = reply.from;
        conversion.addresses = self.assistants.addresses_for_anybody();
        conversion.options.self_contained |= self.self_contained_for_agents && call.reference.is_agent();
        conversion
    }

    async fn ask(
        &self,
        assistant: &Assistant,
        call: &Call,
        words: &str,
        place: Option<Watermark>,
        at_once: bool,
    ) -> Result<Reply, UpstreamError> {
        let id = &call.conversation;
        let turns = history::up_to(&*self.store, id, place, words).await;
        let ask = Ask { conversation: Some(id.to_string()), at_once, ..Ask::new(turns) };
        self.assistants.ask(assistant, ask).await
    }

    /// Says something of our own.
    async fn say(&self, call: &Call, text: &str, key: Option<&str>) -> CallEnd {
        let _line = self.records.line(&call.conversation).await;
        self.tell(call, self.begin(call), text, key).await
    }

    /// Ends an answer with a text of our own, in place of what was asked for.
    async fn close(&self, call: &Call, answer: ConnectorAnswer, text: &str, _line: Line) -> CallEnd {
        self.tell(call, answer, text, None).await;
        CallEnd::Failed
    }

    async fn tell(&self, call: &Call, answer: ConnectorAnswer, text: &str, key: Option<&str>) -> CallEnd {
        match answer.close(text).await {
            Ok(ids) => {
                self.record(call, Activity::message(text), &ids, key).await;
                CallEnd::Answered
            }
            Err(error) => {
                tracing::error!(conversation.id = %call.conversation, %error, "a user could not be told something");
                CallEnd::Failed
            }
        }
    }

    async fn record(&self, call: &Call, said: Activity, ids: &[String], key: Option<&str>) {
        let Call { conversation, reference, .. } = call;
        match self.records.said(conversation, reference, said, ids, key).await {
            // Who has deleted the conversation does not want to have it back.
            Ok(_) => {}
            Err(error) => tracing::error!(conversation.id = %conversation, %error, "an answer was not recorded"),
        }
    }
}
