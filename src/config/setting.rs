//! The description of one setting.

use super::raw_config::RawConfig;

/// The description of a setting.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The key in the file; a dot stands for a table.
    pub key: &'static str,
    /// The kind of values that may stand there.
    pub kind: ValueKind,
    /// The value when nothing is set.
    pub default: DefaultValue,
    /// The description, in Markdown, where addresses begin at `docs`.
    pub meaning: &'static str,
    pub(super) apply: fn(&mut RawConfig, &str) -> Result<(), String>,
}

/// The type of a setting. In the environment and on the command line, every value is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text, or one that is read further.
    Text,
    /// A word of these.
    Choice(&'static [&'static str]),
    /// True or false.
    Flag,
    /// A whole number.
    Number {
        /// The least.
        least: u64,
        /// The most, if there is one.
        most: Option<u64>,
    },
    /// A list of texts in the file; elsewhere they are separated by commas.
    List,
    /// A secret, which may stand in a file of its own: `api_key_file = "…"`, `CITEWIRE_API_KEY_FILE`.
    Secret,
}

/// The default value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// A fixed value.
    Is(&'static str),
    /// A value that depends on other settings, or none: described for people, in Markdown.
    Said(&'static str),
}

impl Setting {
    /// Whether it is a secret.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.kind == ValueKind::Secret
    }

    /// The description of its option on the command line.
    #[must_use]
    pub fn help(&self) -> String {
        let (DefaultValue::Is(default) | DefaultValue::Said(default)) = self.default;
        format!("{} [default: {default}]", self.meaning.trim_end_matches('.'))
    }
}

/// The name of a setting in the environment: `direct_line.secret` is `CITEWIRE_DIRECT_LINE_SECRET`.
#[must_use]
pub fn environment_name(key: &str) -> String {
    format!("CITEWIRE_{}", key.replace('.', "_").to_uppercase())
}
