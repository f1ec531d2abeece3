//! Finds dates and times in a text.

use crate::cjk;
use crate::clock;
use crate::date::{Date, as_day, as_month, as_year};
use crate::fact::{Fact, FactKind};
use crate::fold::hash_of;
use crate::half_of_day::{Half, half_of_day};
use crate::token::{Kind, Token};
use crate::words::{Languages, WORDS};

/// Adds the dates and times of a text, and marks their tokens as taken. Number words are those of `languages`.
pub(crate) fn dates_and_times(tokens: &[Token], languages: Languages, taken: &mut [bool], facts: &mut Vec<Fact>) {
    let finder = Finder { tokens, languages };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if !may_begin(token) {
            at += 1;
            continue;
        }
        let found = finder
            .in_digits(at)
            .or_else(|| finder.of_ideographs(at))
            .or_else(|| finder.with_month(at))
            .or_else(|| finder.time(at));
        if let Some(fact) = found.filter(|fact| !taken[fact.first..fact.end].contains(&true)) {
            taken[fact.first..fact.end].fill(true);
            at = at.max(fact.end);
            facts.push(fact);
        } else {
            at += 1;
        }
    }
}

/// Whether a date or a time may begin with a token.
fn may_begin(token: &Token) -> bool {
    let is_digits = matches!(token.kind, Kind::Number(_) | Kind::Date(_) | Kind::Ideograph);
    is_digits || token.meaning.is_some_and(|meaning| meaning.begins_date)
}

struct Finder<'t> {
    tokens: &'t [Token],
    languages: Languages,
}

