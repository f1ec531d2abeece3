//! Values that a passage has in other words than numbers: a sentence that says them in digits is right. A sentence is not held to
//! them: `a` and `second` say much else.

use std::ops::Range;

use crate::cjk;
use crate::fact::Fact;
use crate::facts::parts;
use crate::fold::hash_of;
use crate::frequency::{each_ordinal, frequency, is_behind_each, is_time, whole_time};
use crate::neighbours::total;
use crate::token::{Kind, Token};
use crate::value::{Origin, Value};
use crate::words::{Languages, Meaning, Unit, WORDS};

/// The prefixes of periods.
const SEMI: u64 = hash_of("semi");
const BI: u64 = hash_of("bi");

/// Forms of one unit that need no word before: `gotować godzinę`.
const FOR_ONE: [u64; 5] =
    [hash_of("godzine"), hash_of("minute"), hash_of("dobe"), hash_of("hodinu"), hash_of("minutu")];

/// Words before one of a unit in languages without articles: `na godzinę`, `за день`.
const FOR: [u64; 9] = [
    hash_of("na"),
    hash_of("za"),
    hash_of("przez"),
    hash_of("po"),
    hash_of("pres"),
    hash_of("на"),
    hash_of("за"),
    hash_of("через"),
    hash_of("в"),
];

/// The values of a passage beside those of its facts.
pub(crate) fn values(tokens: &[Token], text: &str, languages: Languages, facts: &[Fact]) -> Vec<Value> {
    let mut reader = Reader { tokens, text, languages, values: Vec::new() };
    for at in 0..tokens.len() {
        reader.word(at);
    }
    reader.totals(facts);
    reader.values
}

/// The tokens of a sentence that say a time or a part in other words than a number with a unit, and that the passage has as well.
pub(crate) fn held(
    tokens: &[Token],
    text: &str,
    languages: Languages,
    has: impl Fn(&Value) -> bool,
) -> Vec<Range<usize>> {
    let mut reader = Reader { tokens, text, languages, values: Vec::new() };
    let mut held = Vec::new();
    for at in 0..tokens.len() {
        reader.values.clear();
        reader.word(at);
        let is_telling = |value: &&Value| matches!(value.origin, Origin::Converted(_) | Origin::Fraction);
        if reader.values.iter().filter(is_telling).any(&has) {
            let belongs = |at: &usize| {
                let token = &tokens[*at];
                let is_of_it =
                    |meaning: &Meaning| meaning.unit.is_some() || meaning.fraction.is_some() || meaning.is_one;
                token.meaning.is_some_and(is_of_it) || cjk::is_in_number(token) || matches!(token.first, '分' | '之')
            };
            let in_unit = cjk::unit(tokens, at).map_or(at, |(_, end)| end);
            let end = (at + 1..(at + 5).min(tokens.len())).take_while(belongs).last().map_or(at + 1, |last| last + 1);
            held.push(at..end.max(in_unit));
        }
    }
    held
}

struct Reader<'t> {
    tokens: &'t [Token],
    text: &'t str,
    languages: Languages,
    values: Vec<Value>,
}

