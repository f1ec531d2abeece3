//! The options of an assistant.

use std::str::FromStr;

use crate::convert;
use crate::metrics::Apology;
use crate::upstream::UpstreamError;

/// The options of one assistant, apart from its back end.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantOptions {
    /// The name that readers see, if it is not the assistant's.
    pub display_name: Option<String>,
    /// Whether visitors of the page and of embedding sites may choose it.
    pub is_shared: bool,
    /// Whether answers cite.
    pub citations: bool,
    /// How readers get at cited documents that have no address of their own (rule AH-07).
    pub link_mode: LinkMode,
    /// The words for the model before everything else.
    pub instructions: Option<String>,
    /// How many tokens the model takes at once; told to clients that ask for usage.
    pub context_window: Option<u64>,
    /// The tokens of earlier messages that go along with a question, as `prompt` estimates them.
    pub history_tokens: usize,
    /// The number of questions it answers at one time, wherever they come from; `None` sets no limit of its own.
    pub max_turns: Option<usize>,
    /// The wishes for the conversion: grounding, numbering and so on.
    pub convert: convert::Options,
    /// The words for a user who has come; none when empty.
    pub greeting: String,
    /// The words that readers see at once, while the back end is asked.
    pub informative: String,
    /// The words where grounding is required and missing.
    pub refusal: String,
    /// The words when the back end fails before it has said anything.
    pub failure: String,
    /// The words behind an answer that a reader has stopped, or instead of one of which there are no words.
    pub stopped: String,
    /// The words when the back end has too much to do, and would answer later.
    pub busy: String,
}

impl Default for AssistantOptions {
    fn default() -> Self {
        Self {
            display_name: None,
            is_shared: false,
            citations: true,
            link_mode: LinkMode::None,
            instructions: None,
            context_window: None,
            history_tokens: 4_000,
            max_turns: None,
            convert: convert::Options::default(),
            greeting: String::new(),
            informative: "Looking for an answer …".to_owned(),
            refusal: "I found nothing that I could base an answer on.".to_owned(),
            failure: "I cannot answer at the moment. Please try again later.".to_owned(),
            stopped: "The answer was stopped.".to_owned(),
            busy: "Too many questions are being asked at the moment. Please ask again a little later.".to_owned(),
        }
    }
}

impl AssistantOptions {
    /// The words for readers when a call to the back end ends like this.
    pub(super) fn in_place_of_answer(&self, error: &UpstreamError) -> (Apology, &str) {
        match error {
            UpstreamError::Status { status, .. } if TOO_BUSY.contains(status) => (Apology::Busy, &self.busy),
            UpstreamError::NoTurn { .. } => (Apology::Busy, &self.busy),
            UpstreamError::Status { .. }
            | UpstreamError::Egress(_)
            | UpstreamError::ContentType { .. }
            | UpstreamError::Stalled { .. }
            | UpstreamError::Wordless { .. }
            | UpstreamError::TooLong { .. }
            | UpstreamError::Search(_) => (Apology::Failure, &self.failure),
        }
    }
}

/// Statuses of a back end that would answer if it had less to do. 529 is Anthropic's word for 503.
const TOO_BUSY: [u16; 3] = [429, 503, 529];

/// How readers can download cited documents without a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkMode {
    /// They do not.
    #[default]
    None,
    /// With the key, or the token of their conversation.
    Authenticated,
    /// Everyone who has the address, for a time.
    Public,
}

/// The text names no link mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a link mode is none, authenticated or public")]
pub struct UnknownLinkMode;

impl FromStr for LinkMode {
    type Err = UnknownLinkMode;

    /// Reads a name, compared without case.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let modes = [("none", Self::None), ("authenticated", Self::Authenticated), ("public", Self::Public)];
        let found = modes.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        found.map(|(_, mode)| mode).ok_or(UnknownLinkMode)
    }
}
