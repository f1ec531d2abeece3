//! Computes the rows of a group of changes before they are written.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use chrono::{DateTime, SubsecRound as _, Utc};
use serde::Serialize;

use super::change::{Append, Change, Create, CreatedAs, Keep, Note, Placed, Queue, Refer, TurnParts};
use super::queues::{Ending, GroupQueues};
use crate::activity::{ConversationId, Watermark};
use crate::turn::{EndOfTurn, Queued};
use crate::{Newest, StoreError, StoreLimits};

/// The state of a conversation that the writer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) key: i64,
    /// Its user as JSON.
    pub(crate) user: Option<String>,
    /// The place of the next activity.
    pub(crate) next: u64,
    /// The timestamp of the newest activity.
    pub(crate) newest: Option<DateTime<Utc>>,
    /// The size of its activities, attachments and feedback.
    pub(crate) bytes: usize,
    /// Users who are known to be members by what they have said, as far as there is room for them here.
    pub(crate) speakers: Vec<String>,
}

/// The speakers that are remembered of a conversation: most have one, and a group writes more.
const MAX_SPEAKERS: usize = 16;

impl Head {
    /// Whether a user says something here for the first time, as far as is remembered.
    fn is_new(&mut self, speaker: &str) -> bool {
        if self.speakers.iter().any(|known| known == speaker) {
            return false;
        }
        if self.speakers.len() >= MAX_SPEAKERS {
            self.speakers.clear();
        }
        self.speakers.push(speaker.to_owned());
        true
    }

    /// Takes so many bytes more, if the conversation may.
    fn grow(&mut self, bytes: usize, limits: StoreLimits) -> Result<(), StoreError> {
        let (grown, limit) = (self.bytes.saturating_add(bytes), limits.max_conversation_bytes);
        if grown > limit {
            return Err(StoreError::ConversationFull { limit });
        }
        self.bytes = grown;
        Ok(())
    }
}

/// Batches that were recorded before, by conversation and the name that their caller gave them: the first place and
/// the number of activities.
pub(crate) type Known = BTreeMap<(i64, String), (u64, usize)>;

/// Key, user, next place, newest timestamp, time of this record, bytes.
pub(crate) type Touched = (i64, Option<String>, u64, Option<i64>, Option<i64>, usize);

/// The state before the group of changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    pub(crate) now: DateTime<Utc>,
    pub(crate) limits: StoreLimits,
    /// The key of the next conversation.
    pub(crate) next_key: i64,
    /// How many conversations there are.
    pub(crate) conversations: usize,
}

/// Rows to be written in one transaction. Each list is an array of arrays when serialised, as the statement takes it.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Key, id, user, time.
    pub(crate) created: Vec<(i64, String, Option<String>, i64)>,
    pub(crate) touched: Vec<Touched>,
    /// Conversation, place, timestamp, and where the body stands in `bodies`: from (counted from 1) and how long.
    pub(crate) activities: Vec<(i64, u64, i64, usize, usize)>,
    pub(crate) bodies: Vec<u8>,
    /// Conversation, name, first place, number.
    pub(crate) batches: Vec<(i64, String, u64, usize)>,
    /// Conversation, id, media type, name, and where the content stands in `contents`.
    pub(crate) attachments: Vec<(i64, String, String, Option<String>, usize, usize)>,
    pub(crate) contents: Vec<u8>,
    /// Conversation and reference; the last one of a conversation counts.
    pub(crate) referred: BTreeMap<i64, String>,
    /// Conversation, id of the user, the place of what they say.
    pub(crate) members: Vec<(i64, String, Option<u64>)>,
    /// Conversation, time, body.
    pub(crate) feedback: Vec<(i64, i64, String)>,
    /// The conversations of the group as they are afterwards.
    pub(crate) heads: BTreeMap<ConversationId, Head>,
    /// Their queues of turns, and the rows of turns.
    pub(crate) queues: GroupQueues,
    /// Those to which something was appended.
    pub(crate) grown: BTreeMap<ConversationId, Watermark>,
    /// The key of the next conversation afterwards.
    pub(crate) next_key: i64,
    known: Known,
    /// Keys of conversations whose row changes, and when something was recorded in them.
    changed: BTreeMap<i64, Option<i64>>,
}

