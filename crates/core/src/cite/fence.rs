//! Tracks code fences, line by line.

/// An open code fence. A line of at least `length` of its signs closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    pub(crate) sign: u8,
    pub(crate) length: usize,
}

impl Fence {
    /// The fence that is open behind `line`. The line comes without the prefixes of its containers.
    pub(crate) fn behind(open: Option<Self>, line: &str) -> Option<Self> {
        let line = line.trim();
        let Some(sign) = line.bytes().next().filter(|byte| matches!(byte, b'`' | b'~')) else { return open };
        let length = line.bytes().take_while(|byte| *byte == sign).count();
        match open {
            Some(fence) if fence.sign == sign && length >= fence.length && length == line.len() => None,
            None if length >= 3 && !(sign == b'`' && line[length..].contains('`')) => Some(Self { sign, length }),
            open => open,
        }
    }
}
