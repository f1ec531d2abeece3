//! One answer, whole, from bytes to its message.

use std::sync::Arc;

use serde_json::json;

use super::grounding::{grounded, judge};
use super::{Grounding, Options, Streaming};
use crate::activity::Activity;
use crate::answer::{Addresses, Answer, LabelCatalogue, Source};
use crate::cite::{Rules, cite};
use crate::dialect::{Dialect, Wishes};
use crate::graph::{self, GraphRules};
use crate::ingest::{IngestError, Provider, ingest, ingest_whole};
use crate::report::{Entry, Kind, Report};

/// What to convert to, and how.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The format of the input; `None` looks at the envelope.
    pub from: Option<Provider>,
    /// The channel's dialect.
    pub to: Dialect,
    /// The caller's wishes.
    pub options: Options,
    /// Whether the answer is to cite. Where it is not, it is judged and shown without its sources (rule S1-01).
    pub citations: bool,
    /// The labels that the configuration knows.
    pub labels: Arc<LabelCatalogue>,
    /// Which addresses readers can open; `None` where they can open all.
    pub addresses: Option<Arc<dyn Addresses>>,
    /// Whether a message that is too large for its channel stays whole, for whoever sends it in
    /// [parts](Dialect::parts). It is cut otherwise.
    pub in_parts: bool,
}

impl Conversion {
    /// The slug of the format that was named; `None` where the answer itself is to tell.
    #[must_use]
    pub fn slug(&self) -> Option<&'static str> {
        self.from.map(Provider::slug)
    }

    /// A conversion with default options from whatever format the input has.
    #[must_use]
    pub fn to(dialect: Dialect) -> Self {
        Self {
            from: None,
            to: dialect,
            options: Options::default(),
            citations: true,
            labels: Arc::default(),
            addresses: None,
            in_parts: false,
        }
    }

    /// The most updates that a stream gives before its message.
    pub(super) fn max_updates(&self) -> usize {
        if self.to.can_stream() { self.options.max_updates() } else { 0 }
    }

    /// What the dialect and the caller ask of the text.
    pub(super) fn rules(&self) -> Rules {
        let Self { to: dialect, options, .. } = self;
        let mut rules = dialect.rules();
        rules.numbering = options.numbering;
        rules.pages = options.pages;
        rules.tracking = options.tracking();
        rules.hard_breaks = options.hard_breaks;
        rules.close_fence |= options.self_contained && rules.markdown;
        rules.image_hosts = options.image_hosts.iter().map(|host| host.to_lowercase()).collect();
        rules
    }

    /// What the dialect and the caller ask of the graph.
    pub(super) fn graph_rules(&self) -> GraphRules {
        let Self { to: dialect, options, .. } = self;
        let mut rules = dialect.graph_rules();
        rules.abstract_max_utf16 = options.abstract_max.unwrap_or(rules.abstract_max_utf16);
        rules.withhold_encrypted = options.withhold_encrypted;
        if options.ai_label == Some(false) {
            rules.ai_mark = None;
        }
        rules.image_hosts = self.rules().image_hosts;
        rules
    }
}

/// The outcome of a conversion.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The activities; the last one is the message.
    pub activities: Vec<Activity>,
    /// What happened on the way.
    pub report: Report,
}

/// Why there is no activity.
#[derive(Debug, thiserror::Error)]
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

/// Converts one answer in the bytes in which it arrived, whole or as a stream.
///
/// A stream gives updates before its message, as many as [`Options::updates`] says. The message is the one that the same
/// answer gives when it comes whole; with updates before it, it also carries the sign that ends a stream. The same input
/// and wishes give the same bytes.
///
/// # Errors
/// When the input is not what its format promises, or when required grounding is missing.
pub fn convert(body: &[u8], conversion: &Conversion) -> Result<Converted, ConvertError> {
    if conversion.max_updates() == 0 {
        return convert_answer(ingest(body, conversion.from)?, conversion);
    }
    if let Some(answer) = ingest_whole(body, conversion.from)? {
        return convert_answer(answer, conversion);
    }
    let mut streaming = Streaming::new(conversion.clone());
    streaming.push(body)?;
    streaming.finish()
}

