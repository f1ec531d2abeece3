//! The fingerprint of an activity, to detect duplicates.

use crate::digest::of_parts;

/// The bytes of a digest that tell one activity from another.
const LENGTH: usize = 16;

/// The identity of an activity: its conversation, which names the channel, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint([u8; LENGTH]);

impl Fingerprint {
    pub(crate) fn of(conversation: &str, id: &str) -> Self {
        let digest = of_parts([conversation, id]);
        let mut fingerprint = [0; LENGTH];
        fingerprint.copy_from_slice(&digest[..LENGTH]);
        Self(fingerprint)
    }

    /// As the name of a turn.
    pub(crate) fn to_name(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_all_of_it() {
        let (one, other) = (Fingerprint::of("a", "c").to_name(), Fingerprint::of("a", "d").to_name());
        assert!(one != other && one.len() == 2 * LENGTH && other.len() == 2 * LENGTH);
    }

    #[test]
    fn the_same_id_elsewhere_is_another_activity() {
        assert_ne!(Fingerprint::of("a", "c"), Fingerprint::of("x", "c"));
        assert_ne!(Fingerprint::of("ab", "c"), Fingerprint::of("a", "bc"));
    }
}
