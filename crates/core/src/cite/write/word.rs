//! The last word of the output, which may be a bare address.

/// The length of `mailto:` without its colon, in bytes: so far back, a sign may begin that new text completes.
const LONGEST_SIGN: usize = 6;

/// The last word of the output. Addresses may be long, so each of their characters is looked at only once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    start: usize,
    end: usize,
    has_scheme: bool,
    has_at: bool,
    has_dot: bool,
}

impl Word {
    /// Looks at the text that was added since the last call. The word cannot begin before `from`.
    pub(super) fn follow(&mut self, text: &str, from: usize) {
        // Start again when the line has changed, or when blanks before the word were dropped.
        if self.start < from || text.len() < self.start {
            *self = Self { start: from, end: from, ..Self::default() };
        }
        self.end = self.end.min(text.len());
        if let Some((at, blank)) = text[self.end..].char_indices().rfind(|(_, c)| c.is_whitespace()) {
            let start = self.end + at + blank.len_utf8();
            *self = Self { start, end: start, ..Self::default() };
        }
        let new = &text[self.end..];
        self.has_at |= new.contains('@');
        self.has_dot |= new.contains('.');
        let holds_sign = new.bytes().any(|byte| matches!(byte, b':' | b'.' | b'/'));
        if !self.has_scheme && holds_sign {
            let before = text.floor_char_boundary(self.end.saturating_sub(LONGEST_SIGN)).max(self.start);
            let near = &text[before..];
            self.has_scheme = ["://", "mailto:", "xmpp:"].iter().any(|sign| near.contains(sign))
                || near.as_bytes().windows(4).any(|sign| sign.eq_ignore_ascii_case(b"www."));
        }
        self.end = text.len();
    }

    /// Whether the word is an address, which engines make a link of.
    pub(super) fn is_address(&self) -> bool {
        self.has_scheme || self.has_at && self.has_dot
    }
}
