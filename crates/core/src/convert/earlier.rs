//! Sources of earlier answers of a conversation, for markers that have none of their own (policy P-17).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::brackets::numbers_in;
use crate::activity::{Activity, Entity, Role};
use crate::answer::{Answer, NumberMeaning, Source};
use crate::cite::{CitedSource, Rules, cite};
use crate::claims::{Claims, Verdict};
use crate::ingest::{Provider, ingest};
use crate::report::{Entry, Kind};
use crate::url::without_directives;

/// The earlier answers whose sources are looked at.
const MOST_ANSWERS: usize = 8;

/// The earlier answers of one conversation, as its readers saw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EarlierAnswers {
    /// The newest first, each with the numbers of its claims.
    answers: Vec<(Arc<Activity>, BTreeSet<usize>)>,
}

impl EarlierAnswers {
    /// The answers among recorded activities, which come the newest first; `None` where none has a source.
    #[must_use]
    pub fn among(activities: impl IntoIterator<Item = Arc<Activity>>) -> Option<Arc<Self>> {
        let answers = activities.into_iter().filter(|activity| is_of_bot(activity));
        let numbered = answers.map(|activity| {
            let numbers = numbers(&activity);
            (activity, numbers)
        });
        let answers: Vec<_> = numbered.filter(|(_, numbers)| !numbers.is_empty()).take(MOST_ANSWERS).collect();
        (!answers.is_empty()).then(|| Arc::new(Self { answers }))
    }

    /// Whether a text in brackets may mean a source of an earlier answer, where `own` sources of its own have arrived.
    pub(super) fn may_mean(&self, label: &str, own: usize) -> bool {
        numbers_in(label).into_iter().any(|number| number > own && self.has(number))
    }

    fn has(&self, number: usize) -> bool {
        self.answers.iter().any(|(_, numbers)| numbers.contains(&number))
    }

    /// Adds the sources that markers without one of their own mean. Each number means what it meant when readers last saw it cited;
    /// sources that were only listed do not count.
    ///
    /// A source whose passage speaks of something else is left out, and a note says so: the number means something else here. Also
    /// returns the claims of the answer, if they were judged for that and still hold.
    pub(super) fn add_to(
        &self,
        answer: &mut Answer,
        judge: impl FnOnce(&Answer) -> Claims,
    ) -> (Vec<Entry>, Option<Claims>) {
        // Elsewhere numbers are not those that readers see.
        if answer.grammar.meaning != NumberMeaning::Places {
            return (Vec::new(), None);
        }
        let own = answer.sources.len();
        let mut wanted: BTreeSet<usize> = numbers_in(&answer.text);
        wanted.retain(|number| *number > own && self.has(*number));
        for (activity, numbers) in &self.answers {
            if wanted.is_disjoint(numbers) {
                continue;
            }
            for (number, source) in cited(activity) {
                if wanted.remove(&number) {
                    answer.sources.push(Source { earlier: u32::try_from(number).ok(), ..source });
                }
            }
        }
        leave_out_foreign(answer, own, judge)
    }
}

/// Leaves out the sources of earlier answers whose passages hold nothing of what they would be cited for.
fn leave_out_foreign(
    answer: &mut Answer,
    own: usize,
    judge: impl FnOnce(&Answer) -> Claims,
) -> (Vec<Entry>, Option<Claims>) {
    if answer.sources.len() == own {
        return (Vec::new(), None);
    }
    let judged = judge(answer);
    // The best verdict about each source: one sentence that it holds is enough.
    let mut verdicts: BTreeMap<usize, Verdict> = BTreeMap::new();
    for claim in &judged.claims {
        for (position, verdict) in claim.positions.iter().copied().zip(claim.verdicts.iter().copied()) {
            verdicts.entry(position).and_modify(|best| *best = verdict.min(*best)).or_insert(verdict);
        }
    }
    let (mut notes, mut position) = (Vec::new(), 0);
    answer.sources.retain(|source| {
        position += 1;
        let number = source.earlier.filter(|_| verdicts.get(&position) == Some(&Verdict::Unsupported));
        notes.extend(number.map(|number| {
            let title = source.display_title().unwrap_or_default();
            let message = format!(
                "the answer has no source {number}, and {title:?}, which readers last saw as [{number}] in this conversation, speaks of something \
                 else: the marker leads nowhere"
            );
            Entry::in_input(Kind::Note, "earlier-source", "", message)
        }));
        number.is_none()
    });
    let judged = notes.is_empty().then_some(judged);
    (notes, judged)
}

