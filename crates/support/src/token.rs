//! Words, numbers and marks of a text, cut in one pass.

use crate::date::Date;
use crate::fold::{EMPTY, digit, fold, hash_with, is_ideograph, is_unseen};
use crate::full_stop::goes_on;
use crate::number::{Figures, Numeral, figures, is_list};
use crate::word::Word;
use crate::words::{Languages, Meaning, WORDS};

/// A word, a number or a mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// Where it stands in the text, in bytes.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The hash of its folded letters.
    pub(crate) full: u64,
    /// The hash of its stem; of an ideograph, of it and the next one.
    pub(crate) stem: u64,
    pub(crate) kind: Kind,
    /// The number of folded letters, at most 255; of a number, of its digits and the ending behind them: six of `1980er`.
    pub(crate) letters: u8,
    /// It begins with a capital, or has one inside.
    pub(crate) is_capital: bool,
    /// It is all capitals, or has one inside.
    pub(crate) is_acronym: bool,
    /// A capital here says nothing: a sentence, a quotation or a cell begins.
    pub(crate) is_first: bool,
    /// The number of its sentence, from 0.
    pub(crate) sentence: u32,
    /// Its first character.
    pub(crate) first: char,
    /// What the tables know of it.
    pub(crate) meaning: Option<&'static Meaning>,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Word,
    /// A name of letters and digits, or a number of several parts: `SHA256`, `3.4.2`.
    Identifier,
    Number(Numeral),
    /// A date in digits: `24.12.2026`.
    Date(Date),
    /// A character of a script without blanks.
    Ideograph,
    /// Punctuation.
    Mark,
}

impl Token {
    pub(crate) fn is_word(&self) -> bool {
        matches!(self.kind, Kind::Word)
    }

    pub(crate) fn is_ideograph(&self) -> bool {
        matches!(self.kind, Kind::Ideograph)
    }

    pub(crate) fn is_mark(&self) -> bool {
        matches!(self.kind, Kind::Mark)
    }

    /// Whether it is this punctuation mark.
    pub(crate) fn is(&self, mark: char) -> bool {
        self.is_mark() && self.first == mark
    }

    pub(crate) fn numeral(&self) -> Option<Numeral> {
        if let Kind::Number(numeral) = self.kind { Some(numeral) } else { None }
    }

    /// The value of a number word of these languages.
    pub(crate) fn spoken(&self, languages: Languages) -> Option<f64> {
        let numbers = self.meaning.filter(|_| self.is_word())?.numbers;
        numbers.into_iter().find(|(own, _)| own.has(languages)).map(|(_, value)| value)
    }

    /// The value of a number in digits or in words of these languages.
    pub(crate) fn number(&self, languages: Languages) -> Option<f64> {
        self.numeral().map(|numeral| numeral.values[0]).or_else(|| self.spoken(languages))
    }

    /// Whether it negates in a language; an ideograph needs its neighbours for that.
    pub(crate) fn negates(&self, language: Languages) -> bool {
        self.is_word() && self.meaning.is_some_and(|meaning| meaning.negates.has(language))
    }

    /// How much it says: 0 for marks and stop words.
    pub(crate) fn weight(&self) -> f32 {
        match self.kind {
            Kind::Mark => 0.0,
            Kind::Number(_) | Kind::Date(_) => 1.0,
            Kind::Identifier => 1.2,
            Kind::Ideograph => 0.5,
            Kind::Word if self.meaning.is_some_and(|meaning| meaning.is_light) => 0.0,
            Kind::Word => match self.letters {
                0..=2 if self.is_acronym => 1.0,
                0..=2 => 0.0,
                3 => 0.5,
                _ => 1.0,
            },
        }
    }
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let characters: Vec<(u32, char)> = if text.is_ascii() {
        (0..).zip(text.bytes().map(char::from)).collect()
    } else {
        text.char_indices().map(|(at, character)| (u32::try_from(at).unwrap_or(u32::MAX), character)).collect()
    };
    let mut cutter = Cutter { text, characters, at: 0, sentence: 0, is_first: true, tokens: Vec::new() };
    cutter.tokens.reserve(text.len() / 4 + 4);
    while cutter.at < cutter.characters.len() {
        cutter.next();
    }
    cutter.tokens
}

