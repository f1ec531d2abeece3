//! An answer while it grows.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::refusal_policy::{Next, Sent, after};
use super::{ConnectorTexts, Progress};
use crate::activity::{Activity, ActivityId, StreamInfo};
use crate::azure_bot::outbound::{ActivitySink, Refusal, RefusalKind};
use crate::clock::Clock;
use crate::dialect::{Answering, Dialect, Livestream, Pacing, Waiting};
use crate::egress::later;
use crate::pace::Pace;

/// One answer through an [`ActivitySink`], from its first informative text to its message.
///
/// It is streamed where sink and dialect allow it. Whatever the service refuses on the way, the user ends with the whole
/// answer or, when the caller [closes](Self::close) what has failed, with one apology. No two calls are in flight at once.
#[must_use = "dropped, it leaves its user with what was shown"]
pub struct ConnectorAnswer {
    pub(super) sink: Box<dyn ActivitySink>,
    pub(super) dialect: Dialect,
    pub(super) pacing: Pacing,
    pub(super) texts: ConnectorTexts,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) state: StreamState,
    pub(super) pace: Pace<DateTime<Utc>>,
    pub(super) phase: Phase,
    /// How many activities of the stream were taken.
    sequence: u32,
    /// When the first one was.
    begun: Option<DateTime<Utc>>,
    /// The newest one, without what makes it one of the stream.
    newest: Option<(Activity, Chunk)>,
    /// The text of the answer that the service has taken, or may have taken.
    shown: String,
    /// The ids of what was sent to stay.
    pub(super) ids: Vec<String>,
    /// Whether the answer may have arrived although nobody has said so.
    pub(super) in_doubt: bool,
    /// Whether somebody else may have sent it already.
    pub(super) once_more: bool,
    /// How far it has come, where somebody else could go on with it.
    pub(super) progress: Option<Progress>,
}

/// The state of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StreamState {
    /// Nothing was sent yet.
    Fresh,
    /// It is open, under the id that its first activity got.
    Open(ActivityId),
    /// It is open, but gets its final only.
    Quiet(ActivityId),
    /// It has ended without the answer.
    Over(ActivityId),
    /// There is none.
    Plain,
    /// The user has stopped it.
    Stopped,
}

/// The known part of the answer.
#[derive(Debug)]
pub(super) enum Phase {
    Waiting(Livestream<Waiting>),
    Answering(Livestream<Answering>),
    /// The dialect has no streams.
    Whole,
}

/// The kind of an activity of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chunk {
    Informative,
    Streaming,
}

impl ConnectorAnswer {
    /// An answer of which nothing was sent.
    pub fn begin(sink: Box<dyn ActivitySink>, dialect: Dialect, pacing: Pacing, clock: Arc<dyn Clock>) -> Self {
        let phase = Livestream::new(dialect).map_or(Phase::Whole, Phase::Waiting);
        let can_stream = sink.can_stream() && !matches!(phase, Phase::Whole);
        Self {
            state: if can_stream { StreamState::Fresh } else { StreamState::Plain },
            pace: Pace::new(pacing.interval, clock.now()),
            texts: ConnectorTexts::default(),
            sequence: 0,
            begun: None,
            newest: None,
            shown: String::new(),
            ids: Vec::new(),
            in_doubt: false,
            once_more: false,
            progress: None,
            sink,
            dialect,
            pacing,
            clock,
            phase,
        }
    }

