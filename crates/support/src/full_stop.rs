//! Full stops that end no sentence: behind an abbreviation, an ordinal or an initial.

use std::sync::LazyLock;

use crate::fold::{EMPTY, fold, hash_with};
use crate::words::{Hashes, WORDS, folded, rows};

/// Words that are written with a full stop, before a name.
static ABBREVIATIONS: LazyLock<Hashes> =
    LazyLock::new(|| rows(include_str!("tables/abbreviations.txt")).flatten().map(folded).collect());

/// Words that are written with a full stop before a number. "No." may end a sentence.
static NUMBERED: LazyLock<Hashes> =
    LazyLock::new(|| rows(include_str!("tables/numbered_abbreviations.txt")).flatten().map(folded).collect());

/// Nouns of which ordinals speak.
static ORDINAL_NOUNS: LazyLock<Hashes> =
    LazyLock::new(|| rows(include_str!("tables/ordinal_nouns.txt")).flatten().map(folded).collect());

/// The letters of a word that are read.
const MOST_LETTERS: usize = 16;

/// A word beside a full stop.
struct Beside {
    hash: u64,
    letters: usize,
    digits: usize,
    is_capital: bool,
}

/// Reads the letters and digits of a word. A sign such as `€` is one.
fn word(characters: impl Iterator<Item = char>) -> Beside {
    let (mut hash, mut letters, mut digits, mut is_capital) = (EMPTY, 0, 0, false);
    for character in characters.take(MOST_LETTERS) {
        let is_sign = letters == 0 && !character.is_alphanumeric() && !character.is_ascii_punctuation();
        if !character.is_alphanumeric() && !is_sign && character != '$' {
            break;
        }
        is_capital |= letters == 0 && character.is_uppercase();
        digits += usize::from(character.is_numeric());
        letters += 1;
        fold(character, |letter| hash = hash_with(hash, letter));
        if is_sign {
            break;
        }
    }
    Beside { hash, letters, digits, is_capital }
}

/// Whether a sentence goes on behind a full stop. `before` are the characters before it, the last one first; `behind` those behind the
/// blank that follows it.
pub(crate) fn goes_on(before: impl Iterator<Item = char>, behind: impl Iterator<Item = char>) -> bool {
    let mut last: Vec<char> = before.take(MOST_LETTERS).take_while(|character| character.is_alphanumeric()).collect();
    last.reverse();
    let (last, next) = (word(last.into_iter()), word(behind));
    if last.letters == 0 || next.letters == 0 {
        return false;
    }
    let meaning = WORDS.meaning(next.hash);
    let is_unit = meaning.is_some_and(|meaning| meaning.unit.is_some());
    if last.digits == last.letters {
        // "am 14. Juli", "im 3. Quartal"
        let is_counted = meaning.is_some_and(|meaning| meaning.month > 0) || ORDINAL_NOUNS.contains(&next.hash);
        return last.digits <= 2 && (is_counted || is_unit);
    }
    if last.letters == 1 {
        // "J. K. Lund", but "vitamin C. The"
        let is_light = meaning.is_some_and(|meaning| meaning.is_light);
        return last.is_capital && next.is_capital && (!is_light || next.letters == 1);
    }
    let scales = last.letters <= 4 && WORDS.meaning(last.hash).is_some_and(|meaning| meaning.scale.is_some());
    scales && is_unit
        || ABBREVIATIONS.contains(&last.hash)
        || next.digits == next.letters && NUMBERED.contains(&last.hash)
}

/// Whether a sentence ends at a place of a text, behind a full stop and blanks. Cutters of sentences that know no abbreviations ask this.
#[must_use]
pub fn ends_sentence(text: &str, at: usize) -> bool {
    let (Some(before), Some(behind)) = (text.get(..at), text.get(at..)) else { return true };
    let end = before.trim_end();
    let Some(word) = end.strip_suffix('.') else { return true };
    before[end.len()..].contains('\n') || !goes_on(word.chars().rev(), behind.chars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_behind_an_abbreviation_an_ordinal_or_an_initial_ends_no_sentence() {
        for text in [
            "am 14. |Juli",
            "im 3. |Quartal",
            "1,2 Mio. |€",
            "1,2 Mrd. |Euro",
            "mit Dr. |Anna",
            "J. |K. Lund",
            "K. |Lund",
            "see Fig. |3",
            "no. |7",
            "na 1,2 mil. |Kč",
            "Prof. |Berg",
        ] {
            let at = text.find('|').expect("a place");
            assert!(!ends_sentence(&text.replace('|', ""), at), "{text}");
        }
        for text in [
            "It is 14. |Then",
            "vitamin C. |The",
            "We met in May. |Then",
            "1,2 Mio. |Der Gewinn",
            "No. |Visitors",
            "At max. |The",
            "Is it? |Yes",
            "am 14.\n|Juli",
            "Building 3. |Visitors",
            "um 18 Uhr. |Danach",
        ] {
            let at = text.find('|').expect("a place");
            assert!(ends_sentence(&text.replace('|', ""), at), "{text}");
        }
    }
}
