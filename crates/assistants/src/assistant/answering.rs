//! Answers questions in conversations of the embedded channel.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use super::assistant::TURN_WITHIN;
use super::converse::converse;
use super::failure::Case;
use super::stopping::{self, deleted};
use super::web_chat_sink::{WebChatSink, WebChatTurn, end, interrupted};
use super::{Assistant, AssistantOptions, Assistants, Downloads, history};
use crate::activity::{Activity, ChannelAccount, ConversationId};
use crate::channels::direct_line::streaming::{Stop, StreamingAnswer, StreamingAnswers};
use crate::channels::direct_line::{DirectLineOptions, Owner, Respondent, Unrecorded};
use crate::channels::{DeliveryError, HeldQueue, TurnEnd, TurnServer, is_given_up};
use crate::metrics::{Apology, Metrics, Queue};
use crate::store::{ChangeListener, ConversationStore, NewTurn, Queued, Turn, TurnKind, TurnRoom, TurnStage};
use crate::upstream::{Ask, Reply, UpstreamError};

/// The words for a question that is one too many.
const ONE_AT_A_TIME: &str = "I am still answering. Please ask again when I am done.";

/// The words for a message without words.
pub(super) const WORDS_ONLY: &str = "I can only read words. Please write your question.";

/// The words for a question that is longer than the channel lets through.
const TOO_LONG: &str = "Your question is too long for me. Please ask a shorter one.";

/// The room for questions that wait: behind the one of their conversation that is answered, and altogether.
const ROOM: TurnRoom = TurnRoom { in_queue: 4, in_all: 10_000 };

/// The number of questions that may wait for each one that is answered; those beyond are told to come again.
const WAITING_FOR_EACH: usize = 4;

/// Answers questions of users, one after the other in each conversation. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Answering(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    assistants: Arc<Assistants>,
    store: Arc<dyn ConversationStore>,
    streaming: StreamingAnswers,
    downloads: Downloads,
    /// Room for questions that are being answered.
    turns: Semaphore,
    /// Room for those and for questions that wait for their turn.
    waiting: Semaphore,
    /// Questions that wait for their turn.
    queue: Queue,
    max_question_bytes: usize,
    answer_within: Duration,
}

impl Answering {
    /// The assistants at work.
    #[must_use]
    pub fn new(
        assistants: Arc<Assistants>,
        store: Arc<dyn ConversationStore>,
        streaming: StreamingAnswers,
        downloads: Downloads,
        options: &DirectLineOptions,
    ) -> Self {
        let &DirectLineOptions { max_turns, max_question_bytes, answer_within, .. } = options;
        let (turns, waiting) = (Semaphore::new(max_turns), Semaphore::new(max_turns * (1 + WAITING_FOR_EACH)));
        Self(Arc::new(Inner {
            assistants,
            store,
            streaming,
            downloads,
            turns,
            waiting,
            queue: Queue::default(),
            max_question_bytes,
            answer_within,
        }))
    }
}

impl Answering {
    /// Questions that wait for their turn.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.0.queue
    }
}

#[async_trait]
impl Respondent for Answering {
    fn joined(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>) -> Option<NewTurn> {
        let assistant = self.0.assistants.answering(&Owner::of(id))?;
        if assistant.options().greeting.is_empty() {
            return None;
        }
        let body = Unrecorded::Joined { user: user.clone(), locale }.to_body()?;
        Some(NewTurn { kind: TurnKind::Assistant, body: Some(body), room: ROOM, name: None, bound: false })
    }

    fn said(&self, id: &ConversationId, activity: &Activity) -> Option<NewTurn> {
        self.0.assistants.answering(&Owner::of(id))?;
        // A card that a user has filled in sends a value without words: that is no question.
        let is_question = activity.kind == "message" && (has_words(activity) || has_attachments(activity));
        is_question.then_some(NewTurn { kind: TurnKind::Assistant, body: None, room: ROOM, name: None, bound: false })
    }

