//! The bot without a server before it: a test decides when a post is let go of, and when the bot ends.

use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use citewire::channels::Ending;
use citewire::channels::azure_bot::auth::{AuthOptions, Caller};
use citewire::channels::azure_bot::{
    AzureBot, AzureBotOptions, ConnectorRecords, Inbound, PUBLIC_HOSTS, PublicName, ReceiveError, Received,
    TrustedHosts, TurnHandler, TurnInFlight, TurnOutcome,
};
use citewire::clock::{RandomIds, SystemClock};
use citewire::egress::EgressOptions;
use citewire::store::{ConversationStore, SqliteStore, StoreLimits, TurnKind};
use futures_util::future::join3;
use futures_util::{StreamExt as _, poll};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

const BUSY: &str = "There is no time.";

/// Begins to answer, and never comes to an end.
#[derive(Debug, Default)]
struct Endless {
    begun: Notify,
}

#[async_trait]
impl TurnHandler for Endless {
    async fn respond(&self, _call: &TurnInFlight) -> TurnOutcome {
        self.begun.notify_one();
        std::future::pending().await
    }

    fn busy(&self) -> String {
        BUSY.to_owned()
    }

    async fn apologize(&self, _call: &TurnInFlight) {}
}

fn bot(store: Arc<dyn ConversationStore>, change: impl FnOnce(&mut AzureBotOptions)) -> AzureBot {
    let auth = AuthOptions { anonymous: true, ..AuthOptions::default() };
    let mut options = AzureBotOptions::new(auth, TrustedHosts::new(PUBLIC_HOSTS));
    change(&mut options);
    let records = ConnectorRecords::new(store);
    let bot = AzureBot::new(options, EgressOptions::default(), records, Arc::new(SystemClock), Arc::new(RandomIds));
    bot.expect("a bot")
}

async fn in_memory() -> Arc<dyn ConversationStore> {
    Arc::new(SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store"))
}

/// Lets posts that get no answer go on until something has happened.
async fn go_on_until<T>(posts: impl Future<Output = T>, happened: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        _ = posts => panic!("a post was answered"),
        () = happened => {}
    }
}

/// Waits until the store has so many turns.
async fn recorded(store: &dyn ConversationStore, turns: usize) {
    while store.waiting_turns(TurnKind::Azure).await.expect("a store").count < turns {
        tokio::task::yield_now().await;
    }
}

/// An activity of a conversation whose sender waits for the answers.
fn activity(conversation: &str, members: Value) -> Inbound {
    let mut activity = json!({
        "type": "message", "channelId": "msteams", "deliveryMode": "expectReplies", "text": "How long is leave?",
        "from": {"id": "29:ann"}, "recipient": {"id": "28:bot"}, "conversation": {"id": conversation},
    });
    let Value::Object(members) = members else { panic!("members") };
    activity.as_object_mut().expect("an object").extend(members);
    Inbound::parse(activity.to_string().as_bytes()).expect("an activity")
}

