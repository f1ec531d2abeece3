//! Finds `[[n]](url)`: markers that contain the address of their source.

use std::ops::Range;

use crate::url::WebUrl;

/// The maximum length of an address, in bytes.
const MAX_URL_BYTES: usize = 2_048;

/// One marker.
#[derive(Debug, PartialEq)]
pub(super) struct LinkedMarker {
    pub(super) range: Range<usize>,
    pub(super) url: WebUrl,
}

/// All such markers of a text.
pub(super) fn linked_markers(text: &str) -> Vec<LinkedMarker> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("[[").map(|at| from + at) {
        from = at + 2;
        if let Some(marker) = marker_at(text, at) {
            from = marker.range.end;
            found.push(marker);
        }
    }
    found
}

fn marker_at(text: &str, at: usize) -> Option<LinkedMarker> {
    let digits = &text[at + 2..];
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let target = (count > 0).then(|| digits[count..].strip_prefix("]]("))??;
    let limit = target.len().min(MAX_URL_BYTES);
    let mut depth = 0_usize;
    for (end, byte) in target.bytes().enumerate().take(limit) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => {
                let url = target[..end].parse().ok()?;
                return Some(LinkedMarker { range: at..text.len() - target.len() + end + 1, url });
            }
            b')' => depth -= 1,
            byte if byte.is_ascii_whitespace() => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_carries_its_address_with_balanced_brackets() {
        let text =
            "a[[1]](https://x/b_(c)) [[2]](https://y) [[x]](https://z) [[3]](javascript:y) [[4]](https://u v) [[5]](";
        let found: Vec<_> = linked_markers(text)
            .into_iter()
            .map(|marker| (&text[marker.range], marker.url.host().to_owned()))
            .collect();
        assert_eq!(found, [("[[1]](https://x/b_(c))", "x".to_owned()), ("[[2]](https://y)", "y".to_owned())]);
    }
}
