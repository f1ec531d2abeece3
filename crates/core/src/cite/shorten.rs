//! Cuts a text to a length that a channel accepts.

use super::cite::open_fence;
use crate::text::cut_at_word;

/// Cuts a text to at most about `max_utf16` UTF-16 code units, an ellipsis included. Cuts at the end of a paragraph if one
/// ends in the second half, else of a line, else of a word, and closes a code fence that the cut leaves open. 32 units are
/// reserved for fence and ellipsis: a text of at most `max_utf16 - 32` units is returned unchanged.
#[must_use]
pub fn shorten(text: &str, max_utf16: usize) -> String {
    // Leave room for the text behind the cut: the closing fence and the ellipsis.
    let room = max_utf16.saturating_sub(RESERVE_UTF16);
    let head = cut_at_word(text, room);
    if head == text {
        return text.to_owned();
    }
    let head = head.strip_suffix('…').unwrap_or(&head);
    let ends = ["\n\n", "\n"].into_iter().filter_map(|end| head.rfind(end));
    let end = ends.into_iter().find(|end| end * 2 >= head.len());
    let kept = end.map_or(head, |end| head[..end].trim_end());
    let fence = open_fence(kept);
    let apart = if fence.is_some() || end.is_some() { "\n\n" } else { "" };
    [kept, fence.as_deref().unwrap_or_default(), apart, "…"].concat()
}

const RESERVE_UTF16: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_paragraph_then_a_line_then_a_word() {
        assert_eq!(shorten("one two three", 60), "one two three");
        let paragraphs = format!("{}\n\n{}", "a ".repeat(30).trim_end(), "b ".repeat(30));
        assert_eq!(shorten(&paragraphs, 110), format!("{}\n\n…", "a ".repeat(30).trim_end()));
        assert_eq!(shorten(&"word ".repeat(30), 52), "word word word word…");
    }

    #[test]
    fn a_fence_that_the_cut_leaves_open_is_closed() {
        let text = format!("```\n{}```\n", "code\n".repeat(40));
        let cut = shorten(&text, 100);
        assert!(cut.ends_with("code\n```\n\n…"), "{cut:?}");
        assert!(cut.encode_utf16().count() <= 100);
    }
}
