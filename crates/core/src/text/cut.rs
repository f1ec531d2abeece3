//! Shortens texts for display.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

/// Shortens a text to at most `max` UTF-16 code units. A text that fits is returned unchanged.
///
/// The cut is at the end of the last whole word if that keeps at least half of the possible length, else inside a word, but
/// never inside a grapheme cluster. A shortened text ends with `…`, which counts.
#[must_use]
pub fn cut_at_word(text: &str, max: usize) -> Cow<'_, str> {
    // A text has at least as many bytes as UTF-16 code units.
    if text.len() <= max || text.encode_utf16().nth(max).is_none() {
        return text.into();
    }
    let room = max.saturating_sub(1);
    let mut used = 0;
    let mut hard_end = 0;
    let mut word_end = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        if cluster.chars().all(char::is_whitespace) {
            word_end = at;
        }
        used += cluster.encode_utf16().count();
        if used > room {
            break;
        }
        hard_end = at + cluster.len();
    }
    // Cut inside a word when its start would keep less than half of the possible length.
    let end = if word_end <= hard_end && word_end * 2 >= hard_end { word_end } else { hard_end };
    let kept = text[..end].trim_end();
    if max == 0 { "".into() } else { format!("{kept}…").into() }
}

/// Where a text is cut to have at most `max` bytes: at the end of a paragraph, a line, a sentence or a word, the first of these that
/// stands in the last quarter of what fits.
#[must_use]
pub fn end_within(text: &str, max: usize) -> usize {
    let hard = text.floor_char_boundary(max);
    if hard == text.len() {
        return hard;
    }
    let near = &text[text.floor_char_boundary(hard - hard / 4)..hard];
    let ends = ["\n\n", "\n", ". ", " "];
    let found = ends.iter().find_map(|end| Some(near.rfind(end)? + end.trim_end().len()));
    found.map_or(hard, |at| hard - near.len() + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_at_a_word() {
        assert_eq!(cut_at_word("thirty days of leave", 20), "thirty days of leave");
        assert_eq!(cut_at_word("thirty days of leave", 16), "thirty days of…");
        assert_eq!(cut_at_word("thirty days of leave", 14), "thirty days…");
        assert_eq!(cut_at_word("Donaudampfschiff", 6), "Donau…");
        assert_eq!(cut_at_word("ab 👩‍👩‍👧", 6), "ab…");
        assert_eq!(cut_at_word("ab", 0), "");
    }

    #[test]
    fn a_text_ends_with_its_last_whole_part() {
        let end = |text: &str, max| text[..end_within(text, max)].to_owned();
        assert_eq!(end("Once upon. A time.\n\nThree. Fo", 22), "Once upon. A time.");
        assert_eq!(end("One. Two, three\nFour. Fo", 18), "One. Two, three");
        assert_eq!(end("One two. Three", 9), "One two.");
        assert_eq!(end("One two three", 9), "One two");
        assert_eq!(end("Donaudampfschiff", 6), "Donaud");
        assert_eq!(end("Grüße", 3), "Gr");
        assert_eq!(end("Grüße", 99), "Grüße");
    }

    proptest! {
        #[test]
        fn a_cut_text_never_exceeds_the_limit_and_begins_as_the_text_does(text in "\\PC{0,80}", max in 0_usize..60) {
            let cut = cut_at_word(&text, max);
            prop_assert!(cut.encode_utf16().count() <= max);
            prop_assert!(text.starts_with(cut.strip_suffix('…').unwrap_or(&cut)));
        }
    }
}
