//! What the log says about keys.

use std::io;
use std::sync::{Arc, Mutex};

use citewire::channels::connector::auth::Caller;
use tracing::subscriber::DefaultGuard;

use super::publisher::{CHANNEL_KEYS, CHANNEL_METADATA, Page};
use super::scene::Scene;

/// The lines of this test alone: it and the tasks it starts share a thread.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn keep() -> (Self, DefaultGuard) {
        let lines = Self::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::INFO).with_ansi(false);
        let subscriber = subscriber.with_writer(move || writer.clone()).finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    fn of(&self, level: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().expect("a lock").clone()).expect("text");
        let ours = text.lines().filter(|line| line.contains("connector::auth"));
        ours.filter(|line| line.contains(&format!(" {level} "))).map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn keys_that_cannot_be_had_are_said_once_and_so_is_their_return() {
    let (lines, _guard) = Lines::keep();
    let scene = Scene::new().await;
    scene.publisher.put(CHANNEL_METADATA, Page::Status(500, "x: y".to_owned()));
    for _ in 0..3 {
        scene.call_as_channel().await.expect_err("there are no keys");
        scene.clock.advance(chrono::Duration::seconds(60));
    }
    let errors = lines.of("ERROR");
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    for word in ["the Bot Connector", "127.0.0.1 answered 500 instead of its metadata", "503"] {
        assert!(error.contains(word), "{error}");
    }
    scene.publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
    assert_eq!(scene.call_as_channel().await, Ok(Caller::Channel));
    let infos = lines.of("INFO");
    let [info] = infos.as_slice() else { panic!("{infos:?}") };
    assert!(info.contains("can be fetched again") && info.contains("keys=1"), "{info}");
}

#[tokio::test]
async fn keys_that_cannot_be_renewed_are_said_once() {
    let (lines, _guard) = Lines::keep();
    let scene = Scene::new().await;
    scene.verifier.keep_fresh().await;
    scene.publisher.put(CHANNEL_METADATA, Page::Status(404, "x: y".to_owned()));
    for _ in 0..3 {
        scene.clock.advance(chrono::Duration::hours(25));
        scene.verifier.keep_fresh().await;
    }
    let warnings = lines.of("WARN");
    let ours = warnings.iter().filter(|line| line.contains("the Bot Connector")).count();
    assert_eq!(ours, 1, "{warnings:?}");
    assert!(warnings[0].contains("stay in use"), "{warnings:?}");
    assert!(lines.of("ERROR").is_empty());
}
