//! Mends envelopes and entities: members with one right value, names with a typing error, and places.

use serde_json::{Value, json};

use super::citation;
use super::misplaced;
use super::pointers::{Member, activity, add, member, name, object};
use crate::feedback::request;
use crate::finding::Finding;
use crate::markdown::Markdown;
use crate::message::is_message_type;
use crate::place::CONTEXT;
use crate::stream_info;
use crate::suggested_actions;
use crate::terms;
use crate::wrapped;

const TYPE: &str = "https://schema.org/Message";

/// Mends `finding`, and tells the change.
pub(super) fn mend(document: &mut Value, finding: &Finding) -> Option<String> {
    let at = finding.pointer.as_str();
    match finding.code {
        "activity-type-missing" => typed(document, at),
        "text-format-plain" | "text-format-unusual" | "teams-text-format" => set(document, at, json!("markdown")),
        "plain-text-markup" => formatted(document, at),
        "entities-not-list" => listed(document, at),
        "teams-citation-not-list" => citation::listed(document, at),
        "message-wrapped" => unwrapped(document, at),
        "entity-null" | "entity-not-object" => unwrapped(document, at).or_else(|| without_null(document, at)),
        "message-context-wrong" => set(document, at, json!(CONTEXT)),
        "message-id-missing" => empty_id(document, at),
        "message-id-not-string" => empty_id(document, at.strip_suffix("/@id")?),
        "message-id-not-empty" | "teams-id-not-empty" => set(document, at, json!("")),
        "message-at-type-missing" => set(document, &format!("{at}/@type"), json!("Message")),
        "message-type-wrong" | "message-type-unusual" | "teams-message-malformed" => message(document, at),
        "foreign-entity-fatal" | "message-not-first" => first(document, at),
        "message-second" | "teams-message-second" => citation::merged(document, at),
        "message-misplaced" => misplaced::moved(document, at),
        "suggested-actions-malformed" => buttons(document, at),
        "feedback-misplaced" => feedback(document, at),
        "nested-context-wrong"
        | "claim-name-empty"
        | "fallback-text-empty"
        | "interpreter-scheme-unsafe"
        | "teams-ai-label-empty"
        | "teams-feedback-twice" => removed(document, at),
        "nested-type-missing" => nested_type(document, at),
        "nested-id-not-string" => id_as_text(document, at),
        "term-misspelt" | "citation-misspelt" => term(document, at),
        "member-misspelt" => renamed(document, at, terms::surely_meant_member),
        "iri-invalid" | "node-id-invalid" if !at.ends_with("/text") => encoded(document, at),
        "label-lock-missing" => lock(document, at),
        "label-pattern-invalid" => pattern(document, at),
        "label-color-dangerous" => removed(document, at.strip_suffix("/termCode")?),
        "stream-entity-misspelt" => set(document, at, json!(stream_info::ENTITY)),
        "stream-type-unknown" => stream_type(document, at),
        "stream-final-typing" => withdrawn(document, at),
        "stream-final-with-sequence" | "teams-stream-final-with-sequence" => without_sequence(document, at),
        "stream-first-without-id" | "stream-second-without-id" => stream_id(document, at),
        "stream-only-in-entities" => stream_in_data(document, at),
        "teams-stream-only-in-channel-data" => stream_in_entities(document, at),
        _ => None,
    }
}

/// Writes a known `streamType` in lower case, wherever the activity has it.
fn stream_type(document: &mut Value, at: &str) -> Option<String> {
    let written = document.pointer(at)?.as_str()?.to_owned();
    let known = written.trim().to_ascii_lowercase();
    if !["informative", "streaming", "final"].contains(&&*known) {
        return None;
    }
    let owner = activity(at).to_owned();
    let twin = document.pointer_mut(&format!("{owner}/channelData/streamType"));
    if let Some(twin) = twin.filter(|twin| **twin == written) {
        *twin = json!(known);
    }
    set(document, at, json!(known))
}

/// Sets a member to its only right value.
fn set(document: &mut Value, at: &str, value: Value) -> Option<String> {
    let member = member(document, at)?;
    let told = format!("`{}` is {value}", member.key);
    member.object.insert(member.key, value);
    Some(told)
}

/// Writes the format of a text that is Markdown throughout.
fn formatted(document: &mut Value, at: &str) -> Option<String> {
    let text = document.pointer(at.strip_suffix("/textFormat")?)?.get("text")?.as_str()?;
    // Markdown reads a backslash, which a plain text has as a part of a path.
    (Markdown::read(text).html.is_empty() && !text.contains('\\')).then(|| set(document, at, json!("markdown")))?
}

fn removed(document: &mut Value, at: &str) -> Option<String> {
    let member = member(document, at)?;
    member.object.remove(&member.key)?;
    Some(format!("removed `{}`", member.key))
}

fn typed(document: &mut Value, at: &str) -> Option<String> {
    let activity = object(document, at)?;
    let is_message = activity.get("text").is_some_and(Value::is_string) || activity.contains_key("entities");
    let is_absent = activity.get("type").is_none_or(|kind| kind.is_null() || kind == "");
    if !is_message || !is_absent {
        return None;
    }
    activity.insert("type".into(), json!("message"));
    Some("`type` is \"message\"".into())
}

