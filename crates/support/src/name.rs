//! Names: capitals inside a sentence, acronyms, and words of letters and digits.

use std::cell::OnceCell;
use std::ops::Range;

use crate::fold::{fold, hash_of};
use crate::passage::Passage;
use crate::sentence::{Sentence, Standing};
use crate::slot::{Slot, next_word};
use crate::spellings::{Spellings, initials, joined};
use crate::token::{Kind, Token};
use crate::verdict::ReasonCode;
use crate::words::WORDS;

/// The places of a word that are looked at: one that stands everywhere tells no place.
const MOST_PLACES: usize = 64;

/// A sentence, and the sentence of the passage that agrees with it most.
pub(crate) struct Pair<'a> {
    /// The sentence of the answer.
    pub(crate) read: &'a Sentence<'a>,
    /// Its tokens.
    pub(crate) sentence: &'a [Token],
    /// How each token of the sentence stands in the passage.
    pub(crate) standings: &'a [Standing],
    /// Tokens of the sentence that are part of a fact.
    pub(crate) in_facts: &'a [bool],
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

/// The number of a quarter of a year with a name: 3 of `Q3`.
fn quarter(text: &str, token: &Token) -> Option<u8> {
    let number = text.get(token.start as usize..token.end as usize)?.strip_prefix(['Q', 'q', 'T'])?;
    number.parse().ok().filter(|number| (1..=4).contains(number))
}

/// The quarters of which a passage speaks by their places: `third quarter`, `3. Quartal`.
fn known_quarters(tokens: &[Token]) -> Vec<u8> {
    let is_quarter = |token: &Token| {
        let units = token.meaning.map(|meaning| [meaning.unit, meaning.period]).into_iter().flatten().flatten();
        units.into_iter().any(|unit| WORDS.is(unit, "month") && unit.factor == 3.0)
    };
    let is_place = |token: &Token, number: u8| {
        let written = token.numeral().is_some_and(|numeral| numeral.values[0] == f64::from(number));
        written || token.meaning.is_some_and(|meaning| meaning.ordinal == number)
    };
    let before = |at: usize| tokens[at.saturating_sub(2)..at].iter();
    let quarters = (0..tokens.len()).filter(|at| is_quarter(&tokens[*at]));
    quarters.flat_map(|at| (1..=4).filter(move |number| before(at).any(|token| is_place(token, *number)))).collect()
}

/// The names that neither the passage nor the headings of its source have.
pub(crate) fn missing_names(pair: &Pair<'_>, headings: &[Token]) -> Vec<MissingName> {
    let quarters = OnceCell::new();
    let known = |at: usize| {
        let (token, standing) = (&pair.sentence[at], pair.standings[at]);
        // `Linux's` is a form of `Linux`, but `internal` none of `Internet`.
        let has_form = if token.is_capital { standing.has_capital } else { standing.has_stem };
        standing.times > 0
            || has_form
            || quarter(pair.read.text, token)
                .is_some_and(|number| quarters.get_or_init(|| known_quarters(&pair.passage.tokens)).contains(&number))
            || headings.iter().any(|heading| heading.full == token.full || heading.stem == token.stem)
    };
    let (names, capitals) = pair.names();
    let mut missing: Vec<usize> = names.into_iter().filter(|at| !known(*at)).collect();
    let unsure: Vec<usize> = capitals.into_iter().filter(|at| !known(*at)).collect();
    if missing.is_empty() && unsure.is_empty() {
        return Vec::new();
    }
    let best = Best::of(pair);
    let replaced = unsure.into_iter().filter(|at| pair.is_replaced(*at, &best));
    let mut found: Vec<MissingName> =
        replaced.map(|token| MissingName { token, code: ReasonCode::NameDiffers }).collect();
    if missing.is_empty() {
        return found;
    }
    let spellings = pair.passage.spellings();
    let Spellings { joined, initials, .. } = spellings;
    let own_initials = initials_hashes(pair.sentence);
    let spells_out = pair.passage.tokens.iter().any(|token| token.is_acronym && own_initials.contains(&token.full));
    missing.retain(|at| {
        let token = &pair.sentence[*at];
        let is_acronym_of = token.is_acronym
            && token.letters <= 6
            && (initials.iter().any(|initials| initials.contains(&pair.folded(token)))
                || spellings.has_acronym(&pair.folded(token), pair.passage.text, &pair.passage.tokens));
        let is_spelt_out = spells_out && !token.is_acronym;
        !(is_acronym_of || is_spelt_out || joined.contains(&token.full) || pair.is_parted(*at))
    });
    let judged = missing.into_iter().filter_map(|token| {
        let is_plain_first = pair.sentence[token].is_first && !pair.sentence[token].is_acronym;
        let code = if is_plain_first {
            // Any word has a capital there: it is a name if one stands in its place.
            pair.differs_at_start(token, &best).then_some(ReasonCode::NameDiffers)?
        } else if pair.differs(token, &best) {
            ReasonCode::NameDiffers
        } else {
            ReasonCode::NameMissing
        };
        Some(MissingName { token, code })
    });
    found.extend(judged);
    found
}

