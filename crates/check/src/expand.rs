//! Expands entities with a JSON-LD processor, which finds errors that Web Chat ignores.

use std::collections::{BTreeMap, HashSet};

use futures_executor::block_on;
use iref::{Iri, IriBuf, IriRef};
use json_ld::context_processing::algorithm::Action;
use json_ld::expansion::{Options, Policy};
use json_ld::rdf_types::vocabulary::no_vocabulary_mut;
use json_ld::syntax::{Parse as _, TryFromJson as _, Value as Json};
use json_ld::{BlankId, BlankIdBuf, Context, Expand as _, NoLoader, Process as _, object};
use serde_json::Value;

use super::context::{VOCABULARY, context};

/// The base of relative identifiers; the root of a message has this address. It is an `https:` address, because other
/// schemes resolve relative references wrongly.
const BASE: &str = "https://activity.invalid/";

thread_local! {
    /// The processed context, once per thread, because its type is not `Sync`.
    static CONTEXT: Context<IriBuf, BlankIdBuf> = process_context();
}

type ExpandedNode = json_ld::Node<IriBuf, BlankIdBuf>;
type ExpandedObject = json_ld::IndexedObject<IriBuf, BlankIdBuf>;

/// The statements about one identifier, from all places that mention it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The names of its types in the vocabulary.
    pub(crate) types: Vec<String>,
    /// The number of distinct values of each property in the vocabulary.
    pub(crate) values: BTreeMap<String, usize>,
}

/// The reason why expansion failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExpandError {
    /// JSON-LD does not allow a term, keyword or value.
    #[error("{0}")]
    Expansion(#[from] json_ld::expansion::Error),
    /// The processor's own parser refuses the JSON.
    #[error("not readable as JSON: {0}")]
    Json(String),
}

/// Expands `things` against the built-in context, and gathers the statements about each identifier.
///
/// The caller must have removed contexts inside the things. Nothing is fetched, because there is no loader. Terms that the
/// context does not define are errors.
///
/// # Errors
/// When the things are not valid JSON-LD.
pub(crate) fn expand(things: &Value) -> Result<BTreeMap<String, Subject>, ExpandError> {
    let (json, _) = Json::parse_str(&things.to_string()).map_err(|error| ExpandError::Json(error.to_string()))?;
    let options = Options {
        policy: Policy { invalid: Action::Reject, vocab: Action::Reject, allow_undefined: false },
        ..Options::default()
    };
    let context = CONTEXT.with(Clone::clone);
    let base = base();
    let expanded = block_on(json.expand_full(no_vocabulary_mut(), context, Some(&base), &NoLoader, options, ()))?;
    let mut occurrences: BTreeMap<String, Vec<&ExpandedNode>> = BTreeMap::new();
    for object in expanded.objects() {
        gather(object, &mut occurrences);
    }
    Ok(occurrences.into_iter().map(|(id, nodes)| (id, merge(&nodes))).collect())
}

/// Groups the nodes below `object` by identifier.
fn gather<'o>(object: &'o ExpandedObject, occurrences: &mut BTreeMap<String, Vec<&'o ExpandedNode>>) {
    match object.inner() {
        object::Object::Node(node) => {
            if let Some(id) = &node.id {
                occurrences.entry(id.as_str().to_owned()).or_default().push(node);
            }
            for (_, values) in node.properties() {
                for value in values {
                    gather(value, occurrences);
                }
            }
        }
        object::Object::List(list) => list.iter().for_each(|item| gather(item, occurrences)),
        object::Object::Value(_) => {}
    }
}

fn merge(nodes: &[&ExpandedNode]) -> Subject {
    let mut subject = Subject::default();
    let mut distinct: BTreeMap<&str, HashSet<&ExpandedObject>> = BTreeMap::new();
    for node in nodes {
        for kind in node.types() {
            let name = kind.as_str().strip_prefix(VOCABULARY);
            if let Some(name) = name.filter(|name| !subject.types.iter().any(|known| known == name)) {
                subject.types.push(name.to_owned());
            }
        }
        for (property, values) in node.properties() {
            if let Some(name) = property.as_str().strip_prefix(VOCABULARY) {
                distinct.entry(name).or_default().extend(values);
            }
        }
    }
    subject.values = distinct.into_iter().map(|(name, values)| (name.to_owned(), values.len())).collect();
    subject
}

