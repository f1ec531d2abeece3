//! Kinds of sources.

use std::fmt;

use serde::{Serialize, Serializer};

/// The kind of a source, from the provider's words or its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A web page.
    Web,
    /// A document of the caller, such as a file or a passage of an index.
    Document,
    /// A news article.
    News,
    /// A video.
    Video,
    /// A place on a map.
    Maps,
    /// An image.
    Image,
    /// The result of a tool.
    Tool,
    /// A post on X.
    X,
    /// A document of one of xAI's collections.
    Collections,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Web,
        Self::Document,
        Self::News,
        Self::Video,
        Self::Maps,
        Self::Image,
        Self::Tool,
        Self::X,
        Self::Collections,
    ];

    /// The name in `records`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Document => "doc",
            Self::News => "news",
            Self::Video => "video",
            Self::Maps => "maps",
            Self::Image => "image",
            Self::Tool => "tool",
            Self::X => "x",
            Self::Collections => "collections",
        }
    }

    /// The kind with this name or a provider's synonym, in any case; `None` for unknown words.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|kind| kind.name() == word);
        known.or(match word.as_str() {
            "web_search" | "url" | "webpage" | "website" => Some(Self::Web),
            "document" | "file" | "attachment" | "text" | "note" | "collection" => Some(Self::Document),
            _ => None,
        })
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for SourceKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_name_and_by_what_providers_call_it() {
        for kind in SourceKind::ALL {
            assert_eq!(SourceKind::named(kind.name()), Some(kind));
        }
        assert_eq!(SourceKind::named("Attachment"), Some(SourceKind::Document));
        assert_eq!(SourceKind::named("telepathy"), None);
    }
}
