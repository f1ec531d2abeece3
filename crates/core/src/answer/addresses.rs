//! Replaces addresses that readers of an answer cannot open.

use std::fmt::Debug;
use std::ops::Range;

use super::Source;
use crate::url::WebUrl;

/// Translates addresses of sources into addresses that readers can open.
///
/// A browser that follows a link sends no credential, so an address that needs one is replaced or left out before it is
/// shown. The same address must always get the same replacement, because the definition and the claim of a source have to
/// agree.
pub trait Addresses: Debug + Send + Sync {
    /// The address for readers in place of `given`; `None` if readers have none.
    fn for_readers(&self, given: &WebUrl) -> Option<WebUrl>;

    /// The address of a page that shows the passage of a source, and marks a part of it, for readers who can open the address
    /// of the source; `None` where no page shows it.
    fn for_passage(&self, _source: &Source, _part: &Range<usize>) -> Option<WebUrl> {
        None
    }
}
