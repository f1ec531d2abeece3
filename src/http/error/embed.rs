//! Errors of the embedded chat.

use std::fmt;

/// The reason why a page gets neither the script nor a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// No site is named.
    #[error(
        "embedding is turned off; list the origins of your sites in embed.origins (CITEWIRE_EMBED_ORIGINS), such as \
         https://www.contoso.example"
    )]
    Off,
    /// Sites have to give tokens themselves.
    #[error(
        "this server starts no sessions without a token; set embed.anonymous (CITEWIRE_EMBED_ANONYMOUS) to true, or \
         give the script the attribute data-token-url"
    )]
    NotAnonymous,
    /// The page that asks is not of a site that is named.
    #[error("pages of {0} may not use this chat; add that origin to embed.origins (CITEWIRE_EMBED_ORIGINS)")]
    ForeignOrigin(Asking),
    /// The assistant is not one that visitors may choose.
    #[error(
        "visitors may not choose the assistant `{0}`; set shared to true in its settings, or add its name to embed.assistants \
         (CITEWIRE_EMBED_ASSISTANTS)"
    )]
    NotOffered(String),
}

/// The origin of the calling page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking(pub(in crate::http) Option<String>);

impl fmt::Display for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("an unknown origin (the request has no header Origin)"))
    }
}