impl Plan {
    /// Works out what a group of changes means and sets the answer of each, to be sent when the rows are written.
    pub(crate) fn make(
        changes: &mut [Change],
        heads: BTreeMap<ConversationId, Head>,
        known: Known,
        queues: GroupQueues,
        before: &Before,
    ) -> Self {
        let mut plan = Self { heads, known, queues, next_key: before.next_key, ..Self::default() };
        for change in changes {
            match change {
                Change::Create(pending) => pending.answer = Some(plan.create(&pending.change, before)),
                Change::Append(pending) => pending.answer = Some(plan.append(&pending.change, before)),
                Change::Keep(pending) => pending.answer = Some(plan.keep(&pending.change, before)),
                Change::Refer(pending) => pending.answer = Some(Ok(plan.refer(&pending.change))),
                Change::Note(pending) => pending.answer = Some(plan.note(&pending.change, before)),
                Change::Queue(pending) => pending.answer = Some(Ok(plan.queue(&pending.change, before))),
                Change::End(pending) => pending.answer = Some(plan.end(&pending.change)),
            }
        }
        plan.touched = plan
            .heads
            .values()
            .filter_map(|head| {
                let active = *plan.changed.get(&head.key)?;
                let newest = head.newest.map(|newest| newest.timestamp_millis());
                Some((head.key, head.user.clone(), head.next, newest, active, head.bytes))
            })
            .collect();
        plan
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        let has_turns = !self.queues.is_empty();
        let is_unchanged = self.created.is_empty() && self.touched.is_empty();
        is_unchanged && self.attachments.is_empty() && self.referred.is_empty() && !has_turns
    }

    fn create(&mut self, create: &Create, before: &Before) -> Result<CreatedAs, StoreError> {
        if let Some(head) = self.heads.get_mut(&create.id) {
            if head.user.is_none() && create.user.is_some() {
                head.user.clone_from(&create.user);
                self.members.extend(create.member.iter().map(|member| (head.key, member.clone(), None)));
                self.changed.entry(head.key).or_default();
                let (key, next, user) = (head.key, Watermark::from_index(head.next), head.user.clone());
                self.announce(create, key, next, before);
                return Ok(CreatedAs { new: false, user });
            }
            return Ok(CreatedAs { new: false, user: head.user.clone() });
        }
        let limit = before.limits.max_conversations;
        if before.conversations + self.created.len() >= limit {
            return Err(StoreError::Full { what: "conversations", limit });
        }
        let (key, user) = (self.next_key, create.user.clone());
        self.next_key += 1;
        let now = before.now.timestamp_millis();
        self.members.extend(create.member.iter().map(|member| (key, member.clone(), None)));
        self.created.push((key, create.id.as_str().to_owned(), user.clone(), now));
        self.heads.insert(
            create.id.clone(),
            Head { key, user: user.clone(), next: 0, newest: None, bytes: 0, speakers: Vec::new() },
        );
        if user.is_some() {
            self.announce(create, key, Watermark::FIRST, before);
        }
        Ok(CreatedAs { new: true, user })
    }

    /// Records the turn of a user who has become known. For one who finds no room nobody waits.
    fn announce(&mut self, create: &Create, key: i64, next: Watermark, before: &Before) {
        if let Some(turn) = &create.turn {
            self.queues.queue((key, &create.id), turn, next, before.now.trunc_subsecs(3));
        }
    }

    fn queue(&mut self, queue: &Queue, before: &Before) -> Option<Queued> {
        let head = self.heads.get(&queue.id)?;
        let next = Watermark::from_index(head.next);
        Some(self.queues.queue((head.key, &queue.id), &queue.turn, next, before.now.trunc_subsecs(3)))
    }

    fn end(&mut self, end: &EndOfTurn) -> Result<(), StoreError> {
        self.queues.ending(end)?;
        self.queues.end(end);
        Ok(())
    }

