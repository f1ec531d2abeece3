//! Vectors of length 1, compared one by one.
//!
//! The dot product of two of them is the cosine of the angle between them: 1 for the same direction, 0 where they have nothing
//! in common. A vector of zeros stands for a passage without a vector, and is never near.

use std::cmp::Ordering;
use std::sync::Arc;

/// The number of products that are added up side by side, so that the compiler can use vector instructions.
const LANES: usize = 16;

/// The digest of all texts that vectors are made of.
pub(super) type TextsDigest = [u8; 32];

/// The vectors of one document: a row of `dimension` numbers for each passage.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DocumentVectors {
    pub(super) dimension: usize,
    pub(super) rows: Arc<[f32]>,
}

/// The vectors of one document, and the place of its first passage in the index.
#[derive(Clone, Debug)]
pub(super) struct VectorBlock {
    pub(super) first: usize,
    pub(super) texts: TextsDigest,
    pub(super) vectors: DocumentVectors,
}

/// A passage near a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    /// The place of the passage in the index.
    pub(super) place: usize,
    pub(super) cosine: f32,
}

impl DocumentVectors {
    /// The vector of the passage at this place of the document.
    pub(super) fn row(&self, place: usize) -> Option<&[f32]> {
        self.rows.chunks_exact(self.dimension.max(1)).nth(place)
    }
}

/// Gives a vector the length 1; a vector of zeros stays. Says whether that was possible: no number may be beyond all bounds.
pub(super) fn normalize(vector: &mut [f32]) -> bool {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    length.is_finite()
}

/// The sum of the products; numbers that only one of the two has do not count.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let ((ones, one_rest), (others, other_rest)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (one, other) in ones.iter().zip(others) {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum += one * other;
        }
    }
    let rest: f32 = one_rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + rest
}

/// The passages nearest to a question, the nearest first, at most `limit`. Every vector is compared: at a hundred thousand that
/// takes less time than a call of the service that computed the vector of the question.
pub(super) fn nearest(blocks: &[VectorBlock], question: &[f32], limit: usize) -> Vec<Near> {
    let mut all: Vec<Near> = Vec::new();
    for VectorBlock { first, vectors, .. } in blocks.iter().filter(|block| block.vectors.dimension == question.len()) {
        let rows = vectors.rows.chunks_exact(vectors.dimension.max(1)).enumerate();
        let near = rows.map(|(at, row)| Near { place: first + at, cosine: dot(row, question) });
        all.extend(near.filter(|near| near.cosine > 0.0));
    }
    if limit == 0 {
        return Vec::new();
    }
    if all.len() > limit {
        all.select_nth_unstable_by(limit - 1, nearest_first);
        all.truncate(limit);
    }
    all.sort_by(nearest_first);
    all
}

fn nearest_first(one: &Near, other: &Near) -> Ordering {
    other.cosine.total_cmp(&one.cosine).then(one.place.cmp(&other.place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(first: usize, rows: &[[f32; 2]]) -> VectorBlock {
        let rows = rows.iter().flat_map(|row| {
            let mut row = *row;
            assert!(normalize(&mut row));
            row
        });
        VectorBlock { first, texts: [0; 32], vectors: DocumentVectors { dimension: 2, rows: rows.collect() } }
    }

    #[test]
    fn a_vector_is_made_as_long_as_all_others() {
        let mut vector = [3.0, 4.0];
        assert!(normalize(&mut vector));
        assert_eq!(vector, [0.6, 0.8]);
        let mut nothing = [0.0; 3];
        assert!(normalize(&mut nothing));
        assert_eq!(nothing, [0.0; 3]);
        for impossible in [f32::NAN, f32::INFINITY, f32::MAX] {
            assert!(!normalize(&mut [impossible, 1.0]), "{impossible}");
        }
    }

    #[test]
    fn products_are_added_up_whatever_the_number_of_dimensions() {
        for dimension in [0_u16, 1, 15, 16, 17, 768, 771] {
            let numbers: Vec<f32> = (0..dimension).map(f32::from).map(|number| number / 100.0).collect();
            let expected: f64 = numbers.iter().map(|number| f64::from(number * number)).sum();
            let sum = f64::from(dot(&numbers, &numbers));
            assert!((sum - expected).abs() <= expected * 1e-5, "{dimension}: {sum} {expected}");
        }
    }

    #[test]
    fn the_nearest_passages_come_first_and_those_without_a_vector_never() {
        let blocks = [
            block(0, &[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
            block(3, &[[1.0, 1.0], [-1.0, 0.0], [1.0, 0.0]]),
            VectorBlock {
                first: 6,
                texts: [0; 32],
                vectors: DocumentVectors { dimension: 3, rows: Arc::from([1.0; 3]) },
            },
        ];
        let places = |limit| nearest(&blocks, &[1.0, 0.0], limit).iter().map(|near| near.place).collect::<Vec<_>>();
        assert_eq!(places(10), [0, 5, 3]);
        assert_eq!(places(2), [0, 5]);
        assert_eq!(places(0), [0; 0]);
        assert_eq!(blocks[0].vectors.row(1), Some([0.0, 1.0].as_slice()));
        assert_eq!(blocks[0].vectors.row(3), None);
    }
}
