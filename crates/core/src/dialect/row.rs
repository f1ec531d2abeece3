//! The row of a dialect: its names, rules and limits, and the function that makes its message.

use super::drawn::Drawing;
use super::{MessageOptions, Pacing};
use crate::activity::Activity;
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::report::Entry;

/// One dialect. Each has a file with its row, and a line in the table of `dialect.rs`.
#[derive(Debug)]
pub(super) struct Row {
    /// Its name for callers: lower case, with hyphens.
    pub(super) slug: &'static str,
    /// The ids of the channels that want it.
    pub(super) channels: &'static [&'static str],
    /// How the text is rewritten for it.
    pub(super) rules: fn() -> Rules,
    /// How the claims and labels are written for it.
    pub(super) graph_rules: fn() -> GraphRules,
    /// Shapes the message.
    pub(super) message: fn(String, Message, MessageOptions, &mut Vec<Entry>) -> Activity,
    /// How the message is drawn; `None` where the channel draws Markdown, or shows a text as it is.
    pub(super) drawing: Option<&'static Drawing>,
    /// How its readers see an answer grow; `None` where it arrives once.
    pub(super) stream: Option<Stream>,
    /// The most that a message has on the wire, in bytes of UTF-16, without what delivery adds.
    pub(super) max_message_bytes: usize,
    /// How often and how long a stream may be updated.
    pub(super) pacing: Pacing,
}

/// How readers see an answer grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Any text may follow any other, with its claims.
    Free,
    /// As Teams has it: a text begins with the one before it, and claims come with the message only.
    Growing,
}

/// Direct Line takes 256 K characters and recommends to stay under 150 K.
pub(super) const MAX_DIRECT_LINE_BYTES: usize = 2 * 150_000;
