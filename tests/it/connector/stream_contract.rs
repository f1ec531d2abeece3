//! The rows of the contract of streams in Teams (1.9), each against the service that keeps to it.

use chrono::Duration;
use citewire::channels::azure_bot::{ConnectorTexts, Ended};
use citewire::check::{Channel, check};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use super::{Flavour, Mishap, Scene, TEXT, pieces, read, sources, told};

impl Scene {
    /// The answer as its user has it: whole, once, with its claims.
    fn has_the_answer(&self) {
        let chat = self.chat();
        let whole: Vec<_> = chat.iter().filter(|bubble| bubble.text().starts_with(TEXT)).collect();
        assert_eq!(whole.len(), 1, "{chat:#?}");
        assert!(!whole[0].growing);
        assert_eq!(whole[0].claims().len(), 2, "{chat:#?}");
    }

    fn stream_types(&self) -> Vec<Value> {
        self.service.seen().iter().map(|seen| seen.body["channelData"]["streamType"].clone()).collect()
    }

    fn calls(&self) -> Vec<String> {
        self.service.seen().iter().map(|seen| seen.call.split(' ').next().unwrap_or_default().to_owned()).collect()
    }
}

#[tokio::test]
async fn row_carrier_and_types_an_answer_is_one_bubble_that_grows_and_ends_with_its_claims() {
    let scene = Scene::new(Flavour::Teams).await;
    assert_eq!(scene.answers(pieces(told())).await, None);
    scene.has_the_answer();
    assert_eq!(scene.chat().len(), 1);
    assert_eq!(scene.stream_types(), ["informative", "streaming", "streaming", "streaming", "streaming", "final"]);
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
    let sent: Value = scene.service.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(check(&sent, Channel::Teams), []);
}

#[tokio::test]
async fn row_where_in_groups_and_channels_the_answer_is_one_message_with_all_citations() {
    for flavour in [Flavour::Teams, Flavour::Playground] {
        let scene = Scene::new(flavour).await.in_group();
        assert_eq!(scene.answers(pieces(told())).await, None);
        scene.has_the_answer();
        assert_eq!(scene.stream_types(), [Value::Null], "nothing was tried that is refused");
    }
}

#[tokio::test]
async fn row_where_a_service_that_refuses_streams_after_all_gets_one_message_and_no_further_chunk() {
    // A conversation that does not say what it is.
    for (flavour, refused) in [
        (Flavour::Teams, Mishap::error(400, "BadArgument", "Bad Argument: streaming api is not enabled")),
        (
            Flavour::Playground,
            Mishap::Json(405, json!({"code": "BadArgument", "message": " Streaming API is not enabled."})),
        ),
    ] {
        let scene = Scene::new(flavour).await;
        scene.service.fail_first(vec![refused]);
        assert_eq!(scene.answers(pieces(told())).await, None);
        scene.has_the_answer();
        assert_eq!(scene.stream_types(), [json!("informative"), Value::Null]);
    }
}

#[tokio::test]
async fn row_sequence_and_stream_id_follow_the_first_answer_of_the_service() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.answers(pieces(told())).await;
    let id = scene.chat()[0].id.clone();
    let seen = scene.service.seen();
    let of = |member: &str| seen.iter().map(|seen| seen.body["channelData"][member].clone()).collect::<Vec<_>>();
    assert_eq!(of("streamSequence"), [json!(1), json!(2), json!(3), json!(4), json!(5), Value::Null]);
    assert_eq!(of("streamId")[0], Value::Null);
    assert!(of("streamId")[1..].iter().all(|named| *named == id.as_str()));
    assert!(seen[1..].iter().all(|seen| seen.body["id"] == id.as_str()));
}

