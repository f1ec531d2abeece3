//! Finds the end of math between dollars, more strictly than pulldown-cmark: `$5 or $6` are two amounts.

use super::LOOK_AHEAD;

/// Math between single dollars is short and on one line.
const MAX_SHORT: usize = 256;

/// The end of math at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathEnd {
    /// The length of the math in bytes, with its dollars.
    At(usize),
    /// No math begins there.
    Nowhere,
    /// The text ends before this is known.
    Untold,
}

/// Finds the end of the math at the beginning of a text, whose first `run` bytes (one or two) are dollars. A single dollar
/// is an amount when a digit or a blank follows, and it closes nothing when a blank stands before it or a digit behind it.
pub(crate) fn end_of_math(text: &str, run: usize) -> MathEnd {
    let bytes = text.as_bytes();
    let Some(first) = bytes.get(run) else { return MathEnd::Untold };
    if run == 1 && (first.is_ascii_digit() || first.is_ascii_whitespace()) {
        return MathEnd::Nowhere;
    }
    let longest = run + if run == 1 { MAX_SHORT } else { LOOK_AHEAD };
    let (mut at, mut before) = (run, b'$');
    while at < longest {
        let Some(byte) = bytes.get(at).copied() else { return MathEnd::Untold };
        if run == 1 && (byte == b'\n' || byte == b'\r') {
            return MathEnd::Nowhere;
        }
        at += 1;
        let next = bytes.get(at);
        match byte {
            b'\\' => at += 1,
            b'$' if run == 2 && next == Some(&b'$') => return MathEnd::At(at + 1),
            b'$' if run == 1
                && !before.is_ascii_whitespace()
                && !next.is_some_and(|next| next.is_ascii_digit() || *next == b'$') =>
            {
                return MathEnd::At(at);
            }
            _ => {}
        }
        before = byte;
    }
    MathEnd::Nowhere
}
