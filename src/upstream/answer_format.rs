//! The answer format of a back end, as its options name it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::ingest::Provider;

/// The format of a back end's answers: a slug of `docs/reference/formats.md`, or `auto`, which detects the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerFormat {
    /// The first bytes tell.
    #[default]
    Auto,
    /// This one.
    Of(Provider),
}

impl AnswerFormat {
    /// The format, where it is known.
    #[must_use]
    pub fn provider(self) -> Option<Provider> {
        match self {
            Self::Auto => None,
            Self::Of(provider) => Some(provider),
        }
    }
}

impl<'de> Deserialize<'de> for AnswerFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "auto" => Ok(Self::Auto),
            slug => slug.parse().map(Self::Of).map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    #[test]
    fn a_format_is_a_slug_or_auto() {
        let read = |name: Value| from_value::<AnswerFormat>(name).map(AnswerFormat::provider);
        assert_eq!(read(json!("perplexity")).ok(), Some(Some(Provider::Perplexity)));
        assert_eq!(read(json!("auto")).ok(), Some(None));
        let error = read(json!("Perplexity")).expect_err("slugs are exact").to_string();
        assert!(error.contains("known formats: auto, "), "{error}");
    }
}
