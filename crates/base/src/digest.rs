//! Digests of what consists of several texts.

use aws_lc_rs::digest::{Context, SHA256, SHA256_OUTPUT_LEN};

/// SHA-256 of all parts. Each has its length before it, so that no part can reach into the next.
pub fn of_parts<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> [u8; SHA256_OUTPUT_LEN] {
    let mut context = Context::new(&SHA256);
    for part in parts {
        let part = part.as_ref();
        context.update(&part.len().to_be_bytes());
        context.update(part);
    }
    let mut digest = [0; SHA256_OUTPUT_LEN];
    digest.copy_from_slice(context.finish().as_ref());
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_letters_in_other_parts_are_something_else() {
        assert_ne!(of_parts(["ab", "c"]), of_parts(["a", "bc"]));
        assert_ne!(of_parts(["a", ""]), of_parts(["a"]));
        assert_eq!(of_parts(["a", "b"]), of_parts([b"a", b"b"]));
    }
}