/// A stem, and its place in tokens of the passage.
type Place = (u64, usize);

/// The best sentence of the passage, beside the sentence.
struct Best<'a> {
    /// The sentence of the answer.
    own: &'a Sentence<'a>,
    /// The places of its stems, sorted.
    places: Vec<Place>,
    /// It has a name that the sentence lacks.
    has_other_name: bool,
}

impl<'a> Best<'a> {
    fn of(pair: &Pair<'a>) -> Self {
        let (own, tokens) = (pair.read, &pair.passage.tokens);
        let words = || pair.best.clone().filter(|at| !tokens[*at].is_mark());
        let is_other_name = |token: &Token| is_name(token) && !token.is_first && own.times_of(token.stem) == 0;
        let mut places: Vec<Place> = words().map(|at| (tokens[at].stem, at)).collect();
        places.sort_unstable();
        Self { own, places, has_other_name: words().any(|at| is_other_name(&tokens[at])) }
    }

    /// The places of a stem.
    fn places(&self, stem: u64) -> &[Place] {
        let from = self.places.partition_point(|place| place.0 < stem);
        let to = from + self.places[from..].partition_point(|place| place.0 == stem);
        &self.places[from..to]
    }

    /// Whether it has a stem more often than the sentence: one of them was replaced there.
    fn has_more_of(&self, stem: u64) -> bool {
        self.places(stem).len() > self.own.times_of(stem)
    }
}

/// Whether a token of a passage is a name.
fn is_name(token: &Token) -> bool {
    let has_capital = token.is_word() && token.is_capital && (!token.is_first || token.is_acronym);
    token.letters > 1 && token.weight() > 0.0 && (has_capital || token.kind == Kind::Identifier)
}

