//! The language and the script of a text, as far as its words tell them.

use crate::token::Token;
use crate::words::{Languages, WORDS};

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Language {
    /// `None` if no language stands out.
    pub(crate) known: Option<Languages>,
    /// The languages that most of its stop words belong to, where none stands out.
    likely: Languages,
    /// By how much it stands out.
    pub(crate) margin: u32,
}

impl Language {
    /// The language that most of the stop words belong to.
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut counts = [0_u32; 32];
        for meaning in tokens.iter().filter(|token| token.is_word()).filter_map(|token| token.meaning) {
            let stops = meaning.stops;
            // A word of one language alone says more, if it is no number of another one: `dos`.
            let is_number = meaning.numbers[0].0 != Languages::default();
            let weight = if stops.0.count_ones() == 1 && !is_number { 2 } else { 1 };
            let mut rest = stops.0;
            while rest != 0 {
                counts[rest.trailing_zeros() as usize] += weight;
                rest &= rest - 1;
            }
        }
        let languages = &counts[..WORDS.languages()];
        let best = (0..languages.len()).rev().max_by_key(|index| languages[*index]).unwrap_or_default();
        let second =
            (0..languages.len()).filter(|index| *index != best).map(|index| languages[index]).max().unwrap_or_default();
        let stands_out = languages[best] >= 2 && languages[best] > second;
        let likely = (0..languages.len()).filter(|index| languages[best] > 0 && languages[*index] == languages[best]);
        let likely = Languages(likely.fold(0, |likely, index| likely | 1 << index));
        Self {
            likely,
            known: stands_out.then_some(Languages(1 << best)),
            margin: languages[best].saturating_sub(second),
        }
    }

    /// The languages whose number words are read: English if none is likely.
    pub(crate) fn or_english(self) -> Languages {
        let likely = Some(self.likely).filter(|likely| *likely != Languages::default());
        self.known.or(likely).unwrap_or_else(|| WORDS.language("en"))
    }
}

/// A script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Indic,
    Han,
    Kana,
    Hangul,
    SoutheastAsian,
}

const SCRIPTS: [Script; 10] = [
    Script::Latin,
    Script::Greek,
    Script::Cyrillic,
    Script::Hebrew,
    Script::Arabic,
    Script::Indic,
    Script::Han,
    Script::Kana,
    Script::Hangul,
    Script::SoutheastAsian,
];

/// The letters of a text by their scripts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scripts {
    counts: [u32; SCRIPTS.len()],
}

impl Scripts {
    pub(crate) fn of(text: &str) -> Self {
        let mut counts = [0; SCRIPTS.len()];
        let latin = text.bytes().filter(u8::is_ascii_alphabetic).count();
        counts[Script::Latin as usize] = u32::try_from(latin).unwrap_or(u32::MAX);
        if text.is_ascii() {
            return Self { counts };
        }
        for letter in text.chars().filter(|letter| !letter.is_ascii()) {
            if let Some(script) = script(letter) {
                // A character of these is a syllable or a word.
                let weight = if matches!(script, Script::Han | Script::Kana | Script::Hangul) { 2 } else { 1 };
                counts[script as usize] += weight;
            }
        }
        Self { counts }
    }

    /// The script of the text. Latin words stand in every technical text, so another script wins at a third.
    pub(crate) fn main(self) -> Script {
        let others = SCRIPTS.iter().skip(1).copied();
        let other = others.max_by_key(|script| self.count(*script)).unwrap_or(Script::Latin);
        if self.count(other) * 3 <= self.count(Script::Latin) || self.count(other) == 0 {
            return Script::Latin;
        }
        // Japanese is written with both.
        let is_japanese = other == Script::Han && self.count(Script::Kana) * 8 > self.count(Script::Han);
        if is_japanese { Script::Kana } else { other }
    }

    fn count(self, script: Script) -> u32 {
        self.counts[script as usize]
    }

    /// Whether hardly any letters are of this script.
    pub(crate) fn lacks(self, script: Script) -> bool {
        let is_japanese = matches!(script, Script::Kana | Script::Han);
        let related = if is_japanese { self.count(Script::Kana) + self.count(Script::Han) } else { self.count(script) };
        related * 8 < self.counts.iter().sum()
    }
}

/// The script of a letter beyond ASCII.
fn script(letter: char) -> Option<Script> {
    Some(match letter {
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{5d0}'..='\u{5ea}' => Script::Hebrew,
        '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d3}' | '\u{750}'..='\u{77f}' => Script::Arabic,
        '\u{904}'..='\u{dff}' if letter.is_alphabetic() => Script::Indic,
        '\u{3040}'..='\u{30ff}' => Script::Kana,
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}' => Script::Han,
        '\u{ac00}'..='\u{d7a3}' => Script::Hangul,
        '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Script::SoutheastAsian,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn a_language_is_known_by_its_stop_words_or_not_at_all() {
        let language = |text: &str| Language::of(&tokens(text)).known;
        assert_eq!(language("The employees of the company have 30 days."), Some(WORDS.language("en")));
        assert_eq!(language("Die Mitarbeiter haben 30 Tage und nicht mehr."), Some(WORDS.language("de")));
        assert_eq!(language("Les employés ont droit à 30 jours dans une année."), Some(WORDS.language("fr")));
        assert_eq!(language("SHA256 config.yaml"), None);
    }

    #[test]
    fn the_script_of_a_technical_text_is_that_of_its_own_words() {
        assert_eq!(Scripts::of("La configuration").main(), Script::Latin);
        assert_eq!(Scripts::of("Файл config.yaml лежит в каталоге").main(), Script::Cyrillic);
        assert_eq!(Scripts::of("設定ファイルは config.yaml です").main(), Script::Kana);
        assert!(Scripts::of("Файл лежит в каталоге").lacks(Script::Latin));
    }
}
