//! What words mean to a fact: the tables of `tables/`, read once.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::fold::{EMPTY, fold, hash_with, is_ideograph};

/// Passes hashes on: words are hashes already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A map by the hash of a word.
pub(crate) type ByWord<T> = HashMap<u64, T, BuildHasherDefault<Identity>>;

/// A set of hashes of words.
pub(crate) type Hashes = HashSet<u64, BuildHasherDefault<Identity>>;

/// A set of languages, one bit each, in the order of `tables/stop_words.txt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Languages(pub(crate) u32);

impl Languages {
    /// Every language, also those that no table knows.
    pub(crate) const ANY: Self = Self(u32::MAX);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The meanings that a word has, in one entry: a text asks once for each of its words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meaning {
    /// The languages of which it is a stop word.
    pub(crate) stops: Languages,
    /// It has no weight.
    pub(crate) is_light: bool,
    /// The languages in which it negates.
    pub(crate) negates: Languages,
    /// It negates the noun behind it alone.
    pub(crate) negates_noun: bool,
    pub(crate) unnegates: bool,
    pub(crate) is_about: bool,
    pub(crate) month: u8,
    pub(crate) fraction: Option<f64>,
    pub(crate) scale: Option<f64>,
    pub(crate) unit: Option<Unit>,
    /// The second unit of a word with two: `pounds`.
    pub(crate) other_unit: Option<Unit>,
    /// The number of times that a word says: 2 of `twice`, 0 of `times`, before which the number stands.
    pub(crate) times: Option<u8>,
    /// It says with a negation that there is a limit.
    pub(crate) is_excess: bool,
    /// Numbers, each with its languages.
    pub(crate) numbers: [(Languages, f64); 2],
    /// Its place in an order: 3 of `third`.
    pub(crate) ordinal: u8,
    /// It is an article, or one.
    pub(crate) is_one: bool,
    /// The time of `weekly`, as the unit that is this long.
    pub(crate) period: Option<Unit>,
    /// The day of the week, 1 is Monday.
    pub(crate) weekday: u8,
    /// A phrase for a whole time may begin with it: `day and night`.
    pub(crate) begins_time: bool,
    /// It joins a part to a whole: `and` of `three and a half`.
    pub(crate) joins: bool,
    /// It negates in another way than negations do, or sets a limit.
    pub(crate) is_soft_negation: bool,
    /// An amount, a part of one or a time with a name may begin with it.
    pub(crate) begins_fact: bool,
    /// A date or a time may begin with it in a text with facts.
    pub(crate) begins_date: bool,
    /// A value may stand there in other words than numbers.
    pub(crate) says_value: bool,
}

impl Meaning {
    /// Notes what the other meanings come to, which is asked of every word.
    fn sum_up(&mut self) {
        let is_number = self.numbers[0].0 != Languages::default();
        self.begins_fact |= is_number || self.fraction.is_some();
        self.begins_date |= is_number || self.month > 0;
        let says_part = self.fraction.is_some() || self.ordinal > 0 || self.is_one;
        let says_time = self.unit.is_some() || self.period.is_some() || self.times.is_some() || self.begins_time;
        self.says_value = is_number || says_part || says_time;
    }
}

/// A unit of measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) dimension: Dimension,
    pub(crate) factor: f64,
}

/// Units of one dimension convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dimension(u8);

/// The tables.
pub(crate) struct Words {
    meanings: ByWord<Meaning>,
    languages: Vec<&'static str>,
    dimensions: Vec<&'static str>,
}

/// The tables, read at the first use.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(Words::read);

/// The lines of a table, without its comments, each parted into words.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = std::str::SplitWhitespace<'static>> {
    table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(str::split_whitespace)
}

/// The hash of a word of a table, folded as words of texts are.
pub(crate) fn folded(word: &str) -> u64 {
    let mut hash = EMPTY;
    word.chars().for_each(|letter| fold(letter, |letter| hash = hash_with(hash, letter)));
    hash
}

fn number(word: &str) -> f64 {
    word.parse().unwrap_or_default()
}