/// Notes which badges lead to sources of earlier answers.
pub(super) fn told<'a>(sources: &'a [Source], cited: &'a [CitedSource]) -> impl Iterator<Item = Entry> + 'a {
    let of_earlier = cited.iter().flat_map(|cited| cited.sources.iter().map(|index| (cited.position, index)));
    of_earlier.filter_map(|(position, index)| {
        let source = sources.get(index.0)?;
        let number = source.earlier?;
        let title = source.display_title().unwrap_or_default();
        let message = format!(
            "the answer has no source {number}: [{position}] leads to {title:?}, which readers last saw as [{number}] in this conversation"
        );
        Some(Entry::in_input(Kind::Note, "earlier-source", "", message))
    })
}

fn is_of_bot(activity: &Activity) -> bool {
    activity.kind == "message" && activity.from.as_ref().is_some_and(|from| from.role == Some(Role::Bot))
}

/// The numbers of the claims of an activity.
fn numbers(activity: &Activity) -> BTreeSet<usize> {
    let mut numbers = BTreeSet::new();
    for entity in activity.entities.iter().flatten() {
        match entity {
            Entity::Message(message) => {
                numbers.extend(message.citation.iter().map(|claim| claim.position.position().get() as usize));
            }
            Entity::Other(members) => {
                let claims = members.get("citation").and_then(Value::as_array).into_iter().flatten();
                numbers.extend(claims.filter_map(|claim| match claim.get("position")? {
                    Value::String(position) => position.parse().ok(),
                    Value::Number(position) => usize::try_from(position.as_u64()?).ok(),
                    Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
                }));
            }
            Entity::Odd(_) => {}
        }
    }
    numbers
}

/// The sources that an activity cites in its text, by the numbers that readers see.
fn cited(activity: &Activity) -> BTreeMap<usize, Source> {
    let body = serde_json::to_vec(activity).ok();
    let Some(answer) = body.and_then(|body| ingest(&body, Provider::Activity).ok()) else { return BTreeMap::new() };
    let cited = cite(&answer, &Rules::numbered());
    if cited.listed {
        return BTreeMap::new();
    }
    let sources = cited.sources.iter().flat_map(|cited| &cited.sources).filter_map(|index| answer.sources.get(index.0));
    let numbered = sources.filter_map(|source| Some((source.id.as_deref()?.parse().ok()?, as_seen(source))));
    numbered.collect()
}

