//! One assistant: a section `[assistants.NAME]`, or its members as JSON over HTTP.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Map;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::assistanthub;
use super::keys::given_secret;
use crate::assistant::{AssistantPlan, BackEnd, DocumentsPlan, DocumentsSource, Faults};
use crate::bucket::BucketOptions;
use crate::channels::direct_line::Owner;
use crate::convert;
use crate::document::{DocumentReader, LibraryOptions, UploadOptions};
use crate::secret::Secret;
use crate::secret_source::SecretSource;
use crate::upstream::{EmbeddingsOptions, RerankerOptions, UpstreamOptions};
use crate::url::WebUrl;

/// The author of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// The operator, in the configuration file or the environment: folders and files of the server can be named.
    Operator,
    /// A caller of the API, who must not read the disk of the server.
    Caller,
}

/// The table of a section that configures the back end.
pub(super) const UPSTREAM: &str = "upstream";

/// The kind without a back end: answers are sentences of the documents.
pub(super) const LOCAL: &str = "local";

/// The largest value of `max_turns`.
const MAX_TURNS: usize = 100_000;

/// The settings of an assistant, except its back end.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
#[schema(as = Assistant)]
pub(super) struct AssistantSection {
    /// The environment variable with the assistant's own Direct Line secret.
    secret_env: Option<String>,
    /// The file with that secret, instead of a variable.
    #[schema(value_type = Option<String>)]
    secret_file: Option<PathBuf>,
    /// The name that readers see, in any writing. Without it they see the name in addresses.
    display_name: Option<String>,
    /// Whether everybody who can open the page of the server, or a site of `embed.origins`, may chat with the assistant.
    shared: Option<bool>,
    /// Whether answers have citations. Without citations, passages have no numbers and readers see no sources.
    enable_citations: Option<bool>,
    /// How readers can download cited documents without a URL: `none`, `authenticated` or `public`.
    citation_link_mode: Option<String>,
    /// The instructions at the beginning of the system prompt.
    instructions: Option<String>,
    /// The context window of the model, in tokens.
    context_window: Option<u64>,
    /// How many tokens of earlier messages the model gets with a question; 0: none.
    history_tokens: Option<usize>,
    /// How many questions the assistant answers at the same time.
    #[schema(value_type = Option<usize>, minimum = 1)]
    max_turns: Option<NonZeroUsize>,
    /// The greeting for a user who joins a conversation.
    greeting: Option<String>,
    /// The text that readers see while the back end works.
    informative: Option<String>,
    /// The text instead of an answer that lacks the required grounding.
    refusal: Option<String>,
    /// The text instead of an answer if the back end fails before it sends any text.
    failure: Option<String>,
    /// The text behind an answer that its reader has stopped.
    stopped: Option<String>,
    /// The text instead of an answer if the back end is busy.
    busy: Option<String>,
    /// The conversion options of answers.
    #[serde(default)]
    #[schema(value_type = Option<convert::Options>)]
    options: convert::Options,
    /// The documents; required without a back end.
    documents: Option<DocumentsSection>,
}

/// The documents of an assistant.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
#[schema(as = Documents)]
struct DocumentsSection {
    /// The folder. A relative path begins at the server's working directory. Over HTTP there is none: files are uploaded.
    #[schema(value_type = Option<String>)]
    folder: Option<PathBuf>,
    /// The bucket with the documents, instead of a folder: `s3://bucket/folder`, `az://account/container/folder` or
    /// `gs://bucket/folder`.
    bucket: Option<String>,
    /// The address of a service with the interface of S3, Azure or Google, if it is not theirs.
    bucket_endpoint: Option<String>,
    /// The region of an S3 bucket; `us-east-1` when absent.
    bucket_region: Option<String>,
    /// The access key id of an S3 bucket.
    bucket_key_id: Option<String>,
    /// The environment variable with the secret access key (S3), the account key (Azure) or the JSON key of a service account
    /// (Google). Without a key, the bucket must be public.
    bucket_key_env: Option<String>,
    /// How long links to the bucket are valid if `citation_link_mode` is `public`, in seconds; at most 604800, 7 days, the default.
    #[schema(minimum = 1, maximum = 604800)]
    bucket_link_seconds: Option<u64>,
    /// The URL of the same folder on the web: citewire derives the URLs of documents from it.
    url: Option<String>,
    /// How many passages the model gets.
    passages: Option<usize>,
    /// The lowest score, from 0 to 1, of a passage that is used. Without such passages, the documents say nothing.
    #[schema(minimum = 0, maximum = 1)]
    min_score: Option<f64>,
    /// The server that computes vectors, so that passages are also found by their meaning.
    embeddings: Option<EmbeddingsOptions>,
    /// The server that judges again how well passages fit the question.
    reranker: Option<RerankerOptions>,
    /// The largest document in bytes. A larger document makes the folder invalid.
    max_document_bytes: Option<u64>,
    /// The largest total of all documents in bytes; citewire holds them in memory. A larger total makes the folder invalid.
    max_total_bytes: Option<u64>,
    /// The largest total of the text of all documents in bytes; a small file may have much text. Documents beyond it are unreadable.
    max_text_bytes: Option<u64>,
    /// The largest number of documents. More documents make the folder invalid.
    max_documents: Option<usize>,
    /// How deep subfolders may be nested.
    max_depth: Option<usize>,
}

