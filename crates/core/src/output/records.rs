//! `records`: one schema for the sources of all providers (rules RC-01 to RC-07).

use std::borrow::Cow;
use std::num::NonZeroU32;

use serde::Serialize;
use serde_json::Value;

use super::document_name::UNKNOWN_DOCUMENT;
use super::domain::{is_host_name, registrable_domain};
use super::numbered::Numbered;
use super::redirect::{Redirectors, named_host};
use crate::answer::{Answer, ProviderError, ProviderObject, Source, SourceKind};
use crate::cite::CitedText;
use crate::claims::{Claim, claims, sentence_links};
use crate::url::WebUrl;

/// An answer with its sources, in one schema for all providers. Every member is present.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = RecordsAnswer))]
pub struct Records {
    /// The format of the answer.
    #[cfg_attr(feature = "schema", schema(example = "gemini"))]
    pub provider: Option<&'static str>,
    /// Whether the provider marked the answer as complete.
    pub complete: bool,
    /// The error that the provider reported: `code`, `type` and `message`, as far as known.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub error: Option<ProviderError>,
    /// Whether the provider used its retrieval tools; null if unknown.
    pub tools_invoked: Option<bool>,
    /// The text. The position of its source, `[n]`, replaces each marker.
    #[cfg_attr(feature = "schema", schema(example = "Leave is 30 days [1]."))]
    pub text: String,
    /// All sources of the answer, cited or not.
    pub sources: Vec<Record>,
    /// The positions of the cited sources, in the order of their first citation.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u64>))]
    pub cited: Vec<usize>,
    /// The positions of the sources to list for readers, ascending.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u64>))]
    pub shown: Vec<usize>,
    /// The markers that match no source, as they were in the text.
    pub unresolved: Vec<String>,
    /// The source-like objects of the input that are no records, because the reader of the format does not know them: their
    /// JSON pointers (policy P-14).
    pub unread: Vec<String>,
    /// The parts of the text behind its citations, and whether the passages of their sources hold them. Empty where
    /// `require_support` is `"off"`, and for a text of a second model.
    pub claims: Vec<Claim>,
}

/// One source. Every member is present; unknown values are null.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Record {
    /// The position: the `n` of `[n]`, counted from 1.
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub position: usize,
    /// The format of the answer.
    pub provider: Option<&'static str>,
    /// The URL as the provider wrote it; for a redirect, the URL of the target page if known.
    pub url: Option<String>,
    /// The URL with the cited sentences of the page as text directives, which browsers mark; null where they are not known.
    pub deep_url: Option<String>,
    /// The text directives of `deep_url`.
    #[serde(skip)]
    directives: Vec<String>,
    /// The registrable domain of the page, such as `example.co.uk`.
    #[cfg_attr(feature = "schema", schema(example = "example.co.uk"))]
    pub source_domain: Option<String>,
    /// Where the domain comes from: `page` (from `url`), `named` (the provider names it beside a redirect) or `redirector` (the
    /// domain of the redirector itself).
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub source_domain_kind: Option<DomainKind>,
    /// The title from the provider; otherwise the file name, the file name in the URL, or the host.
    pub title: Option<String>,
    /// Whether `title` is made from the address.
    #[serde(skip)]
    pub(crate) is_named_by_address: bool,
    /// The text of the passage.
    pub snippet: Option<String>,
    /// The type of source: `web`, `doc`, `news`, `video`, `maps`, `image`, `tool`, `x` or `collections`.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub source_type: Option<SourceKind>,
    /// The rank in the provider's search results, counted from 1.
    pub rank: Option<u32>,
    /// The relevance, 0 to 1.
    pub score: Option<f64>,
    /// The provider's id of the document.
    pub document_id: Option<String>,
    /// The id of the passage within its document.
    pub chunk_id: Option<String>,
    /// The file name or path.
    pub filepath: Option<String>,
    /// The page of the document, counted from 1.
    pub page: Option<u32>,
    /// The media type.
    pub media_type: Option<String>,
    /// The date, as the provider wrote it.
    pub date: Option<String>,
    /// Whether `url` is a redirect with an unknown target.
    pub redirect: bool,
    /// The source object of the provider, unchanged.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub raw: ProviderObject,
}