/// A source as readers saw it. It has no name of its own for markers, and its address marks no sentence of the earlier answer.
fn as_seen(source: &Source) -> Source {
    let url = source.url.as_ref();
    Source {
        id: None,
        marker: None,
        url: url.and_then(|url| without_directives(url.as_str()).parse().ok()),
        pointer: String::new(),
        ..source.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::json;

    use super::super::{Conversion, Converted, Grounding, Stopwatch, Streaming, convert};
    use super::*;
    use crate::claims::claims;
    use crate::dialect::Dialect;
    use crate::report::Report;

    /// An answer as it is recorded.
    fn recorded(body: &Value, dialect: Dialect) -> Arc<Activity> {
        let converted = convert(body.to_string().as_bytes(), &Conversion::to(dialect)).expect("an activity");
        let mut activity = json!(converted.activities.last().expect("a message"));
        activity["from"] = json!({"id": "bot", "role": "bot"});
        Arc::new(serde_json::from_value(activity).expect("an activity"))
    }

    fn source(title: &str, content: &str) -> Value {
        json!({"title": title, "url": format!("https://x.example/{title}"), "content": content})
    }

    fn leave() -> Value {
        json!({"text": "Leave is 25 days [1]. The canteen opens at noon [2].",
            "sources": [source("Leave", "Leave is 25 days."), source("Canteen", "The canteen opens at noon.")]})
    }

    /// Of the newest answer first.
    fn after(answers: &[Value], dialect: Dialect) -> Conversion {
        let earlier = EarlierAnswers::among(answers.iter().map(|answer| recorded(answer, dialect)));
        Conversion { earlier, ..Conversion::to(dialect) }
    }

    fn converted(body: &Value, conversion: &Conversion) -> Converted {
        convert(body.to_string().as_bytes(), conversion).expect("an activity")
    }

    /// The text before the definitions, and the addresses of the claims without directives.
    fn shown(converted: &Converted) -> (String, Vec<String>) {
        let message = json!(converted.activities.last().expect("a message"));
        let text = message["text"].as_str().expect("a text").split("\n\n[").next().unwrap_or_default().to_owned();
        let claims = message["entities"][0]["citation"].as_array().cloned().unwrap_or_default();
        let url =
            |claim: &Value| without_directives(claim["appearance"]["url"].as_str().unwrap_or_default()).to_owned();
        (text, claims.iter().map(url).collect())
    }

    #[test]
    fn a_marker_without_a_source_of_its_own_leads_to_what_readers_saw() {
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            let conversion = after(&[leave()], dialect);
            let follow_up = converted(&json!({"text": "In short: it opens at noon [2]."}), &conversion);
            let (text, urls) = shown(&follow_up);
            assert_eq!(
                (text.as_str(), urls),
                ("In short: it opens at noon [1].", vec!["https://x.example/Canteen".to_owned()])
            );
            let note = follow_up.report.notes.iter().find(|note| note.code == "earlier-source").expect("a note");
            assert!(note.message.contains("no source 2") && note.message.contains("\"Canteen\""), "{}", note.message);
            assert_eq!((follow_up.report.sources.cited, follow_up.report.sources.uncited), (0, 0));
            assert_eq!(follow_up.report.support[0].verdict, "supported-words");
        }
    }

    /// Counts the checks.
    #[derive(Debug, Default)]
    struct Counter(AtomicUsize);

    impl Stopwatch for Counter {
        fn support_check(&self, check: &mut dyn FnMut()) {
            self.0.fetch_add(1, Ordering::Relaxed);
            check();
        }
    }

    #[test]
    fn a_follow_up_is_judged_once() {
        let counter = Arc::new(Counter::default());
        let stopwatch: Arc<dyn Stopwatch> = Arc::<Counter>::clone(&counter);
        let conversion = Conversion { stopwatch: Some(stopwatch), ..after(&[leave()], Dialect::WebChat) };
        let follow_up = converted(&json!({"text": "In short: it opens at noon [2]."}), &conversion);
        assert_eq!(follow_up.report.support[0].verdict, "supported-words");
        assert_eq!(counter.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn sources_of_the_answer_itself_always_win() {
        let conversion = after(&[leave()], Dialect::WebChat);
        let own = json!({"text": "Parking is free [1]. It opens at noon [2], and [3] stays.", "sources": [source("Parking", "Parking is free.")]});
        let follow_up = converted(&own, &conversion);
        let (text, urls) = shown(&follow_up);
        assert_eq!(text, "Parking is free [1]. It opens at noon [2], and [3] stays.");
        assert_eq!(urls, ["https://x.example/Parking", "https://x.example/Canteen"]);
        assert_eq!(follow_up.report.unresolved.len(), 1, "{:?}", follow_up.report.unresolved);
        assert_eq!(follow_up.report.sources.cited, 1);
        let list = json!({"text": "Both [1, 2].", "sources": [source("Parking", "Parking is free.")]});
        assert_eq!(shown(&converted(&list, &conversion)).1, urls);
    }

    #[test]
    fn a_number_means_what_it_meant_last_and_a_listed_source_was_not_cited() {
        let newer = json!({"text": "The gate closes at six [1].", "sources": [source("Gate", "It closes at six.")]});
        let conversion = after(&[newer, leave()], Dialect::WebChat);
        let follow_up = |text: &str| shown(&converted(&json!({"text": text}), &conversion)).1;
        assert_eq!(follow_up("At six [1], at noon [2]."), ["https://x.example/Gate", "https://x.example/Canteen"]);
        assert_eq!(follow_up("See `[1]` and [9]."), [""; 0]);
        let listed = json!({"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "a"},
            {"type": "source-url", "sourceId": "1", "url": "https://x.example/Listed"}]});
        let conversion = after(&[listed], Dialect::WebChat);
        let unresolved = converted(&json!({"text": "So it is [1]."}), &conversion);
        assert_eq!(shown(&unresolved), ("So it is [1].".to_owned(), Vec::new()));
    }

    #[test]
    fn a_number_whose_earlier_passage_speaks_of_something_else_leads_nowhere() {
        let passage = "Leave is 25 days a year for all employees. Parking is free for visitors of the house.";
        let earlier = json!({"text": "Leave is 25 days a year [1].", "sources": [source("Leave", passage)]});
        let conversion = after(&[earlier], Dialect::WebChat);
        let other = "The gate to the garden closes at six in the evening during winter [1].";
        let follow_up = converted(&json!({"text": other}), &conversion);
        assert_eq!(shown(&follow_up), (other.to_owned(), Vec::new()));
        let note = follow_up.report.notes.iter().find(|note| note.code == "earlier-source").expect("a note");
        assert!(note.message.contains("\"Leave\"") && note.message.contains("leads nowhere"), "{}", note.message);
        // One sentence that the passage holds is enough.
        let both = converted(&json!({"text": format!("{other} Leave is 25 days [1].")}), &conversion);
        assert_eq!(shown(&both).1, ["https://x.example/Leave"]);
    }

    #[test]
    fn users_and_numbers_that_are_ids_name_no_earlier_source() {
        let mut of_user = (*recorded(&leave(), Dialect::WebChat)).clone();
        of_user.from.as_mut().expect("a sender").role = Some(Role::User);
        assert_eq!(EarlierAnswers::among([Arc::new(of_user)]), None);
        let mut answer = Answer { text: "a [2]".into(), ..Answer::default() };
        answer.grammar.meaning = NumberMeaning::Ids;
        after(&[leave()], Dialect::WebChat).earlier.expect("answers").add_to(&mut answer, claims);
        assert!(answer.sources.is_empty());
    }

    #[test]
    fn a_source_of_an_earlier_answer_is_a_citation_but_no_use_of_tools() {
        let mut conversion = after(&[leave()], Dialect::WebChat);
        let body = json!({"text": "It opens at noon [2]."});
        for (wanted, is_grounded) in
            [(Grounding::Any, true), (Grounding::Anchored, true), (Grounding::Extracted, false)]
        {
            conversion.options.require_grounding = wanted;
            assert_eq!(convert(body.to_string().as_bytes(), &conversion).is_ok(), is_grounded, "{wanted:?}");
        }
    }

    #[test]
    fn a_stream_ends_with_the_message_of_the_whole_answer_at_every_cut() {
        let own = json!({"sources": [source("Parking", "Parking is free.")]});
        let events = [
            own,
            json!({"delta": "Parking is free [1]. It opens "}),
            json!({"delta": "at noon [2], they say [7]."}),
            json!({"done": true}),
        ];
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let whole = json!({"text": "Parking is free [1]. It opens at noon [2], they say [7].", "sources": events[0]["sources"]});
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            let conversion = after(&[leave()], dialect);
            let whole = converted(&whole, &conversion);
            for at in 0..=body.len() {
                let mut streaming = Streaming::new(conversion.clone());
                for part in [&body[..at], &body[at..]] {
                    streaming.push(part.as_bytes()).expect("a stream");
                }
                let ended = streaming.end().expect("a message");
                assert!(ended.continues, "{dialect:?} at {at}");
                assert_eq!(json!(ended.message), json!(whole.activities[0]), "{dialect:?} at {at}");
                let told = |report: &Report| (report.notes.clone(), report.unresolved.clone(), report.support.clone());
                assert_eq!(told(&ended.report), told(&whole.report), "{dialect:?} at {at}");
            }
        }
    }
}
