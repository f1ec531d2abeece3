//! One livestream, from the first informative text to the final message.

use std::num::NonZeroU32;

use serde_json::Value;

use super::super::Dialect;
use super::super::row::Stream;
use crate::activity::{Activity, Entity, StreamInfo};
use crate::text::cut_at_word;

/// One livestream: the activities of one answer, from the first informative text to the final message.
///
/// While a stream [waits](Waiting), it may show short informative texts. Once it [answers](Answering), it shows the answer
/// so far, and informative texts are no longer possible, because Teams would refuse them. [`last`](Self::last) or
/// [`withdraw`](Self::withdraw) ends it.
///
/// Each shown text must be the beginning of the next (policy P-12). Only Web Chat, where a text may be replaced, takes
/// citations [with an update](Livestream::update_cited). In all channels the final message has all citations.
///
/// No activity has `id`, `timestamp` or `streamId`. The sender assigns them: the stream id with
/// [`Activity::with_stream_id`], and times for Web Chat with [`Stamps`](super::Stamps).
///
/// ```
/// use citewire_core::activity::Activity;
/// use citewire_core::dialect::{Dialect, Livestream};
///
/// let mut stream = Livestream::new(Dialect::Teams).expect("Teams has livestreams");
/// let informative = stream.informative("Looking it up …").expect("a text");
/// let mut stream = stream.answer();
/// let update = stream.update("Leave is").expect("something new");
/// assert!(stream.update("Leave is").is_none());
/// let last = stream.last(Activity::message("Leave is 30 days [1]."));
/// assert_eq!((informative.kind.as_str(), update.kind.as_str(), last.kind.as_str()), ("typing", "typing", "message"));
/// ```
#[derive(Debug)]
#[must_use = "a stream that does not end leaves readers waiting"]
pub struct Livestream<Phase = Waiting> {
    dialect: Dialect,
    /// The number of activities made so far.
    made: u32,
    phase: Phase,
}

/// The phase before the first text of the answer.
#[derive(Debug)]
pub struct Waiting;

/// The phase in which the answer is written.
#[derive(Debug)]
pub struct Answering {
    /// The text of the newest update.
    shown: String,
}

/// The longest informative text that Teams takes: 1000 characters, or 1 KB.
const MAX_INFORMATIVE_UTF16: usize = 1_000;
const MAX_INFORMATIVE_BYTES: usize = 1_024;

/// The longest text of an update in Teams, in UTF-16 code units. The end of the text is cut from a message that is too
/// large, but the shown part has to stay. A message with twenty ordinary claims has room for twice this length.
const MAX_UPDATE_UTF16: usize = 12 * 1_024;

impl Dialect {
    /// Whether the channel shows an answer while it grows. Plain text arrives once.
    #[must_use]
    pub fn can_stream(self) -> bool {
        self.row().stream.is_some()
    }

    /// Marks the finished message as the end of a stream. In Teams it loses the Adaptive Cards of its citations, on which
    /// the service fails.
    #[must_use]
    pub fn end_of_stream(self, message: Activity) -> Activity {
        let message = if self.streams_as_teams() { without_cards(message) } else { message };
        message.with_stream_info(StreamInfo::Final)
    }

    /// Whether a shown text may be replaced by any other text while a stream runs. Otherwise it may only grow.
    #[must_use]
    pub fn may_change_shown(self) -> bool {
        !self.streams_as_teams()
    }

    /// Whether the channel has the stream limits of Teams.
    fn streams_as_teams(self) -> bool {
        self.row().stream == Some(Stream::Growing)
    }
}

impl Livestream {
    /// A stream without activities; `None` if the channel has no livestreams.
    pub fn new(dialect: Dialect) -> Option<Self> {
        dialect.can_stream().then_some(Self { dialect, made: 0, phase: Waiting })
    }

    /// A stream of which somebody else has made activities that readers may have seen, numbered up to `made`. It goes on with the
    /// next number, and its message is the end of a stream whatever is shown before.
    pub fn resumed(dialect: Dialect, made: u32) -> Option<Self> {
        dialect.can_stream().then_some(Self { dialect, made, phase: Waiting })
    }

    /// A short text to show before the answer, cut to the limits of Teams there. `None` if the text is blank.
    pub fn informative(&mut self, text: &str) -> Option<Activity> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let text = if self.dialect.streams_as_teams() { short(text) } else { text.to_owned() };
        let sequence = self.next();
        Some(typing(text, StreamInfo::Informative { sequence }))
    }

    /// Starts the answer phase of the stream.
    pub fn answer(self) -> Livestream<Answering> {
        Livestream { dialect: self.dialect, made: self.made, phase: Answering { shown: String::new() } }
    }
}

