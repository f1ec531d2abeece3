//! How far an answer has come, noted before that can be seen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::activity::{Activity, ActivityId};
use crate::store::{ConversationStore, EndOfTurn, StoreError, Turn, TurnStage};

/// How far the answer to a turn has come. The service takes nothing back, so the store knows of each step before the service does:
/// whoever serves the turn next neither repeats what was said nor keeps silent. Clones are the same.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// `None` where nobody else could go on with the answer.
    store: Option<Arc<dyn ConversationStore>>,
    end: EndOfTurn,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    stage: TurnStage,
    /// The outcome of recording the answer, or of noting its progress; `None` while neither has failed or ended the turn.
    outcome: Option<Result<(), StoreError>>,
}

/// The whole answer, as it is about to be sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NotedAnswer {
    pub(crate) message: Activity,
    /// The stream that it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<ActivityId>,
}

impl Progress {
    /// Of this turn, noted in the store.
    pub(crate) fn noted(store: Arc<dyn ConversationStore>, turn: &Turn, end: EndOfTurn) -> Self {
        Self::of(Some(store), turn.stage, end)
    }

    /// Of a turn that nobody else could go on with.
    pub(crate) fn unnoted(end: EndOfTurn) -> Self {
        Self::of(None, TurnStage::Waiting, end)
    }

    fn of(store: Option<Arc<dyn ConversationStore>>, stage: TurnStage, end: EndOfTurn) -> Self {
        Self(Arc::new(Inner { store, end, state: Mutex::new(State { stage, outcome: None }) }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of the turn, to be recorded with its answer.
    pub(crate) fn end_of_turn(&self) -> EndOfTurn {
        self.0.end.clone()
    }

    /// Whether nothing of an answer can have been seen.
    pub(crate) fn is_silent(&self) -> bool {
        self.state().stage == TurnStage::Waiting
    }

    /// The turn has ended with what was recorded, or could not be ended so.
    pub(crate) fn settle(&self, outcome: Result<(), StoreError>) {
        self.state().outcome = Some(outcome);
    }

    /// Whether the turn has ended with what was recorded; `None` when nothing was.
    pub(crate) fn take_outcome(&self) -> Option<Result<(), StoreError>> {
        self.state().outcome.take()
    }

    /// Something of the answer is about to be seen.
    pub(super) async fn spoken(&self) -> Result<(), StoreError> {
        if !self.is_silent() {
            return Ok(());
        }
        self.note(TurnStage::Spoken, None).await
    }

    /// The whole answer is about to be sent.
    pub(super) async fn whole(&self, message: &Activity, stream: Option<&ActivityId>) -> Result<(), StoreError> {
        let said = NotedAnswer { message: message.clone(), stream: stream.cloned() };
        let said = serde_json::to_string(&said).map_err(StoreError::failed)?;
        self.note(TurnStage::Final, Some(said)).await
    }

    async fn note(&self, stage: TurnStage, said: Option<String>) -> Result<(), StoreError> {
        let Inner { store, end, .. } = &*self.0;
        // The future of this may be dropped, and then the note may have been taken.
        let before = std::mem::replace(&mut self.state().stage, stage);
        let Some(store) = store else { return Ok(()) };
        let noted = match store.note_turn(&end.queue, end.turn, stage, said).await {
            // With its conversation the turn has gone, so that nobody else answers it.
            Err(StoreError::Superseded) => match store.find(&end.queue.conversation).await {
                Ok(Some(_)) => Err(StoreError::Superseded),
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            },
            noted => noted,
        };
        let mut state = self.state();
        match noted {
            Ok(()) => state.outcome = None,
            Err(error) => {
                state.stage = before;
                state.outcome = Some(Err(error.clone()));
                return Err(error);
            }
        }
        Ok(())
    }
}

impl NotedAnswer {
    /// Reads a note.
    pub(crate) fn read(noted: &str) -> Option<Self> {
        serde_json::from_str(noted).ok()
    }
}
