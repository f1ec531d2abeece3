//! The bytes of which a body needs one to hold a source-like thing. Every event is searched for them.

use std::sync::LazyLock;

use aho_corasick::packed;
use memchr::memmem;

/// Parts of the names that [`source_like`](super::source_like) knows, which each spelling of a name has: `docId`, `doc_id`.
/// Four bytes each at least, because vector instructions look at so many at a time; the fewer they are, the faster.
const NAMES: [&str; 18] = [
    "\"doc", "\"Doc", "\"file", "\"File", "urce", "itation", "ferenc", "ocument", "earch", "ributi", "notation",
    "ounding", "triev", "ntext", "nippet", "xcerpt", "assage", "uote\"",
];

/// A searcher for [`NAMES`]; `None` on processors without the vector instructions.
static NAMED: LazyLock<Option<packed::Searcher>> = LazyLock::new(|| packed::Searcher::new(NAMES));

/// Whether a text may hold a source-like thing.
pub(super) fn are_in(text: &str) -> bool {
    let mut found = false;
    each(text, |_| found = true);
    found
}

/// Calls `told` with the place of every mark of an address, then of every name that promises sources.
pub(super) fn each(text: &str, mut told: impl FnMut(Mention)) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'/', bytes) {
        if is_address_mark(&bytes[..at], &bytes[at..]) {
            told(Mention::Address(at));
        }
    }
    if let Some(names) = &*NAMED {
        for found in names.find_iter(text) {
            told(Mention::Name(found.start()));
        }
    } else {
        for at in NAMES.iter().flat_map(|name| memmem::find_iter(bytes, name)) {
            told(Mention::Name(at));
        }
    }
}

/// Whether a slash is the first one of `://`, plainly or as PHP escapes it (`:\/\/`).
fn is_address_mark(before: &[u8], from: &[u8]) -> bool {
    before.ends_with(b":") && from.starts_with(b"//") || before.ends_with(br":\") && from.starts_with(br"/\/")
}

/// Where a text may hold a source-like thing, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mention {
    Address(usize),
    Name(usize),
}
