//! Questions that users type, and the answers of assistants.

use std::sync::Arc;
use std::time::Duration;

use citewire::activity::ConversationId;
use citewire::assistant::{AssistantRegistry, Assistants};
use citewire::secret::Secret;
use citewire::upstream::UpstreamError;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::app::{API_KEY, Backend, Conversation, DIRECT_LINE_SECRET, Nodes, Setup, Socket, TestApp, answer, texts};

/// The pause before the server is asked again.
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// The longest time that the server may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);

fn over(assistants: Arc<Assistants>) -> TestApp {
    TestApp::with(|setup| setup.assistants = Some(assistants))
}

fn leave() -> Value {
    json!({"sources": [{"id": "A", "title": "Leave policy", "url": "https://hr.contoso.example/leave"}]})
}

fn stalled() -> UpstreamError {
    UpstreamError::Stalled { host: "rag.contoso.example".to_owned(), silence: Duration::from_secs(30) }
}

/// The activities up to the next message of the bot, and that.
async fn until_message(socket: &mut Socket) -> (Vec<Value>, Value) {
    let mut before = Vec::new();
    loop {
        let activity = socket.activity().await;
        if activity["from"]["role"] == "user" {
            continue;
        }
        if activity["type"] == "message" {
            return (before, activity);
        }
        before.push(activity);
    }
}

#[tokio::test]
async fn a_typed_question_is_answered_while_the_back_end_writes() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |_| {})));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    // Without a reader, nothing is shown on the way.
    socket.ping().await;
    let question = app.post_text(&conversation, "How long is leave?").await;
    let asked = backend.asked().await;
    assert_eq!(asked.turns(), ["user: how long is leave?"]);
    assert_eq!(socket.activity().await["text"], "How long is leave?");
    let informative = socket.activity().await;
    assert_eq!(informative["channelData"]["streamType"], "informative", "at once, before the back end says anything");

    let body = asked.begin();
    body.event(&leave());
    body.event(&json!({"delta": "Leave is 30 days [1] a "}));
    let update = socket.activity().await;
    assert_eq!((&update["type"], &update["channelData"]["streamType"]), (&json!("typing"), &json!("streaming")));
    assert!(update["text"].as_str().is_some_and(|text| text.starts_with("Leave is 30 days [1]")), "{update}");
    assert_eq!(update["channelData"]["streamId"], informative["id"]);
    assert_eq!([&informative["replyToId"], &update["replyToId"]], [&json!(question); 2], "all of it is a reply");
    body.event(&json!({"delta": "year."}));
    body.done();
    let (_, last) = until_message(&mut socket).await;
    let text = "Leave is 30 days [1] a year.\n\n[1]: https://hr.contoso.example/leave \"Leave policy\"";
    assert_eq!((&last["text"], &last["channelData"]["streamId"]), (&json!(text), &informative["id"]));
    assert_eq!(last["entities"][0]["citation"][0]["appearance"]["name"], "Leave policy");
    assert_eq!(last["replyToId"], json!(question));
    let history = app.history(&conversation, "").await;
    assert_eq!(texts(&history), ["How long is leave?", text], "what was shown on the way is not kept");
}

#[tokio::test]
async fn the_next_question_comes_with_what_was_said_and_without_numbers() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| options.instructions = Some("Be brief.".into()))));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_text(&conversation, "How long is leave?").await;
    let body = backend.asked().await.begin();
    body.event(&leave());
    body.event(&json!({"delta": "It is 30 days [1]."}));
    body.done();
    until_message(&mut socket).await;
    app.post_text(&conversation, "And in writing?").await;
    let asked = backend.asked().await;
    let turns = ["user: how long is leave?", "assistant: it is 30 days.", "user: and in writing?"];
    assert_eq!(
        (asked.turns(), asked.ask.instructions.as_deref()),
        (turns.map(str::to_owned).into(), Some("Be brief."))
    );
}

