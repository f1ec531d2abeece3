//! Web addresses of sources: the only addresses that reach a claim or a definition (policy P-07).

mod directives;
mod markdown;
mod merge_key;
mod serialized;
mod shown;
#[cfg(test)]
mod tests;
mod web_url;

pub use directives::without_directives;
pub(crate) use directives::{DIRECTIVE_PARTING, MAX_DIRECTIVE_BYTES, MAX_DIRECTIVES};
pub use merge_key::Tracking;
pub use web_url::{InvalidWebUrl, WebUrl};
pub(crate) use web_url::{last_of_path, without_user};
