//! What the caller wants of the activity itself.

/// What the caller wants of the activity itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageOptions {
    /// Readers are asked what they think.
    pub feedback: bool,
    /// The text alone names the sources.
    pub self_contained: bool,
    /// A message that is too large stays whole, for whoever sends it in [parts](super::Dialect::parts), and is in Markdown until then.
    pub in_parts: bool,
}
