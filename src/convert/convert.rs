//! One answer, whole, from bytes to its message.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::json;

use crate::activity::Activity;
use crate::answer::{Answer, LabelCatalogue};
use crate::cite::{Numbering, Pages, cite};
use crate::dialect::{Dialect, Wishes};
use crate::graph;
use crate::ingest::{IngestError, Provider, ingest};
use crate::report::{Entry, Kind, Report};

/// What to convert to, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// The format of the input; `None` looks at the envelope.
    pub from: Option<Provider>,
    /// The channel's dialect.
    pub to: Dialect,
    /// The caller's wishes.
    pub options: Options,
    /// The labels that the configuration knows.
    pub labels: Arc<LabelCatalogue>,
}

impl Conversion {
    /// A conversion with default options from whatever format the input has.
    #[must_use]
    pub fn to(dialect: Dialect) -> Self {
        Self { from: None, to: dialect, options: Options::default(), labels: Arc::default() }
    }
}

/// The caller's wishes: `options` of the HTTP routes. Unknown keys are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Options {
    /// Refuse an answer that rests on nothing (policy P-13).
    #[serde(deserialize_with = "null_is_default")]
    pub require_grounding: Grounding,
    /// Which numbers readers see (policy P-03).
    #[serde(deserialize_with = "null_is_default")]
    pub numbering: Numbering,
    /// Whether two pages of one document are two claims (policy P-04).
    #[serde(deserialize_with = "null_is_default")]
    pub pages: Pages,
    /// The longest abstract in UTF-16 units; the dialect's own limit when absent.
    pub abstract_max: Option<usize>,
    /// Hosts whose images may load (policy P-06).
    #[serde(deserialize_with = "null_is_default")]
    pub image_hosts: BTreeSet<String>,
    /// Whether readers are asked for thumbs.
    #[serde(deserialize_with = "null_is_default")]
    pub feedback: bool,
    /// Whether a line end of the answer is a line break for readers.
    #[serde(deserialize_with = "null_is_default")]
    pub hard_breaks: bool,
    /// Whether the message says that a machine wrote it; absent is yes.
    pub ai_label: Option<bool>,
    /// Whether the text alone must name the sources, for callers that drop entities. The text of `web-chat` always does.
    #[serde(deserialize_with = "null_is_default")]
    pub self_contained: bool,
    /// How many updates a stream gives before its message; a whole answer gives none.
    pub updates: Option<usize>,
    /// Whether the passages of encrypted documents are left out (policy P-11).
    #[serde(deserialize_with = "null_is_default")]
    pub withhold_encrypted: bool,
}

fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// What an answer must rest on (policy P-13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grounding {
    /// Nothing.
    #[default]
    NotRequired,
    /// At least one source.
    Any,
    /// At least one source at a place in the text.
    Anchored,
}

