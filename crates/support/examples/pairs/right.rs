//! Sentences that the passage holds, or of which nobody can tell without a model.

use crate::corpus::Document;
use crate::kinds::{Made, Maker, passage};
use crate::words::{NEGATIONS, NUMBER_WORDS, UNITS};

impl Maker<'_> {
    pub(crate) fn light_edit(&mut self) -> Option<Made> {
        let made = match self.random.below(4) {
            0 => self.sentence.replace('"', "”").replace('\'', "’").replace(" - ", " – "),
            1 => {
                let comma = self.sentence.match_indices(", ").map(|(at, _)| at).find(|at| *at > 30)?;
                format!("{}.", &self.sentence[..comma])
            }
            2 => self.sentence.replacen(" the ", " ", 1).replacen(" der ", " ", 1).replacen(" la ", " ", 1),
            _ => self
                .sentence
                .trim_end_matches('.')
                .to_uppercase()
                .chars()
                .take(1)
                .chain(self.sentence.chars().skip(1))
                .collect(),
        };
        Some((made, String::new(), None))
    }

    pub(crate) fn reformatted(&mut self) -> Option<Made> {
        let made = self.sentence.to_owned();
        for (word, short) in [
            (" seconds", " s"),
            (" KB", " kB"),
            (" percent", " %"),
            ("%", " percent"),
            (" minutes", " min"),
            (" megabytes", " MB"),
            (" kilobytes", " KB"),
        ] {
            if let Some(at) = made.find(word)
                && at > 0
                && made.as_bytes()[at - 1].is_ascii_digit()
                && !made[at + word.len()..].starts_with(|next: char| next.is_alphanumeric())
            {
                return Some((made.replacen(word, short, 1), format!("{word} → {short}"), None));
            }
        }
        for (at, word) in self.words() {
            let number = word.trim_end_matches([',', '.']);
            let is_plain = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
            if is_plain && (5..7).contains(&number.len()) {
                let (thousands, rest) = number.split_at(number.len() - 3);
                return self.replaced(at, number.len(), &format!("{thousands},{rest}"));
            }
            if self.language() == "en" {
                let words = NUMBER_WORDS[0].1;
                if let Some(value) = words.iter().position(|other| *other == number) {
                    return self.replaced(at, number.len(), &(value + 2).to_string());
                }
                if is_plain && at > 0 && number == word && number.len() == 1 && number > "1" {
                    let value: usize = number.parse().ok()?;
                    return self.replaced(at, 1, words[value - 2]);
                }
            }
        }
        None
    }

    pub(crate) fn framed(&mut self) -> Option<Made> {
        let frames: &[&str] = match self.language() {
            "en" => &["According to the manual, {}", "In short: {}", "The documentation says that {}", "Note that {}"],
            "de" => &["Laut Handbuch gilt: {}", "Kurz gesagt: {}"],
            "fr" => &["D'après la documentation, {}", "En bref : {}"],
            "es" => &["Según el manual, {}"],
            "it" => &["Secondo il manuale, {}"],
            "pl" => &["Według podręcznika: {}"],
            "ru" => &["Согласно руководству, {}"],
            "nl" => &["Volgens de handleiding: {}"],
            "sv" => &["Enligt manualen: {}"],
            "ja" => &["マニュアルによると、{}"],
            "zh" => &["根据手册，{}"],
            _ => return None,
        };
        let frame = self.random.of(frames)?;
        let mut letters = self.sentence.chars();
        let first: String = letters.next()?.to_lowercase().collect();
        Some((frame.replace("{}", &format!("{first}{}", letters.as_str())), String::new(), None))
    }

    pub(crate) fn name_added(&mut self) -> Option<Made> {
        let name = *self.random.of(&["Contoso", "Anna Meyer", "ACME", "Zürich", "Project Falcon"])?;
        let mut letters = self.sentence.chars();
        let first: String = letters.next()?.to_lowercase().collect();
        let made = match self.random.below(3) {
            0 => format!("{name}: {first}{}", letters.as_str()),
            1 => format!("{} ({name}).", self.sentence.trim_end_matches(['.', '。'])),
            _ if self.language() == "en" => format!("At {name}, {first}{}", letters.as_str()),
            _ => return None,
        };
        Some((made, String::new(), None))
    }

    pub(crate) fn synonym(&mut self) -> Option<Made> {
        let is_plain = |word: &str| word.chars().count() > 4 && word.chars().all(char::is_lowercase);
        let of_unit = |word: &&str| UNITS.iter().any(|family| family.contains(word));
        let words = self.words();
        let plain: Vec<(usize, usize)> = words
            .iter()
            .filter(|(_, word)| is_plain(word) && !of_unit(word))
            .map(|(at, word)| (*at, word.len()))
            .collect();
        let (at, length) = *self.random.of(&plain)?;
        let other = self
            .stranger(|word| is_plain(word) && !of_unit(&word) && !NEGATIONS.contains(&format!(" {word}").as_str()))?;
        self.replaced(at, length, &other)
    }

    pub(crate) fn reordered(&mut self) -> Option<Made> {
        Some((self.paraphrase(self.sentence)?, String::new(), None))
    }

    pub(crate) fn other_language(&mut self) -> Option<Made> {
        let other = self.random.of(&self.corpus.documents)?;
        let base = |language: &str| language.split(['-', '_']).next().unwrap_or_default().to_owned();
        (base(&other.language) != base(&self.document.language) && other.name != self.document.name).then_some(())?;
        let paragraph = self.random.of(&other.paragraphs)?;
        let sentence = self.random.of(paragraph)?;
        Some((sentence.clone(), other.language.clone(), None))
    }

    pub(crate) fn same_page(&mut self) -> Option<Made> {
        let (name, language) = (&self.document.name, &self.document.language);
        let is_it = |other: &&&Document| other.name == *name && other.language != *language;
        let others: Vec<&Document> = self.corpus.documents.iter().collect();
        let others: Vec<&&Document> = others.iter().filter(is_it).collect();
        let other = self.random.of(&others)?;
        let paragraph = self.random.of(&other.paragraphs)?;
        let sentence = self.random.of(paragraph)?;
        let place = other.paragraphs.iter().position(|known| std::ptr::eq(known, paragraph))?;
        // About the same place of the page.
        let place = place * self.document.paragraphs.len() / other.paragraphs.len();
        let passage = passage(self.document, place.min(self.document.paragraphs.len() - 1), "");
        (!passage.contains(sentence.as_str()) && !passage.is_empty())
            .then(|| (sentence.clone(), other.language.clone(), Some(passage)))
    }

    pub(crate) fn table(&mut self, is_swapped: bool) -> Option<Made> {
        let mut names: Vec<String> = Vec::new();
        for _ in 0..30 {
            let word = self.stranger(|word| word.chars().count() > 3 && word.chars().all(char::is_alphabetic))?;
            if !names.contains(&word) {
                names.push(word);
            }
        }
        names.truncate(8);
        (names.len() == 8).then_some(())?;
        let columns = &names[5..8];
        let numbers: Vec<Vec<usize>> = (0..5)
            .map(|row| (0..3).map(|column| 100 * row + 30 * column + 11 + self.random.below(25)).collect())
            .collect();
        let separator = *self.random.of(&[" | ", ",", "\t", " | "])?;
        let edge = if separator == " | " { "|" } else { "" };
        let line = |cells: Vec<String>| format!("{edge}{}{edge}", cells.join(separator));
        let mut rows = vec![line([vec!["Name".to_owned()], columns.to_vec()].concat())];
        if separator == " | " {
            rows.push("|---|---|---|---|".to_owned());
        }
        for (name, numbers) in names.iter().zip(&numbers) {
            rows.push(line([vec![name.clone()], numbers.iter().map(usize::to_string).collect()].concat()));
        }
        let (row, column) = (self.random.below(5), self.random.below(3));
        let from = if is_swapped { (row + 1 + self.random.below(4)) % 5 } else { row };
        let number = numbers[from][column];
        let (name, header) = (&names[row], &columns[column]);
        let made = match self.random.below(3) {
            0 => format!("The {header} of {name} is {number}."),
            1 => format!("{name} has a {header} of {number}."),
            _ => format!("For {name}, the table lists {number} as {header}."),
        };
        Some((made, format!("row {row} {from}"), Some(rows.join("\n"))))
    }
}
