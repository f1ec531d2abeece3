//! The checked configuration of the server.

use std::collections::BTreeMap;
use std::iter;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::assistant_form::assistant_form;
use super::assistants::{named, of_channel};
use super::error::{ConfigError, ConfigFault, FaultOrigin};
use super::generated_secrets::{GeneratedSecret, keep, made};
use super::load::{ConfigSources, load};
use super::raw_config::RawConfig;
use super::setting::environment_name;
use super::unset::{API_KEY, BOT_SECRET, DIRECT_LINE_SECRET, KEY_FILE, missing_secrets, required};
use super::variables::unknown_variables;
use crate::assistant::{AssistantPlan, NamedAssistant};
use crate::bus::BusOptions;
use crate::channels::azure_bot::AzureBotOptions;
use crate::channels::direct_line::DirectLineOptions;
use crate::channels::direct_line::bot::BotBinding;
use crate::channels::direct_line_client::Binding;
use crate::egress::EgressOptions;
use crate::http::{ApiKey, HttpOptions, TrustedProxies};
use crate::private_file;
use crate::secret::Secret;
use crate::secret_source::SecretSource;
use crate::store::{Location, StoreOptions};
use crate::telemetry::LogFormat;

/// The time that a balancer needs to see that `/readyz` is 503, where other nodes take over.
const SHARED_DRAIN: Duration = Duration::from_secs(5);

/// The place of the `/v1` key, for messages to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// This file, which holds nothing else.
    File(PathBuf),
    /// The environment variable `CITEWIRE_API_KEY`.
    Variable,
    /// The configuration file.
    Configuration,
}

/// The complete, checked configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The server's options.
    pub http: HttpOptions,
    /// The channel's options.
    pub direct_line: DirectLineOptions,
    /// The conversations that are elsewhere, if there are any.
    pub direct_line_client: Option<Binding>,
    /// The bot behind the channel, if there is one.
    pub bot: Option<BotBinding>,
    /// The bot behind Azure Bot Service, if there is one.
    pub azure_bot: Option<AzureBotOptions>,
    /// The assistants that stand in the file.
    pub assistants: Vec<AssistantPlan>,
    /// The settings that name an assistant, which may be one of the store.
    pub named_assistants: Vec<NamedAssistant>,
    /// The secrets that sections can name.
    pub secrets: SecretSource,
    /// The name of the one that answers on the channel itself; it may be [`DOCS`](crate::assistant::DOCS), which stands in no file.
    pub assistant: Option<String>,
    /// The options of outgoing connections.
    pub egress: EgressOptions,
    /// Whether redirects of sources are followed.
    pub resolve_redirects: bool,
    /// The store's options.
    pub store: StoreOptions,
    /// The options of the bus between nodes.
    pub bus: BusOptions,
    /// The folder of all that citewire keeps, which need not exist yet.
    pub data_dir: PathBuf,
    /// The filter of the log.
    pub log: String,
    /// The format of log lines.
    pub log_format: LogFormat,
    /// Lines for the operator: the secrets that citewire made itself, and variables of the environment that are no settings.
    pub announcements: Vec<String>,
    /// The place of the key of `/v1`.
    pub api_key_place: KeyPlace,
}

