//! The content of a page, which may be in several streams.

use hayro_syntax::content::{Instruction, UntypedIter};
use hayro_syntax::object::{Array, Object, Stream};
use hayro_syntax::page::Page;

/// An operation that no content has.
const LAST: &[u8] = b"\ncitewire_last";

/// Whether all content of a page can be unpacked. The parser skips a stream that it cannot unpack, and says nothing.
pub(super) fn are_unpacked(page: &Page<'_>) -> bool {
    let key = b"Contents".as_slice();
    match page.raw().get::<Object<'_>>(key) {
        // The parser keeps a single stream unpacked.
        Some(Object::Stream(_)) => page.page_stream().is_some(),
        Some(Object::Array(streams)) => are_all_unpacked(&streams),
        Some(Object::Null(_)) => true,
        Some(_) => false,
        // A reference that leads nowhere is no empty page.
        None => !page.raw().contains_key(key),
    }
}

fn are_all_unpacked(streams: &Array<'_>) -> bool {
    let count = streams.raw_iter().count();
    let whole = streams.iter::<Stream<'_>>().filter(|stream| stream.decoded_data().is_ok()).count();
    count == whole
}

/// Visits the operations of a content, and tells whether the parser comes to its end. It stops, and says nothing, at a bracket that
/// nothing opens or closes, and at more operands than an operation can have.
pub(super) fn visit(content: &[u8], mut visit: impl FnMut(&Instruction<'_, '_>)) -> bool {
    let content = [content, LAST].concat();
    let mut operations = UntypedIter::new(&content);
    let mut is_last = false;
    while let Some(operation) = operations.next() {
        is_last = **operation.operator == LAST[1..];
        visit(&operation);
    }
    is_last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_that_stops_the_parser_is_not_whole() {
        for whole in ["", "BT (a) Tj ET", "BT [(a) -3 (b)] TJ ET % end", "(a) Tj 1 2", "BI /W 1 ID \0 EI Q"] {
            assert!(visit(whole.as_bytes(), |_| {}), "{whole}");
        }
        let many = "1 ".repeat(60) + "m (a) Tj";
        for cut in ["[[[ (a) Tj", "(a) Tj ) (b) Tj", "(a) Tj (b", "<< /A 1 (a) Tj", "} (a) Tj", &many] {
            assert!(!visit(cut.as_bytes(), |_| {}), "{cut}");
        }
    }
}
