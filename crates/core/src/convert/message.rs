//! Builds the message of an answer that has been parsed.

use std::collections::HashSet;

use serde_json::json;
use smallvec::{SmallVec, smallvec};

use super::earlier;
use super::grounding::{attests, grounded, judge};
use super::support::{supported_by, timed_claims};
use super::support_mark::{mark, review};
use super::{Conversion, ConvertError, Support};
use crate::activity::Activity;
use crate::answer::{Addresses, Answer, Source, SourceIndex};
use crate::cite::{CLAIMS_LIMIT, CitedText, cite};
use crate::claims::{link_sentences, shown_numbers, support_lines};
use crate::dialect::{Dialect, MessageOptions};
use crate::graph;
use crate::report::{Entry, Kind, Report};
use crate::text::is_blank;

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
/// When the options refuse the answer: [`ConvertError::is_refusal`].
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

/// Counts the sources by their outcome, and reports those that nothing cites (policy P-14).
fn account_for_sources(sources: &[Source], cited: &CitedText, report: &mut Report) {
    // Sources of earlier answers are none of the input.
    let own = Source::own(sources);
    let of_own = |index: &&SourceIndex| index.0 < own.len();
    let mut is_cited: SmallVec<[bool; 32]> = smallvec![false; own.len()];
    for index in cited.sources.iter().flat_map(|source| &source.sources).filter(of_own) {
        is_cited[index.0] = true;
    }
    let uncited: Vec<&Source> =
        own.iter().zip(is_cited).filter(|(_, is_cited)| !is_cited).map(|(own, _)| own).collect();
    let claims = cited.sources.iter().filter(|cited| cited.sources.iter().any(|index| of_own(&index))).count();
    report.sources.merged = own.len() - uncited.len() - claims;
    report.sources.uncited = uncited.len();
    *(if cited.listed { &mut report.sources.listed } else { &mut report.sources.cited }) = claims;
    let told = report.dropped.iter().filter(|entry| entry.code == CLAIMS_LIMIT);
    let told: HashSet<String> = told.filter_map(|entry| entry.at.pointer().map(str::to_owned)).collect();
    let uncited = uncited.into_iter().filter(|source| !told.contains(&source.pointer));
    report.extend(uncited.map(|source| Entry::not_cited(source.pointer.as_str(), source.display_title().as_deref())));
}

/// Leaves out the sources of an answer whose conversation shows none, and says so.
fn leave_out_sources(answer: &mut Answer) {
    if !answer.sources.is_empty() {
        let message =
            format!("citations are off for this conversation, so {} sources are left out", answer.sources.len());
        answer.warnings.push(Entry::in_input(Kind::Note, "citations-off", "", message));
    }
    answer.sources.clear();
    answer.citations.clear();
    answer.attested.clear();
}

/// The code of the notes about messages that say nothing.
const EMPTY_TEXT: &str = "empty-text";

/// The note about an answer without a letter that can be seen, with the code `empty-text`: its message says nothing.
#[must_use]
pub fn empty_text(answer: &Answer) -> Option<Entry> {
    let message = "the answer has no text, so its message says nothing; look whether the body is of another format";
    is_blank(&answer.text).then(|| Entry::in_input(Kind::Note, EMPTY_TEXT, "", message))
}

/// Empties a text of which only the letters between its removed markers are left, and says so if the answer has a text.
fn without_separators(text: &mut String, answer: &Answer) -> Option<Entry> {
    if !is_blank(text) {
        return None;
    }
    text.clear();
    let message = "the answer is made of markers that name no source, so its message says nothing";
    (!is_blank(&answer.text)).then(|| Entry::in_input(Kind::Note, EMPTY_TEXT, "", message))
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

    // They have addresses for these readers already.
    let mut known = None;
    if let Some(earlier) = conversion.earlier.as_ref().filter(|_| conversion.citations) {
        let (notes, judged) = earlier.add_to(&mut answer, |answer| timed_claims(answer, conversion));
        answer.warnings.extend(notes);
        known = judged;
    }
    let rules = conversion.rules();
    let judged = supported_by(&answer, known, conversion)?;
    if !conversion.citations {
        grounded(&answer, options.require_grounding)?;
        leave_out_sources(&mut answer);
    }
    let judged = judged.filter(|_| conversion.citations);
    if let Some(judged) = judged.as_ref().filter(|_| options.require_support == Support::Mark) {
        mark(&mut answer.sources, judged, options);
    }
    // Text that people read as it is has plain addresses.
    if conversion.citations && options.links_sentences() && rules.markdown {
        let judged = judged.as_ref().map(|judged| judged.claims.as_slice());
        link_sentences(&mut answer, judged, options.withhold_encrypted, addresses.as_deref());
    }
    let mut cited = cite(&answer, &rules);
    if conversion.citations {
        judge(&answer, options.require_grounding, || {
            !cited.listed && !cited.sources.is_empty() || attests(&answer, options.require_grounding)
        })?;
    }

    let graph_rules = conversion.graph_rules();
    let mut report = Report { complete: answer.complete, tools_invoked: answer.tools_invoked, ..Report::default() };
    report.error = answer.error.as_ref().map(|error| json!(error));
    report.scores = answer.score_lines();
    report.extend(std::mem::take(&mut answer.warnings));
    report.extend(empty_text(&answer));
    report.extend(without_separators(&mut cited.text, &answer));
    report.extend(std::mem::take(&mut cited.entries));
    report.extend(earlier::told(&answer.sources, &cited.sources));
    account_for_sources(&answer.sources, &cited, &mut report);
    let numbers = judged.as_ref().map(|_| shown_numbers(&cited.sources)).unwrap_or_default();
    if let Some(judged) = &judged {
        report.judge(support_lines(&judged.claims, &numbers), judged.uncited);
    }
    let mut entries = Vec::new();
    if let Some(limit) = graph_rules.abstract_limit_utf16.filter(|limit| *limit < graph_rules.abstract_max_utf16) {
        let message = format!("{dialect} takes no abstract above {limit} units");
        entries.push(Entry::in_input(Kind::Note, "abstract-limit", "/options/abstract_max", message));
    }
    let mut thing = graph::build(&answer, cited.sources, &graph_rules, &mut entries);
    if let Some(judged) = judged.filter(|_| options.support_markup && *dialect == Dialect::WebChat) {
        review(&mut thing, &answer.sources, &judged, &numbers);
    }
    let wishes = MessageOptions {
        feedback: options.feedback,
        self_contained: options.self_contained,
        in_parts: conversion.in_parts,
        extended: conversion.is_extended(),
    };
    let activity = dialect.message(cited.text, thing, wishes, &mut entries);
    report.extend(entries);
    Ok((activity, report))
}
