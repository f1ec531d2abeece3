//! The answer format of a back end, as its options name it.

use serde::{Deserialize, Deserializer};

use crate::ingest::{self, Mappings, Provider, UnknownFormat};

/// The format of a back end's answers: a slug of `docs/reference/formats.md`, the name of a mapping, or `auto`, which detects
/// the format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AnswerFormat {
    /// The first bytes tell.
    #[default]
    Auto,
    /// This one.
    Of(Provider),
    /// The mapping of this name, if there is one.
    Named(String),
}

impl AnswerFormat {
    /// The format, where these mappings are known.
    ///
    /// # Errors
    /// When no mapping has the name.
    pub fn among(&self, mappings: &Mappings) -> Result<ingest::AnswerFormat, UnknownFormat> {
        match self {
            Self::Auto => Ok(ingest::AnswerFormat::Detected(mappings.clone())),
            Self::Of(provider) => Ok((*provider).into()),
            Self::Named(name) => ingest::AnswerFormat::named(name, mappings),
        }
    }
}

impl<'de> Deserialize<'de> for AnswerFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match String::deserialize(deserializer)?.as_str() {
            "auto" => Self::Auto,
            name => name.parse().map_or_else(|_| Self::Named(name.to_owned()), Self::Of),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    #[test]
    fn a_format_is_a_slug_or_auto() {
        let read = |name: Value| from_value::<AnswerFormat>(name).expect("a name").among(&Mappings::default());
        assert_eq!(read(json!("perplexity")), Ok(Provider::Perplexity.into()));
        assert_eq!(read(json!("auto")), Ok(ingest::AnswerFormat::default()));
        let error = read(json!("Perplexity")).expect_err("slugs are exact").to_string();
        assert!(error.contains("known formats: auto, "), "{error}");
    }
}
