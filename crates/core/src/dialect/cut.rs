//! Divides a Markdown text that is too long for one message.

use crate::cite::Fence;
use crate::text::cut_at_word;

/// The two parts of a divided text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The beginning, without blanks at its end. An open code fence is closed in it.
    pub(super) head: String,
    /// The rest, with the opening line of that fence repeated. Empty if the beginning holds the whole text.
    pub(super) tail: String,
}

/// The quality of a place to cut, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Between two lines of a code block.
    Code,
    /// Between two lines, or before an indented paragraph.
    Line,
    /// Between two paragraphs.
    Paragraph,
}

/// An open fence, and the line that opens it.
type OpenFence<'t> = (Fence, &'t str);

/// Divides a text so that its beginning has about `room` UTF-16 code units at most. It cuts between paragraphs if a gap lies
/// in the second half of the room, else between lines, else between words.
pub(super) fn cut(text: &str, room: usize) -> Cut {
    if text.encode_utf16().nth(room).is_none() {
        return Cut { head: text.trim_end().to_owned(), tail: String::new() };
    }
    let mut best: [Option<(usize, Option<OpenFence<'_>>)>; 3] = [None; 3];
    let mut fence: Option<OpenFence<'_>> = None;
    let (mut at, mut used) = (0, 0);
    // Whether the line before is blank, and whether it opens a fence. A cut right behind an opening line gains nothing.
    let (mut blank, mut opening) = (false, false);
    for line in text.split_inclusive('\n') {
        if at > 0 && !opening {
            let rank = match fence {
                Some(_) => Rank::Code,
                // An indented paragraph belongs to the list item above it.
                None if blank && !line.starts_with([' ', '\t']) => Rank::Paragraph,
                None => Rank::Line,
            };
            best[rank as usize] = Some((at, fence));
        }
        let units = line.encode_utf16().count();
        if used + units > room {
            break;
        }
        let was_open = fence.is_some();
        fence =
            Fence::behind(fence.map(|(fence, _)| fence), line).map(|open| (open, fence.map_or(line, |(_, line)| line)));
        opening = !was_open && fence.is_some();
        blank = line.trim().is_empty();
        (at, used) = (at + line.len(), used + units);
    }
    let good_enough = best.into_iter().rev().flatten().find(|(place, _)| place * 2 >= at);
    match good_enough.or_else(|| best.into_iter().flatten().max_by_key(|(place, _)| *place)) {
        Some((place, fence)) => divided(text, place, fence),
        None => divided(text, at + within_line(&text[at..], (room - used).max(MIN_ROOM)), fence),
    }
}

/// The smallest piece of a line, in UTF-16 code units.
const MIN_ROOM: usize = 8;

/// A place inside a line: at a word boundary if there is one, and not inside a marker.
fn within_line(text: &str, room: usize) -> usize {
    let head = cut_at_word(text, room);
    let end = head.strip_suffix('…').unwrap_or(&head).len();
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('[').filter(|open| !head[*open..].contains(']') && end - open < 12 && *open > 0) {
        Some(open) => open,
        // Progress needs at least one character.
        None if end == 0 => text.chars().next().map_or(0, char::len_utf8),
        None => end,
    }
}

fn divided(text: &str, place: usize, fence: Option<OpenFence<'_>>) -> Cut {
    let (head, tail) = text.split_at(place);
    let mut head = head.trim_end().to_owned();
    let Some((fence, line)) = fence else {
        return Cut { head, tail: tail.trim_start_matches(['\n', '\r']).trim_start_matches(' ').to_owned() };
    };
    head.push('\n');
    head.extend(std::iter::repeat_n(char::from(fence.sign), fence.length));
    Cut { head, tail: format!("{}\n{tail}", line.trim_end()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn both(text: &str, room: usize) -> (String, String) {
        let Cut { head, tail } = cut(text, room);
        (head, tail)
    }

    #[test]
    fn a_text_is_divided_at_a_paragraph_then_a_line_then_a_word() {
        let of = |head: &str, tail: &str| (head.to_owned(), tail.to_owned());
        assert_eq!(both("one two", 20), of("one two", ""));
        assert_eq!(both("one two\n\nthree\nfour five", 16), of("one two", "three\nfour five"));
        assert_eq!(both("one\ntwo\nthree four", 12), of("one\ntwo", "three four"));
        assert_eq!(both("one two three four", 12), of("one two", "three four"));
        assert_eq!(both("- a\n\n  b b b\n\n- c", 16), of("- a\n\n  b b b", "- c"));
    }

    #[test]
    fn a_marker_is_never_divided() {
        assert_eq!(both(&format!("{}[12]more", "x".repeat(20)), 24).0, "x".repeat(20));
    }

    #[test]
    fn a_fence_that_is_divided_is_closed_and_opened_again() {
        let (head, tail) = both(&format!("a\n\n```rust\n{}```\nend", "code\n".repeat(20)), 60);
        assert!(head.starts_with("a\n\n```rust\ncode\n") && head.ends_with("code\n```"), "{head:?}");
        assert!(tail.starts_with("```rust\ncode\n") && tail.ends_with("code\n```\nend"), "{tail:?}");
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_and_fences_is_lost_and_every_step_makes_progress(
            text in "(\\PC{0,12}|\n|\n\n|```\n|~~~~ x\n|\\[12\\]|    ){0,24}",
            room in 4_usize..80,
        ) {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            // Repeated opening lines add to the count.
            let mut rest = text.clone();
            let mut seen = 0;
            for _ in 0..text.len() + 2 {
                let Cut { head, tail } = cut(&rest, room);
                seen += letters(&head);
                if tail.is_empty() {
                    rest = tail;
                    break;
                }
                rest = tail;
            }
            prop_assert!(rest.is_empty(), "{rest:?}");
            prop_assert!(seen >= letters(&text));
        }
    }
}