impl Livestream<Answering> {
    /// An update with the whole answer so far, without link definitions.
    ///
    /// `None` if no update should be sent: for a blank text, because Web Chat 4.18.1 drops the bubble and Teams refuses it;
    /// for a text that is already shown; and in Teams for a text that does not begin with the shown one, or leaves no room
    /// for the other parts of the message.
    pub fn update(&mut self, text: &str) -> Option<Activity> {
        let shown = &self.phase.shown;
        if text.trim().is_empty() || text == shown {
            return None;
        }
        if self.dialect.streams_as_teams()
            && (!text.starts_with(shown) || text.encode_utf16().count() > MAX_UPDATE_UTF16)
        {
            return None;
        }
        text.clone_into(&mut self.phase.shown);
        let sequence = self.next();
        Some(typing(text.to_owned(), StreamInfo::Streaming { sequence }))
    }

    /// An update with the citations so far, from `Streaming::so_far`. Web Chat draws badges while the answer is written.
    /// Teams and Microsoft 365 Copilot get the text alone, because they take citations only with the final message.
    ///
    /// `None` in the same cases as [`update`](Self::update).
    pub fn update_cited(&mut self, so_far: Activity) -> Option<Activity> {
        let mut update = self.update(so_far.text.as_deref()?)?;
        // Without a format, Teams reads Markdown.
        let is_usual = so_far.text_format.as_deref() == Some("markdown");
        update.text_format = so_far.text_format.filter(|_| !(is_usual && self.dialect.streams_as_teams()));
        if !self.dialect.streams_as_teams() {
            // The Message entity has to come first.
            let metadata = update.entities.take();
            update.entities = Some(so_far.entities.into_iter().chain(metadata).flatten().collect());
        }
        Some(update)
    }

    /// The text that readers see. In Teams the final message has to begin with it.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.phase.shown
    }
}

impl<Phase> Livestream<Phase> {
    /// The finished message from [`Dialect::message`], which ends the stream.
    ///
    /// Without earlier activities there is no stream to end, and the message stays ordinary. Otherwise this is
    /// [`Dialect::end_of_stream`].
    #[must_use]
    pub fn last(self, message: Activity) -> Activity {
        if self.made == 0 { message } else { self.dialect.end_of_stream(message) }
    }

    /// Removes the shown text after a failed answer.
    ///
    /// Returns an empty `message`. Newer versions of Web Chat document an empty `typing` and take both, but 4.18.1 would
    /// keep half an answer for it. `None` if nothing was sent, and in Teams, where shown text stays and every activity needs
    /// a text. There, end the stream with [`last`](Self::last): [`shown`](Livestream::shown) and a note about the failure.
    #[must_use]
    pub fn withdraw(self) -> Option<Activity> {
        let can_withdraw = self.made > 0 && !self.dialect.streams_as_teams();
        can_withdraw.then(|| Activity::message("").with_stream_info(StreamInfo::Final))
    }

    fn next(&mut self) -> NonZeroU32 {
        let sequence = NonZeroU32::MIN.saturating_add(self.made);
        self.made = sequence.get();
        sequence
    }
}

fn typing(text: String, info: StreamInfo) -> Activity {
    let mut activity = Activity::new("typing");
    activity.text = Some(text);
    activity.with_stream_info(info)
}

/// Cuts the text to both limits of Teams, at a word boundary.
fn short(text: &str) -> String {
    let mut room = MAX_INFORMATIVE_UTF16;
    loop {
        let cut = cut_at_word(text, room);
        if cut.len() <= MAX_INFORMATIVE_BYTES {
            return cut.into_owned();
        }
        // The cut exceeds the limit, so the room shrinks with each step.
        room = room * MAX_INFORMATIVE_BYTES / cut.len();
    }
}

