//! Sets of bytes, and the search for their first occurrence.

/// Number of bytes that are checked before the search branches. The compiler compares as many with one instruction.
const AT_ONCE: usize = 16;

/// A set of `N` bytes.
pub(crate) struct ByteSet<const N: usize> {
    bytes: [u8; N],
    holds: [bool; 256],
}

impl<const N: usize> ByteSet<N> {
    pub(crate) const fn of(bytes: &[u8; N]) -> Self {
        let mut holds = [false; 256];
        let mut at = 0;
        while at < N {
            holds[bytes[at] as usize] = true;
            at += 1;
        }
        Self { bytes: *bytes, holds }
    }

    pub(crate) fn holds(&self, byte: u8) -> bool {
        self.holds[usize::from(byte)]
    }

    /// Offset of the first byte that is in the set.
    pub(crate) fn position(&self, bytes: &[u8]) -> Option<usize> {
        let (blocks, _) = bytes.as_chunks::<AT_ONCE>();
        let before = blocks.iter().take_while(|block| !self.is_any_in(block)).count();
        let from = before * AT_ONCE;
        bytes[from..].iter().position(|byte| self.holds(*byte)).map(|at| from + at)
    }

    fn is_any_in(&self, block: &[u8; AT_ONCE]) -> bool {
        let mut any = [0; AT_ONCE];
        for sought in self.bytes {
            for (any, byte) in any.iter_mut().zip(block) {
                *any |= u8::from(*byte == sought);
            }
        }
        u128::from_ne_bytes(any) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_the_set_is_found_wherever_it_stands() {
        static SET: ByteSet<2> = ByteSet::of(b"[\xe3");
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