/// Converts an answer that has been read already.
///
/// # Errors
/// When required grounding is missing.
pub fn convert_answer(answer: Answer, conversion: &Conversion) -> Result<Converted, ConvertError> {
    let (message, report) = message(answer, conversion)?;
    Ok(Converted { activities: vec![message], report })
}

/// Gives sources addresses that readers can open; returns where those stand in the input that get none.
pub(super) fn readdress(sources: &mut [Source], addresses: Option<&dyn Addresses>) -> Vec<String> {
    let Some(addresses) = addresses else { return Vec::new() };
    let mut without = Vec::new();
    for source in sources {
        let Some(given) = source.url.take() else { continue };
        source.url = addresses.for_readers(&given);
        if source.url.is_none() {
            without.push(source.pointer.clone());
        }
    }
    without
}

/// The message of a whole answer.
pub(super) fn message(mut answer: Answer, conversion: &Conversion) -> Result<(Activity, Report), ConvertError> {
    let Conversion { to: dialect, options, labels, addresses, .. } = conversion;
    if options.scores_anew() {
        answer.rescore(&options.scoring());
    }
    labels.complete(&mut answer);
    for pointer in readdress(&mut answer.sources, addresses.as_deref()) {
        let message =
            "readers cannot open the address of this source without a credential: they get its passage instead";
        answer.oddities.push(Entry::in_input(Kind::Note, "address-needs-credential", pointer, message));
    }

    if options.require_grounding == Grounding::Anchored {
        // What is attested stands nowhere in the text (rule S4-52).
        answer.attested.clear();
    }
    let rules = conversion.rules();
    if !conversion.citations {
        grounded(&answer, options.require_grounding)?;
        answer.sources.clear();
        answer.citations.clear();
        answer.attested.clear();
    }
    let mut cited = cite(&answer, &rules);
    if conversion.citations {
        judge(&answer, options.require_grounding, || !cited.sources.is_empty())?;
    }

    let graph_rules = conversion.graph_rules();
    let mut report = Report { complete: answer.complete, tools_invoked: answer.tools_invoked, ..Report::default() };
    report.error = answer.error.as_ref().map(|error| json!(error));
    report.scores = answer.score_lines();
    report.extend(std::mem::take(&mut answer.oddities));
    report.extend(std::mem::take(&mut cited.entries));
    let mut entries = Vec::new();
    if let Some(limit) = graph_rules.abstract_limit_utf16.filter(|limit| *limit < graph_rules.abstract_max_utf16) {
        let message = format!("{dialect} takes no abstract above {limit} units");
        entries.push(Entry::in_input(Kind::Note, "abstract-limit", "/options/abstract_max", message));
    }
    let thing = graph::build(&answer, &cited, &graph_rules, &mut entries);
    let wishes =
        Wishes { feedback: options.feedback, self_contained: options.self_contained, in_parts: conversion.in_parts };
    let activity = dialect.message(cited.text, thing, wishes, &mut entries);
    report.extend(entries);
    Ok((activity, report))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(json: &str, body: &str) -> Result<Converted, ConvertError> {
        let options = serde_json::from_str(json).expect("options");
        convert(body.as_bytes(), &Conversion { options, ..Conversion::to(Dialect::WebChat) })
    }

    #[test]
    fn p13_required_grounding_fails_closed_with_two_reasons() {
        let required = r#"{"require_grounding": "any"}"#;
        let failed = |body: &str| with(required, body).expect_err("no grounding").to_string();
        assert!(failed(r#"{"text": "a [1]"}"#).contains("no retrieval at all"));
        assert!(failed(r#"{"text": "a", "sources": [{}]}"#).contains("cites no source"));
        assert!(with(required, r#"{"text": "a [1]", "sources": [{}]}"#).is_ok());
        let attested = r#"{"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "a"},
            {"type": "source-url", "sourceId": "1", "url": "https://x.example/"}]}"#;
        assert!(with(required, attested).is_ok());
        let anchored = with(r#"{"require_grounding": "anchored"}"#, attested).expect_err("cited nowhere");
        assert!(anchored.to_string().contains("cites no source"), "{anchored}");
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
