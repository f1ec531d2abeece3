//! Turns: in the file until they are answered, and in memory in their lines.

use async_trait::async_trait;
use chrono::DateTime;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use super::SqliteStore;
use super::work::Alone;
use super::writer::Writer;
use crate::activity::{ConversationId, Watermark};
use crate::store::StoreError;
use crate::store::line_book::LineBook;
use crate::store::turn::{EndOfTurn, Line, NewTurn, Queued, Turn, TurnKind, TurnStage, Turns, WaitingTurns};
use crate::store::writing::{Change, Lines, Queue, TurnRow};

/// The process before has ended while it answered the first turn of each line, or was about to.
const COUNT_ATTEMPTS: &str = "UPDATE turn SET attempts = attempts + 1 \
                              WHERE key IN (SELECT min(key) FROM turn GROUP BY conversation, kind)";

const ALL: &str = "SELECT turn.key, conversation.id, kind, place, body, name, arrived, attempts, stage, said, answered \
                   FROM turn JOIN conversation ON conversation.key = turn.conversation ORDER BY turn.key";

const NOTE: &str = "UPDATE turn SET stage = ?, said = ? WHERE key = ?";

const FORGET: &str = "DELETE FROM turn WHERE kind = ? AND conversation = (SELECT key FROM conversation WHERE id = ?)";

/// Reads the turns that wait in the file; returns them in their lines, and the key of the next one.
pub(super) async fn load(connection: &mut SqliteConnection) -> Result<(LineBook, u64), sqlx::Error> {
    sqlx::query(COUNT_ATTEMPTS).execute(&mut *connection).await?;
    let (book, mut next_key) = (LineBook::default(), 1);
    for row in sqlx::query(ALL).fetch_all(connection).await? {
        let kind = TurnKind::of_number(row.try_get(2)?);
        // A kind that a later version has written is left to that.
        let Some(kind) = kind else { continue };
        let id = ConversationId::try_from(row.try_get::<String, _>(1)?);
        let turn = turn(&row)?;
        next_key = next_key.max(turn.key + 1);
        book.push(&id.map_err(|error| sqlx::Error::Decode(error.into()))?, kind, row.try_get(5)?, turn);
    }
    Ok((book, next_key))
}

fn turn(row: &SqliteRow) -> Result<Turn, sqlx::Error> {
    let number = |index| row.try_get::<i64, _>(index);
    let arrived = DateTime::from_timestamp_millis(number(6)?).unwrap_or_default();
    let place = Watermark::from_index(number(3)?.unsigned_abs());
    let mut turn = Turn::new(number(0)?.unsigned_abs(), place, row.try_get(4)?, arrived);
    turn.attempts = u32::try_from(number(7)?).unwrap_or(u32::MAX);
    (turn.stage, turn.said) = (TurnStage::of_number(number(8)?), row.try_get(9)?);
    turn.answered = number(10)? != 0;
    Ok(turn)
}

/// The rows of turns as the statement takes them: key, conversation, kind, place, body, name, arrived.
pub(super) type QueuedRow<'a> = (u64, i64, usize, u64, Option<&'a str>, Option<&'a str>, i64);

pub(super) fn queued_rows(rows: &[TurnRow]) -> Vec<QueuedRow<'_>> {
    rows.iter()
        .map(|TurnRow { conversation, kind, name, turn, .. }| {
            let (body, name) = (turn.body.as_deref(), name.as_deref());
            let arrived = turn.arrived.timestamp_millis();
            (turn.key, *conversation, kind.number(), turn.place.index(), body, name, arrived)
        })
        .collect()
}

/// The rows of answered turns: conversation, place.
pub(super) fn answered_rows(rows: &[(i64, ConversationId, Watermark)]) -> Vec<(i64, u64)> {
    rows.iter().map(|(conversation, _, place)| (*conversation, place.index())).collect()
}