struct Cutter<'t> {
    text: &'t str,
    characters: Vec<(u32, char)>,
    /// The place of the next character.
    at: usize,
    sentence: u32,
    is_first: bool,
    tokens: Vec<Token>,
}

impl Cutter<'_> {
    /// The character at a place; a blank behind the end.
    fn char(&self, at: usize) -> char {
        self.characters.get(at).map_or(' ', |(_, character)| *character)
    }

    /// The byte at which a character begins.
    fn byte(&self, at: usize) -> u32 {
        let end = || u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.characters.get(at).map_or_else(end, |(byte, _)| *byte)
    }

    fn next(&mut self) {
        let character = self.char(self.at);
        if character == ' ' {
            self.at += 1;
        } else if self.is_version(self.at) {
            self.at += 1;
            self.number();
        } else if character.is_ascii_alphabetic() {
            self.word();
        } else if digit(character).is_some() {
            self.number();
        } else if is_ideograph(character) {
            self.ideograph(character);
        } else if character.is_alphabetic() {
            self.word();
        } else {
            self.mark(character);
        }
    }

    /// Whether a number of a version stands here: `v4.0`. `V8` is a name.
    fn is_version(&self, at: usize) -> bool {
        if !matches!(self.char(at), 'v' | 'V') {
            return false;
        }
        let digits = (1..=4).take_while(|next| digit(self.char(at + next)).is_some()).count();
        digits > 0
            && self.char(at + digits + 1) == '.'
            && digit(self.char(at + digits + 2)).is_some()
            && !(at > 0 && self.char(at - 1).is_alphanumeric())
    }

    /// Adds a token up to a place, which becomes the next one.
    fn push(&mut self, end: usize, full: u64, stem: u64, kind: Kind, letters: usize) -> &mut Token {
        let token = Token {
            start: self.byte(self.at),
            end: self.byte(end),
            full,
            stem,
            kind,
            letters: u8::try_from(letters).unwrap_or(u8::MAX),
            is_capital: false,
            is_acronym: false,
            is_first: self.is_first,
            sentence: self.sentence,
            first: self.char(self.at),
            meaning: match kind {
                Kind::Word | Kind::Identifier | Kind::Ideograph => WORDS.meaning(full),
                Kind::Number(_) | Kind::Date(_) | Kind::Mark => None,
            },
        };
        self.at = end;
        self.is_first &= matches!(kind, Kind::Mark);
        let index = self.tokens.len();
        self.tokens.push(token);
        &mut self.tokens[index]
    }

    fn number(&mut self) {
        let begin = self.at;
        let is_listed = begin > 0 && self.char(begin - 1) == ',' || is_list(|offset| self.char(begin + offset));
        let (figures, length) =
            figures(
                |offset| if is_listed && self.char(begin + offset) == ',' { ' ' } else { self.char(begin + offset) },
            );
        let mut end = begin + length;
        // "5km" and "3rd" are numbers, "3DES" is a name.
        let mut behind = end;
        let (mut suffix, mut letters) = (EMPTY, String::new());
        while self.char(behind).is_alphanumeric() && !is_ideograph(self.char(behind)) && behind - end < 12 {
            fold(self.char(behind), |letter| {
                suffix = hash_with(suffix, letter);
                letters.push(letter);
            });
            behind += 1;
        }
        let is_ordinal =
            matches!(letters.as_str(), "st" | "nd" | "rd" | "th" | "er" | "e" | "eme" | "º" | "ª" | "o" | "a" | "s");
        let is_known = |meaning: &Meaning| meaning.unit.is_some() || meaning.scale.is_some();
        let known = !letters.is_empty() && WORDS.meaning(suffix).is_some_and(is_known);
        // Particles stand behind a number without a blank in Korean.
        let is_hangul = !letters.is_empty() && letters.chars().all(|letter| matches!(letter, '\u{ac00}'..='\u{d7a3}'));
        let is_time =
            letters.len() == 3 && letters.starts_with('h') && letters.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let is_number = is_time
            || is_hangul
            || letters.is_empty()
            || is_ordinal
            || known
            || matches!(letters.as_str(), "x" | "am" | "pm" | "uhr");
        let kind = match figures {
            Figures::Number(numeral) if is_number => Kind::Number(numeral),
            Figures::Date(date) if is_number => Kind::Date(date),
            Figures::Number(_) | Figures::Date(_) | Figures::Identifier => Kind::Identifier,
        };
        if !is_number {
            while self.char(end).is_alphanumeric() && !is_ideograph(self.char(end)) {
                end += 1;
            }
        }
        let full = self.hash(begin, end);
        let token = self.push(end, full, full, kind, end - begin);
        (token.is_capital, token.is_acronym) = (kind == Kind::Identifier, kind == Kind::Identifier);
        if is_ordinal && kind != Kind::Identifier {
            token.letters = token.letters.saturating_add(u8::try_from(behind - end).unwrap_or(u8::MAX));
            self.at = behind;
        }
        if is_time && kind != Kind::Identifier {
            // `17h30` is `17:30`.
            let hash = hash_with(EMPTY, ':');
            self.push(end + 1, hash, hash, Kind::Mark, 0).first = ':';
        }
    }

    fn hash(&self, begin: usize, end: usize) -> u64 {
        let mut hash = EMPTY;
        for at in begin..end {
            match digit(self.char(at)) {
                Some(value) => hash = hash_with(hash, char::from_digit(value, 10).unwrap_or('0')),
                None => fold(self.char(at), |letter| hash = hash_with(hash, letter)),
            }
        }
        hash
    }

    fn ideograph(&mut self, character: char) {
        let full = hash_with(EMPTY, character);
        let next = self.char(self.at + 1);
        let stem = if is_ideograph(next) { hash_with(full, next) } else { full };
        self.push(self.at + 1, full, stem, Kind::Ideograph, 1);
    }

    fn word(&mut self) {
        let begin = self.at;
        let rest = self.text.as_bytes().get(self.byte(begin) as usize..).unwrap_or_default();
        let mut word = Word::beginning_with(rest);
        let at = begin + word.length;
        // Most words end with a blank.
        let end = if self.char(at) == ' ' { at } else { self.behind_word(begin, at, &mut word) };
        let is_name = word.has_digit;
        let (full, stem) = (word.hash, if is_name { word.hash } else { word.stem() });
        let first = self.char(begin);
        let is_acronym = word.lower == 0 && word.length >= 2 && first.is_uppercase() || word.has_inner_capital;
        let kind = if is_name { Kind::Identifier } else { Kind::Word };
        let token = self.push(end, full, stem, kind, word.length);
        token.is_capital = first.is_uppercase() || word.has_inner_capital;
        token.is_acronym = is_acronym;
    }

    /// The end of a word that goes on at a place, perhaps with another sign than a letter of ASCII.
    fn behind_word(&self, begin: usize, mut at: usize, word: &mut Word) -> usize {
        loop {
            let character = self.char(at);
            if character.is_ascii_alphabetic()
                || character.is_alphanumeric() && !is_ideograph(character)
                || is_part_of_word(character)
            {
                word.push(character);
                at += 1;
            } else if self.is_broken_at(at) {
                at = self.behind_blanks(at + 1);
            } else {
                break;
            }
        }
        let end = self.behind_apostrophe(begin, at, word);
        if end == at { self.behind_initials(begin, at, word) } else { end }
    }

    /// Whether a word is parted here at the end of a line: `inter-` and `national`.
    fn is_broken_at(&self, at: usize) -> bool {
        if !matches!(self.char(at), '-' | '\u{2010}') {
            return false;
        }
        let next = self.behind_blanks(at + 1);
        let has_break = (at + 1..next).any(|blank| self.char(blank) == '\n');
        has_break && self.char(next).is_lowercase()
    }

    fn behind_blanks(&self, mut at: usize) -> usize {
        while at < self.characters.len() && self.char(at).is_whitespace() {
            at += 1;
        }
        at
    }

    /// The end of a word with what an apostrophe joins to it: `leave's` is `leave`, `don't` is one word, `l'an` are two.
    fn behind_apostrophe(&self, begin: usize, at: usize, word: &mut Word) -> usize {
        if !matches!(self.char(at), '\'' | '\u{2019}') || !self.char(at + 1).is_alphabetic() || at == begin {
            return at;
        }
        let is_last = !self.char(at + 2).is_alphanumeric();
        match self.char(at + 1).to_ascii_lowercase() {
            's' if is_last => at + 2,
            't' if is_last => {
                word.push(self.char(at + 1));
                at + 2
            }
            _ => at + 1,
        }
    }

    /// The end of initials with points: `U.S.`
    fn behind_initials(&self, begin: usize, at: usize, word: &mut Word) -> usize {
        let is_initial = |at: usize| {
            self.char(at) == '.' && self.char(at + 1).is_uppercase() && !self.char(at + 2).is_alphanumeric()
        };
        if at - begin != 1 || !self.char(begin).is_uppercase() || !is_initial(at) || self.char(at + 2) != '.' {
            return at;
        }
        let mut end = at;
        while is_initial(end) {
            word.push(self.char(end + 1));
            end += 2;
        }
        if self.char(end) == '.' { end + 1 } else { end }
    }

    fn mark(&mut self, character: char) {
        if matches!(character, '%' | '％' | '€' | '$' | '£' | '¥' | '₹' | '₽' | '₺' | '‰') {
            let hash = hash_with(EMPTY, if character == '％' { '%' } else { character });
            self.push(self.at + 1, hash, hash, Kind::Word, 1);
            return;
        }
        let at = self.at;
        if !character.is_whitespace() && !is_unseen(character) {
            let hash = hash_with(EMPTY, character);
            self.push(at + 1, hash, hash, Kind::Mark, 0);
        } else {
            self.at += 1;
        }
        if self.ends_sentence(at, character) {
            self.sentence += 1;
            self.is_first = true;
        } else if matches!(character, ':' | '"' | '“' | '„' | '«' | '•' | '|' | '–' | '—' | '(' | '\n') {
            self.is_first = true;
        }
    }

    /// Whether a sentence ends with this character.
    fn ends_sentence(&self, at: usize, character: char) -> bool {
        match character {
            '!' | '?' | '。' | '！' | '？' | '؟' | '।' => true,
            '\n' => self.ends_line(at),
            '.' => {
                let before = self.tokens.iter().rev().nth(1);
                // A short word with a point is an abbreviation, if the line goes on.
                let next = self.char(self.behind_blanks(at + 1));
                let is_short = before.is_some_and(|token| {
                    let ends = token.meaning.is_some_and(|meaning| meaning.is_light) && next.is_uppercase();
                    token.is_word() && token.letters <= 2 && !ends
                });
                let goes_on = || {
                    let before = self.characters[..at].iter().rev().map(|(_, character)| *character);
                    let behind = self.characters.get(self.behind_blanks(at + 1)..).unwrap_or_default();
                    goes_on(before, behind.iter().map(|(_, character)| *character))
                };
                let is_blank = self.char(at + 1).is_whitespace();
                let is_break = self.char(at + 1) == '\n' || at + 1 >= self.characters.len();
                is_blank && (is_break || !is_short && !goes_on())
            }
            _ => false,
        }
    }

    /// Whether a line break parts two sentences: a blank line, an item, a row or a heading follows. Others are those of a layout.
    fn ends_line(&self, at: usize) -> bool {
        let mut next = at + 1;
        while matches!(self.char(next), ' ' | '\t' | '\r') && next < self.characters.len() {
            next += 1;
        }
        let character = self.char(next);
        let is_number = digit(character).is_some()
            && (1..=4)
                .any(|length| matches!(self.char(next + length), '.' | ')') && self.char(next + length + 1) == ' ');
        let is_break =
            matches!(character, '\n' | '-' | '*' | '+' | '•' | '·' | '|' | '#' | '>' | '–' | '—' | '◦' | '▪');
        // A heading has no end of a sentence, and what follows begins anew.
        let line_is_short = at - self.line_start(at) < 50 && !character.is_lowercase();
        is_break || is_number || line_is_short
    }

    fn line_start(&self, at: usize) -> usize {
        (at.saturating_sub(50)..at)
            .rev()
            .find(|before| self.char(*before) == '\n')
            .map_or(at.saturating_sub(50), |before| before + 1)
    }
}

fn is_part_of_word(character: char) -> bool {
    !character.is_ascii() && (is_unseen(character) || matches!(character, '\u{900}'..='\u{dff}'))
}

#[cfg(test)]
mod tests;
