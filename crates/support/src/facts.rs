//! Reads the facts of a text.

use crate::calendar;
use crate::cjk;
use crate::fact::{Amount, Fact, FactKind};
use crate::fold::hash_of;
use crate::french_number::french_number;
use crate::neighbours;
use crate::token::{Kind, Token};
use crate::words::{Languages, Meaning, Unit, WORDS};

/// Words before a number that make it negative.
const MINUS: [u64; 4] = [hash_of("minus"), hash_of("moins"), hash_of("menos"), hash_of("meno")];

/// Words before those that make of them `at least`.
const AT_LEAST: [u64; 7] =
    [hash_of("al"), hash_of("lo"), hash_of("au"), hash_of("du"), hash_of("pelo"), hash_of("ao"), hash_of("per")];

/// The two words that say that a number is a share of a hundred.
const PER: [u64; 3] = [hash_of("per"), hash_of("por"), hash_of("pour")];
const CENT: [u64; 3] = [hash_of("cent"), hash_of("cento"), hash_of("ciento")];

/// The facts of a text. Number words are those of `languages`.
pub(crate) fn facts(tokens: &[Token], languages: Languages) -> Vec<Fact> {
    if !tokens.iter().any(may_be_fact) {
        return Vec::new();
    }
    let mut reader = Reader { tokens, languages, taken: vec![false; tokens.len()], facts: Vec::new() };
    calendar::dates_and_times(tokens, languages, &mut reader.taken, &mut reader.facts);
    for (at, token) in tokens.iter().enumerate() {
        if !reader.taken[at] && may_be_fact(token) {
            reader.amount(at);
        }
    }
    reader.facts.sort_by_key(|fact| fact.first);
    neighbours::share_units(&mut reader.facts, tokens);
    neighbours::add_totals(&mut reader.facts, tokens);
    reader.facts
}

/// Whether a fact may begin with a token; a date may also begin with a month.
fn may_be_fact(token: &Token) -> bool {
    matches!(token.kind, Kind::Number(_) | Kind::Date(_))
        || token.meaning.is_some_and(|meaning| meaning.begins_fact)
        || cjk::may_be_number(token)
}

/// The greatest number to which another group of three digits is joined.
const MOST_JOINED: f64 = 1e15;

/// Words between one and the number that it is one of: `one in five`, `un sur trois`.
const IN: [u64; 8] = [
    hash_of("in"),
    hash_of("every"),
    hash_of("von"),
    hash_of("sur"),
    hash_of("cada"),
    hash_of("su"),
    hash_of("em"),
    hash_of("op"),
];

/// Words that may stand between one and those.
const OUT_OF: [u64; 4] = [hash_of("out"), hash_of("of"), hash_of("de"), hash_of("ogni")];

/// So many parts of one: three of `quarter`. `Thirds` are two where nobody counts them.
pub(crate) fn parts(part: f64, count: f64) -> f64 {
    count * if part > 0.6 { part / 2.0 } else { part }
}

/// An amount of which nothing is known yet.
const NOTHING: Amount = Amount {
    values: [0.0; 2],
    unit: None,
    other_unit: None,
    significant: None,
    is_about: false,
    is_decimal: false,
    is_negative: false,
    whole: None,
    joined: None,
};

struct Reader<'t> {
    tokens: &'t [Token],
    languages: Languages,
    /// Tokens that are part of a fact.
    taken: Vec<bool>,
    facts: Vec<Fact>,
}

