//! The command line, as typed.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use url::Url;

use crate::channels::direct_line_client::DEFAULT_USER;
use crate::config::setting;
use crate::ingest::AzureScores;

/// Turns answers with sources into cited Bot Framework messages.
#[derive(Debug, Parser)]
#[command(name = "citewire", version, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 done; 1 a check found an error, required grounding is missing, \
                        or a server is not ready; \
                        2 unusable input or arguments; 3 the other side refused or cannot be reached.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Run the service: conversions over HTTP, Direct Line, and a page with Web Chat.
    Serve(ServeArgs),
    /// Convert one answer into an activity: JSON on stdout.
    Convert(ConvertArgs),
    /// Check an activity against what a channel really accepts: one line a finding.
    Check(CheckArgs),
    /// List sources for a model, and tell it how to cite them: the context to inject on stdout.
    Prompt(PromptArgs),
    /// Convert one answer and post it into a conversation of a Direct Line: the id as JSON on stdout.
    Send(SendArgs),
    /// Look into the store: what is in it, and everything that was said. A server may have it open.
    Store(StoreArgs),
    /// Help with the configuration file.
    Config(ConfigArgs),
    /// Ask the server on this machine whether it takes work: exit code 0 if it does, else 1. For containers.
    Healthcheck(HealthcheckArgs),
}

/// The arguments of `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to say about it.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What to say about the configuration file.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum ConfigCommand {
    /// Print its JSON schema, by which editors complete and check it.
    Schema,
}

/// The arguments of `healthcheck`.
#[derive(Debug, Args)]
pub struct HealthcheckArgs {
    /// The configuration file (TOML), which has the address of the server.
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG")]
    pub config: Option<PathBuf>,
    /// What to ask instead of /readyz of the configured address, such as http://127.0.0.1:3978/readyz.
    #[arg(long, value_name = "URL")]
    pub url: Option<Url>,
}

/// The arguments of `store`.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG", global = true)]
    pub config: Option<PathBuf>,
    /// What to do with it.
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// What to do with the store.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum StoreCommand {
    /// Say where it is and how much is in it.
    Info,
    /// Write every activity to stdout: a JSON object a line, with `conversation`, `watermark` and `activity`.
    Export {
        /// Only this conversation: its id, or the name of one behind Azure Bot Service.
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Only the conversations to which this user belongs: the id of their account.
        #[arg(long, value_name = "ID", conflicts_with = "conversation")]
        user: Option<String>,
    },
    /// Delete every conversation to which a user belongs, for all who are in it. No server may have the store open.
    Erase {
        /// The id of the user's account.
        #[arg(long, value_name = "ID")]
        user: String,
    },
}

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG")]
    pub config: Option<PathBuf>,
    /// The setting of this name.
    #[arg(long, value_name = "ADDR:PORT", help = setting("bind").help())]
    pub bind: Option<SocketAddr>,
}

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The answer, as the provider sent it, whole or as a stream; `-` or nothing reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The format of the answer; `auto` looks at it.
    #[arg(long, value_name = "SLUG", default_value = "auto")]
    pub from: String,
    /// What to write: an activity (web-chat, teams, m365-copilot, plain, slack, telegram, line, email-html, or the id of a
    /// channel such as msteams or email),
    /// or something else: open-webui, assistanthub, records.
    #[arg(long, value_name = "WHAT", default_value = "web-chat")]
    pub to: String,
    /// Fail when the answer is not grounded: in sources that were `extracted`, in `any` that is cited, or in sources `anchored`
    /// in its text.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    pub require_grounding: Option<Grounding>,
    /// Take `ref` and `source` in addresses for tracking: pages that differ in them alone are one.
    #[arg(long)]
    pub ref_is_tracking: bool,
    /// Find out where redirects of sources lead, by following them; only with `--to records`.
    #[arg(long)]
    pub resolve_redirects: bool,
    /// Say on stderr what was cited, merged, dropped and made harmless; control characters are shown as escapes.
    #[arg(long)]
    pub report: bool,
    /// Print the answer while it arrives, one JSON object a line; only with `--to open-webui` or `--to assistanthub`. For
    /// Open WebUI, say in which form: chunks, events, or completion.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "chunks")]
    pub stream: Option<String>,
    /// How Open WebUI and AssistantHub are written to.
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// How scores of Azure AI Search are read.
    #[command(flatten)]
    pub scores: ScoreArgs,
}

