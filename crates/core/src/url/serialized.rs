//! Addresses that need no parser, because they are serialized already.

use std::ops::Range;

use crate::text::ByteSet;

/// Bytes that [`WebUrl::markdown`](super::web_url::WebUrl::markdown) never changes, whatever their neighbors.
pub(super) static ORDINARY: ByteSet =
    ByteSet::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/?:@=+$,-_.!~*'");

/// Fast path for addresses that are certainly serialized already. Returns the byte range of the host, and whether all bytes
/// of the path are [`ORDINARY`]; `None` when the address needs a full parse, which costs several times more.
///
/// Accepted are a lower-case host of letters, digits, single hyphens and dots, without user and port, and a path and query
/// without anything to encode or resolve. Most addresses are of this kind.
pub(super) fn read_serialized(text: &str) -> Option<(Range<usize>, bool)> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let start = text.len() - rest.len();
    let (host, path) = rest.as_bytes().split_at(memchr::memchr(b'/', rest.as_bytes())?);
    // Refused: punycode names, which have two hyphens in a row, and hosts whose last part begins with a digit (maybe IPv4).
    let (mut before, mut first) = (b'.', b'.');
    for &byte in host {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' if before == b'.' => first = byte,
            b'a'..=b'z' | b'0'..=b'9' => {}
            b'-' | b'.' if !matches!(before, b'-' | b'.') => {}
            _ => return None,
        }
        before = byte;
    }
    if matches!(before, b'-' | b'.') || !first.is_ascii_lowercase() {
        return None;
    }
    let mut ordinary = true;
    for &byte in path {
        // A path segment that begins with a dot, encoded or not, may be `.` or `..`.
        let is_dot = before == b'/' && matches!(byte, b'.' | b'%');
        let is_ordinary = ORDINARY.holds(byte) && byte != b'\'';
        if is_dot || !is_ordinary && !matches!(byte, b'%' | b'&' | b';' | b'(' | b')') {
            return None;
        }
        ordinary &= is_ordinary;
        before = byte;
    }
    Some((start..start + host.len(), ordinary))
}
