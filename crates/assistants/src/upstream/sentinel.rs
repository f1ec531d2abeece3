//! The end marker that many streams have.

/// The event behind which nothing follows (rule T-04), with and without the blank that may stand in it.
const SIGNS: [&[u8]; 2] = [b"data: [DONE]", b"data:[DONE]"];

/// The number of last bytes that are looked at: the sign and some line ends.
const LOOKED_AT: usize = 32;

/// Finds the end marker while a body arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct Sentinel {
    /// The last bytes.
    tail: Vec<u8>,
    begun: bool,
}

impl Sentinel {
    /// Takes note of the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(bytes);
        let excess = self.tail.len().saturating_sub(LOOKED_AT);
        self.begun |= excess > 0;
        self.tail.drain(..excess);
    }

    /// Whether what has arrived ends with a line that is the sign.
    pub(super) fn is_seen(&self) -> bool {
        let line = self.tail.trim_ascii_end();
        // A line is whole when its end is there.
        line.len() < self.tail.len()
            && SIGNS.into_iter().filter_map(|sign| line.strip_suffix(sign)).any(|before| match before.last() {
                Some(byte) => matches!(byte, b'\n' | b'\r'),
                None => !self.begun,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> bool {
        let (mut whole, mut bytes) = (Sentinel::default(), Sentinel::default());
        whole.push(text.as_bytes());
        text.as_bytes().chunks(1).for_each(|byte| bytes.push(byte));
        assert_eq!(whole.is_seen(), bytes.is_seen(), "{text:?}");
        whole.is_seen()
    }

    #[test]
    fn only_a_line_of_its_own_is_the_sign() {
        for text in [
            "data: {}\n\ndata: [DONE]\n\n",
            "data: [DONE]\n",
            "data: {\"a\": \"long enough to be cut\"}\r\n\r\ndata:[DONE]\r\n\r\n",
        ] {
            assert!(seen(text), "{text:?}");
        }
        let inside = "data: {\"delta\": \"say data: [DONE]\n";
        for text in
            ["", "data: [DONE]", "data: [DONE] \u{b7}\n", inside, "data: [DONE]\n\ndata: {}\n\n", "x data: [DONE]\n"]
        {
            assert!(!seen(text), "{text:?}");
        }
    }
}