/// Removes the Adaptive Cards from the claims of a message.
fn without_cards(mut message: Activity) -> Activity {
    for entity in message.entities.iter_mut().flatten() {
        match entity {
            Entity::Message(thing) => {
                for claim in &mut thing.citation {
                    claim.appearance.text = None;
                    claim.appearance.encoding_format = None;
                }
            }
            Entity::Other(members) => {
                let claims = members.get_mut("citation").and_then(Value::as_array_mut);
                for claim in claims.into_iter().flatten() {
                    if let Some(appearance) = claim.get_mut("appearance").and_then(Value::as_object_mut) {
                        appearance.remove("text");
                        appearance.remove("encodingFormat");
                    }
                }
            }
            Entity::Odd(_) => {}
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn begun(dialect: Dialect) -> Livestream {
        Livestream::new(dialect).expect("a channel with livestreams")
    }

    fn wire(activity: &Activity) -> Value {
        serde_json::to_value(activity).expect("JSON")
    }

    #[test]
    fn a_plain_text_cannot_stream() {
        let streams: Vec<_> = Dialect::ALL.into_iter().filter(|dialect| Livestream::new(*dialect).is_some()).collect();
        assert_eq!(streams, [Dialect::WebChat, Dialect::Teams, Dialect::M365Copilot]);
        assert!(!Dialect::Plain.can_stream());
    }

    #[test]
    fn informative_and_streaming_activities_are_counted_together_and_the_final_is_not() {
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            let mut stream = begun(dialect);
            let mut sent = vec![stream.informative("one"), stream.informative("two")];
            let mut stream = stream.answer();
            sent.extend([stream.update("a"), stream.update(""), stream.update("a"), stream.update("a b")]);
            let mut sent: Vec<_> = sent.into_iter().flatten().map(|activity| wire(&activity)).collect();
            sent.push(wire(&stream.last(Activity::message("a b c"))));
            let info: Vec<_> = sent
                .iter()
                .map(|activity| {
                    let data = &activity["channelData"];
                    (activity["type"].clone(), data["streamType"].clone(), data["streamSequence"].clone())
                })
                .collect();
            let expected = [
                (json!("typing"), json!("informative"), json!(1)),
                (json!("typing"), json!("informative"), json!(2)),
                (json!("typing"), json!("streaming"), json!(3)),
                (json!("typing"), json!("streaming"), json!(4)),
                (json!("message"), json!("final"), Value::Null),
            ];
            assert_eq!(info, expected);
        }
    }

    #[test]
    fn an_update_has_text_and_metadata_and_nothing_else() {
        let update = begun(Dialect::WebChat).answer().update("Leave [1]").expect("an update");
        let expected = json!({
            "type": "typing",
            "text": "Leave [1]",
            "entities": [{"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}],
            "channelData": {"streamType": "streaming", "streamSequence": 1},
        });
        assert_eq!(wire(&update), expected);
    }

    #[test]
    fn an_update_cites_in_web_chat_and_is_text_alone_in_teams() {
        let mut so_far = Activity::message("Leave [1]");
        so_far.entities =
            serde_json::from_value(json!([{"type": "https://schema.org/Message", "@type": "Message"}])).ok();
        let types = |dialect| {
            let mut stream = begun(dialect).answer();
            let update = wire(&stream.update_cited(so_far.clone()).expect("an update"));
            assert!(stream.update_cited(so_far.clone()).is_none(), "it says nothing new");
            let entities = update["entities"].as_array().expect("entities");
            entities.iter().map(|entity| entity["type"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(types(Dialect::WebChat), ["https://schema.org/Message", "streaminfo"]);
        assert_eq!(types(Dialect::Teams), ["streaminfo"]);
    }

    #[test]
    fn an_informative_text_fits_into_teams_whatever_its_script() {
        for text in ["word ".repeat(400), "語".repeat(900), "👩‍👩‍👧".repeat(200), "e\u{301}".repeat(990), "x".repeat(1_001)]
        {
            let cut = begun(Dialect::Teams).informative(&text).and_then(|activity| activity.text).expect("a text");
            assert!(cut.chars().count() <= 1_000 && cut.len() <= 1_024, "{} bytes", cut.len());
            assert!(cut.len() > 900, "{} bytes of {text:.20}", cut.len());
            let kept = cut.strip_suffix('…').expect("an ellipsis");
            assert!(text.starts_with(kept) && !text[kept.len()..].starts_with(['\u{301}', '\u{200d}']));
            let whole = begun(Dialect::WebChat).informative(&text).and_then(|activity| activity.text);
            assert_eq!(whole.as_deref(), Some(text.trim()));
        }
        assert!(begun(Dialect::Teams).informative(" \n").is_none());
    }

    #[test]
    fn only_web_chat_can_take_back_what_was_shown() {
        let shown = |dialect| {
            let mut stream = begun(dialect).answer();
            assert!(stream.update("Leave is 30").is_some());
            (stream.update("Leave was").is_some(), stream.shown().to_owned(), stream.withdraw())
        };
        let (changed, text, withdrawn) = shown(Dialect::WebChat);
        assert_eq!((changed, text.as_str()), (true, "Leave was"));
        let withdrawn = wire(&withdrawn.expect("a message"));
        assert_eq!((&withdrawn["type"], &withdrawn["text"]), (&json!("message"), &json!("")));
        assert_eq!(withdrawn["channelData"], json!({"streamType": "final"}));
        let (changed, text, withdrawn) = shown(Dialect::Teams);
        assert_eq!((changed, text.as_str(), withdrawn), (false, "Leave is 30", None));
    }

    #[test]
    fn a_stream_of_which_nothing_was_sent_is_an_ordinary_message() {
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            assert_eq!(begun(dialect).last(Activity::message("a")), Activity::message("a"));
            assert_eq!(begun(dialect).answer().withdraw(), None);
        }
    }

    #[test]
    fn a_resumed_stream_counts_on_and_ends_what_others_have_shown() {
        let resumed = || Livestream::resumed(Dialect::WebChat, 41).expect("a channel with livestreams");
        let next = wire(&resumed().informative("Looking it up").expect("a text"));
        assert_eq!(next["channelData"]["streamSequence"], json!(42));
        assert_eq!(wire(&resumed().last(Activity::message("a")))["channelData"], json!({"streamType": "final"}));
        assert!(Livestream::resumed(Dialect::Plain, 1).is_none());
    }

    #[test]
    fn a_long_text_stops_growing_in_teams_before_the_message_would_have_to_be_cut() {
        let text = "word ".repeat(MAX_UPDATE_UTF16 / 5 + 1);
        let mut stream = begun(Dialect::Teams).answer();
        assert!(stream.update(&text[..MAX_UPDATE_UTF16]).is_some());
        assert!(stream.update(&text).is_none());
        assert!(begun(Dialect::WebChat).answer().update(&text).is_some());
    }
}
