//! Splits a text that arrives in pieces into lines.

/// The maximum length of a line and of an event, in bytes. A first event that carries all passages of a retrieval is far
/// shorter.
pub(super) const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Splits bytes into lines, wherever the pieces are cut. A line ends with LF, CRLF or CR (rule T-01).
#[derive(Debug)]
pub(super) struct Lines {
    /// The bytes of the line that has not ended.
    partial: Vec<u8>,
    /// Whether the last byte was a CR, so that a following LF belongs to it.
    after_cr: bool,
    /// The number of the line that has not ended, counted from 1.
    number: usize,
}

/// The error that a line is longer than [`MAX_EVENT_BYTES`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong {
    /// The number of the line, counted from 1.
    pub(super) line: usize,
}

impl Lines {
    /// A splitter whose first line gets this number.
    pub(super) fn from_number(number: usize) -> Self {
        Self { partial: Vec::new(), after_cr: false, number }
    }

    /// Takes bytes, and passes each line that ends in them to `line`: its number, and its bytes without the line end.
    pub(super) fn push(&mut self, bytes: &[u8], mut line: impl FnMut(usize, &[u8])) -> Result<(), LineTooLong> {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let piece = &rest[..end.unwrap_or(rest.len())];
            if self.partial.len() + piece.len() > MAX_EVENT_BYTES {
                return Err(LineTooLong { line: self.number });
            }
            let Some(end) = end else {
                self.partial.extend_from_slice(piece);
                break;
            };
            if self.partial.is_empty() {
                line(self.number, piece);
            } else {
                self.partial.extend_from_slice(piece);
                line(self.number, &self.partial);
                self.partial.clear();
            }
            self.number += 1;
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
        Ok(())
    }

    /// The last line, if it has no line end.
    pub(super) fn finish(self) -> Option<(usize, Vec<u8>)> {
        (!self.partial.is_empty()).then_some((self.number, self.partial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<(usize, String)> {
        let mut reader = Lines::from_number(1);
        let mut found = Vec::new();
        for piece in pieces {
            let take = |number, line: &[u8]| found.push((number, String::from_utf8_lossy(line).into_owned()));
            reader.push(piece, take).expect("short lines");
        }
        found.extend(reader.finish().map(|(number, line)| (number, String::from_utf8_lossy(&line).into_owned())));
        found
    }

    #[test]
    fn lines_end_alike_wherever_the_bytes_are_cut() {
        let text = "a\nb\r\n\r\nc\rd\r\r\né".as_bytes();
        let whole = lines(&[text]);
        let expected = [(1, "a"), (2, "b"), (3, ""), (4, "c"), (5, "d"), (6, ""), (7, "é")];
        assert_eq!(whole, expected.map(|(number, line)| (number, line.to_owned())));
        for cut in 0..=text.len() {
            assert_eq!(lines(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
        assert_eq!(lines(&text.iter().map(std::slice::from_ref).collect::<Vec<_>>()), whole);
    }

    #[test]
    fn a_line_without_an_end_is_not_collected_forever() {
        let mut reader = Lines::from_number(3);
        let piece = vec![b'x'; MAX_EVENT_BYTES / 2];
        let mut push = |bytes: &[u8]| reader.push(bytes, |_, _| {});
        assert_eq!([push(&piece), push(&piece), push(b"x")], [Ok(()), Ok(()), Err(LineTooLong { line: 3 })]);
    }
}