impl Pair<'_> {
    fn word(&self, token: &Token) -> &str {
        self.read.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    fn folded(&self, token: &Token) -> String {
        let mut folded = String::new();
        self.word(token)
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .for_each(|letter| fold(letter, |letter| folded.push(letter)));
        folded
    }

    /// The tokens that are names, and those that may be: where every word has a capital, as in a title.
    fn names(&self) -> (Vec<usize>, Vec<usize>) {
        let words = || self.sentence.iter().filter(|token| token.is_word());
        let capitals = words().filter(|token| token.is_capital && !token.is_first).count();
        let lower = words().filter(|token| !token.is_capital && token.letters > 3).count();
        let is_title = capitals > lower * 2 && capitals > 4;
        let german = WORDS.language("de");
        let is_german = self.read.language.known.or(self.passage.language.known).is_some_and(|known| known.has(german));
        let (mut names, mut unsure) = (Vec::new(), Vec::new());
        for (at, token) in self.sentence.iter().enumerate() {
            if self.in_facts[at] {
                continue;
            }
            let is_capital = token.is_capital && token.letters >= 2 && token.weight() > 0.0;
            let may_be = !is_german || self.is_in_pair(at);
            let is_one = match token.kind {
                Kind::Identifier => token.letters >= 2,
                Kind::Word if self.is_technical(at) => token.letters >= 2,
                Kind::Word => {
                    is_capital && (token.is_acronym || may_be && !is_title && (!token.is_first || self.begins(at)))
                }
                Kind::Number(_) | Kind::Date(_) | Kind::Ideograph | Kind::Mark => false,
            };
            let is_unsure = !is_one && is_title && is_capital && may_be;
            if !(is_one || is_unsure) || is_form_of_address(self.word(token)) || self.is_abbreviation(at) {
                continue;
            }
            if is_one { names.push(at) } else { unsure.push(at) }
        }
        (names, unsure)
    }

    /// Whether a word is the first of the sentence.
    fn begins(&self, at: usize) -> bool {
        self.sentence[..at].iter().all(Token::is_mark)
    }

    /// Whether the passage has another name before the very word that follows the first one of the sentence.
    fn differs_at_start(&self, at: usize, best: &Best) -> bool {
        let next = self.sentence[at + 1..].iter().find(|token| !token.is_mark());
        let is_name_before = |place: &Place| {
            place
                .1
                .checked_sub(1)
                .is_some_and(|before| self.is_other_name(before, best) && !self.passage.tokens[before].is_first)
        };
        self.agreement >= 0.6 && next.is_some_and(|next| best.places(next.stem).iter().any(is_name_before))
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
            self.passage.spellings().words.contains(&joined(self.read.text, one, next))
        };
        let next = (at + 1..self.sentence.len()).find(|next| !self.sentence[*next].is_mark());
        let before = (0..at).rev().find(|before| !self.sentence[*before].is_mark());
        next.is_some_and(|next| with(at, next)) || before.is_some_and(|before| with(before, at))
    }

    /// Whether another word stands in the best sentence between the very words that this one stands between.
    fn is_replaced(&self, at: usize, best: &Best) -> bool {
        let token = &self.sentence[at];
        let slot = Slot::of(self.sentence, at..at + 1);
        let tokens = &self.passage.tokens[self.best.clone()];
        let is_other = |place: usize| {
            let other = &tokens[place];
            let may_be_name = is_name(other) || other.is_capital && slot.before.is_none();
            let may_be = may_be_name && self.agreement > 0.4 || other.weight() > 0.0 && self.agreement > 0.7;
            may_be && other.stem != token.stem && best.has_more_of(other.stem)
        };
        let behind = |place: usize| slot.fits(tokens, place..place + 1) && is_other(place);
        match slot.before {
            Some(before) => {
                let inside = best.places(before.stem).iter().take(MOST_PLACES).map(|place| place.1 - self.best.start);
                inside.filter_map(|place| next_word(tokens, place + 1)).any(behind)
            }
            None => next_word(tokens, 0).is_some_and(behind),
        }
    }

    /// Whether another name stands in the passage where the sentence has this one.
    fn differs(&self, at: usize, best: &Best) -> bool {
        if self.agreement <= 0.4 {
            return false;
        }
        if self.is_replaced(at, best) {
            return true;
        }
        let near = |tokens: &mut dyn Iterator<Item = &Token>| {
            let places = tokens.filter(|token| !token.is_mark()).take(3).map(|token| best.places(token.stem));
            places.into_iter().find(|places| !places.is_empty())
        };
        let left = near(&mut self.sentence[..at].iter().rev());
        let right = near(&mut self.sentence[at + 1..].iter());
        let other = |at: usize| self.is_other_name(at, best);
        let place = |(_, at): &Place| *at;
        let slot = match (left, right) {
            (Some(left), Some(right)) => {
                closest(left, right).map_or((left.last().map(place), None), |(left, right)| (Some(left), Some(right)))
            }
            (left, right) => (left.and_then(<[_]>::last).map(place), right.and_then(<[_]>::first).map(place)),
        };
        let between = match slot {
            (Some(left), Some(right)) if right - left <= 6 => (left + 1..right).any(other),
            (Some(left), Some(right)) => other(left + 1) && other(right - 1),
            (Some(left), None) => (left + 1..left + 3).any(other),
            (None, Some(right)) => (right.saturating_sub(2)..right).any(other),
            (None, None) => false,
        };
        let token = &self.sentence[at];
        let is_word_in_slot = matches!(slot, (Some(left), Some(right)) if right == left + 2 && self.agreement > 0.7 && self.is_other_word(left + 1, best));
        let is_identifier = (token.kind == Kind::Identifier || !token.is_capital) && self.agreement >= 0.5;
        between || is_word_in_slot || is_identifier || self.agreement >= 0.8 && best.has_other_name
    }

    /// Whether a token of the best sentence is a word that the sentence lacks, or has less often.
    fn is_other_word(&self, at: usize, best: &Best) -> bool {
        self.best.contains(&at)
            && self.passage.tokens[at].weight() > 0.0
            && best.has_more_of(self.passage.tokens[at].stem)
    }

    /// Whether a token of the best sentence is a name that the sentence lacks, or has less often.
    fn is_other_name(&self, at: usize, best: &Best) -> bool {
        self.passage.tokens.get(at).is_some_and(is_name) && self.is_other_word(at, best)
    }
}

/// The closest pair of two ascending lists of places, the first before the second.
fn closest(left: &[Place], right: &[Place]) -> Option<(usize, usize)> {
    let mut closest: Option<(usize, usize)> = None;
    let mut next = 0;
    for (_, place) in left {
        while right.get(next).is_some_and(|(_, right)| right <= place) {
            next += 1;
        }
        let Some((_, right)) = right.get(next) else { break };
        if closest.is_none_or(|(left, known)| right - place < known - left) {
            closest = Some((*place, *right));
        }
    }
    closest
}

fn is_form_of_address(word: &str) -> bool {
    matches!(word, "Jr" | "Sr" | "Mr" | "Mrs" | "Ms" | "Dr" | "Prof" | "St")
}

fn initials_hashes(tokens: &[Token]) -> Vec<u64> {
    initials(tokens).iter().map(|initials| hash_of(initials)).collect()
}
