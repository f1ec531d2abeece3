//! Under which name a post is recorded, so that it can be repeated.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::activity::Activity;
use crate::digest::of_parts;

/// The bytes of the digest that make a name.
const BYTES: usize = 16;

/// The name of a post: its sender and the `channelData.clientActivityID` with which clients recognize what they have said; `None`
/// where it has no such id. Type and text are a part of it, because some clients give everything they say the same id. It
/// is a digest, so that it is short whatever a client writes.
pub(super) fn post_name(activity: &Activity) -> Option<String> {
    let client_activity_id = activity.channel_data.as_ref()?.get("clientActivityID")?.as_str()?;
    if client_activity_id.is_empty() {
        return None;
    }
    let sender = activity.from.as_ref().and_then(|from| from.id.as_deref());
    let parts = [sender, Some(client_activity_id), Some(&activity.kind), activity.text.as_deref()];
    let digest = of_parts(parts.map(Option::unwrap_or_default));
    Some(format!("client:{}", URL_SAFE_NO_PAD.encode(&digest[..BYTES])))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn name(from: &str, id: &Value, text: &str) -> Option<String> {
        let activity =
            json!({"type": "message", "from": {"id": from}, "text": text, "channelData": {"clientActivityID": id}});
        post_name(&serde_json::from_value(activity).expect("an activity"))
    }

    #[test]
    fn posts_of_another_sender_id_or_text_have_another_name() {
        let different =
            [("ann", "1", "hi"), ("ann", "2", "hi"), ("bob", "1", "hi"), ("ann", "1", "ho"), ("ann1", "", "hi")];
        let names: BTreeSet<_> = different.iter().map(|(from, id, text)| name(from, &json!(id), text)).collect();
        assert_eq!(names.len(), different.len());
        assert_eq!(name("ann", &json!("1"), "hi"), name("ann", &json!("1"), "hi"));
        assert_eq!(name("ann", &json!("x".repeat(10_000)), "hi").map(|name| name.len()), Some(29));
    }

    #[test]
    fn a_post_without_an_id_of_its_client_has_no_name() {
        for id in [json!(null), json!(""), json!(5), json!({})] {
            assert_eq!(name("ann", &id, "hi"), None, "{id}");
        }
    }
}