fn listed(document: &mut Value, at: &str) -> Option<String> {
    let value = document.pointer_mut(at)?;
    value.is_object().then(|| *value = json!([value.take()]))?;
    Some("made it a list of one".into())
}

fn without_null(document: &mut Value, at: &str) -> Option<String> {
    let (list, index) = at.rsplit_once('/')?;
    let list = document.pointer_mut(list)?.as_array_mut()?;
    let index: usize = index.parse().ok()?;
    list.get(index)?.is_null().then(|| list.remove(index))?;
    Some("removed `null`".into())
}

/// Puts the entities of a list or a string in its place.
fn unwrapped(document: &mut Value, at: &str) -> Option<String> {
    let (list, index) = at.rsplit_once('/')?;
    let list = document.pointer_mut(list)?.as_array_mut()?;
    let index: usize = index.parse().ok()?;
    let entities = wrapped::unwrapped(list.get(index)?)?;
    list.splice(index..=index, entities);
    Some("wrote the entity itself in place of the list or string around it".into())
}

/// Writes the names of a Message entity.
fn message(document: &mut Value, at: &str) -> Option<String> {
    let at = ["/type", "/@type", "/@context"].iter().find_map(|key| at.strip_suffix(key)).unwrap_or(at);
    let thing = object(document, at)?;
    let is_message = |key: &str| thing.get(key).and_then(Value::as_str).is_some_and(is_message_type);
    // A label, for instance, is no Message, whatever stands in `type`.
    let is_other = |kind: &str| terms::is_known_type(kind) && !is_message_type(kind);
    if thing.get("@type").and_then(Value::as_str).is_some_and(is_other) {
        return None;
    }
    let is_absent = |key: &str| thing.get(key).is_none_or(Value::is_null);
    let says_nothing = is_absent("type") && is_absent("@type");
    if !is_message("type") && !is_message("@type") && !says_nothing {
        return None;
    }
    for (key, value) in [("type", TYPE), ("@type", "Message"), ("@context", CONTEXT)] {
        thing.insert(key.into(), json!(value));
    }
    Some(format!("the entity has `type` {TYPE:?}, `@type` \"Message\" and `@context` {CONTEXT:?}"))
}

/// Puts the Message entity first.
fn first(document: &mut Value, at: &str) -> Option<String> {
    let entities = document.pointer_mut(&format!("{}/entities", activity(at)))?.as_array_mut()?;
    let is_ours = |entity: &Value| entity["type"].as_str().is_some_and(is_message_type) && entity["@id"] == "";
    let index = entities.iter().position(is_ours).filter(|index| *index > 0)?;
    let ours = entities.remove(index);
    entities.insert(0, ours);
    Some("put the Message entity first".into())
}

fn buttons(document: &mut Value, at: &str) -> Option<String> {
    let end = at.find("/suggestedActions")? + "/suggestedActions".len();
    let written = document.pointer_mut(&at[..end])?;
    *written = suggested_actions::mended(written)?;
    Some("wrote the suggested actions as a list of buttons".into())
}

/// Moves a request for thumbs to where clients read it.
fn feedback(document: &mut Value, at: &str) -> Option<String> {
    let Member { object: from, key } = member(document, at)?;
    let request = request(&from.remove(&key)?)?;
    let owner = object(document, activity(at))?;
    add(owner, "channelData", json!({}));
    add(owner.get_mut("channelData")?.as_object_mut()?, "feedbackLoop", request)?;
    Some(format!("moved `{key}` to `feedbackLoop` in `channelData`"))
}

/// Writes the empty name by which a Message is found, under which it may stand as `id` already.
fn empty_id(document: &mut Value, at: &str) -> Option<String> {
    let thing = object(document, at)?;
    match thing.get("id") {
        Some(id) if id == "" => {
            thing.remove("id");
            thing.insert("@id".into(), json!(""));
            Some("`id` is `@id`".into())
        }
        // JSON-LD takes both for one member, which would have two values.
        Some(id) if !id.is_null() => None,
        Some(_) | None => set(document, &format!("{at}/@id"), json!("")),
    }
}

/// Writes the final of a stream that is taken back in the form that all versions of Web Chat understand.
fn withdrawn(document: &mut Value, at: &str) -> Option<String> {
    let last = object(document, at)?;
    last.insert("type".into(), json!("message"));
    last.insert("text".into(), json!(""));
    Some("`type` is \"message\", and `text` \"\"".into())
}

fn nested_type(document: &mut Value, at: &str) -> Option<String> {
    if at.ends_with("/citation") && citation::is_keyed(document.pointer(at)?) {
        return citation::unkeyed(document, at);
    }
    let kind = match name(at) {
        "citation" => "Claim",
        "appearance" => "DigitalDocument",
        "usageInfo" => "CreativeWork",
        "claimInterpreter" => "Project",
        "pattern" => "DefinedTerm",
        _ => return None,
    };
    object(document, at)?.insert("@type".into(), json!(kind));
    Some(format!("`@type` is {kind:?}"))
}

