//! The service fails in each way at each call of an answer: its user always ends with exactly one complete answer or one honest
//! apology.

use std::time::Duration;

use citewire::channels::azure_bot::{ConnectorOptions, ConnectorTexts};
use citewire::egress::Client;
use futures_util::future::join_all;
use serde_json::json;

use super::{APOLOGY, Flavour, Mishap, Scene, TEXT, http, pieces, told};

/// Every way to fail that is over at once, whether an activity can be taken all the same, and what it is called.
fn mishaps() -> Vec<(&'static str, Mishap, bool)> {
    let stream = |message: &str| Mishap::error(403, "ContentStreamNotAllowed", message);
    let html = || Mishap::With(413, "content-type", "text/html".to_owned(), "<html>413</html>".to_owned());
    let retry_after = || Mishap::With(429, "retry-after", "2".to_owned(), "slow down".to_owned());
    vec![
        ("202 order", Mishap::error(202, "ContentStreamSequenceOrderPreConditionFailed", "late"), false),
        ("202 empty", Mishap::Json(202, json!({})), true),
        ("201 without body", Mishap::Json(201, serde_json::Value::Null), true),
        ("307", Mishap::With(307, "location", "https://evil.test/".to_owned(), String::new()), false),
        ("400 streams", Mishap::error(400, "BadArgument", "streaming api is not enabled"), false),
        ("400 citations", Mishap::error(400, "BadSyntax", "Error while parsing citation entity with id: 1"), false),
        ("400 words of nobody", Mishap::With(400, "content-type", "text/plain".to_owned(), "?".to_owned()), false),
        ("401", Mishap::error(401, "Unauthorized", "no"), false),
        ("403", Mishap::error(403, "Forbidden", "no"), false),
        ("403 time", stream("Content stream finished due to exceeded streaming time."), false),
        ("403 completed", stream("Content stream is not allowed on an already completed streamed message"), false),
        ("403 prefix", stream("Request streamed content should contain the previously streamed content"), false),
        ("403 size", stream("Message size too large"), false),
        ("403 other", stream("Something new"), false),
        ("404", Mishap::error(404, "ConversationNotFound", "no"), false),
        ("405", Mishap::error(405, "MethodNotAllowed", "no"), false),
        (
            "405 emulator",
            Mishap::Json(405, json!({"code": "BadArgument", "message": " Streaming API is not enabled"})),
            false,
        ),
        ("412", Mishap::status(412), false),
        ("413", Mishap::error(413, "MessageSizeTooBig", "big"), false),
        ("413 html", html(), false),
        ("429", Mishap::status(429), false),
        ("429 later", retry_after(), false),
        ("500", Mishap::status(500), false),
        ("501", Mishap::status(501), false),
        ("502", Mishap::status(502), false),
        ("503", Mishap::status(503), false),
        ("504", Mishap::status(504), false),
        ("closed before", Mishap::Close, false),
        ("closed behind", Mishap::Close, true),
    ]
}

/// The messages that a user has in the end.
#[derive(Debug, PartialEq, Eq)]
struct Verdict {
    answers: usize,
    apologies: usize,
    doubts: usize,
}

impl Scene {
    async fn verdict(&self) -> Verdict {
        self.answers(pieces(told())).await;
        let chat = self.chat();
        let texts = ConnectorTexts::default();
        let count =
            |is: &dyn Fn(&str) -> bool| chat.iter().filter(|bubble| !bubble.growing && is(bubble.text())).count();
        Verdict {
            // A stream that the service cut off says that the answer follows, and may have shown all of its text.
            answers: count(&|text| text.starts_with(TEXT) && !text.ends_with(&texts.follows)),
            apologies: count(&|text| text.ends_with(APOLOGY)),
            doubts: count(&|text| text.ends_with(&texts.doubt)),
        }
    }
}

/// The scenes: a service and whether the chat is one of many.
const SCENES: [(Flavour, bool); 6] = [
    (Flavour::Teams, false),
    (Flavour::Teams, true),
    (Flavour::Copilot, false),
    (Flavour::WebChat, false),
    (Flavour::Playground, false),
    (Flavour::Playground, true),
];

async fn scene(http: &Client, flavour: Flavour, group: bool, options: ConnectorOptions) -> Scene {
    let scene = Scene::over(http.clone(), flavour, options).await;
    if group { scene.in_group() } else { scene }
}

