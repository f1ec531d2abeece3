//! Sentences that the passage does not hold.

use crate::kinds::{Made, Maker};
use crate::words::{MONTHS, NEGATIONS, NUMBER_WORDS, UNITS, is_name};

impl Maker<'_> {
    pub(crate) fn misquoted(&mut self) -> Option<Made> {
        let piece = self.piece()?;
        let words: Vec<&str> = piece.split(' ').collect();
        let place = 1 + self.random.below(words.len() - 2);
        let other = self.stranger(|word| word.chars().count() > 3 && word.chars().all(char::is_alphabetic))?;
        let quoted: Vec<&str> =
            words.iter().enumerate().map(|(at, word)| if at == place { other.as_str() } else { word }).collect();
        Some((format!("The text says: “{}”.", quoted.join(" ")), format!("{} → {other}", words[place]), None))
    }

    pub(crate) fn number(&mut self, is_paraphrased: bool) -> Option<Made> {
        let numbers: Vec<(usize, usize)> = self
            .words()
            .into_iter()
            .filter_map(|(at, word)| {
                let number = word.trim_end_matches([',', '.', ')', ';']);
                let is_plain =
                    !number.is_empty() && number.len() < 7 && number.chars().all(|digit| digit.is_ascii_digit());
                (is_plain && at > 0 && at + word.len() < self.sentence.len()).then_some((at, number.len()))
            })
            .collect();
        let (at, length) = *self.random.of(&numbers)?;
        let value: usize = self.sentence[at..at + length].parse().ok()?;
        let other = match self.random.below(3) {
            0 => value * 10,
            1 => value + 1 + self.random.below(7),
            _ => value * 2 + 3,
        };
        if value == 0 || self.passage.contains(&other.to_string()) {
            return None;
        }
        let (made, change, _) = self.replaced(at, length, &other.to_string())?;
        let made = if is_paraphrased { self.paraphrase(&made)? } else { made };
        Some((made, change, None))
    }

    pub(crate) fn number_word(&mut self) -> Option<Made> {
        let (_, words) = NUMBER_WORDS.iter().find(|(language, _)| *language == self.language())?;
        let (at, word) = self.words().into_iter().find(|(at, word)| *at > 0 && words.contains(word))?;
        let length = word.len();
        let other = *self.random.of(words)?;
        (!self.word(&format!(" {other} "))).then_some(())?;
        self.replaced(at, length, other)
    }

    pub(crate) fn unit(&mut self) -> Option<Made> {
        let words = self.words();
        let is_number = |word: &str| {
            let own = NUMBER_WORDS.iter().find(|(language, _)| *language == self.language());
            word.chars().all(|digit| digit.is_ascii_digit()) || own.is_some_and(|(_, words)| words.contains(&word))
        };
        let at = (1..words.len()).find_map(|index| {
            let unit = words[index].1.trim_end_matches([',', '.', ')']);
            let family = UNITS.iter().find(|family| family.contains(&unit))?;
            is_number(words[index - 1].1.trim_start_matches('(')).then_some((words[index].0, unit.len(), *family))
        });
        let (at, length, family) = at?;
        let other = *self.random.of(family)?;
        self.replaced(at, length, other)
    }

    pub(crate) fn month(&mut self) -> Option<Made> {
        let words = self.words();
        let at = (0..words.len()).find_map(|index| {
            let month = words[index].1.trim_end_matches([',', '.']);
            let place = MONTHS.iter().position(|known| *known == month)?;
            let has_digit = |word: Option<&(usize, &str)>| {
                word.is_some_and(|(_, word)| word.contains(|digit: char| digit.is_ascii_digit()))
            };
            let is_date = has_digit(words.get(index + 1)) || index > 0 && has_digit(words.get(index - 1));
            is_date.then_some((words[index].0, month.len(), place))
        });
        let (at, length, place) = at?;
        let of_language = match place {
            0..12 => &MONTHS[..12],
            12..19 => &MONTHS[12..19],
            19..26 => &MONTHS[19..26],
            26..33 => &MONTHS[26..33],
            33..36 => &MONTHS[33..36],
            _ => &MONTHS[36..],
        };
        let other = *self.random.of(of_language)?;
        (!self.word(other)).then_some(())?;
        self.replaced(at, length, other)
    }

    pub(crate) fn names(&self) -> Vec<(usize, usize)> {
        let is_german = self.language() == "de";
        let words = self.words();
        let names = words.iter().enumerate().filter_map(|(index, (at, word))| {
            let name = word.trim_end_matches([',', '.', ')', ';', ':']);
            let before = index.checked_sub(1).and_then(|before| words.get(before)).map_or(".", |(_, before)| *before);
            let is_inside = !before.ends_with(['.', ':', '"', '!', '?', '(', ')', '•', '-', '*']);
            (is_inside && is_name(name, is_german)).then_some((*at, name.len()))
        });
        names.collect()
    }

    pub(crate) fn name(&mut self, is_paraphrased: bool) -> Option<Made> {
        let is_german = self.language() == "de";
        let (at, length) = *self.random.of(&self.names())?;
        let is_acronym = self.sentence[at..at + length].chars().all(|letter| !letter.is_lowercase());
        let other = self.stranger(|word| {
            is_name(word, is_german) && word.chars().all(|letter| !letter.is_lowercase()) == is_acronym
        })?;
        let (made, change, _) = self.replaced(at, length, &other)?;
        let made = if is_paraphrased { self.paraphrase(&made)? } else { made };
        Some((made, change, None))
    }

    pub(crate) fn negation(&mut self, is_paraphrased: bool) -> Option<Made> {
        let (made, change) = self.negated()?;
        let made = if is_paraphrased { self.paraphrase(&made)? } else { made };
        Some((made, change, None))
    }

    pub(crate) fn negated(&self) -> Option<(String, String)> {
        if self.sentence.contains("not only")
            || self.sentence.contains("not necessarily")
            || self.sentence.contains(" or not")
        {
            return None;
        }
        if self.language() == "fr" && self.sentence.contains(" pas ") {
            let made = self.sentence.replacen(" ne ", " ", 1).replacen(" n'", " ", 1).replacen(" pas ", " ", 1);
            return Some((made, "− ne pas".to_owned()));
        }
        let is_dense = matches!(self.language(), "zh" | "ja");
        for negation in NEGATIONS
            .iter()
            .filter(|negation| is_dense || !matches!(self.language(), "fr") && negation.starts_with(' '))
        {
            let with_blank = if is_dense { (*negation).to_owned() } else { format!("{negation} ") };
            let own = match self.language() {
                "en" => *negation == " not",
                "pt" => *negation == " não",
                "ro" => *negation == " nu",
                "sr" | "ru" | "uk" | "bg" => *negation == " не",
                "fi" => *negation == " ei",
                "cs" | "sl" | "hr" => false,
                _ => {
                    !matches!(*negation, " nu" | " ne" | " ei" | " no" | " non" | " не")
                        || matches!(self.language(), "es" | "it")
                }
            };
            if own && self.sentence.contains(&with_blank) && self.sentence.matches(negation.trim()).count() == 1 {
                let blank = if is_dense { "" } else { " " };
                let made = self.sentence.replacen(&with_blank, blank, 1);
                return Some((made, format!("− {negation}")));
            }
        }
        if self.language() == "en" && !self.sentence.contains(" no") && !self.sentence.contains("n't") {
            for verb in [" is ", " are ", " can ", " will ", " must ", " may ", " should "] {
                if self.sentence.matches(verb).count() == 1 {
                    return Some((
                        self.sentence.replacen(verb, &format!("{verb}not "), 1),
                        format!("+ not behind {verb}"),
                    ));
                }
            }
        }
        None
    }

    pub(crate) fn unrelated(&mut self) -> Option<Made> {
        let other = self.any_sentence()?;
        let is_from_here = self.document.paragraphs.iter().flatten().any(|sentence| sentence == other);
        // Boilerplate that many pages share is not unrelated.
        let has_words = other.split(' ').filter(|word| word.chars().count() > 3).count() >= 5
            || matches!(self.language(), "ja" | "zh");
        (!is_from_here && has_words).then(|| (other.to_owned(), String::new(), None))
    }
}