/// Reads the settings of an assistant that came over HTTP: the members of `[assistants.NAME]` as JSON. They can name no
/// folders and files of the server, and only the secrets of `[secrets]`.
///
/// # Errors
/// When anything is wrong with them: keys in the settings, and reasons.
pub fn read_settings(
    name: &str,
    settings: &Map<String, serde_json::Value>,
    secrets: &SecretSource,
) -> Result<AssistantPlan, Faults> {
    let section = settings.iter().map(|(key, value)| Ok((key.clone(), of_json(key, value)?)));
    let section: Table = section.collect::<Result<_, (String, String)>>().map_err(|fault| vec![fault])?;
    read(name, Value::Table(section), secrets, Author::Caller)
}

/// A JSON value in TOML, which has no null and no numbers beyond 64 bits.
fn of_json(key: &str, value: &serde_json::Value) -> Result<Value, (String, String)> {
    use serde_json::Value as Json;
    let wrong = |reason: &str| Err((key.to_owned(), reason.to_owned()));
    Ok(match value {
        Json::Null => return wrong("null is not allowed: leave the member out"),
        Json::Bool(truth) => Value::Boolean(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Value::Integer(number),
            (None, Some(number)) if number.abs() < i64::MAX as f64 => Value::Float(number),
            (None, _) => return wrong("this number is too large"),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(list) => {
            let items = list.iter().enumerate().map(|(at, item)| of_json(&format!("{key}.{at}"), item));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Json::Object(members) => {
            let members =
                members.iter().map(|(name, value)| Ok((name.clone(), of_json(&format!("{key}.{name}"), value)?)));
            Value::Table(members.collect::<Result<_, (String, String)>>()?)
        }
    })
}

/// Reads a section, or reports all its errors.
pub(super) fn read(
    name: &str,
    section: Value,
    secrets: &SecretSource,
    author: Author,
) -> Result<AssistantPlan, Faults> {
    let one = |key: &str, reason: String| vec![(key.to_owned(), reason)];
    let Value::Table(mut section) = section else {
        return Err(one("", "a section is required".to_owned()));
    };
    assistanthub::rename(&mut section).map_err(|(key, reason)| one(&key, reason))?;
    let given = section.clone();
    let mut faults = Faults::new();
    let mut wrong = |key: &str, reason: String| faults.push((key.to_owned(), reason));
    if let Err(error) = name.parse::<Owner>() {
        wrong("", error.to_string());
    }
    let back_end = match section.remove(UPSTREAM) {
        None => Some(BackEnd::Local),
        Some(Value::Table(upstream)) => read_back_end(upstream, &mut wrong),
        Some(other) => {
            wrong(UPSTREAM, format!("a section is required, not a value of type {}", other.type_str()));
            None
        }
    };
    let read: Result<AssistantSection, _> = serde_path_to_error::deserialize(Value::Table(section));
    let mut section = match read {
        Ok(section) => section,
        Err(error) => {
            let path = error.path().to_string();
            // The words of the parser may be over several lines.
            let reason = error.inner().message().trim_end().replace('\n', " ");
            wrong(if path == "." { "" } else { &path }, reason);
            return Err(faults);
        }
    };
    let secret = read_secret(&section, secrets, author, &mut wrong);
    if section.display_name.as_deref().is_some_and(|name| !is_display_name(name)) {
        wrong("display_name", format!("1 to {LONGEST_NAME} characters without line breaks are required"));
    }
    let has_documents = section.documents.is_some();
    let documents = section.documents.take().and_then(|documents| documents.read(author, &mut wrong));
    if back_end == Some(BackEnd::Local) && !has_documents {
        let remedy = match author {
            Author::Operator => "set folder = \"…\"",
            Author::Caller => "set documents to {} and upload files",
        };
        wrong("documents", format!("documents are required without a back end: {remedy}"));
    }
    let Some(back_end) = back_end.filter(|_| faults.is_empty()) else {
        return Err(faults);
    };
    let mut plan = AssistantPlan { secret, documents, section: given, ..AssistantPlan::new(name, back_end) };
    section.apply(&mut plan);
    Ok(plan)
}

/// The longest name that readers see, in characters.
const LONGEST_NAME: usize = 80;

fn is_display_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME && !name.contains(char::is_control)
}

/// The Direct Line secret that a section names.
fn read_secret(
    section: &AssistantSection,
    secrets: &SecretSource,
    author: Author,
    wrong: &mut impl FnMut(&str, String),
) -> Option<Secret> {
    let (variable, file) = (section.secret_env.as_deref(), section.secret_file.as_deref());
    if file.is_some() && author == Author::Caller {
        let remedy = "name a secret of the section [secrets] in secret_env";
        wrong("secret_file", format!("only the configuration file can name files of the server: {remedy}"));
        return None;
    }
    given_secret(secrets, variable, file).unwrap_or_else(|reason| {
        wrong(if file.is_some() { "secret_file" } else { "secret_env" }, reason);
        None
    })
}

/// The settings of a bucket.
struct BucketSection {
    address: Option<String>,
    endpoint: Option<String>,
    region: Option<String>,
    key_id: Option<String>,
    key_env: Option<String>,
    link_seconds: Option<u64>,
}

impl BucketSection {
    /// The bucket, if one is named. `None` when anything is wrong, which is reported.
    #[expect(clippy::option_option, reason = "the outer one is the failure, as in the functions beside it")]
    fn read(self, wrong: &mut impl FnMut(&str, String)) -> Option<Option<BucketOptions>> {
        let Some(address) = self.address else {
            let lonely =
                [("bucket_endpoint", self.endpoint), ("bucket_key_id", self.key_id), ("bucket_key_env", self.key_env)];
            if let Some((key, _)) = lonely.iter().find(|(_, value)| value.is_some()) {
                wrong(&format!("documents.{key}"), "bucket is missing".to_owned());
                return None;
            }
            return Some(None);
        };
        let usual = BucketOptions::parse(&address)
            .map_err(|fault| wrong(&format!("documents.{}", fault.setting), fault.reason))
            .ok()?;
        let link_lifetime = self.link_seconds.map_or(usual.link_lifetime, Duration::from_secs);
        let region = self.region.unwrap_or_else(|| usual.region.clone());
        let bucket = BucketOptions {
            endpoint: self.endpoint,
            region,
            key_id: self.key_id,
            key_env: self.key_env,
            link_lifetime,
            ..usual
        };
        Some(Some(bucket))
    }
}

impl DocumentsSection {
    fn read(self, author: Author, wrong: &mut impl FnMut(&str, String)) -> Option<DocumentsPlan> {
        let url = self.url.and_then(|url| {
            url.parse::<WebUrl>()
                .map_err(|_| wrong("documents.url", "an address with http or https is required".to_owned()))
                .ok()
        });
        let bucket = BucketSection {
            address: self.bucket,
            endpoint: self.bucket_endpoint,
            region: self.bucket_region,
            key_id: self.bucket_key_id,
            key_env: self.bucket_key_env,
            link_seconds: self.bucket_link_seconds,
        };
        let bucket = bucket.read(wrong)?;
        if self.folder.is_some() && bucket.is_some() {
            wrong("documents.bucket", "folder is set as well; leave one of them out".to_owned());
            return None;
        }
        let reader = DocumentReader::this_program().ok();
        let mut uploads = UploadOptions { base_url: url.clone(), reader, ..UploadOptions::default() };
        uploads.max_document_bytes = self.max_document_bytes.unwrap_or(uploads.max_document_bytes);
        uploads.max_total_bytes = self.max_total_bytes.unwrap_or(uploads.max_total_bytes);
        uploads.max_text_bytes = self.max_text_bytes.unwrap_or(uploads.max_text_bytes);
        uploads.max_documents = self.max_documents.unwrap_or(uploads.max_documents);
        let source = match (self.folder, author) {
            _ if bucket.is_some() => DocumentsSource::Bucket(Box::new(bucket?), uploads),
            (Some(folder), Author::Operator) => {
                let mut library = LibraryOptions { base_url: url, ..LibraryOptions::new(folder) };
                library.reader = DocumentReader::this_program().ok();
                library.max_document_bytes = self.max_document_bytes.unwrap_or(library.max_document_bytes);
                library.max_total_bytes = self.max_total_bytes.unwrap_or(library.max_total_bytes);
                library.max_text_bytes = self.max_text_bytes.unwrap_or(library.max_text_bytes);
                library.max_documents = self.max_documents.unwrap_or(library.max_documents);
                library.max_depth = self.max_depth.unwrap_or(library.max_depth);
                DocumentsSource::Folder(library)
            }
            (None, Author::Operator) => {
                wrong("documents", "missing field `folder`".to_owned());
                return None;
            }
            (Some(_), Author::Caller) => {
                let remedy = "leave it out and upload the documents";
                wrong(
                    "documents.folder",
                    format!("only the configuration file can name a folder of the server: {remedy}"),
                );
                return None;
            }
            (None, Author::Caller) => DocumentsSource::Uploads(uploads),
        };
        if self.min_score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
            wrong("documents.min_score", "the value must be 0 to 1".to_owned());
        }
        let mut plan = DocumentsPlan::new(source);
        plan.passages = self.passages.unwrap_or(plan.passages);
        plan.min_score = self.min_score;
        plan.embeddings = self.embeddings;
        plan.reranker = self.reranker;
        Some(plan)
    }
}

