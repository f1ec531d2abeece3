//! The command line, as typed.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use citewire_documents::Format;
use clap::{Args, Parser, Subcommand, ValueEnum};
use url::Url;

use super::eval_args::EvalArgs;
use crate::channels::direct_line_client::DEFAULT_USER;
use crate::config::setting;
use crate::ingest::AzureScores;

/// Converts RAG answers with sources into Bot Framework messages with citations.
#[derive(Debug, Parser)]
#[command(name = "citewire", version, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 success; 1 a check found an error, an answer lacks the required \
                        grounding, or a server is not ready; 2 invalid input or arguments; \
                        3 the other server refused the request or cannot be reached.")]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// A command.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Run the server: conversions over HTTP, Direct Line, and a page with Web Chat.
    Serve(ServeArgs),
    /// Convert an answer into an activity, and print it as JSON.
    Convert(ConvertArgs),
    /// Check an activity against the rules of a channel, and print one line per finding.
    Check(CheckArgs),
    /// Count how many sentences of many answers are cited, and whether their sources hold them.
    Eval(EvalArgs),
    /// Print a prompt for a model: numbered sources, and instructions to cite them.
    Prompt(PromptArgs),
    /// Convert an answer, post it to a Direct Line conversation, and print the message id as JSON.
    Send(SendArgs),
    /// Show, export, erase, back up or check stored conversations. All but `erase` work while the server runs.
    Store(StoreArgs),
    /// Print the JSON schema of the configuration file.
    Config(ConfigArgs),
    /// Check which documents in a folder can be read.
    Documents(DocumentsArgs),
    /// Speak the Model Context Protocol on stdin and stdout, for an agent that starts programs. A server answers.
    Mcp(McpArgs),
    /// Check that the server on this machine is ready: exit code 0 if it is, 1 if not. For containers.
    Healthcheck(HealthcheckArgs),
    /// Read one document from stdin, and print its text as JSON. The server starts this by itself.
    #[command(hide = true)]
    ReadDocument(ReadDocumentArgs),
}

/// The arguments of `documents`.
#[derive(Debug, Args)]
pub struct DocumentsArgs {
    /// The command to run.
    #[command(subcommand)]
    pub command: DocumentsCommand,
}

/// A command of `documents`.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum DocumentsCommand {
    /// Read every file in a folder, and print one line per file. The exit code is 1 if a document cannot be read.
    Check {
        /// The folder.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Print the files as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// The arguments of `read-document`.
#[derive(Debug, Args)]
pub struct ReadDocumentArgs {
    /// The format of the document.
    #[arg(long, value_name = "FORMAT")]
    pub format: Format,
    /// The largest address space of this process in bytes.
    #[arg(long, value_name = "BYTES")]
    pub memory: u64,
    /// The most time of a processor in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub seconds: u64,
    /// The size of the document. Whoever started this process then holds its input open: when the input ends, it ends.
    #[arg(long, value_name = "BYTES")]
    pub size: u64,
    /// Tries to read this file in place of a document, and says whether the system lets it. Only in programs that are built for tests.
    #[cfg(debug_assertions)]
    #[arg(long, value_name = "FILE")]
    pub escape: Option<std::path::PathBuf>,
}

/// The arguments of `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The command to run.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// A command of `config`.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum ConfigCommand {
    /// Print the JSON schema of the configuration file, for completion and checks in editors.
    Schema,
}

/// The arguments of `healthcheck`.
#[derive(Debug, Args)]
pub struct HealthcheckArgs {
    /// The configuration file (TOML) with the address of the server.
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG")]
    pub config: Option<PathBuf>,
    /// The URL to check instead of /readyz at the configured address, such as http://127.0.0.1:3978/readyz.
    #[arg(long, value_name = "URL")]
    pub url: Option<Url>,
}

/// The arguments of `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// The configuration file (TOML) with the address and the API key of the server.
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG")]
    pub config: Option<PathBuf>,
    /// The server instead of the configured one, such as `https://bot.contoso.example`; its key is in `CITEWIRE_API_KEY`.
    #[arg(long, value_name = "URL")]
    pub url: Option<Url>,
}

