//! The claims of an answer: the part of its text behind each badge, and whether the source holds it.

mod block;
mod claim;
mod sentence;

pub use citewire_support::{ReasonCode, Verdict};
pub use claim::{Claim, ClaimReason, Claims, Quote, claims};
