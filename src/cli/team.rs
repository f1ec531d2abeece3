//! The assistants of `citewire serve`, at its start and after each change of the configuration.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::process::Reload;
use crate::assistant::{AssistantManager, Configured};
use crate::clock::{Clock, IdSource};
use crate::config::{Config, ConfigSources};
use crate::digest;
use crate::document::{DownloadKey, SignedLinks};
use crate::sealing::Sealer;
use crate::secret::Secret;
use crate::store::postgres::SecretDigests;
use crate::telemetry;
use crate::url::WebUrl;

/// The time between two checks of the file and the documents for changes.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The lifetime of a signed link to a document (rule AH-07).
const PUBLIC_FOR: chrono::Duration = chrono::Duration::days(7);

/// The parts that assistants need from the process and the server, independent of the configuration.
pub(super) struct Openers {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) server: WebUrl,
    pub(super) direct_line_secret: Secret,
    pub(super) second_direct_line_secret: Option<Secret>,
    /// The secrets of the server with which callers come, and whose they are.
    pub(super) of_server: Vec<(String, Secret)>,
}

impl Openers {
    /// The assistants of a configuration.
    pub(super) fn configured(&self, config: &Config) -> Configured {
        let key = DownloadKey::new(&self.direct_line_secret);
        let public = Arc::new(SignedLinks::new(key, self.server.clone(), PUBLIC_FOR));
        let (clock, ids) = (Arc::clone(&self.clock), Arc::clone(&self.ids));
        let mut configured = Configured::new(self.server.clone(), public, clock, ids);
        configured.plans = config.assistants.clone();
        configured.of_channel = config.assistant.clone();
        configured.behind_azure = config.azure_bot.as_ref().and_then(|bot| bot.assistant.clone());
        configured.named = config.named_assistants.clone();
        configured.channel_taken_by = config.bot.is_some().then_some("bot.endpoint");
        configured.secrets = config.secrets.clone();
        configured.sealer = Some(Sealer::new(&self.direct_line_secret).or_by(self.second_direct_line_secret.as_ref()));
        configured.owned = self.owned(config);
        configured.egress = config.egress.clone();
        configured.labels = Arc::clone(&config.http.labels);
        configured.formats = config.http.formats.clone();
        configured.help = config.http.page.then(|| help(&self.server)).flatten();
        configured
    }
}

/// Where the server shows the documentation of citewire.
fn help(server: &WebUrl) -> Option<WebUrl> {
    format!("{}/help", server.as_str().trim_end_matches('/')).parse().ok()
}

impl Openers {
    /// The secrets with which callers come. Those of the channel and the keys are those of the start, as the server has them.
    fn owned(&self, config: &Config) -> Vec<(String, Secret)> {
        let of_channel = self.of_server.iter().cloned();
        let plans = config.assistants.iter();
        let of_plans = plans.filter_map(|plan| Some((format!("the assistant {}", plan.name), plan.secret.clone()?)));
        of_channel.chain(of_plans).collect()
    }
}

/// The secrets of a server with which callers come, and whose they are.
pub(super) fn secrets_of_server(config: &Config) -> Vec<(String, Secret)> {
    let http = &config.http;
    let channel = [Some(&http.direct_line_secret), http.second_direct_line_secret.as_ref()];
    let channel = channel.into_iter().flatten().map(|secret| ("the channel (direct_line_secret)".to_owned(), secret));
    let keys =
        http.keys.iter().flat_map(|key| key.secrets.iter().map(|secret| (format!("the key {}", key.name), secret)));
    let bot = config.bot.iter().map(|bot| ("the bot (bot.secret)".to_owned(), &bot.secret));
    channel.chain(keys).chain(bot).map(|(owner, secret)| (owner, secret.clone())).collect()
}

/// The digests of secrets that nodes of one database compare.
pub(super) fn digests_of_secrets(config: &Config) -> SecretDigests {
    let short = |parts: &[&str]| {
        let [a, b, c, d, ..] = digest::of_parts(parts);
        [a, b, c, d]
    };
    let of_channel = |secret: &Secret| short(&["citewire node", "direct line", secret.expose()]);
    let http = &config.http;
    let mut keys: Vec<&str> = http.keys.iter().flat_map(|key| key.secrets.iter().map(Secret::expose)).collect();
    keys.sort_unstable();
    let keys: Vec<&str> = ["citewire node", "keys"].into_iter().chain(keys).collect();
    let accepted = http.second_direct_line_secret.as_ref().map(of_channel);
    SecretDigests::new(of_channel(&http.direct_line_secret), accepted, short(&keys))
}

/// The sources of the configuration, and the state of the file before it was read, so that no change is missed.
pub(super) struct Watched {
    pub(super) sources: ConfigSources,
    seen: Option<FileState>,
}

/// Modification time and size, of which one changes when a file does.
type FileState = (SystemTime, u64);

impl Watched {
    pub(super) fn new(sources: ConfigSources) -> Self {
        let seen = sources.file.as_deref().and_then(state_of);
        Self { sources, seen }
    }
}

/// Watches the configuration, the store and the documents, and updates the assistants. Never ends by itself.
pub(super) struct Watch {
    watched: Watched,
    openers: Openers,
    manager: Arc<AssistantManager>,
    reload: Reload,
}

impl Watch {
    pub(super) fn new(watched: Watched, openers: Openers, manager: Arc<AssistantManager>) -> io::Result<Self> {
        Ok(Self { watched, openers, manager, reload: Reload::new()? })
    }

    pub(super) async fn run(&mut self) {
        // At the start nothing is read yet.
        self.manager.refresh().await;
        loop {
            let is_asked = tokio::select! {
                () = self.reload.asked() => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            let now = self.watched.sources.file.as_deref().and_then(state_of);
            // A file that is being replaced is not there for a moment.
            let has_changed = now.is_some() && now != self.watched.seen;
            if is_asked || has_changed {
                self.watched.seen = now;
                self.reload().await;
            }
            self.manager.refresh().await;
        }
    }

    async fn reload(&self) {
        let line = match self.read().await {
            Ok(()) => {
                let all = self.manager.list().await;
                let names: Vec<&str> = all.iter().map(|assistant| assistant.name.as_str()).collect();
                format!("the configuration was read again: {}", answering(&names))
            }
            Err(error) => format!("the configuration is invalid, so the assistants stay unchanged:\n{error:#}"),
        };
        // The operator who has changed the configuration looks here; the log may go elsewhere.
        telemetry::say(line).ok();
    }

    async fn read(&self) -> anyhow::Result<()> {
        let config = Config::load(&self.watched.sources)?;
        Ok(self.manager.configure(self.openers.configured(&config)).await?)
    }
}

/// The assistants that answer, in words.
pub(super) fn answering(names: &[&str]) -> String {
    match names {
        [] => "no assistant answers".to_owned(),
        [name] => format!("the assistant {name} answers"),
        names => format!("the assistants {} answer", names.join(", ")),
    }
}

fn state_of(file: &Path) -> Option<FileState> {
    let data = fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}
