//! Splits a message into the parts that are sent.

use std::collections::VecDeque;

use crate::activity::Activity;
use crate::dialect::Dialect;
use crate::report::Entry;

/// A service that takes less than this takes nothing, in bytes of UTF-16.
const SMALLEST: usize = 8 * 1024;

/// The rest of a message that is not sent yet.
#[derive(Debug)]
pub(super) struct Content {
    dialect: Dialect,
    limit: usize,
    parts: VecDeque<Activity>,
}

impl Content {
    /// All of the message, in as few parts as its channel takes.
    pub(super) fn new(dialect: Dialect, message: Activity, entries: &mut Vec<Entry>) -> Self {
        let limit = dialect.max_message_bytes();
        Self { dialect, limit, parts: dialect.parts(message, limit, entries).into() }
    }

    /// The next part; `None` when all were sent.
    pub(super) fn next(&self) -> Option<&Activity> {
        self.parts.front()
    }

    /// The next part was sent.
    pub(super) fn advance(&mut self) {
        self.parts.pop_front();
    }

    /// Only the next part is to be sent.
    pub(super) fn cut(&mut self) {
        self.parts.truncate(1);
    }

    /// Divides what is left once more; whether that has made its parts smaller.
    pub(super) fn divide(&mut self, entries: &mut Vec<Entry>) -> bool {
        self.limit /= 2;
        if self.limit < SMALLEST {
            return false;
        }
        let before = self.parts.len();
        let dialect = self.dialect;
        let parts = std::mem::take(&mut self.parts);
        self.parts = parts.into_iter().flat_map(|part| dialect.parts(part, self.limit, entries)).collect();
        // A part that was small already may be small enough for nobody.
        self.parts.len() > before || self.limit / 2 >= SMALLEST
    }

    /// Takes the claims out of what is left and puts their sources into the text; whether there were any.
    pub(super) fn list(&mut self, entries: &mut Vec<Entry>) -> bool {
        let dialect = self.dialect;
        let mut found = false;
        let parts = std::mem::take(&mut self.parts);
        let listed = parts.into_iter().map(|part| match dialect.listed(&part) {
            Some(listed) => {
                found = true;
                listed
            }
            None => part,
        });
        let listed: Vec<_> = listed.collect();
        self.parts = listed.into_iter().flat_map(|part| dialect.parts(part, self.limit, entries)).collect();
        found
    }
}