#[tokio::test]
async fn what_was_said_is_kept_to_its_budget() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| options.history_tokens = 10)));
    let conversation = app.conversation().await;
    app.say(&conversation.id, &"long ".repeat(100)).await;
    app.say(&conversation.id, "Short.").await;
    app.post_text(&conversation, "And now?").await;
    assert_eq!(backend.asked().await.turns(), ["assistant: short.", "user: and now?"]);
}

#[tokio::test]
async fn a_question_waits_for_the_answer_before_it_and_one_too_many_is_told_so() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |_| {})));
    let conversation = app.conversation().await;
    app.post_text(&conversation, "one").await;
    let first = backend.asked().await;
    for text in ["two", "three", "four", "five"] {
        app.post_text(&conversation, text).await;
    }
    assert!(backend.is_idle().await, "the others wait");
    app.post_text(&conversation, "six").await;
    let told = texts(&app.history(&conversation, "").await);
    assert_eq!(told.last().map(String::as_str), Some("I am still answering. Please ask again when I am done."));
    let mut asked = first;
    for text in ["two", "three", "four", "five"] {
        let body = asked.begin();
        body.event(&json!({"delta": "Yes."}));
        body.done();
        asked = backend.asked().await;
        assert_eq!(asked.ask.question(), text);
    }
}

/// Readers of the channel could not tell which of several questions an answer was for.
#[tokio::test]
async fn every_reply_says_which_message_it_answers_and_a_greeting_answers_none() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| options.greeting = "Ask me.".to_owned())));
    let conversation = app.conversation().await;
    let first = app.post_text(&conversation, "one").await;
    let asked = backend.asked().await;
    let mut waiting = Vec::new();
    for text in ["two", "three", "four", "five", "six"] {
        waiting.push(app.post_text(&conversation, text).await);
    }
    let body = asked.begin();
    body.event(&json!({"delta": "Half an "}));
    body.break_off(stalled());
    backend.asked().await.fail(stalled());
    backend.asked().await;
    let history = app.history(&conversation, "").await;
    let said: Vec<_> = history["activities"].as_array().expect("activities").iter().collect();
    let replies: Vec<_> = said.iter().filter(|activity| activity["from"]["role"] == "bot").collect();
    let answered: Vec<_> = replies.iter().map(|reply| reply["replyToId"].as_str()).collect();
    let refused = &waiting[4];
    // The greeting, the question that is one too many, half an answer, what says so, and a failure.
    assert_eq!(answered, [None, Some(&**refused), Some(&*first), Some(&*first), Some(&*waiting[0])], "{history}");
}

#[tokio::test]
async fn two_conversations_do_not_wait_for_each_other() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |_| {})));
    let (one, other) = (app.conversation().await, app.conversation().await);
    app.post_text(&one, "one").await;
    let held = backend.asked().await;
    app.post_text(&other, "other").await;
    assert_eq!(backend.asked().await.ask.question(), "other");
    drop(held);
}

#[tokio::test]
async fn a_back_end_that_fails_leaves_a_friendly_word() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| options.failure = "Not now.".into())));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    // Without a reader, nothing is shown on the way.
    socket.ping().await;
    app.post_text(&conversation, "one").await;
    assert_eq!(socket.activity().await["text"], "one");
    // An end that comes at once would be all that there is to see.
    let informative = socket.activity().await;
    backend.asked().await.fail(stalled());
    let (before, last) = until_message(&mut socket).await;
    assert_eq!((before.len(), &last["text"]), (0, &json!("Not now.")), "the apology behind the informative text");
    assert_eq!(last["channelData"]["streamId"], informative["id"], "which takes its place");
    // The next question is answered as if nothing had been.
    app.post_text(&conversation, "two").await;
    assert_eq!(backend.asked().await.ask.question(), "two");
}

