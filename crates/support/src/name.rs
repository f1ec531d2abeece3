//! Names: capitals inside a sentence, acronyms, and words of letters and digits.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use crate::fold::{EMPTY, fold, hash_with};
use crate::language::Language;
use crate::passage::Passage;
use crate::token::{Kind, Token};
use crate::verdict::ReasonCode;
use crate::words::{Identity, WORDS};

/// A sentence, and the sentence of the passage that agrees with it most.
pub(crate) struct Pair<'a> {
    /// The text of the sentence.
    pub(crate) text: &'a str,
    pub(crate) sentence: &'a [Token],
    /// Tokens of the sentence that are part of a fact.
    pub(crate) in_facts: &'a [bool],
    pub(crate) language: Language,
    pub(crate) passage: &'a Passage<'a>,
    /// The tokens of the best sentence of the passage.
    pub(crate) best: Range<usize>,
    /// The share of the weight of the sentence's words that stands in the best one.
    pub(crate) agreement: f32,
}

/// A name of the sentence that the passage lacks.
pub(crate) struct MissingName {
    pub(crate) token: usize,
    pub(crate) code: ReasonCode,
}

/// The names that neither the passage nor the headings of its source have.
pub(crate) fn missing_names(pair: &Pair<'_>, headings: &[Token]) -> Vec<MissingName> {
    let known = |token: &Token| {
        let passage = pair.passage;
        passage.words.contains_key(&token.full)
            || passage.stems.contains(&token.stem)
            || headings.iter().any(|heading| heading.full == token.full || heading.stem == token.stem)
    };
    let names = pair.names();
    let mut missing: Vec<usize> = names.into_iter().filter(|at| !known(&pair.sentence[*at])).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let joined = pair.passage.joined_words();
    let initials = initials(&pair.passage.tokens);
    let own_initials = initials_hashes(pair.sentence);
    let spells_out = pair.passage.tokens.iter().any(|token| token.is_acronym && own_initials.contains(&token.full));
    missing.retain(|at| {
        let token = &pair.sentence[*at];
        let is_acronym_of = token.is_acronym
            && token.letters <= 6
            && initials.iter().any(|initials| initials.contains(&pair.folded(token)));
        let is_spelt_out = spells_out && !token.is_acronym;
        !(is_acronym_of || is_spelt_out || joined.contains(&token.full) || pair.is_parted(*at))
    });
    let places = pair.places();
    let judged = missing.into_iter().filter_map(|token| {
        let is_plain_first = pair.sentence[token].is_first && !pair.sentence[token].is_acronym;
        let code = if is_plain_first {
            // Any word has a capital there: it is a name if one stands in its place.
            pair.differs_at_start(token, &places).then_some(ReasonCode::NameDiffers)?
        } else if pair.differs(token, &places) {
            ReasonCode::NameDiffers
        } else {
            ReasonCode::NameMissing
        };
        Some(MissingName { token, code })
    });
    judged.collect()
}

type Places = HashMap<u64, Vec<usize>, BuildHasherDefault<Identity>>;

