//! What is made of instants.

use std::time::Instant;

/// Microseconds from one to the other; negative when the other came first.
pub(crate) fn micros(from: Instant, to: Instant) -> f64 {
    let between = to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64();
    between * 1e6
}

/// The value below which that share of the figures is, in percent; 100 is the greatest.
pub(crate) fn percentile(figures: &mut [f64], share: usize) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) * share / 100).copied().unwrap_or_default()
}
