//! Mends what Teams refuses or shows wrongly.

use serde_json::{Value, json};

use super::definition::without;
use super::pointers::{activity, add, claims, member, object, position};
use crate::address::Scheme;
use crate::definition::Definition;
use crate::finding::Finding;
use crate::link_label::is_number;
use crate::markdown::Markdown;
use crate::stream_info::is_meant;
use citewire_core::graph::ICONS;

const MAX_NAME: usize = 80;
const MAX_ABSTRACT: usize = 480;
const AI_LABEL: &str = "AIGeneratedContent";

/// Mends `finding`, and tells the change.
pub(super) fn mend(document: &mut Value, finding: &Finding) -> Option<String> {
    let at = finding.pointer.as_str();
    match finding.code {
        "teams-feedback-invalid" => feedback(document, at),
        "teams-claim-type-wrong" => kind(document, at, "Claim"),
        "teams-appearance-type-wrong" => kind(document, at, "DigitalDocument"),
        "teams-position-text" => number(document, at),
        "teams-positions-out-of-order" => sorted(document, at),
        "teams-name-missing" => name(document, at),
        "teams-name-too-long" => cut(document, at, MAX_NAME),
        "teams-abstract-too-long" => cut(document, at, MAX_ABSTRACT),
        "teams-keywords-too-many" => keywords(document, at),
        "teams-icon-unknown" => icon(document, at),
        "teams-card-incomplete" => card(document, at),
        "teams-ai-label-misplaced" => {
            add(object(document, at.strip_suffix("/keywords")?)?, "additionalType", json!([AI_LABEL]))?;
            Some("added `additionalType`".into())
        }
        "teams-ai-label-malformed" => {
            let value = document.pointer_mut(at)?;
            (*value == AI_LABEL).then(|| *value = json!([AI_LABEL]))?;
            Some("made it a list".into())
        }
        "teams-label-incomplete" => label_kind(document, at),
        "teams-label-without-twin" => twin(document, at),
        "teams-definition-in-text" => definition(document, at),
        "teams-markers-joined" => markers(document, at),
        _ => None,
    }
}

fn kind(document: &mut Value, at: &str, kind: &str) -> Option<String> {
    object(document, at)?.insert("@type".into(), json!(kind));
    Some(format!("`@type` is {kind:?}"))
}

/// Writes the older form of feedback and a kind beside it as the present form.
fn feedback(document: &mut Value, at: &str) -> Option<String> {
    let kind = member(document, at)?;
    if !matches!(kind.key.as_str(), "type" | "feedbackLoopType") || kind.object.get("feedbackLoopEnabled")? != true {
        return None;
    }
    let value = crate::feedback::kind(&kind.object.remove(&kind.key)?)?;
    kind.object.remove("feedbackLoopEnabled");
    add(kind.object, "feedbackLoop", json!({"type": value}))?;
    Some(format!("wrote `feedbackLoopEnabled` and `{}` as `feedbackLoop`", kind.key))
}

fn number(document: &mut Value, at: &str) -> Option<String> {
    let value = document.pointer_mut(at)?;
    let number: u64 = value.as_str()?.parse().ok()?;
    *value = json!(number);
    Some("`position` is a number".into())
}

fn sorted(document: &mut Value, at: &str) -> Option<String> {
    let (claim, _) = at.rsplit_once('/')?;
    let (list, _) = claim.rsplit_once('/')?;
    let list = document.pointer_mut(list)?.as_array_mut()?;
    list.sort_by_key(|claim| claim["position"].as_u64().unwrap_or(u64::MAX));
    Some("sorted the claims by position".into())
}

/// Takes the host of the address, or the number of the document.
fn name(document: &mut Value, at: &str) -> Option<String> {
    let claim = document.pointer(at.strip_suffix("/appearance")?)?.as_object()?;
    let number = position(claim);
    // A name in the wrong place is moved, and no other is made up.
    if claim.get("name").is_some_and(Value::is_string) {
        return None;
    }
    let appearance = object(document, at)?;
    let address = appearance.get("url").and_then(Value::as_str).and_then(|url| url::Url::parse(url).ok());
    let host = address.and_then(|address| address.host_str().map(ToOwned::to_owned));
    let name = host.or_else(|| number.map(|number| format!("Document {number}")))?;
    appearance.insert("name".into(), json!(name));
    Some(format!("`name` is {name:?}"))
}

/// Cuts a text at a word, so that with its ellipsis it has at most `limit` characters in UTF-16.
fn cut(document: &mut Value, at: &str, limit: usize) -> Option<String> {
    let value = document.pointer_mut(at)?;
    let text = value.as_str()?.to_owned();
    let mut length = 0;
    let fits = |(_, c): &(usize, char)| {
        length += c.len_utf16();
        length < limit
    };
    let end = text.char_indices().take_while(fits).last().map_or(0, |(index, c)| index + c.len_utf8());
    let kept = &text[..end];
    let kept = kept.rfind(char::is_whitespace).filter(|at| *at > end / 2).map_or(kept, |at| &kept[..at]);
    let lost = text.chars().count() - kept.chars().count();
    *value = json!(format!("{}…", kept.trim_end()));
    Some(format!("cut {lost} characters, because Teams refuses the message otherwise"))
}

