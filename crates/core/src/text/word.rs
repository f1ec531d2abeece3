//! Where words end.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// How far a word is searched before and after an offset, in bytes.
const MAX_WORD_BYTES: usize = 1_024;

/// Moves byte offset `at` to the end of the word it is in, so that a badge does not split the word. Outside of a word,
/// returns `at`.
///
/// `at` must be on a character boundary. Words are those of Unicode annex 29: they end at blanks and punctuation, `don't`
/// and `3.5` are single words, and grapheme clusters are never split. Scripts without blanks between words (Han, Hiragana,
/// Thai, Khmer, …) have no words there, so an offset between two of their characters stays. In a run of more than 2 KiB
/// without blanks, an offset moves only to the end of its grapheme cluster.
#[must_use]
pub fn word_end(text: &str, at: usize) -> usize {
    if at == 0 || at >= text.len() || text.as_bytes()[at].is_ascii_whitespace() {
        return at;
    }
    let from = text.floor_char_boundary(at.saturating_sub(MAX_WORD_BYTES));
    let from = text[from..at].rfind(char::is_whitespace).map_or(from, |blank| from + blank);
    let limit = text.ceil_char_boundary((at + MAX_WORD_BYTES).min(text.len()));
    let to = text[at..limit].find(char::is_whitespace).map_or(limit, |blank| at + blank);
    let is_whole = to < limit || limit == text.len();
    let words = text[from..to].split_word_bound_indices().map(|(start, word)| from + start..from + start + word.len());
    match words.into_iter().find(|word| word.start < at && at < word.end) {
        Some(word) if is_whole || word.end < to => word.end,
        Some(_) => {
            let mut cursor = GraphemeCursor::new(at, text.len(), true);
            match cursor.is_boundary(text, 0) {
                Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
                Ok(true) | Err(_) => at,
            }
        }
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_word_moves_to_its_end_and_others_stay() {
        for (text, expected) in [
            ("wo|rld. x", "world|. x"),
            ("world|. x", "world|. x"),
            ("a |b", "a |b"),
            ("don|'t x", "don't| x"),
            ("3|.5 kg", "3.5| kg"),
            ("**wo|rd**", "**word|**"),
            ("in 30|days", "in 30days|"),
            ("👨\u{200d}|👩\u{200d}👧 x", "👨\u{200d}👩\u{200d}👧| x"),
            ("a|\u{308}b c", "a\u{308}b| c"),
            ("🇩|🇪 x", "🇩🇪| x"),
            ("日|本語", "日|本語"),
            ("ราย|งาน", "ราย|งาน"),
            ("한|국어 x", "한국어| x"),
            ("|x", "|x"),
            ("x|", "x|"),
            ("", ""),
        ] {
            let at = text.find('|').unwrap_or_default();
            let given = text.replace('|', "");
            let mut found = given.clone();
            let place = word_end(&given, at);
            if text.contains('|') {
                found.insert(place, '|');
            }
            assert_eq!(found, expected, "{text}");
        }
        let long = "é".repeat(5_000);
        assert_eq!(word_end(&long, 4_000), 4_000, "no word is looked at for so long");
        assert_eq!(word_end(&format!("{}\u{308}", "e".repeat(3_000)), 3_000), 3_002, "and no cluster is parted");
    }
}
