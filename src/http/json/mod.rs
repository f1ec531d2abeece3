//! Writing JSON: what `serde_json` writes without blanks, byte by byte, at a fraction of the time.
//!
//! Most of an answer is text, and `serde_json` looks at each of its bytes by itself; here sixteen are looked at together.
//! What our own types are not made of is left to `serde_json`.

mod serializer;
mod writer;

pub(super) use writer::to_vec;
