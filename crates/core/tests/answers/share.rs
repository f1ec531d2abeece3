//! The share of a long list of cases, and of a long text, that one run tries.

/// Every tenth of all cases in the suite, and all of them in `cargo xtask nightly` (`CITEWIRE_TEST_SIZE` is the share in hundredths).
/// Lists of different lengths begin at different cases, so that the samples together have cases at all places. No list is left out.
pub(crate) fn share<T>(all: impl ExactSizeIterator<Item = T>) -> impl Iterator<Item = T> {
    let step = 100 / hundredths();
    let first = all.len() / 2 % step;
    all.skip(first).step_by(step)
}

/// A tenth of a length in the suite, and all of it in `cargo xtask nightly`.
pub(crate) fn shortened(length: usize) -> usize {
    length * hundredths() / 100
}

fn hundredths() -> usize {
    let size = std::env::var("CITEWIRE_TEST_SIZE").ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(10);
    size.clamp(1, 100)
}
