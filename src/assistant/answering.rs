//! Answers questions in conversations of the embedded channel.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::assistant::TURN_WITHIN;
use super::failure::{Case, UNANSWERED};
use super::question_queue::{Position, QuestionQueue};
use super::{Assistant, Assistants, Downloads, history};
use crate::activity::{Activity, ChannelAccount, ConversationId};
use crate::channels::direct_line::streaming::{StreamingAnswer, StreamingAnswers, StreamingError};
use crate::channels::direct_line::{DirectLineOptions, Listener, Owner};
use crate::channels::{DeliveryError, Incomplete};
use crate::convert::Conversion;
use crate::dialect::Dialect;
use crate::metrics::Queue;
use crate::store::{ChangeListener, ConversationStore};
use crate::upstream::{Ask, Reply, UpstreamError};

/// What users read whose question is one too many.
const ONE_AT_A_TIME: &str = "I am still answering. Please ask again when I am done.";

/// What users read who send something without words.
pub(super) const WORDS_ONLY: &str = "I can only read words. Please write your question.";

/// What users read whose question is longer than the channel lets through.
const TOO_LONG: &str = "Your question is too long for me. Please ask a shorter one.";

/// For each question that is answered, so many may wait; those beyond are told to come again.
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
    lines: QuestionQueue,
    /// Room for questions that are being answered.
    turns: Semaphore,
    /// Room for those and for questions that wait for their turn.
    waiting: Semaphore,
    /// Questions that wait for their turn.
    queue: Queue,
    max_question_bytes: usize,
    answer_within: Duration,
    tasks: TaskTracker,
    ending: CancellationToken,
}

