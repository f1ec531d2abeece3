//! A store in memory, for tests and trials.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};
use serde::Serialize;
use serde_json::Value;

use super::assistants_in_memory::Assistants;
use super::line_book::LineBook;
use super::writing::{Ending, room_for_one};
use super::{
    Appended, Attachment, Batch, ChangeListener, ChangeNotifier, Conversation, ConversationStore, Counts, Created,
    EndOfTurn, Feedback, FeedbackPage, Line, ListCursor, Listing, NewTurn, Newest, NotedFeedback, Page, Queued,
    Recorded, StoreError, StoreLimits, Summary, Turn, TurnKind, TurnStage, Turns, WaitingTurns,
};
use crate::activity::{ChannelAccount, ConversationId, Watermark};
use crate::clock::Clock;

/// A [`ConversationStore`] in memory, whose content is lost when the process ends.
#[derive(Debug)]
pub struct MemoryStore {
    pub(super) limits: StoreLimits,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) assistants: Assistants,
    state: Mutex<State>,
    lines: LineBook,
}

#[derive(Debug, Default)]
struct State {
    next_turn: u64,
    bytes: usize,
    conversations: BTreeMap<ConversationId, StoredConversation>,
}

#[derive(Debug)]
struct StoredConversation {
    conversation: Conversation,
    recorded: Vec<Recorded>,
    /// Where the batch of a key starts, and how long it is.
    keys: BTreeMap<String, (usize, usize)>,
    attachments: BTreeMap<String, Attachment>,
    feedback: Vec<NotedFeedback>,
    /// Where users have sent their first activity.
    first_said: BTreeMap<String, Watermark>,
    bytes: usize,
    created: DateTime<Utc>,
    active: DateTime<Utc>,
    notifier: ChangeNotifier,
}

impl State {
    /// Deletes the oldest conversation in which nothing was ever recorded; returns its id.
    fn make_room(&mut self) -> Option<ConversationId> {
        let empty = self.conversations.iter().filter(|(_, entry)| entry.bytes == 0);
        let id = empty.min_by_key(|(_, entry)| entry.created).map(|(id, _)| id.clone())?;
        self.conversations.remove(&id);
        Some(id)
    }

    /// Deletes those of which this is true; returns their ids.
    fn delete_all(&mut self, is_due: impl Fn(&StoredConversation) -> bool) -> Vec<ConversationId> {
        let mut deleted = Vec::new();
        self.conversations.retain(|id, entry| {
            let is_due = is_due(entry);
            if is_due {
                deleted.push(id.clone());
            }
            !is_due
        });
        self.bytes = self.conversations.values().map(|entry| entry.bytes).sum();
        deleted
    }
}

impl StoredConversation {
    /// Whether so many bytes more fit into a store that has `held` already.
    fn check_room(&self, size: usize, held: usize, limits: StoreLimits) -> Result<(), StoreError> {
        let limit = limits.max_conversation_bytes;
        if self.bytes.saturating_add(size) > limit {
            return Err(StoreError::ConversationFull { limit });
        }
        if held.saturating_add(size) > limits.max_bytes {
            return Err(StoreError::Full { what: "bytes", limit: limits.max_bytes });
        }
        Ok(())
    }

    fn newest(&self) -> Newest {
        Newest::of(self.recorded.last())
    }

    fn has_member(&self, user: &str) -> bool {
        let is_user = |account: &ChannelAccount| account.id.as_deref() == Some(user);
        self.first_said.contains_key(user)
            || self.conversation.user.as_ref().is_some_and(is_user)
            || self.feedback.iter().any(|noted| noted.feedback.from.as_ref().is_some_and(is_user))
    }

    fn summary(&self) -> Summary {
        Summary::new(self.conversation.clone(), self.recorded.len() as u64, self.created, self.active)
    }
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(limits: StoreLimits, clock: Arc<dyn Clock>) -> Self {
        Self { limits, clock, assistants: Assistants::default(), state: Mutex::default(), lines: LineBook::default() }
    }