/// Where the domain of a source comes from (rule RC-03).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DomainKind {
    /// From `url`, which is the page itself.
    Page,
    /// From the provider, which names the host of the page beside a redirect.
    Named,
    /// From the redirector: `url` is a redirect with an unknown target.
    Redirector,
}

/// The records of an answer. `objects` are the provider's own objects of its sources, in their order; missing ones become
/// `null`.
#[must_use]
pub fn records(answer: &Answer, objects: &[ProviderObject]) -> Records {
    records_behind(&Redirectors::default(), answer, objects, claims(answer).claims).with_sentences(answer)
}

/// The records of an answer like [`records`], with further redirectors, with these claims, and without the addresses of cited
/// sentences.
#[must_use]
pub fn records_behind(
    redirectors: &Redirectors,
    answer: &Answer,
    objects: &[ProviderObject],
    claims: Vec<Claim>,
) -> Records {
    let numbered = Numbered::without_bibliography(answer);
    let cited: Vec<usize> = numbered.by_appearance().into_iter().map(|place| place + 1).collect();
    let CitedText { text, unresolved, .. } = numbered.cited;
    let none = ProviderObject::default();
    let objects = objects.iter().chain(std::iter::repeat(&none));
    let sources = (1..).zip(answer.sources.iter().zip(objects));
    let record = |(at, (source, object))| Record::of(at, source, answer.provider, object, redirectors);
    Records {
        provider: answer.provider,
        complete: answer.complete,
        error: answer.error.clone(),
        tools_invoked: answer.tools_invoked,
        sources: sources.map(record).collect(),
        shown: shown(answer, &cited),
        text,
        cited,
        unresolved,
        unread: answer.unread(),
        claims,
    }
}

/// The positions to list (rule N-14): the cited sources, else those that the provider reports as used, else all. An answer
/// that broke off without a citation lists only the sources that the provider attests as used.
fn shown(answer: &Answer, cited: &[usize]) -> Vec<usize> {
    let mut shown = match cited {
        [] => answer.listed_uncited(),
        cited => cited.iter().map(|position| position - 1).collect(),
    };
    shown.sort_unstable();
    shown.into_iter().map(|place| place + 1).collect()
}

impl Record {
    fn of(
        position: usize,
        source: &Source,
        provider: Option<&'static str>,
        object: &ProviderObject,
        redirectors: &Redirectors,
    ) -> Self {
        // Rule AZ-05: sources of Azure On Your Data always have a title.
        let unknown = || (provider == Some("azure-oyd")).then(|| UNKNOWN_DOCUMENT.to_owned());
        let mut record = Self {
            position,
            provider,
            url: source.address.as_deref().map(str::trim).map(str::to_owned),
            title: source.display_title().map(Cow::into_owned).or_else(unknown),
            is_named_by_address: source.is_named_by_address(),
            snippet: source.content.clone(),
            source_type: source.kind,
            rank: source.rank.map(Into::into),
            score: source.score,
            document_id: source.id.clone(),
            chunk_id: source.chunk_id.clone(),
            filepath: source.filepath.clone(),
            page: source.page.map(NonZeroU32::get),
            media_type: source.media_type.clone(),
            date: source.modified.clone(),
            raw: object.clone(),
            ..Self::default()
        };
        let Some(url) = &source.url else { return record };
        if !redirectors.holds(url) {
            record.source_domain = Some(registrable_domain(url.host()));
            record.source_domain_kind = Some(DomainKind::Page);
            record.url.get_or_insert_with(|| url.as_str().to_owned());
            return record;
        }
        let object = object.to_value();
        if let Some(page) = redirectors.sibling(&object).or_else(|| redirectors.target(url)) {
            record.lead_to(&page);
        } else {
            record.redirect = true;
            let (domain, kind) = redirected_domain(url, source, &object);
            (record.source_domain, record.source_domain_kind) = (Some(domain), Some(kind));
            if record.is_named_by_address {
                record.title.clone_from(&record.source_domain);
            }
            record.url.get_or_insert_with(|| url.as_str().to_owned());
        }
        record
    }

