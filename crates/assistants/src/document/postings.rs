//! The rows of a segment that have one stem.

/// A list of more postings can be entered at every so many.
const BLOCK: u32 = 32;

/// A row that has a stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) row: u32,
    pub(super) counts: Counts,
}

/// How often a row has a stem, in its parts. More than a few times says no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) text: u8,
    /// The nearest heading.
    pub(super) heading: u8,
    /// The title of the document, and the headings above the nearest one.
    pub(super) above: u8,
}

/// The most of each part that one byte of a posting has room for: four, two and two bits.
const MOST: Counts = Counts { text: 15, heading: 3, above: 3 };

impl Counts {
    fn to_byte(self) -> u8 {
        let Self { text, heading, above } = self;
        text.min(MOST.text) | heading.min(MOST.heading) << 4 | above.min(MOST.above) << 6
    }

    fn of_byte(byte: u8) -> Self {
        Self { text: byte & 15, heading: byte >> 4 & 3, above: byte >> 6 }
    }
}

/// A place at which a list can be entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The row before it.
    row: u32,
    /// The bytes of the list before it.
    at: u32,
}

/// The postings of one stem, in the order of their rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct PostingList<'s> {
    pub(super) count: u32,
    pub(super) bytes: &'s [u8],
    pub(super) entries: &'s [Entry],
}

impl<'s> PostingList<'s> {
    pub(super) fn iter(self) -> Postings<'s> {
        Postings { list: self, at: 0, row: 0, entry: 0, last: None }
    }
}

/// Reads a list from its beginning to its end.
#[derive(Debug)]
pub(super) struct Postings<'s> {
    list: PostingList<'s>,
    at: usize,
    row: u32,
    /// The number of entries that are passed.
    entry: usize,
    /// The posting that [`find`](Self::find) read last.
    last: Option<Posting>,
}

impl Postings<'_> {
    /// The posting of a row, if it has the stem. Rows are asked for in their order.
    pub(super) fn find(&mut self, row: u32) -> Option<Counts> {
        if let Some(last) = self.last.filter(|last| last.row >= row) {
            return (last.row == row).then_some(last.counts);
        }
        self.enter(row);
        let (mut at, mut before) = (self.at, self.row);
        let found = loop {
            let Some((next, posting)) = read(self.list.bytes, at, before) else { break None };
            (at, before) = (next, posting.row);
            if before >= row {
                break Some(posting);
            }
        };
        (self.at, self.row, self.last) = (at, before, found);
        found.filter(|found| found.row == row).map(|found| found.counts)
    }

    /// Passes over what stands before the last place to enter the list ahead of a row.
    fn enter(&mut self, row: u32) {
        let ahead = self.list.entries.get(self.entry..).unwrap_or_default();
        // Rows that are asked for often stand near each other.
        if ahead.first().is_none_or(|entry| entry.row >= row) {
            return;
        }
        self.entry += ahead.partition_point(|entry| entry.row < row);
        if let Some(entry) = self.entry.checked_sub(1).and_then(|before| self.list.entries.get(before))
            && entry.at as usize > self.at
        {
            (self.at, self.row) = (entry.at as usize, entry.row);
        }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        let (at, posting) = read(self.list.bytes, self.at, self.row)?;
        (self.at, self.row) = (at, posting.row);
        Some(posting)
    }
}

/// Reads the posting that stands here, behind one of the row before; also tells where it ends.
#[inline]
fn read(bytes: &[u8], at: usize, before: u32) -> Option<(usize, Posting)> {
    let rest = bytes.get(at..)?;
    // Most rows are near the one before.
    let (step, length) = match rest.first()? {
        step @ 0..128 => (u32::from(*step), 1),
        _ => number(rest)?,
    };
    let counts = Counts::of_byte(*rest.get(length)?);
    Some((at + length + 1, Posting { row: before + step, counts }))
}

/// Reads a number of seven bits a byte, the lowest first; also tells how many bytes it has.
fn number(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate() {
        number |= u32::from(byte & 127).checked_shl(7 * u32::try_from(at).ok()?)?;
        if *byte < 128 {
            return Some((number, at + 1));
        }
    }
    None
}

/// A list while it is written.
#[derive(Debug, Default)]
pub(super) struct PostingWriter {
    pub(super) count: u32,
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    last: u32,
}

impl PostingWriter {
    /// Adds a row behind the others.
    pub(super) fn push(&mut self, row: u32, counts: Counts) {
        if self.count > 0 && self.count.is_multiple_of(BLOCK) {
            self.entries.extend(u32::try_from(self.bytes.len()).ok().map(|at| Entry { row: self.last, at }));
        }
        let mut number = row - self.last;
        while number >= 128 {
            self.bytes.push(number as u8 | 128);
            number >>= 7;
        }
        self.bytes.extend([number as u8, counts.to_byte()]);
        self.last = row;
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_a_list_is_found_and_no_other_one() {
        let rows: Vec<u32> = (0..3_000).map(|at| at * 3 + at / 7 * 200).collect();
        let mut writer = PostingWriter::default();
        for (at, row) in rows.iter().enumerate() {
            writer.push(*row, Counts { text: (at % 15) as u8, heading: 1, above: 0 });
        }
        let list = PostingList { count: writer.count, bytes: &writer.bytes, entries: &writer.entries };
        assert_eq!(list.iter().map(|posting| posting.row).collect::<Vec<_>>(), rows);
        for step in [1, 2, 7, 64, 1_000, 20_000] {
            let mut postings = list.iter();
            for row in (0..rows[rows.len() - 1] + 400).step_by(step) {
                let expected = rows.binary_search(&row).ok().map(|at| (at % 15) as u8);
                assert_eq!(postings.find(row).map(|counts| counts.text), expected, "{step} {row}");
                assert_eq!(postings.find(row).map(|counts| counts.text), expected, "again {step} {row}");
            }
        }
    }
}