    async fn no_room(&self, id: &ConversationId, activity: Arc<Activity>, _full: Queued) {
        let inner = &self.0;
        let answer = inner.streaming.begin(id.clone()).replying_to(activity.id.as_ref());
        inner.close(answer, (Apology::Waiting, ONE_AT_A_TIME)).await;
    }
}

fn has_words(activity: &Activity) -> bool {
    activity.text.as_deref().is_some_and(|text| !text.trim().is_empty())
}

fn has_attachments(activity: &Activity) -> bool {
    activity.attachments.as_ref().is_some_and(|attached| !attached.is_empty())
}

#[async_trait]
impl TurnServer for Answering {
    type Memory = ();

    async fn answer(&self, queue: &HeldQueue, turn: &Turn, _memory: &mut ()) -> TurnEnd {
        let inner = &self.0;
        // The assistant that was there when the question was asked may be removed by now.
        let Some(assistant) = inner.assistants.answering(&Owner::of(queue.conversation())) else {
            return TurnEnd::Silent;
        };
        if let Some(body) = &turn.body {
            return match Unrecorded::from_body(body) {
                // Clients never see a conversationUpdate, so a greeting is no reply.
                Ok(Unrecorded::Joined { .. }) => inner.say(queue, turn, &assistant.options().greeting, None).await,
                Ok(Unrecorded::Ephemeral(_)) => TurnEnd::Silent,
                Err(error) => {
                    tracing::warn!(conversation.id = %queue.conversation(), %error, "a waiting turn could not be understood");
                    TurnEnd::Silent
                }
            };
        }
        let question = match queue.activity(turn).await {
            Ok(Some(question)) => question,
            Ok(None) => return TurnEnd::Silent,
            Err(error) => return TurnEnd::Failed(error),
        };
        if !has_words(&question) {
            inner.metrics().apology(Apology::Wordless);
            return inner.say(queue, turn, WORDS_ONLY, Some(&question)).await;
        }
        if question.text.as_deref().is_some_and(|text| text.len() > inner.max_question_bytes) {
            inner.metrics().apology(Apology::TooLong);
            return inner.say(queue, turn, TOO_LONG, Some(&question)).await;
        }
        inner.answer(&assistant, queue, turn, &question).await
    }

    async fn apologize(&self, queue: &HeldQueue, turn: &Turn) -> TurnEnd {
        let question = match queue.activity(turn).await {
            Ok(Some(question)) => question,
            // A greeting that failed needs no apology: its user has asked nothing.
            Ok(None) => return TurnEnd::Silent,
            Err(error) => return TurnEnd::Failed(error),
        };
        let assistant = self.0.assistants.answering(&Owner::of(queue.conversation()));
        let options = assistant.map_or_else(AssistantOptions::default, |assistant| assistant.options().clone());
        // Something may have been shown before it failed.
        let shown = Turn { stage: TurnStage::Spoken, ..turn.clone() };
        self.0.metrics().apology(if is_given_up(turn) { Apology::GivenUp } else { Apology::Failure });
        self.0.say(queue, &shown, &options.failure, Some(&question)).await
    }
}

impl Inner {
    async fn answer(&self, assistant: &Assistant, queue: &HeldQueue, turn: &Turn, question: &Activity) -> TurnEnd {
        let (id, options) = (queue.conversation(), assistant.options());
        let stop = Stop::new(&options.stopped);
        let answer = self.streaming.begin(id.clone()).replying_to(question.id.as_ref());
        let mut answer = answer.to_turn(turn, queue.end_of(turn)).until(&stop);
        let listener = match self.begin(&mut answer, &options.informative).await {
            Ok(listener) => listener,
            // The conversation is gone, and its readers with it.
            Err(DeliveryError::UnknownConversation) => return TurnEnd::Lost,
            Err(error) => {
                tracing::error!(conversation.id = %id, assistant = assistant.name(), %error, "an answer could not be started");
                return TurnEnd::of::<()>(Err(error));
            }
        };
        let place = question.id.as_ref().and_then(|question| question.place_in(id));
        let hearing = stopping::hear(&*self.store, id, place, listener.clone(), &stop);
        // It hears beside all that follows, and never ends that.
        let hearing = async {
            hearing.await;
            std::future::pending().await
        };
        let answering = self.write(assistant, queue, turn, question, answer, (listener, &stop));
        tokio::select! {
            biased;
            end = answering => end,
            end = hearing => end,
        }
    }

