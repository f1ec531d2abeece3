//! Where math between dollars ends, which pulldown-cmark reads too generously: `$5 or $6` are two amounts.

use super::LOOK_AHEAD;

/// Math between single dollars is short and on one line.
const MAX_SHORT: usize = 256;

/// Where math ends that begins with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cite) enum MathEnd {
    /// Behind the dollars at so many bytes.
    At(usize),
    /// No math begins there.
    Nowhere,
    /// The text ends before that is told.
    Untold,
}

/// Where the math ends that a text begins with, whose first `run` bytes are dollars, one or two. A single dollar is an amount when a
/// digit or a blank follows, and it closes nothing when a blank stands before it or a digit behind it.
pub(in crate::cite) fn end_of_math(text: &str, run: usize) -> MathEnd {
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
