//! Converts an answer that arrives in pieces (policy P-12).

use super::message::message;
use super::shown::Shown;
use super::{Conversion, ConvertError, Converted};
use crate::activity::Activity;
use crate::answer::{Answer, MarkerGrammar};
use crate::dialect::{Livestream, MessageOptions};
use crate::graph;
use crate::ingest::{AnswerStream, StreamEvent};
use crate::report::Report;

/// The text that readers see while nothing of the answer can be shown.
const INFORMATIVE: &str = "The answer is being written …";

/// Converts an answer while it arrives: bytes in, text to show out, and the message at the end.
///
/// The message equals the one that [`convert`](super::convert()) makes of the whole answer, wherever the bytes were cut. The
/// text shown before it depends on the format:
///
/// - When sources come before the first marker that may name them, all text is shown that later text cannot change. Each
///   shown text is the beginning of the next one, and of the message.
/// - An answer is *late* when its citations come beside the text, when a marker comes before every source, or when a source
///   comes after text that may have named it. From then on Teams and Microsoft 365 Copilot show nothing new, because the
///   message may differ; if nothing was shown yet, they get one informative text. Web Chat shows the text without markers,
///   and its message inserts them.
/// - With required grounding, nothing of the answer is shown before the message, because only the whole answer tells whether
///   it is grounded. There is one informative text instead.
/// - Plain text and whole answers have no updates.
#[derive(Debug)]
pub struct Streaming {
    conversion: Conversion,
    stream: AnswerStream,
    shown: Shown,
    /// Whether the informative text was returned.
    informed: bool,
    /// The length in bytes of the text that was returned last.
    given: usize,
    /// The length in bytes of the answer's own text so far.
    length: usize,
    /// And how long it may be.
    max_length: usize,
}

/// Something new to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update<'s> {
    /// A prepared short text, in place of an answer that cannot be shown yet. Never comes after a text.
    Informative(&'s str),
    /// The whole text of the answer that can be shown so far.
    Text(&'s str),
}

/// The result of a stream that has ended.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// The message, equal to the one of the whole answer.
    pub message: Activity,
    /// Whether the message may follow the text shown last: always in Web Chat, else when its text begins with the shown
    /// text. If not, a channel whose streamed text can only grow has to end the stream and get the message as a new one.
    pub continues: bool,
    /// The report of the conversion.
    pub report: Report,
    /// Whether the text was [too long](Streaming::at_most), and its end is missing.
    pub cut: bool,
}

impl Streaming {
    /// Starts a conversion of which nothing has arrived.
    #[must_use]
    pub fn new(conversion: Conversion) -> Self {
        Self {
            stream: AnswerStream::new(&conversion.from),
            shown: Shown::new(&conversion),
            conversion,
            informed: false,
            given: 0,
            length: 0,
            max_length: usize::MAX,
        }
    }

    /// Limits the text of the answer to `max_length` bytes, counted before the conversion. The message of a longer answer has its
    /// beginning, up to the end of a paragraph, a line, a sentence or a word.
    #[must_use]
    pub fn at_most(self, max_length: usize) -> Self {
        Self { max_length, ..self }
    }