impl Config {
    /// Reads the configuration. On a loopback address, secrets that are not set are made and kept in the data
    /// directory; on any other, and with a database that several nodes may serve, they must be set.
    ///
    /// # Errors
    /// When anything is wrong: with everything that is.
    pub fn load(sources: &ConfigSources) -> Result<Self, ConfigError> {
        let (raw, mut faults) = load(sources);
        let missing = missing_secrets(&raw);
        faults.extend(required(&raw, &missing));
        let direct_line_client = raw.direct_line_client.clone().resolve().unwrap_or_else(|wrong| {
            faults.extend(wrong.iter().map(|wrong| ConfigFault::new(FaultOrigin::Together, wrong.to_string())));
            None
        });
        if let Err(wrong) = raw.bot.check() {
            faults.push(ConfigFault::new(FaultOrigin::Together, wrong.to_string()));
        }
        if let Err(wrong) = raw.bus.check() {
            faults.push(ConfigFault::new(FaultOrigin::Together, wrong.to_string()));
        }
        let has_bot = raw.bot.endpoint.is_some();
        let assistant = of_channel(raw.assistant.as_deref(), &raw.assistants, has_bot).unwrap_or_else(|wrong| {
            faults.push(ConfigFault::new(FaultOrigin::Together, format!("assistant (CITEWIRE_ASSISTANT): {wrong}")));
            None
        });
        faults.extend(same_secrets(&raw));
        let trusted_proxies = if raw.trust_forwarded && raw.trusted_proxies.is_empty() {
            TrustedProxies::nearby()
        } else {
            raw.trusted_proxies.clone()
        };
        // A proxy on this machine calls from this machine, whoever calls it.
        let is_local = raw.bind.ip().is_loopback() && raw.public_url.is_none() && trusted_proxies.is_empty();
        let takes_answers = raw.bind.ip().is_loopback() && trusted_proxies.is_empty();
        let azure_bot = raw.azure_bot.clone().resolve(is_local).unwrap_or_else(|wrong| {
            faults.extend(wrong.iter().map(|wrong| ConfigFault::new(FaultOrigin::Together, wrong.to_string())));
            None
        });
        faults.extend(embed_faults(&raw));
        faults.extend(hasty(&raw));
        if !faults.is_empty() {
            return Err(ConfigError(faults));
        }
        let named_assistants = named(&raw);
        let data_dir = data_dir(&raw, &sources.environment, !missing.is_empty())?;
        let mut kept = keep_all(&data_dir, &missing)?;
        let mut announcements: Vec<String> = kept.iter().map(|(key, kept)| announce(key, kept)).collect();
        announcements.extend(sources.file.as_deref().filter(|_| raw.file_holds_secrets).and_then(readable_by_others));
        announcements.extend(unknown_variables(&sources.environment, &raw.named_variables));
        let api_key_place = key_place(kept.get(API_KEY), &sources.environment);
        let mut secret = |given: &Option<Secret>, key| {
            given
                .clone()
                .or_else(|| kept.remove(key).map(|kept| kept.secret))
                .ok_or_else(|| ConfigError(vec![ConfigFault::new(FaultOrigin::Together, format!("{key} is not set"))]))
        };
        let api_key = secret(&raw.api_key, API_KEY)?;
        let direct_line_secret = secret(&raw.direct_line_secret, DIRECT_LINE_SECRET)?;
        let bot = raw.bot.resolve(kept.remove(BOT_SECRET).map(|kept| kept.secret));
        Ok(Self {
            http: HttpOptions {
                workers: raw.workers,
                public_url: raw.public_url,
                trusted_proxies,
                allowed_hosts: raw.allowed_hosts,
                limits: raw.limits,
                max_body_bytes: raw.max_body_bytes,
                page: raw.page,
                page_answers: raw.page_answers.unwrap_or(takes_answers),
                admin_schema: raw.admin_page.then(|| assistant_form().to_string().into()),
                chat_citations: raw.chat_citations,
                embed: raw.embed,
                webchat_js: raw.webchat_js,
                retention: raw.retention,
                drain: raw.drain.unwrap_or(if raw.store.is_shared() { SHARED_DRAIN } else { Duration::ZERO }),
                shutdown_grace: raw.shutdown_grace,
                labels: raw.labels,
                formats: raw.formats,
                redirectors: raw.redirectors,
                keys: iter::once(ApiKey::single(api_key.clone())).chain(raw.keys).collect(),
                second_direct_line_secret: raw.second_direct_line_secret,
                ..HttpOptions::new(raw.bind, api_key, direct_line_secret)
            },
            direct_line: raw.direct_line,
            direct_line_client,
            bot,
            azure_bot,
            named_assistants,
            assistants: raw.assistants,
            secrets: raw.secrets,
            assistant,
            egress: raw.egress,
            resolve_redirects: raw.resolve_redirects,
            store: raw.store,
            bus: raw.bus,
            data_dir,
            log: raw.log,
            log_format: raw.log_format,
            announcements,
            api_key_place,
        })
    }
}

fn key_place(kept: Option<&GeneratedSecret>, environment: &BTreeMap<String, String>) -> KeyPlace {
    let name = environment_name(API_KEY);
    let given = |name: &str| environment.get(name).filter(|text| !text.is_empty());
    match (kept, given(&name), given(&format!("{name}_FILE"))) {
        (Some(kept), _, _) => KeyPlace::File(kept.path.clone()),
        (None, Some(_), _) => KeyPlace::Variable,
        (None, None, Some(path)) => KeyPlace::File(PathBuf::from(path)),
        (None, None, None) => KeyPlace::Configuration,
    }
}

