//! Opens assistants from their configuration.

use std::sync::Arc;

use super::documentation;
use super::retrieving::{PlacedFault, UPSTREAM, placed, services};
use super::{
    Assistant, AssistantOptions, AssistantPlan, AssistantRegistry, Assistants, BackEnd, DocumentsPlan, DocumentsSource,
};
use crate::answer::LabelCatalog;
use crate::bucket::{Bucket, BucketFault};
use crate::convert::Pages;
use crate::document::{HybridSearch, Library, LibraryError, PublicLinks, RemoteLinks, Search, UploadLinks};
use crate::store::AssistantStore;
use crate::upstream::{Local, LocalOptions, Retriever, Surroundings, UpstreamFault};
use crate::url::WebUrl;

/// The assistant that knows citewire's own documentation, and needs no setting.
pub const DOCS: &str = "docs";

/// The shared parts with which every assistant is opened.
#[derive(Debug)]
pub struct Opening<'a> {
    /// The surroundings of back ends.
    pub surroundings: Surroundings<'a>,
    /// The labels that the configuration knows.
    pub labels: Arc<LabelCatalog>,
    /// Where readers find this server.
    pub server: WebUrl,
    /// Where this server shows citewire's own documentation, if it does.
    pub help: Option<WebUrl>,
    /// The maker of addresses of documents that need no credential.
    pub public: Arc<dyn PublicLinks>,
    /// The store with uploaded documents.
    pub store: Option<Arc<dyn AssistantStore>>,
    /// The assistants whose places these take, with the vectors of their documents.
    pub before: Option<Arc<Assistants>>,
}

impl<'a> Opening<'a> {
    /// Leads readers to citewire's own documentation below this address.
    #[must_use]
    pub fn with_help(self, help: Option<WebUrl>) -> Self {
        Self { help, ..self }
    }

    /// Finds uploaded documents in this store.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn AssistantStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Takes the place of these assistants.
    #[must_use]
    pub fn in_place_of(self, before: Arc<Assistants>) -> Self {
        Self { before: Some(before), ..self }
    }

    /// The parts that every assistant needs.
    #[must_use]
    pub fn new(
        surroundings: Surroundings<'a>,
        labels: Arc<LabelCatalog>,
        server: WebUrl,
        public: Arc<dyn PublicLinks>,
    ) -> Self {
        Self { surroundings, labels, server, help: None, public, store: None, before: None }
    }
}

/// An error when an assistant is opened. Settings have their names from the file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its back end, or a service that finds passages, cannot be called.
    #[error("assistants.{assistant}.{place}.{fault}")]
    Upstream {
        /// The assistant.
        assistant: String,
        /// The table that names it.
        place: &'static str,
        /// Why.
        fault: UpstreamFault,
    },
    /// The bucket with its documents is not set up well.
    #[error("assistants.{assistant}.documents.{fault}")]
    Bucket {
        /// The assistant.
        assistant: String,
        /// Why.
        fault: BucketFault,
    },
    /// Its documents cannot be read.
    #[error("assistants.{assistant}.documents: {error}")]
    Documents {
        /// The assistant.
        assistant: String,
        /// Why.
        error: LibraryError,
    },
}

/// Opens all assistants of a plan, and the one for citewire's own documentation where it is wished for: on the channel itself
/// or elsewhere.
///
/// # Errors
/// When any of them cannot be opened: with everything that is wrong.
pub async fn open(
    plans: &[AssistantPlan],
    of_channel: Option<&str>,
    elsewhere: Option<&str>,
    opening: &Opening<'_>,
) -> Result<AssistantRegistry, Vec<OpenError>> {
    let (mut assistants, mut faults) = (Vec::new(), Vec::new());
    for plan in plans {
        match open_one(plan, opening).await {
            Ok(assistant) => assistants.push(assistant),
            Err(wrong) => faults.extend(wrong),
        }
    }
    if [of_channel, elsewhere].contains(&Some(DOCS)) && plans.iter().all(|plan| plan.name != DOCS) {
        match docs(opening).await {
            Ok(assistant) => assistants.push(assistant),
            Err(error) => faults.push(OpenError::Documents { assistant: DOCS.to_owned(), error }),
        }
    }
    if faults.is_empty() { Ok(AssistantRegistry::new(assistants, of_channel.map(str::to_owned))) } else { Err(faults) }
}

