//! The queue of questions in one conversation.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::activity::{Activity, ConversationId};

/// So many questions of one conversation wait while one is answered.
const MAX_WAITING_EACH: usize = 4;

/// So many questions wait altogether.
const MAX_WAITING: usize = 10_000;

/// The questions of each conversation in order, also across several browser tabs.
#[derive(Debug, Default)]
pub(super) struct QuestionQueue(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    /// Conversations in which something is being answered, and what waits there.
    lines: BTreeMap<ConversationId, VecDeque<Arc<Activity>>>,
    count: usize,
}

/// The position of a new question in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// It is the first: whoever asked serves the line now, until [`QuestionQueue::next`] gives nothing.
    First,
    /// It waits, and is served after those before it.
    Behind,
    /// There is no room.
    Refused,
}

impl QuestionQueue {
    /// Takes a question into the line of its conversation. The first one does not wait in it.
    pub(super) fn join(&self, id: &ConversationId, question: &Arc<Activity>) -> Position {
        let mut waiting = self.waiting();
        let Waiting { lines, count } = &mut *waiting;
        match lines.get_mut(id) {
            None => {
                lines.insert(id.clone(), VecDeque::new());
                Position::First
            }
            Some(line) if line.len() < MAX_WAITING_EACH && *count < MAX_WAITING => {
                line.push_back(Arc::clone(question));
                *count += 1;
                Position::Behind
            }
            Some(_) => Position::Refused,
        }
    }

    /// The next question of the conversation; nothing when its line has ended, and is served no more.
    pub(super) fn next(&self, id: &ConversationId) -> Option<Arc<Activity>> {
        let mut waiting = self.waiting();
        let next = waiting.lines.get_mut(id)?.pop_front();
        match next {
            Some(_) => waiting.count -= 1,
            None => drop(waiting.lines.remove(id)),
        }
        next
    }

    /// Gives up the line of a conversation; returns what waited in it.
    pub(super) fn leave(&self, id: &ConversationId) -> VecDeque<Arc<Activity>> {
        let mut waiting = self.waiting();
        let line = waiting.lines.remove(id).unwrap_or_default();
        waiting.count -= line.len();
        line
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Arc<Activity> {
        Arc::new(Activity::message(text))
    }

    fn id(id: &str) -> ConversationId {
        id.parse().expect("an id")
    }

    #[test]
    fn questions_of_a_conversation_come_one_after_the_other() {
        let lines = QuestionQueue::default();
        let places = ["1", "2", "3"].map(|text| lines.join(&id("a"), &question(text)));
        assert_eq!(places, [Position::First, Position::Behind, Position::Behind]);
        assert_eq!(lines.join(&id("b"), &question("4")), Position::First, "another conversation waits for nobody");
        let next = || lines.next(&id("a")).and_then(|activity| activity.text.clone());
        assert_eq!([next(), next(), next(), next()].map(Option::unwrap_or_default), ["2", "3", "", ""]);
        assert_eq!(lines.join(&id("a"), &question("5")), Position::First, "the line had ended");
    }

    #[test]
    fn a_line_has_an_end_and_its_room_comes_back() {
        let lines = QuestionQueue::default();
        let places: Vec<_> = (0..=MAX_WAITING_EACH + 1).map(|_| lines.join(&id("a"), &question("x"))).collect();
        assert_eq!(places.last(), Some(&Position::Refused));
        assert_eq!(lines.leave(&id("a")).len(), MAX_WAITING_EACH);
        assert_eq!(lines.waiting().count, 0);
        for conversation in 0..MAX_WAITING {
            lines.join(&id(&conversation.to_string()), &question("x"));
            lines.join(&id(&conversation.to_string()), &question("x"));
        }
        assert_eq!(lines.join(&id("0"), &question("x")), Position::Refused, "all of the room is taken");
    }
}