    /// Sets `deep_url` by the address and its directives. `source` knows the page of a PDF.
    fn find_sentences(&mut self, source: &Source) {
        let directives = self.directives.iter().map(String::as_str);
        let url = self.url.as_deref().filter(|_| !self.directives.is_empty()).and_then(|url| url.parse().ok());
        let page =
            Source { url, page: source.page, media_type: source.media_type.clone(), ..Source::default() }.page_url();
        self.deep_url = page.map(|page| page.with_directives(directives).as_str().to_owned());
    }

    fn lead_to(&mut self, page: &WebUrl) {
        self.url = Some(page.as_str().to_owned());
        self.deep_url = self
            .deep_url
            .take()
            .map(|_| page.with_directives(self.directives.iter().map(String::as_str)).as_str().to_owned());
        self.source_domain = Some(registrable_domain(page.host()));
        self.source_domain_kind = Some(DomainKind::Page);
        self.redirect = false;
        if self.is_named_by_address {
            let page = Source { url: Some(page.clone()), ..Source::default() };
            self.title = page.display_title().map(Cow::into_owned);
        }
    }
}

/// The domain behind a redirect whose target is unknown: from the host or title that the provider names beside it, else the
/// whole host of the redirector (rule RC-03).
fn redirected_domain(url: &WebUrl, source: &Source, object: &Value) -> (String, DomainKind) {
    let host = named_host(object).filter(|host| is_host_name(host.trim()));
    let title = || source.title.as_deref().filter(|title| is_host_name(title.trim()));
    let named = host.or_else(title).map(str::trim);
    match named {
        Some(host) => (registrable_domain(host), DomainKind::Named),
        None => (url.host().to_owned(), DomainKind::Redirector),
    }
}

impl Records {
    /// The records of `answer` with the addresses of its cited sentences. Where the records have claims, these say which they are.
    #[must_use]
    pub fn with_sentences(mut self, answer: &Answer) -> Self {
        let judged = Some(self.claims.as_slice()).filter(|claims| !claims.is_empty());
        for (place, link) in sentence_links(answer, judged, None) {
            if let (Some(record), Some(source)) = (self.sources.get_mut(place), answer.sources.get(place)) {
                record.directives = link.directives;
                record.find_sentences(source);
            }
        }
        self
    }

    /// The redirects with an unknown target: the place of each among the sources, counted from 0, with its address.
    pub fn open_redirects(&self) -> impl Iterator<Item = (usize, WebUrl)> {
        let open = self.sources.iter().enumerate().filter(|(_, record)| record.redirect);
        open.filter_map(|(at, record)| Some((at, record.url.as_deref()?.parse().ok()?)))
    }

    /// Sets the target of the redirect at place `at`, counted from 0; `raw` keeps the redirect (rule RC-04). A `page` that
    /// is a known redirector itself is ignored.
    pub fn settle_redirect(&mut self, at: usize, page: &WebUrl) {
        if let Some(record) =
            self.sources.get_mut(at).filter(|record| record.redirect && !Redirectors::default().holds(page))
        {
            record.lead_to(page);
        }
    }

    /// The records of an answer that took two steps (rule RC-06). `self` belongs to the grounded step; `text` is the output
    /// of a second step that used no retrieval. Sources and citations are kept; the new text is not scanned for markers.
    ///
    /// ```
    /// use citewire_core::ingest::{ingest, source_objects};
    /// use citewire_core::output::records;
    ///
    /// let body = br#"{"text": "Leave is 30 days [1].", "sources": [{"url": "https://hr.example/leave"}]}"#;
    /// let answer = ingest(body, None)?;
    /// let grounded = records(&answer, &source_objects(body, &answer.sources));
    /// let reshaped = grounded.reshaped(r#"{"days": 30}"#, true);
    /// assert_eq!(reshaped.cited, [1]);
    /// # Ok::<(), citewire_core::ingest::IngestError>(())
    /// ```
    #[must_use]
    pub fn reshaped(self, text: impl Into<String>, complete: bool) -> Self {
        Self {
            text: text.into(),
            complete: self.complete && complete,
            unresolved: Vec::new(),
            claims: Vec::new(),
            ..self
        }
    }
}