impl<'de> Deserialize<'de> for Grounding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Grounding;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("false, \"any\" or \"anchored\"")
            }
            fn visit_bool<E: serde::de::Error>(self, required: bool) -> Result<Grounding, E> {
                Ok(if required { Grounding::Any } else { Grounding::NotRequired })
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Grounding, E> {
                match word {
                    "any" => Ok(Grounding::Any),
                    "anchored" => Ok(Grounding::Anchored),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The outcome of a conversion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The activities; the last one is the message.
    pub activities: Vec<Activity>,
    /// What happened on the way.
    pub report: Report,
}

/// Why there is no activity.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The input is unusable.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// Grounding was required, and the provider did not use its tools.
    #[error("grounding is required, but the answer comes from no retrieval at all")]
    GroundingNoTools,
    /// Grounding was required, and nothing is cited.
    #[error("grounding is required, but the answer cites no source")]
    GroundingNoCitations,
}

/// Converts one answer, whole, in the bytes in which it arrived.
///
/// The same input and wishes give the same bytes.
///
/// # Errors
/// When the input is not what its format promises, or when required grounding is missing.
pub fn convert(body: &[u8], conversion: &Conversion) -> Result<Converted, ConvertError> {
    convert_answer(ingest(body, conversion.from)?, conversion)
}

/// Converts an answer that has been read already.
///
/// # Errors
/// When required grounding is missing.
pub fn convert_answer(mut answer: Answer, conversion: &Conversion) -> Result<Converted, ConvertError> {
    let Conversion { to: dialect, options, labels, .. } = conversion;
    labels.complete(&mut answer);

    let mut rules = dialect.rules();
    rules.numbering = options.numbering;
    rules.pages = options.pages;
    rules.hard_breaks = options.hard_breaks;
    rules.close_fence |= options.self_contained && rules.markdown;
    rules.image_hosts = options.image_hosts.iter().map(|host| host.to_lowercase()).collect();
    let mut cited = cite(&answer, &rules);

    if options.require_grounding != Grounding::NotRequired {
        // Where a format carries no signal of its own, a source counts as a tool that was used.
        if !answer.tools_invoked.unwrap_or(!answer.sources.is_empty()) {
            return Err(ConvertError::GroundingNoTools);
        }
        if cited.sources.is_empty() {
            return Err(ConvertError::GroundingNoCitations);
        }
    }

    let mut graph_rules = dialect.graph_rules();
    graph_rules.abstract_max_utf16 = options.abstract_max.unwrap_or(graph_rules.abstract_max_utf16);
    graph_rules.withhold_encrypted = options.withhold_encrypted;
    if options.ai_label == Some(false) {
        graph_rules.ai_mark = None;
    }
    graph_rules.image_hosts = rules.image_hosts;
    let mut report = Report { complete: answer.complete, tools_invoked: answer.tools_invoked, ..Report::default() };
    report.error = answer.error.as_ref().map(|error| json!(error));
    report.extend(std::mem::take(&mut answer.oddities));
    report.extend(std::mem::take(&mut cited.entries));
    let mut entries = Vec::new();
    if let Some(limit) = graph_rules.abstract_limit_utf16.filter(|limit| *limit < graph_rules.abstract_max_utf16) {
        let message = format!("{dialect} takes no abstract above {limit} units");
        entries.push(Entry::in_input(Kind::Note, "abstract-limit", "/options/abstract_max", message));
    }
    let message = graph::build(&answer, &cited, &graph_rules, &mut entries);
    let wishes = Wishes { feedback: options.feedback, self_contained: options.self_contained };
    let activity = dialect.message(cited.text, message, wishes, &mut entries);
    report.extend(entries);
    Ok(Converted { activities: vec![activity], report })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(json: &str) -> Result<Options, serde_json::Error> {
        serde_json::from_str(json)
    }

    fn with(json: &str, body: &str) -> Result<Converted, ConvertError> {
        let options = options(json).expect("options");
        convert(body.as_bytes(), &Conversion { options, ..Conversion::to(Dialect::WebChat) })
    }

    #[test]
    fn unknown_options_are_refused_and_null_is_absent() {
        assert!(options(r#"{"numberings": "dense"}"#).is_err());
        assert!(options(r#"{"require_grounding": "some"}"#).is_err());
        let nulls = r#"{"numbering": null, "require_grounding": null, "image_hosts": null, "abstract_max": null}"#;
        assert_eq!(options(nulls).expect("options"), Options::default());
        let all = r#"{"require_grounding": "anchored", "numbering": "provider", "pages": "split", "abstract_max": 9,
            "image_hosts": ["a"], "feedback": true, "ai_label": false, "hard_breaks": true, "self_contained": true,
            "updates": 0}"#;
        assert_eq!(options(all).expect("options").require_grounding, Grounding::Anchored);
    }

    #[test]
    fn p13_required_grounding_fails_closed_with_two_reasons() {
        let required = r#"{"require_grounding": "any"}"#;
        let failed = |body: &str| with(required, body).expect_err("no grounding").to_string();
        assert!(failed(r#"{"text": "a [1]"}"#).contains("no retrieval at all"));
        assert!(failed(r#"{"text": "a", "sources": [{}]}"#).contains("cites no source"));
        assert!(with(required, r#"{"text": "a [1]", "sources": [{}]}"#).is_ok());
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        let body =
            r#"{"text": "b [2] a [1]", "sources": [{"title": "A", "metadata": {"label": "X"}}, {"title": "B"}]}"#;
        let bytes = || {
            let converted = with("{}", body).expect("an activity");
            serde_json::to_string(&(&converted.activities, &converted.report)).expect("JSON")
        };
        assert_eq!(bytes(), bytes());
    }

    #[test]
    fn feedback_asks_for_thumbs() {
        let converted = with(r#"{"feedback": true}"#, r#"{"text": "a"}"#).expect("an activity");
        let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
        assert_eq!(activity["entities"][0]["potentialAction"][1]["@type"], "DislikeAction");
    }

    #[test]
    fn hard_breaks_are_kept_only_when_asked_for_and_never_in_code() {
        let text = |options: &str| {
            let converted = with(options, r#"{"text": "a\nb\n\n```\nc\nd\n```"}"#).expect("an activity");
            converted.activities[0].text.clone().expect("a text")
        };
        assert_eq!(text("{}"), "a\nb\n\n```\nc\nd\n```");
        assert_eq!(text(r#"{"hard_breaks": true}"#), "a  \nb\n\n```\nc\nd\n```");
    }
}
