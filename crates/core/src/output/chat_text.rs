//! Writes the text of an answer for chat clients while it arrives.

use super::badge_stream::{BadgeStream, Growth};
use super::chat_options::ChatForm;
use super::document_links::write_link;
use super::numbered::source_of;
use super::open_webui_text::NumberedText;
use crate::answer::Source;

/// Writes the numbered text (rule N-01) in the form that a client reads. Output never changes, and does not depend on how
/// the text was cut into pieces.
#[derive(Debug)]
pub(super) enum Wording {
    /// The numbered text itself.
    Places {
        /// The output.
        out: String,
    },
    /// Links replace the numbers.
    Links {
        /// The output.
        out: String,
        /// How many bytes of the text were read.
        read: usize,
        /// How many of its cited places were read.
        cited: usize,
    },
    /// Badge numbers replace the numbers.
    Badges(BadgeStream),
}

impl Wording {
    /// A writer for this form, without text.
    pub(super) fn new(form: ChatForm) -> Self {
        match form {
            ChatForm::Badges | ChatForm::List => Self::Badges(BadgeStream::default()),
            ChatForm::Links => Self::Links { out: String::new(), read: 0, cited: 0 },
            ChatForm::Places | ChatForm::Uncited => Self::Places { out: String::new() },
        }
    }

    /// The output so far.
    pub(super) fn written(&self) -> &str {
        match self {
            Self::Places { out } | Self::Links { out, .. } => out,
            Self::Badges(badges) => badges.written(),
        }
    }

    /// How many bytes of the text were read.
    pub(super) fn read(&self) -> usize {
        match self {
            Self::Places { out } => out.len(),
            Self::Links { read, .. } => *read,
            Self::Badges(badges) => badges.read(),
        }
    }

    /// The places of the cited sources in the order of their badge numbers; `None` in the forms that keep the provider's
    /// numbers.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        match self {
            Self::Badges(badges) => Some(badges.order()),
            Self::Places { .. } | Self::Links { .. } => None,
        }
    }

    /// Reads on in `text`, which begins with the part that was read before.
    pub(super) fn advance(&mut self, numbered: NumberedText<'_>, sources: &[Source], is_whole: bool) {
        let NumberedText { text, cited: places, .. } = numbered;
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
                badges.advance(Growth { numbered, has_sources: !sources.is_empty(), is_whole });
            }
        }
    }
}
