//! Builds an answer from the events of a stream as they arrive. This module knows no format but the given one, so that
//! formats whose whole answers contain events can use it, too.

use std::collections::HashSet;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use super::account::Account;
use super::event::{Arrived, Event, ReadEvents, SENTINEL, StreamEvent};
use super::format::{Format, Members};
use super::mapping::{MappedEvents, Mapping, Mappings};
use super::surrogate_joiner::{JoinedEvent, SurrogateJoiner};
use super::surrogates::{Lost, mended_with_note};
use super::token_counts::token_counts;
use super::{EventPlace, IngestError, Provider, json};
use crate::answer::{Answer, MarkerGrammar, ProviderError, TakenOut, TokenCounts};
use crate::report::{Entry, Kind};

/// The maximum number of events before an event that reveals the format.
pub(super) const MAX_UNTOLD: usize = 64;

/// The maximum number of kinds of events that an error about an unknown format shows.
const MAX_SHOWN: usize = 4;

/// The maximum number of kinds of events that are compared with other formats.
const MAX_KINDS: usize = 64;

/// The maximum number of skipped events that are reported individually.
pub(super) const MAX_SKIPPED_NOTES: usize = 20;

/// Formats that share the kinds of their events, and tell themselves apart by one event of many.
const SHARED: [&[Provider]; 2] = [
    &[Provider::AzureAgents, Provider::OpenAiAssistants],
    &[Provider::OpenAiResponses, Provider::PerplexityAgent, Provider::Xai],
];

/// How the format of the events is determined.
#[derive(Clone, Debug)]
enum Told {
    ByCaller(&'static Format),
    /// By the caller, with a mapping.
    Mapped,
    /// By the first event that a mapping recognizes, or for which this function returns a format.
    ByEvents(OfEvent, Mappings),
}

/// Detects the format of an event; `None` if it has no known members.
pub(super) type OfEvent = fn(&str) -> Result<Option<&'static Format>, IngestError>;

#[derive(Debug)]
pub(super) struct GrowingAnswer {
    told: Told,
    reader: Option<Box<dyn ReadEvents>>,
    /// The provider of that reader's format.
    provider: Option<Provider>,
    /// The number of events before the one that reveals the format.
    untold: usize,
    /// Members of these events, each kind once, for an error.
    shown: Vec<String>,
    /// Detects events of other formats in the stream; `None` if nothing is compared.
    of_event: Option<OfEvent>,
    /// The format whose reader was made first.
    format: Option<&'static Format>,
    /// The kinds of events that said nothing, each of which is compared with other formats once.
    silent: HashSet<String>,
    /// Whether an event of another format was reported.
    changed: bool,
    /// These events, if a mapping may read them.
    kept: Vec<JoinedEvent>,
    answer: Answer,
    ended: bool,
    skipped: usize,
    /// A record of the content removed because readers must not get it.
    taken: TakenOut,
    first_skipped: Option<(EventPlace, String)>,
    torn: SurrogateJoiner,
    lost: Lost,
    account: Account,
}

impl GrowingAnswer {
    /// An empty answer in this format.
    pub(super) fn of(format: &'static Format) -> Self {
        Self::new(Told::ByCaller(format))
    }

    /// An empty answer in this format, which reports events that `of_event` finds to be of another one.
    pub(super) fn given(format: &'static Format, of_event: OfEvent) -> Self {
        Self { of_event: Some(of_event), ..Self::of(format) }
    }

    /// An empty answer that a mapping reads.
    pub(super) fn mapped(mapping: Arc<Mapping>) -> Self {
        let mut answer = Self::new(Told::Mapped);
        answer.read_with(Box::new(MappedEvents::new(mapping)), None);
        answer
    }

    /// An empty answer whose format a mapping or `of_event` detects in its events.
    pub(super) fn told_by(of_event: OfEvent, mappings: Mappings) -> Self {
        Self { of_event: Some(of_event), ..Self::new(Told::ByEvents(of_event, mappings)) }
    }

