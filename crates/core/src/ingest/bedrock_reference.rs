//! A retrieved passage of Amazon Bedrock, with the location and the metadata of its document.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Sources;
use super::json::filled;
use super::location::{Located, location};
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// The metadata member with the address of the document, for documents whose location has none.
const SOURCE_URI: &str = "x-amz-bedrock-kb-source-uri";

/// The metadata member with the id of the passage.
const CHUNK: &str = "x-amz-bedrock-kb-chunk-id";

/// The metadata member with the page, as a number with a fraction.
const PAGE: &str = "x-amz-bedrock-kb-document-page-number";

#[derive(Default, Deserialize)]
pub(super) struct Reference {
    content: Option<Passage>,
    location: Option<Location>,
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Passage {
    text: Option<String>,
}

/// Exactly one of these members is present. It depends on the type of the document store.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    s3_location: Option<Place>,
    web_location: Option<Place>,
    confluence_location: Option<Place>,
    share_point_location: Option<Place>,
    salesforce_location: Option<Place>,
    kendra_document_location: Option<Place>,
    one_drive_location: Option<Place>,
    google_drive_location: Option<Place>,
    custom_document_location: Option<Place>,
}

#[derive(Default, Deserialize)]
struct Place {
    uri: Option<String>,
    url: Option<String>,
    id: Option<String>,
}

impl Location {
    /// The location with the name of its member; both empty without a location.
    fn place(self) -> (&'static str, Place) {
        let places = [
            ("s3Location", self.s3_location),
            ("webLocation", self.web_location),
            ("confluenceLocation", self.confluence_location),
            ("sharePointLocation", self.share_point_location),
            ("salesforceLocation", self.salesforce_location),
            ("kendraDocumentLocation", self.kendra_document_location),
            ("oneDriveLocation", self.one_drive_location),
            ("googleDriveLocation", self.google_drive_location),
            ("customDocumentLocation", self.custom_document_location),
        ];
        let found = places.into_iter().find_map(|(name, place)| place.map(|place| (name, place)));
        found.unwrap_or_default()
    }
}

impl Reference {
    /// Adds the source of this passage, or finds it by its address or id. All passages of a document are one source.
    pub(super) fn add_to(self, sources: &mut Sources, pointer: String, warnings: &mut Vec<Entry>) -> SourceIndex {
        let metadata = self.metadata.unwrap_or_default();
        let (member, place) = self.location.unwrap_or_default().place();
        let text = |name: &str| filled(metadata.get(name).and_then(Value::as_str).map(str::to_owned));
        let in_metadata = || text(SOURCE_URI);
        let (id, at) = (filled(place.id), format!("{pointer}/location/{member}"));
        let address = filled(place.uri).or_else(|| filled(place.url));
        let address = if id.is_some() { address } else { address.or_else(in_metadata) };
        let Located { url, filepath, address: written } = location(address.clone(), || at.clone(), warnings);
        let page = metadata.get(PAGE).and_then(Value::as_f64).filter(|page| (1.0..=f64::from(u32::MAX)).contains(page));
        let source = Source {
            id: id.or(address),
            url,
            address: written,
            filepath,
            chunk_id: text(CHUNK),
            kind: Some(if member == "webLocation" { SourceKind::Web } else { SourceKind::Document }),
            // The filter above keeps the page between 1 and `u32::MAX`, so the cast only drops the fraction.
            page: page.and_then(|page| NonZeroU32::new(page as u32)),
            content: self.content.and_then(|content| filled(content.text)),
            metadata,
            pointer,
            ..Source::default()
        };
        match (&source.url, source.id.clone()) {
            (None, Some(id)) => sources.known_as(&id, source),
            (Some(_), _) | (None, None) => sources.page(source),
        }
    }
}
