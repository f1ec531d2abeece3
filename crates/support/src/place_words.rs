//! Words of small classes of which only one can be true in a place: ordinals, days of the week, periods, parts of one, and how many
//! times. A sentence that has another one where the passage has one of the class contradicts it.

use std::ops::Range;

use crate::cjk;
use crate::facts::parts;
use crate::fold::hash_of;
use crate::slot::Slot;
use crate::token::Token;
use crate::words::{Languages, Meaning, Unit, WORDS};

/// The words of one text that are looked at. A list of more says nothing about places.
const MOST: usize = 32;

/// Words before the period of a rate.
const PER: [u64; 18] = [
    hash_of("per"),
    hash_of("every"),
    hash_of("each"),
    hash_of("pro"),
    hash_of("je"),
    hash_of("jede"),
    hash_of("jeden"),
    hash_of("jedes"),
    hash_of("par"),
    hash_of("chaque"),
    hash_of("por"),
    hash_of("cada"),
    hash_of("ogni"),
    hash_of("elke"),
    hash_of("kazdy"),
    hash_of("za"),
    hash_of("na"),
    hash_of("om"),
];

/// Words for a half that mean nothing else.
const HALVES: [u64; 8] = [
    hash_of("half"),
    hash_of("halfte"),
    hash_of("moitie"),
    hash_of("mitad"),
    hash_of("metade"),
    hash_of("helft"),
    hash_of("polovina"),
    hash_of("puolet"),
];

/// A class of words that exclude each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PlaceKind {
    Ordinal(u8),
    Weekday(u8),
    Period(Unit),
    Part(f64),
    Times(f64),
}

impl PlaceKind {
    fn is_of_class(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Part(one), Self::Part(other)) | (Self::Times(one), Self::Times(other)) => (one - other).abs() < 1e-6,
            (one, other) => one == other,
        }
    }
}

/// A word of a class, and its tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaceWord {
    pub(crate) kind: PlaceKind,
    pub(crate) tokens: Range<usize>,
}

/// The words of the classes in a text.
pub(crate) fn place_words(tokens: &[Token], languages: Languages) -> Vec<PlaceWord> {
    let mut found: Vec<PlaceWord> = Vec::new();
    for at in 0..tokens.len() {
        if found.len() == MOST {
            return Vec::new();
        }
        if let Some(word) = place_word(tokens, at, languages)
            && found.last().is_none_or(|last| last.tokens.end <= word.tokens.start)
        {
            found.push(word);
        }
    }
    found
}

fn place_word(tokens: &[Token], at: usize, languages: Languages) -> Option<PlaceWord> {
    let meaning = |at: usize| tokens.get(at).and_then(|token| token.meaning);
    let is_unit = |at: usize| meaning(at).is_some_and(|meaning| meaning.unit.is_some() || meaning.period.is_some());
    let word = |kind, end| Some(PlaceWord { kind, tokens: at..end });
    if let Some(times) = tokens[at].number(languages)
        && meaning(at + 1).is_some_and(|meaning| meaning.times == Some(0))
    {
        return word(PlaceKind::Times(times), at + 2);
    }
    if tokens[at].is_ideograph() {
        return in_characters(tokens, at);
    }
    let own: &Meaning = meaning(at)?;
    if let Some(times) = own.times.filter(|times| *times > 0) {
        // "Once you have …" says nothing about how often.
        let is_often = meaning(at + 1).is_some_and(|next| next.is_one || next.period.is_some() || next.unit.is_some());
        let says_times = times > 1 || is_often;
        return if says_times { word(PlaceKind::Times(f64::from(times)), at + 1) } else { None };
    }
    let is_behind_ordinal = at.checked_sub(1).is_some_and(|before| meaning(before).is_some_and(|it| it.ordinal > 0));
    if own.weekday > 0 {
        return word(PlaceKind::Weekday(own.weekday), at + 1);
    }
    if let Some(part) = own.fraction.filter(|part| is_part(tokens, at, *part, languages)) {
        // "half an hour", "half past six" and "the first half" are something else.
        let is_alone = !(1..=3).any(|behind| is_unit(at + behind)) && !is_behind_ordinal;
        let counted =
            at.checked_sub(1).and_then(|before| tokens[before].number(languages)).filter(|count| *count < 10.0);
        let share = counted.map_or(part, |count| parts(part, count));
        return if is_alone { word(PlaceKind::Part(share), at + 1) } else { None };
    }
    if let Some(period) = rate(tokens, at, languages) {
        return word(PlaceKind::Period(period), at + 2);
    }
    if own.ordinal > 0 {
        return word(PlaceKind::Ordinal(own.ordinal), at + 1);
    }
    own.period.filter(|_| !is_behind_ordinal).and_then(|unit| word(PlaceKind::Period(unit), at + 1))
}

