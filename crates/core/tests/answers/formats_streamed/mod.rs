//! What readers see of a streamed answer, by the kind of its format (policy P-12), one row each.
//!
//! - *Inline*: markers stand in the text, and sources come before the first of them.
//! - *Block*: what a block of text rests on is known at its end.
//! - *Late*: what is cited is known at the end of the answer.

mod shown;
mod table;