    /// Puts a turn into its line. What it is about has this place, or comes before the next one.
    fn queue(&self, state: &mut State, id: &ConversationId, turn: NewTurn, place: Option<Watermark>) -> Queued {
        // There is no other process.
        let NewTurn { kind, body, room, name, bound: _ } = turn;
        let now = self.clock.now().trunc_subsecs(3);
        if name.as_ref().is_some_and(|name| self.lines.is_known(id, name, now)) {
            return Queued::Repeated;
        }
        let (in_line, waiting) = (self.lines.state(id, kind).turns, self.lines.waiting()[kind.number()]);
        if let Err(full) = room_for_one(room, in_line, waiting) {
            return full;
        }
        let newest = state.conversations.get(id).map(StoredConversation::newest).unwrap_or_default();
        let place = place.unwrap_or(newest.next_watermark());
        state.next_turn += 1;
        self.lines.push(id, kind, name, Turn::new(state.next_turn, place, body, now));
        Queued::Taken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No call below can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ConversationStore for MemoryStore {
    async fn create_asking(
        &self,
        id: &ConversationId,
        user: Option<ChannelAccount>,
        turn: Option<NewTurn>,
    ) -> Result<Created, StoreError> {
        let mut state = self.state();
        let turn = turn.filter(|_| user.is_some());
        if let Some(entry) = state.conversations.get_mut(id) {
            let is_news = entry.conversation.user.is_none();
            if is_news {
                entry.conversation.user = user;
            }
            let conversation = entry.conversation.clone();
            if let Some(turn) = turn.filter(|_| is_news) {
                self.queue(&mut state, id, turn, None);
            }
            return Ok(Created::Existing(conversation));
        }
        let limit = self.limits.max_conversations;
        if state.conversations.len() >= limit
            && let Some(gone) = state.make_room()
        {
            self.lines.forget_all(&gone);
        }
        if state.conversations.len() >= limit {
            return Err(StoreError::Full { what: "conversations", limit });
        }
        let conversation = Conversation::new(id.clone(), user);
        let now = self.clock.now().trunc_subsecs(3);
        let entry = StoredConversation {
            conversation: conversation.clone(),
            recorded: Vec::new(),
            keys: BTreeMap::new(),
            attachments: BTreeMap::new(),
            feedback: Vec::new(),
            first_said: BTreeMap::new(),
            bytes: 0,
            created: now,
            active: now,
            notifier: ChangeNotifier::new(None),
        };
        state.conversations.insert(id.clone(), entry);
        if let Some(turn) = turn {
            self.queue(&mut state, id, turn, None);
        }
        Ok(Created::New(conversation))
    }

    async fn find(&self, id: &ConversationId) -> Result<Option<Conversation>, StoreError> {
        Ok(self.state().conversations.get(id).map(|entry| entry.conversation.clone()))
    }

    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.state().conversations.get(id).map(|entry| entry.created))
    }

    async fn refer(&self, id: &ConversationId, reference: Value) -> Result<bool, StoreError> {
        let mut state = self.state();
        let bytes = state.bytes;
        let Some(entry) = state.conversations.get_mut(id) else {
            return Ok(false);
        };
        let before = entry.conversation.reference.as_ref().map_or(0, json_size);
        let size = json_size(&reference);
        if (bytes - before).saturating_add(size) > self.limits.max_bytes {
            return Err(StoreError::Full { what: "bytes", limit: self.limits.max_bytes });
        }
        entry.conversation.reference = Some(reference);
        entry.bytes = entry.bytes - before + size;
        state.bytes = bytes - before + size;
        Ok(true)
    }

    async fn append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError> {
        if batch.activities.is_empty() {
            return Err(StoreError::EmptyBatch);
        }
        let size = batch.activities.iter().map(json_size).sum::<usize>();
        let mut state = self.state();
        let bytes = state.bytes;
        let Some(entry) = state.conversations.get_mut(id) else {
            return Ok(None);
        };
        let known = batch.key.as_ref().and_then(|key| entry.keys.get(key));
        if let Some(recorded) = known.and_then(|&(start, len)| entry.recorded.get(start..start + len)) {
            return Ok(Some(Appended::new(recorded.to_vec(), true)));
        }
        if let Some(end) = &batch.end {
            match self.lines.state(id, end.line.kind).ending(end)? {
                Ending::WithAnswer => {}
                Ending::AnsweredBefore => {
                    self.lines.end(end);
                    return Ok(Some(Appended::new(Vec::new(), false)));
                }
            }
        }
        if entry.recorded.len() + batch.activities.len() > self.limits.max_activities {
            return Err(StoreError::Full { what: "activities of a conversation", limit: self.limits.max_activities });
        }
        entry.check_room(size, bytes, self.limits)?;
        let now = self.clock.now();
        let stamped = batch.not_before.map_or(now, |earliest| now.max(earliest));
        let start = entry.recorded.len();
        for activity in batch.activities {
            let newest = entry.newest();
            if let Some(speaker) = activity.speaker() {
                entry.first_said.entry(speaker.to_owned()).or_insert(newest.next_watermark());
            }
            let recorded = Recorded::at(activity, id, newest.next_watermark(), newest.next_timestamp(stamped));
            entry.recorded.push(recorded);
        }
        let appended = entry.recorded[start..].to_vec();
        for name in batch.key.into_iter().chain(batch.names) {
            entry.keys.entry(name).or_insert((start, appended.len()));
        }
        entry.bytes += size;
        entry.active = now.trunc_subsecs(3);
        if let Some(newest) = entry.newest().watermark {
            entry.notifier.notify(newest);
        }
        state.bytes += size;
        if let Some(place) = batch.answers {
            self.lines.answered(id, place);
        }
        if let Some(end) = &batch.end {
            self.lines.end(end);
        }
        let first = appended.first().map(|first| first.watermark);
        let queued = batch.turn.map(|turn| self.queue(&mut state, id, turn, first));
        Ok(Some(Appended::new(appended, false).queued(queued)))
    }

