//! [Bot Framework activities](https://github.com/microsoft/Agents/blob/main/specs/activity/protocol-activity.md) with
//! citations: one, a list, or a set of Direct Line. The last message of the bot is the answer. A livestream counts as its
//! final message.

use serde_json::Value;

use super::activity_claims::Claims;
use super::activity_text::{cite_definitions, markdown};
use super::adaptive_card::{ADAPTIVE_CARD, card_text};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members};
use super::json;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::{Entry, Kind};

pub(super) const FORMAT: Format = Format {
    provider: Provider::Activity,
    sign: "`type: message` with members of an activity",
    members: &[
        &["activities", "watermark"],
        &[
            "attachmentLayout",
            "attachments",
            "channelData",
            "channelId",
            "conversation",
            "deliveryMode",
            "entities",
            "from",
            "id",
            "inputHint",
            "locale",
            "localTimestamp",
            "recipient",
            "replyToId",
            "serviceUrl",
            "speak",
            "suggestedActions",
            "text",
            "textFormat",
            "timestamp",
            "type",
        ],
    ],
    is_whole: |members| is_set(members) || is_activity(members),
    is_event: |members| is_set(members) || is_activity(members),
    parse,
    reader: || Box::new(Transcript::default()),
};

/// A number or a word between brackets is the position of a claim.
const GRAMMAR: MarkerGrammar = MarkerGrammar { names: true, ..MarkerGrammar::BRACKETED_IDS };

fn is_set(members: &Members) -> bool {
    let activities = members.get("activities").and_then(Value::as_array);
    activities.is_some_and(|activities| activities.iter().all(|activity| activity["type"].is_string()))
}

/// Whether these are the members of a message, or of the typing that shows the beginning of one.
pub(super) fn is_activity(members: &Members) -> bool {
    let has = |name: &str, is: fn(&Value) -> bool| members.get(name).is_some_and(is);
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_said = has("text", Value::is_string) || has("attachments", Value::is_array);
    let is_addressed =
        ["from", "conversation", "recipient", "channelData"].iter().any(|name| has(name, Value::is_object))
            || ["channelId", "serviceUrl", "textFormat", "replyToId"].iter().any(|name| has(name, Value::is_string))
            || has("entities", Value::is_array);
    match kind {
        "message" => is_addressed && (is_said || has("entities", Value::is_array)),
        "typing" => is_addressed,
        _ => false,
    }
}

/// An activity with its JSON pointer.
type Placed = (String, Value);

/// The activities of a conversation as far as they have arrived.
#[derive(Debug, Default)]
struct Transcript {
    /// The last message of the bot.
    message: Option<Placed>,
    /// The last part of a livestream without a message behind it.
    beginning: Option<Placed>,
    /// Other messages of the bot, by their JSON pointers.
    others: Vec<String>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: GRAMMAR, ..Answer::default() };
    let mut transcript = Transcript::default();
    transcript.take(json::read(body)?, String::new());
    if transcript.message.is_none() && transcript.beginning.is_none() {
        return Err(IngestError::member("", "no message of a bot in it"));
    }
    transcript.answer(&mut answer);
    Ok(answer)
}

/// The part that an activity plays in a livestream: in its entity `streaminfo`, or in `channelData`.
fn stream_type(activity: &Value) -> Option<&str> {
    let entities = activity["entities"].as_array().map(Vec::as_slice).unwrap_or_default();
    let entity = entities.iter().find(|entity| entity["type"] == "streaminfo");
    let told = entity.and_then(|entity| entity["streamType"].as_str());
    told.or_else(|| activity["channelData"]["streamType"].as_str())
}

impl Transcript {
    fn take(&mut self, activity: Value, pointer: String) {
        if let Value::Object(mut members) = activity {
            if let Some(Value::Array(activities)) = members.remove("activities") {
                for (at, activity) in activities.into_iter().enumerate() {
                    self.take(activity, format!("{pointer}/activities/{at}"));
                }
                return;
            }
            self.take_one(Value::Object(members), pointer);
        }
    }

    fn take_one(&mut self, activity: Value, pointer: String) {
        if activity["from"]["role"] == "user" {
            return;
        }
        match (activity["type"].as_str().unwrap_or_default(), stream_type(&activity)) {
            ("message", _) | ("typing", Some("final")) => {
                self.beginning = None;
                let earlier = self.message.replace((pointer, activity));
                self.others.extend(earlier.map(|(pointer, _)| pointer));
            }
            ("typing", Some("streaming")) => self.beginning = Some((pointer, activity)),
            _ => {}
        }
    }

    fn answer(self, answer: &mut Answer) {
        let Self { message, beginning, mut others } = self;
        answer.complete = message.is_some();
        let (read, left) = if message.is_some() { (message, beginning) } else { (beginning, None) };
        others.extend(left.map(|(pointer, _)| pointer));
        for pointer in others {
            let message = "another message of the bot, which is left out: only the last one is the answer";
            answer.warnings.push(Entry::in_input(Kind::Dropped, "other-message", pointer, message));
        }
        if let Some((pointer, activity)) = read {
            read_message(&activity, &pointer, answer);
        }
    }
}

