//! The core to come: read once, decide, write.
//!
//! Three rooms, each of which knows nothing of the next. `read` makes tokens of the text, `decide` says what each of them means,
//! `write` writes Markdown that every engine reads in one way. A `rewrite` takes a text from one to the next, a whole one
//! (`whole`) or one that goes on (`incremental`).

mod decide;
mod incremental;
mod pass;
mod passage;
mod read;
mod rewrite;
#[cfg(test)]
mod tests;
mod whole;
mod write;

use std::cell::Cell;

pub use incremental::Incremental;
pub use passage::make_harmless;
pub use whole::cite;

thread_local! {
    static IS_CHOSEN: Cell<bool> = const { Cell::new(false) };
}

/// Lets this core answer for the other one, or not any more, in this thread: for tests that hold the two against each other.
pub fn choose(is_chosen: bool) {
    IS_CHOSEN.set(is_chosen);
}

pub(super) fn is_chosen() -> bool {
    IS_CHOSEN.get()
}

/// Reads a text, and panics where what was read does not hold a character of it: for fuzzing. How many leaves it has.
#[cfg(any(test, feature = "cover"))]
#[doc(hidden)]
pub fn cover(text: &str) -> usize {
    read::cover(text, &decide::is_marker_label)
}
