//! Letters as they are compared: without case, accents and characters that nobody sees.

use unicode_normalization::UnicodeNormalization as _;

/// The hash of no letters (FNV-1a).
pub(crate) const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The prime of FNV-1a.
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash of a word that goes on by one folded letter.
pub(crate) fn hash_with(hash: u64, letter: char) -> u64 {
    (hash ^ u64::from(u32::from(letter))).wrapping_mul(PRIME)
}

/// The hash of a word that is folded already.
pub(crate) const fn hash_of(folded: &str) -> u64 {
    let bytes = folded.as_bytes();
    let (mut hash, mut at) = (EMPTY, 0);
    while at < bytes.len() {
        // The letter, decoded here: a constant cannot ask an iterator.
        let (length, first) = match bytes[at] {
            first @ ..0x80 => (1, first),
            first @ ..0xe0 => (2, first & 0x1f),
            first @ ..0xf0 => (3, first & 0x0f),
            first => (4, first & 0x07),
        };
        let (mut letter, mut next) = (first as u64, at + 1);
        while next < at + length {
            letter = letter << 6 | (bytes[next] & 0x3f) as u64;
            next += 1;
        }
        hash = (hash ^ letter).wrapping_mul(PRIME);
        at += length;
    }
    hash
}

/// Calls `out` with the folded letters of a character: none for an accent, two for `ß`.
///
/// Accents are taken from Latin, Greek and Cyrillic letters, points from Arabic and Hebrew ones. Vowel signs of Indic scripts and
/// Hangul stay, since they are letters there. A letter of another script that looks alike stays another letter.
pub(crate) fn fold(letter: char, mut out: impl FnMut(char)) {
    if letter.is_ascii() {
        out(letter.to_ascii_lowercase());
        return;
    }
    if is_unseen(letter) {
        return;
    }
    match letter {
        'ß' | 'ẞ' => {
            out('s');
            out('s');
        }
        'ø' | 'Ø' => out('o'),
        'ł' | 'Ł' => out('l'),
        'đ' | 'Đ' => out('d'),
        'ı' | 'İ' => out('i'),
        'æ' | 'Æ' => {
            out('a');
            out('e');
        }
        'œ' | 'Œ' => {
            out('o');
            out('e');
        }
        _ if is_ideograph(letter) || matches!(letter, '\u{ac00}'..='\u{d7a3}') => out(letter),
        _ if is_cased_script(letter) => {
            letter.to_lowercase().nfkd().filter(|part| !is_unseen(*part)).for_each(out);
        }
        _ => letter.to_lowercase().nfkc().filter(|part| !is_unseen(*part)).for_each(out),
    }
}

/// Whether a character has no place of its own: accents, points, soft hyphens, zero width, marks of direction.
pub(crate) fn is_unseen(character: char) -> bool {
    !character.is_ascii()
        && matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{640}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{591}'..='\u{5c7}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
}

/// Latin, Greek and Cyrillic letters, whose accents are marks, and compatibility forms of them: ligatures and full width.
fn is_cased_script(letter: char) -> bool {
    matches!(letter, '\u{80}'..='\u{52f}' | '\u{1d00}'..='\u{1fff}' | '\u{2c60}'..='\u{2c7f}' | '\u{fb00}'..='\u{fb06}'
        | '\u{ff21}'..='\u{ff5a}')
}

/// Whether a character belongs to a script without blanks: each is a token, and neighbours make words.
pub(crate) fn is_ideograph(character: char) -> bool {
    !character.is_ascii()
        && matches!(character, '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2ffff}')
        && !matches!(character, '\u{e50}'..='\u{e59}' | '\u{ed0}'..='\u{ed9}' | '\u{1040}'..='\u{1049}'
            | '\u{17e0}'..='\u{17e9}')
}

/// The value of a decimal digit of any script.
pub(crate) fn digit(character: char) -> Option<u32> {
    if character.is_ascii() {
        return character.to_digit(10);
    }
    const ZEROS: [u32; 20] = [
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
        0x1040, 0x17e0, 0x1810, 0xa8d0, 0xff10,
    ];
    let code = u32::from(character);
    ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut folded = String::new();
        text.chars().for_each(|letter| fold(letter, |part| folded.push(part)));
        folded
    }

    #[test]
    fn case_accents_and_unseen_characters_do_not_count() {
        for (text, expected) in [
            ("Müller", "muller"),
            ("STRASSE Straße", "strasse strasse"),
            ("e\u{301}te\u{301} été", "ete ete"),
            ("Ἀθῆναι", "αθηναι"),
            ("Йод", "иод"),
            ("ｆｕｌｌ ﬁne", "full fine"),
            ("soft\u{ad}ly in\u{200b}side", "softly inside"),
            ("مُحَمَّد", "محمد"),
            ("İstanbul ısı", "istanbul isi"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn letters_of_other_scripts_that_look_alike_and_vowel_signs_stay() {
        assert_ne!(folded("А"), folded("A"));
        assert_eq!(folded("हिन्दी"), "हिन्दी");
        assert_eq!(folded("각 漢字 かな"), "각 漢字 かな");
    }

    #[test]
    fn the_hash_of_a_word_is_that_of_its_letters() {
        for word in ["", "per", "чем", "休暇", "𝒂b"] {
            assert_eq!(hash_of(word), word.chars().fold(EMPTY, hash_with), "{word}");
        }
    }

    #[test]
    fn digits_of_every_script_have_their_value() {
        for digits in ["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９", "๐๑๒๓๔๕๖๗๘๙"]
        {
            let values: Vec<_> = digits.chars().map(digit).collect();
            assert_eq!(values, (0..10).map(Some).collect::<Vec<_>>(), "{digits}");
        }
        assert_eq!(digit('x'), None);
    }
}
