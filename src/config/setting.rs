//! Every setting, once.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::LabelCatalogue;
use crate::assistant::AssistantPlan;
use crate::channels::azure_bot::AzureBotSettings;
use crate::channels::direct_line::DirectLineOptions;
use crate::channels::direct_line::bot::BotSettings;
use crate::channels::direct_line_client::BindingSettings;
use crate::egress::EgressOptions;
use crate::http::{AllowedHosts, ApiKey, EmbedOptions, LimitOptions, PublicUrl, TrustedProxies};
use crate::output::Redirectors;
use crate::secret::Secret;
use crate::store::StoreOptions;
use crate::telemetry::LogFormat;

/// One thing that can be set.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// Its key in the file; a dot stands for a table.
    pub key: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// What holds when nothing is set, for people.
    pub default: &'static str,
    /// Whether it is a secret, which may stand in a file of its own: `api_key_file = "…"`, `CITEWIRE_API_KEY_FILE`.
    pub is_secret: bool,
    /// Whether it may be a list of texts in the file; elsewhere they are separated by commas.
    pub is_list: bool,
    pub(super) apply: fn(&mut Draft, &str) -> Result<(), String>,
}

/// The name of a setting in the environment: `direct_line.secret` is `CITEWIRE_DIRECT_LINE_SECRET`.
#[must_use]
pub fn environment_name(key: &str) -> String {
    format!("CITEWIRE_{}", key.replace('.', "_").to_uppercase())
}

/// Settings on their way to a configuration.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) bind: SocketAddr,
    pub(super) public_url: Option<PublicUrl>,
    pub(super) allowed_hosts: AllowedHosts,
    pub(super) trust_forwarded: bool,
    pub(super) trusted_proxies: TrustedProxies,
    pub(super) limits: LimitOptions,
    pub(super) workers: usize,
    pub(super) api_key: Option<Secret>,
    /// Whether the file holds a secret itself, and not just the name of the place where one stands.
    pub(super) file_holds_secrets: bool,
    pub(super) keys: Vec<ApiKey>,
    /// Every text of the sections: among them are the names of the variables in which their secrets stand.
    pub(super) named_variables: BTreeSet<String>,
    pub(super) direct_line_secret: Option<Secret>,
    pub(super) second_direct_line_secret: Option<Secret>,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) page: bool,
    pub(super) page_answers: Option<bool>,
    pub(super) embed: EmbedOptions,
    pub(super) webchat_js: Option<PathBuf>,
    pub(super) max_body_bytes: usize,
    pub(super) shutdown_grace: Duration,
    pub(super) retention: Duration,
    pub(super) log: String,
    pub(super) log_format: LogFormat,
    pub(super) store: StoreOptions,
    pub(super) direct_line: DirectLineOptions,
    pub(super) labels: Arc<LabelCatalogue>,
    pub(super) direct_line_client: BindingSettings,
    pub(super) bot: BotSettings,
    pub(super) azure_bot: AzureBotSettings,
    pub(super) assistant: Option<String>,
    pub(super) assistants: Vec<AssistantPlan>,
    pub(super) egress: EgressOptions,
    pub(super) resolve_redirects: bool,
    pub(super) redirectors: Arc<Redirectors>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from(([127, 0, 0, 1], 3978)),
            public_url: None,
            allowed_hosts: AllowedHosts::default(),
            trust_forwarded: false,
            trusted_proxies: TrustedProxies::default(),
            limits: LimitOptions::default(),
            workers: 0,
            api_key: None,
            file_holds_secrets: false,
            keys: Vec::new(),
            named_variables: BTreeSet::new(),
            direct_line_secret: None,
            second_direct_line_secret: None,
            data_dir: None,
            page: true,
            page_answers: None,
            embed: EmbedOptions::default(),
            webchat_js: None,
            max_body_bytes: 16 * 1024 * 1024,
            shutdown_grace: Duration::from_secs(10),
            retention: Duration::from_secs(24 * 60 * 60),
            log: "warn".to_owned(),
            log_format: LogFormat::default(),
            store: StoreOptions::default(),
            direct_line: DirectLineOptions::default(),
            labels: Arc::default(),
            direct_line_client: BindingSettings::default(),
            bot: BotSettings::default(),
            azure_bot: AzureBotSettings::default(),
            assistant: None,
            assistants: Vec::new(),
            egress: EgressOptions::default(),
            resolve_redirects: false,
            redirectors: Arc::default(),
        }
    }
}

