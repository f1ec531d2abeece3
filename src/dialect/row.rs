//! What one dialect is made of: data, and the function that shapes its message.

use super::{Pacing, Wishes};
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
    /// What it asks of the text.
    pub(super) rules: fn() -> Rules,
    /// What it asks of the graph.
    pub(super) graph_rules: fn() -> GraphRules,
    /// Shapes the message.
    pub(super) message: fn(String, Message, Wishes, &mut Vec<Entry>) -> Activity,
    /// Where its readers find the sources.
    pub(super) sources: Sources,
    /// How its readers see an answer grow; `None` where it arrives once.
    pub(super) stream: Option<Stream>,
    /// The most that a message has on the wire, in bytes of UTF-16, without what delivery adds.
    pub(super) max_message_bytes: usize,
    /// How fast it may be written to.
    pub(super) pacing: Pacing,
}

/// Where readers find the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sources {
    /// In the definitions of the text and in the claims.
    Definitions,
    /// In the claims.
    Claims,
    /// In a list in the text.
    Text,
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
