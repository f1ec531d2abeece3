//! The assistants of `citewire serve`, at its start and after each change of the configuration.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::anyhow;

use super::process::Reload;
use crate::assistant::{AssistantRegistry, Assistants, Opening, open};
use crate::clock::{Clock, IdSource};
use crate::config::{Config, Sources};
use crate::document::{DownloadKey, SignedLinks};
use crate::egress::EgressOptions;
use crate::secret::Secret;
use crate::telemetry;
use crate::upstream::Surroundings;
use crate::url::WebUrl;

/// How often citewire checks the file and the documents for changes.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long a signed link to a document is valid (rule AH-07).
const PUBLIC_FOR: chrono::Duration = chrono::Duration::days(7);

/// The parts that assistants need from the process and the server, independent of the configuration.
pub(super) struct Openers {
    pub(super) environment: BTreeMap<String, String>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) server: WebUrl,
    pub(super) direct_line_secret: Secret,
}

impl Openers {
    /// The assistants of a configuration.
    pub(super) async fn team(&self, config: &Config, egress: &EgressOptions) -> anyhow::Result<AssistantRegistry> {
        let surroundings = Surroundings {
            environment: &self.environment,
            egress,
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
        };
        let key = DownloadKey::new(&self.direct_line_secret);
        let public = Arc::new(SignedLinks::new(key, self.server.clone(), PUBLIC_FOR));
        let opening = Opening::new(surroundings, Arc::clone(&config.http.labels), self.server.clone(), public);
        let behind_azure = config.azure_bot.as_ref().and_then(|bot| bot.assistant.as_deref());
        open(&config.assistants, config.assistant.as_deref(), behind_azure, &opening).await.map_err(|faults| {
            let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
            anyhow!(lines.join("\n"))
        })
    }
}

/// The sources of the configuration, and the state of the file before it was read, so that no change is missed.
pub(super) struct Watched {
    pub(super) sources: Sources,
    seen: Option<FileState>,
}

/// What changes when a file does.
type FileState = (SystemTime, u64);

impl Watched {
    pub(super) fn new(sources: Sources) -> Self {
        let seen = sources.file.as_deref().and_then(state_of);
        Self { sources, seen }
    }
}

/// Watches the configuration and the documents, and updates the assistants. Never ends by itself.
pub(super) struct Watch {
    watched: Watched,
    openers: Openers,
    assistants: Arc<Assistants>,
    reload: Reload,
    /// Assistants whose changed documents cannot be read, and why: said once.
    unreadable: BTreeMap<String, String>,
}

impl Watch {
    pub(super) fn new(watched: Watched, openers: Openers, assistants: Arc<Assistants>) -> io::Result<Self> {
        Ok(Self { watched, openers, assistants, reload: Reload::new()?, unreadable: BTreeMap::new() })
    }

    pub(super) async fn run(mut self) {
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
            self.refresh().await;
        }
    }

    /// Reads documents that have changed.
    async fn refresh(&mut self) {
        for assistant in self.assistants.all() {
            let Some(library) = assistant.library() else { continue };
            let name = assistant.name();
            match library.refresh().await {
                Ok(_) => {
                    if self.unreadable.remove(name).is_some() {
                        tracing::info!(assistant = name, "documents can be read again");
                    }
                }
                Err(error) => {
                    let error = error.to_string();
                    if self.unreadable.get(name) != Some(&error) {
                        tracing::error!(
                            assistant = name,
                            error,
                            "changed documents could not be read; the earlier versions stay"
                        );
                        self.unreadable.insert(name.to_owned(), error);
                    }
                }
            }
        }
    }

    async fn reload(&self) {
        let line = match self.read().await {
            Ok(team) => {
                self.assistants.replace(team);
                let all = self.assistants.all();
                let names: Vec<&str> = all.iter().map(|assistant| assistant.name()).collect();
                format!("the configuration was read again: {}", answering(&names))
            }
            Err(error) => format!("the configuration is invalid, so the assistants stay unchanged:\n{error:#}"),
        };
        // Whoever has changed the configuration looks here; the log may go elsewhere.
        telemetry::say(line).ok();
    }

    async fn read(&self) -> anyhow::Result<AssistantRegistry> {
        let config = Config::load(&self.watched.sources)?;
        let egress = config.egress.clone();
        self.openers.team(&config, &egress).await
    }
}

/// Who answers, in words.
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
