//! Answers through a channel that refuses anything at any time: whatever it refuses, its user has one answer, or none and is told
//! so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use proptest::prelude::*;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::tests::{Dead, Paused, read};
use super::*;
use crate::activity::Activity;
use crate::azure_bot::{ActivitySink, Refusal, RefusalCause, RefusalKind};
use crate::convert::Conversion;
use crate::dialect::{Dialect, Pacing};

const ANSWER: &str = "Leave is 30 days [1]. Ask before you go [1].";
const APOLOGY: &str = "Sorry, that did not work.";

/// The fate of one call: taken, refused, or lost, in which case it may have been taken.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Taken,
    Refused(RefusalKind),
    Lost { taken: bool },
}

/// The view of a user.
#[derive(Clone, Debug, Default)]
struct View {
    /// The bubble of the stream, and whether it has ended.
    stream: Option<(String, bool)>,
    messages: Vec<String>,
    calls: usize,
    /// Whether the stop button was pressed.
    stopped: bool,
}

impl View {
    fn texts(&self) -> impl Iterator<Item = &str> {
        let stream = self.stream.iter().filter(|(_, ended)| *ended).map(|(text, _)| text.as_str());
        stream.chain(self.messages.iter().map(String::as_str))
    }

    fn answers(&self) -> usize {
        self.texts().filter(|text| text.starts_with(ANSWER)).count()
    }

    fn ending_with(&self, words: &str) -> usize {
        self.texts().filter(|text| text.ends_with(words)).count()
    }
}

/// A channel with a fate for each call. After those it takes everything.
struct Fated {
    view: Arc<Mutex<View>>,
    fates: std::vec::IntoIter<Fate>,
    can_replace: bool,
}

impl Fated {
    fn meet(&mut self, activity: &Activity, replaces: bool) -> Result<Option<String>, Refusal> {
        let mut view = self.view.lock().expect("a lock");
        view.calls += 1;
        let data =
            activity.channel_data.as_ref().and_then(|data| data.get("streamType")).and_then(|kind| kind.as_str());
        let completed = view.stream.as_ref().is_some_and(|(_, ended)| *ended);
        let fate = match self.fates.next().unwrap_or(Fate::Taken) {
            Fate::Taken | Fate::Lost { .. } if data.is_some() && completed => Fate::Refused(RefusalKind::Completed),
            Fate::Taken | Fate::Lost { .. } if replaces && !self.can_replace => Fate::Refused(RefusalKind::Unsupported),
            // No service says this of a stream that it has not completed.
            Fate::Refused(RefusalKind::Completed) if !completed => Fate::Refused(RefusalKind::Faulty),
            fate @ (Fate::Taken | Fate::Refused(_) | Fate::Lost { .. }) => fate,
        };
        view.stopped |= matches!(fate, Fate::Refused(RefusalKind::Cancelled));
        let text = activity.text.clone().unwrap_or_default();
        if matches!(fate, Fate::Taken | Fate::Lost { taken: true }) {
            match data {
                Some(kind) => view.stream = Some((text, kind == "final")),
                None if replaces => view.stream = Some((text, true)),
                None => view.messages.push(text),
            }
        }
        let refused = |kind| Refusal { kind, retry_after: None, repeated: false, cause: RefusalCause::Gone };
        match fate {
            Fate::Taken => Ok(Some("a-1".to_owned())),
            Fate::Refused(kind) => Err(refused(kind)),
            Fate::Lost { .. } => Err(refused(RefusalKind::Lost)),
        }
    }
}

#[async_trait]
impl ActivitySink for Fated {
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        self.meet(&activity, false)
    }

    async fn replace(&mut self, _id: &str, activity: Activity) -> Result<(), Refusal> {
        self.meet(&activity, true).map(drop)
    }

    fn can_stream(&self) -> bool {
        true
    }
}

/// How an answer has ended: whether its user is said to have it, and whether the words in its place were taken.
async fn end(view: &Arc<Mutex<View>>, dialect: Dialect, pacing: Pacing, fates: Vec<Fate>) -> (Option<Ended>, bool) {
    let sink = Fated { view: Arc::clone(view), fates: fates.into_iter(), can_replace: pacing.can_replace };
    let clock = Arc::new(Paused(Instant::now()));
    let mut answer = ConnectorAnswer::begin(Box::new(sink), dialect, pacing, clock);
    answer.inform("Looking it up …").await;
    let source = json!({"sources": [{"title": "Leave", "url": "https://hr.example/leave"}]});
    let deltas = ["Leave is ", "30 days [1]. ", "Ask before "].map(|delta| json!({"delta": delta}));
    // The end comes with the last words, so that what was shown is never all of it.
    let last = json!({"delta": "you go [1].", "done": true});
    let events = [source].into_iter().chain(deltas).chain([last]);
    let body = stream::iter(events).then(|event| async move {
        sleep(Duration::from_secs(2)).await;
        Ok::<_, Dead>(Bytes::from(format!("data: {event}\n\n")))
    });
    match answer.follow(Conversion::to(dialect), read(body)).await {
        Ok(followed) => (Some(followed.answered.ended), false),
        Err(unanswered) => (None, unanswered.answer.close(APOLOGY).await.is_ok()),
    }
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let kinds = RefusalKind::ALL.into_iter().filter(|kind| *kind != RefusalKind::Lost).collect::<Vec<_>>();
    let fate = prop_oneof![
        3 => Just(Fate::Taken),
        4 => prop::sample::select(kinds).prop_map(Fate::Refused),
        1 => any::<bool>().prop_map(|taken| Fate::Lost { taken }),
    ];
    prop::collection::vec(fate, 0..16)
}

proptest! {
    #[test]
    fn whatever_a_channel_refuses_its_user_has_one_answer_or_is_told_that_there_is_none(
        fates in fates(),
        (dialect, pacing) in prop::sample::select(vec![
            (Dialect::Teams, Pacing::TEAMS),
            (Dialect::M365Copilot, Pacing::M365_COPILOT),
        ]),
    ) {
        let view = Arc::new(Mutex::new(View::default()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let (ended, told) = runtime.expect("a runtime").block_on(end(&view, dialect, pacing, fates));
        let view = view.lock().expect("a lock").clone();
        let words = view.ending_with(APOLOGY);
        let doubts = view.ending_with(&ConnectorTexts::default().doubt);
        prop_assert!(view.answers() <= 1, "{view:?}");
        prop_assert!(words + doubts <= 1 && view.calls < 60, "{view:?}");
        match ended {
            Some(Ended::Whole) => prop_assert_eq!((view.answers(), words + doubts), (1, 0), "{:?}", view),
            Some(Ended::Stopped) => prop_assert_eq!(words + doubts, 0, "{:?}", view),
            // An apology for an answer that is there would be a lie.
            None => {
                prop_assert!(words == 0 || view.answers() == 0, "{view:?}");
                prop_assert!(!told || view.stopped || words + doubts == 1, "{view:?}");
            }
        }
    }
}
