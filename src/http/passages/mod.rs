//! Reader pages: a passage of a document, with the cited words marked.

mod page;
mod show;
mod text;

pub(crate) use page::{fault, not_found};
pub(crate) use show::{__path_show, show};
