//! Finds and reads the Message entity in the way of Web Chat.

use serde_json::Value;

use super::action;
use super::blank_nodes::BlankNodes;
use super::claim::{self, Claims};
use super::code;
use super::findings::Findings;
use super::label;
use super::misplaced::has_parts;
use super::place::{CONTEXT, Place};
use super::pointer::Pointer;

/// The prefix of `type` in entities that Web Chat reads.
const TYPE_PREFIX: &str = "https://schema.org/";

/// The Message entity of an activity, with its visible members.
#[derive(Debug)]
pub(super) struct Message<'v> {
    pub(super) claims: Claims<'v>,
    /// The place of the message's sensitivity label, if it has one.
    pub(super) label: Option<Pointer>,
    /// Whether the status line shows an interpreter or thumbs.
    pub(super) in_status_line: bool,
    /// Whether Web Chat draws at least one action.
    pub(super) has_actions: bool,
    /// Whether newer versions have an abstract to draw in place of a text.
    pub(super) has_abstract: bool,
    /// Whether anything stands in `citation`, also what is no claim.
    pub(super) has_citation: bool,
}

/// The `type` of a Message entity.
const TYPE: &str = "https://schema.org/Message";

/// Message of schema.org and all its subclasses.
const MESSAGES: [&str; 2] = ["Message", "EmailMessage"];

/// The prefixes of a full schema.org type.
const PREFIXES: [&str; 3] = [TYPE_PREFIX, "http://schema.org/", "schema:"];

/// Whether a type is Message or a subclass, with any prefix.
pub(super) fn is_message_type(kind: &str) -> bool {
    let name = PREFIXES.iter().find_map(|prefix| kind.strip_prefix(prefix)).unwrap_or(kind);
    MESSAGES.contains(&name)
}

/// Whether Web Chat takes an entity for the Message thing, when none before it is one.
pub(super) fn is_read(entity: &Value) -> bool {
    let is_text = |key: &str| entity.get(key).is_some_and(Value::is_string);
    entity.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with(TYPE_PREFIX))
        && entity.get("@id").is_some_and(|id| id == "")
        && is_text("@type")
        && entity.get("@context").is_none_or(|context| context == CONTEXT)
}

/// Whether an entity is a schema.org thing, or was meant as one.
pub(super) fn is_schema_thing(entity: &Value) -> bool {
    ["type", "@type"].iter().any(|key| {
        entity
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(|kind| is_message_type(kind) || PREFIXES.iter().any(|prefix| kind.starts_with(prefix)))
    })
}

/// Whether a document or list item is a schema.org thing instead of an activity.
pub(super) fn is_bare_thing(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    value.get("@type").is_some() || PREFIXES.iter().any(|prefix| kind.starts_with(prefix))
}

/// Walks the entities in Web Chat's order, and reads the first Message entity.
pub(super) fn find<'v>(entities: &[Place<'v>], nodes: &BlankNodes<'v>, findings: &mut Findings) -> Option<Message<'v>> {
    let mut found: Option<Message<'v>> = None;
    let mut before_ours = None;
    for entity in entities {
        if found.is_some() {
            check_after(entity, findings);
            continue;
        }
        match judge(entity, findings) {
            Verdict::Ours => found = Some(read(entity, nodes, findings)),
            Verdict::Foreign => before_ours = before_ours.or(Some(entity)),
            Verdict::Nothing => {}
        }
    }
    if let (Some(_), Some(foreign)) = (&found, before_ours) {
        findings.add(
            code::MESSAGE_NOT_FIRST,
            &foreign.at,
            "This entity stands before the Message thing. It is well formed, so nothing breaks; put the Message thing \
             first, so that a faulty one from elsewhere cannot blank the message.",
        );
    }
    found
}

/// Reads a Message entity without an activity around it.
pub(super) fn check_bare<'v>(thing: &Place<'v>, nodes: &BlankNodes<'v>, findings: &mut Findings) {
    if matches!(judge(thing, findings), Verdict::Ours) {
        let message = read(thing, nodes, findings);
        claim::check_positions(&message.claims.read, |_| false, findings);
    }
}

