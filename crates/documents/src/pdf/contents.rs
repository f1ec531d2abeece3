//! The content of a page, which may be in several streams.

use hayro_syntax::object::{Array, Object, Stream};
use hayro_syntax::page::Page;

/// Whether all content of a page can be unpacked. The parser skips a stream that it cannot unpack, and says nothing.
pub(super) fn are_whole(page: &Page<'_>) -> bool {
    let key = b"Contents".as_slice();
    match page.raw().get::<Object<'_>>(key) {
        // The parser keeps a single stream unpacked.
        Some(Object::Stream(_)) => page.page_stream().is_some(),
        Some(Object::Array(streams)) => are_all_whole(&streams),
        Some(Object::Null(_)) => true,
        Some(_) => false,
        // A reference that leads nowhere is no empty page.
        None => !page.raw().contains_key(key),
    }
}

fn are_all_whole(streams: &Array<'_>) -> bool {
    let count = streams.raw_iter().count();
    let whole = streams.iter::<Stream<'_>>().filter(|stream| stream.decoded_data().is_ok()).count();
    count == whole
}
