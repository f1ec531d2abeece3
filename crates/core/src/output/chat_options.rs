//! What a client of chat completions wants.

use std::fmt;
use std::str::FromStr;

use super::download_links::DownloadLinks;

/// How an answer is written for a client of chat completions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatOptions {
    /// The form of the citations.
    pub form: ChatForm,
    /// Where the sources in `citations` lead.
    pub links: DownloadLinks,
    /// Whether the passages of encrypted documents are left out.
    pub withhold_encrypted: bool,
}

/// The forms of citations in a chat completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChatForm {
    /// `[1]`, counted by first appearance, with `source` events: badges and cards in Open WebUI. `citations` lists the cited
    /// sources first, so that its numbers are the same.
    #[default]
    Badges,
    /// `[[doc1]](https://…)` with `citation` events; documents keep their places (rules AZ-03 to AZ-05).
    Links,
    /// `[1]` is the place of the source, and there is no event: what clients of AssistantHub read (rules AH-01 to AH-06).
    Places,
    /// The numbers stay in the text, and nothing says what they mean (rule AH-02).
    Uncited,
}

impl ChatForm {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::Badges, Self::Links, Self::Places, Self::Uncited];
}

impl fmt::Display for ChatForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Badges => "open-webui",
            Self::Links => "open-webui-links",
            Self::Places => "assistanthub",
            Self::Uncited => "none",
        })
    }
}

/// No form of citations has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown citation form {given:?}; known forms: open-webui, open-webui-links, assistanthub, none")]
pub struct UnknownChatForm {
    /// What was given.
    pub given: String,
}

impl FromStr for ChatForm {
    type Err = UnknownChatForm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|form| form.to_string() == name);
        known.ok_or_else(|| UnknownChatForm { given: name.to_owned() })
    }
}
