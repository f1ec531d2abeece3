//! The queue of activities for the bot: one line per conversation.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::BotOptions;
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId};

/// An event for the bot.
#[derive(Clone, Debug)]
pub(super) enum BotEvent {
    /// A user has come, maybe as the first one, with whom the bot comes too.
    Joined { user: ChannelAccount, locale: Option<String>, first: bool },
    /// A user has said or done something.
    Said(Arc<Activity>),
}

/// The waiting events, and since when they wait.
#[derive(Debug)]
pub(super) struct QueuedEvent {
    pub(super) news: BotEvent,
    pub(super) since: Instant,
}

/// The reason why an event cannot be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueError {
    /// Too much waits already.
    Full,
    /// Nobody serves the lines any more.
    Closed,
}

/// The queues of all conversations. One task at a time serves a queue from its front; an empty queue is removed.
#[derive(Debug)]
pub(super) struct BotQueue {
    max_in_line: usize,
    max_in_all: usize,
    state: Mutex<QueueState>,
    fresh: Notify,
}

#[derive(Debug, Default)]
struct QueueState {
    lines: BTreeMap<ConversationId, ConversationQueue>,
    /// BotQueue that nobody serves yet.
    unserved: VecDeque<ConversationId>,
    waiting: usize,
    closed: bool,
}

#[derive(Debug, Default)]
struct ConversationQueue {
    news: VecDeque<QueuedEvent>,
    /// What the bot is being told.
    current: Option<ActivityId>,
    /// The bot has answered that.
    answered: bool,
}

impl BotQueue {
    pub(super) fn new(options: &BotOptions) -> Self {
        let (max_in_line, max_in_all) = (options.max_waiting, options.max_waiting_in_all);
        Self { max_in_line, max_in_all, state: Mutex::default(), fresh: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // No call below can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts news at the end of the conversation's line.
    pub(super) fn push(&self, id: &ConversationId, news: BotEvent) -> Result<(), QueueError> {
        let waiting = QueuedEvent { news, since: Instant::now() };
        let mut state = self.state();
        if state.closed {
            return Err(QueueError::Closed);
        }
        if state.waiting >= self.max_in_all {
            return Err(QueueError::Full);
        }
        if let Some(line) = state.lines.get_mut(id) {
            if line.news.len() >= self.max_in_line {
                return Err(QueueError::Full);
            }
            line.news.push_back(waiting);
        } else {
            let line = ConversationQueue { news: VecDeque::from([waiting]), current: None, answered: false };
            state.lines.insert(id.clone(), line);
            state.unserved.push_back(id.clone());
            self.fresh.notify_one();
        }
        state.waiting += 1;
        Ok(())
    }

    /// A line that nobody serves, as soon as there is one. One caller at a time.
    pub(super) async fn unserved(&self) -> ConversationId {
        loop {
            if let Some(id) = self.try_unserved() {
                return id;
            }
            self.fresh.notified().await;
        }
    }

    /// A line that nobody serves, if there is one.
    pub(super) fn try_unserved(&self) -> Option<ConversationId> {
        self.state().unserved.pop_front()
    }

    /// The front of the line, for whoever serves it; `None` when the line has come to its end.
    pub(super) fn next(&self, id: &ConversationId) -> Option<QueuedEvent> {
        let mut state = self.state();
        let line = state.lines.get_mut(id)?;
        let next = line.news.pop_front();
        line.answered = false;
        line.current = next.as_ref().and_then(|waiting| match &waiting.news {
            BotEvent::Said(activity) => activity.id.clone(),
            BotEvent::Joined { .. } => None,
        });
        match next {
            Some(_) => state.waiting -= 1,
            None => drop(state.lines.remove(id)),
        }
        next
    }

    /// The bot has answered an activity of the conversation.
    pub(super) fn answered(&self, id: &ConversationId, activity: &ActivityId) {
        if let Some(line) = self.state().lines.get_mut(id) {
            line.answered |= line.current.as_ref() == Some(activity);
        }
    }

    /// Whether the bot has answered what it is being told.
    pub(super) fn is_answered(&self, id: &ConversationId) -> bool {
        self.state().lines.get(id).is_some_and(|line| line.answered)
    }

    /// Takes nothing more. What waits can still be taken out.
    pub(super) fn close(&self) {
        self.state().closed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(max_waiting: usize, max_waiting_in_all: usize) -> BotQueue {
        BotQueue::new(&BotOptions { max_waiting, max_waiting_in_all, ..BotOptions::default() })
    }

    fn news(text: &str) -> BotEvent {
        BotEvent::Said(Arc::new(Activity::message(text)))
    }

    fn text(waiting: Option<QueuedEvent>) -> Option<String> {
        match waiting?.news {
            BotEvent::Said(activity) => activity.text.clone(),
            BotEvent::Joined { .. } => None,
        }
    }

    fn id(id: &str) -> ConversationId {
        id.parse().expect("an id")
    }

    #[tokio::test]
    async fn a_line_is_served_once_and_from_its_front() {
        let lines = lines(8, 8);
        for text in ["1", "2"] {
            assert_eq!(lines.push(&id("a"), news(text)), Ok(()));
        }
        assert_eq!(lines.unserved().await, id("a"));
        assert_eq!(lines.try_unserved(), None, "it is served already");
        assert_eq!(lines.push(&id("a"), news("3")), Ok(()));
        let served: Vec<_> = std::iter::from_fn(|| text(lines.next(&id("a")))).collect();
        assert_eq!(served, ["1", "2", "3"]);
        assert_eq!(lines.push(&id("a"), news("4")), Ok(()));
        assert_eq!(lines.unserved().await, id("a"), "a line that had come to its end begins again");
    }

    #[test]
    fn lines_are_bounded_each_and_together() {
        let lines = lines(2, 3);
        let push = |line: &str| lines.push(&id(line), news("x"));
        assert_eq!([push("a"), push("a"), push("a")], [Ok(()), Ok(()), Err(QueueError::Full)]);
        assert_eq!([push("b"), push("b"), push("c")], [Ok(()), Err(QueueError::Full), Err(QueueError::Full)]);
        assert!(lines.next(&id("a")).is_some());
        assert_eq!(lines.push(&id("c"), news("x")), Ok(()));
        lines.close();
        assert_eq!(lines.push(&id("c"), news("x")), Err(QueueError::Closed));
        assert!(lines.next(&id("b")).is_some(), "what waits is not lost");
    }

    #[test]
    fn an_answer_counts_for_what_it_answers() {
        let lines = lines(2, 2);
        let numbered = |number: &str| {
            let mut activity = Activity::message("x");
            activity.id = Some(ActivityId::from(number.to_owned()));
            BotEvent::Said(Arc::new(activity))
        };
        for number in ["1", "2"] {
            assert_eq!(lines.push(&id("a"), numbered(number)), Ok(()));
        }
        let mut outcomes = Vec::new();
        while lines.next(&id("a")).is_some() {
            lines.answered(&id("a"), &ActivityId::from("1".to_owned()));
            outcomes.push(lines.is_answered(&id("a")));
        }
        assert_eq!(outcomes, [true, false]);
    }
}