macro_rules! setting {
    ($key:literal, $default:literal, $meaning:literal, $apply:expr) => {
        Setting { key: $key, meaning: $meaning, default: $default, is_secret: false, is_list: false, apply: $apply }
    };
}

macro_rules! list_setting {
    ($key:literal, $default:literal, $meaning:literal, $apply:expr) => {
        Setting { key: $key, meaning: $meaning, default: $default, is_secret: false, is_list: true, apply: $apply }
    };
}

macro_rules! secret_setting {
    ($key:literal, $default:literal, $meaning:literal, $apply:expr) => {
        Setting { key: $key, meaning: $meaning, default: $default, is_secret: true, is_list: false, apply: $apply }
    };
}

/// All settings, in the order of the documentation.
pub const SETTINGS: &[Setting] = &[
    setting!("bind", "127.0.0.1:3978", "Address and port to listen on; port 0 takes a free one.", |draft, text| {
        parse(text).map(|bind| draft.bind = bind)
    }),
    setting!(
        "public_url",
        "what clients say in `Host`",
        "How clients reach the server; `streamUrl` is made from it.",
        |draft, text| parse(text).map(|url| draft.public_url = Some(url))
    ),
    setting!(
        "allowed_hosts",
        "none",
        "Names of hosts besides that of `public_url` under which the page is served, `*.contoso.example` for all below it; \
         separated by commas.",
        |draft, text| parse(text).map(|hosts| draft.allowed_hosts = hosts)
    ),
    setting!(
        "trust_forwarded",
        "false",
        "Believe `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-For` of proxies on this machine and in private \
         networks; only behind a proxy that sets them.",
        |draft, text| parse(text).map(|trust| draft.trust_forwarded = trust)
    ),
    setting!(
        "trusted_proxies",
        "none; with `trust_forwarded`, loopback and private networks",
        "Addresses and networks of the proxies whose `X-Forwarded-…` headers are believed, separated by commas.",
        |draft, text| parse(text).map(|proxies| draft.trusted_proxies = proxies)
    ),
    setting!("workers", "0, one for each core", "Worker threads.", |draft, text| {
        within(text, 0, 1024).map(|workers| draft.workers = workers)
    }),
    secret_setting!("api_key", "generated on loopback", "The key of `/v1`; at least 16 characters.", |draft, text| {
        secret(text).map(|key| draft.api_key = Some(key))
    }),
    setting!(
        "data_dir",
        "`$XDG_DATA_HOME/citewire` or `~/.local/share/citewire`; on Windows `%LOCALAPPDATA%\\citewire`",
        "Where generated secrets and the conversations are kept.",
        |draft, text| {
            draft.data_dir = Some(PathBuf::from(text));
            Ok(())
        }
    ),
    setting!("page", "true", "Serve the page with Web Chat at `/`, `/openapi.json` and `/docs`.", |draft, text| {
        parse(text).map(|page| draft.page = page)
    }),
    setting!(
        "page_answers",
        "true on a loopback address without trusted proxies, else false",
        "Let visitors of the page convert answers that they paste or choose.",
        |draft, text| parse(text).map(|wanted| draft.page_answers = Some(wanted))
    ),
    list_setting!(
        "embed.origins",
        "none",
        "The web sites whose pages may have the chat by `/embed.js`: exact origins, `https://www.contoso.example`, in a list or \
         separated by commas. None switches it off.",
        |draft, text| parse(text).map(|origins| draft.embed.origins = origins)
    ),
    setting!(
        "embed.anonymous",
        "false",
        "Let visitors of these sites chat without a token of the site.",
        |draft, text| parse(text).map(|anonymous| draft.embed.anonymous = anonymous)
    ),
    list_setting!(
        "embed.assistants",
        "none",
        "Assistants that such visitors may choose (`data-assistant`), besides the one of the channel.",
        |draft, text| {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            draft.embed.assistants = names.map(str::to_owned).collect();
            Ok(())
        }
    ),
    setting!(
        "webchat_js",
        "the one inside packages",
        "The file `dist/webchat.js` of `botframework-webchat`.",
        |draft, text| {
            draft.webchat_js = Some(PathBuf::from(text));
            Ok(())
        }
    ),
    setting!("max_body_bytes", "16777216", "The size of a request body on `/v1` and of the page.", |draft, text| {
        within(text, 1024, 1024 * 1024 * 1024).map(|bytes| draft.max_body_bytes = bytes)
    }),
    setting!(
        "limits.page_sessions_per_minute",
        "30",
        "How many conversations an address may start on the page in a minute; 0 for any number.",
        |draft, text| parse(text).map(|count| draft.limits.page_sessions_per_minute = count)
    ),
    setting!(
        "limits.posts_per_second",
        "5",
        "How many activities and uploads the holder of a token may post in a second, in the long run; 0 for any number.",
        |draft, text| parse(text).map(|count| draft.limits.posts_per_second = count)
    ),
    setting!("limits.posts_burst", "100", "How many of them at once; 0 for as many as in a second.", |draft, text| {
        parse(text).map(|count| draft.limits.posts_burst = count)
    }),
    setting!(
        "limits.failed_credentials_per_minute",
        "20",
        "How many credentials that are not good an address is told of in a minute; 0 for any number.",
        |draft, text| parse(text).map(|count| draft.limits.failed_credentials_per_minute = count)
    ),
    setting!("shutdown_seconds", "10", "How long a shutdown waits for requests in progress.", |draft, text| {
        within(text, 0, 3600).map(|seconds| draft.shutdown_grace = Duration::from_secs(seconds))
    }),
    setting!("retention_hours", "24", "Idle conversations are deleted after so long.", |draft, text| {
        within(text, 1, 24 * 366).map(|hours| draft.retention = Duration::from_secs(hours * 3600))
    }),
    setting!("log", "warn", "What is logged: `error`, `warn`, `info`, `debug` or a filter.", |draft, text| {
        draft.log = text.to_owned();
        Ok(())
    }),
    setting!(
        "log_format",
        "text",
        "How lines on stderr are written: `text`, or `json`, an object a line.",
        |draft, text| { parse(text).map(|format| draft.log_format = format) }
    ),
    setting!(
        "assistant",
        "the only one in the file; `docs`, which knows citewire's own documentation, where there is neither one nor a bot",
        "Who answers on the channel itself: the name of an assistant, or `none`.",
        |draft, text| {
            draft.assistant = Some(text.to_owned());
            Ok(())
        }
    ),
    setting!(
        "store.url",
        "sqlite:",
        "Where conversations are kept: `sqlite:` in `citewire.db` in the data directory, `sqlite:PATH` in that file, \
         `memory:` nowhere.",
        |draft, text| {
            draft.store.url = text.to_owned();
            draft.store.validate().map_err(|error| error.to_string())
        }
    ),
    setting!(
        "store.max_conversations",
        "1000000, in memory 10000",
        "How many conversations are kept.",
        |draft, text| within(text, 1, usize::MAX).map(|count| draft.store.max_conversations = Some(count))
    ),
    setting!(
        "store.max_activities",
        "100000, in memory 10000",
        "How many activities of a conversation are kept.",
        |draft, text| within(text, 1, usize::MAX).map(|count| draft.store.max_activities = Some(count))
    ),
    setting!(
        "store.max_bytes",
        "8589934592, in memory 268435456",
        "The size of the file; in memory, of all activities and attachments.",
        |draft, text| within(text, 1024 * 1024, usize::MAX).map(|bytes| draft.store.max_bytes = Some(bytes))
    ),
    setting!(
        "store.max_conversation_bytes",
        "67108864, at most an eighth of store.max_bytes",
        "The size of one conversation with its files, so that it does not take the room of others; 0 is no limit.",
        |draft, text| within(text, 0, usize::MAX).map(|bytes| draft.store.max_conversation_bytes = Some(bytes))
    ),
    secret_setting!(
        "direct_line.secret",
        "generated on loopback",
        "The secret of the Direct Line channel; at least 16 characters. Tokens hold as long as it stays the same.",
        |draft, text| secret(text).map(|secret| draft.direct_line_secret = Some(secret))
    ),
    secret_setting!(
        "direct_line.second_secret",
        "none",
        "Another secret of the channel, while the secret is exchanged: it opens the same, and tokens signed with it hold.",
        |draft, text| secret(text).map(|secret| draft.second_direct_line_secret = Some(secret))
    ),
    setting!("direct_line.token_seconds", "1800", "How long a token is good for.", |draft, text| {
        within(text, 900, 86_400).map(|seconds| draft.direct_line.token_seconds = seconds)
    }),
    setting!(
        "direct_line.max_activity_bytes",
        "262144",
        "The size of an activity that a client may post.",
        |draft, text| within(text, 1024, 64 * 1024 * 1024).map(|bytes| draft.direct_line.max_activity_bytes = bytes)
    ),
    setting!("direct_line.max_upload_bytes", "16777216", "The size of an upload of files.", |draft, text| {
        within(text, 1024, 1024 * 1024 * 1024).map(|bytes| draft.direct_line.max_upload_bytes = bytes)
    }),
    setting!(
        "direct_line.max_sockets_per_conversation",
        "8",
        "How many streams of one conversation may be open; one more is refused.",
        |draft, text| within(text, 1, 1_000_000).map(|count| draft.direct_line.max_sockets_per_conversation = count)
    ),
    setting!("direct_line.max_turns", "64", "How many questions are answered at one time.", |draft, text| {
        within(text, 1, 10_000).map(|count| draft.direct_line.max_turns = count)
    }),
    setting!(
        "direct_line.max_question_bytes",
        "8192",
        "The longest question that goes to an assistant; who asks a longer one is asked for a shorter one.",
        |draft, text| within(text, 16, 16 * 1024 * 1024).map(|bytes| draft.direct_line.max_question_bytes = bytes)
    ),
    setting!(
        "direct_line.answer_seconds",
        "110",
        "How long an answer of an assistant may take in all; what has come until then is shown.",
        |draft, text| {
            within(text, 1, 3600).map(|seconds| draft.direct_line.answer_within = Duration::from_secs(seconds))
        }
    ),
    setting!(
        "direct_line.require_dl_ids",
        "false",
        "Refuse users whose ids do not begin with `dl_`, as Azure does with enhanced authentication.",
        |draft, text| parse(text).map(|required| draft.direct_line.require_dl_ids = required)
    ),
    setting!("direct_line.bot_id", "citewire", "The id under which answers appear.", |draft, text| {
        draft.direct_line.bot_id = text.to_owned();
        Ok(())
    }),
    setting!("direct_line.bot_name", "citewire", "The name under which answers appear.", |draft, text| {
        draft.direct_line.bot_name = text.to_owned();
        Ok(())
    }),
    setting!(
        "direct_line_client.url",
        "none",
        "Another Direct Line, up to `/v3/directline`, whose conversations get their answers from here.",
        |draft, text| parse(text).map(|url| draft.direct_line_client.url = Some(url))
    ),
    secret_setting!(
        "direct_line_client.token",
        "none",
        "A token of one conversation there. It is renewed while citewire runs.",
        |draft, text| secret(text).map(|token| draft.direct_line_client.token = Some(token))
    ),
    secret_setting!(
        "direct_line_client.secret",
        "none",
        "The secret of that Direct Line, in place of a token.",
        |draft, text| { secret(text).map(|secret| draft.direct_line_client.secret = Some(secret)) }
    ),
    setting!("direct_line_client.user", "citewire", "The user id under which answers go out there.", |draft, text| {
        user_id(text).map(|user| draft.direct_line_client.user = Some(user))
    }),
    setting!(
        "direct_line_client.conversations",
        "none",
        "Which conversations are there: ids, or beginnings of ids with `*` after them, separated by commas.",
        |draft, text| parse(text).map(|conversations| draft.direct_line_client.conversations = conversations)
    ),
    setting!(
        "bot.endpoint",
        "none",
        "The messaging endpoint of a bot that answers what users say, `http://127.0.0.1:3979/api/messages` for instance.",
        |draft, text| parse(text).map(|endpoint| draft.bot.endpoint = Some(endpoint))
    ),
    setting!(
        "bot.delivery",
        "normal",
        "How the bot answers: `normal`, by calling citewire, or `expect_replies`, in the answer to each post.",
        |draft, text| parse(text).map(|delivery| draft.bot.options.delivery = delivery)
    ),
    setting!("bot.id", "bot", "The id of the bot.", |draft, text| {
        user_id(text).map(|id| draft.bot.options.id = id)
    }),
    setting!("bot.name", "Bot", "The name of the bot.", |draft, text| {
        draft.bot.options.name = text.to_owned();
        Ok(())
    }),
    secret_setting!(
        "bot.secret",
        "generated on loopback",
        "What the bot may show when it calls citewire, and the key of its tickets; at least 16 characters.",
        |draft, text| secret(text).map(|secret| draft.bot.secret = Some(secret))
    ),
    secret_setting!("bot.token", "none", "What citewire shows when it calls the bot.", |draft, text| {
        secret(text).map(|token| draft.bot.options.token = Some(token))
    }),
    setting!(
        "bot.tickets",
        "true",
        "Put a ticket for the conversation into `serviceUrl`, so that a bot without credentials can answer.",
        |draft, text| parse(text).map(|tickets| draft.bot.options.tickets = tickets)
    ),
    setting!(
        "bot.ticket_hours",
        "168, a week",
        "How long a ticket is good for. Each activity brings a new one.",
        |draft, text| {
            within(text, 1, 24 * 366).map(|hours| draft.bot.options.ticket_lifetime = Duration::from_secs(hours * 3600))
        }
    ),
    setting!(
        "bot.service_url",
        "`public_url`, or the address that citewire listens on",
        "How the bot reaches citewire.",
        |draft, text| parse(text).map(|url| draft.bot.options.service_url = Some(url))
    ),
    setting!("bot.timeout_seconds", "15", "How long the bot may take to answer a post.", |draft, text| {
        within(text, 1, 18).map(|seconds| draft.bot.options.timeout = Duration::from_secs(seconds))
    }),
    setting!(
        "bot.failure_text",
        "The bot did not answer. Please try again later.",
        "What users read when the bot did not answer.",
        |draft, text| {
            draft.bot.options.failure_text = text.to_owned();
            Ok(())
        }
    ),
    setting!(
        "bot.cite",
        "false",
        "Cite answers of the bot that carry their sources in `channelData.citewire`.",
        |draft, text| parse(text).map(|cite| draft.bot.options.cite = cite)
    ),
    setting!("bot.max_activity_bytes", "1048576", "The size of an activity that the bot may post.", |draft, text| {
        within(text, 1024, 64 * 1024 * 1024).map(|bytes| draft.bot.options.max_activity_bytes = bytes)
    }),
    setting!(
        "azure_bot.app_id",
        "none",
        "The app id of the bot in Azure, whose channels post to `/api/messages`.",
        |draft, text| parse(text).map(|id| draft.azure_bot.app_id = Some(id))
    ),
    secret_setting!("azure_bot.app_secret", "none", "The client secret of that app.", |draft, text| {
        issued(text).map(|secret| draft.azure_bot.app_secret = Some(secret))
    }),
    setting!(
        "azure_bot.tenant",
        "none, for a bot of many tenants",
        "The id of the tenant to which the app belongs.",
        |draft, text| parse(text).map(|tenant| draft.azure_bot.tenant = Some(tenant))
    ),
    setting!("azure_bot.cloud", "public", "The cloud of the bot: `public`, `us-gov` or `china`.", |draft, text| {
        parse(text).map(|cloud| draft.azure_bot.cloud = cloud)
    }),
    setting!(
        "azure_bot.allowed_callers",
        "none",
        "Agents that may call the bot: app ids, separated by commas, or `*` for all of the accepted tenants.",
        |draft, text| parse(text).map(|callers| draft.azure_bot.allowed_callers = callers)
    ),
    setting!(
        "azure_bot.service_hosts",
        "none",
        "Hosts besides those of the cloud to which the bot may answer, with its token: those of agents; separated by commas.",
        |draft, text| {
            draft.azure_bot.service_hosts = text.to_owned();
            Ok(())
        }
    ),
    setting!(
        "azure_bot.emulator",
        "false",
        "Let the Bot Framework Emulator call, which shows the credentials of the bot itself; beside citewire on the same machine, answers go to its `http://localhost` address.",
        |draft, text| parse(text).map(|emulator| draft.azure_bot.emulator = emulator)
    ),
    setting!(
        "azure_bot.anonymous",
        "false",
        "Let programs on this machine call without a token, as the Agents Playground does. For development.",
        |draft, text| parse(text).map(|anonymous| draft.azure_bot.anonymous = anonymous)
    ),
    setting!(
        "azure_bot.assistant",
        "the one that answers on the channel itself",
        "The name of the assistant that answers.",
        |draft, text| {
            draft.azure_bot.assistant = Some(text.to_owned());
            Ok(())
        }
    ),
    setting!(
        "azure_bot.self_contained_for_agents",
        "true",
        "Name the sources in the text of answers to agents, which may lose what stands beside the text.",
        |draft, text| parse(text).map(|wanted| draft.azure_bot.self_contained_for_agents = wanted)
    ),
    setting!(
        "azure_bot.html_email",
        "false",
        "Write answers by e-mail as HTML (the dialect `email-html`) and not as plain text.",
        |draft, text| parse(text).map(|wanted| draft.azure_bot.html_email = wanted)
    ),
    setting!("azure_bot.max_turns", "64", "How many questions are answered at one time.", |draft, text| {
        within(text, 1, 10_000).map(|count| draft.azure_bot.max_turns = count)
    }),
    setting!(
        "azure_bot.max_waiting",
        "1000",
        "How many wait for that; beyond, the sender is asked to come again. A conversation takes a quarter of the room at most.",
        |draft, text| within(text, 1, 100_000).map(|count| draft.azure_bot.max_waiting = count)
    ),
    setting!(
        "azure_bot.channel_issuer",
        "that of the cloud",
        "The issuer of the tokens of Azure Bot Service.",
        |draft, text| {
            draft.azure_bot.channel_issuer = Some(text.to_owned());
            Ok(())
        }
    ),
    setting!(
        "azure_bot.channel_metadata",
        "that of the cloud",
        "The OpenID metadata of the keys of Azure Bot Service.",
        |draft, text| parse(text).map(|url| draft.azure_bot.channel_metadata = Some(url))
    ),
    setting!(
        "azure_bot.entra_metadata",
        "that of the cloud",
        "The OpenID metadata of the keys of Entra.",
        |draft, text| parse(text).map(|url| draft.azure_bot.entra_metadata = Some(url))
    ),
    setting!(
        "azure_bot.login",
        "that of the cloud",
        "Where the bot gets its own tokens: the login service, without a tenant.",
        |draft, text| parse(text).map(|url| draft.azure_bot.login = Some(url))
    ),
    setting!(
        "egress.allow_hosts",
        "none",
        "Hosts that may be connected to although they are at private addresses, separated by commas.",
        |draft, text| parse(text).map(|hosts| draft.egress.allow = hosts)
    ),
    setting!(
        "egress.connect_seconds",
        "10",
        "How long it may take until an outgoing connection stands.",
        |draft, text| {
            within(text, 1, 300).map(|seconds| draft.egress.connect_timeout = Duration::from_secs(seconds))
        }
    ),
    setting!("egress.total_seconds", "30", "How long an outgoing call may take altogether.", |draft, text| {
        within(text, 1, 3600).map(|seconds| draft.egress.total_timeout = Duration::from_secs(seconds))
    }),
    setting!(
        "redirects.resolve",
        "false",
        "Find out where redirects of sources lead, by following them, for `/v1/records`.",
        |draft, text| parse(text).map(|resolve| draft.resolve_redirects = resolve)
    ),
    setting!(
        "redirects.hosts",
        "none",
        "Hosts of your own whose addresses only lead to sources, as those that count who follows a link do, separated by commas.",
        |draft, text| parse(text).map(|hosts| draft.redirectors = Arc::new(hosts))
    ),
];

