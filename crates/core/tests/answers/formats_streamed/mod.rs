//! Streamed answers as readers see them, by the kind of its format (policy P-12), one row each.
//!
//! - *Inline*: markers stand in the text, and sources come before the first of them.
//! - *Block*: the sources of a block are known at its end.
//! - *Late*: the citations are known at the end of the answer.

mod shown;
mod table;