/// Opens one assistant.
pub(super) async fn open_one(plan: &AssistantPlan, opening: &Opening<'_>) -> Result<Assistant, Vec<OpenError>> {
    let AssistantPlan { name, options, secret, back_end, documents, warnings, .. } = plan;
    let Opening { surroundings, labels, server, public, .. } = opening;
    for warning in warnings {
        tracing::warn!(assistant = name, "{warning}");
    }
    let (mut faults, mut wrong) = (Vec::new(), Vec::new());
    let library = match documents {
        Some(documents) => match open_library(name, &documents.source, opening).await {
            Ok(library) => Some(library),
            Err(wrong) => {
                faults.extend(wrong);
                None
            }
        },
        None => None,
    };
    let public = match &library {
        Some(library) if library.is_remote() => Arc::new(RemoteLinks::new(Arc::clone(library))) as Arc<dyn PublicLinks>,
        Some(library) if library.is_uploaded() => Arc::new(UploadLinks::new(Arc::clone(library), Arc::clone(public))),
        Some(_) | None => Arc::clone(public),
    };
    let links = options.link_mode.links(name, server, &public, &surroundings.clock);
    let found = library.as_ref().zip(documents.as_ref());
    let found = found.map(|(library, plan)| retriever(name, library, plan, opening, &mut wrong));
    let upstream = match (back_end, &library) {
        (BackEnd::Called(upstream), _) => placed(UPSTREAM, upstream.clone().open(surroundings), &mut wrong),
        (BackEnd::Local, Some(library)) => {
            let mut local = Local::new(Arc::clone(library), LocalOptions::default(), Arc::clone(&surroundings.clock));
            if let Some(retriever) = &found {
                local = local.with_retriever(retriever.clone());
            }
            Some(Arc::new(local.with_links(links.clone())) as Arc<_>)
        }
        // The configuration demands documents; without them something is wrong with them.
        (BackEnd::Local, None) => None,
    };
    let of_service = |(place, fault)| OpenError::Upstream { assistant: name.clone(), place, fault };
    faults.extend(wrong.into_iter().map(of_service));
    let Some(upstream) = upstream.filter(|_| faults.is_empty()) else { return Err(faults) };
    let mut options = options.clone();
    let is_chosen = plan.section.get("options").is_some_and(|options| options.get("pages").is_some());
    if library.is_some() && !is_chosen {
        // A reader who is led to the wrong page of a long document finds nothing there.
        options.convert.pages = Pages::Split;
    }
    let mut assistant = Assistant::new(name, options, upstream, Arc::clone(labels))
        .with_settings(&plan.section)
        .with_secret(secret.clone());
    if let Some((library, documents)) = library.zip(documents.as_ref()) {
        assistant = assistant.with_library(library).with_passages(documents.passages).with_links(links);
    }
    if let Some(retriever) = found {
        assistant = assistant.with_retriever(retriever);
    }
    Ok(assistant)
}

/// The library of an assistant, of which nothing has to be read yet. One that was read before with the same settings stays.
async fn open_library(
    assistant: &str,
    source: &DocumentsSource,
    opening: &Opening<'_>,
) -> Result<Arc<Library>, Vec<OpenError>> {
    let before = opening.before.as_ref().and_then(|before| before.get(assistant)?.library().cloned());
    let library = match (source, &opening.store) {
        (DocumentsSource::Folder(options), _) => {
            let mut options = options.clone();
            options.reader = options.reader.map(|reader| reader.of(assistant));
            match before.filter(|before| before.is_of_folder(&options)) {
                Some(before) => return Ok(before),
                None => Library::folder(options).await,
            }
        }
        (DocumentsSource::Uploads(options), Some(store)) => match before.filter(|before| before.is_of_uploads(options))
        {
            Some(before) => return Ok(before),
            None => Library::uploaded(Arc::clone(store), assistant, options.clone()).await,
        },
        (DocumentsSource::Uploads(_), None) => Library::built_in([]).await,
        (DocumentsSource::Bucket(bucket, options), _) => {
            let Surroundings { secrets, egress, may_call_private_hosts, .. } = &opening.surroundings;
            let bucket = Bucket::open(bucket, secrets, egress, *may_call_private_hosts).map_err(|faults| {
                let of_bucket = |fault| OpenError::Bucket { assistant: assistant.to_owned(), fault };
                faults.into_iter().map(of_bucket).collect::<Vec<_>>()
            })?;
            let mut options = options.clone();
            options.reader = options.reader.map(|reader| reader.of(assistant));
            Library::remote(Arc::new(bucket), options).await
        }
    };
    library.map(Arc::new).map_err(|error| vec![OpenError::Documents { assistant: assistant.to_owned(), error }])
}

/// The retriever of a library for this assistant. Vectors are computed from now on.
fn retriever(
    name: &str,
    library: &Arc<Library>,
    plan: &DocumentsPlan,
    opening: &Opening<'_>,
    faults: &mut Vec<PlacedFault>,
) -> Retriever {
    let surroundings = &opening.surroundings;
    let (embeddings, reranker) = services(plan.embeddings.as_ref(), plan.reranker.as_ref(), surroundings, faults);
    let search: Arc<dyn Search> = match embeddings {
        Some(embedder) => {
            let before = opening.before.as_ref().and_then(|before| before.get(name));
            let known = before.map(|before| before.known_vectors()).unwrap_or_default();
            let clock = Arc::clone(&surroundings.clock);
            Arc::new(HybridSearch::begin_with(name, Arc::clone(library), embedder, clock, known))
        }
        None => Arc::clone(library) as Arc<_>,
    };
    Retriever::new(search).with_reranker(reranker).with_min_score(plan.min_score)
}

async fn docs(opening: &Opening<'_>) -> Result<Assistant, LibraryError> {
    let library = Arc::new(Library::built_in_at(documentation::pages(), opening.help.clone()).await?);
    let clock = Arc::clone(&opening.surroundings.clock);
    let options = AssistantOptions {
        greeting:
            "Hello! I know the documentation of citewire, and answer with its own sentences. Ask me, for example: \
                   *How are sensitivity labels attached?*"
                .to_owned(),
        informative: "Looking through the documentation …".to_owned(),
        ..AssistantOptions::default()
    };
    let local = LocalOptions {
        introduction: "This is what the documentation says:".to_owned(),
        nothing:
            "The documentation says nothing about this. I only know what is written there: try other words, or ask \
                  about citations, streams, labels, providers, Direct Line or configuration."
                .to_owned(),
        ..LocalOptions::default()
    };
    let upstream = Arc::new(Local::new(Arc::clone(&library), local, clock));
    Ok(Assistant::new(DOCS, options, upstream, Arc::clone(&opening.labels)).with_library(library))
}