fn read_message(activity: &Value, pointer: &str, answer: &mut Answer) {
    let mut claims = Claims::of(&activity["entities"], pointer, &mut answer.warnings);
    let written = activity["text"].as_str().or(claims.text.as_deref()).unwrap_or_default();
    let mut text = match activity["textFormat"].as_str() {
        Some("plain") => markdown(written),
        Some(_) | None => written.to_owned(),
    };
    let attachments = activity["attachments"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_card = |attachment: &&Value| attachment["contentType"].as_str() == Some(ADAPTIVE_CARD);
    if text.trim().is_empty() {
        let cards = attachments.iter().filter(is_card).map(|card| card_text(&card["content"]));
        text = cards.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    } else {
        for (at, attachment) in attachments.iter().enumerate() {
            let kind = attachment["contentType"].as_str().unwrap_or("an unknown type");
            let message = format!("an attachment of {kind} is left out");
            let pointer = format!("{pointer}/attachments/{at}");
            answer.warnings.push(Entry::in_input(Kind::Dropped, "attachment", pointer, message));
        }
    }
    answer.text = cite_definitions(&text, &mut claims, &format!("{pointer}/text"), &mut answer.warnings);
    answer.label = claims.label.take();
    answer.interpreter = claims.interpreter.take();
    answer.sources = claims.into_sources();
}

impl ReadEvents for Transcript {
    fn grammar(&self) -> MarkerGrammar {
        GRAMMAR
    }

    /// Nothing is said before the end, because a later message may be the answer.
    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        _notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        self.take(json::read(json)?, event.pointer());
        said.push(StreamEvent::Late);
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        self.answer(answer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, ingest};
    use super::*;
    use crate::answer::Source;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn message(text: &str, entities: &Value) -> Value {
        json!({"type": "message", "from": {"id": "b", "role": "bot"}, "text": text, "entities": entities})
    }

    fn thing(citation: &Value) -> Value {
        json!([{"type": "https://schema.org/Message", "@type": "Message", "@id": "", "citation": citation}])
    }

    /// Position, title, address and passage of each source.
    fn sources(answer: &Answer) -> Vec<[Option<&str>; 4]> {
        fn facts(source: &Source) -> [Option<&str>; 4] {
            let url = source.url.as_ref().map(crate::url::WebUrl::as_str);
            [source.id.as_deref(), source.title.as_deref(), url, source.content.as_deref()]
        }
        answer.sources.iter().map(facts).collect()
    }

    #[test]
    fn a_definition_belongs_to_the_claim_at_its_number_and_leaves_the_text() {
        let text = "Bell 🔔 [2], see [rules][r]. 門[1]\n\n[1]: https://x.example/a \"A\"\n[2]: cite:2 \"B\"\n[r]: https://x.example/r";
        let claims = json!([
            {"@type": "Claim", "position": 2, "appearance": {"@type": "DigitalDocument", "name": "Bells", "text": "twice"}},
            {"@type": "Claim", "position": "1", "appearance": {"abstract": "gates"}},
        ]);
        let read = answer(&message(text, &thing(&claims)));
        assert_eq!(read.text, "Bell 🔔 [2], see [rules][r]. 門[1]\n\n\n\n[r]: https://x.example/r");
        let a = [Some("1"), Some("A"), Some("https://x.example/a"), Some("gates")];
        assert_eq!(sources(&read), [a, [Some("2"), Some("Bells"), None, Some("twice")]]);
        assert_eq!(read.sources[0].pointer, "/entities/0/citation/1");
        assert!(read.complete);
    }

    #[test]
    fn words_of_a_dialog_around_a_passage_are_not_read_as_one() {
        let claims = json!([
            {"@type": "Claim", "@id": "https://x.example/a", "position": "1",
             "appearance": {"name": "A", "text": "[x.example](<https://x.example/a>)\n\ngates"}},
            {"@type": "Claim", "position": "2", "appearance": {"name": "B", "text": crate::answer::NO_PASSAGE}},
        ]);
        let read =
            answer(&message("One [1], two [2].\n\n[1]: https://x.example/a \"A\"\n[2]: cite:2 \"B\"", &thing(&claims)));
        let a = [Some("1"), Some("A"), Some("https://x.example/a"), Some("gates")];
        assert_eq!(sources(&read), [a, [Some("2"), Some("B"), None, None]]);
    }

    #[test]
    fn definitions_alone_and_claims_apart_are_sources_too() {
        let apart = json!([{"type": "https://schema.org/Claim", "@type": "Claim", "@id": "cite:1", "name": "N", "text": "t"},
            {"type": "https://schema.org/Claim", "@id": "https://x.example/b", "alternateName": "B"}]);
        let text = "x [1] [2] [3]\n\n[1]: cite:1 \"T\"\n[2]: https://x.example/b\n[3]: https://x.example/c \"C\"";
        let read = answer(&message(text, &apart));
        let expected = [
            [Some("1"), Some("N"), None, Some("t")],
            [Some("2"), Some("B"), Some("https://x.example/b"), None],
            [Some("3"), Some("C"), Some("https://x.example/c"), None],
        ];
        assert_eq!((sources(&read), read.text.as_str()), (expected.to_vec(), "x [1] [2] [3]"));
        assert_eq!(read.sources[2].pointer, "/text");
    }

    #[test]
    fn labels_are_found_by_their_blank_nodes_and_a_misspelt_list_is_read() {
        let shield = json!({"@id": "_:s1", "@type": "CreativeWork", "name": "Secret", "keywords": "encrypted-content",
            "pattern": {"@type": "DefinedTermSet", "termCode": "orange"}});
        let mut entities = thing(&json!(null));
        entities[0]["citations"] = json!([
            {"@type": "Claim", "position": "1", "appearance": {"name": "A", "usageInfo": {"@id": "_:s1"}},
                "claimInterpreter": {"slogan": "S", "url": "https://x.example/"}},
            {"@type": "Claim", "position": "2", "appearance": {"name": "B", "usageInfo": shield}},
            {"@type": "Claim", "position": "2", "appearance": {"name": "C", "usageInfo": {"@id": "_:none"}}},
        ]);
        entities[0]["usageInfo"] = json!({"@id": "_:s1"});
        let read = answer(&message("x [1] [2]", &entities));
        let label = read.label.clone().expect("a label");
        assert_eq!((label.id.as_deref(), label.name.as_deref(), label.encrypted), (Some("s1"), Some("Secret"), true));
        let labels: Vec<_> = read.sources.iter().map(|source| source.label.as_ref()).collect();
        assert_eq!(labels, [Some(&label), Some(&label), None]);
        assert_eq!(read.sources[2].marker, None, "a position has one claim");
        assert_eq!(read.interpreter.expect("an interpreter").slogan, "S");
    }

    #[test]
    fn the_last_message_of_the_bot_is_the_answer_and_others_are_reported() {
        let said = |role: &str, text: &str| json!({"type": "message", "from": {"role": role}, "text": text});
        let chunk = json!({"type": "typing", "from": {"role": "bot"}, "text": "Bo", "channelData": {"streamType": "streaming"}});
        let set = json!({"activities": [said("user", "hi"), said("bot", "Hello."), chunk, said("bot", "Both [1]."),
            {"type": "event", "from": {"role": "bot"}}, said("user", "ok")], "watermark": "5"});
        for (body, place) in
            [(set.clone(), "/activities/1"), (set["activities"].clone(), "/1"), (json!([set]), "/0/activities/1")]
        {
            let read = answer(&body);
            assert_eq!((read.text.as_str(), read.complete), ("Both [1].", true));
            let told: Vec<_> = read.warnings.iter().map(|entry| (entry.code, entry.at.clone())).collect();
            assert_eq!(told, [("other-message", crate::report::At::Pointer(place.into()))]);
        }
        let begun = answer(&json!([chunk]));
        assert_eq!((begun.text.as_str(), begun.complete), ("Bo", false));
    }

    #[test]
    fn a_stream_of_activities_does_not_depend_on_its_cuts() {
        let claims = thing(&json!([{"@type": "Claim", "position": "1", "appearance": {"name": "A"}}]));
        let chunk = json!({"type": "typing", "from": {"role": "bot"}, "text": "Bo", "entities": [
            {"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}]});
        let events = [chunk, message("Both 🔔 門[1].", &claims)];
        let sse: String = events.iter().map(|event| format!("event: activity\ndata: {event}\n\n")).collect();
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        for body in [sse.clone(), sse.replace('\n', "\r\n"), lines] {
            let whole = ingest(body.as_bytes(), None).expect("an answer");
            assert_eq!(
                (whole.text.as_str(), whole.sources[0].pointer.as_str()),
                ("Both 🔔 門[1].", "/1/entities/0/citation/0")
            );
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(None);
                stream.push(&body.as_bytes()[..cut]).expect("a beginning");
                stream.push(&body.as_bytes()[cut..]).expect("an end");
                assert_eq!(stream.finish().expect("an answer"), whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_card_is_the_answer_of_a_message_without_text_else_it_is_reported() {
        let card =
            json!([{"contentType": ADAPTIVE_CARD, "content": {"body": [{"type": "TextBlock", "text": "8 o'clock"}]}}]);
        let mut body = message("", &json!([]));
        body["attachments"] = card;
        assert_eq!((answer(&body).text.as_str(), answer(&body).warnings.len()), ("8 o'clock", 0));
        body["text"] = json!("a *b*");
        body["textFormat"] = json!("plain");
        assert_eq!((answer(&body).text.as_str(), answer(&body).warnings[0].code), ("a \\*b\\*", "attachment"));
    }
}