    /// Whether more text has arrived than is taken: whatever else comes changes nothing.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.length > self.max_length
    }

    /// Takes the next bytes of the body. Returns the new text to show, if there is any; it replaces the text shown before.
    /// The caller decides how often to send it.
    ///
    /// # Errors
    /// When the input makes the answer unusable. Drop the conversion then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Update<'_>>, ConvertError> {
        let events = self.stream.push(bytes)?;
        Ok(self.take(events, self.stream.grammar().unwrap_or_default()))
    }

    /// Like [`push`](Self::push) for events that an [`AnswerStream`] of the caller has read. `grammar` is the marker grammar of
    /// their format. A conversion that took events ends with [`end_with`](Self::end_with).
    pub fn take(&mut self, events: Vec<StreamEvent>, grammar: MarkerGrammar) -> Option<Update<'_>> {
        for event in events {
            if let StreamEvent::Text(text) = &event {
                self.length += text.len();
                // Text behind the limit is not shown.
                if self.is_full() {
                    break;
                }
            }
            self.shown.take(event, grammar);
        }
        let text = self.shown.text();
        if text.len() > self.given {
            self.given = text.len();
            return Some(Update::Text(text));
        }
        let inform = self.shown.is_silent() && !std::mem::replace(&mut self.informed, self.shown.is_silent());
        inform.then_some(Update::Informative(INFORMATIVE))
    }

    /// Whether [`so_far`](Self::so_far) would show text that the last pushes did not: a long block is not read with each.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.shown.is_behind()
    }

    /// The shown text as a message of its own; `None` while nothing of the answer is shown.
    ///
    /// For Web Chat it has a definition and a claim for each number in its text, so that badges work before the answer has
    /// ended, and no other sources. Apart from the definitions, and from the end of a code fence before them, its text is
    /// the one that the pushes returned. Other channels get that text alone, because they take citations with the message
    /// only.
    ///
    /// This reads what the pushes left for later, and builds the whole message anew, so call it only for updates that are
    /// really sent.
    #[must_use]
    pub fn so_far(&mut self) -> Option<Activity> {
        let dialect = self.conversion.to;
        self.shown.catch_up();
        self.given = self.given.max(self.shown.text().len());
        if !dialect.streams_claims() {
            let text = Some(self.shown.text()).filter(|text| !text.is_empty())?;
            return Some(self.conversion.in_its_format(Activity::message(text)));
        }
        let (answer, cited) = self.shown.so_far()?;
        // The entries are dropped: the report of the message holds all of them.
        let thing = graph::build(answer, cited.sources, &self.conversion.graph_rules(), &mut Vec::new());
        Some(dialect.message(cited.text, thing, MessageOptions::default(), &mut Vec::new()))
    }

    /// Ends the stream. Returns the message alone, for callers that have sent the texts of the pushes.
    ///
    /// # Errors
    /// When the input is not valid in its format, or when required grounding is missing.
    pub fn end(mut self) -> Result<Streamed, ConvertError> {
        let answer = std::mem::take(&mut self.stream).finish()?;
        self.end_with(answer)
    }

    /// Ends the stream with the answer that the events of [`take`](Self::take) make, and returns the message alone.
    ///
    /// # Errors
    /// When required grounding is missing.
    pub fn end_with(self, mut answer: Answer) -> Result<Streamed, ConvertError> {
        let Self { conversion, shown, given, max_length, .. } = self;
        let cut = answer.cut(max_length);
        let (message, report) = message(answer, &conversion)?;
        let text = message.text.as_deref().unwrap_or_default();
        let continues = conversion.to.streams_claims() || text.starts_with(&shown.text()[..given]);
        Ok(Streamed { message, continues, report, cut })
    }

    /// Ends the stream. Returns all its activities: updates, evenly spaced and at most
    /// [`Options::updates`](super::Options::updates), and the message.
    ///
    /// # Errors
    /// When the input is not valid in its format, or when required grounding is missing.
    pub fn finish(self) -> Result<Converted, ConvertError> {
        let Self { conversion, stream, shown, .. } = self;
        let (message, report) = message(stream.finish()?, &conversion)?;
        let text = message.text.as_deref().unwrap_or_default();
        // An answer without text needs no updates, and Teams takes no stream that ends without a text.
        let livestream = Livestream::new(conversion.to).filter(|_| !text.trim().is_empty());
        let Some(mut livestream) = livestream else {
            return Ok(Converted { activities: vec![message], report });
        };
        let mut activities = Vec::new();
        let mut room = conversion.max_updates();
        if shown.is_silent() && room > 0 {
            activities.extend(livestream.informative(INFORMATIVE));
            room -= activities.len();
        }
        let mut livestream = livestream.answer();
        for begun in shown.beginnings(room, text) {
            activities.extend(if conversion.is_extended() {
                livestream.update_cited(Activity::message(begun).in_extended_markdown())
            } else {
                livestream.update(begun)
            });
        }
        activities.push(livestream.last(message));
        Ok(Converted { activities, report })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::super::{Options, convert};
    use super::*;
    use crate::answer::{Addresses, Source};
    use crate::cite::Incremental;
    use crate::dialect::Dialect;
    use crate::url::WebUrl;

    const DIALECTS: [Dialect; 3] = [Dialect::WebChat, Dialect::Teams, Dialect::M365Copilot];

    fn to(dialect: Dialect, options: Value) -> Conversion {
        let options: Options = serde_json::from_value(options).expect("options");
        Conversion { options, ..Conversion::to(dialect) }
    }

    fn body(events: &[Value]) -> String {
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }

    fn source(name: &str) -> Value {
        json!({"id": name, "url": format!("https://docs.example/{name}")})
    }

    /// The updates of the pushes, and the end of the stream.
    fn streamed(events: &[Value], conversion: Conversion) -> (Vec<String>, Streamed) {
        let mut streaming = Streaming::new(conversion);
        let mut shown = Vec::new();
        for event in events {
            let update = streaming.push(body(std::slice::from_ref(event)).as_bytes()).expect("an event");
            shown.extend(update.map(|update| match update {
                Update::Informative(text) => format!("({text})"),
                Update::Text(text) => text.to_owned(),
            }));
        }
        (shown, streaming.end().expect("a message"))
    }

    /// The text that the rewrite of a growing text shows after each of these deltas, without repetition. A stream may show
    /// it a little later, when a bracket has ended.
    fn rewritten(sources: &[&str], deltas: &[&str], conversion: &Conversion) -> Vec<String> {
        let mut text = Incremental::new(MarkerGrammar::ALL, &conversion.rules());
        text.add_sources(sources.iter().map(|name| Source {
            id: Some((*name).to_owned()),
            url: format!("https://docs.example/{name}").parse().ok(),
            ..Source::default()
        }));
        let mut shown: Vec<String> = Vec::new();
        for delta in deltas {
            text.push(delta);
            shown.push(text.shown().to_owned());
        }
        shown.dedup();
        shown.retain(|text| !text.trim().is_empty());
        shown
    }

    fn whole(text: &str, sources: &[&str], conversion: &Conversion) -> Activity {
        let sources: Vec<_> = sources.iter().map(|name| source(name)).collect();
        let converted = convert(json!({"text": text, "sources": sources}).to_string().as_bytes(), conversion);
        converted.expect("an activity").activities.pop().expect("a message")
    }

    fn informative() -> Vec<String> {
        vec![format!("({INFORMATIVE})")]
    }

    #[test]
    fn with_sources_first_everything_is_shown_that_the_rewrite_gives_out() {
        let deltas = ["One [", "1]. Two", " words [see](https://x.example). ", "[2]", " And the end of it.\n\nBye"];
        let mut events = vec![json!({"sources": [source("a"), source("b")]})];
        events.extend(deltas.map(|delta| json!({"delta": delta})));
        for dialect in DIALECTS {
            let conversion = to(dialect, json!({}));
            let (shown, ended) = streamed(&events, conversion.clone());
            assert!(shown.is_sorted_by(|one, next| next.starts_with(one)), "{dialect} {shown:?}");
            assert_eq!(shown.last(), rewritten(&["a", "b"], &deltas, &conversion).last(), "{dialect}");
            assert_eq!(ended.message, whole(&deltas.concat(), &["a", "b"], &conversion));
            assert!(ended.continues && !ended.report.complete);
        }
    }

    #[test]
    fn what_is_shown_cites_in_web_chat_what_its_text_names_and_withholds_what_the_message_withholds() {
        let encrypted = json!({"name": "Secret", "encrypted": true});
        let secret = json!({"title": "b", "content": "passage", "label": encrypted});
        let events = [json!({"sources": [source("a"), secret]}), json!({"delta": "One [2], and more [1"})];
        let shown = |dialect| {
            let mut streaming = Streaming::new(to(dialect, json!({"withhold_encrypted": true, "feedback": true})));
            assert!(streaming.so_far().is_none());
            streaming.push(body(&events).as_bytes()).expect("events");
            serde_json::to_value(streaming.so_far().expect("something to show")).expect("JSON")
        };
        let update = shown(Dialect::WebChat);
        assert_eq!(update["text"], "One [1], and more\n\n[1]: cite:1 \"b\"");
        let thing = &update["entities"][0];
        assert_eq!(thing["citation"].as_array().map(Vec::len), Some(1), "{thing}");
        assert_eq!((thing["usageInfo"].is_object(), thing.get("potentialAction")), (true, None), "{thing}");
        assert!(!update.to_string().contains("passage"), "{update}");
        for dialect in [Dialect::Teams, Dialect::M365Copilot] {
            let update = shown(dialect);
            assert_eq!((&update["text"], update.get("entities")), (&json!("One [1], and more"), None), "{dialect}");
        }
    }

    #[test]
    fn a_marker_before_its_sources_makes_an_answer_late() {
        let deltas = ["One [1", "]. Two", " words"];
        let mut events: Vec<_> = deltas.map(|delta| json!({"delta": delta})).into();
        events.extend([json!({"sources": [source("a")]}), json!({"delta": " more."}), json!({"done": true})]);
        for dialect in DIALECTS {
            let conversion = to(dialect, json!({}));
            let (shown, ended) = streamed(&events, conversion.clone());
            let before_the_marker = rewritten(&[], &["One"], &conversion);
            if dialect == Dialect::WebChat {
                let all = rewritten(&[], &["One", ". Two", " words", " more."], &conversion);
                assert_eq!(shown.last(), all.last());
            } else if before_the_marker.is_empty() {
                assert_eq!(shown, informative());
            } else {
                assert_eq!(shown.last(), before_the_marker.last());
            }
            assert_eq!(ended.message, whole("One [1]. Two words more.", &["a"], &conversion), "{dialect}");
            assert!(ended.continues && ended.report.complete);
        }
    }

    #[test]
    fn citations_beside_the_text_make_an_answer_late() {
        let events = [
            json!({"sources": [source("a")], "annotations": [{"start": 0, "end": 4, "sources": ["a"]}]}),
            json!({"delta": "One."}),
            json!({"delta": " Two [1](https://evil.example) [[1]](https://evil.example) words."}),
        ];
        let (shown, ended) = streamed(&events, to(Dialect::Teams, json!({})));
        assert_eq!((shown, ended.message.text.as_deref()), (informative(), Some("One.[1] Two [1] [1] words.")));
        let conversion = to(Dialect::WebChat, json!({}));
        let (shown, ended) = streamed(&events, conversion.clone());
        let provisional = ["One.", " Two", " words."];
        let told = rewritten(&[], &provisional, &conversion);
        assert_eq!(shown.last(), told.last());
        assert!(
            ended.continues && ended.message.text.is_some_and(|text| text.starts_with("One.[1] Two [1] [1] words."))
        );
    }

    /// An address that needs a credential, and the address that readers get in its place.
    #[derive(Debug)]
    struct Signed;

    impl Addresses for Signed {
        fn for_readers(&self, given: &WebUrl) -> Option<WebUrl> {
            Some(format!("{given}?signature=1").parse().expect("an address")).filter(|_| given.as_str().ends_with("/a"))
        }
    }

    #[test]
    fn what_is_shown_of_a_stream_has_the_addresses_that_its_message_has() {
        let events = [json!({"sources": [source("a"), source("b")]}), json!({"delta": "One [1]. Two [2]. Three."})];
        let mut conversion = to(Dialect::WebChat, json!({}));
        conversion.addresses = Some(Arc::new(Signed));
        let mut streaming = Streaming::new(conversion);
        streaming.push(body(&events).as_bytes()).expect("events");
        let update = streaming.so_far().expect("something to show").text.clone().expect("a text");
        let message = streaming.end().expect("a message").message.text.expect("a text");
        for text in [update, message] {
            assert!(text.contains("/a?signature=1 ") && text.contains("\n[2]: cite:2 "), "{text}");
        }
    }

    #[test]
    fn with_required_grounding_nothing_is_shown_before_the_message() {
        let events =
            [json!({"sources": [source("a")]}), json!({"delta": "One. Two [1]. Three."}), json!({"done": true})];
        for dialect in DIALECTS {
            let (shown, ended) = streamed(&events, to(dialect, json!({"require_grounding": "any"})));
            assert_eq!(shown, informative(), "{dialect}");
            assert!(ended.continues);
            let mut ungrounded = Streaming::new(to(dialect, json!({"require_grounding": "any"})));
            ungrounded.push(body(&[json!({"delta": "One."})]).as_bytes()).expect("a part");
            assert!(matches!(ungrounded.end(), Err(ConvertError::GroundingNoTools)));
        }
    }

    #[test]
    fn a_plain_text_and_a_whole_answer_do_not_grow() {
        let events =
            [json!({"sources": [source("a")]}), json!({"delta": "One. Two [1]. Three."}), json!({"done": true})];
        let (shown, ended) = streamed(&events, to(Dialect::Plain, json!({})));
        assert!(
            shown.is_empty() && ended.message.text.is_some_and(|text| text.starts_with("One. Two [1]. Three.\n\n[1]"))
        );
        for dialect in Dialect::ALL {
            let mut streaming = Streaming::new(to(dialect, json!({})));
            let answer = json!({"text": "One [1].", "sources": [source("a")]}).to_string();
            for byte in answer.as_bytes() {
                assert_eq!(streaming.push(std::slice::from_ref(byte)).expect("a byte"), None);
            }
            assert_eq!(streaming.end().expect("a message").message, whole("One [1].", &["a"], &to(dialect, json!({}))));
        }
    }

    #[test]
    fn an_answer_that_is_too_long_ends_with_a_whole_part() {
        let long = "One word after the other [1]. ".repeat(100);
        let events = [json!({"sources": [source("a")]}), json!({"delta": long}), json!({"done": true})];
        let whole = json!({"text": long, "sources": [source("a")], "done": true}).to_string();
        for body in [body(&events), whole] {
            let mut streaming = Streaming::new(to(Dialect::WebChat, json!({}))).at_most(1000);
            streaming.push(body.as_bytes()).expect("an answer");
            assert_eq!(streaming.is_full(), body.starts_with("data"));
            let ended = streaming.end().expect("a message");
            let text = ended.message.text.expect("a text");
            let (words, definitions) = text.split_once("\n\n[1]: ").expect("a definition");
            assert!(words.len() <= 1100 && words.ends_with("other [1].") && definitions.contains("/a"), "{text}");
            assert!(ended.cut && !ended.report.complete);
        }
        let mut short = Streaming::new(to(Dialect::WebChat, json!({}))).at_most(3000);
        short.push(self::body(&events).as_bytes()).expect("an answer");
        let ended = short.end().expect("a message");
        assert!(!ended.cut && ended.report.complete);
    }

    #[test]
    fn the_activities_of_a_stream_are_numbered_and_end_with_the_message() {
        let events = [json!({"delta": "[1] One."}), json!({"sources": [source("a")]}), json!({"done": true})];
        let converted = convert(body(&events).as_bytes(), &to(Dialect::Teams, json!({}))).expect("activities");
        let info: Vec<Value> =
            converted.activities.iter().filter_map(|activity| activity.channel_data.clone()).collect();
        assert_eq!(info, [json!({"streamType": "informative", "streamSequence": 1}), json!({"streamType": "final"})]);
        for updates in [json!({"updates": 0}), json!({"updates": 0, "require_grounding": "any"})] {
            let converted = convert(body(&events).as_bytes(), &to(Dialect::Teams, updates)).expect("activities");
            assert_eq!(converted.activities, [whole("[1] One.", &["a"], &to(Dialect::Teams, json!({})))]);
        }
    }
}
