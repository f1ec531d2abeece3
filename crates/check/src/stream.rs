//! Checks livestreams in Web Chat: the activities that share one bubble.

use std::collections::{BTreeMap, BTreeSet};

use super::activity::Activity;
use super::code;
use super::delta;
use super::findings::Findings;
use super::place::excerpt;
use super::repetition;
use super::stream_info::{Phase, StreamInfo};
use super::stream_order::{self, Numbers};

/// One stream up to the current activity.
struct Stream<'a, 'v> {
    members: Vec<&'a Activity<'v>>,
    /// The first activity that shows text; later chunks sort right behind it.
    first_chunk: Option<&'a Activity<'v>>,
    chunks: i64,
    numbers: Numbers,
    ended: bool,
}

/// Checks the streams of a document.
pub(super) fn check(activities: &[Activity<'_>], findings: &mut Findings) {
    // The delivering channel assigns ids. Without any id, the sender has yet to add the stream ids.
    let delivered = activities.iter().any(|activity| activity.id.is_some());
    let is_set = activities.len() > 1;
    let mut streams: Vec<Stream<'_, '_>> = Vec::new();
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unnamed = 0;
    // The ids of all activities before the current one: a stream may go on in the bubble of any.
    let mut known: BTreeSet<&str> = BTreeSet::new();
    // The newest stream, until it ends.
    let mut running: Option<usize> = None;
    for activity in activities {
        let is_known = activity.stream.as_ref().and_then(|info| info.stream_id).is_some_and(|id| known.contains(id));
        known.extend(activity.id);
        let Some(info) = &activity.stream else { continue };
        if delivered && is_set && activity.id.is_none() {
            findings.add(
                code::STREAM_ACTIVITY_WITHOUT_ID,
                &activity.at,
                "Newer versions draw an activity of a stream that has no `id` in a bubble of its own, which stays. Give each \
                 activity an `id`.",
            );
        }
        let index = match info.stream_id.and_then(|id| by_id.get(id).copied()) {
            Some(index) => index,
            None => {
                let joins = match info.stream_id {
                    None => running.filter(|_| !delivered || info.phase == Phase::Final || info.sequence > Some(1)),
                    Some(_) => None,
                };
                if delivered && !is_known {
                    check_naming(activity, info, joins.is_some(), unnamed, is_set, findings);
                } else if info.stream_id.is_none() && joins.is_none() && is_later(info) {
                    report_nameless(info, findings);
                }
                unnamed += usize::from(info.stream_id.is_none() && joins.is_none());
                joins.unwrap_or_else(|| {
                    streams.push(Stream::new());
                    streams.len() - 1
                })
            }
        };
        for id in [info.stream_id, activity.id].into_iter().flatten() {
            by_id.entry(id).or_insert(index);
        }
        streams[index].take(activity, info, findings);
        running = Some(index).filter(|_| !streams[index].ended);
    }
    for stream in &streams {
        repetition::check(&stream.members, findings);
        delta::check(&stream.members, findings);
        if !stream.ended
            && is_set
            && let Some(last) = stream.members.last()
        {
            stream_order::report_open(&last.at, findings);
        }
    }
}

/// Checks the `streamId` of an activity whose stream was not read so far.
fn check_naming(
    activity: &Activity<'_>,
    info: &StreamInfo<'_>,
    joins: bool,
    unnamed_before: usize,
    is_set: bool,
    findings: &mut Findings,
) {
    match info.stream_id {
        Some(id) if activity.id == Some(id) => {}
        Some(id) if is_set && info.phase != Phase::Final => findings.add(
            code::STREAM_ID_UNKNOWN,
            &info.at.key("streamId"),
            format!(
                "No activity before this one has the id {:?}: a client that has missed it shows one bubble for each \
                 chunk. The id of a stream is the id of its first activity.",
                excerpt(id)
            ),
        ),
        Some(_) => {}
        None if joins || is_later(info) => report_nameless(info, findings),
        None if unnamed_before > 0 => findings.add(
            code::STREAM_SECOND_WITHOUT_ID,
            &info.at,
            "4.18.1 draws this stream above an earlier one, because the first activities of both have no `streamId`. Write \
             its own `id` as `streamId`.",
        ),
        None => findings.add(
            code::STREAM_FIRST_WITHOUT_ID,
            &info.at,
            "Fine for one stream of a conversation; 4.18.1 draws another one like it above it. Write the activity's own `id` \
             as `streamId`.",
        ),
    }
}

/// Whether an activity goes on with a stream that has begun before.
fn is_later(info: &StreamInfo<'_>) -> bool {
    info.phase == Phase::Final || info.sequence > Some(1)
}

fn report_nameless(info: &StreamInfo<'_>, findings: &mut Findings) {
    findings.add(
        code::STREAM_CHUNK_WITHOUT_ID,
        &info.at,
        "Without `streamId` this activity does not belong to the stream before it: users see a bubble for each \
         chunk and one more for the final. Write the id of the stream's first activity.",
    );
}

impl<'a, 'v> Stream<'a, 'v> {
    fn new() -> Self {
        Self { members: Vec::new(), first_chunk: None, chunks: 0, numbers: Numbers::default(), ended: false }
    }

    /// Reports a chunk that empties the bubble: 4.18.1 keeps the text before a chunk that has none, newer versions do not.
    fn check_emptiness(&self, activity: &Activity<'_>, findings: &mut Findings) {
        let versions = match activity.text {
            Some("") => "4.18.1",
            None if self.members.iter().any(|earlier| earlier.text.is_some_and(|text| !text.is_empty())) => {
                "newer versions"
            }
            _ => return,
        };
        findings.add(
            code::STREAM_CHUNK_EMPTY,
            &activity.at,
            format!(
                "The bubble vanishes in {versions} until the next chunk with text. A chunk carries everything of the answer so \
                 far; wait until there is some."
            ),
        );
    }

    fn take(&mut self, activity: &'a Activity<'v>, info: &StreamInfo<'_>, findings: &mut Findings) {
        if self.ended {
            self.late(activity, findings);
            return;
        }
        self.numbers.take(info, findings);
        match info.phase {
            Phase::Final => {
                self.check_final(activity, findings);
                self.ended = true;
            }
            Phase::Streaming | Phase::Informative => {
                if activity.has_attachments {
                    stream_order::report_attachments(&activity.at, findings);
                }
                if info.phase == Phase::Streaming {
                    self.first_chunk = self.first_chunk.or(Some(activity));
                    self.chunks += 1;
                    self.check_emptiness(activity, findings);
                }
            }
        }
        self.members.push(activity);
    }

    fn check_final(&self, activity: &Activity<'_>, findings: &mut Findings) {
        let empty = activity.text.unwrap_or_default().is_empty();
        if activity.kind == "typing" && empty {
            findings.add(
                code::STREAM_FINAL_TYPING,
                &activity.at,
                "In 4.18.1 half an answer stays and the typing animation goes on. Withdraw a stream with a final of the \
                 type \"message\" and the text \"\".",
            );
        } else if activity.kind != "message" {
            findings.add(
                code::STREAM_KIND_MISMATCH,
                &activity.at.key("type"),
                "A final with text is an activity of the type \"message\"; channels do not store others, and newer \
                 versions do not see the end of the stream.",
            );
        }
        if let Some(first) = self.first_chunk
            && let (Some(start), Some(end)) = (first.time, activity.time)
            // Each chunk sorts 1 µs behind the one before it.
            && end.since_ms(start).saturating_mul(1000) < self.chunks
        {
            findings.add(
                code::STREAM_FINAL_NOT_LATER,
                &activity.at.key("timestamp"),
                format!(
                    "The first chunk ({}) is not stamped earlier: 4.18.1 loses the final, and the last chunk stays. \
                     Stamp the final at least 1 ms later, and 1 ms more for each 1000 chunks.",
                    first.at.as_str()
                ),
            );
        }
    }

    fn late(&self, activity: &Activity<'_>, findings: &mut Findings) {
        if activity.time.is_none() && activity.id.is_some() {
            findings.add(
                code::STREAM_LATE_REPLACES_FINAL,
                &activity.at,
                "The stream has ended, and this activity has no `timestamp`: in 4.18.1 it replaces the final. Stop \
                 sending after the final, and stamp every activity.",
            );
        } else {
            stream_order::report_late(&activity.at, findings);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::example::found;

    fn activity(id: &str, kind: &str, ms: u32, info: &Value) -> Value {
        json!({"type": kind, "id": id, "timestamp": format!("2026-01-01T00:00:00.{ms:03}Z"), "text": "x",
               "channelData": info})
    }

    fn chunk(id: &str, sequence: u32) -> Value {
        let info = json!({"streamType": "streaming", "streamSequence": sequence, "streamId": "s1"});
        activity(id, "typing", sequence * 10, &info)
    }

    fn last(ms: u32) -> Value {
        activity("s9", "message", ms, &json!({"streamType": "final", "streamId": "s1"}))
    }

    /// Each was drawn: an id of any activity before is known, and only a text that was shown can vanish.
    #[test]
    fn a_stream_may_go_on_behind_any_activity_and_begin_without_text() {
        let hello = json!({"type": "message", "id": "s1", "text": "Hello"});
        assert_eq!(found(&json!([hello, chunk("s2", 1), last(90)])), []);
        let silent = |sequence| {
            let mut silent = chunk(if sequence == 1 { "s1" } else { "s3" }, sequence);
            silent.as_object_mut().expect("an object").remove("text");
            silent
        };
        assert_eq!(found(&json!([silent(1), chunk("s2", 2), last(90)])), []);
        let emptied = json!([chunk("s1", 1), chunk("s2", 2), silent(3), last(90)]);
        assert_eq!(found(&emptied), [("stream-chunk-empty", "/2".into())]);
    }

    #[test]
    fn an_activity_of_a_delivered_stream_needs_an_id() {
        let mut stream = json!([chunk("s1", 1), chunk("s2", 2), last(90)]);
        stream[1].as_object_mut().expect("an object").remove("id");
        assert_eq!(found(&stream), [("stream-activity-without-id", "/1".into())]);
    }

    #[test]
    fn a_final_is_stamped_later_than_the_first_chunk() {
        assert_eq!(found(&json!([chunk("s1", 1), chunk("s2", 2), last(11)])), []);
        for ms in [9, 10] {
            let expected = [("stream-final-not-later", "/2/timestamp".into())];
            assert_eq!(found(&json!([chunk("s1", 1), chunk("s2", 2), last(ms)])), expected);
        }
    }

    #[test]
    fn every_activity_names_its_stream() {
        let mut unnamed = chunk("s2", 2);
        unnamed["channelData"].as_object_mut().expect("an object").remove("streamId");
        let expected = [("stream-chunk-without-id", "/1/channelData".into())];
        assert_eq!(found(&json!([chunk("s1", 1), unnamed, last(90)])), expected);
        let mut first = chunk("s1", 1);
        first["channelData"].as_object_mut().expect("an object").remove("streamId");
        assert_eq!(
            found(&json!([first, chunk("s2", 2), last(90)])),
            [("stream-first-without-id", "/0/channelData".into())]
        );
    }

    #[test]
    fn only_a_final_with_an_unknown_stream_is_a_normal_message() {
        assert_eq!(found(&last(10)), []);
        assert_eq!(found(&json!([{"type": "message", "id": "m", "text": "x"}, last(10)])), []);
    }

    #[test]
    fn nothing_may_follow_the_final() {
        let expected = [("stream-after-final", "/2".into())];
        assert_eq!(found(&json!([chunk("s1", 1), last(50), chunk("s8", 8)])), expected);
        let mut timeless = chunk("s8", 8);
        timeless.as_object_mut().expect("an object").remove("timestamp");
        let expected = [("stream-late-replaces-final", "/2".into())];
        assert_eq!(found(&json!([chunk("s1", 1), last(50), timeless])), expected);
    }

    #[test]
    fn a_withdrawn_stream_ends_in_an_empty_message() {
        let mut end = last(50);
        end["text"] = json!("");
        assert_eq!(found(&json!([chunk("s1", 1), end])), []);
        end["type"] = json!("typing");
        assert_eq!(found(&json!([chunk("s1", 1), end])), [("stream-final-typing", "/1".into())]);
        end["text"] = json!("x");
        assert_eq!(found(&json!([chunk("s1", 1), end])), [("stream-kind-mismatch", "/1/type".into())]);
    }

    #[test]
    fn chunks_carry_text_and_no_attachments() {
        let mut odd = chunk("s2", 2);
        odd["attachments"] = json!([{"contentType": "image/png"}]);
        odd["text"] = json!("");
        let expected = [("stream-chunk-empty", "/1".into()), ("stream-attachments-early", "/1/attachments".into())];
        assert_eq!(found(&json!([chunk("s1", 1), odd, last(90)])), expected);
    }

    /// Once, a single activity was taken for the first of its stream, and a final without text for none.
    #[test]
    fn an_activity_behind_the_first_names_its_stream_also_alone() {
        let nameless = [("stream-chunk-without-id", "/channelData".to_owned())];
        for (kind, info) in [
            ("typing", json!({"streamType": "streaming", "streamSequence": 3})),
            ("typing", json!({"streamType": "informative", "streamSequence": 2})),
            ("message", json!({"streamType": "final"})),
        ] {
            for text in [json!("x"), json!("")] {
                for id in [json!(null), json!("s3")] {
                    let mut alone = json!({"type": kind, "id": id, "text": text, "channelData": info});
                    if text == "" && kind == "typing" {
                        alone["text"] = json!("y");
                    }
                    assert_eq!(found(&alone), nameless, "{alone}");
                }
            }
        }
    }

    #[test]
    fn a_stream_on_its_way_to_the_sender_needs_no_ids() {
        let piece = |sequence: u32| {
            json!({"type": "typing", "text": "x",
                                           "channelData": {"streamType": "streaming", "streamSequence": sequence}})
        };
        let end = json!({"type": "message", "text": "x", "channelData": {"streamType": "final"}});
        assert_eq!(found(&json!([piece(1), piece(2), end])), []);
        let expected = [("stream-sequence-not-rising", "/1/channelData/streamSequence".into())];
        assert_eq!(found(&json!([piece(1), piece(1), end])), expected);
    }
}