impl Words {
    fn read() -> Self {
        let mut words = Self { meanings: ByWord::default(), languages: Vec::new(), dimensions: Vec::new() };
        for mut row in rows(include_str!("tables/stop_words.txt")) {
            let language = Languages(1 << words.languages.len());
            words.languages.extend(row.next());
            words.each(row, |meaning| {
                meaning.stops.0 |= language.0;
                meaning.is_light = true;
            });
        }
        rows(include_str!("tables/light_words.txt")).for_each(|row| words.each(row, |it| it.is_light = true));
        for mut row in rows(include_str!("tables/negations.txt")) {
            let language = row.next().map(|code| words.language(code)).filter(|known| *known != Languages(0));
            words.each(row, |it| it.negates.0 |= language.unwrap_or(Languages::ANY).0);
        }
        rows(include_str!("tables/negating_prepositions.txt")).for_each(|row| {
            words.each(row, |it| (it.negates, it.negates_noun) = (Languages::ANY, true));
        });
        rows(include_str!("tables/no_negations.txt")).for_each(|row| words.each(row, |it| it.unnegates = true));
        rows(include_str!("tables/approximations.txt")).for_each(|row| words.each(row, |it| it.is_about = true));
        for mut row in rows(include_str!("tables/months.txt")) {
            let month = row.next().and_then(|month| month.parse().ok()).unwrap_or_default();
            words.each(row, |meaning| meaning.month = month);
        }
        for mut row in rows(include_str!("tables/scales.txt")) {
            let scale = row.next().map(number);
            words.each(row, |meaning| meaning.scale = scale);
        }
        for mut row in rows(include_str!("tables/fractions.txt")) {
            let fraction = row.next().map(number);
            words.each(row, |meaning| meaning.fraction = fraction);
        }
        for mut row in rows(include_str!("tables/ordinals.txt")) {
            let place = row.next().and_then(|place| place.parse().ok()).unwrap_or_default();
            words.each(row, |meaning| meaning.ordinal = place);
        }
        for mut row in rows(include_str!("tables/weekdays.txt")) {
            let day = row.next().and_then(|day| day.parse().ok()).unwrap_or_default();
            words.each(row, |meaning| meaning.weekday = day);
        }
        rows(include_str!("tables/ones.txt")).for_each(|row| words.each(row, |it| it.is_one = true));
        rows(include_str!("tables/joining_words.txt")).for_each(|row| words.each(row, |it| it.joins = true));
        rows(include_str!("tables/soft_negations.txt"))
            .for_each(|row| words.each(row, |it| it.is_soft_negation = true));
        for mut row in rows(include_str!("tables/units.txt")) {
            let unit = words.unit(&mut row);
            words.each(row, |meaning| match meaning.unit {
                None => meaning.unit = Some(unit),
                Some(known) => meaning.other_unit = Some(unit).filter(|unit| *unit != known),
            });
        }
        for mut row in rows(include_str!("tables/times.txt")) {
            let times = row.next().and_then(|times| times.parse().ok());
            words.each(row, |meaning| meaning.times = times);
        }
        rows(include_str!("tables/excesses.txt")).for_each(|row| words.each(row, |it| it.is_excess = true));
        for mut row in rows(include_str!("tables/periods.txt")) {
            let unit = words.unit(&mut row);
            words.each(row, |meaning| meaning.period = Some(unit));
        }
        for row in rows(include_str!("tables/whole_times.txt")) {
            let phrases = row.skip(2).collect::<Vec<_>>().join(" ");
            for phrase in phrases.split(',') {
                let Some(word) = phrase.split_whitespace().next() else { continue };
                let first = word.chars().next().filter(|first| is_ideograph(*first)).map(String::from);
                words.each([first.as_deref().unwrap_or(word)].into_iter(), |it| it.begins_time = true);
            }
        }
        words.read_numbers();
        for mut row in rows(include_str!("tables/clock_phrases.txt")) {
            let stands_alone = row.nth(1) == Some("is");
            words.each(row.skip(1).take(1), |it| {
                (it.begins_date, it.begins_fact) = (true, it.begins_fact || stands_alone);
            });
        }
        words.meanings.values_mut().for_each(Meaning::sum_up);
        words
    }