#[tokio::test]
async fn a_back_end_that_breaks_off_leaves_what_was_shown_and_says_so() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |_| {})));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_text(&conversation, "one").await;
    let body = backend.asked().await.begin();
    body.event(&leave());
    body.event(&json!({"delta": "Leave is 30 days [1] and "}));
    body.break_off(stalled());
    let (_, last) = until_message(&mut socket).await;
    assert!(last["text"].as_str().is_some_and(|text| text.starts_with("Leave is 30 days [1] and")), "{last}");
    let (_, note) = until_message(&mut socket).await;
    assert!(note["text"].as_str().is_some_and(|text| text.contains("incomplete")), "{note}");
}

#[tokio::test]
async fn an_answer_without_required_grounding_is_refused_and_nothing_of_it_is_shown() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| {
        options.convert = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
        options.refusal = "I found nothing.".into();
    })));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_text(&conversation, "one").await;
    let body = backend.asked().await.begin();
    body.event(&json!({"delta": "I make this up."}));
    body.done();
    let (before, last) = until_message(&mut socket).await;
    assert_eq!(last["text"], "I found nothing.");
    assert!(before.iter().all(|activity| !activity.to_string().contains("make this up")), "{before:?}");
}

#[tokio::test]
async fn an_answer_to_a_conversation_that_was_deleted_is_given_up() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |_| {})));
    let conversation = app.conversation().await;
    app.post_text(&conversation, "one").await;
    let body = backend.asked().await.begin();
    let id: ConversationId = conversation.id.parse().expect("an id");
    assert!(app.store.delete(&id).await.expect("a store"));
    body.event(&leave());
    body.event(&json!({"delta": "Leave is 30 days [1] and "}));
    body.abandoned().await;
}

/// A question was lost when the server ended while it was answered, and so were those behind it.
#[tokio::test]
async fn a_server_that_ends_leaves_its_questions_to_the_next_one() {
    let backend = Backend::new();
    let over = |setup: &mut Setup| {
        setup.assistants = Some(Backend::alone(backend.assistant("hr", |_| {})));
        setup.http.shutdown_grace = Duration::ZERO;
    };
    let app = TestApp::with(over);
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    for text in ["one", "two"] {
        app.post_text(&conversation, text).await;
    }
    let body = backend.asked().await.begin();
    body.event(&json!({"delta": "Leave is 30 days and "}));
    while socket.activity().await["channelData"]["streamType"] != "streaming" {}
    let (store, clock) = (Arc::clone(&app.store), Arc::clone(&app.clock));
    app.ended().await;
    body.abandoned().await;
    let id = conversation.id.parse().expect("an id");
    let page = store.read(&id, None, 9).await.expect("a store").expect("a conversation");
    let kept: Vec<_> = page.recorded.iter().filter_map(|recorded| recorded.activity.text.clone()).collect();
    assert_eq!(kept, ["one", "two"], "half an answer is none");
    let app = TestApp::going_on(store, clock, over);
    for question in ["one", "two"] {
        let asked = backend.asked().await;
        assert_eq!(asked.ask.question(), question);
        let body = asked.begin();
        body.event(&json!({"delta": format!("Answer to {question}.")}));
        body.done();
    }
    let answered = async {
        while texts(&app.history(&conversation, "").await).len() < 4 {
            sleep(BETWEEN_TRIES).await;
        }
    };
    timeout(PATIENCE, answered).await.expect("both are answered in time");
    assert_eq!(texts(&app.history(&conversation, "").await), ["one", "two", "Answer to one.", "Answer to two."]);
}

/// An answer that is nearly there is finished when the server ends.
#[tokio::test]
async fn a_server_that_ends_lets_answers_come_to_their_end() {
    let backend = Backend::new();
    let mut app = over(Backend::alone(backend.assistant("hr", |_| {})));
    let conversation = app.conversation().await;
    app.post_text(&conversation, "one").await;
    let body = backend.asked().await.begin();
    body.event(&json!({"delta": "Leave is "}));
    app.stop();
    let store = Arc::clone(&app.store);
    // Nothing is taken in any more, so the end has begun.
    let ended = async {
        while app.get("/healthz", "").send().await.is_ok() {
            sleep(BETWEEN_TRIES).await;
        }
    };
    timeout(PATIENCE, ended).await.expect("it takes nothing more in time");
    body.event(&json!({"delta": "30 days."}));
    body.done();
    app.ended().await;
    let page = store.read(&conversation.id.parse().expect("an id"), None, 9).await.expect("a store").expect("known");
    assert_eq!(page.recorded[1].activity.text.as_deref(), Some("Leave is 30 days."));
}