impl Answering {
    /// The assistants at work. Answers are given by tasks of `tasks`, which end soon after `ending`.
    #[must_use]
    pub fn new(
        assistants: Arc<Assistants>,
        store: Arc<dyn ConversationStore>,
        streaming: StreamingAnswers,
        downloads: Downloads,
        options: &DirectLineOptions,
        tasks: TaskTracker,
        ending: CancellationToken,
    ) -> Self {
        let &DirectLineOptions { max_turns, max_question_bytes, answer_within, .. } = options;
        let (turns, waiting) = (Semaphore::new(max_turns), Semaphore::new(max_turns * (1 + WAITING_FOR_EACH)));
        let lines = QuestionQueue::default();
        Self(Arc::new(Inner {
            assistants,
            store,
            streaming,
            downloads,
            lines,
            turns,
            waiting,
            queue: Queue::default(),
            max_question_bytes,
            answer_within,
            tasks,
            ending,
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
impl Listener for Answering {
    async fn joined(&self, id: &ConversationId, _user: &ChannelAccount, _locale: Option<String>) {
        let Some(assistant) = self.0.assistants.answering(&Owner::of(id)) else { return };
        let greeting = &assistant.options().greeting;
        if !greeting.is_empty() {
            // Clients never see a conversationUpdate, so a greeting is no reply.
            self.0.say(id, greeting, None).await;
        }
    }

    async fn said(&self, id: &ConversationId, activity: Arc<Activity>) {
        let inner = &self.0;
        if activity.kind != "message" || inner.assistants.answering(&Owner::of(id)).is_none() {
            return;
        }
        if activity.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            // What a card sends back has a value and no words; it is nobody's question.
            if activity.attachments.as_ref().is_some_and(|attached| !attached.is_empty()) {
                inner.say(id, WORDS_ONLY, Some(&activity)).await;
            }
            return;
        }
        if activity.text.as_deref().is_some_and(|text| text.len() > inner.max_question_bytes) {
            return inner.say(id, TOO_LONG, Some(&activity)).await;
        }
        match inner.lines.join(id, &activity) {
            Position::First => {
                let (inner, id) = (Arc::clone(inner), id.clone());
                self.0.tasks.spawn(async move { inner.serve(id, activity).await });
            }
            Position::Behind => {}
            Position::Refused => inner.say(id, ONE_AT_A_TIME, Some(&activity)).await,
        }
    }
}

/// The line of a conversation while it is served: however that ends, nobody waits in it for ever.
struct Served<'a>(&'a QuestionQueue, &'a ConversationId);

impl Drop for Served<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}

impl Inner {
    async fn serve(&self, id: ConversationId, first: Arc<Activity>) {
        let _served = Served(&self.lines, &id);
        let mut next = Some(first);
        while let Some(question) = next {
            // Whoever was there when the question was asked may be gone.
            if let Some(assistant) = self.assistants.answering(&Owner::of(&id)) {
                self.answer(&assistant, &id, &question).await;
            }
            next = self.lines.next(&id);
        }
    }

    async fn answer(&self, assistant: &Assistant, id: &ConversationId, question: &Activity) {
        let options = assistant.options();
        let case = Case::new(assistant, Some(id), question.text.as_deref().unwrap_or_default());
        let mut answer = self.streaming.begin(id.clone()).replying_to(question.id.as_ref());
        let listener = match self.begin(&mut answer, &options.informative).await {
            Ok(listener) => listener,
            // The conversation is gone: there is nobody to tell.
            Err(DeliveryError::UnknownConversation) => return,
            Err(error) => {
                tracing::error!(conversation.id = %id, assistant = assistant.name(), %error, "an answer could not be started");
                return;
            }
        };
        let Some(_turn) = self.turn(&case).await else {
            return self.close(answer, id, &options.busy).await;
        };
        let end = Instant::now() + self.answer_within;
        let reply = tokio::select! {
            biased;
            () = self.ending.cancelled() => {
                return self.close(answer, id, &options.failure).await;
            }
            // Nobody waits any more; what asks ends with its future.
            () = deleted(Some(listener)) => return,
            () = sleep_until(end) => {
                case.too_slow(self.answer_within);
                return self.close(answer, id, &options.failure).await;
            }
            reply = self.ask(assistant, id, question, !answer.is_read()) => reply,
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                case.failed(UNANSWERED, &error);
                return self.close(answer, id, options.in_place_of_answer(&error)).await;
            }
        };
        let addresses = self.downloads.for_conversation(id).await;
        let conversion = Conversion { from: reply.from, addresses, ..assistant.conversion(Dialect::WebChat) };
        // At the end of everything, what has arrived is what there is; and so it is when the time is up.
        let over = async {
            tokio::select! {
                () = self.ending.cancelled() => {}
                () = sleep_until(end) => {}
            }
        };
        let body = reply.body.take_until(over);
        let is_too_slow = || Instant::now() >= end;
        match answer.follow(conversion, body, None).await {
            Ok(followed) => match followed.incomplete {
                Some(Incomplete::NoEnd) if self.ending.is_cancelled() => {
                    tracing::info!(conversation.id = %id, assistant = assistant.name(), "an answer was cut off because the server is shutting down");
                }
                Some(Incomplete::NoEnd) if is_too_slow() => case.too_slow(self.answer_within),
                Some(why) => case.incomplete(&why, &followed.delivered.report),
                None => {}
            },
            Err(unanswered) => {
                let text = match &unanswered.cause {
                    StreamingError::NoAnswer(cause) if is_too_slow() && !cause.is_refused() => {
                        case.too_slow(self.answer_within);
                        &options.failure
                    }
                    StreamingError::NoAnswer(cause) => case.unanswered(cause),
                    // The conversation is gone: there is nobody to tell.
                    StreamingError::Delivery(DeliveryError::UnknownConversation) => return,
                    // Nothing of this is the back end's doing.
                    StreamingError::Delivery(error) => {
                        tracing::error!(conversation.id = %id, assistant = assistant.name(), %error, "an answer could not be recorded");
                        &options.failure
                    }
                };
                self.close(unanswered.answer, id, text).await;
            }
        }
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
        let turns = history::up_to(&*self.store, id, place, words).await;
        let ask = Ask { conversation: Some(id.to_string()), at_once, ..Ask::new(turns) };
        self.assistants.ask(assistant, ask).await
    }

    /// Ends an answer with a text of our own.
    async fn close(&self, answer: StreamingAnswer, id: &ConversationId, text: &str) {
        match answer.close(Activity::message(text)).await {
            // Who has gone need not be told.
            Ok(_) | Err(DeliveryError::UnknownConversation) => {}
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "the failure message could not be sent to a user");
            }
        }
    }

    async fn say(&self, id: &ConversationId, text: &str, reply_to: Option<&Activity>) {
        let answer = self.streaming.begin(id.clone()).replying_to(reply_to.and_then(|said| said.id.as_ref()));
        self.close(answer, id, text).await;
    }
}

/// Resolves when a conversation is deleted; never for one that is not there.
pub(super) async fn deleted(listener: Option<ChangeListener>) {
    let Some(mut listener) = listener else { return std::future::pending().await };
    while listener.changed().await.is_ok() {}
}