    fn new(told: Told) -> Self {
        Self {
            told,
            reader: None,
            provider: None,
            untold: 0,
            shown: Vec::new(),
            of_event: None,
            format: None,
            silent: HashSet::new(),
            changed: false,
            kept: Vec::new(),
            answer: Answer::default(),
            ended: false,
            skipped: 0,
            taken: TakenOut::default(),
            first_skipped: None,
            torn: SurrogateJoiner::default(),
            lost: Lost::default(),
            account: Account::default(),
        }
    }

    /// An empty answer in this format whose events another reader than usual reads.
    pub(super) fn read_by(reader: Box<dyn ReadEvents>, format: &'static Format) -> Self {
        let mut answer = Self::of(format);
        answer.read_with(reader, Some(format.provider));
        answer
    }

    /// The brackets that are markers in the text; `None` until the format is known.
    pub(super) fn grammar(&self) -> Option<MarkerGrammar> {
        self.reader.as_ref().map(|reader| reader.grammar())
    }

    /// The token counts that the provider has reported so far.
    pub(super) fn token_counts(&self) -> TokenCounts {
        self.answer.token_counts
    }

    /// Takes events whose meaning is known already, in order. Returns them as readers may see them; nothing follows an error.
    pub(super) fn take_read(&mut self, events: Vec<StreamEvent>) -> Vec<StreamEvent> {
        if let (None, Told::ByCaller(format)) = (&self.reader, &self.told) {
            let format = *format;
            self.read_with((format.reader)(), Some(format.provider));
        }
        let mut taken = Vec::with_capacity(events.len());
        for mut event in events {
            if self.ended {
                break;
            }
            event.clean(&mut self.taken);
            self.fold(&event);
            taken.push(event);
        }
        taken
    }

    /// Takes token counts that were read elsewhere.
    pub(super) fn count(&mut self, counts: TokenCounts) {
        self.answer.token_counts.renew(counts);
    }

    /// Reads events. Returns their meaning, in order.
    ///
    /// # Errors
    /// When an event makes the answer unusable. Do not use the answer after that.
    pub(super) fn take_all(&mut self, arrived: &Arrived) -> Result<Vec<StreamEvent>, IngestError> {
        let mut said = Vec::with_capacity(arrived.len());
        for event in arrived.iter() {
            self.take(event, &mut said)?;
        }
        Ok(said)
    }

    /// Ends the stream and returns the answer. If the end sign is missing, `complete` is false.
    ///
    /// # Errors
    /// When the last events make it unusable, or no text and no end sign has arrived.
    pub(super) fn finish(mut self) -> Result<Answer, IngestError> {
        let kept = self.torn.release();
        self.take_kept(kept, &mut Vec::new())?;
        if let Some(seen) = self.unrecognized() {
            return Err(IngestError::Unrecognized { seen });
        }
        let mut provider = self.provider;
        // The reader may know a reason, and it ends with the answer.
        let known_reason = self.reader.as_ref().and_then(|reader| reader.nothing());
        if let Some(reader) = self.reader.take() {
            provider = reader.told_provider().or(provider);
            reader.finish(&mut self.answer);
        }
        if self.answer.text.is_empty() && !self.answer.complete {
            return Err(IngestError::NoAnswer { reason: self.nothing(known_reason) });
        }
        let Self { mut answer, skipped, lost, taken, account, .. } = self;
        answer.warnings.extend(lost.entry());
        let unread = account.unread(&answer);
        answer.warnings.extend(unread);
        answer.clean(taken);
        if skipped > MAX_SKIPPED_NOTES {
            let message = format!("{skipped} events could not be read; the first {MAX_SKIPPED_NOTES} are listed");
            answer.warnings.push(Entry::in_input(Kind::Note, "events-skipped", "", message));
        }
        Ok(match provider {
            Some(provider) => provider.gave(answer),
            None => answer,
        })
    }

