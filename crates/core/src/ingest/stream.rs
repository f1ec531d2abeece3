//! Entry points of the room: [`ingest`] for a whole body, [`AnswerStream`] for bytes that arrive in pieces.

use super::azure_events::AzureEvents;
use super::document::{at_once, document, document_text};
use super::event::{Arrived, StreamEvent};
use super::framing::{BodyKind, Framing};
use super::growing_answer::GrowingAnswer;
use super::surrogates::mended_with_note;
use super::token_counts::token_counts;
use super::{AnswerFormat, AzureScores, IngestError, Provider, azure_on_your_data, formats};
use crate::answer::{Answer, MarkerGrammar, TokenCounts};

/// Reads an answer from bytes that arrive in pieces of any size: each [`push`](Self::push) returns the new events, and
/// [`finish`](Self::finish) returns the whole answer.
///
/// The answer does not depend on where the bytes were cut (rule N-11). A body that is one JSON document is read as well, but
/// yields nothing before the end. JSON pointers in notes and sources of a streamed answer point into the list of its events,
/// counted from 0.
#[derive(Debug)]
pub struct AnswerStream {
    from: AnswerFormat,
    carrier: Framing,
    answer: GrowingAnswer,
    /// How scores of Azure OpenAI On Your Data are read, if the caller gave a way.
    scores: Option<AzureScores>,
    /// Whether the answer is made of events, and no byte of a body belongs to it.
    of_events: bool,
}

impl Default for AnswerStream {
    fn default() -> Self {
        Self::new(AnswerFormat::default())
    }
}

impl AnswerStream {
    /// A reader for the given format. With `None`, the format is detected from the first events.
    #[must_use]
    pub fn new(from: impl Into<AnswerFormat>) -> Self {
        let from = from.into();
        let carrier = if from.may_be_mapped() { Framing::naming_events() } else { Framing::default() };
        Self { carrier, answer: formats::growing(&from), from, scores: None, of_events: false }
    }

    /// A reader for Azure OpenAI On Your Data that reads scores as `scores` says.
    #[must_use]
    pub fn azure_on_your_data(scores: AzureScores) -> Self {
        let answer = azure_with(scores);
        Self { answer, scores: Some(scores), ..Self::new(Provider::AzureOnYourData) }
    }

    /// Which brackets in the text are markers; `None` until the format is known.
    #[must_use]
    pub fn grammar(&self) -> Option<MarkerGrammar> {
        self.answer.grammar()
    }

    /// The token counts that the provider has reported so far. A whole document has none here; see
    /// [`finish_counting`](Self::finish_counting).
    #[must_use]
    pub fn token_counts(&self) -> TokenCounts {
        self.answer.token_counts()
    }

    /// Reads the next bytes and returns the events that they complete, in order.
    ///
    /// # Errors
    /// When an event makes the answer unusable, or is too long. The reader must not be used after that.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<StreamEvent>, IngestError> {
        let mut arrived = Arrived::default();
        self.carrier.push(bytes, &mut arrived)?;
        self.answer.take_all(&arrived)
    }

    /// Takes events whose meaning is known already, in place of bytes, and returns them as readers may see them. Events and
    /// bytes do not go together in one answer. `counts` are the token counts that are known with these events.
    pub fn take(&mut self, events: Vec<StreamEvent>, counts: TokenCounts) -> Vec<StreamEvent> {
        self.of_events = true;
        self.answer.count(counts);
        self.answer.take_read(events)
    }

    /// Returns the whole answer. `complete` is false when the provider's end sign is missing (rule N-12).
    ///
    /// # Errors
    /// When the body is unusable, or ended before anything of the answer had arrived.
    pub fn finish(self) -> Result<Answer, IngestError> {
        self.end(false)
    }

    /// Like [`finish`](Self::finish), and reads the token counts of a whole document too. This searches the whole body once
    /// more.
    ///
    /// # Errors
    /// Like [`finish`](Self::finish).
    pub fn finish_counting(self) -> Result<Answer, IngestError> {
        self.end(true)
    }

    fn end(mut self, counts_whole: bool) -> Result<Answer, IngestError> {
        if self.of_events {
            return self.answer.finish();
        }
        let names = self.carrier.names();
        let mut arrived = Arrived::default();
        if let Some(body) = std::mem::take(&mut self.carrier).finish(&mut arrived)? {
            let counts = counts_whole.then(|| token_counts(std::str::from_utf8(&body).ok()?)).flatten();
            let answer = match &self.scores {
                None => document(&body, &self.from),
                Some(scores) => match document_text(&body)? {
                    list if list.starts_with('[') => azure_with(*scores).of_list(list),
                    body => {
                        let (body, lost) = mended_with_note(body, "");
                        let mut answer = azure_on_your_data::parse(&body, scores)?;
                        answer.warnings.extend(lost.entry());
                        Ok(Provider::AzureOnYourData.gave(answer))
                    }
                },
            };
            return answer.map(|answer| {
                // The events of a list have counts of their own.
                let token_counts = counts.unwrap_or(answer.token_counts);
                Answer { token_counts, ..answer }
            });
        }
        self.answer.take_all(&arrived)?;
        self.answer.finish().map_err(|error| with_names(error, &names))
    }
}

