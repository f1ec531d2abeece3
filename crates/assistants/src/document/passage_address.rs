//! The part of a passage that the address of its reader page names.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::digest::of_parts;

/// The member of a source's metadata that names its passage: the place among those of its document, and the version of that.
pub(super) const PASSAGE: &str = "passage";

/// The number of bytes of a digest that tell texts apart.
const DIGEST_BYTES: usize = 9;

/// The most words by which a part is found again.
const MAX_WORDS: usize = 60;

/// The parameters of an address.
const PLACE: &str = "place";
const FROM: &str = "from";
const TO: &str = "to";
const WORDS: &str = "words";
const VERSION: &str = "version";

/// A part of a passage, as addresses name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageAddress {
    /// The place of the passage in its document, from 0.
    pub(super) place: usize,
    /// The part of its text, in bytes; empty for none.
    pub(super) part: Range<usize>,
    /// The number of the words of the part, and their digest, by which they are found in a document that has changed.
    pub(super) words: WordsDigest,
    /// The version of the document; empty where it does not matter.
    pub(super) version: String,
}

/// The number of some words, and their digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WordsDigest {
    pub(super) count: usize,
    digest: String,
}

impl PassageAddress {
    /// A part of the passage of a source of ours.
    pub(super) fn of_source(metadata: &Map<String, Value>, passage: &str, part: &Range<usize>) -> Option<Self> {
        let (place, version) = metadata.get(PASSAGE)?.as_str()?.split_once('.')?;
        Some(Self {
            place: place.parse().ok()?,
            part: part.clone(),
            words: WordsDigest::of_text(passage.get(part.clone())?),
            version: version.to_owned(),
        })
    }

    /// A passage of which nothing is marked.
    #[must_use]
    pub fn whole(place: usize) -> Self {
        Self { place, part: 0..0, words: WordsDigest::default(), version: String::new() }
    }

    /// Reads the parameters of an address; `None` unless each is written as citewire writes it. `from` and
    /// `to` may be absent together, and so may the others.
    #[must_use]
    pub fn parse<'q>(get: impl Fn(&str) -> Option<&'q str>) -> Option<Self> {
        let number = |name| {
            let Some(text) = get(name) else { return Some(0) };
            let number: usize = text.parse().ok()?;
            (number.to_string() == text).then_some(number)
        };
        get(PLACE)?;
        (get(FROM).is_some() == get(TO).is_some()).then_some(())?;
        let words = get(WORDS).map_or(Some(WordsDigest::default()), WordsDigest::parse)?;
        let version = get(VERSION).unwrap_or_default();
        is_digest(version).then_some(())?;
        let part = number(FROM)?..number(TO)?;
        Some(Self { place: number(PLACE)?, part, words, version: version.to_owned() })
    }

    /// The parameters of the address.
    pub(super) fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = vec![(PLACE, self.place.to_string())];
        if !self.part.is_empty() {
            parameters.extend([(FROM, self.part.start.to_string()), (TO, self.part.end.to_string())]);
            parameters.extend([(WORDS, self.words.written()), (VERSION, self.version.clone())]);
        }
        parameters
    }

    /// The text that is signed. No part of it has a line end.
    pub(super) fn signed(&self) -> String {
        let Self { place, part, words, version } = self;
        format!("{place}\n{}\n{}\n{}\n{version}", part.start, part.end, words.written())
    }
}

impl WordsDigest {
    /// The digest of the first words of a text, in lower case.
    pub(super) fn of_text(text: &str) -> Self {
        Self::of(&text.unicode_words().take(MAX_WORDS).map(str::to_lowercase).collect::<Vec<_>>())
    }

    pub(super) fn of(words: &[String]) -> Self {
        if words.is_empty() {
            return Self::default();
        }
        Self { count: words.len(), digest: short(of_parts(words)) }
    }

    fn parse(text: &str) -> Option<Self> {
        let (count, digest) = text.split_once('.')?;
        let parsed = Self { count: count.parse().ok()?, digest: digest.to_owned() };
        (parsed.written() == text && parsed.count <= MAX_WORDS && is_digest(digest)).then_some(parsed)
    }

    fn written(&self) -> String {
        format!("{}.{}", self.count, self.digest)
    }
}

/// The metadata that names a passage.
pub(super) fn metadata(place: usize, version: &str) -> Value {
    json!(format!("{place}.{version}"))
}

/// The beginning of a digest, as addresses have it.
pub(super) fn short(digest: [u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(&digest[..DIGEST_BYTES])
}

fn is_digest(text: &str) -> bool {
    text.len() <= 2 * DIGEST_BYTES && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}