/// The arguments of `store`.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG", global = true)]
    pub config: Option<PathBuf>,
    /// The command to run.
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// A command of `store`.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum StoreCommand {
    /// Print the path and the size of the store, and how many conversations and activities it contains.
    Info,
    /// Print every activity as one JSON object per line, with `conversation`, `watermark` and `activity`.
    Export {
        /// Export only this conversation: its id, or its name if it is behind Azure Bot Service.
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Export only the conversations of the user with this id.
        #[arg(long, value_name = "ID", conflicts_with = "conversation")]
        user: Option<String>,
    },
    /// Delete all conversations of a user, with the messages of all members. Stop the server first, unless the store is in PostgreSQL.
    Erase {
        /// The id of the user.
        #[arg(long, value_name = "ID")]
        user: String,
    },
    /// Write a copy of a store in a file, check it, and print its size. The copy is private, and appears under its name when it is
    /// whole. To restore it, stop the server, delete the store's files and put the copy in their place.
    Backup {
        /// The new file.
        #[arg(value_name = "FILE")]
        to: PathBuf,
    },
    /// Read all of a store or a backup, and print what is damaged. Exit code 1 if anything is.
    Check {
        /// The file; without one, the store of the configuration.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Bring the schema of a PostgreSQL store to the version of this program, as `serve` does at its start.
    Migrate,
}

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE", env = "CITEWIRE_CONFIG")]
    pub config: Option<PathBuf>,
    /// The setting `bind`.
    #[arg(long, value_name = "ADDR:PORT", help = setting("bind").help())]
    pub bind: Option<SocketAddr>,
    /// Refuse to start if PostgreSQL has an older schema, instead of migrating it.
    #[arg(long)]
    pub no_migrate: bool,
}

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The file with the answer, as the provider sent it, complete or as a stream; `-` or no file reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The format of the answer; `auto` detects it.
    #[arg(long, value_name = "SLUG", default_value = "auto")]
    pub from: String,
    /// A mapping (TOML) that says where an answer in a format of your own has its text, sources and citations.
    #[arg(long, value_name = "MAPPING", conflicts_with = "from")]
    pub map: Option<PathBuf>,
    /// Print as which format the answer is read and what is found in it, and for an unknown format a mapping to start with.
    #[arg(long)]
    pub explain: bool,
    /// The output: an activity in a dialect (web-chat, teams, m365-copilot, plain, slack, slack-blocks, google-chat, telegram, line,
    /// email-html) or for a channel id (such as msteams or email), or one of open-webui, assistanthub, records.
    #[arg(long, visible_alias = "channel", value_name = "WHAT", default_value = "web-chat")]
    pub to: String,
    /// The form of the text for Teams: extended has tables, task lists and math (a preview of Microsoft).
    #[arg(long, value_name = "FORM", default_value = "markdown")]
    pub text_format: TextFormatArg,
    /// Fail if the answer lacks this grounding. Without a value: any.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    pub require_grounding: Option<GroundingArg>,
    /// How far the check of citations against the passages of their sources reaches: into the report, to readers, or to a failure
    /// if a source contradicts the answer.
    #[arg(long, value_name = "HOW", default_value = "report")]
    pub require_support: SupportArg,
    /// Ignore the query parameters `ref` and `source` when citewire compares the URLs of sources.
    #[arg(long)]
    pub ref_is_tracking: bool,
    /// Follow the redirects of sources to find their target pages; only with `--to records`.
    #[arg(long)]
    pub resolve_redirects: bool,
    /// Print a report on stderr: cited, merged, dropped, shortened and neutralized content, with control characters escaped.
    #[arg(long)]
    pub report: bool,
    /// Print the output while the answer arrives, one JSON object per line; only with `--to open-webui` or
    /// `--to assistanthub`. The form for Open WebUI is chunks, events or completion; slack gives the calls of a Slack stream.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "chunks")]
    pub stream: Option<String>,
    /// The options for Open WebUI and AssistantHub.
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// The options for scores of Azure AI Search.
    #[command(flatten)]
    pub scores: ScoreArgs,
}

/// The options for Open WebUI and AssistantHub.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --to open-webui or assistanthub")]
pub struct OutputArgs {
    /// The form of citations for Open WebUI.
    #[arg(long, value_name = "HOW", default_value = "badges")]
    pub citations: CitationsArg,
    /// The URLs of sources for AssistantHub clients.
    #[arg(long, value_name = "WHERE", default_value = "given")]
    pub download_links: DownloadLinksArg,
    /// The URL of the server in download links, without a slash at the end.
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub download_base: String,
    /// The assistant in public download links.
    #[arg(long, value_name = "ID", required_if_eq("download_links", "public"))]
    pub assistant: Option<String>,
}

/// The form of citations for Open WebUI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CitationsArg {
    /// `[1]`, which Open WebUI shows as a badge.
    Badges,
    /// `[[doc1]](URL)`, and source cards with the same names.
    Links,
    /// `[[doc1]](URL)`, and one source card per URL.
    LinksByAddress,
}

/// The URLs of sources for AssistantHub clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DownloadLinksArg {
    /// The URL from the provider.
    Given,
    /// No URL.
    None,
    /// The download route for signed-in users.
    Authenticated,
    /// The public download route.
    Public,
}