impl Writer {
    /// The lines that a group of changes is about, as they are now.
    pub(super) fn lines_of(&self, group: &[Change]) -> Lines {
        let mut lines = Lines::new(self.book.waiting(), self.next_turn);
        for change in group {
            let id = change.conversation();
            let mut know = |kind| lines.know(id, kind, self.book.state(id, kind));
            let named = match change {
                Change::Create(pending) => pending.change.turn.as_deref(),
                Change::Queue(pending) => Some(&pending.change.turn),
                Change::End(pending) => {
                    know(pending.change.line.kind);
                    None
                }
                Change::Append(pending) => {
                    let Some(parts) = pending.change.turns.as_deref() else { continue };
                    if let Some(end) = &parts.end {
                        know(end.line.kind);
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
            if let Some(name) = turn.name.as_ref().filter(|name| self.book.is_known(id, name, self.clock.now())) {
                lines.know_name(id, name);
            }
        }
        lines
    }

    /// The rows of turns are written: what is in memory follows.
    pub(super) fn lines_changed(&mut self, lines: Lines) {
        self.next_turn = lines.next_key();
        for (_, id, place) in &lines.answered {
            self.book.answered(id, *place);
        }
        for end in &lines.ended {
            self.book.end(end);
        }
        for TurnRow { id, kind, name, turn, .. } in lines.queued {
            self.book.push(&id, kind, name, turn);
        }
    }

    pub(super) async fn note_turn(
        &mut self,
        line: &Line,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<bool, sqlx::Error> {
        if self.book.first(line).is_none_or(|first| first.key != turn) {
            return Ok(false);
        }
        let key = i64::try_from(turn).unwrap_or(i64::MAX);
        let note = sqlx::query(NOTE).bind(stage.number()).bind(said.clone()).bind(key);
        note.execute(self.connection().await?).await?;
        Ok(self.book.note(line, turn, stage, said))
    }

    pub(super) async fn forget_turns(&mut self, id: &ConversationId, kind: TurnKind) -> Result<usize, sqlx::Error> {
        let forget = sqlx::query(FORGET).bind(i64::try_from(kind.number()).unwrap_or(i64::MAX)).bind(id.as_str());
        forget.execute(self.connection().await?).await?;
        Ok(self.book.forget(id, kind))
    }
}

#[async_trait]
impl Turns for SqliteStore {
    async fn queue_turn(&self, id: &ConversationId, turn: NewTurn) -> Result<Option<Queued>, StoreError> {
        let bytes = turn.body.as_ref().map_or(0, String::len);
        self.change(Box::new(Queue { id: id.clone(), turn }), bytes, Change::Queue).await
    }

    async fn claim_lines(&self, kind: TurnKind, most: usize) -> Result<Vec<Line>, StoreError> {
        Ok(self.book.claim(kind, most))
    }

    async fn lines_to_claim(&self, kind: TurnKind) {
        self.book.to_claim(kind).await;
    }

    async fn next_turn(&self, line: &Line) -> Result<Option<Turn>, StoreError> {
        Ok(self.book.first(line))
    }

    async fn note_turn(
        &self,
        line: &Line,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<(), StoreError> {
        let line = line.clone();
        let noted = self.alone(|reply| Alone::NoteTurn { line, turn, stage, said, reply }).await?;
        if noted { Ok(()) } else { Err(StoreError::Superseded) }
    }

    async fn end_turn(&self, end: &EndOfTurn) -> Result<(), StoreError> {
        self.change(Box::new(end.clone()), 0, Change::End).await
    }

    async fn release_line(&self, line: &Line) -> Result<(), StoreError> {
        self.book.release(line);
        Ok(())
    }

    async fn forget_turns(&self, id: &ConversationId, kind: TurnKind) -> Result<usize, StoreError> {
        self.alone(|reply| Alone::ForgetTurns(id.clone(), kind, reply)).await
    }

    async fn waiting_turns(&self, kind: TurnKind) -> Result<WaitingTurns, StoreError> {
        Ok(self.book.count(kind))
    }
}
