//! What each badge of an answer stands for, and whether its source holds it.

mod block;
mod claim;
mod sentence;

pub use citewire_support::{ReasonCode, Verdict};
pub use claim::{Claim, ClaimReason, Claims, Quote, claims};