/// The place of the store that the configuration names, for commands that look at it. Secrets need not be set for that,
/// and none are made.
///
/// # Errors
///
/// When anything in the configuration is wrong: with everything that is.
pub fn store_location(sources: &ConfigSources) -> Result<Location, ConfigError> {
    let (raw, faults) = load(sources);
    if !faults.is_empty() {
        return Err(ConfigError(faults));
    }
    let data_dir = data_dir(&raw, &sources.environment, false)?;
    let location = raw.store.location(&data_dir);
    location.map_err(|error| ConfigError(vec![ConfigFault::new(FaultOrigin::Together, error.to_string())]))
}

/// Nodes that would be held for dead because one or two heartbeats were late.
fn hasty(raw: &RawConfig) -> Option<ConfigFault> {
    let options = &raw.store.postgres;
    let reason = "cluster.dead_after_milliseconds (CITEWIRE_CLUSTER_DEAD_AFTER_MILLISECONDS) has to be at least three times \
                  cluster.heartbeat_milliseconds (CITEWIRE_CLUSTER_HEARTBEAT_MILLISECONDS)";
    (options.dead_after < options.heartbeat * 3).then(|| ConfigFault::new(FaultOrigin::Together, reason))
}

/// The faults in the settings for pages of other sites.
fn embed_faults(raw: &RawConfig) -> Vec<ConfigFault> {
    let mut faults = Vec::new();
    if raw.embed.anonymous && raw.embed.origins.is_empty() {
        let reason = "embed.anonymous (CITEWIRE_EMBED_ANONYMOUS) is for the pages of sites: name these sites in embed.origins \
                      (CITEWIRE_EMBED_ORIGINS)";
        faults.push(ConfigFault::new(FaultOrigin::Together, reason));
    }
    faults
}

/// The address that a server with this configuration listens on, for commands that call it. Secrets need not be set for that, and
/// none are made.
///
/// # Errors
/// When anything in the configuration is wrong: with everything that is.
pub fn bind_address(sources: &ConfigSources) -> Result<SocketAddr, ConfigError> {
    let (raw, faults) = load(sources);
    if faults.is_empty() { Ok(raw.bind) } else { Err(ConfigError(faults)) }
}

/// The address at which the server listens, and the API key that opens it: the one that is set, else the one that a server of this
/// machine has made.
///
/// # Errors
/// When anything in the configuration is wrong: with everything that is; or when the key cannot be read.
pub fn caller_access(sources: &ConfigSources) -> Result<(SocketAddr, Option<Secret>), ConfigError> {
    let (raw, faults) = load(sources);
    if !faults.is_empty() {
        return Err(ConfigError(faults));
    }
    let key = match &raw.api_key {
        Some(key) => Some(key.clone()),
        None => made(&data_dir(&raw, &sources.environment, false)?, KEY_FILE).map_err(|error| {
            ConfigError(vec![ConfigFault::new(FaultOrigin::Together, format!("{API_KEY}: {error}"))])
        })?,
    };
    Ok((raw.bind, key))
}

/// A warning about a file with secrets that others on this machine can read.
fn readable_by_others(file: &Path) -> Option<String> {
    let path = file.display();
    let advice =
        format!("{path} holds secrets, and others on this machine can read it: chmod 600 {path}, or use secret files");
    private_file::is_readable_by_others(file).then_some(advice)
}

/// Secrets with the same text: the holder of one of them could open what is behind another.
fn same_secrets(raw: &RawConfig) -> Vec<ConfigFault> {
    let single = [
        (API_KEY, &raw.api_key),
        (DIRECT_LINE_SECRET, &raw.direct_line_secret),
        ("direct_line.second_secret", &raw.second_direct_line_secret),
        (BOT_SECRET, &raw.bot.secret),
    ];
    let single = single.into_iter().filter_map(|(key, secret)| Some((key.to_owned(), secret.as_ref()?)));
    let keys = raw.keys.iter().flat_map(|key| key.secrets.iter().map(|secret| (format!("keys.{}", key.name), secret)));
    let assistants = raw.assistants.iter();
    let assistants = assistants.filter_map(|plan| Some((format!("assistants.{}", plan.name), plan.secret.as_ref()?)));
    let secrets: Vec<(String, &Secret)> = single.chain(keys).chain(assistants).collect();
    let mut faults = Vec::new();
    for (at, (key, secret)) in secrets.iter().enumerate() {
        if let Some((other, _)) = secrets[..at].iter().find(|(_, other)| other.matches(secret.expose())) {
            let reason = format!("{other} and {key} have the same secret; use a different secret for each");
            faults.push(ConfigFault::new(FaultOrigin::Together, reason));
        }
    }
    faults
}