enum Verdict {
    /// The Message entity.
    Ours,
    /// Another well-formed schema.org entity.
    Foreign,
    /// An entity that Web Chat ignores, or a broken entity that was reported.
    Nothing,
}

/// Classifies an entity before the Message entity is found.
fn judge(entity: &Place<'_>, findings: &mut Findings) -> Verdict {
    let Some(object) = entity.object() else {
        if entity.value.is_null() {
            findings.add(
                code::ENTITY_NULL,
                &entity.at,
                "Web Chat throws when it reads this: the message is blank in 4.18.1, and newer versions show neither it nor \
                 any later message. Remove it.",
            );
        }
        return Verdict::Nothing;
    };
    let kind = match object.get("type") {
        Some(Value::String(kind)) => Some(kind.as_str()),
        None | Some(Value::Null) => None,
        Some(_) => {
            findings.add(
                code::ENTITY_TYPE_NOT_STRING,
                &entity.at.key("type"),
                "Web Chat throws when it reads this `type`: the message is blank in 4.18.1, and newer versions show \
                 neither it nor any later message. Write a string.",
            );
            return Verdict::Nothing;
        }
    };
    if !kind.is_some_and(|kind| kind.starts_with(TYPE_PREFIX)) {
        if is_schema_thing(entity.value) || has_parts(entity.value) {
            let at = if kind.is_some() { entity.at.key("type") } else { entity.at.clone() };
            findings.add(
                code::MESSAGE_TYPE_WRONG,
                &at,
                "Web Chat ignores this thing: titles fall back to the Markdown, there are no labels and no interpreter, \
                 and no error. Write \"type\": \"https://schema.org/Message\" beside \"@type\": \"Message\".",
            );
        }
        return Verdict::Nothing;
    }
    let kind = kind.unwrap_or_default();
    let ours = is_message_type(kind) || object.get("@id").is_some_and(|id| id == "");
    if !is_well_formed(entity, ours, findings) {
        if is_message_type(kind) {
            check_id(entity, findings);
        }
        return Verdict::Nothing;
    }
    match kind {
        "https://schema.org/ReplyAction" | "https://schema.org/VoteAction" => findings.add(
            code::ROOT_ENTITY_DEPRECATED,
            &entity.at,
            "An old form that still works with a warning in the console. Use `claimInterpreter` and `potentialAction` \
             of the Message thing.",
        ),
        _ => {}
    }
    match object.get("@id").and_then(Value::as_str) {
        Some("") => Verdict::Ours,
        Some(_) | None if !is_message_type(kind) => Verdict::Foreign,
        Some(_) | None => {
            check_id(entity, findings);
            Verdict::Nothing
        }
    }
}

/// Reports a Message thing whose `@id` is not the empty text by which it is found.
fn check_id(entity: &Place<'_>, findings: &mut Findings) {
    match entity.value.get("@id") {
        Some(Value::String(id)) if !id.is_empty() => findings.add(
            code::MESSAGE_ID_NOT_EMPTY,
            &entity.at.key("@id"),
            format!(
                "The Message thing is found by an empty `@id`; with {id:?} it is ignored: no titles, no labels, no \
                 interpreter, no error. Write \"@id\": \"\"."
            ),
        ),
        None => findings.add(
            code::MESSAGE_ID_MISSING,
            &entity.at,
            "The Message thing is found by an empty `@id`; without it, it is ignored: of its titles, passages, labels and \
             interpreter users see none, and there is no error. Write \"@id\": \"\", and see that your serializer does not drop \
             empty strings.",
        ),
        Some(_) => {}
    }
}

