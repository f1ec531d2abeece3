//! The vocabulary of messages: a built-in JSON-LD context, so that nothing is fetched.
//!
//! The names and addresses of terms come from schema.org release 30.0. The release also decides which terms hold addresses:
//! `additionalType` holds text there, but held an address in release 12.0.

use serde_json::{Map, Value, json};

/// Terms with text, numbers or objects as values.
const PLAIN: &[&str] = &[
    // types
    "AggregateRating",
    "Answer",
    "Article",
    "Audience",
    "Certification",
    "Claim",
    "ClaimReview",
    "Comment",
    "Conversation",
    "CreativeWork",
    "DataFeed",
    "Dataset",
    "DefinedTerm",
    "DefinedTermSet",
    "DigitalDocument",
    "DislikeAction",
    "EmailMessage",
    "EntryPoint",
    "Entity",
    "HowTo",
    "HowToStep",
    "ImageObject",
    "Intangible",
    "LikeAction",
    "MediaObject",
    "Message",
    "Organization",
    "Person",
    "Place",
    "Project",
    "PropertyValue",
    "PropertyValueSpecification",
    "Question",
    "Rating",
    "ReplyAction",
    "Review",
    "SoftwareApplication",
    "SoftwareSourceCode",
    "Thing",
    "UserReview",
    "VoteAction",
    "WebPage",
    "WebSite",
    "Action",
    "CreateAction",
    "ViewAction",
    // properties
    "about",
    "abstract",
    "accessMode",
    "actionOption",
    "actionStatus",
    "additionalType",
    "agent",
    "alternateName",
    "appearance",
    "archivedAt",
    "articleBody",
    "audience",
    "author",
    "award",
    "bestRating",
    "citation",
    "claimInterpreter",
    "claimReviewed",
    "codeSampleType",
    "comment",
    "commentCount",
    "contentRating",
    "contentSize",
    "contributor",
    "copyrightHolder",
    "copyrightNotice",
    "copyrightYear",
    "creativeWorkStatus",
    "creator",
    "creditText",
    "description",
    "disambiguatingDescription",
    "editor",
    "email",
    "encoding",
    "encodingFormat",
    "error",
    "firstAppearance",
    "genre",
    "hasDefinedTerm",
    "hasPart",
    "headline",
    "identifier",
    "inLanguage",
    "instrument",
    "interactionStatistic",
    "interpretedAsClaim",
    "isBasedOn",
    "isPartOf",
    "keywords",
    "learningResourceType",
    "legalName",
    "location",
    "mainEntity",
    "mentions",
    "messageAttachment",
    "name",
    "object",
    "pagination",
    "participant",
    "pattern",
    "position",
    "potentialAction",
    "programmingLanguage",
    "provider",
    "publisher",
    "ratingValue",
    "recipient",
    "result",
    "resultReview",
    "review",
    "reviewAspect",
    "reviewBody",
    "reviewRating",
    "runtimePlatform",
    "sender",
    "slogan",
    "sourceOrganization",
    "step",
    "subjectOf",
    "target",
    "temporalCoverage",
    "termCode",
    "text",
    "thumbnail",
    "timeRequired",
    "toRecipient",
    "translator",
    "urlTemplate",
    "value",
    "valueMaxLength",
    "valueMinLength",
    "valueName",
    "valuePattern",
    "valueRequired",
    "version",
    "wordCount",
];

/// Terms with addresses or node ids as values.
const ADDRESSES: &[&str] =
    &["codeRepository", "image", "inDefinedTermSet", "license", "sameAs", "thumbnailUrl", "url", "usageInfo"];

/// Terms with dates as values.
const DATES: &[&str] = &["auditDate", "dateCreated", "dateModified", "datePublished", "expires"];

/// Terms with dates and times as values.
const TIMES: &[&str] = &["dateRead", "dateReceived", "dateSent", "endTime", "startTime"];

/// The prefix of the terms' addresses.
pub(crate) const VOCABULARY: &str = "http://schema.org/";

/// True if schema.org defines this term.
pub(crate) fn knows(term: &str) -> bool {
    terms().any(|known| known == term)
}

/// True if values of this term are URLs or node ids.
pub(crate) fn is_address(term: &str) -> bool {
    ADDRESSES.contains(&term)
}

/// All terms of the vocabulary.
pub(crate) fn terms() -> impl Iterator<Item = &'static str> {
    [PLAIN, ADDRESSES, DATES, TIMES].into_iter().flatten().copied()
}

/// The context as JSON-LD. Without `@vocab`, a misspelled term is an error instead of a new term.
pub(crate) fn context() -> Value {
    let mut context = Map::new();
    context.insert("schema".into(), json!(VOCABULARY));
    context.insert("id".into(), json!("@id"));
    context.insert("type".into(), json!("@type"));
    let kinds =
        [(PLAIN, None), (ADDRESSES, Some("@id")), (DATES, Some("schema:Date")), (TIMES, Some("schema:DateTime"))];
    for (terms, kind) in kinds {
        for term in terms {
            let mut definition = Map::from_iter([("@id".to_owned(), json!(format!("{VOCABULARY}{term}")))]);
            if let Some(kind) = kind {
                definition.insert("@type".into(), json!(kind));
            }
            context.insert((*term).to_owned(), Value::Object(definition));
        }
    }
    Value::Object(context)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_term_is_defined_once() {
        let unique: BTreeSet<_> = terms().collect();
        assert_eq!(unique.len(), terms().count());
        assert_eq!(context().as_object().expect("an object").len(), unique.len() + 3);
    }

    #[test]
    fn addresses_dates_and_text_are_told_apart() {
        let context = context();
        assert_eq!(context["usageInfo"]["@type"], "@id");
        assert_eq!(context["dateModified"]["@type"], "schema:Date");
        assert_eq!(context["additionalType"], json!({"@id": "http://schema.org/additionalType"}));
        assert!(knows("claimInterpreter") && !knows("positon"));
    }
}