impl AssistantSection {
    /// Writes the options into a plan.
    fn apply(self, plan: &mut AssistantPlan) {
        let options = &mut plan.options;
        options.display_name = self.display_name.map(|name| name.trim().to_owned());
        options.is_shared = self.shared.unwrap_or(options.is_shared);
        options.citations = self.enable_citations.unwrap_or(options.citations);
        options.link_mode = self.citation_link_mode.map_or(options.link_mode, |mode| {
            mode.parse().unwrap_or_else(|error| {
                // An unknown mode acts like none (rule AH-07).
                plan.warnings.push(format!("citation_link_mode: {error}; documents are not linked"));
                options.link_mode
            })
        });
        options.instructions = self.instructions;
        options.context_window = self.context_window;
        options.history_tokens = self.history_tokens.unwrap_or(options.history_tokens);
        options.max_turns = self.max_turns.map(|limit| limit.get().min(MAX_TURNS));
        options.convert = self.options;
        for (given, option) in [
            (self.greeting, &mut options.greeting),
            (self.informative, &mut options.informative),
            (self.refusal, &mut options.refusal),
            (self.failure, &mut options.failure),
            (self.stopped, &mut options.stopped),
            (self.busy, &mut options.busy),
        ] {
            if let Some(given) = given {
                *option = given;
            }
        }
    }
}

fn read_back_end(mut upstream: Table, wrong: &mut impl FnMut(&str, String)) -> Option<BackEnd> {
    let kinds = || format!("{LOCAL}, {}", UpstreamOptions::KINDS.join(", "));
    let kind = match upstream.remove("kind") {
        Some(Value::String(kind)) => kind,
        Some(_) | None => {
            wrong("upstream.kind", format!("a kind is required: one of {}", kinds()));
            return None;
        }
    };
    if kind == LOCAL {
        if let Some(key) = upstream.keys().next() {
            wrong(&format!("{UPSTREAM}.{key}"), "there is no such setting".to_owned());
        }
        return Some(BackEnd::Local);
    }
    if !UpstreamOptions::KINDS.contains(&kind.as_str()) {
        wrong("upstream.kind", format!("unknown kind; the kinds are {}", kinds()));
        return None;
    }
    match UpstreamOptions::read(&kind, upstream) {
        Ok(options) => Some(BackEnd::Called(options)),
        Err(fault) => {
            wrong(UPSTREAM, fault.to_string());
            None
        }
    }
}
