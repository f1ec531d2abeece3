//! The arguments of `eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The arguments of `eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The folder with answers in any format that `convert` reads, one per file; in a file .jsonl one per line.
    #[arg(value_name = "DIR", required_unless_present = "conversations", conflicts_with = "conversations")]
    pub folder: Option<PathBuf>,
    /// Count the answers in the store of the configuration, whether the server runs or not.
    #[arg(long)]
    pub conversations: bool,
    /// The configuration file (TOML) with the store.
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG")]
    pub config: Option<PathBuf>,
    /// The format of the answers in the folder; `auto` detects it for each.
    #[arg(long, value_name = "SLUG", default_value = "auto")]
    pub from: String,
    /// A mapping (TOML) for answers in a format of your own.
    #[arg(long, value_name = "MAPPING", conflicts_with = "from")]
    pub map: Option<PathBuf>,
    /// Compare with an earlier count: a file that `--output json` wrote.
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Print JSON; the same as `--output json`.
    #[arg(long)]
    pub json: bool,
    /// The form of the figures.
    #[arg(long, value_name = "FORM", default_value = "text", conflicts_with = "json")]
    pub output: EvalOutput,
}

/// The forms in which `eval` prints figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvalOutput {
    /// Lines for people.
    Text,
    /// JSON.
    Json,
    /// A page that needs nothing else.
    Html,
}
