//! What the fuzz targets share: how bytes become a case, and what must hold of every outcome.
//!
//! `cover` takes a text as it is, and holds it inside of citewire. A case of `cite` or `pieces` is a head of bytes that choose rules, grammar and sources, and a text: the rest. The
//! samples of the repository are turned into such bytes by `examples/seeds.rs`.

mod case;
mod cited;
mod converted;
mod engines;
mod harmless;
mod pieces;
mod streamed;
mod support;

pub use case::{Case, HEAD};
pub use cited::check_cited;
pub use converted::{check_answer, check_error};
pub use harmless::check_harmless;
pub use pieces::check_pieces;
pub use streamed::check_stream;
pub use support::check_support;