    /// Builds the answer from a JSON list of events.
    ///
    /// # Errors
    /// Like [`take_all`](Self::take_all) and [`finish`](Self::finish).
    pub(super) fn of_list(mut self, body: &str) -> Result<Answer, IngestError> {
        json::read::<IgnoredAny>(body)?;
        let events: Vec<&RawValue> = serde_json::from_str(body).unwrap_or_default();
        let (mut seen, mut line) = (0, 1);
        for (at, event) in events.into_iter().map(RawValue::get).enumerate() {
            let start = event.as_ptr().addr() - body.as_ptr().addr();
            line += body[seen..start].matches('\n').count();
            seen = start;
            self.take(Event { number: at + 1, line, data: event.as_bytes(), name: "" }, &mut Vec::new())?;
        }
        self.finish()
    }

    /// Members that a stream of an unknown format had instead of known events. A stream without any JSON object has none.
    fn unrecognized(&self) -> Option<String> {
        let is_unknown = self.reader.is_none() && !self.shown.is_empty();
        is_unknown.then(|| format!("its events have {}", self.shown.join("; or ")))
    }

    /// The reason why there is no answer.
    fn nothing(&self, known_reason: Option<String>) -> String {
        match (&self.answer.error, &self.first_skipped) {
            (Some(error), _) => format!("the provider reports an error instead ({error})"),
            (None, Some((place, reason))) => format!("{place} could not be read ({reason})"),
            (None, None) => known_reason.unwrap_or_else(|| "it ended before any text".to_owned()),
        }
    }

    fn take(&mut self, event: Event<'_>, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        if self.ended {
            // Nothing behind the end is read, but a source there is reported.
            if let Ok(json) = std::str::from_utf8(event.data) {
                self.account.event(json, || event.pointer());
            }
            return Ok(());
        }
        // Only objects can continue a text whose last character was split.
        let data = std::str::from_utf8(event.data).map(str::trim);
        if let Some(json) = data.ok().filter(|data| data.starts_with('{') || self.takes_list(data)) {
            if self.torn.pass(json) {
                return self.take_object(event, json, said);
            }
            let kept = self.torn.push(event, json);
            return self.take_kept(kept, said);
        }
        let kept = self.torn.release();
        self.take_kept(kept, said)?;
        match data {
            _ if self.ended => {}
            Ok(SENTINEL) => {
                self.ended = true;
                if let Some(reader) = &mut self.reader {
                    reader.take_sentinel();
                }
            }
            Ok(data) if self.reads_any_data() => return self.take_object(event, data, said),
            Ok(data) if self.reader.as_ref().is_some_and(|reader| reader.passes_over(data)) => {}
            Ok(_) => self.skip(event, "it is no JSON object".to_owned()),
            Err(_) => self.skip(event, "it is not UTF-8".to_owned()),
        }
        Ok(())
    }

    /// Whether an event is a JSON list, and the format has such events.
    fn takes_list(&self, data: &str) -> bool {
        data.starts_with('[')
            && data != SENTINEL
            && match (&self.reader, &self.told) {
                (Some(reader), _) => reader.takes_lists(),
                (None, Told::ByCaller(format)) => (format.reader)().takes_lists(),
                (None, Told::ByEvents(of_event, _)) => matches!(of_event(data), Ok(Some(_))),
                (None, Told::Mapped) => false,
            }
    }

    fn take_kept(&mut self, kept: Vec<JoinedEvent>, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        for kept in kept {
            if self.ended {
                break;
            }
            let event = kept.event();
            let (json, lost) = mended_with_note(kept.json(), &event.pointer());
            self.lost.add(lost);
            self.take_object(event, &json, said)?;
        }
        Ok(())
    }

    fn take_object(&mut self, event: Event<'_>, data: &str, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        self.account.event(data, || event.pointer());
        if self.reader.is_none() {
            let told = match self.told.clone() {
                Told::ByCaller(format) => Ok(Some(format)),
                Told::Mapped => Ok(None),
                Told::ByEvents(of_event, mappings) => {
                    let recognizes = |mapping: &&Arc<Mapping>| mapping.recognizes_event(&event, data);
                    let recognized = mappings.recognizable().find(recognizes).map(Arc::clone);
                    if let Some(mapping) = recognized {
                        return self.read_mapped(mapping, event, data, said);
                    }
                    if data.starts_with(['{', '[']) { of_event(data) } else { Ok(None) }
                }
            };
            match told {
                Ok(Some(format)) => {
                    self.format = Some(format);
                    self.read_with((format.reader)(), Some(format.provider));
                }
                Ok(None) => return self.pass_untold(event, data),
                Err(error) => return self.refuse(event, error),
            }
        }
        self.read_counted(event, data, said)
    }

