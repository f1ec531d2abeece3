//! The settings as loaded, before they are checked.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::LabelCatalog;
use crate::assistant::AssistantPlan;
use crate::bus::BusOptions;
use crate::channels::azure_bot::AzureBotSettings;
use crate::channels::direct_line::DirectLineOptions;
use crate::channels::direct_line::bot::BotSettings;
use crate::channels::direct_line_client::BindingSettings;
use crate::egress::EgressOptions;
use crate::http::{ApiKey, EmbedOptions, HostNames, LimitOptions, PublicUrl, TrustedProxies};
use crate::ingest::Mappings;
use crate::output::{ChatForm, Redirectors};
use crate::secret::Secret;
use crate::secret_source::SecretSource;
use crate::store::StoreOptions;
use crate::telemetry::LogFormat;

/// The settings as loaded, before they are checked.
#[derive(Clone, Debug)]
pub(super) struct RawConfig {
    pub(super) bind: SocketAddr,
    pub(super) public_url: Option<PublicUrl>,
    pub(super) allowed_hosts: HostNames,
    pub(super) trust_forwarded: bool,
    pub(super) trusted_proxies: TrustedProxies,
    pub(super) limits: LimitOptions,
    pub(super) workers: usize,
    pub(super) api_key: Option<Secret>,
    /// Whether the file holds a secret itself, and not just the name of the place where one stands.
    pub(super) file_holds_secrets: bool,
    /// The secrets that sections can name.
    pub(super) secrets: SecretSource,
    pub(super) keys: Vec<ApiKey>,
    /// Every text of the sections: among them are the names of the variables in which their secrets stand.
    pub(super) named_variables: BTreeSet<String>,
    pub(super) direct_line_secret: Option<Secret>,
    pub(super) second_direct_line_secret: Option<Secret>,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) page: bool,
    pub(super) page_answers: Option<bool>,
    pub(super) admin_page: bool,
    pub(super) chat_citations: ChatForm,
    pub(super) embed: EmbedOptions,
    pub(super) webchat_js: Option<PathBuf>,
    pub(super) max_body_bytes: usize,
    pub(super) drain: Option<Duration>,
    pub(super) shutdown_grace: Duration,
    pub(super) retention: Duration,
    pub(super) log: String,
    pub(super) log_format: LogFormat,
    pub(super) store: StoreOptions,
    pub(super) bus: BusOptions,
    pub(super) direct_line: DirectLineOptions,
    pub(super) labels: Arc<LabelCatalog>,
    pub(super) formats: Mappings,
    pub(super) direct_line_client: BindingSettings,
    pub(super) bot: BotSettings,
    pub(super) azure_bot: AzureBotSettings,
    pub(super) assistant: Option<String>,
    pub(super) assistants: Vec<AssistantPlan>,
    pub(super) egress: EgressOptions,
    pub(super) resolve_redirects: bool,
    pub(super) redirectors: Arc<Redirectors>,
}

impl RawConfig {
    /// A configuration before the defaults of the settings, which overwrite the blank members.
    pub(super) fn blank() -> Self {
        Self {
            bind: SocketAddr::from(([127, 0, 0, 1], 0)),
            public_url: None,
            allowed_hosts: HostNames::default(),
            trust_forwarded: false,
            trusted_proxies: TrustedProxies::default(),
            limits: LimitOptions::default(),
            workers: 0,
            api_key: None,
            file_holds_secrets: false,
            secrets: SecretSource::default(),
            keys: Vec::new(),
            named_variables: BTreeSet::new(),
            direct_line_secret: None,
            second_direct_line_secret: None,
            data_dir: None,
            page: false,
            page_answers: None,
            admin_page: false,
            chat_citations: ChatForm::default(),
            embed: EmbedOptions::default(),
            webchat_js: None,
            max_body_bytes: 0,
            drain: None,
            shutdown_grace: Duration::ZERO,
            retention: Duration::ZERO,
            log: String::new(),
            log_format: LogFormat::default(),
            store: StoreOptions::default(),
            bus: BusOptions::default(),
            direct_line: DirectLineOptions::default(),
            labels: Arc::default(),
            formats: Mappings::default(),
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