impl Pair<'_> {
    fn word(&self, token: &Token) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    fn folded(&self, token: &Token) -> String {
        let mut folded = String::new();
        self.word(token)
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .for_each(|letter| fold(letter, |letter| folded.push(letter)));
        folded
    }

    /// The tokens that are names.
    fn names(&self) -> Vec<usize> {
        let words = || self.sentence.iter().filter(|token| token.is_word());
        let capitals = words().filter(|token| token.is_capital && !token.is_first).count();
        let lower = words().filter(|token| !token.is_capital && token.letters > 3).count();
        // Every word of a title has a capital.
        let is_title = capitals > lower + 1 && capitals > 4;
        let german = WORDS.language("de");
        let is_german = self.language.known.or(self.passage.language.known).is_some_and(|known| known.has(german));
        let is_name = |at: &usize| {
            let token = &self.sentence[*at];
            if self.in_facts[*at] || is_form_of_address(self.word(token)) || self.is_abbreviation(*at) {
                return false;
            }
            match token.kind {
                Kind::Identifier => token.letters >= 2,
                Kind::Word if self.is_technical(*at) => token.letters >= 2,
                Kind::Word => {
                    let is_light = token.meaning.is_some_and(|meaning| meaning.is_light);
                    let may_be = !is_title && (!is_german || self.is_in_pair(*at));
                    let stands_out = token.is_acronym || may_be && (!token.is_first || self.begins(*at));
                    token.is_capital && token.letters >= 2 && !is_light && stands_out
                }
                Kind::Number(_) | Kind::Date(_) | Kind::Ideograph | Kind::Mark => false,
            }
        };
        (0..self.sentence.len()).filter(is_name).collect()
    }

    /// Whether a word is the first of the sentence.
    fn begins(&self, at: usize) -> bool {
        self.sentence[..at].iter().all(Token::is_mark)
    }

    /// Whether the passage has another name before the very word that follows the first one of the sentence.
    fn differs_at_start(&self, at: usize, places: &Places) -> bool {
        let next = self.sentence[at + 1..].iter().find(|token| !token.is_mark());
        let places = next.and_then(|next| places.get(&next.stem));
        let is_name_before = |place: &usize| {
            place
                .checked_sub(1)
                .is_some_and(|before| self.is_other_name(before) && !self.passage.tokens[before].is_first)
        };
        self.agreement >= 0.6 && places.is_some_and(|places| places.iter().any(is_name_before))
    }

    /// Whether a word is a part of a path, an address or an identifier: `etc/hosts`, `max_size`.
    fn is_technical(&self, at: usize) -> bool {
        let glued = |one: usize| matches!((self.sentence.get(one), self.sentence.get(one + 1)), (Some(a), Some(b)) if a.end == b.start);
        let is_joint = |at: usize, marks: &[char]| {
            self.sentence.get(at).is_some_and(|token| token.is_mark() && marks.contains(&token.first))
        };
        let is_behind = at >= 2 && is_joint(at - 1, &['.', '/', '_', '@', '\\', '=']) && glued(at - 1) && glued(at - 2);
        is_behind || is_joint(at + 1, &['/', '_', '@', '\\']) && glued(at) && glued(at + 1)
    }

    /// Whether a capital stands beside another one: in German, where all nouns have one, only these are names.
    fn is_in_pair(&self, at: usize) -> bool {
        let is_capital =
            |token: Option<&Token>| token.is_some_and(|token| token.is_word() && token.is_capital && !token.is_first);
        is_capital(self.sentence.get(at + 1)) || at > 0 && is_capital(self.sentence.get(at - 1))
    }

    /// Whether a point makes a word short inside a sentence: `Corp. of`.
    fn is_abbreviation(&self, at: usize) -> bool {
        let token = &self.sentence[at];
        let has_point = self.sentence.get(at + 1).is_some_and(|next| next.is('.') && next.start == token.end);
        token.letters <= 4 && has_point && at + 2 < self.sentence.len() && token.is_word()
    }

    /// Whether the passage has the parts of a name, or the name that this and its neighbour make: `WebChat`, `e-mail`.
    fn is_parted(&self, at: usize) -> bool {
        let with = |one: usize, next: usize| {
            let (Some(one), Some(next)) = (self.sentence.get(one), self.sentence.get(next)) else { return false };
            self.passage.words.contains_key(&crate::passage::joined(self.text, one, next))
        };
        let next = (at + 1..self.sentence.len()).find(|next| !self.sentence[*next].is_mark());
        let before = (0..at).rev().find(|before| !self.sentence[*before].is_mark());
        next.is_some_and(|next| with(at, next)) || before.is_some_and(|before| with(before, at))
    }

    /// The places of the stems of the passage's best sentence, in tokens.
    fn places(&self) -> Places {
        let mut places = Places::default();
        for at in self.best.clone().filter(|at| !self.passage.tokens[*at].is_mark()) {
            places.entry(self.passage.tokens[at].stem).or_default().push(at);
        }
        places
    }

    /// Whether another name stands in the passage where the sentence has this one.
    fn differs(&self, at: usize, places: &Places) -> bool {
        if self.agreement <= 0.4 {
            return false;
        }
        let near = |tokens: &mut dyn Iterator<Item = &Token>| {
            tokens.filter(|token| !token.is_mark()).take(3).find_map(|token| places.get(&token.stem))
        };
        let left = near(&mut self.sentence[..at].iter().rev());
        let right = near(&mut self.sentence[at + 1..].iter());
        let other = |at: usize| self.is_other_name(at);
        let slot = match (left, right) {
            (Some(left), Some(right)) => {
                closest(left, right).map_or((left.last().copied(), None), |(left, right)| (Some(left), Some(right)))
            }
            (left, right) => {
                (left.and_then(|left| left.last().copied()), right.and_then(|right| right.first().copied()))
            }
        };
        let between = match slot {
            (Some(left), Some(right)) if right - left <= 6 => (left + 1..right).any(other),
            (Some(left), Some(right)) => other(left + 1) && other(right - 1),
            (Some(left), None) => (left + 1..left + 3).any(other),
            (None, Some(right)) => (right.saturating_sub(2)..right).any(other),
            (None, None) => false,
        };
        let token = &self.sentence[at];
        let is_word_in_slot = matches!(slot, (Some(left), Some(right)) if right == left + 2 && self.agreement > 0.7 && self.is_other_word(left + 1));
        let is_identifier = (token.kind == Kind::Identifier || !token.is_capital) && self.agreement >= 0.5;
        between
            || is_word_in_slot
            || is_identifier
            || self.agreement >= 0.8
                && self.best.clone().any(|at| self.is_other_name(at) && !self.passage.tokens[at].is_first)
    }

    /// Whether a token of the best sentence is a word that the sentence lacks.
    fn is_other_word(&self, at: usize) -> bool {
        self.best.contains(&at) && self.passage.tokens[at].weight() > 0.0 && {
            let stem = self.passage.tokens[at].stem;
            !self.sentence.iter().any(|token| token.stem == stem)
        }
    }

    /// Whether a token of the best sentence is a name that the sentence lacks.
    fn is_other_name(&self, at: usize) -> bool {
        let Some(token) = self.passage.tokens.get(at) else { return false };
        let is_name = token.is_word() && token.is_capital && (!token.is_first || token.is_acronym)
            || token.kind == Kind::Identifier;
        is_name && token.letters > 1 && self.is_other_word(at)
    }
}

