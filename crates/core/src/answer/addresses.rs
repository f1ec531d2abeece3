//! Addresses that not every reader can open.

use std::fmt::Debug;

use crate::url::WebUrl;

/// Knows which addresses the readers of an answer can open.
///
/// A browser that follows a link sends no credential. So an address that asks for one is replaced before it is shown, or left out.
/// The same address always gets the same replacement: the definition and the claim of a source have to agree.
pub trait Addresses: Debug + Send + Sync {
    /// The address that readers get in place of `given`; `None` where there is none that they could open.
    fn for_readers(&self, given: &WebUrl) -> Option<WebUrl>;
}