impl Reader<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    /// A token that is part of no other fact: dates and times were read before.
    fn free(&self, at: usize) -> Option<&Token> {
        self.token(at).filter(|_| !self.taken[at])
    }

    /// Reads the amount or the fraction that begins with a token.
    fn amount(&mut self, at: usize) {
        let token = &self.tokens[at];
        if cjk::may_be_number(token) {
            self.in_characters(at);
            return;
        }
        if let Some(part) = self.digits_of_part(at) {
            self.taken[at..at + 3].fill(true);
            self.facts.push(Fact { kind: FactKind::Fraction(part), first: at, end: at + 3 });
            return;
        }
        let Some(mut amount) = self.value(token) else {
            if let Some(fraction) = token.meaning.and_then(|meaning| meaning.fraction) {
                self.taken[at] = true;
                self.facts.push(Fact { kind: FactKind::Fraction(fraction), first: at, end: at + 1 });
            }
            return;
        };
        if let Some((part, end)) = self.counted_part(at, &amount) {
            self.taken[at..end].fill(true);
            self.facts.push(Fact { kind: FactKind::Fraction(part), first: at, end });
            return;
        }
        if self.is_item_number(at) {
            self.taken[at] = true;
            return;
        }
        self.look_back(at, &mut amount);
        let end = self.compound(at, &mut amount);
        let end = self.with_part(end, &mut amount);
        let end = self.scale(end, &mut amount);
        let behind_unit = self.unit(end, &mut amount);
        let end = if amount.unit.is_some() { self.with_part(behind_unit, &mut amount) } else { behind_unit };
        self.taken[at..end].fill(true);
        self.join(at, &mut amount);
        self.facts.push(Fact { kind: FactKind::Amount(amount), first: at, end });
    }

    /// `three quarters`, and the five of `one in five`.
    fn counted_part(&self, at: usize, amount: &Amount) -> Option<(f64, usize)> {
        let count = amount.values[0];
        let part = self.free(at + 1).and_then(|token| token.meaning?.fraction);
        if let Some(part) = part.filter(|_| (2.0..10.0).contains(&count)) {
            return Some((parts(part, count), at + 2));
        }
        let word = |back: usize| at.checked_sub(back).and_then(|at| self.token(at));
        let is_in = word(1).is_some_and(|token| IN.contains(&token.full));
        // `une sur cinq`, `una de cada cinco`, `one out of every five`
        let is_between =
            |back: usize| word(back).is_some_and(|token| IN.contains(&token.full) || OUT_OF.contains(&token.full));
        let one = word((2..=4).find(|back| !is_between(*back))?)?;
        let is_one = one.meaning.is_some_and(|meaning| meaning.is_one)
            || one.numeral().is_some_and(|numeral| numeral.values == [1.0; 2]);
        (is_in && is_one && (2.0..=100.0).contains(&count)).then(|| (1.0 / count, at + 1))
    }

    /// `2/3`
    fn digits_of_part(&self, at: usize) -> Option<f64> {
        let integer = |at: usize| {
            let numeral = self.free(at)?.numeral().filter(|numeral| !numeral.is_decimal && numeral.digits <= 2)?;
            Some(numeral.values[0])
        };
        let is_glued = self.free(at + 1)?.is('/')
            && self.tokens[at].end == self.tokens[at + 1].start
            && self.tokens[at + 1].end == self.free(at + 2)?.start;
        let (parts, of) = (integer(at)?, integer(at + 2)?);
        (is_glued && 0.0 < parts && parts < of && of <= 20.0).then(|| parts / of)
    }

    /// A number in Chinese characters with a unit: `三个月`. Alone, and of one, it says much else.
    fn in_characters(&mut self, at: usize) {
        let is_inside = at.checked_sub(1).is_some_and(|before| {
            let token = &self.tokens[before];
            cjk::is_in_number(token) || token.first == '第' || token.first == '之'
        });
        let Some((value, end)) = cjk::number(self.tokens, at).filter(|(value, _)| *value >= 2.0 && !is_inside) else {
            return;
        };
        // "三日" is a day of the month as well, and a month needs a counter before it.
        let is_day = self.free(end).is_some_and(|token| matches!(token.first, '日' | '分'));
        let Some((unit, behind)) = cjk::unit(self.tokens, end).filter(|(_, behind)| !is_day || *behind > end + 1)
        else {
            return;
        };
        // Half a year is a unit of its own, and `十成` are no shares.
        if WORDS.is(unit, "share") && value > 10.0 {
            return;
        }
        let amount = Amount { values: [value; 2], unit: Some(unit), ..NOTHING };
        self.taken[at..behind].fill(true);
        self.facts.push(Fact { kind: FactKind::Amount(amount), first: at, end: behind });
    }

    /// The value of a number in digits or words.
    fn value(&self, token: &Token) -> Option<Amount> {
        let base = NOTHING;
        if let Some(numeral) = token.numeral() {
            let is_decimal = numeral.is_decimal;
            return Some(Amount { values: numeral.values, significant: Some(numeral.significant), is_decimal, ..base });
        }
        let value = token.spoken(self.languages)?;
        Some(Amount { values: [value; 2], ..base })
    }

    /// The number of an item at the start of a line is no amount.
    fn is_item_number(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let begins = at == 0 || self.tokens[at - 1].sentence != token.sentence;
        let is_short = token.numeral().is_some_and(|numeral| numeral.digits <= 2 && !numeral.is_decimal);
        begins
            && is_short
            && self.token(at + 1).is_some_and(|next| (next.is('.') || next.is(')')) && next.start == token.end)
    }

    /// A sign, a currency and *about* before the number.
    fn look_back(&self, at: usize, amount: &mut Amount) {
        let mut before = at;
        let previous = |before: usize| before.checked_sub(1).and_then(|at| self.token(at));
        if let Some(sign) = previous(before) {
            let is_glued = sign.end == self.tokens[at].start;
            let is_mark = sign.is_mark() && matches!(sign.first, '-' | '\u{2212}' | '\u{2013}');
            // Between two numbers it is a range.
            let is_alone = before < 2 || self.tokens[before - 2].end < sign.start;
            // "al menos", "au moins": at least.
            let is_least =
                before.checked_sub(2).and_then(|at| self.token(at)).is_some_and(|token| AT_LEAST.contains(&token.full));
            let is_minus = MINUS.contains(&sign.full) && !is_least;
            amount.is_negative = is_mark && is_glued && is_alone || is_minus;
            before -= usize::from(amount.is_negative);
        }
        if let Some(unit) = previous(before).and_then(|token| token.meaning).and_then(|meaning| meaning.unit)
            && WORDS.is_money(unit)
        {
            amount.unit = Some(unit);
            before -= 1;
        }
        for back in 1..=2 {
            let Some(token) = before.checked_sub(back).and_then(|at| self.token(at)) else { break };
            let is_sign = token.is('~') || token.is('≈');
            amount.is_about |= is_sign || token.is_word() && token.meaning.is_some_and(|meaning| meaning.is_about);
            if token.is_mark() && !is_sign {
                break;
            }
        }
    }

    /// `twenty-one` is one number.
    fn compound(&mut self, at: usize, amount: &mut Amount) -> usize {
        if amount.significant.is_none() && self.languages.has(WORDS.language("fr")) {
            let (value, end) = french_number(self.tokens, at, amount.values[0], self.languages);
            if end > at + 1 {
                amount.values = [value; 2];
                return end;
            }
        }
        let is_tens = amount.significant.is_none()
            && amount.values[0] >= 20.0
            && amount.values[0] % 10.0 == 0.0
            && amount.values[0] < 100.0;
        // `treinta y cinco`, `trinta e cinco`
        let is_and = |token: &Token| {
            let is_of = |code: &str, word: u64| self.languages.has(WORDS.language(code)) && token.full == word;
            is_of("es", hash_of("y")) || is_of("pt", hash_of("e"))
        };
        let joins = self
            .free(at + 1)
            .is_some_and(|mark| mark.is('-') || mark.is('\u{2010}') || mark.is('\u{2011}') || is_and(mark));
        let ones_at = if joins { at + 2 } else { at + 1 };
        if !is_tens || ones_at >= self.tokens.len() {
            return at + 1;
        }
        let Some(token) = self.free(ones_at) else { return at + 1 };
        let ones = match self.value(token) {
            Some(ones) if ones.significant.is_none() && ones.values[0] < 10.0 => Some(ones.values[0]),
            _ if token.full == hash_of("one") => Some(1.0),
            _ if joins && token.meaning.is_some_and(|meaning| meaning.is_one) => Some(1.0),
            // "Twenty first aid kits" are 20.
            _ if !joins => None,
            _ => token.meaning.map(|meaning| f64::from(meaning.ordinal)).filter(|ones| (1.0..10.0).contains(ones)),
        };
        let Some(ones) = ones else { return at + 1 };
        amount.values = amount.values.map(|tens| tens + ones);
        ones_at + 1
    }

    /// A part that is joined to a number: `three and a half years`, `six heures et demie`.
    fn with_part(&self, at: usize, amount: &mut Amount) -> usize {
        let meaning = |at: usize| self.free(at).filter(|token| token.is_word()).and_then(|token| token.meaning);
        let behind = at + 1 + usize::from(meaning(at + 1).is_some_and(|meaning| meaning.is_one));
        // `a` is "and" in Czech.
        let is_czech = || ["cs", "sk"].iter().any(|code| self.languages.has(WORDS.language(code)));
        let joins = |token: &Token| token.first != 'a' || token.letters > 1 || is_czech();
        let joining = meaning(at).filter(|meaning| meaning.joins && self.free(at).is_some_and(joins));
        let part = joining.and_then(|_| meaning(behind)?.fraction);
        let Some(part) = part.filter(|part| *part < 1.0 && amount.significant != Some(0)) else { return at };
        amount.values = amount.values.map(|value| value + part);
        amount.is_decimal = true;
        behind + 1
    }

    /// Words behind a number that multiply it: `1.5 million`, `3 Mio.`
    fn scale(&self, mut at: usize, amount: &mut Amount) -> usize {
        while let Some(token) = self.free(at) {
            let known = token.meaning.and_then(|meaning| meaning.scale);
            // A thousand in Spanish, a million in Czech.
            let has = |codes: [&str; 3]| codes.iter().any(|code| self.languages.has(WORDS.language(code)));
            let is_czech = || has(["cs", "sk", "hr"]) && !has(["es", "pt", "it"]);
            let is_money = |at: usize| self.free(at)?.meaning?.unit.map(|unit| WORDS.is_money(unit));
            let is_short = || self.free(at + 1).is_some_and(|point| point.is('.')) && is_money(at + 2) == Some(true);
            let is_million = token.full == hash_of("mil") && (is_czech() || is_short());
            let known = if is_million { Some(1e6) } else { known };
            let Some(scale) = known.or_else(|| self.is_million(at, amount).then_some(1e6)) else { break };
            let is_glued = self.tokens[at - 1].end == token.start;
            if known.is_some() && token.letters == 1 && token.is_word() && !is_glued {
                break;
            }
            amount.values = amount.values.map(|value| value * scale);
            amount.is_about |= scale > 100.0;
            at += 1;
            if let Some(behind) = self.lower_group(at, token.kind, scale, amount) {
                at = behind;
            }
            at += usize::from(
                self.free(at).is_some_and(|point| point.is('.') && point.start == token.end && token.letters <= 4),
            );
        }
        at
    }

    /// The group behind a greater one, which is added to it: `1兆2,500億`. Returns the token behind it.
    fn lower_group(&self, at: usize, kind: Kind, above: f64, amount: &mut Amount) -> Option<usize> {
        let numeral = self.free(at).filter(|_| kind == Kind::Ideograph)?.numeral()?;
        let scale = self.free(at + 1).filter(|next| next.is_ideograph()).and_then(|next| next.meaning?.scale);
        let more = numeral.values[0] * scale.unwrap_or(1.0);
        if more >= above {
            return None;
        }
        amount.values = amount.values.map(|value| value + more);
        Some(at + 1 + usize::from(scale.is_some()))
    }

    /// Whether an `m` behind a number stands for a million: `$5.3m`, `1,2 M€`.
    fn is_million(&self, at: usize, amount: &Amount) -> bool {
        let is_money = |unit: Option<Unit>| unit.is_some_and(|unit| WORDS.is_money(unit));
        let next = self.free(at + 1).and_then(|token| token.meaning).and_then(|meaning| meaning.unit);
        let is_letter = |token: &Token| token.letters == 1 && matches!(token.first, 'm' | 'M') && token.is_word();
        self.free(at).is_some_and(is_letter) && (is_money(amount.unit) || is_money(next))
    }

    /// The unit behind a number. Returns the token behind it.
    fn unit(&self, at: usize, amount: &mut Amount) -> usize {
        if amount.unit.is_some() {
            return at;
        }
        let is_joint = |token: &Token| matches!(token.first, '-' | '\u{2010}' | '\u{2011}' | '°') && token.is_mark();
        let has_degree = self.free(at).is_some_and(|token| token.is('°'));
        let next = if self.free(at).is_some_and(is_joint) { at + 1 } else { at };
        if let Some((unit, end)) = cjk::unit(self.tokens, at).filter(|(_, end)| !self.taken[at..*end].contains(&true)) {
            let is_share = WORDS.is(unit, "share") && amount.values[0] > 10.0;
            let is_year = WORDS.is(unit, "month") && unit.factor == 12.0 && amount.is_year();
            amount.unit = Some(unit).filter(|_| !is_year && !is_share);
            return if is_share { at } else { end };
        }
        if let Some(end) = self.per_cent(next) {
            amount.unit = WORDS.meaning(hash_of("%")).and_then(|meaning| meaning.unit);
            return end;
        }
        // "Three quarters" are a part, and no nine months.
        let is_unit = |meaning: &&'static Meaning| meaning.fraction.is_none();
        let unit_of = |at: usize| self.free(at)?.meaning.filter(is_unit)?.unit;
        // "30 calendar days", "250 Czech crowns"
        let is_between = unit_of(next).is_none()
            && self.free(next).is_some_and(|token| token.is_word() && token.weight() > 0.0)
            && unit_of(next + 1).is_some_and(|unit| {
                WORDS.is(unit, "time") || WORDS.is(unit, "month") || WORDS.is_money(unit) && unit.factor == 1.0
            });
        let place = if is_between { next + 1 } else { next };
        let Some((unit, token)) = unit_of(place).zip(self.free(place)) else { return at };
        let is_degree =
            ["celsius", "fahrenheit"].iter().any(|dimension| WORDS.is(unit, dimension)) && token.letters == 1;
        let is_letter = token.letters == 1 && token.first.is_alphabetic();
        let is_glued = self.tokens[place - 1].end == token.start;
        // `750 W`, but not `5 v 3`.
        let is_electric = ["power", "voltage"].iter().any(|dimension| WORDS.is(unit, dimension)) && token.is_capital;
        let is_plain =
            is_electric || ["length", "mass", "time", "volume"].iter().any(|dimension| WORDS.is(unit, dimension));
        if is_degree && !has_degree || is_letter && !is_degree && !is_glued && !is_plain {
            return at;
        }
        // `1931 года` is a year, not a time of 1,931 years.
        let is_year = WORDS.is(unit, "month") && unit.factor == 12.0 && amount.is_year() && place == at;
        amount.unit = Some(unit).filter(|_| !is_year);
        amount.other_unit = token.meaning.and_then(|meaning| meaning.other_unit);
        place + 1
    }

    /// The token behind `per cent`, `por ciento`, `pour cent`.
    fn per_cent(&self, at: usize) -> Option<usize> {
        let is = |at: usize, words: [u64; 3]| self.free(at).is_some_and(|token| words.contains(&token.full));
        let is_share = is(at, PER) && is(at + 1, CENT);
        is_share.then_some(at + 2)
    }

    /// The further groups of `10 000` and `1 200 000` tell what the number is as a whole.
    fn join(&mut self, at: usize, amount: &mut Amount) {
        let token = &self.tokens[at];
        let Some(last) = self.facts.last().filter(|last| last.end == at) else { return };
        let FactKind::Amount(before) = last.kind else { return };
        let (Some(own), Some(first)) = (token.numeral(), self.tokens[last.end - 1].numeral()) else { return };
        let is_group = own.digits == 3 || own.is_decimal && token.letters >= 5;
        let is_near = token.start == self.tokens[at - 1].end + 1;
        let has_no_unit = before.unit.is_none_or(|unit| WORDS.is_money(unit));
        let may_go_on = if before.joined.is_some() { first.digits == 3 } else { first.digits <= 3 };
        // A longer row of groups is no number; each step would look at all of it again.
        let so_far = before.joined.unwrap_or(before.values[0]);
        let is_one_number = so_far > 0.0 && so_far < MOST_JOINED;
        if !(is_group && is_near && may_go_on && has_no_unit && is_one_number) {
            return;
        }
        // `10 000` has no value of its own behind the blank.
        let scale = if own.values[1] > 0.0 { amount.values[1] / own.values[1] } else { 1.0 };
        let joined = so_far * 1000.0 * scale + amount.values[1];
        amount.joined = Some(joined);
        amount.unit = amount.unit.or(before.unit);
        let groups = self.facts.iter_mut().rev().take(if before.joined.is_some() { usize::MAX } else { 1 });
        for fact in groups {
            let FactKind::Amount(group) = &mut fact.kind else { break };
            if group.joined != before.joined {
                break;
            }
            group.joined = Some(joined);
        }
    }
}