    fn append(&mut self, append: &Append, before: &Before) -> Result<Option<Placed>, StoreError> {
        let Some(head) = self.heads.get_mut(&append.id) else {
            return Ok(None);
        };
        let key = head.key;
        if let Some(&(first, count)) = append.key.as_ref().and_then(|name| self.known.get(&(key, name.clone()))) {
            return Ok(Some(Placed::Before { first: Watermark::from_index(first), count }));
        }
        let parts = append.turns.as_deref();
        if let Some(end) = parts.and_then(|parts| parts.end.as_ref())
            && self.queues.ending(end)? == Ending::AnsweredBefore
        {
            self.queues.end(end);
            return Ok(Some(Placed::Nowhere));
        }
        let (first, count, limit) = (head.next, append.lengths.len(), before.limits.max_activities);
        if first.saturating_add(count as u64) > limit as u64 {
            return Err(StoreError::Full { what: "activities of a conversation", limit });
        }
        head.grow(append.bodies.len(), before.limits)?;
        let mut from = self.bodies.len();
        self.bodies.extend_from_slice(&append.bodies);
        let now = append.not_before.map_or(before.now, |earliest| before.now.max(earliest));
        let mut timestamp = now.trunc_subsecs(3);
        for (&length, speaker) in append.lengths.iter().zip(&append.speakers) {
            if let Some(speaker) = speaker.as_ref().filter(|speaker| head.is_new(speaker)) {
                self.members.push((key, speaker.clone(), Some(head.next)));
            }
            let newest = Newest { watermark: None, timestamp: head.newest };
            let next = newest.next_timestamp(now);
            if head.next == first {
                timestamp = next;
            }
            self.activities.push((head.key, head.next, next.timestamp_millis(), from + 1, length));
            from += length;
            head.next += 1;
            head.newest = Some(next);
        }
        self.changed.insert(head.key, Some(before.now.timestamp_millis()));
        self.grown.insert(append.id.clone(), Watermark::from_index(head.next.saturating_sub(1)));
        for name in append.key.iter().chain(&append.names) {
            if let Entry::Vacant(unknown) = self.known.entry((key, name.clone())) {
                unknown.insert((first, count));
                self.batches.push((key, name.clone(), first, count));
            }
        }
        let first = Watermark::from_index(first);
        let queued = parts.and_then(|parts| self.turns(parts, (key, &append.id), first, before));
        Ok(Some(Placed::Now { first, timestamp, queued }))
    }

    /// Marks, ends and queues the turns of recorded activities; returns the outcome for their own.
    fn turns(
        &mut self,
        parts: &TurnParts,
        (key, id): (i64, &ConversationId),
        first: Watermark,
        before: &Before,
    ) -> Option<Queued> {
        if let Some(place) = parts.answers {
            self.queues.answer(key, id, place);
        }
        if let Some(end) = &parts.end {
            self.queues.end(end);
        }
        let turn = parts.turn.as_ref()?;
        Some(self.queues.queue((key, id), turn, first, before.now.trunc_subsecs(3)))
    }

    fn keep(&mut self, keep: &Keep, before: &Before) -> Result<bool, StoreError> {
        let Some(head) = self.heads.get_mut(&keep.id) else {
            return Ok(false);
        };
        // Callers make ids that are new, so one that is taken, and is counted twice here, does not come from them.
        head.grow(keep.bytes.len(), before.limits)?;
        self.changed.entry(head.key).or_default();
        let from = self.contents.len() + 1;
        self.contents.extend_from_slice(&keep.bytes);
        let (id, content_type) = (keep.attachment.clone(), keep.content_type.clone());
        self.attachments.push((head.key, id, content_type, keep.name.clone(), from, keep.bytes.len()));
        Ok(true)
    }

    fn refer(&mut self, refer: &Refer) -> bool {
        let Some(head) = self.heads.get(&refer.id) else {
            return false;
        };
        self.referred.insert(head.key, refer.reference.clone());
        true
    }

    fn note(&mut self, note: &Note, before: &Before) -> Result<bool, StoreError> {
        let Some(head) = self.heads.get_mut(&note.id) else {
            return Ok(false);
        };
        if note.name.as_ref().is_some_and(|name| self.known.contains_key(&(head.key, name.clone()))) {
            return Ok(true);
        }
        head.grow(note.body.len(), before.limits)?;
        if let Some(name) = &note.name {
            self.known.insert((head.key, name.clone()), (head.next, 0));
            self.batches.push((head.key, name.clone(), head.next, 0));
        }
        let now = before.now.timestamp_millis();
        self.members.extend(note.from.iter().map(|member| (head.key, member.clone(), None)));
        self.feedback.push((head.key, now, note.body.clone()));
        self.changed.insert(head.key, Some(now));
        Ok(true)
    }
}