impl Finder<'_> {
    fn get(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    /// The value of a number without a decimal mark.
    fn integer(&self, at: usize) -> Option<f64> {
        let numeral =
            self.get(at)?.numeral().filter(|numeral| !numeral.is_decimal && numeral.values[0] == numeral.values[1]);
        numeral.map(|numeral| numeral.values[0])
    }

    fn is(&self, at: usize, mark: char) -> bool {
        self.get(at).is_some_and(|token| token.is(mark))
    }

    fn is_glued(&self, at: usize) -> bool {
        matches!((self.get(at), self.get(at + 1)), (Some(one), Some(next)) if one.end == next.start)
    }

    /// `2026-11-27`, `27/11/2026`, `24.12.2026`
    fn in_digits(&self, at: usize) -> Option<Fact> {
        if let Kind::Date(date) = self.get(at)?.kind {
            return Some(Fact { kind: FactKind::Date(date), first: at, end: at + 1 });
        }
        if let Some(date) = self.of_two_parts(at) {
            return Some(Fact { kind: FactKind::Date(date), first: at, end: at + 3 });
        }
        let (first, second, third) = (self.integer(at)?, self.integer(at + 2)?, self.integer(at + 4)?);
        let mark = ['-', '/', '\u{2010}', '\u{2011}']
            .into_iter()
            .find(|mark| self.is(at + 1, *mark) && self.is(at + 3, *mark))?;
        if !(at..at + 4).all(|at| self.is_glued(at)) {
            return None;
        }
        let date = Date::of(first, second, third).or_else(|| {
            let day_first = Date::of(third, second, first);
            let month_first = Date::of(third, first, second);
            match (day_first, month_first) {
                (Some(date), Some(_)) => Some(Date { is_ambiguous: mark == '/', ..date }),
                (date, None) | (None, date) => date,
            }
        })?;
        Some(Fact { kind: FactKind::Date(date), first: at, end: at + 5 })
    }

    /// `2026-04`, `12/2025`, `30/06`
    fn of_two_parts(&self, at: usize) -> Option<Date> {
        let (first, second) = (self.integer(at)?, self.integer(at + 2)?);
        let digits = |at: usize| self.get(at).and_then(Token::numeral).map_or(0, |numeral| numeral.digits);
        let is_mark = |at: usize| ['-', '/'].into_iter().any(|mark| self.is(at, mark));
        let stands_alone = !is_mark(at + 3) && !at.checked_sub(1).is_some_and(is_mark);
        if !(is_mark(at + 1) && stands_alone && self.is_glued(at) && self.is_glued(at + 1)) {
            return None;
        }
        let mut date = Date::default();
        match (digits(at), digits(at + 2)) {
            (4, 2) => (date.year, date.month) = (Some(as_year(first)?), Some(as_month(second)?)),
            (1 | 2, 4) if self.is(at + 1, '/') => {
                (date.month, date.year) = (Some(as_month(first)?), Some(as_year(second)?));
            }
            (1 | 2, 2) if self.is(at + 1, '/') => {
                (date.day, date.month) = match (as_day(first), as_month(second)) {
                    (Some(day), Some(month)) => (Some(day), Some(month)),
                    _ => (Some(as_day(second)?), Some(as_month(first)?)),
                };
                date.is_ambiguous = as_month(first).is_some() && as_month(second).is_some();
            }
            _ => return None,
        }
        Some(date)
    }

    /// `2024年3月12日`, `3月12日`
    fn of_ideographs(&self, at: usize) -> Option<Fact> {
        let is_sign =
            |at: usize, sign: char| self.get(at).is_some_and(|token| token.is_ideograph() && token.first == sign);
        let (mut date, mut end) = (Date::default(), at);
        let part = |at: usize, sign: char| cjk::value(self.tokens, at).filter(|(_, behind)| is_sign(*behind, sign));
        if let Some((year, behind)) = part(end, '年') {
            date.year = Some(as_year(year)?);
            end = behind + 1;
        }
        if let Some((month, behind)) = part(end, '月') {
            date.month = as_month(month);
            end = behind + 1;
            if let Some((day, behind)) = part(end, '日') {
                date.day = as_day(day);
                end = behind + 1;
            }
        }
        (date != Date::default()).then_some(Fact { kind: FactKind::Date(date), first: at, end })
    }

    /// `12 March 2024`, `March 12, 2024`, `12. März`, `12 de marzo de 2024`. A month alone is no date: *may* is a verb.
    fn with_month(&self, at: usize) -> Option<Fact> {
        let token = self.get(at)?;
        let month = token.meaning.filter(|meaning| meaning.month > 0 && token.is_word() && token.letters >= 3)?.month;
        let mut date = Date { month: Some(month), ..Date::default() };
        let (mut first, mut end) = (at, at + 1);
        if let Some(place) = self.day_before(at) {
            date.day = self.integer(place).and_then(as_day);
            first = place;
        }
        end += usize::from(self.is(end, '.'));
        if date.day.is_none()
            && let Some(day) = self.integer(end).and_then(as_day)
            && !self.is(end + 1, ':')
            && self.get(end).is_some_and(|token| token.numeral().is_some_and(|numeral| numeral.digits <= 2))
        {
            date.day = Some(day);
            end += 1;
        }
        let is_short_word = |at: usize| self.get(at).is_some_and(|token| token.is_word() && token.letters <= 3);
        let year_at = (end..=end + 2).find(|year| {
            let is_year = self.integer(*year).and_then(as_year).is_some()
                && self.get(*year).is_some_and(|token| token.numeral().is_some_and(|numeral| numeral.digits == 4));
            is_year && (end..*year).all(|between| self.is(between, ',') || is_short_word(between))
        });
        if let Some(place) = year_at {
            date.year = self.integer(place).and_then(as_year);
            end = place + 1;
        }
        // "Those over 18 may come": the month has a capital.
        let is_verb = token.full == hash_of("may") && !token.is_capital;
        let is_date = date.day.is_some() && !is_verb || date.year.is_some();
        is_date.then_some(Fact { kind: FactKind::Date(date), first, end })
    }

    /// The place of the day before a month: `12 March`, `12. März`, `12th of March`.
    fn day_before(&self, at: usize) -> Option<usize> {
        let is_day = |at: usize| self.integer(at).and_then(as_day).is_some();
        let one = at.checked_sub(1)?;
        if is_day(one) {
            return Some(one);
        }
        let two = at.checked_sub(2)?;
        let between = self.get(one)?;
        (is_day(two) && (between.is('.') || between.is_word() && between.letters <= 3)).then_some(two)
    }

    /// The value of a number word.
    fn spoken(&self, at: usize) -> Option<f64> {
        self.get(at)?.spoken(self.languages)
    }

    /// The number of tokens that say that the number before them is an hour: `Uhr`, `o'clock`.
    fn clock(&self, at: usize) -> usize {
        let is = |at: usize, word: u64| self.get(at).is_some_and(|token| token.full == word);
        if is(at, hash_of("uhr")) {
            1
        } else if is(at, hash_of("o")) && is(at + 1, hash_of("clock")) {
            2
        } else {
            0
        }
    }

    /// The half of the day behind an hour, and where its words end. A word for hours may stand before it: `six heures du soir`.
    fn half(&self, at: usize) -> Option<(Half, usize)> {
        let unit = self.get(at).and_then(|token| token.meaning).and_then(|meaning| meaning.unit);
        let is_hours = unit.is_some_and(|unit| WORDS.is(unit, "time") && unit.factor == 3600.0);
        let begin = at + usize::from(is_hours);
        let (half, count) = half_of_day(self.tokens.get(begin..)?, self.languages)?;
        Some((half, begin + count))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 24 hours")]
    fn fact(&self, minutes: [f64; 2], first: usize, end: usize) -> Fact {
        Fact { kind: FactKind::Time(minutes.map(|minutes| minutes as u16)), first, end }
    }

    /// An hour in digits or words, with the minutes that other words add to it, and the half of the day that may stand behind.
    fn hour(&self, hour: f64, minutes: f64, first: usize, end: usize) -> Option<Fact> {
        let end = end + self.clock(end);
        let half = self.half(end);
        let end = half.map_or(end, |(_, behind)| behind);
        let of_day = |hour: f64| (hour * 60.0 + minutes).rem_euclid(24.0 * 60.0);
        let times = match half {
            _ if hour > 12.0 => [of_day(hour); 2],
            Some((Half::BeforeNoon, _)) => [of_day(hour % 12.0); 2],
            Some((Half::AfterNoon, _)) => [of_day(hour % 12.0 + 12.0); 2],
            None => [of_day(hour), of_day(hour + 12.0)],
        };
        (hour <= 24.0).then(|| self.fact(times, first, end))
    }

    /// `half past six`, `las ocho y media`, `noon`, `12 noon`, `18 h 30`
    fn in_words(&self, at: usize) -> Option<Fact> {
        let number = |at: usize| self.integer(at).or_else(|| self.spoken(at));
        let named = |at: usize| clock::named(self.tokens, at, self.languages);
        let name_at = if number(at) == Some(12.0) { at + 1 } else { at };
        if let Some((minutes, end)) = named(name_at) {
            let other = if minutes == 0.0 { 24.0 * 60.0 } else { minutes };
            return Some(self.fact([minutes, other], at, end));
        }
        if let Some((minutes, hour_at)) = clock::before_hour(self.tokens, at, self.languages) {
            let hour = number(hour_at).filter(|hour| *hour <= 12.0)?;
            return self.hour(hour, minutes, at, hour_at + 1);
        }
        let hour = number(at)?;
        let meaning = |at: usize| self.get(at).filter(|token| token.is_word()).and_then(|token| token.meaning);
        let is_hours = meaning(at + 1)
            .and_then(|meaning| meaning.unit)
            .is_some_and(|unit| WORDS.is(unit, "time") && unit.factor == 3600.0);
        if is_hours {
            let is_sixtieth = |token: &Token| token.numeral().is_none_or(|numeral| numeral.digits == 2);
            let minutes = self.get(at + 2).filter(|token| is_sixtieth(token)).and_then(|_| number(at + 2));
            // `2 h 30 min` is a duration.
            let has_unit = meaning(at + 3).is_some_and(|meaning| meaning.unit.is_some());
            if let Some(minutes) = minutes.filter(|minutes| (1.0..60.0).contains(minutes) && !has_unit) {
                return self.hour(hour, minutes, at, at + 3);
            }
        }
        if let Some(fact) = self.hour_and_minutes(at, hour) {
            return Some(fact);
        }
        let (minutes, end) = clock::behind_hour(self.tokens, at + 1 + usize::from(is_hours), self.languages)?;
        let is_light = |at: usize| self.get(at).is_some_and(|token| !token.is_mark() && token.weight() == 0.0);
        // `deux heures et demie` is as long, `deux heures et demie du matin` is a time.
        let is_time = if is_hours { self.half(end).is_some() } else { at.checked_sub(1).is_some_and(is_light) };
        let has_unit = meaning(end).is_some_and(|meaning| meaning.unit.is_some());
        if is_time && !has_unit && hour <= 12.0 { self.hour(hour, minutes, at, end) } else { None }
    }

    /// `nove e venti di sera`, `seven twenty in the evening`: words for the half of the day say that it is a time.
    fn hour_and_minutes(&self, at: usize, hour: f64) -> Option<Fact> {
        let joins = self.get(at + 1).and_then(|token| token.meaning).is_some_and(|meaning| meaning.joins);
        let minutes_at = at + 1 + usize::from(joins);
        let minutes = self.spoken(minutes_at).filter(|minutes| (1.0..60.0).contains(minutes))?;
        let is_time = hour <= 12.0 && self.integer(at).is_none() && self.half(minutes_at + 1).is_some();
        if is_time { self.hour(hour, minutes, at, minutes_at + 1) } else { None }
    }

    /// `14:30`, `2:30 pm`, `2 p.m.`, `14.30 Uhr`, `14 Uhr`, `six o'clock`, `six in the evening`
    fn time(&self, at: usize) -> Option<Fact> {
        const UHR: u64 = hash_of("uhr");
        const UUR: u64 = hash_of("uur");
        let is_ideograph = |at: usize| self.get(at).is_some_and(Token::is_ideograph);
        if (is_ideograph(at) || is_ideograph(at + 1))
            && let Some((times, end)) = cjk::time(self.tokens, at)
        {
            return Some(self.fact(times, at, end));
        }
        let numeral = self.get(at)?.numeral();
        if let Some(fact) = self.in_words(at) {
            return Some(fact);
        }
        if numeral.is_none() && self.spoken(at).is_none() {
            return None;
        }
        let is_word = |at: usize, word: u64| self.get(at).is_some_and(|token| token.full == word);
        let with_colon = self.is(at + 1, ':') && self.is_glued(at) && self.is_glued(at + 1);
        let has_two_digits =
            || self.get(at + 2).is_some_and(|token| token.numeral().is_some_and(|numeral| numeral.digits == 2));
        let (hours, minutes, mut end) = if with_colon && has_two_digits() {
            (self.integer(at)?, self.integer(at + 2)?, at + 3)
        } else if let Some(numeral) = numeral.filter(|numeral| {
            numeral.is_decimal && (is_word(at + 1, UHR) || is_word(at + 1, UUR) || self.half(at + 1).is_some())
        }) {
            (numeral.values[1].floor(), (numeral.values[1].fract() * 100.0).round(), at + 1)
        } else if self.clock(at + 1) > 0 || self.half(at + 1).is_some() {
            (self.integer(at).or_else(|| self.spoken(at))?, 0.0, at + 1)
        } else {
            return None;
        };
        if hours > 24.0 || minutes > 59.0 {
            return None;
        }
        // Seconds: a duration or a place in a recording, of which the first two numbers are enough.
        end += 2 * usize::from(with_colon && self.is(end, ':') && self.integer(end + 1).is_some());
        end += self.clock(end);
        let half = self.half(end);
        end = half.map_or(end, |(_, behind)| behind);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 24 hours")]
        let of_day = |hours: f64| (hours * 60.0 + minutes) as u16;
        let times = match half {
            // The hour of `18 Uhr abends` tells the half already.
            Some(_) if hours > 12.0 => [of_day(hours); 2],
            Some((Half::BeforeNoon, _)) => [of_day(hours % 12.0); 2],
            Some((Half::AfterNoon, _)) => [of_day(hours % 12.0 + 12.0); 2],
            _ if hours <= 12.0 => [of_day(hours), of_day((hours % 12.0) + 12.0)],
            None => [of_day(hours); 2],
        };
        Some(Fact { kind: FactKind::Time(times), first: at, end })
    }
}

#[cfg(test)]
mod tests;