/// The options for scores of Azure AI Search.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --from azure-oyd")]
pub struct ScoreArgs {
    /// The score of the semantic ranker that counts as 1.
    #[arg(long, value_name = "SCORE", default_value_t = AzureScores::default().rerank_max)]
    pub rerank_max: f64,
    /// The search score that counts as 1.
    #[arg(long, value_name = "SCORE", default_value_t = AzureScores::default().bm25_max)]
    pub bm25_max: f64,
    /// Prefer the score of the semantic ranker over the search score.
    #[arg(long)]
    pub prefer_rerank: bool,
    /// Look up the score of a citation by title and chunk first, then by title.
    #[arg(long)]
    pub exact_scores: bool,
}

/// The arguments of `check`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("rules").required(true).args(["channel", "profile", "support"])))]
pub struct CheckArgs {
    /// The file with an activity, an ActivitySet, an array of activities, a schema.org `Message` entity, a HAR, an Emulator
    /// transcript, or a log with one JSON value a line; `-` or no file reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The channel to check for: web-chat or teams, or the id of a channel, which is webchat, directline, emulator or msteams.
    #[arg(long, value_name = "CHANNEL")]
    pub channel: Option<String>,
    /// Check for a profile and its channel: copilot-store or teams-extended.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
    /// Check the citations of an answer in any format that `convert` reads: whether its sources hold what it cites them for.
    #[arg(long, conflicts_with_all = ["fix", "output"])]
    pub support: bool,
    /// Print the mended activity, and on stderr each change and what is left.
    #[arg(long)]
    pub fix: bool,
    /// Print the findings as JSON; with --fix, the activity and the changes as well.
    #[arg(long)]
    pub json: bool,
    /// The form of the findings.
    #[arg(long, value_name = "FORM", default_value = "text", conflicts_with_all = ["json", "fix"])]
    pub output: CheckOutput,
}

/// The forms in which `check` prints findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CheckOutput {
    /// Lines for people.
    Text,
    /// JSON.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit's XML.
    Junit,
}

/// The arguments of `prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The file with a native manifest (its text may be missing, and it may contain messages) or with a list of sources;
    /// `-` or no file reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The style of the list: numbered, tags, or plain (without citations).
    #[arg(long, value_name = "STYLE", default_value = "numbered")]
    pub style: String,
    /// The largest prompt in bytes. The first source that does not fit and all later ones are left out.
    #[arg(long, value_name = "N", conflicts_with = "max_tokens")]
    pub max_bytes: Option<usize>,
    /// The largest prompt in tokens, which citewire estimates rather too high than too low.
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// The system prompt, which citewire puts before the sources; `@FILE` reads it from a file.
    #[arg(long, value_name = "TEXT|@FILE")]
    pub system: Option<String>,
    /// Print only the sources, without the instructions to cite them.
    #[arg(long)]
    pub sources_only: bool,
    /// Print JSON: the messages with the prompt in them, and the number of each source.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `send`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without --token and --secret, citewire reads CITEWIRE_SEND_TOKEN or CITEWIRE_SEND_SECRET from \
                        the environment, which other users of this machine cannot see."
)]
pub struct SendArgs {
    /// The file with the answer, as the provider sent it, complete or as a stream; `-` or no file reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The format of the answer; `auto` detects it.
    #[arg(long, value_name = "SLUG", default_value = "auto")]
    pub from: String,
    /// A mapping (TOML) that says where an answer in a format of your own has its text, sources and citations.
    #[arg(long, value_name = "MAPPING", conflicts_with = "from")]
    pub map: Option<PathBuf>,
    /// The URL of the Direct Line, up to /v3/directline.
    #[arg(long, value_name = "URL")]
    pub directline: String,
    /// The id of an existing conversation.
    #[arg(long, value_name = "ID")]
    pub conversation: String,
    /// A token of that conversation.
    #[arg(long, value_name = "T", conflicts_with = "secret")]
    pub token: Option<Unseen>,
    /// The secret of the Direct Line. A citewire server then shows the answer as a message of the bot.
    #[arg(long, value_name = "S")]
    pub secret: Option<Unseen>,
    /// The user id that sends the answer.
    #[arg(long, value_name = "ID", default_value = DEFAULT_USER)]
    pub user: String,
}

/// A secret as typed, valid or not. Parsing accepts any text, because clap would repeat a refused value on stderr.
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

/// The form of the text for Teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TextFormatArg {
    /// Markdown, of which Teams draws a part.
    Markdown,
    /// Extended Markdown.
    Extended,
}

/// How far the verdicts about citations reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SupportArg {
    /// Nothing is judged.
    Off,
    /// The report and records say the verdicts.
    Report,
    /// An activity also says what its sources do not hold.
    Mark,
    /// An answer that its sources contradict also fails.
    Refuse,
}

/// The grounding that an answer must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroundingArg {
    /// The answer used retrieval tools and has at least one source, cited or not.
    Extracted,
    /// The answer cites at least one source, or the provider reports at least one as used.
    Any,
    /// The answer cites at least one source at a position in the text.
    Anchored,
}