/// The texts of the messages in a response.
fn told(received: Result<Received, ReceiveError>) -> Vec<String> {
    let Received::Replies { activities, .. } = received.expect("taken in") else { panic!("replies") };
    activities.iter().map(|activity| activity["text"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Has a bot take in what a program on this machine posts without a token.
async fn receive(bot: &AzureBot, inbound: Inbound, responder: &dyn TurnHandler) -> Result<Received, ReceiveError> {
    bot.receive(inbound, bot.judge(None, true).await?, true, responder).await
}

// Where the server ended before its turn, the line was dropped, which was taken for the end of the answer: the list was empty.
#[tokio::test]
async fn who_has_had_no_turn_when_the_server_ends_is_told_so_unless_nothing_was_asked() {
    let store = in_memory().await;
    let bot = Arc::new(bot(Arc::clone(&store), |options| options.turns.at_once = 1));
    let (responder, ending, tasks) = (Arc::new(Endless::default()), Ending::default(), TaskTracker::new());
    let post =
        async |conversation: &'static str, members| receive(&bot, activity(conversation, members), &*responder).await;
    let mut running = pin!(post("a", json!({"id": "1"})));
    let run = {
        let (bot, responder) = (Arc::clone(&bot), Arc::clone(&responder));
        let (tracker, ending) = (tasks.clone(), ending.clone());
        tasks.spawn(async move { bot.run(responder, tracker, ending).await })
    };
    go_on_until(&mut running, responder.begun.notified()).await;
    let mut asked = pin!(post("b", json!({"id": "1"})));
    let mut arrived = pin!(post("c", json!({"id": "1", "type": "installationUpdate", "action": "add"})));
    let mut left = pin!(post("d", json!({"id": "1"})));
    go_on_until(join3(&mut asked, &mut arrived, &mut left), recorded(&*store, 4)).await;
    let stream = post("e", json!({"id": "1", "deliveryMode": "stream"})).await;
    // A caller that ends the conversation waits for nothing more.
    assert!(told(post("d", json!({"id": "2", "type": "endOfConversation"})).await).is_empty());
    assert!(told(left.await).is_empty());
    ending.begun.cancel();
    assert_eq!(told(asked.await), [BUSY]);
    assert!(told(arrived.await).is_empty());
    let Ok(Received::Events(events)) = stream else { panic!("events") };
    let events: Vec<_> = events.collect().await;
    assert!(events.len() == 1 && String::from_utf8_lossy(&events[0]).contains(BUSY), "{events:?}");
    let late = post("f", json!({"id": "1"})).await;
    assert!(matches!(late, Err(ReceiveError::Ending)), "nobody would answer: {late:?}");
    run.await.expect("it ends");
}

// A greeting, or what is said of a file without words, waited for an answer that came later, although its sender had gone.
#[tokio::test]
async fn a_turn_ends_with_its_sender_whatever_it_waits_for() {
    let bot = Arc::new(bot(in_memory().await, |options| options.turns.at_once = 1));
    let (responder, tasks) = (Arc::new(Endless::default()), TaskTracker::new());
    {
        let (bot, responder, tracker) = (Arc::clone(&bot), Arc::clone(&responder), tasks.clone());
        tasks.spawn(async move { bot.run(responder, tracker, Ending::default()).await });
    }
    for (id, kind) in [("1", "installationUpdate"), ("2", "message"), ("3", "message")] {
        let members = json!({"id": id, "type": kind, "action": "add"});
        let mut post = pin!(receive(&bot, activity("a", members), &*responder));
        // The next turn begins when the one before has ended.
        go_on_until(&mut post, responder.begun.notified()).await;
    }
}

// It was remembered before it was stored. Where the sender hung up in between, nothing was kept, and what it sent again was
// acknowledged as known.
#[tokio::test]
async fn feedback_whose_sender_hung_up_before_it_was_stored_is_kept_when_it_comes_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("citewire.db");
    let store = SqliteStore::open(&path, StoreLimits::on_disk(), Arc::new(SystemClock)).await.expect("a store");
    let store: Arc<dyn ConversationStore> = Arc::new(store);
    let (bot, nobody) = (bot(Arc::clone(&store), |_| {}), Endless::default());
    let pressed = || {
        let value = json!({"actionName": "feedback", "actionValue": {"reaction": "like", "feedback": ""}});
        let members = json!({"id": "1", "type": "invoke", "name": "message/submitAction", "value": value});
        receive(&bot, activity("a", members), &nobody)
    };
    {
        let mut hung_up = pin!(pressed());
        assert!(poll!(&mut hung_up).is_pending(), "the disk takes its time");
    }
    for _ in 0..2 {
        assert!(matches!(pressed().await, Ok(Received::Replies { body: Some(_), .. })));
    }
    let id = PublicName::new(&Caller::Anonymous, "msteams", "a").id();
    let page = store.feedback(&id, None, 9).await.expect("a store").expect("a conversation");
    assert_eq!(page.feedback.len(), 1, "it is kept once");
}
