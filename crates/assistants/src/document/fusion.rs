//! Fuses rankings of passages: reciprocal rank fusion (Cormack, Clarke, Büttcher 2009).

use std::collections::BTreeMap;

/// The higher, the less the first places of a ranking count beside the later ones. 60 is the number of the paper.
const K: f64 = 60.0;

/// All that is in the rankings, the best first. Each ranking counts `1 / (60 + rank)` for what it has, so that measures that cannot
/// be compared with each other need not be. What is equally good stands in the order of its keys.
pub(super) fn fuse<T: Copy + Ord>(rankings: &[&[T]]) -> Vec<T> {
    let mut sums: BTreeMap<T, f64> = BTreeMap::new();
    for ranking in rankings {
        for (rank, one) in (1_u32..).zip(*ranking) {
            *sums.entry(*one).or_default() += 1.0 / (K + f64::from(rank));
        }
    }
    let mut fused: Vec<(T, f64)> = sums.into_iter().collect();
    // Sorting keeps the order of the keys where sums are equal.
    fused.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    fused.into_iter().map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_rankings_have_comes_before_what_only_one_has() {
        assert_eq!(fuse(&[&[7, 3, 5], &[3, 9]]), [3, 7, 9, 5]);
        assert_eq!(fuse(&[&[1, 2, 3], &[]]), [1, 2, 3]);
        assert_eq!(fuse::<usize>(&[&[], &[]]), [0; 0]);
        assert_eq!(fuse(&[&[2], &[1]]), [1, 2], "equally good");
    }

    #[test]
    fn a_first_place_alone_is_no_better_than_middling_places_in_both() {
        let words: Vec<usize> = (0..20).collect();
        let vectors: Vec<usize> = (100..109).chain([10]).collect();
        assert_eq!(fuse(&[&words, &vectors]).first(), Some(&10));
    }
}
