//! Counts what is found about the citations of answers.

use std::sync::Arc;
use std::time::Instant;

use crate::convert::Stopwatch;
use crate::metrics::{Conversion, Metrics};
use crate::report::{Report, SupportLine};

/// Times checks of citations into the metrics.
#[derive(Debug)]
struct CheckTimer(Metrics);

impl Stopwatch for CheckTimer {
    fn support_check(&self, check: &mut dyn FnMut()) {
        let begun = Instant::now();
        check();
        self.0.support_checked(begun.elapsed());
    }
}

/// Times checks of citations into these metrics.
#[must_use]
pub fn stopwatch(metrics: &Metrics) -> Arc<dyn Stopwatch> {
    Arc::new(CheckTimer(metrics.clone()))
}

/// Counts verdicts and their reasons.
pub fn count_support(metrics: &Metrics, lines: &[SupportLine]) {
    for line in lines {
        metrics.support(line.verdict, line.reasons.iter().map(|reason| reason.code));
    }
}

/// Counts an answer that was converted with this report.
pub fn count_converted(metrics: &Metrics, format: Option<&'static str>, report: &Report) {
    count_support(metrics, &report.support);
    let (claims, unresolved) = (report.cited.len(), report.unresolved.len());
    metrics.conversion(format, Conversion::Converted { claims, unresolved, sources: report.sources.by_outcome() });
}