#[tokio::test]
async fn row_text_each_update_holds_the_whole_text_so_far_and_no_half_marker() {
    let scene = Scene::new(Flavour::Teams).await;
    let mut events = vec![json!({"sources": sources(2)})];
    events.extend(TEXT.chars().map(|c| json!({"delta": c.to_string()})));
    events.push(json!({"done": true}));
    scene.answers(pieces(events)).await;
    scene.has_the_answer();
    let texts: Vec<String> =
        scene.service.seen().iter().skip(1).filter_map(|seen| seen.body["text"].as_str().map(str::to_owned)).collect();
    assert!(texts.len() > 10 && texts.is_sorted_by(|one, next| next.starts_with(one)), "{texts:?}");
    assert!(texts.iter().all(|text| text.matches('[').count() == text.matches(']').count()), "{texts:?}");
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
}

#[tokio::test]
async fn row_prefix_rule_a_final_that_the_service_finds_changed_ends_the_stream_and_replaces_it() {
    let scene = Scene::new(Flavour::Teams).await;
    let words = "Request streamed content should contain the previously streamed content";
    scene.service.plan(move |_, seen| {
        let refused = seen.body["channelData"]["streamType"] == "final" && seen.body["text"] == TEXT;
        refused.then(|| (Mishap::error(403, "ContentStreamNotAllowed", words), false))
    });
    assert_eq!(scene.answers(pieces(told())).await, None);
    scene.has_the_answer();
    assert_eq!((scene.chat().len(), scene.calls().last().map(String::as_str)), (1, Some("PUT")));
}

#[tokio::test]
async fn row_pace_the_service_never_counts_more_than_one_request_a_second() {
    let scene = Scene::new(Flavour::Teams).await;
    let clock = std::sync::Arc::clone(&scene.clock);
    let times = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = std::sync::Arc::clone(&times);
    scene.service.plan(move |_, _| {
        noted.lock().expect("a lock").push(citewire::clock::Clock::now(&*clock));
        None
    });
    scene.answers(pieces(told())).await;
    let times = times.lock().expect("a lock").clone();
    assert!(times.len() > 4 && times.windows(2).all(|pair| pair[1] - pair[0] >= Duration::seconds(1)), "{times:?}");
}

#[tokio::test]
async fn row_time_after_two_minutes_the_answer_takes_the_place_of_the_stream() {
    let scene = Scene::new(Flavour::Teams).await;
    let clock = std::sync::Arc::clone(&scene.clock);
    scene.service.plan(move |_, seen| {
        if seen.body["channelData"]["streamType"] == "final" {
            // The clock of the service is ahead.
            clock.advance(Duration::minutes(3));
        }
        None
    });
    assert_eq!(scene.answers(pieces(told())).await, None);
    scene.has_the_answer();
    assert_eq!((scene.chat().len(), scene.calls().last().map(String::as_str)), (1, Some("PUT")));
    let put = scene.service.seen().pop().expect("a call").body;
    assert_eq!(put.get("channelData"), None, "no metadata of a stream");
}

#[tokio::test]
async fn row_time_in_copilot_the_answer_is_a_message_of_its_own_and_nothing_is_replaced() {
    let scene = Scene::new(Flavour::Copilot).await;
    let clock = std::sync::Arc::clone(&scene.clock);
    let body = told().into_iter().enumerate();
    let slow = futures_util::stream::iter(body).then(move |(n, event)| {
        let clock = std::sync::Arc::clone(&clock);
        async move {
            tokio::task::yield_now().await;
            if n == 3 {
                clock.advance(Duration::seconds(110));
            }
            Ok(super::event(&event))
        }
    });
    assert_eq!(scene.answers(slow).await, None);
    scene.has_the_answer();
    let chat = scene.chat();
    assert_eq!(chat.len(), 2);
    let follows = ConnectorTexts::default().follows;
    assert!(chat[0].text().ends_with(&follows) && !chat[0].growing, "{chat:#?}");
    assert!(scene.calls().iter().all(|method| method == "POST"));
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
}

#[tokio::test]
async fn row_stop_button_leaves_what_was_shown_and_nothing_is_said_after_it() {
    for at in [1, 2, 4, 5] {
        let scene = Scene::new(Flavour::Teams).await;
        let words = "Content stream was cancelled by user.";
        scene
            .service
            .plan(move |n, _| (n == at).then(|| (Mishap::error(403, "ContentStreamNotAllowed", words), false)));
        assert_eq!(scene.answers(pieces(told())).await, None, "{at}");
        assert_eq!((scene.chat().len(), scene.service.seen().len()), (1, at + 1), "{at}");
    }
}