    async fn recall(&self, id: &ConversationId, key: &str) -> Result<Option<Appended>, StoreError> {
        let state = self.state();
        let recorded = state.conversations.get(id).and_then(|entry| {
            let &(start, len) = entry.keys.get(key)?;
            entry.recorded.get(start..start + len)
        });
        Ok(recorded.map(|recorded| Appended::new(recorded.to_vec(), true)))
    }

    async fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> Result<Option<Page>, StoreError> {
        let state = self.state();
        let Some(entry) = state.conversations.get(id) else {
            return Ok(None);
        };
        let after = after.min(entry.newest().watermark);
        let start = after.map_or(0, |seen| usize::try_from(seen.next().index()).unwrap_or(usize::MAX));
        let rest = entry.recorded.get(start..).unwrap_or_default();
        let recorded = rest[..rest.len().min(limit.max(1))].to_vec();
        Ok(Some(Page::new(recorded, after)))
    }

    async fn newest(&self, id: &ConversationId) -> Result<Option<Newest>, StoreError> {
        Ok(self.state().conversations.get(id).map(StoredConversation::newest))
    }

    async fn subscribe(&self, id: &ConversationId) -> Result<Option<ChangeListener>, StoreError> {
        Ok(self.state().conversations.get(id).map(|entry| entry.notifier.listener()))
    }

    async fn keep_attachment(
        &self,
        id: &ConversationId,
        attachment_id: &str,
        attachment: Attachment,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        let bytes = state.bytes;
        let Some(entry) = state.conversations.get_mut(id) else {
            return Ok(false);
        };
        if entry.attachments.contains_key(attachment_id) {
            return Ok(true);
        }
        let size = attachment.bytes.len();
        entry.check_room(size, bytes, self.limits)?;
        entry.attachments.insert(attachment_id.to_owned(), attachment);
        entry.bytes += size;
        state.bytes += size;
        Ok(true)
    }

    async fn attachment(&self, id: &ConversationId, attachment_id: &str) -> Result<Option<Attachment>, StoreError> {
        Ok(self.state().conversations.get(id).and_then(|entry| entry.attachments.get(attachment_id).cloned()))
    }

    async fn keep_feedback(
        &self,
        id: &ConversationId,
        feedback: Feedback,
        name: Option<String>,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        let bytes = state.bytes;
        let Some(entry) = state.conversations.get_mut(id) else {
            return Ok(false);
        };
        if name.as_ref().is_some_and(|name| entry.keys.contains_key(name)) {
            return Ok(true);
        }
        let size = json_size(&feedback);
        entry.check_room(size, bytes, self.limits)?;
        if let Some(name) = name {
            entry.keys.insert(name, (entry.recorded.len(), 0));
        }
        let now = self.clock.now().trunc_subsecs(3);
        entry.feedback.push(NotedFeedback::new(now, feedback));
        entry.bytes += size;
        entry.active = now;
        state.bytes += size;
        Ok(true)
    }

    async fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Option<FeedbackPage>, StoreError> {
        let state = self.state();
        let Some(entry) = state.conversations.get(id) else {
            return Ok(None);
        };
        let limit = limit.max(1);
        let first = after.map_or(0, |after| after.saturating_add(1));
        let found = (0_u64..).zip(&entry.feedback).filter(|(place, _)| *place >= first);
        let found = found.take(limit.saturating_add(1)).map(|(place, noted)| (place, noted.clone()));
        Ok(Some(FeedbackPage::cut(found.collect(), limit)))
    }

