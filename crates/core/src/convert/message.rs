//! Builds the message of an answer that has been parsed.

use serde_json::json;

use super::grounding::{grounded, judge};
use super::{Conversion, ConvertError, Grounding};
use crate::activity::Activity;
use crate::answer::{Addresses, Answer, Source};
use crate::cite::cite;
use crate::dialect::MessageOptions;
use crate::graph;
use crate::report::{Entry, Kind, Report};

/// The outcome of a conversion.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The activities; the last one is the message.
    pub activities: Vec<Activity>,
    /// The report of the conversion.
    pub report: Report,
}

/// Converts an answer that has been parsed already.
///
/// # Errors
/// [`ConvertError::GroundingNoTools`] or [`ConvertError::GroundingNoCitations`] when required grounding is missing.
pub fn convert_answer(answer: Answer, conversion: &Conversion) -> Result<Converted, ConvertError> {
    let (message, report) = message(answer, conversion)?;
    Ok(Converted { activities: vec![message], report })
}

/// Replaces the addresses of sources by ones that readers can open. Returns the input pointers of the sources that have no
/// address then.
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

/// Builds the message of a whole answer, and the report.
pub(super) fn message(mut answer: Answer, conversion: &Conversion) -> Result<(Activity, Report), ConvertError> {
    let Conversion { to: dialect, options, labels, addresses, .. } = conversion;
    if options.scores_anew() {
        answer.rescore(&options.scoring());
    }
    labels.complete(&mut answer);
    for pointer in readdress(&mut answer.sources, addresses.as_deref()) {
        let message =
            "readers cannot open the address of this source without a credential: they get its passage instead";
        answer.warnings.push(Entry::in_input(Kind::Note, "address-needs-credential", pointer, message));
    }

    if options.require_grounding == Grounding::Anchored {
        // Attested sources are cited at no position of the text.
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
    report.extend(std::mem::take(&mut answer.warnings));
    report.extend(std::mem::take(&mut cited.entries));
    let mut entries = Vec::new();
    if let Some(limit) = graph_rules.abstract_limit_utf16.filter(|limit| *limit < graph_rules.abstract_max_utf16) {
        let message = format!("{dialect} takes no abstract above {limit} units");
        entries.push(Entry::in_input(Kind::Note, "abstract-limit", "/options/abstract_max", message));
    }
    let thing = graph::build(&answer, &cited, &graph_rules, &mut entries);
    let wishes = MessageOptions {
        feedback: options.feedback,
        self_contained: options.self_contained,
        in_parts: conversion.in_parts,
    };
    let activity = dialect.message(cited.text, thing, wishes, &mut entries);
    report.extend(entries);
    Ok((activity, report))
}