#[tokio::test]
async fn row_stop_button_in_the_middle_of_an_answer_without_end_ends_it() {
    let scene = Scene::new(Flavour::Teams).await;
    let endless = futures_util::stream::iter(1..).then(|n| async move {
        tokio::task::yield_now().await;
        Ok::<_, super::Dead>(super::event(&json!({"delta": format!("word{n} ")})))
    });
    let stop = async {
        scene.service.called(4).await;
        scene.service.stop("a:1");
    };
    let (followed, ()) = tokio::join!(scene.answer().follow(scene.conversion(), read(endless)), stop);
    let answered = followed.expect("an end").answered;
    assert_eq!(answered.ended, Ended::Stopped);
    let chat = scene.chat();
    assert_eq!((chat.len(), chat[0].growing), (1, false));
    assert!(answered.message.text.is_some_and(|text| text.starts_with(chat[0].text())));
}

#[tokio::test]
async fn row_completed_a_final_that_was_taken_already_is_not_sent_as_another_message() {
    for flavour in [Flavour::Teams, Flavour::Copilot] {
        let scene = Scene::new(flavour).await;
        // Taken, and answered with an error: the repetition finds the stream completed.
        let once = std::sync::atomic::AtomicBool::new(false);
        scene.service.plan(move |_, seen| {
            let first = seen.body["channelData"]["streamType"] == "final"
                && !once.swap(true, std::sync::atomic::Ordering::Relaxed);
            first.then(|| (Mishap::status(502), true))
        });
        assert_eq!(scene.answers(pieces(told())).await, None);
        scene.has_the_answer();
        assert_eq!(scene.chat().len(), 1, "{flavour:?}");
    }
}

#[tokio::test]
async fn row_size_an_answer_that_is_too_large_is_divided_and_nothing_of_it_is_lost() {
    let paragraphs: Vec<String> =
        (1..=80).map(|n| format!("{n} {} [1].\n\n", "words ".repeat(250).trim_end())).collect();
    for (flavour, group) in
        [(Flavour::Teams, false), (Flavour::Teams, true), (Flavour::Copilot, false), (Flavour::Playground, true)]
    {
        let scene = Scene::new(flavour).await;
        let scene = if group { scene.in_group() } else { scene };
        let mut events = vec![json!({"sources": sources(1)})];
        events.extend(paragraphs.iter().map(|paragraph| json!({"delta": paragraph})));
        events.push(json!({"done": true}));
        assert_eq!(scene.answers(pieces(events)).await, None);
        let chat = scene.chat();
        let texts: Vec<_> = chat.iter().map(super::Bubble::text).collect();
        assert_eq!(texts.join("\n\n"), paragraphs.concat().trim_end(), "{flavour:?}");
        assert!(chat.len() > 2 && chat.iter().all(|bubble| bubble.claims().len() == 1 && !bubble.growing));
        assert_eq!(scene.service.faults(), [] as [&str; 0]);
    }
}

#[tokio::test]
async fn row_size_a_service_that_takes_less_than_it_says_gets_smaller_parts() {
    let scene = Scene::new(Flavour::Teams).await.in_group();
    scene.service.plan(|_, seen| {
        let large = seen.body["text"].as_str().is_some_and(|text| text.len() > 9_000);
        large.then(|| (Mishap::With(413, "content-type", "text/html".to_owned(), "<html>413</html>".to_owned()), false))
    });
    let text = format!("{} [1].\n\n", "words ".repeat(250).trim_end()).repeat(20);
    let events = vec![json!({"sources": sources(1)}), json!({"delta": text}), json!({"done": true})];
    assert_eq!(scene.answers(pieces(events)).await, None);
    let chat = scene.chat();
    assert_eq!(chat.iter().map(super::Bubble::text).collect::<Vec<_>>().join("\n\n"), text.trim_end());
}