/// Whether Web Chat can read the entity without an exception.
fn is_well_formed(entity: &Place<'_>, ours: bool, findings: &mut Findings) -> bool {
    let effect = "the message is blank in 4.18.1, and newer versions show neither it nor any later message";
    let mut is_well_formed = true;
    let mut fault = |rule, at: Pointer, cause: &str, remedy: &str| {
        let rule = if ours { rule } else { code::FOREIGN_ENTITY_FATAL };
        findings.add(rule, &at, format!("{cause}: {effect}. {remedy}"));
        is_well_formed = false;
    };
    if entity.value.get("@context").is_some_and(|context| context != CONTEXT) {
        fault(
            code::MESSAGE_CONTEXT_WRONG,
            entity.at.key("@context"),
            "Web Chat accepts the context \"https://schema.org\" only, letter by letter",
            "Write exactly that, with `https` and without a slash at the end.",
        );
    }
    if !entity.value.get("@type").is_some_and(Value::is_string) {
        fault(
            code::MESSAGE_AT_TYPE_MISSING,
            entity.at.clone(),
            "Web Chat throws when a schema.org entity has no string `@type`",
            "Add \"@type\": \"Message\" to the Message thing, and the type's name to others.",
        );
    }
    if entity.value.get("@id").is_some_and(|id| !id.is_string()) {
        fault(
            code::MESSAGE_ID_NOT_STRING,
            entity.at.key("@id"),
            "Web Chat throws when `@id` is not a string",
            "Write \"@id\": \"\" in the Message thing, and a string or nothing in others.",
        );
    }
    is_well_formed
}

/// Checks an entity behind the Message entity, which Web Chat never validates.
fn check_after(entity: &Place<'_>, findings: &mut Findings) {
    let kind = entity.text("type").unwrap_or_default();
    let is_read = kind.starts_with(TYPE_PREFIX) && (is_message_type(kind) || entity.text("@id") == Some(""));
    if is_read {
        findings.add(
            code::MESSAGE_SECOND,
            &entity.at,
            "Only the first Message thing is read, even when it is empty: users see nothing of this one. Merge them.",
        );
    }
}

