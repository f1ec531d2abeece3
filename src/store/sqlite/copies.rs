//! Where deleted bytes may still be.

/// Where copies of what was deleted may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    pub(super) in_log: bool,
    pub(super) in_pages: bool,
}

impl Copies {
    pub(super) const EVERYWHERE: Self = Self { in_log: true, in_pages: true };
}
