//! Evenly spaced updates of a text whose length nobody knows before its end.

/// The text of all updates together, in bytes, where there could be more: each update repeats the text before it.
const MAX_TOTAL_BYTES: usize = 8 * 1024 * 1024;

/// Places where a growing text may be cut, about as far from each other as the updates will be. Only lengths are kept, since
/// every update is the beginning of the same text; and never more of them than three times the updates wanted.
#[derive(Debug)]
pub(super) struct Spacing {
    max: usize,
    /// The least distance of two places.
    step: usize,
    lengths: Vec<usize>,
}

impl Spacing {
    /// Spacing for at most so many updates.
    pub(super) fn of(max: usize) -> Self {
        Self { max, step: 1, lengths: Vec::new() }
    }

    /// The text has grown to this length.
    pub(super) fn grown_to(&mut self, length: usize) {
        if self.max == 0 || length < self.lengths.last().map_or(1, |last| last + self.step) {
            return;
        }
        self.lengths.push(length);
        if self.lengths.len() > 2 * self.max + 1 {
            self.step = (length / self.max).max(self.step + 1);
            let mut last = 0;
            self.lengths.retain(|length| {
                let far = *length >= last + self.step;
                last = if far { *length } else { last };
                far
            });
        }
    }

    /// At most `max` lengths up to `end`, rising and evenly spaced as far as the text has grown evenly.
    pub(super) fn chosen(&self, max: usize, end: usize) -> Vec<usize> {
        let lengths = &self.lengths[..self.lengths.partition_point(|length| *length <= end)];
        let Some(last) = lengths.last() else { return Vec::new() };
        let max = max.min((2 * MAX_TOTAL_BYTES / last).max(1));
        if lengths.len() <= max {
            return lengths.to_vec();
        }
        let mut chosen: Vec<usize> = Vec::with_capacity(max);
        for n in 1..=max {
            let target = last * n / max;
            let below = lengths.partition_point(|length| *length <= target);
            chosen.extend(below.checked_sub(1).map(|at| lengths[at]));
        }
        chosen.dedup();
        chosen
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chosen(max: usize, steps: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut spacing = Spacing::of(max);
        let mut length = 0;
        for step in steps {
            length += step;
            spacing.grown_to(length);
        }
        spacing.chosen(max, usize::MAX)
    }

    #[test]
    fn a_text_that_grows_evenly_is_cut_evenly() {
        assert_eq!(chosen(4, [5; 3]), [5, 10, 15]);
        let cuts = chosen(10, [1; 10_000]);
        assert_eq!(cuts.len(), 10);
        for (n, cut) in cuts.iter().enumerate() {
            assert!(cut.abs_diff((n + 1) * 1_000) <= 1_000, "{cuts:?}");
        }
        assert!(chosen(0, [1; 100]).is_empty());
        assert_eq!(chosen(1, [1; 100]).len(), 1);
    }

    #[test]
    fn long_texts_give_fewer_updates_instead_of_gigabytes() {
        let cuts = chosen(1_000, [10_000; 1_000]);
        assert!(cuts.iter().sum::<usize>() <= 2 * MAX_TOTAL_BYTES && !cuts.is_empty(), "{}", cuts.len());
    }

    #[test]
    fn nothing_behind_the_end_is_chosen() {
        let mut spacing = Spacing::of(8);
        [3, 6, 9].into_iter().for_each(|length| spacing.grown_to(length));
        assert_eq!([spacing.chosen(8, 7), spacing.chosen(8, 2)], [vec![3, 6], vec![]]);
    }

    proptest! {
        #[test]
        fn cuts_rise_and_are_few_and_little_is_kept(
            max in 0_usize..40, steps in prop::collection::vec(0_usize..500, 0..400),
        ) {
            let mut spacing = Spacing::of(max);
            let mut length = 0;
            for step in &steps {
                length += step;
                spacing.grown_to(length);
                prop_assert!(spacing.lengths.len() <= 2 * max + 1);
            }
            let cuts = spacing.chosen(max, usize::MAX);
            prop_assert!(cuts.len() <= max && cuts.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(cuts.is_empty(), max == 0 || length == 0);
        }
    }
}
