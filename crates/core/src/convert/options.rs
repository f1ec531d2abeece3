//! The options of a conversion.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};

use crate::answer::Scoring;
use crate::cite::{Numbering, Pages, Tracking};
use crate::claims::Support;

/// The default number of updates before the message of a stream.
const DEFAULT_UPDATES: usize = 32;

/// The largest number of updates. Each update contains the whole text so far.
const MAX_UPDATES: usize = 1_000;

/// The longest [`Options::support_note`].
const MAX_NOTE_BYTES: usize = 80;

/// The usual note about a source that does not hold what it is cited for.
const SUPPORT_NOTE: &str = "not confirmed by this source";

/// Conversion options: the member `options` of the HTTP routes. Unknown members are refused.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The grounding that an answer must have, or it is refused: `false` (none), `"extracted"`, `"any"` (or `true`) or
    /// `"anchored"`.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Value>))]
    pub require_grounding: Grounding,
    /// Whether citations are held against the passages of their sources: `"off"`, `"report"` (verdicts in reports, records and
    /// metrics), `"mark"` (also says to readers what a source does not hold) or `"refuse"` (also refuses an answer that a source
    /// contradicts).
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub require_support: Support,
    /// The note behind the title of a source that does not hold what it is cited for, with `"mark"`; "not confirmed by this
    /// source" when absent.
    #[serde(deserialize_with = "note")]
    pub support_note: Option<String>,
    /// Whether the claims of Web Chat and Direct Line have their verdicts, as `ClaimReview` of schema.org.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub support_markup: bool,
    /// The citation numbers: `"dense"` (1, 2, 3 by first appearance) or `"provider"` (the position in the provider's list).
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub numbering: Numbering,
    /// Which places of one document are claims of their own: those with addresses of their own (`"anchors"`), none
    /// (`"merge"`), or also each page of a PDF (`"split"`).
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub pages: Pages,
    /// Whether citewire ignores the query parameters `ref` and `source` when it compares document URLs.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub ref_is_tracking: bool,
    /// The longest abstract of a claim, in UTF-16 units; the limit of the dialect when absent.
    pub abstract_max: Option<usize>,
    /// The hosts from which messages may load images.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<String>>))]
    pub image_hosts: BTreeSet<String>,
    /// Whether the message has feedback buttons (thumbs up and down).
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub feedback: bool,
    /// Whether every line end in the answer becomes a line break.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub hard_breaks: bool,
    /// Whether the message has the "AI-generated" label; true when absent.
    pub ai_label: Option<bool>,
    /// The form of the text in Teams: `"markdown"`, or `"extended"` for extended Markdown with tables, task lists and math, which
    /// Microsoft calls a preview.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub text_format: TextFormat,
    /// The target of an entry in Web Chat's list of references: the address of its source (`"addresses"`), or a dialog with the
    /// passage and a link to the address (`"passages"`). The badge leads to the address with both.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub references: References,
    /// Whether the text itself lists the sources, for clients that ignore entities. The dialect `web-chat` always lists them.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub self_contained: bool,
    /// The largest number of streaming updates before the message: 32 when absent, at most 1,000. A complete answer has no
    /// updates.
    pub updates: Option<usize>,
    /// The ranker score of Azure AI Search that counts as 1: 4 when absent.
    #[serde(deserialize_with = "full_score")]
    pub rerank_max: Option<f64>,
    /// The search score of Azure AI Search that counts as 1: 100 when absent.
    #[serde(deserialize_with = "full_score")]
    pub bm25_max: Option<f64>,
    /// Whether the score of the semantic ranker, if present, takes precedence over the search score.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub prefer_rerank: bool,
    /// Whether links lead to the cited sentence; true when absent.
    pub sentence_links: Option<bool>,
    /// Whether messages omit the passages of encrypted documents.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<bool>))]
    pub withhold_encrypted: bool,
}

fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Words for readers: one short line.
fn note<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let note: Option<String> = Option::deserialize(deserializer)?;
    match note {
        Some(note) if note.trim().is_empty() || note.len() > MAX_NOTE_BYTES || note.contains(char::is_control) => {
            Err(serde::de::Error::custom(format_args!("a line of 1 to {MAX_NOTE_BYTES} bytes is required")))
        }
        note => Ok(note),
    }
}

/// A positive score, by which raw scores are divided.
fn full_score<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let score: Option<f64> = Option::deserialize(deserializer)?;
    match score {
        Some(score) if !(score.is_finite() && score > 0.0) => {
            Err(serde::de::Error::custom(format_args!("{score} is not a positive number")))
        }
        score => Ok(score),
    }
}

/// The form of the text in Teams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// Markdown, of which Teams draws a part.
    #[default]
    Markdown,
    /// Extended Markdown, in which Teams draws tables, task lists, math and images.
    Extended,
}

