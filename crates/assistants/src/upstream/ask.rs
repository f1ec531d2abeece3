//! The question for a back end: messages, passages and instructions.

use crate::answer::Source;

/// A question with its messages, passages and instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The messages so far, oldest first; the last one is the question, and a user's.
    pub turns: Vec<ChatMessage>,
    /// The words for the model before the first message, without the sources.
    pub instructions: Option<String>,
    /// Passages that were found for the question already; a model is to cite them by their places, from 1. Empty where the
    /// back end looks for itself.
    pub sources: Vec<Source>,
    /// Passages of files that the reader attached to the question. A model is to cite them behind the sources.
    pub attached: Vec<Source>,
    /// Whether the answer is to cite. Where it is not, a model reads the passages without numbers, and its
    /// answer comes without sources.
    pub citations: bool,
    /// The conversation in which it is asked, for back ends that keep something for each.
    pub conversation: Option<String>,
    /// Whether the turns are no question to the documents: the model is told what they say and nothing else, no sources are
    /// looked for, and nothing is cited.
    pub plain: bool,
    /// Whether nobody reads the answer while it is written: it is wanted as soon as it is there.
    pub at_once: bool,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            turns: Vec::new(),
            instructions: None,
            sources: Vec::new(),
            attached: Vec::new(),
            citations: true,
            conversation: None,
            plain: false,
            at_once: false,
        }
    }
}

impl Ask {
    /// A question about what these turns end with.
    #[must_use]
    pub fn new(turns: Vec<ChatMessage>) -> Self {
        Self { turns, ..Self::default() }
    }

    /// The question: the text of the last turn.
    #[must_use]
    pub fn question(&self) -> &str {
        self.turns.last().map_or("", |turn| turn.text.as_str())
    }
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// The author.
    pub speaker: Speaker,
    /// The words; for answers, without definitions.
    pub text: String,
}

impl ChatMessage {
    /// Something that was said.
    #[must_use]
    pub fn new(speaker: Speaker, text: impl Into<String>) -> Self {
        Self { speaker, text: text.into() }
    }
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A person who asks.
    User,
    /// The model that answers.
    Assistant,
}
