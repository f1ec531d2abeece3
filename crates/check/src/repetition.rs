//! Checks the parts that every update of a livestream has to repeat.

use std::collections::BTreeSet;

use super::activity::Activity;
use super::code;
use super::findings::Findings;
use super::stream_info::Phase;

/// Each update replaces the one before it. So if one update has definitions or a Message entity, every update needs them,
/// because badges would flicker otherwise. Badges that all come with the final activity do not flicker. `members` are the
/// activities of one stream.
pub(super) fn check(members: &[&Activity<'_>], findings: &mut Findings) {
    let is_chunk = |member: &&&Activity<'_>| member.stream.as_ref().is_some_and(|info| info.phase == Phase::Streaming);
    let chunks: Vec<_> = members.iter().filter(is_chunk).collect();
    let defined: BTreeSet<_> = chunks.iter().flat_map(|chunk| chunk.defined.iter()).collect();
    let some_message = chunks.iter().any(|chunk| chunk.has_message);
    for chunk in chunks {
        let missing = chunk.loose.iter().find(|label| {
            !chunk.defined.contains(*label) && (defined.contains(label) || chunk.positions.contains(*label))
        });
        if let Some(label) = missing {
            findings.add(
                code::STREAM_CHUNK_WITHOUT_DEFINITIONS,
                &chunk.at.key("text"),
                format!(
                    "[{label}] is plain text in this chunk and a badge in others: citations flicker. Repeat the \
                     definitions at the end of every chunk."
                ),
            );
        }
        if some_message && !chunk.has_message && !chunk.defined.is_empty() {
            findings.add(
                code::STREAM_CHUNK_WITHOUT_MESSAGE,
                &chunk.at,
                "Titles and labels of this chunk fall back to the Markdown until the next one: they flicker. Repeat \
                 the Message thing in every chunk that cites.",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::example::{cited, found};

    fn chunk(sequence: u32, text: &str, entities: &Value) -> Value {
        json!({"type": "typing", "text": text, "entities": entities,
               "channelData": {"streamType": "streaming", "streamSequence": sequence}})
    }

    #[test]
    fn chunks_repeat_definitions_and_message_thing() {
        let whole = cited();
        let (text, entities) = (whole["text"].as_str().expect("a text"), &whole["entities"]);
        let mut end = whole.clone();
        end["channelData"] = json!({"streamType": "final"});
        let with = |second: Value| found(&json!([chunk(1, text, entities), second, end]));
        assert_eq!(with(chunk(2, text, entities)), []);
        let no_definitions = chunk(2, "Keep it[1]\u{200b}[2].", entities);
        assert_eq!(with(no_definitions), [("stream-chunk-without-definitions", "/1/text".into())]);
        let no_thing = chunk(2, text, &json!([]));
        assert!(with(no_thing).contains(&("stream-chunk-without-message", "/1".into())));
    }

    #[test]
    fn badges_may_all_come_with_the_final() {
        let mut end = cited();
        end["channelData"] = json!({"streamType": "final"});
        let bare = |sequence: u32, text: &str| chunk(sequence, text, &json!([]));
        assert_eq!(found(&json!([bare(1, "Keep it[1]"), bare(2, "Keep it[1]\u{200b}[2]."), end])), []);
    }
}
