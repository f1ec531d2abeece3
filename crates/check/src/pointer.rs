//! JSON pointers (RFC 6901) into the checked document.

use std::cmp::Ordering;

/// The place of a value in the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pointer(String);

impl Pointer {
    /// The member `key` of this object.
    pub(super) fn key(&self, key: &str) -> Self {
        let mut pointer = String::with_capacity(self.0.len() + key.len() + 1);
        pointer.push_str(&self.0);
        pointer.push('/');
        for c in key.chars() {
            match c {
                '~' => pointer.push_str("~0"),
                '/' => pointer.push_str("~1"),
                c => pointer.push(c),
            }
        }
        Self(pointer)
    }

    /// The item at `index` of this array, counted from 0.
    pub(super) fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Compares pointers in document order: parents before children, items by number, members by name.
pub(super) fn document_order(left: &str, right: &str) -> Ordering {
    let mut left = left.split('/');
    let mut right = right.split('/');
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(left), Some(right)) => match (left.parse::<u64>(), right.parse::<u64>()) {
                (Ok(left), Ok(right)) => left.cmp(&right),
                _ => left.cmp(right),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tildes_and_slashes_are_escaped() {
        let pointer = Pointer::default().key("a/b").index(3).key("~x").key("");
        assert_eq!(pointer.as_str(), "/a~1b/3/~0x/");
    }

    #[test]
    fn items_are_ordered_by_number_and_parents_come_first() {
        let mut pointers = ["/10/a", "/9/b", "/9", "/9/a", ""];
        pointers.sort_by(|left, right| document_order(left, right));
        assert_eq!(pointers, ["", "/9", "/9/a", "/9/b", "/10/a"]);
    }
}
