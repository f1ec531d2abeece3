//! The styles of a list of sources.

use std::str::FromStr;

/// The form in which sources are listed for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// `[1] (Source: "name")` with the passage below it (rule AH-09). The number is the place in the input, from 1.
    #[default]
    Numbered,
    /// `<source id="1" name="…">passage</source>` (rule OW-01). Sources with the same id share a number.
    Tags,
    /// Passages between `---` lines, without numbers and names (rule AH-09). The model cannot cite them.
    Plain,
}

impl Style {
    /// All styles.
    pub const ALL: [Self; 3] = [Self::Numbered, Self::Tags, Self::Plain];

    /// The name on the command line: `numbered`, `tags` or `plain`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbered => "numbered",
            Self::Tags => "tags",
            Self::Plain => "plain",
        }
    }
}

/// The error for a name that no style has. Names are case-sensitive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown style {given:?}; known styles: {}", Style::ALL.map(Style::name).join(", "))]
pub struct UnknownStyle {
    /// The name as given.
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
