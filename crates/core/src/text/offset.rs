//! Offsets in the three units that providers use.
//!
//! Mixing the units is a classic bug in citation code. So each unit is a type, and only [`OffsetIndex`] converts them,
//! always with the text that the offset belongs to.

use unicode_segmentation::GraphemeCursor;

/// An offset in UTF-8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteOffset(pub usize);

/// An offset in Unicode code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CharOffset(pub usize);

/// An offset in UTF-16 code units, as JavaScript and C# count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utf16Offset(pub usize);

/// Converts offsets of one text to bytes. Building it reads the text once; a conversion reads at most 64 characters after a
/// binary search.
#[derive(Debug)]
pub struct OffsetIndex<'t> {
    text: &'t str,
    /// Bytes, code points and UTF-16 code units before every [`CHARS_PER_STEP`]th character; empty for ASCII, where all
    /// three agree.
    steps: Vec<(usize, usize, usize)>,
}

const CHARS_PER_STEP: usize = 64;

impl<'t> OffsetIndex<'t> {
    /// Builds the index of `text`.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let mut steps = Vec::new();
        if !text.is_ascii() {
            let mut utf16 = 0;
            for (chars, (byte, c)) in text.char_indices().enumerate() {
                if chars % CHARS_PER_STEP == 0 {
                    steps.push((byte, chars, utf16));
                }
                utf16 += c.len_utf16();
            }
        }
        Self { text, steps }
    }

    /// A byte offset, moved forward to the next grapheme cluster boundary. An offset past the end becomes the end (rule N-06).
    #[must_use]
    pub fn from_bytes(&self, offset: ByteOffset) -> ByteOffset {
        self.boundary(offset.0)
    }

    /// Converts a code point offset to bytes, moved forward to the next grapheme cluster boundary. An offset past the end
    /// becomes the end (rule N-06).
    #[must_use]
    pub fn from_chars(&self, offset: CharOffset) -> ByteOffset {
        self.convert(offset.0, |step| step.1, |_| 1)
    }

    /// Converts a UTF-16 offset to bytes, moved forward to the next grapheme cluster boundary. An offset past the end
    /// becomes the end (rule N-06).
    #[must_use]
    pub fn from_utf16(&self, offset: Utf16Offset) -> ByteOffset {
        self.convert(offset.0, |step| step.2, char::len_utf16)
    }

    fn convert(
        &self,
        wanted: usize,
        unit: impl Fn(&(usize, usize, usize)) -> usize,
        len: impl Fn(char) -> usize,
    ) -> ByteOffset {
        if self.steps.is_empty() {
            return self.boundary(wanted);
        }
        let step = &self.steps[self.steps.partition_point(|step| unit(step) <= wanted) - 1];
        let (mut byte, mut counted) = (step.0, unit(step));
        for c in self.text[byte..].chars() {
            if counted >= wanted {
                break;
            }
            counted += len(c);
            byte += c.len_utf8();
        }
        self.boundary(byte)
    }

    /// The first grapheme cluster boundary at or after `byte`.
    fn boundary(&self, byte: usize) -> ByteOffset {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte += 1;
        }
        let mut cursor = GraphemeCursor::new(byte, self.text.len(), true);
        match cursor.is_boundary(self.text, 0) {
            Ok(true) => ByteOffset(byte),
            // The cursor has the whole text, so it cannot fail for lack of context.
            Ok(false) | Err(_) => {
                ByteOffset(cursor.next_boundary(self.text, 0).ok().flatten().unwrap_or(self.text.len()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    #[test]
    fn each_unit_finds_the_same_place() {
        let text = "aé😀b";
        let index = OffsetIndex::new(text);
        assert_eq!(index.from_bytes(ByteOffset(7)), ByteOffset(7));
        assert_eq!(index.from_chars(CharOffset(3)), ByteOffset(7));
        assert_eq!(index.from_utf16(Utf16Offset(4)), ByteOffset(7));
        assert_eq!(index.from_utf16(Utf16Offset(99)), ByteOffset(8));
    }

    #[test]
    fn an_offset_inside_a_character_or_a_cluster_moves_forward() {
        let family = "x👩‍👩‍👧y";
        let index = OffsetIndex::new(family);
        let after = ByteOffset(family.len() - 1);
        assert_eq!(index.from_bytes(ByteOffset(2)), after);
        assert_eq!(index.from_chars(CharOffset(2)), after);
        assert_eq!(index.from_utf16(Utf16Offset(2)), after);
    }

    /// Text that offsets often get wrong: emoji of several code points, CJK, combining marks, right-to-left letters, line ends.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z ]{1,3}",
            prop::sample::select(vec![
                "é",
                "e\u{301}",
                "o\u{302}\u{323}",
                "ß",
                "漢字",
                "한국",
                "각",
                "👩‍👩‍👧",
                "🇩🇪",
                "👍🏽",
                "😀",
                "שלום",
                "مرحبا",
                "\u{200f}",
                "\u{200d}",
                "नि",
                "\r\n",
                "\n",
                "\u{feff}",
                "𝒳",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,3}",
        ];
        prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// The oracle cuts the text into clusters and counts what is before each.
        #[test]
        fn any_offset_in_any_unit_names_the_next_boundary_of_clusters(text in text(), wanted in 0..300_usize) {
            let index = OffsetIndex::new(&text);
            let next = |units: &dyn Fn(&str) -> usize| {
                let mut boundaries = text.grapheme_indices(true).map(|(byte, _)| byte).chain([text.len()]);
                ByteOffset(boundaries.find(|byte| units(&text[..*byte]) >= wanted).unwrap_or(text.len()))
            };
            prop_assert_eq!(index.from_bytes(ByteOffset(wanted)), next(&str::len));
            prop_assert_eq!(index.from_chars(CharOffset(wanted)), next(&|before| before.chars().count()));
            prop_assert_eq!(index.from_utf16(Utf16Offset(wanted)), next(&|before| before.encode_utf16().count()));
        }

        /// The oracle counts characters by hand, one at a time.
        #[test]
        fn offsets_of_boundaries_convert_as_counting_by_hand_does(text in "\\PC{0,200}") {
            let index = OffsetIndex::new(&text);
            for (byte, _) in text.grapheme_indices(true) {
                let before = &text[..byte];
                prop_assert_eq!(index.from_bytes(ByteOffset(byte)), ByteOffset(byte));
                prop_assert_eq!(index.from_chars(CharOffset(before.chars().count())), ByteOffset(byte));
                prop_assert_eq!(index.from_utf16(Utf16Offset(before.encode_utf16().count())), ByteOffset(byte));
            }
        }
    }
}