    /// Writes an answer that has begun.
    async fn write(
        &self,
        assistant: &Assistant,
        queue: &HeldQueue,
        turn: &Turn,
        question: &Activity,
        answer: StreamingAnswer,
        (listener, stop): (ChangeListener, &Stop),
    ) -> TurnEnd {
        let (id, options) = (queue.conversation(), assistant.options());
        let case = Case::new(assistant, Some(id), question.text.as_deref().unwrap_or_default());
        let place = tokio::select! {
            biased;
            () = queue.ending.begun.cancelled() => return interrupted(queue, turn).await,
            () = stop.asked() => return end(answer, stop.words()).await,
            place = self.turn(&case) => place,
        };
        let Some(_place) = place else {
            return self.close(answer, (Apology::Busy, &options.busy)).await;
        };
        let at_once = !answer.is_read().await;
        let context = WebChatTurn {
            queue,
            turn,
            stop,
            downloads: &self.downloads,
            store: &*self.store,
            metrics: self.metrics(),
            deadline: Instant::now() + self.answer_within,
            limit: self.answer_within,
        };
        let sink = WebChatSink { answer, deleted: Box::pin(deleted(Some(listener))), context };
        converse(case, sink, self.ask(assistant, id, question, at_once)).await
    }

    /// Takes a turn, for as long as the guard lives; `None` when there is no room, or none in time.
    async fn turn(&self, case: &Case<'_>) -> Option<(SemaphorePermit<'_>, SemaphorePermit<'_>)> {
        let turn = async {
            let waiting = self.waiting.try_acquire().ok()?;
            let _queued = self.queue.enter();
            let turn = timeout(TURN_WITHIN, self.turns.acquire()).await.ok()?.ok()?;
            Some((waiting, turn))
        };
        let turn = turn.await;
        if turn.is_none() {
            case.no_turn();
        }
        turn
    }

    /// Shows that an answer is awaited; returns what falls silent when its conversation is deleted.
    async fn begin(&self, answer: &mut StreamingAnswer, informative: &str) -> Result<ChangeListener, DeliveryError> {
        let listener = self.store.subscribe(answer.conversation()).await?;
        answer.inform(informative).await?;
        listener.ok_or(DeliveryError::UnknownConversation)
    }

    async fn ask(
        &self,
        assistant: &Assistant,
        id: &ConversationId,
        question: &Activity,
        at_once: bool,
    ) -> Result<Reply, UpstreamError> {
        let place = question.id.as_ref().and_then(|question| question.place_in(id));
        let words = question.text.as_deref().unwrap_or_default();
        let turns = history::up_to(&*self.store, id, place, words, assistant.options().history_tokens).await;
        let ask = Ask { conversation: Some(id.to_string()), at_once, ..Ask::new(turns) };
        self.assistants.ask(assistant, ask).await
    }

    /// Ends an answer with a text of our own.
    async fn close(&self, answer: StreamingAnswer, (kind, text): (Apology, &str)) -> TurnEnd {
        self.metrics().apology(kind);
        end(answer, text).await
    }

    fn metrics(&self) -> &Metrics {
        self.streaming.metrics()
    }

    async fn say(&self, queue: &HeldQueue, turn: &Turn, text: &str, reply_to: Option<&Activity>) -> TurnEnd {
        let id = queue.conversation();
        let answer = self.streaming.begin(id.clone()).replying_to(reply_to.and_then(|said| said.id.as_ref()));
        end(answer.to_turn(turn, queue.end_of(turn)), text).await
    }
}