#[tokio::test]
async fn a_user_who_comes_is_greeted_and_nothing_else_is_answered_but_words() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| options.greeting = "Ask me.".into())));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    assert_eq!(socket.activity().await["text"], "Ask me.");
    let from = json!({"id": "dl_ann"});
    for activity in [
        json!({"type": "typing", "from": from}),
        json!({"type": "event", "name": "webchat/join", "from": from}),
        json!({"type": "message", "text": " ", "from": from, "value": {"button": 1}}),
    ] {
        app.post_activity(&conversation, &activity).await;
    }
    let file = json!({"contentType": "image/png", "contentUrl": "https://x.example/a.png"});
    app.post_activity(&conversation, &json!({"type": "message", "from": from, "attachments": [file]})).await;
    let (_, told) = until_message(&mut socket).await;
    assert_eq!(told["text"], "I can only read words. Please write your question.");
    assert!(backend.is_idle().await);
}

#[tokio::test]
async fn a_secret_opens_the_conversations_of_its_own_assistant_only() {
    let (hr, it) = (Backend::new(), Backend::new());
    let secret = |text: &str| Secret::parse(text).ok();
    let team = AssistantRegistry::new(
        [
            hr.assistant("hr", |_| {}).with_secret(secret("the-secret-of-hr-1234")),
            it.assistant("it", |_| {}).with_secret(secret("the-secret-of-it-1234")),
        ],
        None,
    );
    let app = over(Arc::new(Assistants::new(team)));
    let start = |bearer: &'static str| app.start_as(bearer, json!({"user": {"id": "dl_ann"}}));
    let (status, body) = start("the-secret-of-hr-1234").await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let conversation = Conversation::of(&body);
    app.post_text(&conversation, "How long is leave?").await;
    assert_eq!(hr.asked().await.ask.question(), "How long is leave?");
    assert!(it.is_idle().await);
    for foreign in ["the-secret-of-it-1234", DIRECT_LINE_SECRET] {
        let (status, body) = answer(app.get(&conversation.path("/activities"), foreign)).await;
        assert_eq!((status, &body["error"]["code"]), (StatusCode::FORBIDDEN, &json!("BadToken")), "{body}");
    }
    let (status, _) = answer(app.get(&conversation.path("/activities"), "the-secret-of-hr-1234")).await;
    assert_eq!(status, StatusCode::OK);
    // The channel itself has no assistant.
    let (status, body) = start(DIRECT_LINE_SECRET).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    app.post_text(&Conversation::of(&body), "Anyone?").await;
    assert!(hr.is_idle().await && it.is_idle().await);
}

#[tokio::test]
async fn the_page_knows_whether_somebody_answers() {
    let backend = Backend::new();
    for (app, answered) in [(TestApp::start(), false), (over(Backend::alone(backend.assistant("hr", |_| {}))), true)] {
        let request = app.request(reqwest::Method::POST, "/page/session").header("sec-fetch-site", "same-origin");
        let (_, session) = answer(request).await;
        assert_eq!((&session["answered"], &session["takesFiles"]), (&json!(answered), &json!(false)));
    }
}

#[tokio::test]
async fn an_assistant_that_is_not_to_cite_shows_no_sources() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| {
        options.citations = false;
        options.convert = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
    })));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_text(&conversation, "one").await;
    let asked = backend.asked().await;
    assert!(!asked.ask.citations);
    let body = asked.begin();
    body.event(&leave());
    body.event(&json!({"delta": "Leave is 30 days [1] a year [doc1]."}));
    body.done();
    let (_, last) = until_message(&mut socket).await;
    // It is grounded all the same. What no reader is told about is a plain number.
    assert_eq!(last["text"], "Leave is 30 days [1] a year.");
    assert_eq!(last["entities"][0].get("citation"), None, "{last}");
}

