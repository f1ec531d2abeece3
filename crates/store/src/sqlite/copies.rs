//! Records which parts of the file may still contain deleted bytes.

/// The parts of the file that may still contain deleted bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    pub(super) in_log: bool,
    pub(super) in_pages: bool,
}

impl Copies {
    pub(super) const EVERYWHERE: Self = Self { in_log: true, in_pages: true };
}