/// How Open WebUI and AssistantHub are written to.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --to open-webui or assistanthub")]
pub struct OutputArgs {
    /// How Open WebUI cites.
    #[arg(long, value_name = "HOW", default_value = "badges")]
    pub citations: Citations,
    /// Where sources lead for clients of AssistantHub.
    #[arg(long, value_name = "WHERE", default_value = "given")]
    pub download_links: DownloadLinks,
    /// What stands before the path of a download link: the address of the server, without a slash at its end.
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub download_base: String,
    /// The assistant whose public links these are.
    #[arg(long, value_name = "ID", required_if_eq("download_links", "public"))]
    pub assistant: Option<String>,
}

/// How Open WebUI cites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Citations {
    /// `[1]`, which is drawn as a badge.
    Badges,
    /// `[[doc1]](address)`, and cards that are called so.
    Links,
    /// The same, and one card for each address.
    LinksByAddress,
}

/// Where sources lead for clients of AssistantHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DownloadLinks {
    /// To the address that the provider gave.
    Given,
    /// Nowhere.
    None,
    /// To the download for users who have signed in.
    Authenticated,
    /// To the download for everybody.
    Public,
}

/// How scores of Azure AI Search are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --from azure-oyd")]
pub struct ScoreArgs {
    /// The full score of the semantic ranker.
    #[arg(long, value_name = "SCORE", default_value_t = AzureScores::default().rerank_max)]
    pub rerank_max: f64,
    /// The search score that counts as a full one.
    #[arg(long, value_name = "SCORE", default_value_t = AzureScores::default().bm25_max)]
    pub bm25_max: f64,
    /// Take the score of the semantic ranker wherever there is one.
    #[arg(long)]
    pub prefer_rerank: bool,
    /// Look for the score of a citation by title and chunk, before the title alone.
    #[arg(long)]
    pub exact_scores: bool,
}

/// The arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// An activity, an ActivitySet, an array of activities, or a bare Message thing; `-` or nothing reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The channel whose users will see it.
    #[arg(long, value_name = "CHANNEL")]
    pub channel: String,
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The sources: a native manifest, whose text may be missing and which may hold messages, or a list of its sources;
    /// `-` or nothing reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How to list them: numbered, tags, or plain (without citations).
    #[arg(long, value_name = "STYLE", default_value = "numbered")]
    pub style: String,
    /// The most bytes that the context may take; sources that do not fit are left out from the end.
    #[arg(long, value_name = "N", conflicts_with = "max_tokens")]
    pub max_bytes: Option<usize>,
    /// The same in tokens, by an estimate that is rather too high.
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// The system prompt, which goes before the context; `@FILE` reads it from a file.
    #[arg(long, value_name = "TEXT|@FILE")]
    pub system: Option<String>,
    /// Leave out the rules of citing: the sources alone.
    #[arg(long)]
    pub sources_only: bool,
    /// Print JSON: the messages with the context in them, and what became of each source.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `send`.
#[derive(Debug, Args)]
#[command(after_help = "Without --token and --secret, CITEWIRE_SEND_TOKEN or CITEWIRE_SEND_SECRET is taken from the \
                        environment, where other users of this machine do not see it.")]
pub struct SendArgs {
    /// The answer, as the provider sent it, whole or as a stream; `-` or nothing reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The format of the answer; `auto` looks at it.
    #[arg(long, value_name = "SLUG", default_value = "auto")]
    pub from: String,
    /// The Direct Line, up to /v3/directline.
    #[arg(long, value_name = "URL")]
    pub directline: String,
    /// The conversation, which exists already.
    #[arg(long, value_name = "ID")]
    pub conversation: String,
    /// A token of that conversation.
    #[arg(long, value_name = "T", conflicts_with = "secret")]
    pub token: Option<Unseen>,
    /// The secret of the Direct Line. At citewire the answer then appears as the bot's.
    #[arg(long, value_name = "S")]
    pub secret: Option<Unseen>,
    /// The user id under which the answer goes out.
    #[arg(long, value_name = "ID", default_value = DEFAULT_USER)]
    pub user: String,
}

/// A secret as it was typed, right or wrong. Anything is taken, because what is refused here is repeated on stderr.
#[derive(Clone)]
pub struct Unseen(pub String);

impl FromStr for Unseen {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unseen(…)")
    }
}

/// What counts as grounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Grounding {
    /// Tools that were used, and at least one source that came of them, cited or not.
    Extracted,
    /// At least one source that is cited, or that the provider attests as used.
    Any,
    /// At least one source that a place in the text rests on.
    Anchored,
}
