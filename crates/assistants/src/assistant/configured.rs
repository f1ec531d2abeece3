//! The assistants of the configuration, and the parts that every assistant needs.

use std::sync::Arc;

use super::AssistantPlan;
use super::open::Opening;
use crate::answer::LabelCatalog;
use crate::clock::{Clock, IdSource};
use crate::document::PublicLinks;
use crate::egress::EgressOptions;
use crate::ingest::Mappings;
use crate::sealing::Sealer;
use crate::secret::Secret;
use crate::secret_source::SecretSource;
use crate::upstream::Surroundings;
use crate::url::WebUrl;

/// The assistants of the configuration, and the parts that every assistant needs.
#[derive(Debug)]
pub struct Configured {
    /// The assistants of the configuration.
    pub plans: Vec<AssistantPlan>,
    /// The assistant that answers on the channel itself.
    pub of_channel: Option<String>,
    /// The assistant that answers behind Azure Bot Service.
    pub behind_azure: Option<String>,
    /// The settings that name an assistant.
    pub named: Vec<NamedAssistant>,
    /// The setting by which somebody else answers on the channel, if it names one: a bot.
    pub channel_taken_by: Option<&'static str>,
    /// The secrets that sections can name.
    pub secrets: SecretSource,
    /// The sealer of keys that are entered for back ends. Without it none can be.
    pub sealer: Option<Sealer>,
    /// The secrets with which callers come, and whose they are: `the key reports`, `the assistant hr`. Assistants of the store
    /// cannot take them.
    pub owned: Vec<(String, Secret)>,
    /// How connections are made.
    pub egress: EgressOptions,
    /// The labels that the configuration knows.
    pub labels: Arc<LabelCatalog>,
    /// The formats that the configuration describes.
    pub formats: Mappings,
    /// Where readers find this server.
    pub server: WebUrl,
    /// Where this server shows citewire's own documentation, if it does.
    pub help: Option<WebUrl>,
    /// The maker of addresses of documents that need no credential.
    pub public: Arc<dyn PublicLinks>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn IdSource>,
}

impl Configured {
    /// Assistants of a server at this address.
    #[must_use]
    pub fn new(server: WebUrl, public: Arc<dyn PublicLinks>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self {
            plans: Vec::new(),
            of_channel: None,
            behind_azure: None,
            named: Vec::new(),
            channel_taken_by: None,
            secrets: SecretSource::default(),
            sealer: None,
            owned: Vec::new(),
            egress: EgressOptions::default(),
            labels: Arc::default(),
            formats: Mappings::default(),
            server,
            help: None,
            public,
            clock,
            ids,
        }
    }

    pub(super) fn opening<'a>(
        &self,
        secrets: &'a SecretSource,
        egress: &'a EgressOptions,
        is_trusted: bool,
    ) -> Opening<'a> {
        let surroundings = Surroundings {
            secrets,
            formats: self.formats.clone(),
            may_call_private_hosts: is_trusted,
            egress,
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
        };
        Opening::new(surroundings, Arc::clone(&self.labels), self.server.clone(), Arc::clone(&self.public))
            .with_help(self.help.clone())
    }
}

/// A setting that names an assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAssistant {
    /// The setting.
    pub setting: &'static str,
    /// The name of the assistant.
    pub name: String,
}
