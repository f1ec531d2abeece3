//! How much of a document is taken.

/// The bytes of text that a file of any size may have: a table of equal rows packs well.
pub const FREE_TEXT_BYTES: usize = 1024 * 1024;

/// How much of a document is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Pages or slides.
    pub max_pages: usize,
    /// Bytes of text.
    pub max_text_bytes: usize,
    /// Bytes of text for each byte of the file, where the text has more than [`FREE_TEXT_BYTES`].
    pub max_text_ratio: usize,
    /// Bytes of one part of an archive, unpacked.
    pub max_part_bytes: u64,
    /// Bytes of all parts of an archive, unpacked.
    pub max_unpacked_bytes: u64,
    /// Parts of an archive.
    pub max_parts: usize,
    /// The maximum depth of elements of XML or HTML.
    pub max_depth: usize,
    /// Keeps the place of each word of a PDF, which takes more memory than the text.
    pub keep_words: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_pages: 5_000,
            max_text_bytes: 32 * 1024 * 1024,
            max_text_ratio: 200,
            max_part_bytes: 128 * 1024 * 1024,
            max_unpacked_bytes: 512 * 1024 * 1024,
            max_parts: 20_000,
            max_depth: 256,
            keep_words: false,
        }
    }
}
