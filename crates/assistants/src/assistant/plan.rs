//! The configuration of an assistant.

use super::AssistantOptions;
use super::retrieving::{UPSTREAM, placed, services};
use crate::bucket::{Bucket, BucketOptions};
use crate::document::{LibraryOptions, UploadOptions};
use crate::secret::Secret;
use crate::upstream::{EmbeddingsOptions, RerankerOptions, Surroundings, UpstreamOptions};

/// The errors of settings: keys with dots between their parts, and reasons.
pub type Faults = Vec<(String, String)>;

/// The configuration of an assistant, before its back end and its documents are opened.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantPlan {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: AssistantOptions,
    /// The Direct Line secret on whose conversations it answers.
    pub secret: Option<Secret>,
    /// The author of its answers.
    pub back_end: BackEnd,
    /// The documents that are searched for it.
    pub documents: Option<DocumentsPlan>,
    /// The members of its section, as they were given.
    pub section: toml::Table,
    /// Oddities of its settings that do no harm; told when it is opened.
    pub warnings: Vec<String>,
}

/// The back end of an assistant.
#[derive(Clone, Debug, PartialEq)]
pub enum BackEnd {
    /// No model: they are sentences of its documents.
    Local,
    /// A back end that is called.
    Called(UpstreamOptions),
}

/// The source of an assistant's documents.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentsPlan {
    /// Where the documents are.
    pub source: DocumentsSource,
    /// The number of passages that are put into a question.
    pub passages: usize,
    /// Passages with a lower score are not used.
    pub min_score: Option<f64>,
    /// The service that computes vectors of the passages.
    pub embeddings: Option<EmbeddingsOptions>,
    /// The service that judges again how well passages fit.
    pub reranker: Option<RerankerOptions>,
}

/// Where the documents of an assistant are.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentsSource {
    /// In a folder of the server.
    Folder(LibraryOptions),
    /// In the store, uploaded over HTTP.
    Uploads(UploadOptions),
    /// In a bucket of another service.
    Bucket(Box<BucketOptions>, UploadOptions),
}

impl AssistantPlan {
    /// An assistant of this name with the usual options.
    #[must_use]
    pub fn new(name: impl Into<String>, back_end: BackEnd) -> Self {
        Self {
            name: name.into(),
            options: AssistantOptions::default(),
            secret: None,
            back_end,
            documents: None,
            section: toml::Table::new(),
            warnings: Vec::new(),
        }
    }

    /// The origin to which a key may go that is entered for the back end; `None` without a back end that is called, and where the settings
    /// name its key.
    #[must_use]
    pub fn key_origin(&self) -> Option<String> {
        match &self.back_end {
            BackEnd::Called(upstream) if upstream.named_key().is_none() => upstream.origin(),
            BackEnd::Called(_) | BackEnd::Local => None,
        }
    }

    /// The secret that the settings name as the key of the back end.
    #[must_use]
    pub fn named_key(&self) -> Option<&str> {
        match &self.back_end {
            BackEnd::Called(upstream) => upstream.named_key(),
            BackEnd::Local => None,
        }
    }

    /// Checks the back end and the services that find passages: secrets are looked up and addresses made. Nothing is called.
    ///
    /// # Errors
    /// When any of them cannot be called: with everything that is wrong, the settings by their keys in the section.
    pub fn check(&self, surroundings: &Surroundings<'_>) -> Result<(), Faults> {
        let mut faults = Vec::new();
        if let BackEnd::Called(upstream) = &self.back_end {
            placed(UPSTREAM, upstream.clone().open(surroundings), &mut faults);
        }
        if let Some(documents) = &self.documents {
            services(documents.embeddings.as_ref(), documents.reranker.as_ref(), surroundings, &mut faults);
        }
        let faults = faults.into_iter().map(|(place, fault)| (place.to_owned(), fault.to_string()));
        let faults: Faults = faults.chain(self.bucket_faults(surroundings)).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn bucket_faults(&self, surroundings: &Surroundings<'_>) -> Faults {
        let Some(DocumentsSource::Bucket(bucket, _)) = self.documents.as_ref().map(|documents| &documents.source)
        else {
            return Faults::new();
        };
        let Surroundings { secrets, egress, may_call_private_hosts, .. } = surroundings;
        let faults = Bucket::open(bucket, secrets, egress, *may_call_private_hosts).err().unwrap_or_default();
        faults.into_iter().map(|fault| (format!("documents.{}", fault.setting), fault.reason)).collect()
    }
}

impl DocumentsPlan {
    /// These documents, with the usual number of passages.
    #[must_use]
    pub fn new(source: DocumentsSource) -> Self {
        Self { source, passages: 6, min_score: None, embeddings: None, reranker: None }
    }
}
