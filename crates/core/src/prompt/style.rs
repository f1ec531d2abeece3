//! How sources are listed.

use std::str::FromStr;

/// How sources are listed for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// `[1] (Source: "name")`, and the passage below it (rule AH-09). A number is a place in the manifest.
    #[default]
    Numbered,
    /// `<source id="1" name="…">passage</source>` (rule OW-01). A number counts the unique ids of sources.
    Tags,
    /// Passages between `---` lines, without numbers and names (rule AH-09): nothing can be cited.
    Plain,
}

impl Style {
    /// All styles.
    pub const ALL: [Self; 3] = [Self::Numbered, Self::Tags, Self::Plain];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbered => "numbered",
            Self::Tags => "tags",
            Self::Plain => "plain",
        }
    }
}

/// No style has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown style {given:?}; known styles: {}", Style::ALL.map(Style::name).join(", "))]
pub struct UnknownStyle {
    /// What was given.
    pub given: String,
}

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let style = Self::ALL.into_iter().find(|style| style.name() == name);
        style.ok_or_else(|| UnknownStyle { given: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_is_read_by_its_name() {
        for style in Style::ALL {
            assert_eq!(style.name().parse(), Ok(style));
        }
        let error = "Tags".parse::<Style>().expect_err("names are exact");
        assert_eq!(error.to_string(), "unknown style \"Tags\"; known styles: numbered, tags, plain");
    }
}
