//! Answers to records.

use serde_json::value::RawValue;

use crate::convert::{grounded, judged, refuse_conflicts};
use crate::error::CallError;
use crate::ingest::{EmptySearch, empty_search, ingest, source_objects};
use crate::output::{Output, Records, Redirectors, records_behind, report_judged};
use crate::report::Report;
use crate::request::{EnvelopeError, Request};

/// The records of an answer, and what there is to say about it.
#[derive(Debug)]
pub struct ReadRecords {
    /// The records.
    pub records: Records,
    /// The search of the provider that found nothing.
    pub vain: Option<EmptySearch>,
    /// The report of the reading.
    pub report: Report,
}

/// Reads the sources of an answer.
///
/// # Errors
/// When the answer is unusable or refused.
pub fn records(request: &Request<'_>, redirectors: &Redirectors) -> Result<ReadRecords, CallError> {
    let Request { answer: body, at, conversion, reshaped } = request;
    let refused = |source| CallError::Convert { source, at };
    let reshaped = reshaped.map(second_step).transpose()?;
    let mut answer = ingest(body, &conversion.from).map_err(|source| refused(source.into()))?;
    if conversion.options.ref_is_tracking {
        answer.merge_pages(conversion.options.tracking());
    }
    answer.rescore(&conversion.options.scoring());
    let vain = empty_search(body, &answer);
    grounded(&answer, conversion.options.require_grounding).map_err(refused)?;
    let judged = judged(&answer, conversion);
    if let Some(judged) = &judged {
        refuse_conflicts(judged, conversion.options.require_support).map_err(refused)?;
    }
    let report = report_judged(&answer, Output::Records, judged.as_ref());
    let objects = source_objects(body, &answer.sources);
    let claims = judged.map(|judged| judged.claims).unwrap_or_default();
    let records = records_behind(redirectors, &answer, &objects, claims);
    let records = if conversion.options.links_sentences() { records.with_sentences(&answer) } else { records };
    let records = match reshaped {
        Some((text, complete)) => records.reshaped(text, complete),
        None => records,
    };
    Ok(ReadRecords { records, vain, report })
}

/// The text of a second step, and whether it is whole: given as text, or in what its provider sent (rule RC-06).
fn second_step(reshaped: &RawValue) -> Result<(String, bool), CallError> {
    if let Ok(text) = serde_json::from_str(reshaped.get()) {
        return Ok((text, true));
    }
    if !reshaped.get().starts_with('{') {
        let reason = "the text of the second model, or its response as the provider sent it, is required".to_owned();
        return Err(EnvelopeError::Member { pointer: "/reshaped".to_owned(), reason }.into());
    }
    let answer = ingest(reshaped.get().as_bytes(), None)
        .map_err(|source| CallError::Convert { source: source.into(), at: "/reshaped" })?;
    Ok((answer.text, answer.complete))
}
