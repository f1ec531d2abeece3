//! Texts in the properties, fields and notes of a PDF.

/// A text as UTF-16 or UTF-8 behind its mark, or else as single bytes.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Many programs write UTF-8 without its mark.
        bytes => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().copied().map(single).collect(),
        },
    }
}

fn utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    without_languages(&text)
}

/// A text may name its language between two escapes, which is no part of it.
fn without_languages(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut written = parts.next().unwrap_or_default().to_owned();
    while let Some(language) = parts.next() {
        match parts.next() {
            Some(part) => written.push_str(part),
            None => written.push_str(language),
        }
    }
    written
}

/// The characters of PDFDocEncoding that differ from Latin-1.
fn single(byte: u8) -> char {
    const FROM_24: [char; 8] = ['\u{2d8}', '\u{2c7}', '\u{2c6}', '\u{2d9}', '\u{2dd}', '\u{2db}', '\u{2da}', '\u{2dc}'];
    const FROM_128: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    let at = |row: &[char], first: u8| row.get(usize::from(byte - first)).copied().unwrap_or(char::from(byte));
    match byte {
        24..=31 => at(&FROM_24, 24),
        128..=160 => at(&FROM_128, 128),
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_in_each_of_its_encodings() {
        for (bytes, text) in [
            (b"plain".as_slice(), "plain"),
            (b"\xfe\xff\0L\x01\x41", "LŁ"),
            (b"\xff\xfeL\0", "L"),
            (b"\xef\xbb\xbf\xc3\xbc", "ü"),
            ("ü".as_bytes(), "ü"),
            (b"\x84 \xa0 \xfc", "— € ü"),
            (b"\xfe\xff\0\x1b\0d\0e\0\x1b\0J\0a", "Ja"),
        ] {
            assert_eq!(text_string(bytes), text, "{bytes:?}");
        }
    }
}