/// The target of an entry in Web Chat's list of references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum References {
    /// The address of its source; its passages where it has none.
    #[default]
    Addresses,
    /// Its passages, with a link to the address; the address where it has none.
    Passages,
}

/// The grounding that an answer must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grounding {
    /// No grounding is required.
    #[default]
    NotRequired,
    /// The answer used retrieval tools and has at least one source, cited or not.
    Extracted,
    /// The answer cites at least one source, or the provider reports at least one as used.
    Any,
    /// The answer cites at least one source at a position in the text.
    Anchored,
}

impl<'de> Deserialize<'de> for Grounding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Grounding;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("false, \"extracted\", \"any\" or \"anchored\"")
            }
            fn visit_bool<E: serde::de::Error>(self, required: bool) -> Result<Grounding, E> {
                Ok(if required { Grounding::Any } else { Grounding::NotRequired })
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Grounding, E> {
                match word {
                    "extracted" => Ok(Grounding::Extracted),
                    "any" => Ok(Grounding::Any),
                    "anchored" => Ok(Grounding::Anchored),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Options {
    /// The query parameters that are ignored when URLs are compared.
    #[must_use]
    pub fn tracking(&self) -> Tracking {
        if self.ref_is_tracking { Tracking::RefToo } else { Tracking::Usual }
    }

    /// Whether links lead to the cited sentence.
    #[must_use]
    pub fn links_sentences(&self) -> bool {
        self.sentence_links.unwrap_or(true)
    }

    /// Whether only the whole answer tells if readers may see it.
    #[must_use]
    pub fn may_refuse(&self) -> bool {
        self.require_grounding != Grounding::NotRequired || self.require_support == Support::Refuse
    }

    /// The note about a source that does not hold what it is cited for.
    pub(super) fn support_note(&self) -> &str {
        self.support_note.as_deref().map_or(SUPPORT_NOTE, str::trim)
    }

    /// How raw scores are scaled to 0 to 1.
    #[must_use]
    pub fn scoring(&self) -> Scoring {
        let usual = Scoring::default();
        Scoring {
            rerank_max: self.rerank_max.unwrap_or(usual.rerank_max),
            bm25_max: self.bm25_max.unwrap_or(usual.bm25_max),
            prefer_rerank: self.prefer_rerank,
        }
    }

    /// Whether these options change the scaling of scores.
    pub(crate) fn scores_anew(&self) -> bool {
        self.scoring() != Scoring::default()
    }

    /// The largest number of updates before the message of a stream.
    pub(super) fn max_updates(&self) -> usize {
        self.updates.unwrap_or(DEFAULT_UPDATES).min(MAX_UPDATES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(json: &str) -> Result<Options, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn unknown_options_are_refused_and_null_is_absent() {
        assert!(options(r#"{"numberings": "dense"}"#).is_err());
        assert!(options(r#"{"require_grounding": "some"}"#).is_err());
        assert!(options(r#"{"require_support": true}"#).is_err());
        assert!(options(r#"{"text_format": "extendedmarkdown"}"#).is_err());
        for note in ["", " ", "a\nb", &"a".repeat(81)] {
            assert!(options(&serde_json::json!({"support_note": note}).to_string()).is_err(), "{note}");
        }
        for wrong in ["0", "-1", "\"4\""] {
            assert!(options(&format!(r#"{{"rerank_max": {wrong}}}"#)).is_err(), "{wrong}");
        }
        let nulls = r#"{"numbering": null, "require_grounding": null, "image_hosts": null, "abstract_max": null,
            "require_support": null, "text_format": null, "support_note": null, "support_markup": null}"#;
        assert_eq!(options(nulls).expect("options"), Options::default());
        let all = r#"{"require_grounding": "anchored", "numbering": "provider", "pages": "split", "abstract_max": 9,
            "image_hosts": ["a"], "feedback": true, "ai_label": false, "hard_breaks": true, "self_contained": true,
            "updates": 0, "ref_is_tracking": true, "rerank_max": 3, "sentence_links": false, "bm25_max": 50.5, "prefer_rerank": true,
            "require_support": "refuse", "text_format": "extended", "support_note": "not found", "support_markup": true}"#;
        assert_eq!(options(all).expect("options").require_grounding, Grounding::Anchored);
    }

    #[test]
    fn updates_are_thirty_two_unless_the_caller_says_otherwise() {
        let updates = |json: &str| options(json).expect("options").max_updates();
        assert_eq!([updates("{}"), updates(r#"{"updates": 0}"#), updates(r#"{"updates": 5}"#)], [32, 0, 5]);
        assert_eq!(updates(r#"{"updates": 1000000000}"#), MAX_UPDATES);
    }
}
