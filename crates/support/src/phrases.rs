//! Phrases of tables, found by their first words.

use crate::fold::is_ideograph;
use crate::token::Token;
use crate::words::{ByWord, Languages, WORDS, folded, rows};

/// A phrase and what it means.
struct Phrase<T> {
    languages: Languages,
    words: Vec<u64>,
    meaning: T,
}

/// The phrases of one table.
pub(crate) struct Phrases<T> {
    by_first: ByWord<Vec<Phrase<T>>>,
}

impl<T: Copy> Phrases<T> {
    /// Reads the rows of a table that have one of these names.
    pub(crate) fn named(table: &'static str, names: &[(&str, T)]) -> Self {
        let meaning = |name: &str| names.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning);
        Self::read(table, meaning)
    }

    /// Reads a table. A row has a name, the languages of its phrases, parted by `/`, or `*`, and the phrases, parted by commas. Words of
    /// a script without blanks are written as one.
    pub(crate) fn read(table: &'static str, meaning: impl Fn(&str) -> Option<T>) -> Self {
        let mut by_first = ByWord::<Vec<Phrase<T>>>::default();
        for mut row in rows(table) {
            let (Some(meaning), Some(codes)) = (row.next().and_then(&meaning), row.next()) else { continue };
            let known = codes.split('/').filter(|code| *code != "*").map(|code| WORDS.language(code).0);
            let languages = if codes == "*" { Languages::ANY } else { Languages(known.fold(0, |all, own| all | own)) };
            let row: Vec<&str> = row.collect();
            for phrase in row.join(" ").split(',') {
                let words: Vec<u64> = phrase.split_whitespace().flat_map(words).collect();
                if let Some(first) = words.first() {
                    by_first.entry(*first).or_default().push(Phrase { languages, words, meaning });
                }
            }
        }
        Self { by_first }
    }

    /// The longest phrase that begins at a token, and the place behind it. A point may stand behind its words.
    pub(crate) fn at(&self, tokens: &[Token], at: usize, languages: Languages) -> Option<(T, usize)> {
        let phrases = self.by_first.get(&tokens.get(at)?.full)?;
        let end = |phrase: &Phrase<T>| {
            let mut end = at;
            for word in &phrase.words {
                end += usize::from(end > at && tokens.get(end).is_some_and(|token| token.is('.')));
                if tokens.get(end)?.full != *word {
                    return None;
                }
                end += 1;
            }
            Some(end)
        };
        let known = phrases.iter().filter(|phrase| phrase.languages.has(languages));
        known.filter_map(|phrase| Some((phrase.meaning, end(phrase)?))).max_by_key(|(_, end)| *end)
    }
}

/// The hashes of a word, or of its characters.
fn words(word: &str) -> Vec<u64> {
    if word.chars().all(is_ideograph) {
        let mut buffer = [0; 4];
        word.chars().map(|character| folded(character.encode_utf8(&mut buffer))).collect()
    } else {
        vec![folded(word)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that is misspelt would be passed over without a word.
    #[test]
    fn each_row_has_a_name_that_is_read_and_languages_that_are_known() {
        for (table, names) in [
            (include_str!("tables/parts_of_the_week.txt"), &["weekend", "working"][..]),
            (include_str!("tables/orders.txt"), &["before", "after"]),
            (include_str!("tables/halves_of_the_day.txt"), &["am", "pm"]),
            (include_str!("tables/bounds.txt"), &["least", "most", "over", "under"]),
            (include_str!("tables/contrasts.txt"), &["but", "then"]),
            (include_str!("tables/whole_times.txt"), &[]),
        ] {
            for mut row in rows(table) {
                let (name, codes) = (row.next().expect("a name"), row.next().expect("languages"));
                assert!(names.contains(&name) || names.is_empty() && name.parse::<f64>().is_ok(), "{name}");
                let is_known = |code: &str| code == "*" || WORDS.language(code) != Languages(0);
                assert!(codes.split('/').all(is_known), "{name} {codes}");
                assert!(row.next().is_some(), "{name} {codes} has no phrases");
            }
        }
    }
}
