//! A text cut to a length that a channel takes.

use super::cite::open_fence;
use crate::text::cut_at_word;

/// The beginning of a text in about `max_utf16` units, at most: up to the end of a paragraph where one ends in the second
/// half, else of a line, else of a word. An ellipsis follows. A code fence that the cut opens is closed.
#[must_use]
pub fn shorten(text: &str, max_utf16: usize) -> String {
    // What is written behind the cut: a line that closes a fence, and the ellipsis.
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
