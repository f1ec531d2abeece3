//! The canonical answer: what every provider's format becomes.

mod addresses;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod answer;
mod citation;
mod color;
mod for_readers;
mod grammar;
mod identity;
mod interpreter;
mod label_catalog;
mod marker_form;
mod marker_row;
mod marker_span;
mod merge;
mod part;
mod provider_error;
mod provider_object;
mod raw_scores;
mod sensitivity;
mod source;
mod source_kind;
mod token_counts;

pub use addresses::Addresses;
pub use answer::Answer;
pub use citation::{Citation, SourceIndex};
pub use color::Color;
pub(crate) use for_readers::TakenOut;
pub use grammar::{MarkerGrammar, NumberMeaning};
pub use identity::{Identities, Pages, contradict};
pub use interpreter::Interpreter;
pub use label_catalog::LabelCatalog;
pub use marker_form::MarkerForm;
pub use marker_row::{First, Formats, MARKER_ROWS, MarkerRow, Reads, Unresolved, marker_word};
pub use marker_span::{is_marker_span, whole_link};
pub use part::Part;
pub(crate) use part::common as common_part;
pub use provider_error::ProviderError;
pub use provider_object::ProviderObject;
pub use raw_scores::{RawScores, Scoring};
pub use sensitivity::SensitivityLabel;
pub use source::{IdOf, Source};
pub use source_kind::SourceKind;
pub use token_counts::TokenCounts;
