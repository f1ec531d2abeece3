//! What to convert to, and how.

use std::sync::Arc;

use super::Options;
use crate::answer::{Addresses, LabelCatalog};
use crate::cite::Rules;
use crate::dialect::Dialect;
use crate::graph::GraphRules;
use crate::ingest::Provider;

/// What to convert to, and how.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The format of the input; `None` looks at the envelope.
    pub from: Option<Provider>,
    /// The channel's dialect.
    pub to: Dialect,
    /// The caller's wishes.
    pub options: Options,
    /// Whether the answer is to cite. Where it is not, it is judged and shown without its sources (rule AH-02).
    pub citations: bool,
    /// The labels that the configuration knows.
    pub labels: Arc<LabelCatalog>,
    /// Which addresses readers can open; `None` where they can open all.
    pub addresses: Option<Arc<dyn Addresses>>,
    /// Whether a message that is too large for its channel stays whole, for whoever sends it in
    /// [parts](Dialect::parts). It is cut otherwise.
    pub in_parts: bool,
}

impl Conversion {
    /// The slug of the format that was named; `None` where the answer itself is to tell.
    #[must_use]
    pub fn slug(&self) -> Option<&'static str> {
        self.from.map(Provider::slug)
    }

    /// A conversion with default options from whatever format the input has.
    #[must_use]
    pub fn to(dialect: Dialect) -> Self {
        Self {
            from: None,
            to: dialect,
            options: Options::default(),
            citations: true,
            labels: Arc::default(),
            addresses: None,
            in_parts: false,
        }
    }

    /// The most updates that a stream gives before its message.
    pub(super) fn max_updates(&self) -> usize {
        if self.to.can_stream() { self.options.max_updates() } else { 0 }
    }

    /// What the dialect and the caller ask of the text.
    pub(super) fn rules(&self) -> Rules {
        let Self { to: dialect, options, .. } = self;
        let mut rules = dialect.rules();
        rules.numbering = options.numbering;
        rules.pages = options.pages;
        rules.tracking = options.tracking();
        rules.hard_breaks = options.hard_breaks;
        rules.close_fence |= options.self_contained && rules.markdown;
        rules.image_hosts = options.image_hosts.iter().map(|host| host.to_lowercase()).collect();
        rules
    }

    /// What the dialect and the caller ask of the graph.
    pub(super) fn graph_rules(&self) -> GraphRules {
        let Self { to: dialect, options, .. } = self;
        let mut rules = dialect.graph_rules();
        rules.abstract_max_utf16 = options.abstract_max.unwrap_or(rules.abstract_max_utf16);
        rules.withhold_encrypted = options.withhold_encrypted;
        if options.ai_label == Some(false) {
            rules.ai_mark = None;
        }
        rules.image_hosts = self.rules().image_hosts;
        rules
    }
}
