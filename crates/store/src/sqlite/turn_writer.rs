//! Turns of the writer: in the file, and in memory in their queues.

use super::writer::Writer;
use crate::activity::ConversationId;
use crate::turn::{TurnKind, TurnQueue, TurnStage};
use crate::writing::{Change, GroupQueues, TurnRow};

const NOTE: &str = "UPDATE turn SET stage = ?, said = ? WHERE key = ?";

const FORGET: &str = "DELETE FROM turn WHERE kind = ? AND conversation = (SELECT key FROM conversation WHERE id = ?)";

const FORGET_NAME: &str =
    "UPDATE turn SET name = NULL WHERE name = ? AND conversation = (SELECT key FROM conversation WHERE id = ?)";

impl Writer {
    /// The queues that a group of changes is about, as they are now.
    pub(super) fn queues_of(&self, group: &[Change]) -> GroupQueues {
        let mut queues = GroupQueues::new(self.queues.waiting(), self.next_turn);
        for change in group {
            let id = change.conversation();
            let mut know = |kind| queues.know(id, kind, self.queues.state(id, kind));
            let named = match change {
                Change::Create(pending) => pending.change.turn.as_deref(),
                Change::Queue(pending) => Some(&pending.change.turn),
                Change::End(pending) => {
                    know(pending.change.queue.kind);
                    None
                }
                Change::Append(pending) => {
                    let Some(parts) = pending.change.turns.as_deref() else { continue };
                    if let Some(end) = &parts.end {
                        know(end.queue.kind);
                    }
                    if parts.answers.is_some() {
                        TurnKind::ALL.into_iter().for_each(&mut know);
                    }
                    parts.turn.as_ref()
                }
                Change::Keep(_) | Change::Refer(_) | Change::Note(_) => None,
            };
            let Some(turn) = named else { continue };
            know(turn.kind);
            if let Some(name) = turn.name.as_ref().filter(|name| self.queues.is_known(id, name, self.clock.now())) {
                queues.know_name(id, name);
            }
        }
        queues
    }

    /// The rows of turns are written: what is in memory follows.
    pub(super) fn queues_changed(&mut self, queues: GroupQueues) {
        self.next_turn = queues.next_key();
        for (_, id, place) in &queues.answered {
            self.queues.answered(id, *place);
        }
        for end in &queues.ended {
            self.queues.end(end);
        }
        for TurnRow { id, kind, name, turn, .. } in queues.queued {
            self.queues.push(&id, kind, name, turn);
        }
    }

    pub(super) async fn note_turn(
        &mut self,
        queue: &TurnQueue,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<bool, sqlx::Error> {
        if self.queues.first(queue).is_none_or(|first| first.key != turn) {
            return Ok(false);
        }
        let key = i64::try_from(turn).unwrap_or(i64::MAX);
        let note = sqlx::query(NOTE).bind(stage.number()).bind(said.clone()).bind(key);
        note.execute(self.connection().await?).await?;
        Ok(self.queues.note(queue, turn, stage, said))
    }

    pub(super) async fn forget_turns(&mut self, id: &ConversationId, kind: TurnKind) -> Result<usize, sqlx::Error> {
        let forget = sqlx::query(FORGET).bind(i64::try_from(kind.number()).unwrap_or(i64::MAX)).bind(id.as_str());
        forget.execute(self.connection().await?).await?;
        Ok(self.queues.forget(id, kind))
    }

    pub(super) async fn forget_name(&mut self, id: &ConversationId, name: &str) -> Result<(), sqlx::Error> {
        let forget = sqlx::query(FORGET_NAME).bind(name).bind(id.as_str());
        forget.execute(self.connection().await?).await?;
        self.queues.forget_name(id, name);
        Ok(())
    }
}