/// Adds the names of the events to the error about an unknown format.
fn with_names(error: IngestError, names: &[String]) -> IngestError {
    if let IngestError::Unrecognized { seen } = &error
        && !names.is_empty()
    {
        return IngestError::Unrecognized { seen: format!("its events are named {}; {seen}", quoted(names)) };
    }
    error
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn azure_with(scores: AzureScores) -> GrowingAnswer {
    GrowingAnswer::read_by(Box::new(AzureEvents::new(scores)), &azure_on_your_data::FORMAT)
}

/// Reads an answer, whole or as a stream, in the given format. With `None`, the format is detected from the members of the
/// body.
///
/// `body` is UTF-8. A byte order mark and blanks before the document are skipped.
///
/// # Errors
/// When the bytes are not UTF-8 or not JSON, when a member makes the answer unusable, when no format is recognised, or
/// when a stream holds nothing of an answer.
pub fn ingest(body: &[u8], from: impl Into<AnswerFormat>) -> Result<Answer, IngestError> {
    let from = from.into();
    if let Some(answer) = ingest_whole(body, &from)? {
        return Ok(answer);
    }
    let mut stream = AnswerStream::new(from);
    stream.push(body)?;
    stream.finish()
}

/// Reads an answer of Azure OpenAI On Your Data, whole or as a stream, and its scores as `scores` says.
///
/// # Errors
/// Like [`ingest`].
pub fn ingest_azure_on_your_data(body: &[u8], scores: AzureScores) -> Result<Answer, IngestError> {
    let mut stream = AnswerStream::azure_on_your_data(scores);
    stream.push(body)?;
    stream.finish()
}

/// Whether a body is a stream, as server-sent events or JSON lines, and not one document.
#[must_use]
pub fn is_stream(body: &[u8]) -> bool {
    match BodyKind::of(body) {
        BodyKind::Whole => false,
        BodyKind::Events | BodyKind::JsonLines => true,
    }
}

/// Reads an answer like [`ingest`], but returns `None` for a stream, without reading it.
///
/// # Errors
/// When the bytes are not UTF-8 or not JSON, when a member makes the answer unusable, or when no format is recognised.
pub fn ingest_whole(body: &[u8], from: impl Into<AnswerFormat>) -> Result<Option<Answer>, IngestError> {
    let from = from.into();
    // Checking for a stream first would parse the body twice.
    if let Some(answer) = at_once(body, &from) {
        return Ok(Some(answer));
    }
    let is_stream = is_stream(body) || from.may_be_mapped() && BodyKind::of_any(body) != BodyKind::Whole;
    if is_stream { Ok(None) } else { document(body, &from).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::super::EventPlace;
    use super::super::growing_answer::{MAX_SKIPPED_NOTES, MAX_UNTOLD};
    use super::*;
    use crate::answer::{ProviderError, SourceIndex};

    const NATIVE: &str = "data: {\"sources\":[{\"id\":\"A\",\"url\":\"https://x/a\"},{\"id\":\"B\"}]}\n\n\
        : ping\n\nevent: delta\ndata: {\"delta\":\"Süß \"}\n\ndata: {\"delta\":\"😀 [1].\",\n\
        data: \"label\":{\"name\":\"L\"}}\n\ndata: {\"interpreter\":{\"slogan\":\"S\"}}\n\n\
        data: {\"annotations\":[{\"start\":0,\"end\":3,\"unit\":\"char\",\"sources\":[\"B\"]}]}\n\ndata: {\"done\":true}\n\n";

    fn answer(body: &str) -> Answer {
        ingest(body.as_bytes(), None).expect("an answer")
    }

    fn refused(body: &str) -> String {
        ingest(body.as_bytes(), None).expect_err("unusable").to_string()
    }

    #[test]
    fn a_native_stream_is_the_answer_that_its_events_make() {
        let whole = r#"{"text": "Süß 😀 [1].", "sources": [{"id": "A", "url": "https://x/a"}, {"id": "B"}],
            "annotations": [{"start": 0, "end": 3, "unit": "char", "sources": ["B"]}],
            "label": {"name": "L"}, "interpreter": {"slogan": "S"}}"#;
        let (mut streamed, mut whole) = (answer(NATIVE), answer(whole));
        assert_eq!(streamed.sources[1].pointer, "/0/sources/1");
        for answer in [&mut streamed, &mut whole] {
            answer.sources.iter_mut().for_each(|source| source.pointer.clear());
        }
        assert_eq!(streamed, whole);
        assert_eq!(streamed.citations[0].sources, [SourceIndex(1)]);
    }

    /// The reader with the caller's scores once did not set the provider, so records had neither provider nor ranks.
    #[test]
    fn scores_of_azure_in_the_callers_way_change_nothing_else() {
        let context =
            r#""context":{"citations":[{"content":"Leave","filepath":"hr/leave.md","url":null,"title":" "}]}"#;
        let whole = format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":"30 days [doc1].",{context}}},"finish_reason":"stop"}}]}}"#
        );
        let delta = format!(
            r#"{{"object":"extensions.chat.completion.chunk","choices":[{{"delta":{{"content":"30 days [doc1].",{context}}},"finish_reason":"stop"}}]}}"#
        );
        for body in [whole, format!("[{delta}]"), format!("data: {delta}\n\ndata: [DONE]\n\n")] {
            let usual = ingest(body.as_bytes(), Some(Provider::AzureOnYourData)).expect("an answer");
            let read = ingest_azure_on_your_data(body.as_bytes(), AzureScores::default()).expect("an answer");
            assert_eq!(read, usual, "{body}");
            assert_eq!(read.provider, Some(Provider::AzureOnYourData.slug()), "{body}");
        }
    }

    const TAGS: &str = "\u{e006f}\u{e0062}\u{e0065}\u{e0079}";

    /// Passages and label names were once shown and sent with their invisible characters.
    #[test]
    fn what_readers_do_not_see_goes_from_sources_and_labels_of_whole_and_streamed_answers() {
        let hidden = |text: &str| format!("{text}\u{202e}{TAGS}");
        let sources = serde_json::json!([{"title": hidden("Leave"), "content": hidden("30 days"),
            "label": {"name": hidden("Secret"), "description": hidden("ours")}}]);
        let label = serde_json::json!({"name": hidden("Internal")});
        let interpreter = serde_json::json!({"slogan": hidden("Contoso")});
        let whole =
            serde_json::json!({"text": "a [1]", "sources": sources, "label": label, "interpreter": interpreter});
        let events = [
            serde_json::json!({"sources": sources}),
            serde_json::json!({"delta": "a [1]", "label": label, "interpreter": interpreter}),
            serde_json::json!({"done": true}),
        ];
        let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        for body in [whole.to_string(), events] {
            let answer = ingest(body.as_bytes(), None).expect("an answer");
            let source = &answer.sources[0];
            let shield = source.label.as_ref().expect("a label");
            let words = [&source.content, &shield.name, &shield.description, &answer.label.expect("a label").name];
            assert_eq!(words.map(|word| word.as_deref()), ["30 days", "Secret", "ours", "Internal"].map(Some));
            assert_eq!(answer.interpreter.expect("an interpreter").slogan, "Contoso");
            assert_eq!(source.display_title().as_deref(), Some("Leave"));
            let told: Vec<_> = answer.warnings.iter().filter(|entry| entry.code == "unseen").collect();
            assert_eq!(told.len(), 1);
            assert!(told[0].message.ends_with("the sources and labels: 25"), "{}", told[0].message);
        }
    }

    /// Readers were once shown the password in an address of the index.
    #[test]
    fn no_address_of_a_source_names_a_user() {
        let sources = r#"[{"url": "https://user:password@hr.example/a"}, {"filepath": "https://user:password@hr.example/b.pdf"},
            {"title": "https://bank.example@evil.example/"}, {"url": "https://hr.example/@c"}]"#;
        let streamed =
            format!("data: {{\"sources\": {}}}\n\ndata: {{\"delta\": \"a\"}}\n\n", sources.replace('\n', ""));
        for body in [format!(r#"{{"text": "a", "sources": {sources}}}"#), streamed] {
            let answer = answer(&body);
            assert!(!format!("{:?}", answer.sources).contains("password"), "{:?}", answer.sources);
            let [first, second, third, fourth] = &answer.sources[..] else { panic!("four sources") };
            assert_eq!(first.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://hr.example/a"));
            assert_eq!(first.address, None);
            assert_eq!(second.filepath.as_deref(), Some("https://hr.example/b.pdf"));
            assert_eq!(third.title.as_deref(), Some("https://evil.example/"));
            assert_eq!(fourth.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://hr.example/@c"));
            let told = answer.warnings.iter().filter(|entry| entry.code == "url-user");
            assert_eq!(told.count(), 3);
        }
    }

    #[test]
    fn an_error_member_that_says_nothing_ends_no_stream() {
        for none in ["false", "null", "\"\"", "{}", "[]", "0"] {
            let body = format!(
                "data: {{\"error\":{none},\"delta\":\"a\"}}\n\ndata: {{\"error\":{none},\"delta\":\"b\",\"done\":true}}\n\n"
            );
            let native = answer(&body);
            assert_eq!((native.text.as_str(), native.complete, native.error), ("ab", true, None), "{none}");
            let chat = format!(
                "data: {{\"error\":{none},\"choices\":[{{\"delta\":{{\"content\":\"a\"}},\"finish_reason\":\"stop\"}}]}}\n\n"
            );
            assert_eq!((answer(&chat).text.as_str(), answer(&chat).error), ("a", None), "{none}");
            let whole = format!(r#"{{"error":{none},"choices":[{{"message":{{"content":""}}}}]}}"#);
            assert_eq!((answer(&whole).text.as_str(), answer(&whole).error), ("", None), "{none}");
        }
    }

    #[test]
    fn a_stream_that_changes_its_format_names_what_is_not_read() {
        let chat = "data: {\"choices\":[{\"delta\":{\"content\":\"Leave\"}}]}\n\n";
        let claude = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"!\"}}\n\n";
        let native = "data: {\"delta\":\"More\"}\n\n";
        for (body, other) in [(format!("{chat}{claude}{claude}"), "anthropic"), (format!("{chat}{native}"), "citewire")]
        {
            let answer = answer(&body);
            assert_eq!((answer.text.as_str(), answer.complete), ("Leave", false));
            let told: Vec<_> = answer.warnings.iter().filter(|entry| entry.code == "format-changed").collect();
            assert_eq!(told.len(), 1, "{body}");
            assert_eq!(told[0].at, crate::report::At::Pointer("/1".into()));
            assert!(
                told[0]
                    .message
                    .starts_with(&format!("the stream began as openai-chat, and event 2 at line 3 is one of {other}"))
            );
        }
        let usual = answer(&format!("{chat}data: {{\"done\":true}}\n\n"));
        assert!(usual.warnings.is_empty(), "{:?}", usual.warnings);
    }

    #[test]
    fn an_answer_does_not_depend_on_the_cut_of_its_bytes() {
        let lines =
            NATIVE.replace("data: ", "").replace("event: delta\n", "").replace(": ping\n\n", "").replace(",\n", ",");
        for body in [NATIVE.to_owned(), NATIVE.replace('\n', "\r\n"), NATIVE.replace('\n', "\r"), lines] {
            let expected = answer(&body);
            assert!(expected.complete && expected.text == "Süß 😀 [1].");
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(None);
                stream.push(&body.as_bytes()[..cut]).expect("a beginning");
                stream.push(&body.as_bytes()[cut..]).expect("an end");
                assert_eq!(stream.finish().expect("an answer"), expected, "cut at {cut}");
            }
            let mut stream = AnswerStream::new(None);
            for byte in body.as_bytes() {
                stream.push(std::slice::from_ref(byte)).expect("a byte");
            }
            assert_eq!(stream.finish().expect("an answer"), expected);
        }
    }

    /// serde_json refuses such events; they were once skipped, and the answer was empty.
    #[test]
    fn a_character_that_two_deltas_share_is_put_together() {
        type Event = fn(&str) -> String;
        let formats: [(&str, Event); 6] = [
            ("citewire", |text| format!(r#"{{"delta":"{text}"}}"#)),
            ("openai-chat", |text| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#)),
            ("openai-responses", |text| {
                format!(
                    r#"{{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"{text}"}}"#
                )
            }),
            ("anthropic", |text| {
                format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#)
            }),
            ("gemini", |text| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}}}]}}"#)),
            ("bedrock-converse", |text| {
                format!(r#"{{"contentBlockDelta":{{"contentBlockIndex":0,"delta":{{"text":"{text}"}}}}}}"#)
            }),
        ];
        for (slug, event) in formats {
            let from = Some(slug.parse().expect("a format"));
            let events = [r"Great \ud83d", r"\ude00 news [1]. ", r"More.\uD83D", r"\uDE00"].map(event);
            for body in [
                events.join("\n"),
                format!("data: {}\n\n", events.join("\n\ndata: ")),
                format!("[{}]", events.join(",")),
            ] {
                let answer = ingest(body.as_bytes(), from).expect("an answer");
                assert_eq!(answer.text, "Great 😀 news [1]. More.😀", "{slug}: {body}");
                assert!(answer.warnings.iter().all(|entry| entry.code != "half-character"), "{slug}");
            }
            if slug == "bedrock-converse" {
                let wrapped = format!("{{\"stream\":[{}]}}", events.join(","));
                assert_eq!(ingest(wrapped.as_bytes(), None).expect("an answer").text, "Great 😀 news [1]. More.😀");
            }
            let lost = [r"Great \ud83d", " news", r"\ude00"].map(event).join("\n\ndata: ");
            let answer = ingest(format!("data: {lost}").as_bytes(), from).expect("an answer");
            assert_eq!(answer.text, "Great \u{fffd} news\u{fffd}", "{slug}");
            let told: Vec<_> = answer.warnings.iter().filter(|entry| entry.code == "half-character").collect();
            assert!(told.len() == 1 && told[0].message.starts_with("2 halves"), "{slug}: {told:?}");
        }
    }

    #[test]
    fn a_half_of_a_character_at_the_end_of_a_stream_is_replaced() {
        let body =
            "data: {\"delta\":\"a\"}\n\ndata: {\"delta\":\"b\\ud83d\"}\n\ndata: {\"done\":true}\n\ndata: [DONE]\n\n";
        let answer = answer(body);
        assert_eq!((answer.text.as_str(), answer.complete), ("ab\u{fffd}", true));
        assert_eq!(answer.warnings[0].at, crate::report::At::Pointer("/1/delta".into()));
    }

    /// Cutting passages by UTF-16 units leaves half characters; one of them once failed the whole answer.
    #[test]
    fn half_a_character_in_a_passage_does_not_cost_the_answer() {
        let native = r#"{"text":"30 days [1].","sources":[{"content":"cut \ud83d"},{"content":"\ude00 cut \\ud83d"}]}"#;
        let openai = r#"{"choices":[{"message":{"role":"assistant","content":"30 days \ud83d"}}]}"#;
        let read = answer(native);
        assert_eq!(read.sources[0].content.as_deref(), Some("cut \u{fffd}"));
        assert_eq!(read.sources[1].content.as_deref(), Some("\u{fffd} cut \\ud83d"));
        assert_eq!((read.warnings.len(), read.warnings[0].code), (1, "half-character"));
        assert_eq!(read.warnings[0].at, crate::report::At::Pointer("/sources/0/content".into()));
        assert_eq!(answer(openai).text, "30 days \u{fffd}");
    }

    /// Such JSON lines were once read as a whole answer, and refused because of the second line.
    #[test]
    fn a_stream_may_begin_with_an_event_that_says_nothing() {
        for (before, after) in [("data: ", "\n\n"), ("", "\n")] {
            let events = [r#"{"delta":null}"#, r#"{"delta":"a"}"#, r#"{"done":true}"#];
            let body: String = events.iter().map(|event| format!("{before}{event}{after}")).collect();
            assert_eq!(answer(&body).text, "a", "{body}");
        }
    }

    #[test]
    fn events_that_were_read_elsewhere_make_the_answer_that_their_bytes_make() {
        let body =
            "data: {\"sources\":[{\"title\":\"A\"}]}\n\ndata: {\"delta\":\"a [1]\"}\n\ndata: {\"done\":true}\n\n";
        let mut read = AnswerStream::new(AnswerFormat::own());
        let events = read.push(body.as_bytes()).expect("events");
        let mut taken = AnswerStream::new(AnswerFormat::own());
        assert_eq!(taken.take(events.clone(), TokenCounts::default()), events);
        assert_eq!((taken.grammar(), read.grammar()), (Some(MarkerGrammar::ALL), Some(MarkerGrammar::ALL)));
        assert_eq!(taken.finish().expect("an answer"), read.finish().expect("an answer"));
        let mut failed = AnswerStream::new(AnswerFormat::own());
        let text = |text: &str| StreamEvent::Text(text.to_owned());
        let events = vec![text("a"), StreamEvent::Error(ProviderError::default()), text("b")];
        assert_eq!(failed.take(events, TokenCounts::default()).len(), 2);
        let failed = failed.finish().expect("an answer");
        assert_eq!((failed.text.as_str(), failed.complete), ("a", false));
        assert!(AnswerStream::new(AnswerFormat::own()).finish().is_err());
    }

    #[test]
    fn a_push_says_what_is_new() {
        let mut stream = AnswerStream::new(None);
        assert_eq!(stream.grammar(), None);
        assert_eq!(stream.push(b"data: {\"delta\":\"a\"}\n").expect("a part"), []);
        let said = stream.push(b"\ndata: {\"delta\":\"b\",\"sources\":[{}]}\n\n").expect("a part");
        assert_eq!(said[0], StreamEvent::Text("a".into()));
        assert!(matches!(&said[1], StreamEvent::Sources(sources) if sources.len() == 1));
        assert_eq!(said[2], StreamEvent::Text("b".into()));
        assert_eq!(stream.grammar(), Some(MarkerGrammar::ALL));
    }

    #[test]
    fn only_the_providers_own_sign_makes_an_answer_complete() {
        assert!(!answer("data: {\"delta\":\"a\"}\n\ndata: [DONE]\n\n").complete);
        assert!(answer("data: {\"delta\":\"a\"}\n\ndata: {\"done\":true}").complete);
        assert!(!answer("data: {\"delta\":\"a\"}\n\ndata: {\"done\":false}").complete);
        let azure = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
        assert!(!answer(&format!("{azure}data: [DONE]\n\n")).complete);
        let finished =
            answer(&format!("{azure}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"length\"}}]}}\n\n"));
        assert!(finished.complete);
        assert_eq!(
            (finished.warnings[0].code, &finished.warnings[0].at),
            ("finish-reason", &crate::report::At::Pointer("/1/choices/0/finish_reason".into()))
        );
    }

    #[test]
    fn an_error_keeps_what_had_arrived() {
        let body = "data: {\"delta\":\"a\"}\n\ndata: {\"error\":{\"code\":\"boom\",\"message\":\"x\"}}\n\n\
            data: {\"delta\":\"b\"}\n\ndata: {\"done\":true}\n\n";
        let answer = answer(body);
        assert_eq!((answer.text.as_str(), answer.complete), ("a", false));
        assert_eq!(answer.error.expect("an error").to_string(), "boom: x");
        let alone = "data: {\"error\":{\"code\":\"boom\"}}\n\n";
        assert_eq!(refused(alone), "the stream contains no answer: the provider reports an error instead (boom)");
    }

    #[test]
    fn what_follows_the_sentinel_is_ignored() {
        assert_eq!(answer("data: {\"delta\":\"a\"}\n\ndata: [DONE]\n\ndata: {\"delta\":\"b\"}\n\n").text, "a");
    }

    #[test]
    fn an_event_that_is_not_json_is_skipped_and_reported_with_its_place() {
        let body = b"data: nonsense\n\ndata: {\"delta\":\"a\"}\n\ndata: {\"delta\":\n\ndata: \"\xff\"\n\ndata: {\"done\":true}\n\n";
        let answer = ingest(body, None).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.complete), ("a", true));
        let told: Vec<_> = answer.warnings.iter().map(|entry| (entry.code, entry.message.as_str())).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(
            told[1],
            (
                "event-skipped",
                "event 3 at line 5 was skipped: it is not JSON: EOF while parsing a value at its column 9"
            )
        );
        let many = answer_of_many_skipped();
        assert_eq!(many.warnings.len(), MAX_SKIPPED_NOTES + 1);
        assert!(many.warnings[MAX_SKIPPED_NOTES].message.starts_with("100 events"));
    }

    fn answer_of_many_skipped() -> Answer {
        answer(&format!("{}data: {{\"delta\":\"a\"}}\n\n", "data: x\n\n".repeat(100)))
    }

    #[test]
    fn an_event_with_a_wrong_member_is_refused_with_its_place() {
        let error =
            ingest(b"data: {\"delta\":\"a\"}\n\n\ndata: {\"delta\":5}\n\n", None).expect_err("a number is no text");
        assert_eq!(error.to_string(), "event 2 at line 4: /delta: invalid type: integer `5`, expected a string");
        assert_eq!((error.pointer(), error.place()), (Some("/delta"), Some(EventPlace { event: 2, line: 4 })));
        assert_eq!(
            refused("{\"delta\":\"a\"}\n{\"sources\":[{\"title\":[]}]}"),
            "event 2 at line 2: /sources/0/title: invalid type: sequence, expected a string"
        );
    }

    #[test]
    fn a_stream_without_an_answer_says_what_it_holds() {
        assert_eq!(refused("data: [DONE]\n\n"), "the stream contains no answer: it ended before any text");
        let unknown =
            "event: token\ndata: {\"type\": \"token\", \"value\": \"Hi\"}\n\nevent: end\ndata: {\"x\": 1}\n\n";
        assert_eq!(
            refused(unknown),
            "the format was not recognized: its events are named `token`, `end`; its events have `type` \"token\", `value`; or \
             `x`; name it with `from`"
        );
        assert_eq!(
            refused("{\"a\": 1}\n{\"b\": \"\\u001b\"}\n"),
            "the format was not recognized: its events have `a`; or `b`; name it with `from`"
        );
        assert_eq!(
            refused("[{\"a\": 1}, {\"a\": 2}]"),
            "the format was not recognized: its events have `a`; name it with `from`"
        );
        assert_eq!(refused(": ping\n\n"), "the stream contains no answer: it ended before any text");
        assert_eq!(
            refused("data: hello\n\n"),
            "the stream contains no answer: event 1 at line 1 could not be read (it is no JSON object)"
        );
        let strange = "data: {\"x\":1}\n\n".repeat(MAX_UNTOLD + 1);
        assert!(refused(&strange).contains("its first 64 events"));
        assert!(
            ingest(b"data: {\"done\":true}\n\n", None).is_ok_and(|answer| answer.complete && answer.text.is_empty())
        );
    }
}
