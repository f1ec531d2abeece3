//! The claims of an answer: the part of its text behind each badge, and whether the source holds it.

mod block;
mod claim;
mod doubtful_mark;
mod fragment;
mod passage_block;
mod sentence;
mod sentence_bounds;
mod sentence_links;
mod support;
mod support_line;

pub use citewire_support::{ReasonCode, Verdict};
pub use claim::{Claim, ClaimReason, Claims, Quote, claims};
pub use passage_block::{BlockKind, PassageBlock, Writing, passage_blocks};
pub use sentence_links::{link_sentences, sentence_links};
pub use support::{Support, has_passages};
pub use support_line::{ShownNumbers, shown_numbers, support_lines};