impl Reader<'_> {
    fn meaning(&self, at: usize) -> Option<&'static Meaning> {
        self.tokens.get(at)?.meaning
    }

    fn is_one(&self, at: usize) -> bool {
        let token = self.tokens.get(at);
        self.meaning(at).is_some_and(|meaning| meaning.is_one)
            || token.and_then(Token::numeral).is_some_and(|numeral| numeral.values == [1.0; 2])
    }

    /// The unit that a word is. `an` is a year in French, and an article.
    fn unit(&self, at: usize) -> Option<Unit> {
        self.meaning(at).filter(|meaning| !meaning.is_one)?.unit
    }

    /// Whether a noun alone says that it is one: `odstawić na godzinę`.
    fn has_no_article(&self) -> bool {
        let has = |code: &&str| self.languages.has(WORDS.language(code));
        ["pl", "cs", "sk", "ru"].iter().any(has) && !["en", "de", "fr"].iter().any(has)
    }

    fn add(&mut self, value: f64, origin: Origin) {
        self.values.push(Value { value, origin, is_negative: false });
    }

    fn word(&mut self, at: usize) {
        let token = &self.tokens[at];
        let may_be_roman = matches!(token.first, 'I' | 'V' | 'X') && token.is_word();
        let says_value = token.meaning.is_some_and(|meaning| meaning.says_value);
        // Most words say none.
        if token.is_mark() || token.is_word() && !says_value && !may_be_roman {
            return;
        }
        if token.kind == Kind::Identifier {
            self.year(token);
        }
        if cjk::may_be_number(token) {
            self.in_characters(at);
        }
        if token.first == '半'
            && let Some((unit, _)) = cjk::unit(self.tokens, at)
        {
            self.add(unit.factor, Origin::Converted(unit));
        }
        let often = frequency(self.tokens, at, self.languages).map(|often| (often.interval(), often.unit));
        let each = || each_ordinal(self.tokens, at, self.languages);
        let whole = || whole_time(self.tokens, at, self.languages);
        if let Some((seconds, unit)) = often.or_else(each).or_else(whole) {
            self.add(seconds, Origin::Converted(unit));
        }
        if self.is_one(at) {
            self.add(1.0, Origin::Loose);
            self.one_of(at);
        }
        if may_be_roman {
            self.roman(token);
        }
        if let Some(parts) = self.number(at).filter(|parts| (2.0..100.0).contains(parts)) {
            self.share(at, parts);
        }
        let Some(meaning) = token.meaning else { return };
        if meaning.ordinal > 1 && is_behind_each(self.tokens, at, self.languages) {
            self.add(1.0 / f64::from(meaning.ordinal), Origin::Fraction);
        }
        // `durante hora y media`
        if let Some((unit, part)) = meaning.unit.filter(|_| !meaning.is_one).zip(self.part_behind(at + 1))
            && at.checked_sub(1).is_none_or(|before| self.number(before).is_none())
        {
            self.add((1.0 + part) * unit.factor, Origin::Converted(unit));
        }
        if let Some(unit) = meaning.unit.filter(|unit| !meaning.is_one && is_time(*unit))
            && (FOR_ONE.contains(&token.full)
                || at.checked_sub(1).is_some_and(|before| FOR.contains(&self.tokens[before].full)))
            && self.number(at + 1).is_none()
            && self.has_no_article()
        {
            self.add(unit.factor, Origin::Converted(unit));
        }
        if meaning.ordinal > 0 {
            self.add(f64::from(meaning.ordinal), Origin::Written(None));
        }
        if let Some(unit) = meaning.period {
            self.add(unit.factor * self.times_of_period(at), Origin::Converted(unit));
        }
        if let Some(fraction) = meaning.fraction {
            self.fraction(at, fraction);
        }
    }

    /// How many periods a prefix makes of one: `semi-annually`, `bi-weekly`.
    fn times_of_period(&self, at: usize) -> f64 {
        let prefix = at.checked_sub(2).and_then(|before| self.tokens.get(before));
        let is_joined = at > 0 && self.tokens[at - 1].is('-');
        match prefix.filter(|_| is_joined).map(|prefix| prefix.full) {
            Some(SEMI) => 0.5,
            Some(BI) => 2.0,
            Some(_) | None => 1.0,
        }
    }

    /// `三个月`, `第二`, `三分之一`
    fn in_characters(&mut self, at: usize) {
        if at > 0 && cjk::is_in_number(&self.tokens[at - 1]) {
            return;
        }
        let Some((value, end)) = cjk::number(self.tokens, at) else { return };
        self.add(value, Origin::Written(None));
        let is = |at: usize, wanted: char| self.tokens.get(at).is_some_and(|token| token.first == wanted);
        if is(end, '分')
            && is(end + 1, '之')
            && let Some((parts, _)) = cjk::number(self.tokens, end + 2)
        {
            self.add(parts / value, Origin::Fraction);
        }
        let unit = cjk::unit(self.tokens, end).map(|(unit, _)| unit);
        if let Some(unit) = unit {
            self.add(value * unit.factor, Origin::Converted(unit));
            self.add(value, Origin::Written(Some(unit)));
        }
    }

    /// `FY2026` has the number 2026.
    fn year(&mut self, token: &Token) {
        let written = self.text.get(token.start as usize..token.end as usize).unwrap_or_default();
        let digits = written.trim_start_matches(|character: char| character.is_alphabetic());
        if let Ok(value) = digits.parse::<u32>() {
            self.add(f64::from(value), Origin::Written(None));
        }
    }

    /// `XIIe siècle`
    fn roman(&mut self, token: &Token) {
        let written = self.text.get(token.start as usize..token.end as usize).unwrap_or_default();
        let digits = written.trim_end_matches(|character: char| !character.is_uppercase());
        if digits.len() < 2 {
            return;
        }
        let value = |digit: char| match digit {
            'I' => Some(1),
            'V' => Some(5),
            'X' => Some(10),
            'L' => Some(50),
            _ => None,
        };
        let Some(values) = digits.chars().map(value).collect::<Option<Vec<i32>>>() else { return };
        let next = values.iter().skip(1).chain([&0]);
        let sum: i32 = values.iter().zip(next).map(|(own, next)| if own < next { -own } else { *own }).sum();
        self.add(f64::from(sum), Origin::Written(None));
    }

    /// `a minute`, `an hour and a half`, `one in five`
    fn one_of(&mut self, at: usize) {
        if let Some(unit) = self.unit(at + 1).filter(|_| !self.is_part_of_one(at)) {
            self.more_than_one(at + 2, unit);
            self.add(1.0, Origin::Written(Some(unit)));
            self.add(unit.factor, Origin::Converted(unit));
            if let Some(part) = self.part_behind(at + 2) {
                self.add((1.0 + part) * unit.factor, Origin::Converted(unit));
            }
        }
        self.share(at, 1.0);
    }

    /// The share of some among so many: a preposition stands before the second number, and a noun may stand before that.
    fn share(&mut self, at: usize, parts: f64) {
        let is_light = |at: usize| self.tokens.get(at).is_some_and(|token| token.is_word() && token.weight() == 0.0);
        let of = (at + 2..=at + 3).filter(|of| is_light(of - 1)).find_map(|at| self.number(at));
        if let Some(of) = of.filter(|of| *of > parts && (2.0..=100.0).contains(of)) {
            self.add(parts / of, Origin::Fraction);
        }
    }

    /// Whether an article belongs to a part of the unit behind it: `half an hour`, `a quarter of an hour`.
    fn is_part_of_one(&self, at: usize) -> bool {
        let is_part = |at: usize| self.meaning(at).is_some_and(|meaning| meaning.fraction.is_some());
        (1..=2).any(|before| at.checked_sub(before).is_some_and(is_part))
    }

    /// `one hour and twenty minutes`, `une heure vingt`
    fn more_than_one(&mut self, at: usize, unit: Unit) {
        let place = at + usize::from(self.meaning(at).is_some_and(|meaning| meaning.joins));
        let Some(more) = self.number(place) else { return };
        let own = self.unit(place + 1).filter(|own| own.dimension == unit.dimension && own.factor < unit.factor);
        let is_hour = WORDS.is(unit, "time") && unit.factor == 3600.0 && more < 60.0;
        if let Some(factor) = own.map(|own| own.factor).or(is_hour.then_some(60.0)) {
            self.add(unit.factor + more * factor, Origin::Converted(unit));
        }
    }

    /// The part that is joined to what stands before: `and a half`.
    fn part_behind(&self, at: usize) -> Option<f64> {
        let joins = self.meaning(at).is_some_and(|meaning| meaning.joins);
        let behind = at + 1 + usize::from(self.meaning(at + 1).is_some_and(|meaning| meaning.is_one));
        self.meaning(behind).filter(|_| joins)?.fraction
    }

    fn number(&self, at: usize) -> Option<f64> {
        self.tokens.get(at)?.number(self.languages)
    }

    /// `three quarters`, `half an hour`, `a quarter of an hour`
    fn fraction(&mut self, at: usize, fraction: f64) {
        let counted = at.checked_sub(1).and_then(|before| self.number(before)).filter(|count| *count < 10.0);
        let share = counted.map_or(fraction, |count| parts(fraction, count));
        self.add(share, Origin::Fraction);
        let between = |at: usize| {
            let is_short =
                self.tokens.get(at).is_some_and(|token| token.is_word() && token.letters <= 3 || token.is('-'));
            is_short || self.is_one(at)
        };
        let unit_at = |behind: usize| -> Option<Unit> {
            (at + 1..at + 1 + behind).all(between).then(|| self.unit(at + 1 + behind)).flatten()
        };
        if let Some(unit) = (0..=2).find_map(unit_at) {
            self.add(share * unit.factor, Origin::Converted(unit));
            self.add(share, Origin::Written(Some(unit)));
        }
    }

    /// `2 hours and 15 minutes` are 135 minutes.
    fn totals(&mut self, facts: &[Fact]) {
        for pair in facts.windows(2) {
            if let Some((total, unit)) = total(&pair[0], &pair[1], self.tokens) {
                self.add(total, Origin::Converted(unit));
            }
        }
    }
}
