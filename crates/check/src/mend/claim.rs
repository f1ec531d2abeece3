//! Mends claims: positions, passages, and members in the wrong place.

use serde_json::{Value, json};

use super::pointers::{activity, add, claim, member, object, position};
use crate::address::Scheme;
use crate::definition::Definition;
use crate::finding::Finding;
use crate::link_label::normal_label;
use crate::markdown::Markdown;

/// Mends `finding`, and tells the change.
pub(super) fn mend(document: &mut Value, finding: &Finding) -> Option<String> {
    let at = finding.pointer.as_str();
    match finding.code {
        "position-unmatchable" => matching(document, at),
        "claim-member-misplaced" => into_appearance(document, at),
        "appearance-missing" => appearance(document, at),
        "appearance-url-missing" => url(document, at),
        "passage-missing" => passage(document, at),
        "passage-empty" => passage(document, at.strip_suffix("/text")?),
        "passage-active" => harmless(document, at),
        "interpreter-not-first" => interpreter(document, at),
        "claims-merge" => own_id(document, at),
        _ => None,
    }
}

fn matching(document: &mut Value, at: &str) -> Option<String> {
    let value = document.pointer_mut(at)?;
    let mut label = normal_label(value.as_str()?);
    if label.bytes().all(|byte| byte.is_ascii_digit()) && label.len() > 1 {
        label = label.trim_start_matches('0').to_owned();
    }
    (!label.is_empty()).then(|| *value = json!(label))?;
    Some(format!("`position` is {label:?}"))
}

fn into_appearance(document: &mut Value, at: &str) -> Option<String> {
    let member = member(document, at)?;
    add(member.object, "appearance", json!({"@type": "DigitalDocument"}));
    let value = member.object.get(&member.key)?.clone();
    let appearance = member.object.get_mut("appearance")?.as_object_mut()?;
    add(appearance, &member.key, value)?;
    member.object.remove(&member.key);
    Some(format!("moved `{}` into `appearance`", member.key))
}

/// The definition that the claim around `at` describes.
fn definition(document: &Value, at: &str) -> Option<Definition> {
    let claim = document.pointer(claim(at)?)?.as_object()?;
    let position = position(claim)?;
    let text = document.pointer(activity(at))?.get("text")?.as_str()?;
    let markdown = Markdown::read(text);
    markdown.listed().find(|definition| !definition.loser && definition.label == position).cloned()
}

fn appearance(document: &mut Value, at: &str) -> Option<String> {
    let definition = definition(document, at)?;
    if Scheme::of(&definition.url) != Scheme::Web {
        return None;
    }
    let mut appearance = json!({"@type": "DigitalDocument", "url": definition.url});
    if let Some(title) = definition.title.filter(|title| !title.is_empty()) {
        appearance["name"] = json!(title);
    }
    add(object(document, at)?, "appearance", appearance)?;
    Some("wrote an `appearance` with title and address of the definition".into())
}

fn url(document: &mut Value, at: &str) -> Option<String> {
    let url = definition(document, at)?.url;
    (Scheme::of(&url) == Scheme::Web).then(|| add(object(document, at)?, "url", json!(url)))??;
    Some(format!("`url` is that of the definition, {url:?}"))
}

/// Takes the abstract for the passage, or the address of the definition.
fn passage(document: &mut Value, at: &str) -> Option<String> {
    let address = definition(document, at).map(|definition| definition.url);
    let appearance = object(document, at)?;
    if let Some(address) = address.filter(|address| Scheme::of(address) == Scheme::Web) {
        add(appearance, "url", json!(address))?;
        return Some("`url` is that of the definition".into());
    }
    let is_absent = appearance.get("text").is_none_or(|text| text.as_str().is_some_and(|text| text.trim().is_empty()));
    let summary = appearance.get("abstract")?.as_str().filter(|text| !text.trim().is_empty())?;
    let text = escaped(summary);
    is_absent.then(|| appearance.insert("text".into(), json!(text)))?;
    Some("`text` is the abstract".into())
}

/// A plain text as Markdown without links, images and HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('[', "\\[")
}

fn harmless(document: &mut Value, at: &str) -> Option<String> {
    let value = document.pointer_mut(at)?;
    let text = super::passage::as_markdown(value.as_str()?)?;
    *value = json!(text);
    Some("wrote the HTML and the images of the passage as Markdown".into())
}

fn interpreter(document: &mut Value, at: &str) -> Option<String> {
    let own = claim(at)?;
    let (list, _) = own.rsplit_once('/')?;
    let interpreter = document.pointer(at)?.clone();
    let first = document.pointer_mut(list)?.as_array_mut()?.first_mut()?.as_object_mut()?;
    add(first, "claimInterpreter", interpreter)?;
    Some("copied `claimInterpreter` into the first claim".into())
}

fn own_id(document: &mut Value, at: &str) -> Option<String> {
    let position = position(document.pointer(claim(at)?)?.as_object()?)?;
    let written = document.to_string();
    let names =
        (0..).map(|number| if number == 0 { format!("_:c{position}") } else { format!("_:c{position}-{number}") });
    let id = names.into_iter().find(|name| !written.contains(&format!("{name:?}")))?;
    let member = member(document, at)?;
    member.object.insert(member.key, json!(id));
    Some(format!("`@id` is {id:?}"))
}