fn read<'v>(thing: &Place<'v>, nodes: &BlankNodes<'v>, findings: &mut Findings) -> Message<'v> {
    if thing.text("@type") != Some("Message") {
        findings.add(
            code::MESSAGE_TYPE_UNUSUAL,
            &thing.at.key("@type"),
            "Web Chat does not look at this name today; other readers of the graph do. Write \"Message\".",
        );
    }
    if let Some(kind) = thing.member("type").filter(|kind| kind.value != TYPE) {
        findings.add(
            code::MESSAGE_TYPE_UNUSUAL,
            &kind.at,
            format!(
                "Web Chat takes any type of schema.org for the Message thing when its `@id` is empty; other readers, \
                 Teams among them, do not. Write \"type\": {TYPE:?}."
            ),
        );
    }
    let claims = claim::check(thing, nodes, findings);
    let label = thing.one("usageInfo").and_then(|written| {
        let body = nodes.follow(written.clone())?;
        label::check(&body, findings);
        Some(written.at)
    });
    let has_actions = action::check(thing, findings);
    let keywords = thing.many("keywords");
    if keywords.iter().any(|keyword| keyword.value == "Collapsible") && thing.some_text("abstract").is_none() {
        findings.add(
            code::COLLAPSIBLE_WITHOUT_ABSTRACT,
            &thing.at.key("keywords"),
            "Newer versions fold the text and show `abstract` in its place, and there is none. Add it.",
        );
    }
    let first = thing.many("citation").into_iter().next().and_then(|claim| nodes.follow(claim));
    let has_interpreter = first.is_some_and(|claim| claim.member("claimInterpreter").is_some());
    let has_citation = !thing.many("citation").is_empty();
    let has_abstract = thing.some_text("abstract").is_some();
    Message { claims, label, in_status_line: has_interpreter || has_actions, has_actions, has_abstract, has_citation }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited, cited_with, cited_without, found};

    #[test]
    fn what_makes_web_chat_throw_is_an_error_with_its_own_code() {
        for odd in
            [json!("http://schema.org"), json!("https://schema.org/"), json!(["https://schema.org"]), json!(null)]
        {
            let document = cited_with("/entities/0/@context", odd);
            assert_finds(&document, "message-context-wrong", "/entities/0/@context");
        }
        assert_finds(&cited_with("/entities/0/@id", json!(null)), "message-id-not-string", "/entities/0/@id");
        assert_finds(&cited_without("/entities/0/@type"), "message-at-type-missing", "/entities/0");
        assert_finds(&cited_with("/entities/0/type", json!(1)), "entity-type-not-string", "/entities/0/type");
        assert_eq!(found(&cited_without("/entities/0/@context")), []);
    }

    #[test]
    fn what_makes_web_chat_ignore_the_message_is_an_error_too() {
        assert_finds(&cited_without("/entities/0/@id"), "message-id-missing", "/entities/0");
        assert_finds(&cited_with("/entities/0/@id", json!("x")), "message-id-not-empty", "/entities/0/@id");
        assert_finds(&cited_without("/entities/0/type"), "message-type-wrong", "/entities/0");
        assert_finds(&cited_with("/entities/0/type", json!("Message")), "message-type-wrong", "/entities/0/type");
    }

    #[test]
    fn entities_around_the_message_are_judged_by_their_place() {
        let beside = |before: bool, other: serde_json::Value| {
            let mut document = cited();
            let entities = document["entities"].as_array_mut().expect("a list");
            if before {
                entities.insert(0, other);
            } else {
                entities.push(other);
            }
            document
        };
        let odd = json!({"type": "https://schema.org/WebPage", "@context": "x", "@type": "WebPage"});
        assert_finds(&beside(true, odd.clone()), "foreign-entity-fatal", "/entities/0/@context");
        assert_eq!(found(&beside(false, odd)), []);
        let sound = json!({"type": "https://schema.org/WebPage", "@type": "WebPage"});
        assert_finds(&beside(true, sound), "message-not-first", "/entities/0");
        assert_finds(&beside(false, cited()["entities"][0].clone()), "message-second", "/entities/1");
        let claim = json!({"type": "https://schema.org/Claim", "@type": "Claim", "@id": "https://docs.example/1"});
        assert_finds(&beside(false, claim), "claim-at-root", "/entities/1");
        let mut twice = cited_without("/entities/0/@id");
        twice["entities"][0].as_object_mut().expect("a thing").remove("@type");
        assert_finds(&twice, "message-at-type-missing", "/entities/0");
        assert_finds(&twice, "message-id-missing", "/entities/0");
        let vote = json!({"type": "https://schema.org/VoteAction", "@type": "VoteAction", "actionOption": "upvote"});
        assert_finds(&beside(true, vote), "root-entity-deprecated", "/entities/0");
        assert_finds(&beside(true, json!("x")), "entity-not-object", "/entities/0");
        assert_finds(&beside(false, json!("x")), "entity-not-object", "/entities/1");
    }

    #[test]
    fn a_folded_message_needs_an_abstract_and_a_message_its_own_name() {
        let keywords = "/entities/0/keywords";
        assert_finds(&cited_with(keywords, json!(["Collapsible"])), "collapsible-without-abstract", keywords);
        let kind = "/entities/0/@type";
        assert_finds(&cited_with(kind, json!("EmailMessage")), "message-type-unusual", kind);
    }

    /// Once, `type: https://schema.org/EmailMessage` passed, but the same word in `@type` was a finding.
    #[test]
    fn a_subclass_of_message_is_a_finding_however_it_is_written() {
        let (kind, at_type) = ("/entities/0/type", "/entities/0/@type");
        assert_finds(&cited_with(kind, json!("https://schema.org/EmailMessage")), "message-type-unusual", kind);
        for written in ["https://schema.org/EmailMessage", "http://schema.org/EmailMessage", "schema:EmailMessage"] {
            assert_finds(&cited_with(at_type, json!(written)), "message-type-unusual", at_type);
        }
        for written in ["http://schema.org/EmailMessage", "schema:EmailMessage", "EmailMessage"] {
            let mut both = cited_with(kind, json!(written));
            both["entities"][0]["@type"] = json!(written);
            assert_finds(&both, "message-type-wrong", kind);
        }
        let mut named = cited_with("/entities/0/@id", json!("x"));
        named["entities"][0]["type"] = json!("https://schema.org/EmailMessage");
        assert_finds(&named, "message-id-not-empty", "/entities/0/@id");
    }
}