fn parse<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn within<T: FromStr<Err: Display> + PartialOrd + Display + Copy>(text: &str, least: T, most: T) -> Result<T, String> {
    let value = parse(text)?;
    if value < least || value > most {
        return Err(format!("a number from {least} to {most} is wanted"));
    }
    Ok(value)
}

fn user_id(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("a user id is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

fn secret(text: &str) -> Result<Secret, String> {
    Secret::parse(text).map_err(|error| error.to_string())
}

/// A secret that Azure has made, which alone answers for its length.
fn issued(text: &str) -> Result<Secret, String> {
    Secret::issued(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_names_in_the_environment_are_the_real_ones() {
        for (key, name) in [
            ("api_key", "CITEWIRE_API_KEY"),
            ("direct_line.secret", "CITEWIRE_DIRECT_LINE_SECRET"),
            ("data_dir", "CITEWIRE_DATA_DIR"),
            ("bind", "CITEWIRE_BIND"),
            ("store.url", "CITEWIRE_STORE_URL"),
            ("webchat_js", "CITEWIRE_WEBCHAT_JS"),
        ] {
            assert!(SETTINGS.iter().any(|setting| setting.key == key), "{key}");
            assert_eq!(environment_name(key), name);
        }
    }

    #[test]
    fn every_setting_is_documented() {
        let documentation = include_str!("../../docs/configuration.md");
        for setting in SETTINGS {
            let row = format!("| `{}` | `{}` |", setting.key, environment_name(setting.key));
            assert!(documentation.contains(&row), "docs/configuration.md lacks the row {row}");
        }
    }
}
