//! Claims in the contract of Teams: only its members, within its limits.

use std::borrow::Cow;

use super::build::Builder;
use super::card::CARD_TYPE;
use super::{Claim, ClaimPosition, DigitalDocument, ImageObject, Members};
use crate::answer::Source;
use crate::cite::CitedSource;
use crate::report::{Entry, Kind};

/// The least of a title that stays before its note.
const LEAST_NAME_UTF16: usize = 12;

impl Builder<'_> {
    /// A claim with only the members in the contract of Teams, within its limits.
    pub(super) fn contract_claim(&mut self, cited: &CitedSource) -> Claim {
        let source = self.source(cited);
        let name = match self.rules.name_max_utf16 {
            Some(max) => self.name(cited, source, max),
            None => Cow::Borrowed(cited.title.as_str()),
        };
        let passages = self.passages(cited);
        let mut document = DigitalDocument::new(name);
        document.summary = self.summary(cited, &passages).filter(|summary| !summary.is_empty());
        if document.summary.is_none() && self.rules.abstract_required {
            document.summary = Some(document.name.clone());
        }
        if passages.len() > 1 {
            let message = format!("only the first passage of [{}] can be shown", cited.position);
            self.entries.push(Entry::in_input(Kind::Dropped, "passages", source.pointer.clone(), message));
        }
        document.url = cited.url.as_ref().map(|url| url.as_str().into());
        document.keywords = self.keywords(cited, source);
        document.image = if self.rules.icons { ImageObject::of(source) } else { None };
        document.usage_info = self.usage_info(cited);
        if let Some(card) = self.card(cited) {
            document.text = Some(card);
            document.encoding_format = Some(CARD_TYPE.to_owned());
        }
        Claim::new(None, ClaimPosition::Number(cited.position), document)
    }

    /// The title, cut before its note: the note is what readers must not miss.
    fn name<'c>(&mut self, cited: &'c CitedSource, source: &Source, max: usize) -> Cow<'c, str> {
        let (bare, note) = cited.title.split_at(cited.title.len() - cited.note_bytes);
        let room = max.saturating_sub(note.encode_utf16().count());
        if note.is_empty() || room < LEAST_NAME_UTF16 {
            return self.cut("name", cited, source, &cited.title, max);
        }
        Cow::Owned(self.cut("name", cited, source, bare, room).into_owned() + note)
    }

    fn keywords(&mut self, cited: &CitedSource, source: &Source) -> Vec<String> {
        let Some(limits) = self.rules.keywords else { return source.keywords.clone() };
        if let Some(more) = source.keywords.len().checked_sub(limits.count).filter(|more| *more > 0) {
            let message = format!("{more} key words of [{}] beyond the first {}", cited.position, limits.count);
            self.entries.push(Entry::in_input(Kind::Dropped, "keywords", source.pointer.clone(), message));
        }
        let kept = source.keywords.iter().take(limits.count);
        kept.map(|word| self.cut("keyword", cited, source, word, limits.max_utf16).into_owned()).collect()
    }

    /// Reports a dropped interpreter: the contract of Teams has no place for it.
    pub(super) fn interpreter_left_out(&mut self) {
        if self.rules.members == Members::Contract && self.answer.interpreter.is_some() {
            let message = "the channel does not show which service is behind an answer";
            self.entries.push(Entry::in_input(Kind::Dropped, "interpreter", "/interpreter", message));
        }
    }
}