/// Rows as the statements take them.
pub(crate) fn rows(rows: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(rows)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::writing::change::Pending;
    use tokio::sync::{Semaphore, oneshot};

    fn before() -> Before {
        let now = "2026-01-01T00:00:00.0007Z".parse().expect("a time");
        let limits = StoreLimits { max_conversations: 2, max_activities: 3, max_bytes: 1, max_conversation_bytes: 9 };
        Before { now, limits, next_key: 5, conversations: 1 }
    }

    fn pending<C, A>(change: C) -> Pending<C, A> {
        let room = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("room");
        Pending::new(change, oneshot::channel().0, room, crate::metrics::Queue::default().enter())
    }

    fn create(id: &str) -> Change {
        Change::Create(pending(Create { id: id.parse().expect("an id"), user: None, member: None, turn: None }))
    }

    fn append(id: &str, key: Option<&str>, lengths: &[usize]) -> Change {
        let bodies = vec![b'x'; lengths.iter().sum()];
        let (id, key) = (id.parse().expect("an id"), key.map(str::to_owned));
        let (names, speakers, lengths) = (Vec::new(), vec![None; lengths.len()], lengths.to_vec());
        Change::Append(pending(Append { id, key, names, not_before: None, bodies, lengths, speakers, turns: None }))
    }

    fn named(mut change: Change, names: &[&str]) -> Change {
        if let Change::Append(pending) = &mut change {
            pending.change.names = names.iter().map(ToString::to_string).collect();
        }
        change
    }

    fn placed(change: &Change) -> Option<Placed> {
        match change {
            Change::Append(pending) => pending.answer.as_ref()?.as_ref().ok().copied().flatten(),
            Change::Create(_)
            | Change::Keep(_)
            | Change::Refer(_)
            | Change::Note(_)
            | Change::Queue(_)
            | Change::End(_) => None,
        }
    }

    #[test]
    fn a_name_of_one_change_is_known_to_the_next_and_stays_with_the_first() {
        let mut group = [
            create("c"),
            named(append("c", Some("k"), &[1]), &["n", "n"]),
            append("c", Some("n"), &[1]),
            named(append("c", None, &[1]), &["k", "m"]),
        ];
        let plan = Plan::make(&mut group, BTreeMap::new(), Known::new(), GroupQueues::default(), &before());
        assert_eq!(placed(&group[2]), Some(Placed::Before { first: Watermark::FIRST, count: 1 }));
        let names: Vec<_> = plan.batches.iter().map(|(_, name, first, _)| (name.as_str(), *first)).collect();
        assert_eq!(names, [("k", 0), ("n", 0), ("m", 1)]);
    }

    #[test]
    fn of_several_references_the_last_counts_and_only_feedback_is_a_sign_of_life() {
        let id = || "c".parse().expect("an id");
        let refer = |text: &str| Change::Refer(pending(Refer { id: id(), reference: text.to_owned() }));
        let mut group = [refer("0"), create("c"), refer("1"), refer("2")];
        let plan = Plan::make(&mut group, BTreeMap::new(), Known::new(), GroupQueues::default(), &before());
        assert_eq!(plan.referred, BTreeMap::from([(5, "2".to_owned())]));
        assert!(plan.touched.is_empty() && !plan.is_empty());
        let mut group =
            [create("c"), Change::Note(pending(Note { id: id(), body: "{}".to_owned(), from: None, name: None }))];
        let plan = Plan::make(&mut group, BTreeMap::new(), Known::new(), GroupQueues::default(), &before());
        assert_eq!((plan.feedback.len(), plan.touched.len()), (1, 1));
    }

    #[test]
    fn changes_of_one_group_see_each_other() {
        let mut group = [
            append("c", None, &[1]),
            create("c"),
            append("c", Some("k"), &[2, 3]),
            append("c", Some("k"), &[9]),
            append("c", None, &[4]),
        ];
        let plan = Plan::make(&mut group, BTreeMap::new(), Known::new(), GroupQueues::default(), &before());
        let timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        assert_eq!(placed(&group[0]), None, "the conversation was not there yet");
        assert_eq!(placed(&group[2]), Some(Placed::Now { first: Watermark::FIRST, timestamp, queued: None }));
        assert_eq!(placed(&group[3]), Some(Placed::Before { first: Watermark::FIRST, count: 2 }));
        let millis = timestamp.timestamp_millis();
        assert_eq!(plan.activities, [(5, 0, millis, 1, 2), (5, 1, millis + 1, 3, 3), (5, 2, millis + 2, 6, 4)]);
        assert_eq!(plan.bodies.len(), 9);
        assert_eq!(plan.touched, [(5, None, 3, Some(millis + 2), Some(millis), 9)]);
        assert_eq!(plan.next_key, 6);
    }

    #[test]
    fn what_is_refused_leaves_no_rows() {
        let mut group = [create("c"), create("d"), append("c", None, &[1, 1, 1, 1])];
        let plan = Plan::make(&mut group, BTreeMap::new(), Known::new(), GroupQueues::default(), &before());
        assert_eq!((plan.created.len(), plan.activities.len(), plan.touched.len()), (1, 0, 0));
        for (index, what) in [(1, "conversations"), (2, "activities of a conversation")] {
            let refused = match &group[index] {
                Change::Create(pending) => pending.answer.as_ref().and_then(|answer| answer.as_ref().err()),
                Change::Append(pending) => pending.answer.as_ref().and_then(|answer| answer.as_ref().err()),
                Change::Keep(_) | Change::Refer(_) | Change::Note(_) | Change::Queue(_) | Change::End(_) => None,
            };
            assert!(matches!(refused, Some(StoreError::Full { what: full, .. }) if *full == what), "{refused:?}");
        }
    }
}
