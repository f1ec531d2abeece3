//! Sets of bytes, and the search for their first occurrence.

/// Number of bytes that are checked before the search branches.
const AT_ONCE: usize = 8;

/// A set of bytes.
pub(crate) struct ByteSet([bool; 256]);

impl ByteSet {
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut at = 0;
        while at < bytes.len() {
            set[bytes[at] as usize] = true;
            at += 1;
        }
        Self(set)
    }

    pub(crate) fn holds(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// Offset of the first byte that is in the set.
    pub(crate) fn position(&self, bytes: &[u8]) -> Option<usize> {
        let holds = |byte: &u8| self.holds(*byte);
        let blocks = bytes.chunks_exact(AT_ONCE);
        let before = blocks.take_while(|block| !block.iter().fold(false, |any, byte| any | holds(byte))).count();
        let from = before * AT_ONCE;
        bytes[from..].iter().position(holds).map(|at| from + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_the_set_is_found_wherever_it_stands() {
        static SET: ByteSet = ByteSet::of(b"[\xe3");
        for length in 0..40 {
            let plain = vec![b'a'; length];
            assert_eq!(SET.position(&plain), None);
            for at in 0..length {
                let mut bytes = plain.clone();
                bytes[at..].fill(b'[');
                assert_eq!(SET.position(&bytes), Some(at));
                bytes[at] = 0xe3;
                assert_eq!(SET.position(&bytes), Some(at));
            }
        }
    }
}
