//! The parameters of a conversion.

use std::fmt;
use std::sync::Arc;

use super::{EarlierAnswers, Options, References, TextFormat};
use crate::activity::Activity;
use crate::answer::{Addresses, LabelCatalog};
use crate::cite::Rules;
use crate::dialect::Dialect;
use crate::graph::GraphRules;
use crate::ingest::AnswerFormat;

/// Measures how long a part of a conversion takes: the conversion itself has no clock.
pub trait Stopwatch: fmt::Debug + Send + Sync {
    /// Does the check of an answer's citations, and notes its time.
    fn support_check(&self, check: &mut dyn FnMut());
}

/// The parameters of a conversion: formats, options and configuration.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The format of the input.
    pub from: AnswerFormat,
    /// The dialect of the channel.
    pub to: Dialect,
    /// The options of the caller.
    pub options: Options,
    /// Whether the answer cites. If not, its grounding is checked, and it is shown without its sources (rule AH-02).
    pub citations: bool,
    /// The sensitivity labels of the configuration.
    pub labels: Arc<LabelCatalog>,
    /// Replaces the addresses of sources by ones that readers can open; `None` keeps all addresses.
    pub addresses: Option<Arc<dyn Addresses>>,
    /// The earlier answers of the conversation; `None` outside of one.
    pub earlier: Option<Arc<EarlierAnswers>>,
    /// Whether a message above the limit of its channel stays whole, because the caller sends it in [parts](Dialect::parts).
    /// If not, it is cut.
    pub in_parts: bool,
    /// Measures the time of the check of citations; `None` where nobody asks for it.
    pub stopwatch: Option<Arc<dyn Stopwatch>>,
}

impl Conversion {
    /// The slug of the input format, `mapping` for every mapping; `None` when the format is detected.
    #[must_use]
    pub fn slug(&self) -> Option<&'static str> {
        self.from.slug()
    }

    /// A conversion to `dialect` with default options. The input format is detected.
    #[must_use]
    pub fn to(dialect: Dialect) -> Self {
        Self {
            from: AnswerFormat::default(),
            to: dialect,
            options: Options::default(),
            citations: true,
            labels: Arc::default(),
            addresses: None,
            earlier: None,
            in_parts: false,
            stopwatch: None,
        }
    }

    /// The largest number of updates before the message of a stream; 0 when the dialect cannot stream.
    pub(super) fn max_updates(&self) -> usize {
        if self.to.can_stream() { self.options.max_updates() } else { 0 }
    }

    /// Whether the message is in extended Markdown, which of all channels Teams alone has.
    pub(super) fn is_extended(&self) -> bool {
        self.to == Dialect::Teams && self.options.text_format == TextFormat::Extended
    }

    /// An update of a stream in the format of its message.
    pub(super) fn in_its_format(&self, update: Activity) -> Activity {
        if self.is_extended() { update.in_extended_markdown() } else { update }
    }

    /// The rules of the dialect for the text, with the options of the caller.
    pub(super) fn rules(&self) -> Rules {
        let Self { to: dialect, options, .. } = self;
        let mut rules = dialect.rules();
        rules.numbering = options.numbering;
        rules.pages = options.pages;
        rules.tracking = options.tracking();
        rules.hard_breaks = options.hard_breaks;
        rules.close_fence |= options.self_contained && rules.markdown;
        rules.extended = self.is_extended();
        rules.image_hosts = options.image_hosts.iter().map(|host| host.to_lowercase()).collect();
        rules
    }

    /// The rules of the dialect for the graph, with the options of the caller.
    pub(super) fn graph_rules(&self) -> GraphRules {
        let Self { to: dialect, options, .. } = self;
        let mut rules = dialect.graph_rules();
        rules.abstract_max_utf16 = options.abstract_max.unwrap_or(rules.abstract_max_utf16);
        rules.withhold_encrypted = options.withhold_encrypted;
        rules.lists_passages = *dialect == Dialect::WebChat && options.references == References::Passages;
        if options.ai_label == Some(false) {
            rules.ai_mark = None;
        }
        rules.image_hosts = self.rules().image_hosts;
        rules
    }
}