    /// Reads an event, and the tokens that it counts.
    fn read_counted(&mut self, event: Event<'_>, data: &str, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        let reader_counts = self.reader.as_ref().is_some_and(|reader| reader.counts_tokens());
        if let Some(counts) = if reader_counts { None } else { token_counts(data) } {
            self.answer.token_counts.renew(counts);
        }
        self.read(event, data, said)?;
        if let Some(counts) = self.reader.as_mut().and_then(|reader| reader.take_counts()) {
            self.answer.token_counts.renew(counts);
        }
        Ok(())
    }

    /// Passes over an event that does not reveal the format, and keeps what it has for an error.
    fn pass_untold(&mut self, event: Event<'_>, data: &str) -> Result<(), IngestError> {
        self.untold += 1;
        if self.may_be_mapped() {
            self.kept.push(JoinedEvent::new(event, data.to_owned()));
        }
        if self.shown.len() < MAX_SHOWN && data.starts_with('{') {
            let shown = json::read::<Members>(data).map(|members| shown(&members))?;
            if !self.shown.contains(&shown) {
                self.shown.push(shown);
            }
        }
        if self.untold <= MAX_UNTOLD {
            return Ok(());
        }
        let shown = self.shown.join("; or ");
        let seen = format!("its first {MAX_UNTOLD} events contain no known event; they have {shown}");
        Err(IngestError::Unrecognized { seen })
    }

    fn read_with(&mut self, reader: Box<dyn ReadEvents>, provider: Option<Provider>) {
        self.answer.grammar = reader.grammar();
        self.reader = Some(reader);
        self.provider = provider;
    }

    /// Reads an event by the mapping that recognizes it, and the events before it.
    fn read_mapped(
        &mut self,
        mapping: Arc<Mapping>,
        event: Event<'_>,
        data: &str,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        self.read_with(Box::new(MappedEvents::new(mapping)), None);
        for kept in std::mem::take(&mut self.kept) {
            self.read_counted(kept.event(), kept.json(), said)?;
        }
        self.read_counted(event, data, said)
    }

    fn may_be_mapped(&self) -> bool {
        match &self.told {
            Told::ByCaller(_) => false,
            Told::Mapped => true,
            Told::ByEvents(_, mappings) => mappings.recognizable().next().is_some(),
        }
    }

    /// Whether events count whose data is no JSON object.
    fn reads_any_data(&self) -> bool {
        self.reader.as_ref().map_or_else(|| self.may_be_mapped(), |reader| reader.reads_any_data())
    }

    fn read(&mut self, event: Event<'_>, json: &str, said: &mut Vec<StreamEvent>) -> Result<(), IngestError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let before = said.len();
        if let Err(error) = reader.read(event, json, &mut self.answer.warnings, said) {
            // An event that cannot be read to its end has no effect.
            said.truncate(before);
            return self.refuse(event, error);
        }
        if said.len() == before {
            self.compare(event, json);
        }
        for event in &mut said[before..] {
            event.clean(&mut self.taken);
            self.fold(event);
        }
        Ok(())
    }