/// Whether a service of this kind can fail like this.
fn can_fail(flavour: Flavour, name: &str) -> bool {
    // In Web Chat texts may change.
    !(flavour == Flavour::WebChat && name == "403 prefix")
}

/// How many calls the answer takes when nothing goes wrong.
async fn calls(http: &Client, flavour: Flavour, group: bool) -> usize {
    let scene = scene(http, flavour, group, ConnectorOptions::default()).await;
    assert_eq!(scene.verdict().await, Verdict { answers: 1, apologies: 0, doubts: 0 });
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
    scene.service.seen().len()
}

#[tokio::test]
async fn whatever_fails_once_and_wherever_the_user_has_one_answer() {
    let http = http();
    for (flavour, group) in SCENES {
        for at in 0..calls(&http, flavour, group).await {
            for (name, mishap, taken) in mishaps().into_iter().filter(|(name, ..)| can_fail(flavour, name)) {
                let scene = scene(&http, flavour, group, ConnectorOptions::default()).await;
                let told = mishap.clone();
                scene.service.plan(move |n, _| (n == at).then(|| (told.clone(), taken)));
                let verdict = scene.verdict().await;
                let place = format!("{name} at {at} of {flavour:?}, group {group}: {:#?}", scene.chat());
                let ended = verdict.answers + verdict.apologies + verdict.doubts;
                if verdict.doubts == 1 {
                    // A call that was never answered leaves its sender in doubt, and nothing is claimed of it.
                    assert!(name.starts_with("closed") && verdict.apologies == 0, "{verdict:?} {place}");
                    assert_eq!(verdict.answers, usize::from(taken), "{place}");
                } else {
                    assert_eq!(ended, 1, "{verdict:?} {place}");
                }
            }
        }
    }
}

#[tokio::test]
async fn whatever_fails_for_good_from_some_call_on_the_user_has_one_answer_or_one_apology_at_most() {
    let http = http();
    for (flavour, group) in SCENES {
        for from in 0..calls(&http, flavour, group).await {
            for (name, mishap, taken) in mishaps().into_iter().filter(|(name, ..)| can_fail(flavour, name)) {
                let scene = scene(&http, flavour, group, ConnectorOptions::default()).await;
                let told = mishap.clone();
                // The service takes the apology, when there is one.
                scene.service.plan(move |n, seen| {
                    let text = seen.body["text"].as_str().unwrap_or_default();
                    let ours = text.ends_with(APOLOGY) || text.ends_with(&ConnectorTexts::default().doubt);
                    (n >= from && !ours).then(|| (told.clone(), taken))
                });
                let Verdict { answers, apologies, doubts } = scene.verdict().await;
                let place = format!("{name} from {from} of {flavour:?}, group {group}: {:#?}", scene.chat());
                assert!(answers <= 1 && apologies + doubts <= 1, "{answers} {apologies} {doubts} {place}");
                assert!(answers + apologies + doubts >= 1, "{place}");
                assert!(doubts == 1 || answers + apologies == 1, "{answers} {apologies} {place}");
                assert!(scene.service.seen().len() < 60, "{place}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_never_answered_costs_its_limit_and_not_the_answer() {
    let http = http();
    let mut cases = Vec::new();
    for (flavour, group) in SCENES {
        let ways = [(Mishap::Silence, false), (Mishap::Silence, true), (Mishap::Half, true)];
        let calls = 0..calls(&http, flavour, group).await;
        cases.extend(calls.flat_map(|at| ways.clone().map(|way| (flavour, group, at, way))));
    }
    join_all(cases.into_iter().map(|(flavour, group, at, (mishap, taken))| {
        let http = http.clone();
        async move {
            let options = ConnectorOptions { call_limit: Duration::from_secs(3), ..ConnectorOptions::default() };
            let scene = scene(&http, flavour, group, options).await;
            let told = mishap.clone();
            scene.service.plan(move |n, _| (n == at).then(|| (told.clone(), taken)));
            let verdict = scene.verdict().await;
            let place = format!("{mishap:?} at {at}, taken {taken}, {flavour:?}, group {group}: {:#?}", scene.chat());
            match verdict.doubts {
                0 => assert_eq!(verdict.answers + verdict.apologies, 1, "{verdict:?} {place}"),
                _ => assert_eq!((verdict.answers, verdict.apologies), (usize::from(taken), 0), "{verdict:?} {place}"),
            }
        }
    }))
    .await;
}