fn keywords(document: &mut Value, at: &str) -> Option<String> {
    let list = document.pointer_mut(at)?.as_array_mut()?;
    let lost = list.split_off(3);
    Some(format!("removed the keywords {}, because Teams refuses more than three", Value::Array(lost)))
}

fn icon(document: &mut Value, at: &str) -> Option<String> {
    let image = &at[..at.rfind("/image")? + "/image".len()];
    if let Some(known) = object(document, image).and_then(|icon| known_icon(icon)) {
        let icon = object(document, image)?;
        icon.remove("type");
        icon.insert("@type".into(), json!("ImageObject"));
        icon.insert("name".into(), json!(known));
        return Some(format!("the icon is an `ImageObject` with the name {known:?}"));
    }
    let member = member(document, image)?;
    member.object.remove(&member.key)?;
    Some("removed the icon".into())
}

/// The name of Teams' list that an icon means, in another case or without its maker.
fn known_icon(icon: &serde_json::Map<String, Value>) -> Option<&'static str> {
    let name = icon.get("name")?.as_str()?.trim();
    let is_meant = |known: &&&str| {
        let short = ["Microsoft ", "Adobe "].iter().find_map(|maker| known.strip_prefix(maker)).unwrap_or(known);
        known.eq_ignore_ascii_case(name) || short.eq_ignore_ascii_case(name)
    };
    ICONS.iter().find(is_meant).copied()
}

/// Puts a passage into the abstract, and removes the format of a card that is not there.
fn card(document: &mut Value, at: &str) -> Option<String> {
    let member = member(document, at)?;
    if member.key == "encodingFormat" {
        member.object.remove("encodingFormat")?;
        return Some("removed `encodingFormat`".into());
    }
    let passage = member.object.get("text")?.clone();
    let is_same = member.object.get("abstract") == Some(&passage);
    if !is_same {
        add(member.object, "abstract", passage)?;
    }
    member.object.remove("text");
    Some("moved `text` into `abstract`".into())
}

fn label_kind(document: &mut Value, at: &str) -> Option<String> {
    let label = object(document, at)?;
    let is_text = |key: &str| label.get(key).is_some_and(|text| text.as_str().is_some_and(|text| !text.is_empty()));
    is_text("name").then(|| label.insert("@type".into(), json!("CreativeWork")))?;
    Some("`@type` is \"CreativeWork\"".into())
}

fn twin(document: &mut Value, at: &str) -> Option<String> {
    let label = document.pointer(at.strip_suffix("/@id")?)?.clone();
    let message = &at[..at.rfind("/citation/")?];
    add(object(document, message)?, "usageInfo", label)?;
    Some("gave the Message the same label".into())
}

/// Moves the address of a definition into its claim, and the definition out of the text. Not in a stream, where the texts before
/// and behind go on from each other.
fn definition(document: &mut Value, at: &str) -> Option<String> {
    let activity = document.pointer_mut(activity(at))?;
    let entities = activity.get("entities").and_then(Value::as_array);
    let is_streamed = entities.is_some_and(|entities| entities.iter().any(is_meant));
    if is_streamed || activity.pointer("/channelData/streamType").is_some() {
        return None;
    }
    let text = activity.get("text")?.as_str()?.to_owned();
    let found = Markdown::read(&text).definitions;
    let mut numbered = found.iter().filter(|definition| is_number(&definition.label));
    let (moved, told) = numbered.find_map(|definition| Some((definition, claimed(activity, definition)?)))?;
    let rest = without(&text, &moved.span);
    activity["text"] = json!(rest.trim_end());
    Some(told)
}

/// Gives the claim of a definition its address and title, unless the claim has another address, and tells the change.
fn claimed(activity: &mut Value, definition: &Definition) -> Option<String> {
    let is_web = Scheme::of(&definition.url) == Scheme::Web;
    let mut claims = claims(activity);
    let claim = claims.iter_mut().find(|claim| position(claim).as_deref() == Some(definition.label.as_str()))?;
    let appearance = claim.get_mut("appearance")?.as_object_mut()?;
    match appearance.get("url") {
        Some(url) => (*url == definition.url).then_some(()),
        None if is_web => add(appearance, "url", json!(definition.url)),
        None => None,
    }?;
    let told = format!("moved the definition of [{}] into its claim", definition.label);
    let Some(title) = &definition.title else { return Some(told) };
    match appearance.get("name").filter(|name| !name.is_null() && **name != "") {
        Some(name) if name == title => Some(told),
        Some(name) => Some(format!("{told}, and dropped its title {title:?}, because the claim has the name {name}")),
        None => {
            appearance.insert("name".into(), json!(title));
            Some(told)
        }
    }
}

/// Writes `[1, 2]` as `[1][2]`, if both are claimed.
fn markers(document: &mut Value, at: &str) -> Option<String> {
    let activity = document.pointer_mut(activity(at))?;
    let claimed: Vec<u64> = claims(activity).iter().filter_map(|claim| position(claim)?.parse().ok()).collect();
    let text = activity.get("text")?.as_str()?.to_owned();
    let joined = Markdown::read(&text).joined;
    let rewritten = crate::joined::parted(&text, &joined, "", |number| claimed.contains(&number));
    activity["text"] = json!(rewritten);
    Some("wrote each number in brackets of its own".into())
}