    /// Reports an event of another format, from which the reader takes nothing: the stream changed on its way. Of each kind of
    /// event only the first is compared, because most streams have many that say nothing.
    fn compare(&mut self, event: Event<'_>, json: &str) {
        let (Some(of_event), Some(format), false) = (self.of_event, self.format, self.changed) else { return };
        let kind = kind(json);
        if self.silent.len() == MAX_KINDS || self.silent.contains(kind) {
            return;
        }
        self.silent.insert(kind.to_owned());
        let Ok(members) = json::read::<Members>(json) else { return };
        // Services that share the chunks of chat completions tell themselves apart by one chunk of many.
        if members.contains_key("choices") && format.members.iter().any(|names| names.contains(&"choices")) {
            return;
        }
        let shares = |provider: Provider| SHARED.iter().find(|family| family.contains(&provider));
        let other = of_event(json).ok().flatten().filter(|other| !std::ptr::eq(*other, format));
        let Some(other) = other.filter(|_| !(format.is_event)(&members)) else { return };
        if shares(format.provider).is_some_and(|family| family.contains(&other.provider)) {
            return;
        }
        // Events without text or sources, such as `{"done": true}`, are no second answer.
        if other.provider == Provider::Native && !["delta", "sources"].iter().any(|name| members.contains_key(*name)) {
            return;
        }
        self.changed = true;
        let place = EventPlace { event: event.number, line: event.line };
        let (began, other) = (format.provider.slug(), other.provider.slug());
        let message = format!(
            "the stream began as {began}, and {place} is one of {other}: events of another format are not read; send each \
             answer as a stream of its own"
        );
        self.answer.warnings.push(Entry::in_input(Kind::Dropped, "format-changed", event.pointer(), message));
    }

    fn fold(&mut self, event: &StreamEvent) {
        let answer = &mut self.answer;
        match event {
            StreamEvent::Text(delta) => answer.text.push_str(delta),
            StreamEvent::Sources(sources) => answer.sources.extend_from_slice(sources),
            StreamEvent::Cited(_) | StreamEvent::Late => {}
            StreamEvent::Label(label) => answer.label = Some(label.clone()),
            StreamEvent::Interpreter(interpreter) => answer.interpreter = Some(interpreter.clone()),
            StreamEvent::Code(code) => answer.code = Some(code.clone()),
            StreamEvent::Note(entry) => answer.warnings.push(entry.clone()),
            StreamEvent::Done => answer.complete = true,
            StreamEvent::Error(error) => {
                answer.complete = false;
                answer.error = Some(ProviderError::clone(error));
                self.ended = true;
            }
        }
    }

    /// Skips an event that is not JSON, which must not end the stream (rule T-06). An event with unusable JSON ends it with
    /// an error.
    fn refuse(&mut self, event: Event<'_>, error: IngestError) -> Result<(), IngestError> {
        if let IngestError::NotJson { reason, column, .. } = error {
            self.skip(event, format!("it is not JSON: {reason} at its column {column}"));
            return Ok(());
        }
        let place = EventPlace { event: event.number, line: event.line };
        Err(IngestError::Event { place, source: Box::new(error) })
    }

    fn skip(&mut self, event: Event<'_>, reason: String) {
        self.skipped += 1;
        let place = EventPlace { event: event.number, line: event.line };
        if self.skipped <= MAX_SKIPPED_NOTES {
            let message = format!("{place} was skipped: {reason}");
            self.answer.warnings.push(Entry::in_input(Kind::Dropped, "event-skipped", event.pointer(), message));
        }
        self.first_skipped.get_or_insert((place, reason));
    }
}

/// The sign that distinguishes an event of a stream from others: the name of its first member, with the value if that is a kind.
fn kind(json: &str) -> &str {
    let mut quotes = memchr::memchr_iter(b'"', json.as_bytes());
    let (Some(start), Some(end)) = (quotes.next(), quotes.next()) else { return json.get(..1).unwrap_or_default() };
    if !matches!(&json[start + 1..end], "type" | "event" | "event_type" | "eventType" | "object") {
        return &json[start..end];
    }
    let end = quotes.nth(1).unwrap_or(end);
    &json[start..end]
}

/// The members of an event, for an error: `` `data`, `type` "token" ``.
fn shown(members: &Members) -> String {
    let line = |text: &str| text.chars().take(40).collect::<String>().escape_debug().to_string();
    let shown = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        ("type" | "event", Value::String(kind)) => format!("`{name}` \"{}\"", line(kind)),
        _ => format!("`{}`", line(name)),
    };
    let names: Vec<String> = members.iter().take(12).map(shown).collect();
    if names.is_empty() { "no members".to_owned() } else { names.join(", ") }
}