/// The folder for what citewire keeps. Where it keeps neither secrets nor conversations, there need not be one.
fn data_dir(
    raw: &RawConfig,
    environment: &BTreeMap<String, String>,
    keeps_secrets: bool,
) -> Result<PathBuf, ConfigError> {
    if let Some(folder) = raw.data_dir.clone().or_else(|| default_folder(environment)) {
        return Ok(folder);
    }
    let nowhere = PathBuf::new();
    let needed = |location| match location {
        Location::Sqlite(path) => path.is_relative(),
        Location::Memory | Location::Postgres(_) => false,
    };
    if keeps_secrets || raw.store.location(&nowhere).is_ok_and(needed) {
        let reason = "no home directory to keep secrets and conversations in; set data_dir (CITEWIRE_DATA_DIR)";
        return Err(ConfigError(vec![ConfigFault::new(FaultOrigin::Together, reason)]));
    }
    Ok(nowhere)
}

fn keep_all(
    folder: &Path,
    missing: &[(&'static str, &str)],
) -> Result<BTreeMap<&'static str, GeneratedSecret>, ConfigError> {
    let mut kept = BTreeMap::new();
    let mut faults = Vec::new();
    for (key, file) in missing {
        match keep(folder, file) {
            Ok(secret) => {
                kept.insert(*key, secret);
            }
            Err(error) => faults.push(ConfigFault::new(FaultOrigin::Together, format!("{key}: {error}"))),
        }
    }
    if faults.is_empty() { Ok(kept) } else { Err(ConfigError(faults)) }
}

fn default_folder(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    let folder = |name: &str| environment.get(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else {
        folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("citewire"))
}

fn announce(key: &str, kept: &GeneratedSecret) -> String {
    let (name, path) = (environment_name(key), kept.path.display());
    if kept.is_new {
        format!("{name} was generated: {} (kept in {path})", kept.secret.expose())
    } else {
        // The line of every start ends up in the journal of the system, so it does not show the secret.
        format!("{name} was generated earlier (kept in {path})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(folder: &std::path::Path, more: &[(&str, &str)]) -> ConfigSources {
        let mut environment = BTreeMap::from([("CITEWIRE_DATA_DIR".to_owned(), folder.display().to_string())]);
        environment.extend(more.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        ConfigSources { environment, ..ConfigSources::default() }
    }

    #[test]
    fn on_loopback_missing_secrets_are_made_and_shown_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = Config::load(&sources(folder.path(), &[])).expect("a configuration");
        assert_eq!(config.announcements.len(), 2);
        assert!(config.announcements[0].contains(config.http.keys[0].secrets[0].expose()));
        let again = Config::load(&sources(folder.path(), &[])).expect("a configuration");
        let secret = config.http.keys[0].secrets[0].expose();
        assert!(again.announcements[0].contains("api-key") && !again.announcements[0].contains(secret));
        assert_eq!(again.http.keys, config.http.keys);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_secrets_that_others_can_read_is_named() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("citewire.toml");
        let said = |toml: &str, mode: u32| {
            std::fs::write(&file, toml).expect("written");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("permissions");
            let sources = ConfigSources { file: Some(file.clone()), ..sources(folder.path(), &[]) };
            let said = Config::load(&sources).expect("a configuration").announcements;
            said.iter().any(|line| line.contains("chmod 600"))
        };
        assert!(said("api_key = 'sixteen-or-more-characters'", 0o644));
        assert!(!said("api_key = 'sixteen-or-more-characters'", 0o600));
        assert!(!said("workers = 1", 0o644));
    }

    #[test]
    fn nodes_that_share_a_database_are_told_what_they_have_to_agree_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut given = vec![("CITEWIRE_STORE_URL", "postgres://me:hunter2@db/chats")];
        let error = Config::load(&sources(folder.path(), &given)).expect_err("refused").to_string();
        for name in ["CITEWIRE_API_KEY", "CITEWIRE_DIRECT_LINE_SECRET", "CITEWIRE_PUBLIC_URL"] {
            assert!(error.contains(name) && !error.contains("hunter2"), "{error}");
        }
        given.push(("CITEWIRE_API_KEY", "the-api-key-of-the-tests"));
        given.push(("CITEWIRE_DIRECT_LINE_SECRET", "the-direct-line-secret-of-the-tests"));
        given.push(("CITEWIRE_PUBLIC_URL", "https://chat.example"));
        let config = Config::load(&sources(folder.path(), &given)).expect("a configuration");
        assert!(!format!("{:?}", config.store).contains("hunter2"));
        assert_eq!(config.http.drain, Duration::from_secs(5));
        given.push(("CITEWIRE_CLUSTER_DEAD_AFTER_MILLISECONDS", "8999"));
        let error = Config::load(&sources(folder.path(), &given)).expect_err("refused").to_string();
        assert!(error.contains("at least three times cluster.heartbeat_milliseconds"), "{error}");
        given.push(("CITEWIRE_CLUSTER_HEARTBEAT_MILLISECONDS", "500"));
        let options = Config::load(&sources(folder.path(), &given)).expect("a configuration").store.postgres;
        assert_eq!((options.heartbeat, options.dead_after), (Duration::from_millis(500), Duration::from_millis(8999)));
    }

    #[test]
    fn sites_for_the_chat_stand_in_a_list_in_the_file_or_behind_commas() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("citewire.toml");
        let load = |toml: &str, environment: &[(&str, &str)]| {
            std::fs::write(&file, toml).expect("written");
            let config =
                Config::load(&ConfigSources { file: Some(file.clone()), ..sources(folder.path(), environment) });
            config.map(|config| config.http.embed).map_err(|error| error.to_string())
        };
        let list = "[embed]\norigins = [\"https://a.example\", \"https://b.example\"]\nassistants = [\"docs\"]";
        let embed = load(list, &[]).expect("a configuration");
        assert_eq!(embed.origins.iter().collect::<Vec<_>>(), ["https://a.example", "https://b.example"]);
        assert_eq!((embed.anonymous, embed.assistants), (false, vec!["docs".to_owned()]));
        let embed = load("", &[("CITEWIRE_EMBED_ORIGINS", "https://a.example,https://b.example")]);
        assert_eq!(embed.expect("a configuration").origins.iter().count(), 2);
        for (toml, expected) in [
            ("[embed]\norigins = [\"https://a.example/x\"]", "write https://a.example"),
            ("[embed]\norigins = [5]", "embed.origins in the configuration file: a list of texts is required"),
            ("[embed]\nanonymous = true", "name these sites in embed.origins"),
            ("bind = [\"127.0.0.1:0\"]", "bind in the configuration file: a single value is required"),
        ] {
            let refused = load(toml, &[]).expect_err(toml);
            assert!(refused.contains(expected), "{refused}");
        }
    }

    /// One text as key of the API and secret of Direct Line gave whoever may chat all that the key opens.
    #[test]
    fn two_secrets_with_one_text_are_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = "sixteen-or-more-characters";
        for (other, expected) in [
            ("CITEWIRE_DIRECT_LINE_SECRET", "api_key and direct_line.secret have the same secret"),
            ("CITEWIRE_DIRECT_LINE_SECOND_SECRET", "api_key and direct_line.second_secret have"),
            ("CITEWIRE_BOT_SECRET", "api_key and bot.secret have"),
        ] {
            let endpoint = ("CITEWIRE_BOT_ENDPOINT", "http://127.0.0.1:3979/api/messages");
            let error = Config::load(&sources(folder.path(), &[("CITEWIRE_API_KEY", one), (other, one), endpoint]));
            let error = error.expect_err("refused").to_string();
            assert!(error.contains(expected) && !error.contains(one), "{error}");
        }
    }

    #[test]
    fn elsewhere_a_missing_secret_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = [("CITEWIRE_BIND", "0.0.0.0:3978"), ("CITEWIRE_API_KEY", "sixteen-or-more-characters")];
        let error = Config::load(&sources(folder.path(), &open)).expect_err("refused").to_string();
        assert!(error.contains("CITEWIRE_DIRECT_LINE_SECRET") && !error.contains("CITEWIRE_API_KEY"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is made");
    }

    #[test]
    fn a_binding_is_read_and_all_that_is_wrong_with_one_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = ("CITEWIRE_DIRECT_LINE_CLIENT_URL", "https://bot.example/v3/directline");
        let secret = ("CITEWIRE_DIRECT_LINE_CLIENT_SECRET", "the-secret-of-the-bot");
        let conversations = ("CITEWIRE_DIRECT_LINE_CLIENT_CONVERSATIONS", "c1, hr-*");
        let config = Config::load(&sources(folder.path(), &[url, secret, conversations])).expect("a configuration");
        let binding = config.direct_line_client.expect("a binding");
        assert_eq!((binding.url.to_string().as_str(), binding.user.as_str()), (url.1, "citewire"));
        assert_eq!(Config::load(&sources(folder.path(), &[])).expect("a configuration").direct_line_client, None);
        let bad_url = (url.0, "https://bot.example");
        let bad_token = ("CITEWIRE_DIRECT_LINE_CLIENT_TOKEN", "short");
        let wrong = [bad_url, bad_token, secret];
        let error = Config::load(&sources(folder.path(), &wrong)).expect_err("refused").to_string();
        for named in [bad_url.0, bad_token.0, "direct_line_client.conversations is missing"] {
            assert!(error.contains(named) && !error.contains("short") && !error.contains(secret.1), "{error}");
        }
    }

    #[test]
    fn a_bot_has_a_secret_of_its_own_and_elsewhere_it_must_be_set() {
        let folder = tempfile::tempdir().expect("a folder");
        let endpoint = ("CITEWIRE_BOT_ENDPOINT", "http://127.0.0.1:3979/api/messages");
        let config = Config::load(&sources(folder.path(), &[endpoint])).expect("a configuration");
        let bot = config.bot.expect("a bot");
        assert_eq!(config.announcements.len(), 3);
        assert_ne!(bot.secret, config.http.direct_line_secret);
        assert_eq!(Config::load(&sources(folder.path(), &[])).expect("a configuration").bot, None);
        let open = [("CITEWIRE_BIND", "0.0.0.0:3978"), endpoint];
        let error = Config::load(&sources(folder.path(), &open)).expect_err("refused").to_string();
        assert!(error.contains("CITEWIRE_BOT_SECRET"), "{error}");
        let error = Config::load(&sources(folder.path(), &[("CITEWIRE_BOT_CITE", "true")])).expect_err("refused");
        assert!(error.to_string().contains("bot.endpoint is missing"), "{error}");
    }

    #[test]
    fn a_node_among_others_drains_before_it_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let shared = [
            ("CITEWIRE_STORE_URL", "postgres://citewire@db.example/citewire"),
            ("CITEWIRE_API_KEY", "sixteen-or-more-characters"),
            ("CITEWIRE_DIRECT_LINE_SECRET", "another-sixteen-characters"),
            ("CITEWIRE_PUBLIC_URL", "https://chat.example"),
        ];
        let drain = |set: &[(&str, &str)]| Config::load(&sources(folder.path(), set)).map(|config| config.http.drain);
        assert_eq!(drain(&shared), Ok(Duration::from_secs(5)));
        assert_eq!(drain(&[&shared[..], &[("CITEWIRE_DRAIN_SECONDS", "0")]].concat()), Ok(Duration::ZERO));
        assert_eq!(drain(&[]), Ok(Duration::ZERO));
    }

    #[test]
    fn a_bot_of_azure_is_read_and_what_is_wrong_with_one_is_said_without_its_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let load = |more: &[(&str, &str)]| Config::load(&sources(folder.path(), more));
        let id = ("CITEWIRE_AZURE_BOT_APP_ID", "7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1");
        let secret = ("CITEWIRE_AZURE_BOT_APP_SECRET", "~short~");
        let bot = load(&[id, secret, ("CITEWIRE_AZURE_BOT_MAX_WAITING", "10")]).expect("a configuration").azure_bot;
        assert_eq!(bot.map(|bot| bot.turns.waiting), Some(10));
        assert!(load(&[]).is_ok_and(|config| config.azure_bot.is_none()));
        let error = |more: &[(&str, &str)]| load(more).expect_err("refused").to_string();
        let words = error(&[secret, ("CITEWIRE_AZURE_BOT_TENANT", "contoso")]);
        for named in ["azure_bot.app_id is missing", "CITEWIRE_AZURE_BOT_TENANT"] {
            assert!(words.contains(named) && !words.contains("~short~"), "{words}");
        }
    }

    #[test]
    fn calls_without_a_token_need_a_server_that_nobody_else_reaches() {
        let folder = tempfile::tempdir().expect("a folder");
        let load = |more: &[(&str, &str)]| {
            let anonymous = [("CITEWIRE_AZURE_BOT_ANONYMOUS", "true")];
            Config::load(&sources(folder.path(), &[&anonymous, more].concat()))
        };
        assert!(load(&[]).is_ok_and(|config| config.azure_bot.is_some_and(|bot| bot.auth.anonymous)));
        for open in [
            ("CITEWIRE_BIND", "0.0.0.0:3978"),
            ("CITEWIRE_PUBLIC_URL", "https://bot.example"),
            ("CITEWIRE_TRUST_FORWARDED", "true"),
        ] {
            let secrets = [("CITEWIRE_API_KEY", "sixteen-or-more-characters")];
            let more = [("CITEWIRE_DIRECT_LINE_SECRET", "another-sixteen-characters"), open];
            let error = load(&[secrets.as_slice(), &more].concat()).expect_err("refused").to_string();
            assert!(error.contains("azure_bot.anonymous"), "{error}");
        }
    }

    #[test]
    fn redirects_are_followed_only_when_the_configuration_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let follows =
            |more: &[(&str, &str)]| Config::load(&sources(folder.path(), more)).map(|config| config.resolve_redirects);
        assert_eq!(follows(&[]).ok(), Some(false));
        let name = "CITEWIRE_REDIRECTS_RESOLVE";
        assert_eq!(follows(&[(name, "true")]).ok(), Some(true));
        assert!(follows(&[(name, "sometimes")]).is_err_and(|error| error.to_string().contains(name)));
        let file = folder.path().join("citewire.toml");
        std::fs::write(&file, "[redirects]\nresolve = true\n").expect("written");
        let sources = ConfigSources { file: Some(file), ..sources(folder.path(), &[]) };
        assert_eq!(Config::load(&sources).map(|config| config.resolve_redirects).ok(), Some(true));
    }

    #[test]
    fn redirectors_of_ones_own_are_hosts_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("citewire.toml");
        let load = |toml: &str| {
            std::fs::write(&file, toml).expect("written");
            Config::load(&ConfigSources { file: Some(file.clone()), ..sources(folder.path(), &[]) })
        };
        let hosts =
            load("[redirects]\nhosts = \"go.contoso.example, l.example\"\n").map(|config| config.http.redirectors);
        assert_eq!(hosts.ok().as_deref(), "l.example,go.contoso.example".parse().ok().as_ref());
        let error = load("[redirects]\nhosts = \"https://l.example\"\n").expect_err("refused").to_string();
        assert!(error.contains("redirects.hosts") && error.contains("without scheme"), "{error}");
    }

    #[test]
    fn no_secret_appears_in_debug_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let given = [
            ("CITEWIRE_API_KEY", "sixteen-or-more-characters"),
            ("CITEWIRE_DIRECT_LINE_SECRET", "another-sixteen-characters"),
            ("CITEWIRE_DIRECT_LINE_CLIENT_URL", "https://bot.example/v3/directline"),
            ("CITEWIRE_DIRECT_LINE_CLIENT_SECRET", "yet-another-sixteen-characters"),
            ("CITEWIRE_DIRECT_LINE_CLIENT_CONVERSATIONS", "*"),
            ("CITEWIRE_BOT_ENDPOINT", "http://127.0.0.1:3979/?code=sixteen-or-more-digits"),
            ("CITEWIRE_BOT_SECRET", "the-bot's-sixteen-characters"),
            ("CITEWIRE_BOT_TOKEN", "the-token's-sixteen-characters"),
            ("CITEWIRE_AZURE_BOT_APP_ID", "7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1"),
            ("CITEWIRE_AZURE_BOT_APP_SECRET", "the-app's-sixteen-characters"),
        ];
        let config = Config::load(&sources(folder.path(), &given)).expect("a configuration");
        let debug = format!("{config:?}");
        assert!(!debug.contains("sixteen"), "{debug}");
        assert_eq!(config.announcements, Vec::<String>::new());
    }
}
