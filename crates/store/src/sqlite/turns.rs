//! Turns, for the rest of the server.

use async_trait::async_trait;

use super::SqliteStore;
use super::work::Alone;
use crate::StoreError;
use crate::activity::ConversationId;
use crate::backend::Backend as _;
use crate::turn::{EndOfTurn, NewTurn, Queued, Turn, TurnKind, TurnQueue, TurnStage, Turns, WaitingTurns};
use crate::writing::{Change, Queue};

#[async_trait]
impl Turns for SqliteStore {
    async fn queue_turn(&self, id: &ConversationId, turn: NewTurn) -> Result<Option<Queued>, StoreError> {
        let bytes = turn.body.as_ref().map_or(0, String::len);
        self.change(Box::new(Queue { id: id.clone(), turn }), bytes, Change::Queue).await
    }

    async fn claim_queues(&self, kind: TurnKind, most: usize) -> Result<Vec<TurnQueue>, StoreError> {
        Ok(self.queues.claim(kind, most))
    }

    async fn queues_to_claim(&self, kind: TurnKind) {
        self.queues.to_claim(kind).await;
    }

    async fn next_turn(&self, queue: &TurnQueue) -> Result<Option<Turn>, StoreError> {
        Ok(self.queues.first(queue))
    }

    async fn note_turn(
        &self,
        queue: &TurnQueue,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<(), StoreError> {
        let queue = queue.clone();
        let noted = self.alone(|reply| Alone::NoteTurn { queue, turn, stage, said, reply }).await?;
        if noted { Ok(()) } else { Err(StoreError::Superseded) }
    }

    async fn end_turn(&self, end: &EndOfTurn) -> Result<(), StoreError> {
        self.change(Box::new(end.clone()), 0, Change::End).await
    }

    async fn release_queue(&self, queue: &TurnQueue) -> Result<(), StoreError> {
        self.queues.release(queue);
        Ok(())
    }

    async fn forget_turns(&self, id: &ConversationId, kind: TurnKind) -> Result<usize, StoreError> {
        self.alone(|reply| Alone::ForgetTurns(id.clone(), kind, reply)).await
    }

    async fn forget_name(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        let (id, name) = (id.clone(), name.to_owned());
        self.alone(|reply| Alone::ForgetName { id, name, reply }).await
    }

    async fn waiting_turns(&self, kind: TurnKind) -> Result<WaitingTurns, StoreError> {
        Ok(self.queues.count(kind))
    }
}