/// Waits until readers have seen a part of the answer, before the back end is stopped.
async fn until_streaming(socket: &mut Socket) {
    while socket.activity().await["channelData"]["streamType"] != "streaming" {}
}

/// The call ends, what there is stays, and the question that waited is answered next: on whatever node each of them is.
#[tokio::test]
async fn a_reader_stops_the_answer_that_is_being_written() {
    for nodes in [Nodes::One, Nodes::Two] {
        for wish in [json!({"type": "event", "name": "stop"}), json!({"type": "endOfConversation"})] {
            let backend = Backend::new();
            let app = TestApp::with(|setup| {
                setup.nodes = nodes;
                setup.assistants = Some(Backend::alone(backend.assistant("hr", |_| {})));
            });
            let conversation = app.conversation().await;
            let mut socket = app.open(&conversation).await;
            socket.ping().await;
            let question = app.post_text(&conversation, "How long is leave?").await;
            let body = backend.asked().await.begin();
            body.event(&leave());
            body.event(&json!({"delta": "Leave is 30 days [1] a year. And "}));
            until_streaming(&mut socket).await;
            app.post_text(&conversation, "And when I am ill?").await;
            // Neither a bot nor an event of another name means that.
            let by_bot = json!({"type": "event", "name": "stop", "from": {"id": "bot", "role": "bot"}});
            let posted = app.post(&conversation.path("/activities"), DIRECT_LINE_SECRET).json(&by_bot);
            assert_eq!(answer(posted).await.0, StatusCode::OK);
            let mut wish = wish.clone();
            wish["from"] = json!({"id": "dl_ann"});
            app.post_activity(&conversation, &json!({"type": "event", "name": "go", "from": {"id": "dl_ann"}})).await;
            body.event(&json!({"delta": "more. "}));
            until_streaming(&mut socket).await;
            app.post_activity(&conversation, &wish).await;
            body.abandoned().await;
            let (_, last) = until_message(&mut socket).await;
            let text = last["text"].as_str().expect("a text");
            assert!(text.starts_with("Leave is 30 days [1] a year. And more."), "{text}");
            assert_eq!(last["replyToId"], json!(question));
            assert_eq!(until_message(&mut socket).await.1["text"], "The answer was stopped.");
            let next = backend.asked().await;
            assert_eq!(next.turns().last().map(String::as_str), Some("user: and when i am ill?"));
            let body = next.begin();
            body.event(&json!({"delta": "Tell us."}));
            body.done();
            assert_eq!(until_message(&mut socket).await.1["text"], "Tell us.");
            assert!(backend.is_idle().await);
        }
    }
}

/// Nothing was written yet, or the wish came right behind the question: there is no answer, and no failure either.
#[tokio::test]
async fn an_answer_is_stopped_before_its_first_word() {
    let backend = Backend::new();
    let app = over(Backend::alone(backend.assistant("hr", |options| options.stopped = "Beendet.".to_owned())));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    let stop = json!({"type": "event", "name": "stop", "from": {"id": "dl_ann"}});
    // A wish before every question means none of them.
    app.post_activity(&conversation, &stop).await;
    for begun in [false, true] {
        app.post_text(&conversation, "How long is leave?").await;
        let asked = backend.asked().await;
        if begun {
            let body = asked.begin();
            body.event(&leave());
            app.post_activity(&conversation, &stop).await;
            body.abandoned().await;
        } else {
            app.post_activity(&conversation, &stop).await;
        }
        assert_eq!(until_message(&mut socket).await.1["text"], "Beendet.");
    }
    let figures = app.get("/metrics", API_KEY).send().await.expect("an answer").text().await.expect("text");
    assert!(figures.contains("citewire_apologies_total{kind=\"failure\"} 0"), "{figures}");
}
