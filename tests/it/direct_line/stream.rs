//! The WebSocket stream (rule DL-04).

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::app::{Socket, TestApp, answer};

#[tokio::test]
async fn an_altered_or_missing_credential_is_refused_at_the_handshake() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let (url, credential) = conversation.stream_url.split_once("&t=").expect("a credential");
    let mut altered = credential.to_owned();
    let last = if altered.pop() == Some('A') { 'Q' } else { 'A' };
    altered.push(last);
    for (credential, what) in [(altered.as_str(), "altered"), ("", "empty"), ("x", "garbage")] {
        assert_eq!(Socket::try_open(&format!("{url}&t={credential}")).await.err(), Some(403), "{what}");
    }
    assert_eq!(Socket::try_open(url).await.err(), Some(403), "missing");
    assert!(Socket::try_open(&conversation.stream_url).await.is_ok());
}

#[tokio::test]
async fn the_credential_lasts_a_minute_and_the_socket_longer() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.clock.advance(chrono::Duration::seconds(59));
    let mut socket = app.open(&conversation).await;
    app.clock.advance(chrono::Duration::seconds(1));
    assert_eq!(Socket::try_open(&conversation.stream_url).await.err(), Some(403));
    app.clock.advance(chrono::Duration::seconds(7200));
    app.say(&conversation.id, "still here").await;
    assert_eq!(socket.texts(1).await, ["still here"]);
}

#[tokio::test]
async fn silence_is_filled_with_empty_text_frames() {
    let app = TestApp::with(|setup| setup.direct_line.keep_alive = Duration::from_millis(20));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    for _ in 0..3 {
        assert_eq!(socket.message().await, Some(Message::text("")));
    }
}

#[tokio::test]
async fn each_frame_has_one_activity_and_a_watermark_that_rises() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    for number in 0..5 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    for number in 0..5 {
        assert_eq!(socket.set().await["watermark"], json!(number.to_string()));
    }
}

#[tokio::test]
async fn what_was_said_before_the_socket_opened_is_replayed() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.say(&conversation.id, "welcome").await;
    app.post_text(&conversation, "hi").await;
    assert_eq!(app.open(&conversation).await.texts(2).await, ["welcome", "hi"]);
}

#[tokio::test]
async fn frames_of_the_client_are_ignored_whatever_is_in_them() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    for message in [
        Message::text(""),
        Message::text("not JSON"),
        Message::text(r#"{"type":"message","text":"by socket"}"#),
        Message::binary(vec![0, 255, 1]),
        Message::text("x".repeat(100_000)),
    ] {
        socket.send(message).await;
    }
    socket.ping().await;
    app.say(&conversation.id, "unmoved").await;
    assert_eq!(socket.texts(1).await, ["unmoved"]);
}

#[tokio::test]
async fn what_is_no_frame_ends_its_own_socket_and_no_other() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut unmoved = app.open(&conversation).await;
    let no_frames: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        // Reserved bits, an unknown opcode, a frame of 2^64 bytes.
        b"\xf1\x80\0\0\0\0",
        b"\x83\x80\0\0\0\0",
        b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
    ];
    for bytes in no_frames {
        let mut stream = open_without_reading(&app, &conversation.stream_url).await;
        stream.write_all(bytes).await.expect("sent");
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "{bytes:x?} kept its socket");
    }
    app.say(&conversation.id, "unmoved").await;
    assert_eq!(unmoved.texts(1).await, ["unmoved"]);
}

/// All of such a frame was once kept until its end, so that one client could fill the memory.
#[tokio::test]
async fn a_frame_that_never_ends_is_cut_off() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let stream = open_without_reading(&app, &conversation.stream_url).await;
    let (mut from, mut to) = stream.into_split();
    to.write_all(b"\x82\xff\x3f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0").await.expect("sent");
    let chunk = vec![0; 64 * 1024];
    let mut said = Vec::new();
    let endless = async { while to.write_all(&chunk).await.is_ok() {} };
    let both = async { tokio::join!(from.read_to_end(&mut said), endless) };
    let (read, ()) = tokio::time::timeout(Duration::from_secs(30), both).await.expect("the server lets go");
    // Whether what it said arrives before the end does not matter.
    drop(read);
    // Many that end, and together are longer, are no trouble.
    let mut socket = app.open(&conversation).await;
    for _ in 0..20 {
        socket.send(Message::binary(vec![0; 200_000])).await;
    }
    socket.ping().await;
}

