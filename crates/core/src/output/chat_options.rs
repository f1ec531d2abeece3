//! The options of a chat completion.

use std::fmt;
use std::str::FromStr;

use crate::text::echo;

use super::download_links::DownloadLinks;

/// How an answer is written for a client of chat completions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatOptions {
    /// The form of the citations.
    pub form: ChatForm,
    /// The addresses of the sources in `citations`.
    pub links: DownloadLinks,
    /// Whether encrypted documents lose their passages.
    pub withhold_encrypted: bool,
}

/// The citation forms of a chat completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChatForm {
    /// `[1]`, counted by first appearance, with `source` events: badges and cards in Open WebUI. `citations` lists the cited
    /// sources first, in the same order, so that its numbers agree with the text.
    #[default]
    Badges,
    /// `[[doc1]](https://…)` with `citation` events; documents keep their places (rules AZ-03 to AZ-05).
    Links,
    /// `[1]` is the place of the source in the provider's list; there are no events. Clients of AssistantHub read this form
    /// (rules AH-01 to AH-06).
    Places,
    /// `[1]`, counted by first appearance, and a list of the sources at the end of the text. Clients that draw nothing beside the
    /// text show this form; there are no events.
    List,
    /// The numbers stay in the text; no sources accompany them (rule AH-02).
    Uncited,
}

impl ChatForm {
    /// All forms.
    pub const ALL: [Self; 5] = [Self::Badges, Self::Links, Self::Places, Self::List, Self::Uncited];
}

impl fmt::Display for ChatForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Badges => "open-webui",
            Self::Links => "open-webui-links",
            Self::Places => "assistanthub",
            Self::List => "list",
            Self::Uncited => "none",
        })
    }
}

/// The name of the citation form is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown citation form {:?}; known forms: open-webui, open-webui-links, assistanthub, list, none", echo(given))]
pub struct UnknownChatForm {
    /// The name.
    pub given: String,
}

impl FromStr for ChatForm {
    type Err = UnknownChatForm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|form| form.to_string() == name);
        known.ok_or_else(|| UnknownChatForm { given: name.to_owned() })
    }
}
