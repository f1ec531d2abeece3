//! The parts of a document that could not be read.

use std::fmt;

use crate::{Extracted, LossyPage, Unread};

/// Pages are named up to this many; the others are counted.
const NAMED: usize = 5;

/// The parts of a document that could not be read, in words for the user who put it there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The pages without anything.
    pub lost_pages: Vec<u32>,
    /// The pages of which a part is damaged.
    pub damaged_pages: Vec<u32>,
    /// The pages of which some letters are lost.
    pub lossy_pages: Vec<LossyPage>,
    /// The pages that are pictures.
    pub picture_pages: Vec<u32>,
    /// The parts that are known to be there and are not read.
    pub unread: Unread,
    /// Pages are lost or missing, or more than half of the letters: the document is read in part only.
    pub is_partial: bool,
}

impl Extracted {
    /// The parts that could not be read; `None` if nothing is known to be lost.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        let loss = Loss {
            lost_pages: self.lost_pages.clone(),
            damaged_pages: self.damaged_pages.clone(),
            lossy_pages: self.lossy_pages.clone(),
            picture_pages: self.picture_pages.clone(),
            unread: self.unread.clone(),
            is_partial: self.is_partial || !self.lost_pages.is_empty(),
        };
        let is_whole = !loss.is_partial
            && loss.damaged_pages.is_empty()
            && loss.lossy_pages.is_empty()
            && loss.picture_pages.is_empty()
            && loss.unread.is_empty();
        (!is_whole).then_some(loss)
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.lost_pages.is_empty() {
            parts.push(format!("{} could not be read", pages(&self.lost_pages)));
        }
        if !self.damaged_pages.is_empty() {
            parts.push(format!("a part of {} is damaged", pages(&self.damaged_pages)));
        }
        let lossy = self.lossy_pages.iter().take(NAMED);
        parts.extend(
            lossy.map(|lossy| format!("page {}: {} % of its letters could not be read", lossy.page, lossy.percent())),
        );
        let more = self.lossy_pages.len().saturating_sub(NAMED);
        if more > 0 {
            parts.push(format!("letters of {more} more pages could not be read"));
        }
        match self.picture_pages.as_slice() {
            [] => {}
            [page] => parts.push(format!("page {page} is a picture: run OCR")),
            many => parts.push(format!("{} are pictures: run OCR", pages(many))),
        }
        if !self.unread.is_empty() {
            parts.push(self.unread.to_string());
        }
        f.write_str(&parts.join("; "))
    }
}

fn pages(numbers: &[u32]) -> String {
    let named: Vec<String> = numbers.iter().take(NAMED).map(u32::to_string).collect();
    let word = if numbers.len() == 1 { "page" } else { "pages" };
    match numbers.len().saturating_sub(NAMED) {
        0 => format!("{word} {}", named.join(", ")),
        more => format!("{word} {} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Markup;

    #[test]
    fn a_loss_names_its_pages_and_counts_the_rest() {
        let whole = Extracted::of_text(Markup::Plain, "x".to_owned());
        assert_eq!(whole.loss(), None);
        let lossy = LossyPage { page: 3, shown: 100, undecoded: 12 };
        let some = Extracted { lossy_pages: vec![lossy], picture_pages: vec![4], ..whole.clone() };
        let loss = some.loss().expect("a loss");
        assert_eq!(loss.to_string(), "page 3: 12 % of its letters could not be read; page 4 is a picture: run OCR");
        assert!(!loss.is_partial);
        let damaged = Extracted { damaged_pages: vec![2], ..whole.clone() };
        assert_eq!(damaged.loss().expect("a loss").to_string(), "a part of page 2 is damaged");
        let lost = Extracted { lost_pages: (1..=7).collect(), ..whole };
        let loss = lost.loss().expect("a loss");
        assert!(loss.is_partial);
        assert_eq!(loss.to_string(), "pages 1, 2, 3, 4, 5 and 2 more could not be read");
    }
}