fn id_as_text(document: &mut Value, at: &str) -> Option<String> {
    let Some(id) = crate::place::printed(document.pointer(at)?) else { return removed(document, at) };
    set(document, at, json!(id))
}

fn term(document: &mut Value, at: &str) -> Option<String> {
    let member = member(document, at)?;
    if !matches!(member.key.as_str(), "type" | "@type") {
        return renamed(document, at, terms::meant);
    }
    let written = member.object.get(&member.key)?.as_str()?;
    let start = written.rfind(['/', ':']).map_or(0, |end| end + 1);
    let kind = format!("{}{}", &written[..start], terms::meant(&written[start..])?);
    set(document, at, json!(kind))
}

fn renamed(document: &mut Value, at: &str, meant: fn(&str) -> Option<&'static str>) -> Option<String> {
    let member = member(document, at)?;
    let meant = meant(&member.key)?;
    if member.object.get(meant).is_some_and(|value| !value.is_null()) {
        return None;
    }
    let value = member.object.remove(&member.key)?;
    member.object.insert(meant.to_owned(), value);
    Some(format!("`{}` is `{meant}`", member.key))
}

/// An address in which the signs that no address may have are percent-encoded.
pub(super) fn percent_encoded(address: &str) -> String {
    let mut encoded = String::with_capacity(address.len());
    for c in address.chars() {
        if c.is_control() || c == ' ' || "<>\"{}|\\^`".contains(c) {
            c.to_string().bytes().for_each(|byte| encoded.push_str(&format!("%{byte:02X}")));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

fn encoded(document: &mut Value, at: &str) -> Option<String> {
    let value = document.pointer_mut(at)?;
    if let Some(name) = value.as_str()?.strip_prefix(":_") {
        *value = json!(format!("_:{name}"));
        return Some(format!("`@id` is {value}"));
    }
    let encoded = percent_encoded(value.as_str()?);
    crate::expand::resolve(&encoded)?;
    *value = json!(encoded);
    Some("percent-encoded it".into())
}

fn lock(document: &mut Value, at: &str) -> Option<String> {
    let keywords = document.pointer_mut(at)?;
    if !keywords.is_array() {
        *keywords = json!([keywords.take()]);
    }
    keywords.as_array_mut()?.push(json!("encrypted-content"));
    Some("added the keyword \"encrypted-content\"".into())
}

fn pattern(document: &mut Value, at: &str) -> Option<String> {
    let pattern = object(document, at)?;
    pattern.get("termCode").filter(|code| code.is_string())?;
    pattern.insert("inDefinedTermSet".into(), json!("https://www.w3.org/TR/css-color-4/"));
    pattern.insert("name".into(), json!("color"));
    Some("`pattern` is a color".into())
}

/// The objects with the stream metadata of an activity.
fn infos(activity: &mut Value) -> Vec<&mut serde_json::Map<String, Value>> {
    let Some(activity) = activity.as_object_mut() else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in activity {
        if key == "channelData" {
            found.extend(value.as_object_mut().filter(|data| data.contains_key("streamType")));
        } else if key == "entities"
            && let Some(entities) = value.as_array_mut()
        {
            let infos = entities.iter_mut().filter(|entity| stream_info::is_meant(entity));
            found.extend(infos.filter_map(Value::as_object_mut));
        }
    }
    found
}

fn without_sequence(document: &mut Value, at: &str) -> Option<String> {
    for info in infos(document.pointer_mut(activity(at))?) {
        info.remove("streamSequence");
    }
    Some("removed `streamSequence`".into())
}

fn stream_id(document: &mut Value, at: &str) -> Option<String> {
    let activity = document.pointer_mut(activity(at))?;
    let id = activity.get("id")?.as_str()?.to_owned();
    for info in infos(activity) {
        info.insert("streamId".into(), json!(id));
    }
    Some(format!("`streamId` is the activity's own id, {id:?}"))
}

/// Copies the stream metadata from the entity.
fn stream_in_data(document: &mut Value, at: &str) -> Option<String> {
    let mut info = document.pointer(at)?.as_object()?.clone();
    info.remove("type");
    let owner = object(document, activity(at))?;
    add(owner, "channelData", json!({}));
    let data = owner.get_mut("channelData")?.as_object_mut()?;
    for (key, value) in info {
        add(data, &key, value);
    }
    Some("copied the stream metadata into `channelData`".into())
}

/// Copies the stream metadata into an entity.
fn stream_in_entities(document: &mut Value, at: &str) -> Option<String> {
    let data = document.pointer(at)?.as_object()?.clone();
    let mut info = json!({"type": "streaminfo"});
    for key in ["streamType", "streamId", "streamSequence"] {
        if let Some(value) = data.get(key) {
            info[key] = value.clone();
        }
    }
    let owner = object(document, activity(at))?;
    add(owner, "entities", json!([]));
    owner.get_mut("entities")?.as_array_mut()?.push(info);
    Some("copied the stream metadata into an entity".into())
}
