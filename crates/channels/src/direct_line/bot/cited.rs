//! Converts answers of a bot that contain their sources.

use std::error::Error;
use std::fmt::Debug;

use serde_json::Value;

use crate::activity::{Activity, Entity};

/// Adds citations to answers of a bot.
pub trait Citer: Debug + Send + Sync {
    /// The message that an answer becomes. The manifest is what the routes that convert take as a body.
    ///
    /// # Errors
    /// When the manifest is unusable.
    fn cite(&self, manifest: &Value) -> Result<Activity, Box<dyn Error + Send + Sync>>;
}

/// Where an answer carries its manifest: a member of `channelData`.
const MANIFEST: &str = "citewire";

/// The `type` of the entity that a cited message has of its own.
const MESSAGE: &str = "https://schema.org/Message";

/// The activity with its manifest turned into citations; one without a manifest stays as it is. What the pipeline makes
/// takes the place of what the bot said in the same members, and stands before its other entities.
pub(super) fn cited(mut said: Activity, citer: &dyn Citer) -> Result<Activity, Box<dyn Error + Send + Sync>> {
    let Some(manifest) = take_manifest(&mut said) else {
        return Ok(said);
    };
    let message = citer.cite(&manifest)?;
    said.text = message.text;
    said.text_format = message.text_format;
    let kept = said.entities.take().into_iter().flatten().filter(|entity| !is_message(entity));
    said.entities = Some(message.entities.into_iter().flatten().chain(kept).collect());
    if let Some(made) = message.attachments {
        said.attachments.get_or_insert_default().extend(made);
    }
    match (&mut said.channel_data, message.channel_data) {
        (Some(Value::Object(data)), Some(Value::Object(made))) => data.extend(made),
        (data @ None, made @ Some(_)) => *data = made,
        (Some(_) | None, Some(_) | None) => {}
    }
    Ok(said)
}

/// Takes the citations away, for when the manifest cannot be used: the bot's own words stay.
pub(super) fn uncited(mut said: Activity) -> Activity {
    take_manifest(&mut said);
    said
}

fn take_manifest(said: &mut Activity) -> Option<Value> {
    let Some(Value::Object(data)) = &mut said.channel_data else {
        return None;
    };
    let manifest = data.remove(MANIFEST)?;
    if data.is_empty() {
        said.channel_data = None;
    }
    Some(manifest).filter(|manifest| !manifest.is_null())
}

fn is_message(entity: &Entity) -> bool {
    match entity {
        Entity::Message(_) => true,
        Entity::Other(members) => members.get("type").is_some_and(|kind| kind == MESSAGE),
        Entity::Odd(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug)]
    struct Script;

    impl Citer for Script {
        fn cite(&self, manifest: &Value) -> Result<Activity, Box<dyn Error + Send + Sync>> {
            let text = manifest["text"].as_str().ok_or("no text")?;
            let made = json!({"type": "message", "text": format!("{text}!"), "textFormat": "markdown",
                "entities": [{"type": MESSAGE, "made": true}], "channelData": {"made": true}});
            Ok(serde_json::from_value(made)?)
        }
    }

    fn activity(json: Value) -> Activity {
        serde_json::from_value(json).expect("an activity")
    }

    #[test]
    fn a_manifest_becomes_citations_and_everything_else_stays() {
        let said = activity(json!({"type": "message", "text": "old", "locale": "de-DE",
            "entities": [{"type": "streaminfo"}, {"type": MESSAGE, "made": false}],
            "channelData": {"citewire": {"text": "new"}, "streamType": "final"}}));
        let cited = serde_json::to_value(cited(said, &Script).expect("cited")).expect("JSON");
        let expected = json!({"type": "message", "text": "new!", "textFormat": "markdown", "locale": "de-DE",
            "entities": [{"type": MESSAGE, "made": true}, {"type": "streaminfo"}],
            "channelData": {"streamType": "final", "made": true}});
        assert_eq!(cited, expected);
    }

    #[test]
    fn without_a_manifest_nothing_changes() {
        for data in [json!(null), json!("x"), json!({"a": 1})] {
            let said = activity(json!({"type": "message", "text": "hi", "channelData": data}));
            assert_eq!(cited(said.clone(), &Script).expect("unchanged"), said);
        }
    }

    #[test]
    fn a_manifest_that_cannot_be_used_leaves_what_the_bot_wrote() {
        let said = activity(json!({"type": "message", "text": "hi", "channelData": {"citewire": {}}}));
        assert!(cited(said.clone(), &Script).is_err());
        assert_eq!(uncited(said), activity(json!({"type": "message", "text": "hi"})));
    }
}
