//! Words that are taken for each other.

pub(crate) const NUMBER_WORDS: &[(&str, &[&str])] = &[
    ("en", &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]),
    ("de", &["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"]),
    ("fr", &["deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"]),
    ("es", &["dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"]),
    ("it", &["due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci"]),
    ("nl", &["twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien"]),
    ("pl", &["dwa", "trzy", "cztery", "pięć", "sześć", "siedem", "osiem", "dziewięć", "dziesięć"]),
    ("sv", &["två", "tre", "fyra", "fem", "sex", "sju", "åtta", "nio", "tio"]),
    ("ru", &["два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять"]),
];

/// Units that are taken for each other.
pub(crate) const UNITS: &[&[&str]] = &[
    &["seconds", "minutes", "hours", "days", "weeks", "months", "years", "milliseconds"],
    &["second", "minute", "hour", "day", "week", "month", "year"],
    &["bytes", "kilobytes", "megabytes", "gigabytes", "bits"],
    &["KB", "MB", "GB", "TB"],
    &["KiB", "MiB", "GiB", "TiB"],
    &["Sekunden", "Minuten", "Stunden", "Tage", "Wochen", "Jahre"],
    &["secondes", "minutes", "heures", "jours", "semaines"],
    &["segundos", "minutos", "horas", "días", "semanas"],
    &["секунд", "минут", "часов", "дней"],
    &["octets", "jours"],
    &["sekund", "minut", "dni"],
    &["sekunder", "minuter", "dagar", "veckor"],
];

pub(crate) const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Januar",
    "Februar",
    "März",
    "Juni",
    "Juli",
    "Oktober",
    "Dezember",
    "janvier",
    "février",
    "mars",
    "avril",
    "juin",
    "juillet",
    "août",
    "enero",
    "febrero",
    "marzo",
    "abril",
    "junio",
    "julio",
    "agosto",
    "января",
    "марта",
    "июля",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
];

pub(crate) const NEGATIONS: &[&str] = &[
    " not", " nicht", " kein", " keine", " no", " non", " niet", " geen", " nie", " не", " inte", " ikke", " ne",
    " não", " ei", " nu", "не", "不", "没有",
];

/// Whether a word looks like a name inside of a sentence.
pub(crate) fn is_name(word: &str, is_german: bool) -> bool {
    let mut letters = word.chars();
    let first = letters.next().unwrap_or(' ');
    let (length, is_plain) = (word.chars().count(), word.chars().all(char::is_alphanumeric));
    let is_acronym = word.chars().all(|letter| letter.is_uppercase() || letter.is_ascii_digit()) && length <= 8;
    let has_case = first.is_uppercase() && word.chars().any(char::is_alphabetic);
    let is_word = letters.all(char::is_lowercase) && length >= 4 && !is_german;
    is_plain && has_case && length >= 3 && (is_acronym || is_word)
}
