//! The text that explains a marker.

use crate::answer::MarkerGrammar;

/// The text that holds a marker, for the forms that the whole text explains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'t> {
    pub(super) text: &'t str,
    /// Whether more may come.
    pub(super) is_whole: bool,
    pub(super) grammar: &'t MarkerGrammar,
}
