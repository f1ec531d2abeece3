//! Checks livestreams in Teams: the activities that share one message.

use super::super::code;
use super::super::findings::Findings;
use super::super::stream_info::Phase;
use super::super::stream_order::{self, Numbers};
use super::streamed::Streamed;
use super::update;

/// One stream up to the current activity.
struct Stream<'a, 'v> {
    /// The id from Teams, as soon as an activity has it.
    id: Option<&'v str>,
    numbers: Numbers,
    answering: bool,
    /// The newest text of the answer.
    shown: Option<&'v str>,
    last: &'a Streamed<'v>,
    ended: bool,
}

/// Checks the streams of a document. `is_list` says whether the document can hold more than one activity.
pub(in super::super) fn check(activities: &[Streamed<'_>], is_list: bool, findings: &mut Findings) {
    // The sender copies ids that Teams returns. Without any id, the stream has not been sent yet.
    let addressed = activities.iter().any(|activity| activity.id().is_some() || activity.info.stream_id.is_some());
    let mut streams: Vec<Stream<'_, '_>> = Vec::new();
    for activity in activities {
        let index = match activity.info.stream_id {
            Some(id) => named(id, &streams),
            None => unnamed(activity, &streams, addressed, activities.len() == 1, findings),
        };
        let index = index.unwrap_or_else(|| {
            check_first(activity, streams.last(), is_list && activities.len() > 1, findings);
            streams.push(Stream::new(activity));
            streams.len() - 1
        });
        streams[index].take(activity, findings);
    }
    for stream in streams.iter().filter(|stream| is_list && activities.len() > 1 && !stream.ended) {
        stream_order::report_open(&stream.last.place.at, findings);
    }
}

/// The stream with this id, else the running stream if it has no id so far.
fn named(id: &str, streams: &[Stream<'_, '_>]) -> Option<usize> {
    let known = streams.iter().position(|stream| stream.id == Some(id));
    known.or_else(|| {
        let stream = streams.last().filter(|stream| stream.id.is_none() && !stream.ended);
        stream.and(streams.len().checked_sub(1))
    })
}

/// The stream of an activity without an id: the newest, unless the activity begins one.
fn unnamed(
    activity: &Streamed<'_>,
    streams: &[Stream<'_, '_>],
    addressed: bool,
    is_alone: bool,
    findings: &mut Findings,
) -> Option<usize> {
    let (is_final, is_later) = (activity.info.phase == Phase::Final, activity.info.sequence > Some(1));
    let newest = streams.last();
    // The first of several that begins with 2 has a wrong number, and no name yet.
    let goes_on = newest.is_none() && (is_final || is_later && is_alone);
    let continues = is_final || is_later || newest.is_some_and(|newest| !addressed && !newest.ended);
    if goes_on || newest.is_some() && continues && addressed {
        findings.add(
            code::TEAMS_STREAM_WITHOUT_ID,
            &activity.info.at,
            "Without `streamId` Teams does not know which stream this continues. Write the id that it returned for the first \
             activity of the stream.",
        );
    }
    newest.filter(|_| continues).map(|_| streams.len() - 1)
}

/// Checks an activity that begins a stream, or continues a stream that begins outside the document.
fn check_first(activity: &Streamed<'_>, before: Option<&Stream<'_, '_>>, is_list: bool, findings: &mut Findings) {
    let Streamed { place, info } = activity;
    if before.is_some_and(|stream| !stream.ended) {
        findings.add(
            code::TEAMS_STREAM_TWO_AT_ONCE,
            &place.at,
            "The stream before this one has not ended, and a chat takes one at a time. End it with a final activity; in one \
             stream, every activity but the first has the `streamId` that Teams returned.",
        );
    }
    match info.stream_id {
        Some(_) if info.sequence == Some(1) => findings.add(
            code::TEAMS_STREAM_FIRST_WITH_ID,
            &info.at.key("streamId"),
            "The first activity of a stream has no `streamId` yet: Teams returns it. An id of your own is for Web Chat only.",
        ),
        None if is_list && info.sequence.is_some_and(|number| number > 1) => findings.add(
            code::TEAMS_STREAM_NOT_FROM_ONE,
            &info.at.key("streamSequence"),
            "A stream begins with 1, and this is the first activity of one. Count informative and streaming activities \
             together.",
        ),
        _ => {}
    }
    update::check_conversation(place, findings);
}

impl<'a, 'v> Stream<'a, 'v> {
    fn new(first: &'a Streamed<'v>) -> Self {
        let id = first.info.stream_id.or_else(|| first.id());
        Self { id, numbers: Numbers::default(), answering: false, shown: None, last: first, ended: false }
    }

    fn take(&mut self, activity: &'a Streamed<'v>, findings: &mut Findings) {
        if self.ended {
            stream_order::report_late(&activity.place.at, findings);
            return;
        }
        self.id = self.id.or(activity.info.stream_id);
        self.last = activity;
        self.numbers.take(&activity.info, findings);
        update::check(activity, findings);
        match activity.info.phase {
            Phase::Informative if self.answering => findings.add(
                code::TEAMS_STREAM_INFORMATIVE_LATE,
                &activity.place.at,
                "Teams shows the answer already, and no informative text after it: it is dropped or refused. Send what is \
                 known of the answer.",
            ),
            Phase::Informative => {}
            Phase::Streaming | Phase::Final => {
                self.answering = true;
                self.ended = activity.info.phase == Phase::Final;
                self.show(activity, findings);
            }
        }
    }

    fn show(&mut self, activity: &Streamed<'v>, findings: &mut Findings) {
        let Some(text) = activity.text() else { return };
        if let Some(shown) = self.shown
            && !text.starts_with(shown)
        {
            let same = text.bytes().zip(shown.bytes()).take_while(|(new, old)| new == old).count();
            findings.add(
                code::TEAMS_STREAM_TEXT_CHANGED,
                &activity.place.at.key("text"),
                format!(
                    "Byte {same}: the text before this one goes on in another way. Teams refuses the activity with 403, and \
                     users keep half an answer. Only append, the final included, and hold back what may still change."
                ),
            );
        }
        self.shown = Some(text);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::super::{Channel, check};

    fn found(document: &Value) -> Vec<(&'static str, String)> {
        check(document, Channel::Teams).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    fn activity(stream_type: &str, sequence: Option<u32>, id: Option<&str>, text: &str) -> Value {
        let mut info = json!({"streamType": stream_type});
        if let Some(sequence) = sequence {
            info["streamSequence"] = json!(sequence);
        }
        if let Some(id) = id {
            info["streamId"] = json!(id);
        }
        let kind = if stream_type == "final" { "message" } else { "typing" };
        let mut entity = info.clone();
        entity["type"] = json!("streaminfo");
        json!({"type": kind, "text": text, "entities": [entity], "channelData": info})
    }

    fn informative(sequence: u32, id: Option<&str>) -> Value {
        activity("informative", Some(sequence), id, "Looking it up …")
    }

    fn chunk(sequence: u32, id: Option<&str>, text: &str) -> Value {
        activity("streaming", Some(sequence), id, text)
    }

    fn last(id: Option<&str>, text: &str) -> Value {
        activity("final", None, id, text)
    }

    #[test]
    fn a_stream_is_fine_with_the_names_that_teams_gave_and_before_it_has_any() {
        let id = Some("a-1");
        let named = json!([informative(1, None), chunk(2, id, "a"), chunk(3, id, "a b"), last(id, "a b c")]);
        assert_eq!(found(&named), []);
        let unnamed = json!([chunk(1, None, "a"), chunk(2, None, "a b"), last(None, "a b")]);
        assert_eq!(found(&unnamed), []);
        assert_eq!(found(&json!([unnamed[0], unnamed[2], unnamed[0], unnamed[2]])), []);
        for part in [informative(7, id), chunk(7, id, "a"), chunk(1, None, "a"), last(id, "a")] {
            assert_eq!(found(&part), []);
        }
        for part in [informative(7, None), chunk(2, None, "a"), last(None, "a")] {
            assert_eq!(found(&part), [("teams-stream-without-id", "/entities/0".into())], "{part}");
            assert_eq!(found(&json!([part])), [("teams-stream-without-id", "/0/entities/0".into())]);
        }
        assert_eq!(found(&json!([chunk(7, id, "a"), last(id, "a b")])), []);
    }

    #[test]
    fn the_first_activity_has_no_name_and_all_others_have() {
        let id = Some("a-1");
        let expected = [("teams-stream-first-with-id", "/0/entities/0/streamId".into())];
        assert_eq!(found(&json!([chunk(1, id, "a"), last(id, "a")])), expected);
        let expected = [("teams-stream-without-id", "/1/entities/0".into())];
        assert_eq!(found(&json!([chunk(1, None, "a"), chunk(2, None, "a b"), last(id, "a b")])), expected);
        let mut logged = chunk(1, None, "a");
        logged["id"] = json!("a-1");
        let expected = [("teams-stream-without-id", "/1/entities/0".into())];
        assert_eq!(found(&json!([logged, last(None, "a")])), expected);
    }

    #[test]
    fn a_chat_has_one_stream_at_a_time() {
        let (a, b) = (Some("a"), Some("b"));
        let mut one = chunk(1, None, "a");
        one["id"] = json!("a");
        let strange = json!([one, chunk(2, b, "a b"), last(b, "a b")]);
        assert_eq!(found(&strange), [("stream-without-final", "/0".into()), ("teams-stream-two-at-once", "/1".into())]);
        let mut two = chunk(1, None, "x");
        two["id"] = json!("b");
        let both = json!([one, two, last(a, "a"), last(b, "x")]);
        assert_eq!(found(&both), [("teams-stream-two-at-once", "/1".into())]);
        assert_eq!(found(&json!([one, last(a, "a"), two, last(b, "x")])), []);
    }

    #[test]
    fn numbers_begin_with_one_and_rise_by_one() {
        let id = Some("a");
        let from = |first: u32| json!([chunk(first, None, "a"), chunk(first + 1, id, "a b"), last(id, "a b")]);
        assert_eq!(found(&from(1)), []);
        assert_eq!(found(&from(2)), [("teams-stream-not-from-one", "/0/entities/0/streamSequence".into())]);
        let second = |number: u32| json!([chunk(1, None, "a"), chunk(number, id, "a"), last(id, "a")]);
        assert_eq!(found(&second(3)), [("stream-sequence-gap", "/1/entities/0/streamSequence".into())]);
        assert_eq!(found(&second(1)), [("stream-sequence-not-rising", "/1/entities/0/streamSequence".into())]);
        let mut counted = last(id, "a");
        counted["entities"][0]["streamSequence"] = json!(3);
        counted["channelData"]["streamSequence"] = json!(3);
        let expected = [("teams-stream-final-with-sequence", "/1/entities/0/streamSequence".into())];
        assert_eq!(found(&json!([chunk(1, None, "a"), counted])), expected);
    }

    #[test]
    fn a_text_begins_with_the_one_before_it() {
        let id = Some("a");
        let ended = |text: &str| found(&json!([informative(1, None), chunk(2, id, "Leave is"), last(id, text)]));
        assert_eq!(ended("Leave is 30 days."), []);
        assert_eq!(ended("Leave was 30 days."), [("teams-stream-text-changed", "/2/text".into())]);
        assert_eq!(ended("Leave"), [("teams-stream-text-changed", "/2/text".into())]);
        let changed = json!([chunk(1, None, "ä"), chunk(2, id, "ö"), last(id, "ö")]);
        assert_eq!(found(&changed), [("teams-stream-text-changed", "/1/text".into())]);
    }

    #[test]
    fn nothing_follows_the_final_and_no_informative_text_follows_the_answer() {
        let id = Some("a");
        for late in [chunk(2, id, "a"), last(id, "a"), informative(2, id)] {
            let expected = [("stream-after-final", "/2".into())];
            assert_eq!(found(&json!([chunk(1, None, "a"), last(id, "a"), late])), expected);
        }
        let unnamed = json!([chunk(1, None, "a"), last(None, "a"), last(None, "a")]);
        assert_eq!(found(&unnamed), [("stream-after-final", "/2".into())]);
        let mixed = json!([chunk(1, None, "a"), informative(2, id), last(id, "a")]);
        assert_eq!(found(&mixed), [("teams-stream-informative-late", "/1".into())]);
    }
}