    /// The unit that a row begins with: a dimension and a factor.
    fn unit(&mut self, row: &mut impl Iterator<Item = &'static str>) -> Unit {
        let name = row.next().unwrap_or_default();
        let factor = row.next().map(number).unwrap_or(1.0);
        let known = self.dimensions.iter().position(|dimension| *dimension == name);
        let index = known.unwrap_or_else(|| {
            self.dimensions.push(name);
            self.dimensions.len() - 1
        });
        Unit { dimension: Dimension(u8::try_from(index).unwrap_or(u8::MAX)), factor }
    }

    fn read_numbers(&mut self) {
        for mut row in rows(include_str!("tables/numbers.txt")) {
            let language = row.next().map(|code| self.language(code)).unwrap_or_default();
            for (word, value) in row.filter_map(|pair| pair.split_once('=')) {
                self.add_number(word, language, number(value));
            }
        }
        for row in rows(include_str!("tables/numbers_in_one_word.txt")) {
            self.read_numbers_in_one_word(&row.collect::<Vec<_>>());
        }
    }

    fn read_numbers_in_one_word(&mut self, row: &[&str]) {
        let [language, first, joint, ones, tens] = row else { return };
        let language = self.language(language);
        let joint = joint.trim_matches('-');
        for (ten, tens) in (2_u8..).zip(tens.split(',')) {
            // `veinti` is no number alone.
            if !tens.starts_with("veinti") {
                self.add_number(tens, language, f64::from(ten * 10));
            }
            for (one, ones) in (1_u8..).zip(ones.split(',')) {
                let value = f64::from(ten * 10 + one);
                if *first == "ones" {
                    self.add_number(&format!("{ones}{joint}{tens}"), language, value);
                    continue;
                }
                self.add_number(&format!("{tens}{ones}"), language, value);
                // `ventuno`, `trentotto`
                if ones.starts_with(['u', 'o'])
                    && let Some((last, _)) = tens.char_indices().next_back()
                {
                    self.add_number(&format!("{}{ones}", &tens[..last]), language, value);
                }
            }
        }
    }

    fn add_number(&mut self, word: &str, language: Languages, value: f64) {
        let [first, second] = &mut self.meanings.entry(folded(word)).or_default().numbers;
        let place = if first.0 == Languages::default() || first.1 == value { first } else { second };
        place.0.0 |= language.0;
        place.1 = value;
    }

    fn each<'w>(&mut self, words: impl Iterator<Item = &'w str>, change: impl Fn(&mut Meaning)) {
        for word in words {
            change(self.meanings.entry(folded(word)).or_default());
        }
    }

    /// The meanings of a word by the hash of its folded letters.
    pub(crate) fn meaning(&self, word: u64) -> Option<&Meaning> {
        self.meanings.get(&word)
    }

    /// The number of languages.
    pub(crate) fn languages(&self) -> usize {
        self.languages.len()
    }

    /// The language of this code.
    pub(crate) fn language(&self, code: &str) -> Languages {
        self.languages.iter().position(|known| *known == code).map_or(Languages(0), |index| Languages(1 << index))
    }

    /// The unit that a word of the table of units is.
    pub(crate) fn unit_named(&self, word: &str) -> Option<Unit> {
        self.meaning(folded(word)).and_then(|meaning| meaning.unit)
    }

    /// Whether a unit is of this dimension.
    pub(crate) fn is(&self, unit: Unit, dimension: &str) -> bool {
        self.dimensions.get(usize::from(unit.dimension.0)).is_some_and(|name| *name == dimension)
    }

    /// Whether a unit is of money.
    pub(crate) fn is_money(&self, unit: Unit) -> bool {
        self.dimensions.get(usize::from(unit.dimension.0)).is_some_and(|name| name.starts_with("money-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_all_of_its_meanings() {
        let meaning = |word: &str| *WORDS.meaning(folded(word)).expect("it stands in a table");
        let once = meaning("once");
        assert!(once.is_light && once.numbers[0].1 == 11.0 && once.numbers[0].0.has(WORDS.language("es")));
        assert_eq!(meaning("november").month, 11);
        let (day, week) = (meaning("tage").unit.expect("a unit"), meaning("weeks").unit.expect("a unit"));
        assert_eq!((day.dimension, week.factor / day.factor), (week.dimension, 7.0));
        assert!(
            WORDS.is_money(meaning("€").unit.expect("a unit")) && WORDS.is(meaning("%").unit.expect("a unit"), "share")
        );
    }
}
