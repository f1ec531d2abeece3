//! Numbers and times in Chinese and Japanese characters.

use crate::fold::{EMPTY, hash_with};
use crate::token::Token;
use crate::words::{Unit, WORDS};

/// The characters of a number that are read.
const MOST: usize = 8;

fn ideograph(token: &Token) -> Option<char> {
    token.is_ideograph().then_some(token.first)
}

fn digit(character: char) -> Option<f64> {
    let digits = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    let place = digits.iter().position(|digit| *digit == character);
    match character {
        '零' => Some(0.0),
        '两' | '兩' => Some(2.0),
        _ => place.map(|place| place as f64),
    }
}

fn ten_power(character: char) -> Option<f64> {
    match character {
        '十' => Some(10.0),
        '百' => Some(100.0),
        '千' => Some(1000.0),
        _ => None,
    }
}

/// Whether a token may begin a number in characters.
pub(crate) fn may_be_number(token: &Token) -> bool {
    ideograph(token).is_some_and(|character| digit(character).is_some() || character == '十')
}

/// Whether a token is a character of a number.
pub(crate) fn is_in_number(token: &Token) -> bool {
    ideograph(token).is_some_and(|character| digit(character).is_some() || ten_power(character).is_some())
}

/// Whether a token is a part of a number, in digits or characters.
pub(crate) fn is_digit(token: &Token) -> bool {
    token.numeral().is_some() || is_in_number(token)
}

/// The number in characters that begins at a token, and the place behind it: `三十一`.
pub(crate) fn number(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let (mut sum, mut last, mut end) = (0.0, None, at);
    for token in tokens.iter().skip(at).take(MOST) {
        let Some(character) = ideograph(token) else { break };
        if let Some(value) = digit(character) {
            if last.is_some() {
                break;
            }
            last = Some(value);
        } else if let Some(power) = ten_power(character) {
            sum += last.take().unwrap_or(1.0) * power;
        } else {
            break;
        }
        end += 1;
    }
    (end > at).then(|| (sum + last.unwrap_or(0.0), end))
}

/// The characters of the longest unit: `センチメートル`.
const LONGEST_UNIT: usize = 8;

/// Characters behind one that is a unit alone, with which it is something else: `2分の1`, `20成人`.
const OTHERWISE: [(char, &[char]); 5] = [
    ('分', &['の', '之', '野', '割']),
    ('成', &['人', '员', '員', '立', '功', '果', '本', '年', '为', '為', '长', '長', '分', '都']),
    ('割', &['引', '合']),
    ('年', &['度', '级', '級', '生', '代']),
    ('米', &['国', '飯', '饭', '軍']),
];

/// The unit in characters that begins at a token, the longest one, and the place behind it: `小时`, `週間`. A day and a month alone are
/// parts of dates.
pub(crate) fn unit(tokens: &[Token], at: usize) -> Option<(Unit, usize)> {
    let (mut hash, mut found) = (EMPTY, None);
    for (offset, token) in tokens.iter().skip(at).take(LONGEST_UNIT).enumerate() {
        let Some(character) = ideograph(token) else { break };
        hash = hash_with(hash, character);
        let next = tokens.get(at + offset + 1).map_or(' ', |next| next.first);
        let is_other = offset == 0 && OTHERWISE.iter().any(|(own, others)| *own == character && others.contains(&next));
        if let Some(unit) = WORDS.meaning(hash).and_then(|meaning| meaning.unit).filter(|_| !is_other) {
            found = Some((unit, at + offset + 1));
        }
    }
    found
}

/// A number in digits or characters.
pub(crate) fn value(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let numeral = tokens.get(at)?.numeral().filter(|numeral| !numeral.is_decimal);
    numeral.map(|numeral| (numeral.values[0], at + 1)).or_else(|| number(tokens, at))
}

/// The time that begins at a token, as its two readings in minutes, and the place behind it: `午後3時半`, `下午三点半`, `9時30分`.
pub(crate) fn time(tokens: &[Token], at: usize) -> Option<([f64; 2], usize)> {
    let is = |at: usize, wanted: &[char]| {
        tokens.get(at).and_then(ideograph).is_some_and(|character| wanted.contains(&character))
    };
    let is_pair = |first: &[char], second: &[char]| is(at, first) && is(at + 1, second);
    if is_pair(&['正'], &['午']) {
        return Some(([720.0; 2], at + 2));
    }
    let is_before_noon =
        is_pair(&['上', '午'], &['午', '前']) && !is_pair(&['午'], &['午']) || is_pair(&['早', '凌'], &['上', '晨']);
    let is_after_noon = is_pair(&['下'], &['午']) || is_pair(&['午'], &['後', '后']) || is_pair(&['晚'], &['上']);
    let hour_at = at + if is_before_noon || is_after_noon { 2 } else { 0 };
    let (hour, end) = value(tokens, hour_at)?;
    if hour > 24.0 || !is(end, &['点', '點', '時', '时']) {
        return None;
    }
    // `3時間` is a duration.
    if is(end + 1, &['間', '间']) {
        return None;
    }
    let (minutes, end) = if is(end + 1, &['半']) {
        (30.0, end + 2)
    } else {
        match value(tokens, end + 1) {
            Some((minutes, behind)) if minutes < 60.0 && is(behind, &['分']) => (minutes, behind + 1),
            // `八点五` is 8.5.
            Some((_, _)) if number(tokens, end + 1).is_some() => return None,
            _ => (0.0, end + 1),
        }
    };
    let of_day = |hour: f64| hour * 60.0 + minutes;
    let times = if is_after_noon && hour <= 12.0 {
        [of_day(hour % 12.0 + 12.0); 2]
    } else if is_before_noon || hour > 12.0 {
        [of_day(hour); 2]
    } else {
        [of_day(hour), of_day(hour % 12.0 + 12.0)]
    };
    Some((times, end))
}