    async fn list(&self, after: Option<ListCursor>, limit: usize) -> Result<Listing, StoreError> {
        let mut found: Vec<Summary> = self.state().conversations.values().map(StoredConversation::summary).collect();
        found.sort_by_key(|summary| std::cmp::Reverse(summary.place()));
        if let Some(after) = after {
            found.retain(|summary| summary.place() < after);
        }
        Ok(Listing::cut(found, limit.max(1)))
    }

    async fn count(&self) -> Result<Counts, StoreError> {
        let state = self.state();
        let activities = state.conversations.values().map(|entry| entry.recorded.len() as u64).sum();
        Ok(Counts::new(state.conversations.len() as u64, activities, state.bytes as u64))
    }

    async fn first_said(&self, id: &ConversationId, user: &str) -> Result<Option<Watermark>, StoreError> {
        Ok(self.state().conversations.get(id).and_then(|entry| entry.first_said.get(user).copied()))
    }

    async fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let state = self.state();
        let of_user = state
            .conversations
            .iter()
            .filter(|(id, entry)| after.is_none_or(|after| *id > after) && entry.has_member(user));
        Ok(of_user.map(|(id, _)| id.clone()).take(limit.max(1)).collect())
    }

    async fn erase(&self, user: &str) -> Result<usize, StoreError> {
        let erased = self.state().delete_all(|entry| entry.has_member(user));
        erased.iter().for_each(|id| self.lines.forget_all(id));
        Ok(erased.len())
    }

    async fn expire(&self, idle_since: DateTime<Utc>) -> Result<usize, StoreError> {
        let expired = self.state().delete_all(|entry| entry.active < idle_since);
        expired.iter().for_each(|id| self.lines.forget_all(id));
        Ok(expired.len())
    }

    async fn delete(&self, id: &ConversationId) -> Result<bool, StoreError> {
        let mut state = self.state();
        let Some(entry) = state.conversations.remove(id) else {
            return Ok(false);
        };
        state.bytes -= entry.bytes;
        self.lines.forget_all(id);
        Ok(true)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// There is nothing to let go of.
    async fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl Turns for MemoryStore {
    async fn queue_turn(&self, id: &ConversationId, turn: NewTurn) -> Result<Option<Queued>, StoreError> {
        let mut state = self.state();
        if !state.conversations.contains_key(id) {
            return Ok(None);
        }
        Ok(Some(self.queue(&mut state, id, turn, None)))
    }

    async fn claim_lines(&self, kind: TurnKind, most: usize) -> Result<Vec<Line>, StoreError> {
        Ok(self.lines.claim(kind, most))
    }

    async fn lines_to_claim(&self, kind: TurnKind) {
        self.lines.to_claim(kind).await;
    }

    async fn next_turn(&self, line: &Line) -> Result<Option<Turn>, StoreError> {
        Ok(self.lines.first(line))
    }

    async fn note_turn(
        &self,
        line: &Line,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<(), StoreError> {
        if self.lines.note(line, turn, stage, said) { Ok(()) } else { Err(StoreError::Superseded) }
    }

    async fn end_turn(&self, end: &EndOfTurn) -> Result<(), StoreError> {
        // No call of another kind comes between: all that changes lines holds this.
        let _state = self.state();
        self.lines.state(&end.line.conversation, end.line.kind).ending(end)?;
        self.lines.end(end);
        Ok(())
    }

    async fn release_line(&self, line: &Line) -> Result<(), StoreError> {
        self.lines.release(line);
        Ok(())
    }

    async fn forget_turns(&self, id: &ConversationId, kind: TurnKind) -> Result<usize, StoreError> {
        Ok(self.lines.forget(id, kind))
    }

    async fn forget_name(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        self.lines.forget_name(id, name);
        Ok(())
    }

    async fn waiting_turns(&self, kind: TurnKind) -> Result<WaitingTurns, StoreError> {
        Ok(self.lines.count(kind))
    }
}

/// How long something is as JSON, in bytes, without building the text.
fn json_size(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A map with keys that are not text is the only way to fail, and nothing that is kept here has one.
    serde_json::to_writer(&mut count, value).ok();
    count.0
}