#[tokio::test]
async fn row_order_a_chunk_that_was_dropped_is_followed_by_the_next() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.plan(|n, _| {
        (n == 2).then(|| (Mishap::error(202, "ContentStreamSequenceOrderPreConditionFailed", "dropped"), false))
    });
    assert_eq!(scene.answers(pieces(told())).await, None);
    scene.has_the_answer();
    assert_eq!(scene.service.seen().len(), 6);
}

#[tokio::test]
async fn row_quota_after_a_429_the_answer_goes_on_later() {
    for at in 1..6 {
        let scene = Scene::new(Flavour::Teams).await;
        scene.service.plan(move |n, _| {
            let quota = json!({"error": {"code": "429", "message": "API calls quota exceeded"}}).to_string();
            (n == at).then(|| (Mishap::With(429, "retry-after", "3".to_owned(), quota), false))
        });
        assert_eq!(scene.answers(pieces(told())).await, None);
        scene.has_the_answer();
        assert_eq!(scene.chat().len(), 1, "{at}");
        assert_eq!(scene.service.faults(), [] as [&str; 0], "{at}");
    }
}

#[tokio::test]
async fn row_empty_nothing_is_ever_sent_without_a_text() {
    let scene = Scene::new(Flavour::Teams).await;
    let events = vec![json!({"delta": " "}), json!({"delta": "\n"}), json!({"delta": "[9]"}), json!({"done": true})];
    scene.answers(pieces(events)).await;
    assert!(
        scene.service.seen().iter().all(|seen| seen.body["text"].as_str().is_some_and(|text| !text.trim().is_empty()))
    );
}

#[tokio::test]
async fn row_informative_after_text_is_never_sent() {
    let scene = Scene::new(Flavour::Teams).await;
    let mut answer = scene.answer();
    answer.inform("one").await;
    answer.inform("two").await;
    let followed = answer.follow(scene.conversion(), read(pieces(told()))).await.expect("an answer");
    assert!(followed.incomplete.is_none());
    assert_eq!(scene.stream_types()[..3], ["informative", "informative", "streaming"]);
    scene.has_the_answer();
}

#[tokio::test]
async fn row_final_only_feedback_labels_and_claims_come_with_the_final() {
    let scene = Scene::new(Flavour::Teams).await;
    let mut conversion = scene.conversion();
    conversion.options = serde_json::from_value(json!({"feedback": true})).expect("options");
    let mut events = told();
    events[0]["sources"][0]["label"] = json!({"id": "s1", "name": "Confidential", "priority": 1});
    scene.answer().follow(conversion, read(pieces(events))).await.expect("an answer");
    scene.has_the_answer();
    let seen = scene.service.seen();
    let (last, before) = seen.split_last().expect("calls");
    assert!(before.iter().all(|seen| seen.body["entities"].as_array().map(Vec::len) == Some(1)));
    assert!(before.iter().all(|seen| seen.body["channelData"].get("feedbackLoop").is_none()));
    assert_eq!(last.body["channelData"]["feedbackLoop"], json!({"type": "default"}));
    assert_eq!(last.body["entities"][0]["usageInfo"]["name"], "Confidential");
}

#[tokio::test]
async fn row_duplicate_claims_a_source_that_is_cited_often_is_one_claim_in_the_final() {
    let scene = Scene::new(Flavour::Teams).await;
    let events = vec![
        json!({"sources": sources(1)}),
        json!({"delta": "One [1]. "}),
        json!({"delta": "Two [1]. [1]"}),
        json!({"done": true}),
    ];
    scene.answers(pieces(events)).await;
    assert_eq!(scene.chat()[0].claims().len(), 1);
}

#[tokio::test]
async fn web_chat_behind_azure_streams_with_citations_and_replaces_nothing() {
    let scene = Scene::new(Flavour::WebChat).await;
    assert_eq!(scene.answers(pieces(told())).await, None);
    let chat = scene.chat();
    assert_eq!(chat.len(), 1);
    assert!(chat[0].text().starts_with(TEXT) && chat[0].text().contains("\n\n[1]: https://docs.example/1"));
    assert!(scene.calls().iter().all(|method| method == "POST"));
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
}
