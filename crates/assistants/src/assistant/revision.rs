//! The revision of a server's assistants: a short digest of their settings and documents.

use std::fmt;

use crate::digest::of_parts;

/// The bytes of the digest that tell one revision from another.
const LENGTH: usize = 6;

/// The assistants, their settings and labels, and the texts of their documents. Nodes of one version that show the same revision
/// answer with the same. Its text has 12 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision([u8; LENGTH]);

impl Revision {
    /// The revision of these parts.
    pub(super) fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let digest = of_parts(parts);
        let mut revision = [0; LENGTH];
        revision.copy_from_slice(&digest[..LENGTH]);
        Self(revision)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
