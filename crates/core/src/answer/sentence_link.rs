//! Where the passage of a source holds what an answer cites it for.

use crate::url::WebUrl;

/// The way to the cited sentences of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentenceLink {
    /// A text directive for each sentence, the first cited one first: `Leave%20is%2030%20days`. Where signs of it may be marks, a second
    /// one with these follows it behind `&text=`.
    pub directives: Vec<String>,
    /// The page of this server that shows the passage, in place of the document itself.
    pub reader_page: Option<WebUrl>,
}
