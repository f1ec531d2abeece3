//! Normalizes the words of a text for the search.

/// The letters of one word; in writing without blanks between words, two letters that stand side by side.
///
/// There a word cannot be told from its neighbours without a dictionary. Pairs of letters need none, find words of two letters,
/// as most Chinese ones are, and are looked for as phrases in an index of single letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchWord {
    /// The word in lower case, without the diacritics that writers leave out.
    pub(super) text: String,
    /// Whether the word is of a writing without blanks.
    pub(super) is_unspaced: bool,
}

/// The words of a text in their order.
pub(super) fn words(text: &str) -> Vec<SearchWord> {
    let mut words = Vec::new();
    let (mut word, mut run) = (String::new(), Vec::new());
    // The blank at the end ends the last word.
    for c in text.chars().chain([' ']) {
        let unspaced = is_unspaced(c);
        if !unspaced {
            pairs(&mut run, &mut words);
        }
        if unspaced || !c.is_alphanumeric() {
            if !word.is_empty() {
                words.push(SearchWord { text: std::mem::take(&mut word), is_unspaced: false });
            }
            run.extend(Some(c).filter(|_| unspaced));
        } else {
            word.extend(c.to_lowercase().map(without_diacritic));
        }
    }
    words
}

fn pairs(run: &mut Vec<char>, words: &mut Vec<SearchWord>) {
    let of = |letters: &[char]| SearchWord { text: letters.iter().collect(), is_unspaced: true };
    match run.len() {
        0 => {}
        1 => words.push(of(run)),
        _ => words.extend(run.windows(2).map(of)),
    }
    run.clear();
}

/// The text with blanks around the letters of writings that have none, so that each letter is a word to the index.
pub(super) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unspaced(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

/// Letters of Chinese, Japanese, Thai, Lao, Burmese and Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3041..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
        && c.is_alphabetic()
}

fn without_diacritic(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì' | 'í' | 'î' | 'ï' | 'ī' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ő' | 'ō' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ű' | 'ū' | 'ů' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

/// Whether two words are forms of one, as far as their beginnings tell: `policy` and `policies`, `day` and `days`, `Urlaub` and
/// `Urlaubstage`.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let lengths = (one.chars().count(), other.chars().count());
    let (shorter, longer) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let is_beginning = shared == shorter && (shorter >= 5 || shorter >= 3 && longer - shorter <= 2);
    is_beginning || shared >= 5 && shared + 1 >= shorter && longer - shorter <= 3
}

/// Words that say nothing about what is asked. Without diacritics, as [`words`] gives them.
pub(super) fn is_stop_word(word: &SearchWord) -> bool {
    if word.is_unspaced {
        return UNSPACED.contains(&word.text.as_str())
            || word.text.contains(['的', '了', '吗', '呢', '吧', '啊', '嗎']);
    }
    ENGLISH.contains(&word.text.as_str()) || GERMAN.contains(&word.text.as_str())
}

const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "big", "but", "by", "can", "could", "d", "describe", "did", "do", "does", "doing", "don",
    "done", "exactly", "explain", "for", "from", "get", "give", "had", "happen", "happens", "has", "have", "he",
    "hello", "her", "here", "hi", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "know", "let",
    "like", "ll", "long", "m", "many", "may", "me", "mean", "means", "more", "most", "much", "must", "my", "need",
    "no", "not", "of", "off", "often", "on", "or", "other", "our", "out", "please", "possible", "re", "s", "say",
    "she", "should", "show", "so", "some", "such", "t", "tell", "than", "thank", "thanks", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "too", "us", "use", "used", "using", "ve", "very",
    "want", "was", "way", "we", "were", "what", "when", "where", "whether", "which", "who", "whom", "whose", "why",
    "will", "with", "work", "working", "works", "would", "yes", "you", "your",
];

const GERMAN: &[&str] = &[
    "ab", "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "auch", "auf", "aus", "bei",
    "beim", "bin", "bis", "bist", "bitte", "da", "danke", "dann", "das", "dass", "daß", "dein", "deine", "dem", "den",
    "denn", "der", "des", "dich", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "dir", "doch",
    "dort", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "erklare", "es", "etwas", "euch",
    "fur", "gibt", "hab", "habe", "haben", "hallo", "hat", "hatte", "hier", "ich", "ihm", "ihn", "ihr", "ihre", "im",
    "in", "ins", "ist", "ja", "jede", "jeder", "kann", "kannst", "kein", "keine", "konnen", "lang", "lange", "man",
    "mehr", "mein", "meine", "meinen", "meiner", "mich", "mir", "mit", "muss", "muß", "mussen", "nach", "nein",
    "nicht", "noch", "nur", "ob", "oder", "oft", "ohne", "sag", "sage", "sehr", "sein", "seine", "sich", "sie", "sind",
    "so", "soll", "sollte", "uber", "um", "und", "uns", "unser", "unsere", "unter", "viel", "viele", "vielen", "vom",
    "von", "vor", "wann", "war", "waren", "warum", "was", "welche", "welchem", "welchen", "welcher", "welches", "wem",
    "wen", "wenn", "wer", "werden", "weshalb", "wie", "wieso", "wieviel", "wieviele", "will", "wir", "wird", "wo",
    "wofur", "woher", "wohin", "wurde", "zu", "zum", "zur",
];

const UNSPACED: &[&str] = &[
    "什么", "什麼", "怎么", "怎麼", "怎样", "多少", "哪里", "哪些", "如何", "可以", "是否", "请问", "請問", "我们",
    "你们", "为什", "為什", "是什", "告诉", "です", "ます", "ませ", "せん", "すか", "です", "とは", "には", "では",
    "から", "まで",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_are_in_lower_case_and_without_diacritics() {
        assert_eq!(texts("Wie lang ist die KÜNDIGUNGSFRIST?"), ["wie", "lang", "ist", "die", "kundigungsfrist"]);
        assert_eq!(texts("\"a\" AND b* (c) NEAR/3 d:e -f\u{0}"), ["a", "and", "b", "c", "near", "3", "d", "e", "f"]);
        assert_eq!(texts(" \u{200b}!"), [""; 0]);
    }

    #[test]
    fn writing_without_blanks_comes_in_pairs() {
        assert_eq!(texts("年假有7天, 假 ok"), ["年假", "假有", "7", "天", "假", "ok"]);
        assert_eq!(spaced("a年假b").split_whitespace().collect::<Vec<_>>(), ["a", "年", "假", "b"]);
    }

    #[test]
    fn forms_of_one_word_are_alike() {
        for (one, other) in [
            ("day", "days"),
            ("policy", "policies"),
            ("urlaub", "urlaubstage"),
            ("parental", "parents"),
            ("年假", "年假"),
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in
            [("in", "inn"), ("day", "dayton"), ("leave", "learn"), ("年假", "年休"), ("contract", "control")]
        {
            assert!(!are_alike(one, other) && !are_alike(other, one), "{one} {other}");
        }
    }

    #[test]
    fn stop_words_are_written_as_words_are() {
        for word in ENGLISH.iter().chain(GERMAN) {
            assert_eq!(texts(word), [*word]);
        }
    }
}