/// The period of a rate: `per day`, `£18 a week`, `every month`. "A week" alone is how long something takes.
fn rate(tokens: &[Token], at: usize, languages: Languages) -> Option<Unit> {
    let unit = tokens.get(at + 1)?.meaning.filter(|meaning| !meaning.is_one)?;
    let unit = unit.period.or(unit.unit).filter(|unit| WORDS.is(*unit, "time") || WORDS.is(*unit, "month"))?;
    let says_rate = PER.contains(&tokens[at].full);
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let counts = |token: &Token| {
        let meaning = token.meaning;
        token.number(languages).is_some()
            || meaning
                .is_some_and(|meaning| meaning.times.is_some() || meaning.unit.is_some_and(|unit| WORDS.is_money(unit)))
    };
    let is_article = tokens[at].meaning.is_some_and(|meaning| meaning.is_one);
    (says_rate || is_article && before.is_some_and(counts)).then_some(unit)
}

/// `第二`, `星期四`, `木曜日`, `三次`
fn in_characters(tokens: &[Token], at: usize) -> Option<PlaceWord> {
    const DAYS: [char; 7] = ['一', '二', '三', '四', '五', '六', '日'];
    const SUN_AND_PLANETS: [char; 7] = ['月', '火', '水', '木', '金', '土', '日'];
    let character = |at: usize| tokens.get(at).filter(|token| token.is_ideograph()).map(|token| token.first);
    let day = |days: [char; 7], at: usize| {
        let place = days.iter().position(|day| character(at) == Some(*day))?;
        u8::try_from(place + 1).ok()
    };
    let word = |kind, end| Some(PlaceWord { kind, tokens: at..end });
    match (character(at)?, character(at + 1)) {
        ('星', Some('期')) | ('礼', Some('拜')) => {
            let sunday = || (character(at + 2) == Some('天')).then_some(7);
            return word(PlaceKind::Weekday(day(DAYS, at + 2).or_else(sunday)?), at + 3);
        }
        (_, Some('曜')) => return word(PlaceKind::Weekday(day(SUN_AND_PLANETS, at)?), at + 2),
        ('第', _) => {
            let (place, end) = cjk::value(tokens, at + 1)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the bounds")]
            let place = (1.0..=99.0).contains(&place).then_some(place as u8)?;
            return word(PlaceKind::Ordinal(place), end);
        }
        _ => {}
    }
    if at.checked_sub(1).is_some_and(|before| cjk::is_in_number(&tokens[before]) || tokens[before].first == '第') {
        return None;
    }
    let (times, end) = cjk::number(tokens, at)?;
    if matches!(character(end), Some('次' | '回')) { word(PlaceKind::Times(times), end + 1) } else { None }
}

/// Whether a word says a part: `a fifth` and `half`, but no other words for a half, which are means and media as well.
fn is_part(tokens: &[Token], at: usize, part: f64, languages: Languages) -> bool {
    HALVES.contains(&tokens[at].full) || part != 0.5 && is_behind_one(tokens, at, languages)
}

/// `a fifth` is a part, `the fifth` is a place.
fn is_behind_one(tokens: &[Token], at: usize, languages: Languages) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        let token = &tokens[before];
        token.meaning.is_some_and(|meaning| meaning.is_one) || token.number(languages).is_some_and(|count| count < 10.0)
    })
}

/// The words of a sentence in whose places another sentence has another one. Words that stand alone of their class are compared
/// wherever they stand; others, and ordinals, only between the same words.
pub(crate) fn replaced(
    sentence: &[Token],
    other: &[Token],
    languages: [Languages; 2],
    is_near: bool,
) -> Vec<PlaceWord> {
    let own = place_words(sentence, languages[0]);
    if own.is_empty() {
        return own;
    }
    let others = place_words(other, languages[1]);
    // One of a class that the other side lacks: Monday, where both have Thursday beside another day.
    let is_alone = |words: &[PlaceWord], others: &[PlaceWord], kind: PlaceKind| {
        let of_class = words.iter().filter(|word| word.kind.is_of_class(kind));
        of_class.filter(|word| !others.iter().any(|other| other.kind.is_same(word.kind))).count() == 1
    };
    let is_replaced = |word: &PlaceWord| {
        let known: Vec<&PlaceWord> = others.iter().filter(|other| other.kind.is_of_class(word.kind)).collect();
        if known.is_empty() || known.iter().any(|other| other.kind.is_same(word.kind)) {
            return false;
        }
        let slot = Slot::of(sentence, word.tokens.clone());
        let fits = || {
            (is_near || slot.is_telling()) && known.iter().any(|other_word| slot.fits(other, other_word.tokens.clone()))
        };
        // "Annual leave" is a name: the passage may call it leave, and speak of months.
        let may_stand_anywhere = match word.kind {
            PlaceKind::Ordinal(_) => false,
            PlaceKind::Period(_) => is_near,
            PlaceKind::Weekday(_) | PlaceKind::Part(_) | PlaceKind::Times(_) => true,
        };
        may_stand_anywhere && is_alone(&own, &others, word.kind) && is_alone(&others, &own, word.kind) || fits()
    };
    let replaced: Vec<bool> = own.iter().map(is_replaced).collect();
    own.into_iter().zip(replaced).filter(|(_, is_replaced)| *is_replaced).map(|(word, _)| word).collect()
}
