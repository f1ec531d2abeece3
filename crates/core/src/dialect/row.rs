//! The row of a dialect: its names, rules and limits, and the function that makes its message.

use super::drawn::Drawing;
use super::{MessageOptions, Pacing};
use crate::activity::Activity;
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::report::Entry;

/// One dialect. Its row stands in its own file, and its name in the table of `dialect.rs`.
#[derive(Debug)]
pub(super) struct Row {
    /// The name for callers: lower case, with hyphens.
    pub(super) slug: &'static str,
    /// The ids of the channels that use it.
    pub(super) channels: &'static [&'static str],
    /// The rules for rewriting the text.
    pub(super) rules: fn() -> Rules,
    /// The rules for claims and labels.
    pub(super) graph_rules: fn() -> GraphRules,
    /// Builds the message.
    pub(super) message: fn(String, Message, MessageOptions, &mut Vec<Entry>) -> Activity,
    /// Draws the message in the channel's own markup; `None` for a channel that draws Markdown or shows plain text.
    pub(super) drawing: Option<&'static Drawing>,
    /// The form of livestreams; `None` if an answer arrives once.
    pub(super) stream: Option<Stream>,
    /// The largest message on the wire, in bytes of UTF-16, without the members that delivery adds.
    pub(super) max_message_bytes: usize,
    /// The timing of streams.
    pub(super) pacing: Pacing,
}

/// The form of livestreams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// An update may replace the text by any other, and carries its claims.
    Free,
    /// The form of Teams: each text begins with the text before it, and only the final message carries claims.
    Growing,
}

/// Direct Line accepts 256 K characters and recommends less than 150 K.
pub(super) const MAX_DIRECT_LINE_BYTES: usize = 2 * 150_000;