/// The identifier for `written` in the form of [`expand`]; `None` if it is neither an IRI reference nor a blank node.
/// JSON-LD processors drop statements about such an identifier without an error.
pub(crate) fn resolve(written: &str) -> Option<String> {
    if written.starts_with("_:") {
        return BlankId::new(written).is_ok().then(|| written.to_owned());
    }
    let reference = IriRef::new(written).ok()?;
    Some(reference.resolved(&base()).as_str().to_owned())
}

#[expect(clippy::expect_used, reason = "our own constant; a test reads it")]
fn base() -> IriBuf {
    Iri::new(BASE).expect("our base is an IRI").to_owned()
}

#[expect(clippy::expect_used, reason = "our own constant; a test reads it")]
fn process_context() -> Context<IriBuf, BlankIdBuf> {
    let (json, _) = Json::parse_str(&context().to_string()).expect("our context is JSON");
    let local = json_ld::syntax::context::Context::try_from_json(json).expect("our context is a JSON-LD context");
    let empty = Context::new(Some(base()));
    let options = json_ld::context_processing::Options::default();
    let processed = block_on(local.process_full(no_vocabulary_mut(), &empty, &NoLoader, Some(base()), options, ()))
        .expect("our context needs nothing from elsewhere");
    processed.into_processed()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_root_is_the_activity_and_blank_nodes_are_one_subject() {
        let subjects = expand(&json!([{
            "@id": "", "@type": "Message", "type": "https://schema.org/Message", "usageInfo": {"@id": "_:s1"},
            "citation": [{"@type": "Claim", "@id": "https://a.example/", "position": "1",
                          "appearance": {"usageInfo": {"@id": "_:s1", "@type": "CreativeWork", "name": "Secret"}}}],
        }]))
        .expect("valid JSON-LD");
        assert_eq!(subjects[BASE].types, ["Message"]);
        assert_eq!(subjects["_:s1"].values, BTreeMap::from([("name".into(), 1)]));
        assert_eq!(subjects["https://a.example/"].types, ["Claim"]);
    }

    #[test]
    fn two_claims_with_one_identifier_are_one_subject_with_two_positions() {
        let claim = |position: &str| json!({"@type": "Claim", "@id": "https://a.example/", "position": position});
        let subjects = expand(&json!([claim("1"), claim("2")])).expect("valid JSON-LD");
        assert_eq!(subjects["https://a.example/"].values["position"], 2);
        let subjects = expand(&json!([claim("1"), claim("1")])).expect("valid JSON-LD");
        assert_eq!(subjects["https://a.example/"].values["position"], 1);
    }

    #[test]
    fn misspelt_terms_and_foreign_contexts_are_refused() {
        assert!(expand(&json!([{"@type": "Claim", "positon": "1"}])).is_err());
        assert!(expand(&json!([{"@context": "https://elsewhere.example/", "name": "x"}])).is_err());
    }

    #[test]
    fn a_misspelt_type_is_taken_for_a_relative_address_and_no_type_of_ours() {
        let subjects = expand(&json!([{"@id": "", "@type": "Massage", "name": "x"}])).expect("legal, but useless");
        assert_eq!(subjects[BASE].types, Vec::<String>::new());
    }

    #[test]
    fn identifiers_resolve_as_the_processor_resolves_them() {
        assert_eq!(resolve("").as_deref(), Some(BASE));
        assert_eq!(resolve("_:s1").as_deref(), Some("_:s1"));
        assert_eq!(resolve("https://a.example/ü").as_deref(), Some("https://a.example/ü"));
        assert_eq!(resolve("https://a.example/a b"), None);
        assert_eq!(resolve("https://a.example/<b>"), None);
    }
}