    /// Notes each step before it can be seen.
    pub(crate) fn noting(self, progress: Progress) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Whether the user has pressed the stop button.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.state == StreamState::Stopped
    }

    /// Whether the user has seen anything of this answer. What was lost on the way may have arrived, but that is not known.
    #[must_use]
    pub fn has_spoken(&self) -> bool {
        self.is_shown() || !self.ids.is_empty()
    }

    /// Whether the user sees anything of the answer before it is whole.
    #[must_use]
    pub fn can_stream(&self) -> bool {
        matches!(self.state, StreamState::Fresh | StreamState::Open(_))
    }

    /// Shows a prepared short text, while the answer is awaited. Where there are no streams, and once the answer has begun, nothing
    /// is shown; a service that refuses it gets no stream.
    pub async fn inform(&mut self, text: &str) {
        let Phase::Waiting(stream) = &mut self.phase else { return };
        if !matches!(self.state, StreamState::Fresh | StreamState::Open(_)) {
            return;
        }
        if let Some(activity) = stream.informative(text) {
            self.show(activity, Chunk::Informative).await;
        }
    }

    /// Waits for something else, such as the first byte of the answer, and keeps the stream alive meanwhile.
    pub async fn during<T>(&mut self, something: impl Future<Output = T>) -> T {
        let mut something = std::pin::pin!(something);
        let clock = Arc::clone(&self.clock);
        loop {
            let Some(at) = self.deadline() else { return something.await };
            let wait = (at - clock.now()).to_std().unwrap_or_default();
            tokio::select! {
                biased;
                done = &mut something => return done,
                () = clock.wait(wait) => self.meet_deadline().await,
            }
        }
    }

    /// Shows all of the answer so far.
    pub(super) async fn update(&mut self, so_far: Activity) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Whole) {
            Phase::Waiting(stream) => Phase::Answering(stream.answer()),
            phase @ (Phase::Answering(_) | Phase::Whole) => phase,
        };
        let update = match &mut self.phase {
            Phase::Answering(stream) => stream.update_cited(so_far),
            Phase::Waiting(_) | Phase::Whole => None,
        };
        match update {
            Some(activity) => self.show(activity, Chunk::Streaming).await,
            None => self.pace.forget(),
        }
    }

    /// The text of the answer that the user sees, as far as it is known: an update that was refused is not part of it, one that
    /// was lost on the way is.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether anything of the stream was taken.
    pub(super) fn is_shown(&self) -> bool {
        self.sequence > 0
    }

    /// When the stream has to be kept alive, or ended.
    pub(super) fn deadline(&self) -> Option<DateTime<Utc>> {
        let StreamState::Open(_) = self.state else { return None };
        let alive = self.pacing.longest_silence.map(|silence| later(self.pace.last(), silence));
        [alive, self.end()].into_iter().flatten().min()
    }

    /// When the stream has to end.
    fn end(&self) -> Option<DateTime<Utc>> {
        Some(later(self.begun?, self.pacing.stream_limit?))
    }

    /// Does what the deadline is for.
    pub(super) async fn meet_deadline(&mut self) {
        if self.end().is_some_and(|end| end <= self.clock.now()) {
            self.close_early().await;
        } else if let Some((activity, chunk)) = self.newest.clone() {
            self.show(activity, chunk).await;
        }
    }

    /// Sends an activity of the stream, and goes on as its fate wants it.
    async fn show(&mut self, activity: Activity, chunk: Chunk) {
        let (sent, id) = match &self.state {
            StreamState::Fresh => (Sent::First, None),
            StreamState::Open(id) => (Sent::Update, Some(id.clone())),
            StreamState::Quiet(_) | StreamState::Over(_) | StreamState::Plain | StreamState::Stopped => return,
        };
        if chunk == Chunk::Streaming && !self.may_speak().await {
            return self.pace.sent(self.clock.now());
        }
        let sequence = NonZeroU32::MIN.saturating_add(self.sequence);
        let info = match chunk {
            Chunk::Informative => StreamInfo::Informative { sequence },
            Chunk::Streaming => StreamInfo::Streaming { sequence },
        };
        self.newest = Some((activity.clone(), chunk));
        let text = match chunk {
            Chunk::Streaming => activity.text.clone().unwrap_or_default(),
            Chunk::Informative => self.shown.clone(),
        };
        let mut activity = activity.with_stream_info(info);
        if let Some(id) = &id {
            activity = activity.with_stream_id(id);
            activity.id = Some(id.clone());
        }
        // The future of this may be dropped. Then the activity may have been seen: its number is not used again, and a stream
        // whose name nobody knows is none.
        let before = (
            std::mem::replace(&mut self.sequence, sequence.get()),
            self.state.clone(),
            std::mem::replace(&mut self.shown, text),
        );
        if sent == Sent::First {
            self.state = StreamState::Plain;
        }
        let taken = self.sink.send(activity).await;
        let now = self.clock.now();
        self.pace.sent(now);
        match taken {
            Ok(given) => {
                self.begun.get_or_insert(now);
                if let (Sent::First, Some(given)) = (sent, given) {
                    self.state = StreamState::Open(ActivityId::from(given));
                }
            }
            Err(refusal) => {
                if !matches!(refusal.kind, RefusalKind::Lost | RefusalKind::OutOfOrder) {
                    self.sequence = before.0;
                    self.shown = before.2;
                }
                self.state = before.1;
                self.turn(sent, &refusal, now);
            }
        }
    }

    /// Notes that something of the answer is about to be seen; whether that was taken down.
    async fn may_speak(&mut self) -> bool {
        let Some(progress) = &self.progress else { return true };
        progress.spoken().await.is_ok()
    }

    /// Goes on after a refused activity of the stream.
    fn turn(&mut self, sent: Sent, refusal: &Refusal, now: DateTime<Utc>) {
        let next = after(sent, refusal.kind);
        tracing::info!(error = %refusal, ?next, "the channel refused an update of an answer");
        let id = match &self.state {
            StreamState::Open(id) | StreamState::Quiet(id) | StreamState::Over(id) => Some(id.clone()),
            StreamState::Fresh | StreamState::Plain | StreamState::Stopped => None,
        };
        self.state = match (next, id) {
            (Next::Stop, _) => StreamState::Stopped,
            (Next::GoOn, Some(id)) => StreamState::Open(id),
            (Next::Slower, Some(id)) => {
                self.pace.slow_down(refusal.retry_after, now);
                StreamState::Open(id)
            }
            (Next::Quiet, Some(id)) => StreamState::Quiet(id),
            (Next::Over, Some(id)) => StreamState::Over(id),
            (_, _) => StreamState::Plain,
        };
    }

    /// Ends the stream before the service does it: what was shown stays until the answer is there.
    async fn close_early(&mut self) {
        let StreamState::Open(id) = self.state.clone() else { return };
        if !self.may_speak().await {
            self.state = StreamState::Quiet(id);
            return;
        }
        let closing = self.closing(&id);
        self.state = match self.sink.send(closing).await {
            Ok(_) => StreamState::Over(id),
            Err(refusal) => {
                let next = after(Sent::Closing, refusal.kind);
                tracing::info!(error = %refusal, ?next, "the channel refused the end of a stream");
                if next == Next::Stop {
                    StreamState::Stopped
                } else if next == Next::Plain {
                    StreamState::Plain
                } else {
                    StreamState::Over(id)
                }
            }
        };
    }

    /// The activity that ends a stream without the answer: what was shown, and where the answer will be.
    pub(super) fn closing(&self, id: &ActivityId) -> Activity {
        let shown = if self.shown().trim().is_empty() { &self.texts.longer } else { self.shown() };
        let text =
            if self.pacing.can_replace { shown.to_owned() } else { format!("{shown}\n\n{}", self.texts.follows) };
        self.ending(Activity::message(text), id)
    }

    /// A message as the end of the stream.
    pub(super) fn ending(&self, message: Activity, id: &ActivityId) -> Activity {
        let mut ending = self.dialect.end_of_stream(message).with_stream_id(id);
        ending.id = Some(id.clone());
        ending
    }
}

impl fmt::Debug for ConnectorAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectorAnswer")
            .field("dialect", &self.dialect)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
