//! The text of an answer for chat clients, written while it arrives.

use super::badge_stream::{BadgeStream, Growth};
use super::chat_options::ChatForm;
use super::document_links::write_link;
use super::numbered::source_of;
use crate::answer::Source;
use crate::cite::CitedPlace;

/// Writes the numbered text (rule N-01) in the form that a client reads. What is written never changes, and does not depend
/// on the pieces in which the text came.
#[derive(Debug)]
pub(super) enum Wording {
    /// As it is.
    Places {
        /// What is written.
        out: String,
    },
    /// With links in place of the numbers.
    Links {
        /// What is written.
        out: String,
        /// How much of the text was read.
        read: usize,
        /// How many of its places were.
        cited: usize,
    },
    /// With the numbers of badges.
    Badges(BadgeStream),
}

impl Wording {
    /// Nothing yet.
    pub(super) fn new(form: ChatForm) -> Self {
        match form {
            ChatForm::Badges => Self::Badges(BadgeStream::default()),
            ChatForm::Links => Self::Links { out: String::new(), read: 0, cited: 0 },
            ChatForm::Places | ChatForm::Uncited => Self::Places { out: String::new() },
        }
    }

    /// What is written so far.
    pub(super) fn written(&self) -> &str {
        match self {
            Self::Places { out } | Self::Links { out, .. } => out,
            Self::Badges(badges) => badges.written(),
        }
    }

    /// How much of the text was read.
    pub(super) fn read(&self) -> usize {
        match self {
            Self::Places { out } => out.len(),
            Self::Links { read, .. } => *read,
            Self::Badges(badges) => badges.read(),
        }
    }

    /// The places of the sources whose numbers the text carries, in the order of these numbers, where that is an order of
    /// its own.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        match self {
            Self::Badges(badges) => Some(badges.order()),
            Self::Places { .. } | Self::Links { .. } => None,
        }
    }

    /// Reads on in a text that begins with what was read.
    pub(super) fn advance(&mut self, text: &str, places: &[CitedPlace], sources: &[Source], is_whole: bool) {
        match self {
            Self::Places { out } => out.push_str(&text[out.len()..]),
            Self::Links { out, read, cited } => {
                for place in &places[*cited..] {
                    out.push_str(&text[*read..place.range.start]);
                    let source = source_of(place).and_then(|source| sources.get(source));
                    write_link(out, place.position.get(), source);
                    *read = place.range.end;
                }
                *cited = places.len();
                out.push_str(&text[*read..]);
                *read = text.len();
            }
            Self::Badges(badges) => {
                badges.advance(Growth { text, cited: places, has_sources: !sources.is_empty(), is_whole });
            }
        }
    }
}