#[tokio::test]
async fn all_sockets_of_a_conversation_get_everything_and_none_is_evicted() {
    let app = TestApp::alone();
    let conversation = app.conversation().await;
    let mut sockets = Vec::new();
    for _ in 0..8 {
        sockets.push(app.open(&conversation).await);
    }
    assert_eq!(Socket::try_open(&conversation.stream_url).await.err(), Some(429), "the newest is refused");
    app.say(&conversation.id, "to all").await;
    for socket in &mut sockets {
        assert_eq!(socket.texts(1).await, ["to all"]);
    }
}

#[tokio::test]
async fn a_socket_that_goes_makes_room_for_another() {
    let app = TestApp::with(|setup| setup.direct_line.max_sockets_per_conversation = 1);
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.send(Message::Close(None)).await;
    // The server answers the closing before it frees the place.
    while socket.message().await.is_some() {}
    let again = app.open(&conversation).await;
    drop(again);
}

#[tokio::test]
async fn a_shutdown_says_going_away() {
    let mut app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    app.stop();
    assert_eq!(socket.close_code().await, Some(CloseCode::Away));
}

#[tokio::test]
async fn a_socket_closes_when_its_conversation_is_gone() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    app.store.delete(&conversation.id.parse().expect("an id")).await.expect("deleted");
    assert_eq!(socket.close_code().await, Some(CloseCode::Normal));
}

#[tokio::test]
async fn a_reader_that_does_not_read_is_dropped_and_comes_back_with_its_watermark() {
    let app = TestApp::with(|setup| {
        setup.direct_line.write_timeout = Duration::from_millis(200);
        setup.direct_line.max_sockets_per_conversation = 1;
    });
    let conversation = app.conversation().await;
    let stuck = open_without_reading(&app, &conversation.stream_url).await;
    let long = "x".repeat(200_000);
    for _ in 0..100 {
        app.say(&conversation.id, &long).await;
    }
    // The place of the stuck reader becomes free: until then, the handshake is refused.
    let reconnected = app.reconnect(&conversation, "?watermark=98").await;
    let mut socket = loop {
        match Socket::try_open(&reconnected.stream_url).await {
            Ok(socket) => break socket,
            Err(status) => assert_eq!(status, 429),
        }
    };
    assert_eq!(socket.set().await["watermark"], "99");
    drop(stuck);
}

#[tokio::test]
async fn typing_is_shown_to_those_who_read_now_in_its_place() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    app.say(&conversation.id, "one").await;
    app.post_activity(&conversation, &json!({"type": "typing"})).await;
    app.say(&conversation.id, "two").await;
    assert_eq!(socket.activity().await["text"], "one");
    let typing = socket.set().await;
    assert_eq!((&typing["activities"][0]["type"], typing.get("watermark")), (&json!("typing"), None));
    assert!(typing["activities"][0]["id"].is_string() && typing["activities"][0]["timestamp"].is_string(), "{typing}");
    assert_eq!(socket.activity().await["text"], "two");
}

#[tokio::test]
async fn the_stream_without_an_upgrade_is_400() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let url = conversation.stream_url.replace("ws://", "http://");
    let (status, body) = answer(app.client.get(url)).await;
    assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::BAD_REQUEST, Some("BadArgument")));
}

#[tokio::test]
async fn a_client_that_looks_for_the_voice_stream_finds_the_same_one() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.say(&conversation.id, "hi").await;
    let mut socket = Socket::open(&conversation.stream_url.replace("/stream?", "/stream/multimodal?")).await;
    assert_eq!(socket.texts(1).await, ["hi"]);
}

/// A socket with a small buffer whose client reads the handshake and nothing more.
async fn open_without_reading(app: &TestApp, url: &str) -> tokio::net::TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let mut stream = socket.connect(app.address).await.expect("a connection");
    let path = url.split_once(&app.address.to_string()).expect("the address").1;
    let handshake = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        app.address
    );
    stream.write_all(handshake.as_bytes()).await.expect("sent");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("the handshake"));
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    stream
}
