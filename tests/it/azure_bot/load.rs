//! Many activities at once, and a back end that is slow.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry};
use citewire::store::StoreLimits;
use citewire::upstream::{Ask, Reply, Upstream, UpstreamError};
use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::StatusCode;
use serde_json::json;
use tokio::sync::{Semaphore, watch};

use super::scene::Scene;
use crate::app::sized;
use crate::connector::Flavour;

/// The number of activities that are handed in: ten thousand, or as much of them as a run is to have.
fn many() -> usize {
    usize::try_from(sized(10_000)).expect("small")
}

/// The number of their conversations.
const CONVERSATIONS: usize = 500;

/// The number of turns that run at one time.
const AT_ONCE: usize = 64;

/// A back end that answers nothing before it is let, and counts how many wait for it at one time.
#[derive(Debug)]
struct Slow {
    gate: Semaphore,
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Upstream for Slow {
    async fn ask(&self, ask: Ask) -> Result<Reply, UpstreamError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let permit = self.gate.acquire().await;
        drop(permit);
        self.now.fetch_sub(1, Ordering::SeqCst);
        let text = format!("re {}", ask.turns.last().expect("a question").text);
        let body = stream::iter([Ok(json!({"text": text}).to_string().into())]);
        Ok(Reply::new(Some(citewire::ingest::Provider::Native), Box::pin(body)))
    }

    fn retrieves(&self) -> bool {
        true
    }
}

async fn scene(waiting: usize) -> (Scene, Arc<Slow>) {
    let scene = Scene::with(Flavour::Teams, |setup| {
        setup.options.turns.at_once = AT_ONCE;
        setup.options.turns = setup.options.turns.with_waiting(waiting);
        setup.limits =
            StoreLimits { max_activities: 1_000_000, max_conversations: 100_000, ..StoreLimits::in_memory() };
    })
    .await;
    let slow = Arc::new(Slow { gate: Semaphore::new(0), now: AtomicUsize::new(0), most: AtomicUsize::new(0) });
    let options = AssistantOptions { history_tokens: 0, ..AssistantOptions::default() };
    let assistant = Assistant::new("hr", options, Arc::clone(&slow) as _, Arc::default());
    scene.assistants.replace(AssistantRegistry::new([assistant], Some("hr".to_owned())));
    (scene, slow)
}

fn conversation(n: usize) -> String {
    format!("19:{}@thread.v2", n % CONVERSATIONS)
}

/// Hands in the n-th activity, again and again until it is taken. Says how often it was refused.
async fn hand_in(scene: &Scene, n: usize, refusals: &watch::Sender<usize>) {
    let mut activity = scene.message(&format!("m{n}"), &format!("{n}"));
    activity["conversation"]["id"] = json!(conversation(n));
    loop {
        // A connection that was idle may be closed as it is taken up again; the request is then sent once more.
        let Ok(response) = scene.request().json(&activity).send().await else { continue };
        match response.status() {
            StatusCode::ACCEPTED => return,
            StatusCode::SERVICE_UNAVAILABLE => {
                assert!(response.headers().contains_key("retry-after"));
                refusals.send_modify(|refusals| *refusals += 1);
            }
            // The process is so busy that the body came too late: nothing of it was taken.
            StatusCode::REQUEST_TIMEOUT => {}
            other => panic!("{other}"),
        }
    }
}

/// Every activity has one answer, and those of a conversation come in their order.
fn all_are_answered_once_and_in_order(scene: &Scene) {
    let mut answered = BTreeMap::new();
    for n in 0..CONVERSATIONS {
        let texts: Vec<usize> = scene
            .chat(&conversation(n))
            .iter()
            .map(|bubble| bubble.text().strip_prefix("re ").expect("an answer").parse().expect("a number"))
            .collect();
        assert!(texts.is_sorted(), "{texts:?}");
        for text in texts {
            *answered.entry(text).or_insert(0) += 1;
        }
    }
    assert_eq!(answered.len(), many(), "some were lost");
    assert!(answered.values().all(|times| *times == 1), "some were doubled");
}

/// Waits until there is an answer to every activity.
async fn until_answered(scene: &Scene) {
    // In steps, each of which has to be taken in time.
    for answers in (many() / 100..=many()).step_by(many() / 100) {
        scene.service.called(answers).await;
    }
}

/// Hands in the first activities in their order, this many at one time.
async fn hand_in_all(scene: &Scene, count: usize, at_once: usize, refusals: &watch::Sender<usize>) {
    // Fewer than there are conversations: so each conversation has its activities in their order.
    assert!(at_once < CONVERSATIONS);
    stream::iter(0..count).map(|n| hand_in(scene, n, refusals)).buffered(at_once).for_each(|()| async {}).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn many_activities_wait_for_a_slow_back_end_and_none_is_lost_or_doubled() {
    let (scene, slow) = scene(many()).await;
    let refusals = watch::Sender::new(0);
    hand_in_all(&scene, many(), 32, &refusals).await;
    // Everything was acknowledged, and nothing was answered. Those who repeat themselves are not heard twice.
    assert_eq!(scene.service.seen().len(), 0);
    hand_in_all(&scene, many() / 10, 32, &refusals).await;
    assert_eq!(*refusals.borrow(), 0);
    slow.gate.add_permits(many());
    until_answered(&scene).await;
    all_are_answered_once_and_in_order(&scene);
    assert!(slow.most.load(Ordering::SeqCst) <= AT_ONCE);
    assert_eq!(scene.service.faults(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn with_room_for_few_the_sender_comes_again_and_none_is_lost_or_doubled() {
    let (scene, slow) = scene(many() / 10).await;
    let refusals = watch::Sender::new(0);
    let mut refused = refusals.subscribe();
    let opened = async {
        refused.wait_for(|refusals| *refusals > 0).await.expect("the room fills");
        slow.gate.add_permits(many());
    };
    tokio::join!(hand_in_all(&scene, many(), 400, &refusals), opened);
    until_answered(&scene).await;
    all_are_answered_once_and_in_order(&scene);
}
