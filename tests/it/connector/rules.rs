//! Refusals of the service for an activity, in its own words.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::chat::{Answer, Flavour};

/// The entity with the metadata of a stream, of a type that the service knows.
pub(super) fn stream_info(activity: &Value) -> Option<&Value> {
    let entities = activity["entities"].as_array()?;
    let info = entities.iter().find(|entity| entity["type"] == "streaminfo")?;
    matches!(info["streamType"].as_str(), Some("informative" | "streaming" | "final")).then_some(info)
}

pub(super) fn error(status: u16, code: &str, message: &str) -> Answer {
    Answer::Json(status, json!({"error": {"code": code, "message": message}}))
}

/// An error as the emulator writes it, which has no words of its own.
fn missing(message: &str) -> Answer {
    error(400, "MissingProperty", message)
}

fn utf16(value: &Value) -> usize {
    value.as_str().unwrap_or_default().encode_utf16().count()
}

/// Why an activity is refused, whatever it is for.
pub(super) fn refusal(activity: &Value, flavour: Flavour) -> Option<Answer> {
    size(activity, flavour).or_else(|| {
        let entities = activity["entities"].as_array()?;
        let is_message = |entity: &&Value| entity["type"] == "https://schema.org/Message";
        let things: Vec<&Value> = entities.iter().filter(is_message).collect();
        if things.len() > 1 && flavour != Flavour::Playground {
            let words = "Multiple root message entities found in the bot activity";
            return Some(error(400, "BadSyntax", words));
        }
        match flavour {
            Flavour::Playground => playground(things.first()?),
            Flavour::Teams | Flavour::Copilot => teams(things.first()?),
            Flavour::WebChat => None,
        }
    })
}

fn size(activity: &Value, flavour: Flavour) -> Option<Answer> {
    let wire = activity.to_string();
    match flavour {
        Flavour::Playground if wire.len() > 100 * 1024 => {
            Some(Answer::Html(413, "<html><h1>Payload Too Large</h1></html>"))
        }
        Flavour::Teams | Flavour::Copilot if wire.encode_utf16().count() * 2 > 100 * 1024 => {
            Some(if stream_info(activity).is_some() {
                error(403, "ContentStreamNotAllowed", "Message size too large")
            } else {
                error(413, "MessageSizeTooBig", "Message size too big")
            })
        }
        Flavour::WebChat if wire.chars().count() > 256 * 1024 => Some(error(413, "MessageSizeTooBig", "too big")),
        Flavour::Playground | Flavour::Teams | Flavour::Copilot | Flavour::WebChat => None,
    }
}

fn teams(thing: &Value) -> Option<Answer> {
    let none = Vec::new();
    let claims = thing["citation"].as_array().unwrap_or(&none);
    if claims.len() > 20 {
        return Some(error(400, "BadSyntax", "Number of citations exceeds the maximum limit of 20"));
    }
    if thing["@type"] != "Message" || thing["@context"] != "https://schema.org" {
        return Some(error(400, "BadSyntax", "Error while parsing message entity"));
    }
    for claim in claims {
        if let Some(words) = bad_claim(claim) {
            let words = format!("Error while parsing citation entity with id: {}. {words}", claim["position"]);
            return Some(error(400, "BadSyntax", &words));
        }
    }
    labels(thing, claims)
}

fn bad_claim(claim: &Value) -> Option<String> {
    let appearance = &claim["appearance"];
    if appearance.as_object().is_none_or(serde_json::Map::is_empty) {
        return Some("The appearance property is empty.".to_owned());
    }
    let position = claim["position"].as_u64().filter(|position| (1..1_000_000_000).contains(position));
    if claim["@type"] != "Claim" || position.is_none() || appearance["@type"] != "DigitalDocument" {
        return Some("It cannot be parsed.".to_owned());
    }
    if !(1..=80).contains(&utf16(&appearance["name"])) {
        return Some("The name is required and has at most 80 characters.".to_owned());
    }
    let length = utf16(&appearance["abstract"]);
    if length > 480 {
        return Some(format!(
            "The abstract exceeds the length limit. The maximum length is '480' characters, but the provided length is '{length}'"
        ));
    }
    let keywords = appearance["keywords"].as_array().cloned().unwrap_or_default();
    if keywords.len() > 3 || keywords.iter().any(|word| utf16(word) > 28) {
        return Some("At most 3 keywords of 28 characters.".to_owned());
    }
    let both = |name: &str| appearance[name].as_str().is_some_and(|text| !text.is_empty());
    if both("text") != both("encodingFormat") {
        let words = "citation.appearance.text and citation.appearance.encodingFormat must either both be empty or both \
                     have values";
        return Some(words.to_owned());
    }
    let card: Option<Value> = appearance["text"].as_str().map(|text| serde_json::from_str(text).unwrap_or_default());
    card.filter(|card| card["type"] != "AdaptiveCard").map(|_| "The text is no Adaptive Card.".to_owned())
}

/// A label of a claim needs its twin on the message.
fn labels(thing: &Value, claims: &[Value]) -> Option<Answer> {
    let mut known = BTreeMap::new();
    if let Some(id) = thing["usageInfo"]["@id"].as_str() {
        known.insert(id, &thing["usageInfo"]);
    }
    let labels = claims.iter().map(|claim| &claim["appearance"]["usageInfo"]).filter(|label| label.is_object());
    for label in labels {
        let twin = known.get(label["@id"].as_str().unwrap_or_default());
        let same =
            twin.is_some_and(|twin| twin["name"] == label["name"] && twin["description"] == label["description"]);
        if !same {
            return Some(error(400, "BadSyntax", "usageInfo of a citation has no twin in the message entity"));
        }
    }
    None
}

fn playground(thing: &Value) -> Option<Answer> {
    let none = Vec::new();
    let claims = thing["citation"].as_array().unwrap_or(&none);
    if claims.len() > 10 {
        return Some(missing("Array must contain at most 10 element(s)"));
    }
    let lacks =
        |claim: &Value| !claim["appearance"]["abstract"].is_string() || !claim["appearance"]["name"].is_string();
    claims.iter().any(lacks).then(|| missing("Required"))
}
