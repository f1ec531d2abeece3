//! Logs what the report of an answer says of its sources.

use tracing::{debug, warn};

use crate::claims::Verdict;
use crate::report::{DOCUMENT_PARTIAL, DOCUMENT_UNREAD, Report, SOURCES_UNREAD, ScoreLine, SourceCounts, SupportLine};

/// How many sources that were not read one line names.
const NAMED: usize = 5;

/// Warns of sources that were not read, by their JSON pointers and without their content. At the level `debug`, each score is
/// a line: that of the source, and those of the search that it is made of; and each alarm about a citation, without its texts.
pub fn log_report(report: &Report) {
    for ScoreLine { at, score, rerank_score, search_score } in &report.scores {
        debug!(at, score, rerank_score, search_score, "the score of a source");
    }
    for SupportLine { position, verdict, reasons, .. } in report.support.iter().filter(|line| is_alarm(line)) {
        let reasons: Vec<&str> = reasons.iter().map(|reason| reason.code).collect();
        debug!(position, verdict, ?reasons, "a source does not hold what it is cited for");
    }
    for note in report.notes.iter().filter(|entry| entry.code == DOCUMENT_PARTIAL) {
        debug!(note = note.message, "an answer rests on documents that were read in part");
    }
    for note in report.notes.iter().filter(|entry| entry.code == DOCUMENT_UNREAD) {
        debug!(note = note.message, "an answer does not rest on all documents");
    }
    let SourceCounts { cited, listed, merged, uncited, unread } = report.sources;
    if unread == 0 {
        return;
    }
    let unread_notes = report.notes.iter().filter(|entry| entry.code == SOURCES_UNREAD);
    let at: Vec<&str> = unread_notes.filter_map(|entry| entry.at.pointer()).take(NAMED).collect();
    warn!(unread, cited, listed, merged, uncited, ?at, "sources of an answer were not read");
}

fn is_alarm(line: &SupportLine) -> bool {
    Verdict::ALL.into_iter().any(|verdict| verdict.is_alarm() && verdict.code() == line.verdict)
}