/// The closest pair of two ascending lists of places, the first before the second.
fn closest(left: &[usize], right: &[usize]) -> Option<(usize, usize)> {
    let mut closest: Option<(usize, usize)> = None;
    let mut next = 0;
    for place in left {
        while right.get(next).is_some_and(|right| right <= place) {
            next += 1;
        }
        let Some(right) = right.get(next) else { break };
        if closest.is_none_or(|(left, known)| right - place < known - left) {
            closest = Some((*place, *right));
        }
    }
    closest
}

fn is_form_of_address(word: &str) -> bool {
    matches!(word, "Jr" | "Sr" | "Mr" | "Mrs" | "Ms" | "Dr" | "Prof" | "St")
}

/// The initials of names of several words, folded: `wc` of `Web Chat`.
fn initials(tokens: &[Token]) -> Vec<String> {
    let (mut found, mut initials) = (Vec::new(), String::new());
    let mut flush = |initials: &mut String| {
        if initials.chars().count() > 1 {
            found.push(std::mem::take(initials));
        }
        initials.clear();
    };
    for token in tokens {
        if token.is_word() && token.is_capital {
            fold(token.first, |letter| initials.push(letter));
        } else if !(token.is_word() && token.letters <= 3) {
            flush(&mut initials);
        }
    }
    flush(&mut initials);
    found
}

fn initials_hashes(tokens: &[Token]) -> Vec<u64> {
    initials(tokens).iter().map(|initials| initials.chars().fold(EMPTY, hash_with)).collect()
}
