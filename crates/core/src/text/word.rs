//! Where words end.

use std::ops::RangeInclusive;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// How far a word is searched before and after an offset, in bytes.
const MAX_WORD_BYTES: usize = 1_024;

/// Moves byte offset `at` to the end of the word it is in, so that a badge does not split the word. Outside of a word, and
/// behind the [end of a sentence](ends_sentence), returns `at`.
///
/// `at` must be on a character boundary. Words are those of Unicode annex 29: they end at blanks and punctuation, `don't`
/// and `3.5` are single words, and grapheme clusters are never split. Scripts without blanks between words (Han, Hiragana,
/// Thai, Khmer, …) have no words there, so an offset between two of their characters stays. In a run of more than 2 KiB
/// without blanks, an offset moves only to the end of its grapheme cluster.
#[must_use]
pub fn word_end(text: &str, at: usize) -> usize {
    if at == 0 || at >= text.len() || text.as_bytes()[at].is_ascii_whitespace() || ends_sentence(text, at) {
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

/// Whether a sentence ends at byte offset `at` and the next one begins without a blank: `water.|Oil`, `水。|油`.
///
/// A stop before a digit (`3.5`), behind a single letter (`U.S.A`) or in an address ends none.
#[must_use]
pub fn ends_sentence(text: &str, at: usize) -> bool {
    let Some((before, behind)) = text.split_at_checked(at) else { return false };
    let Some(stop) = before.chars().next_back().filter(|last| STOPS.contains(last)) else { return false };
    if !behind.starts_with(char::is_alphabetic) {
        return false;
    }
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(MAX_WORD_BYTES))..];
    let word = near.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_address = ["://", "www.", "@"].iter().any(|sign| word.contains(sign));
    let last = word.trim_end_matches(STOPS).rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !is_address && (stop != '.' || last.chars().nth(1).is_some() || last.is_empty())
}

/// Whether a sentence that begins at byte offset `at` is written with a blank before it.
#[must_use]
pub fn begins_with_blank(text: &str, at: usize) -> bool {
    let is_ascii = text[..at].ends_with(|stop: char| stop.is_ascii());
    let next = text[at..].chars().next();
    is_ascii && next.is_some_and(|next| !UNSPACED.iter().any(|script| script.contains(&next)))
}

const STOPS: [char; 7] = ['.', '?', '!', '。', '？', '！', '．'];

/// Letters of scripts that are written without blanks: Thai to Lao, Myanmar, Khmer, kana, Han.
const UNSPACED: [RangeInclusive<char>; 7] = [
    '\u{e00}'..='\u{eff}',
    '\u{1000}'..='\u{109f}',
    '\u{1780}'..='\u{17ff}',
    '\u{3040}'..='\u{30ff}',
    '\u{3400}'..='\u{9fff}',
    '\u{f900}'..='\u{faff}',
    '\u{20000}'..='\u{3ffff}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_its_stop_even_without_a_blank_behind_it() {
        for (text, expected) in [
            ("Salt sinks in water.|Oil does not.", Some(true)),
            ("Does it sink?|Oil does not.", Some(true)),
            ("It sinks!|oil does not.", Some(true)),
            ("水より重い。|油は軽い", Some(false)),
            ("重いか？|油", Some(false)),
            ("It is 油と.|油", Some(false)),
            ("(as below).|Oil", Some(true)),
            ("in 2024.|Then", Some(true)),
            ("Вода тоне.|Олія ні", Some(true)),
            ("3.|5 kg", None),
            ("v1.|2", None),
            ("in the U.|S.A", None),
            ("see www.x.|example", None),
            ("at https://x.example/a.|Oil", None),
            ("water.| Oil", None),
            ("wa|ter.Oil", None),
            ("water|.Oil", None),
            ("water.|", None),
        ] {
            let at = text.find('|').expect("a place");
            let text = text.replace('|', "");
            let found = ends_sentence(&text, at).then(|| begins_with_blank(&text, at));
            assert_eq!(found, expected, "{text}");
            assert!(expected.is_none() || word_end(&text, at) == at, "{text}");
        }
        assert_eq!(word_end("in the U.S.A today", 9), "in the U.S.A".len());
    }

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
