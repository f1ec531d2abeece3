//! The log of the server, of all tests of this process.

use std::io;
use std::sync::{Mutex, Once};

use tracing_subscriber::EnvFilter;

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Kept;

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().expect("a lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Begins to keep what is logged.
pub(crate) fn keep() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let lines = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(
            "citewire_assistants::assistant=info,citewire_channels::report_log=debug,citewire::http::audit=info",
        ));
        let subscriber = lines.with_ansi(false).with_writer(|| Kept).finish();
        tracing::subscriber::set_global_default(subscriber).expect("nobody else listens");
    });
}

/// The lines that name a conversation.
pub(crate) fn about(conversation: &str) -> Vec<String> {
    with(&format!("conversation.id={conversation} "))
}

/// The lines that hold a needle.
pub(crate) fn with(needle: &str) -> Vec<String> {
    let lines = LINES.lock().expect("a lock");
    let text = std::str::from_utf8(&lines).expect("text");
    text.lines().filter(|line| line.contains(needle)).map(str::to_owned).collect()
}
