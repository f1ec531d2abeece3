//! The verdict about a citation, in the words of schema.org.

use serde::Serialize;

/// A review of a claim: whether its source holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimReview {
    #[serde(rename = "@type")]
    kind: &'static str,
    /// The part of the text that the source is cited for.
    pub claim_reviewed: String,
    /// The verdict.
    pub review_rating: Rating,
}

/// A verdict as a rating from 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rating {
    #[serde(rename = "@type")]
    kind: &'static str,
    rating_value: u8,
    best_rating: u8,
    /// The code of the verdict.
    alternate_name: &'static str,
}

impl ClaimReview {
    /// The review of a part with a verdict; the value is from 1 (contradicted) to 5 (word for word).
    #[must_use]
    pub fn new(reviewed: String, verdict: &'static str, value: u8) -> Self {
        let review_rating = Rating { kind: "Rating", rating_value: value, best_rating: 5, alternate_name: verdict };
        Self { kind: "ClaimReview", claim_reviewed: reviewed, review_rating }
    }
}
