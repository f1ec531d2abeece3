//! The caller's options for the activity.

/// The caller's options for the activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageOptions {
    /// Whether readers are asked for feedback.
    pub feedback: bool,
    /// Whether the text itself lists the sources.
    pub self_contained: bool,
    /// Whether an oversized message stays whole and in Markdown, for a caller that sends it in
    /// [parts](super::Dialect::parts).
    pub in_parts: bool,
    /// Whether the text is extended Markdown, for Teams.
    pub extended: bool,
}
