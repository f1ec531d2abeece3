//! Reads a document in a process of its own: one that crashes, hangs or takes too much memory takes nothing else with it.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use citewire_documents::{Extracted, Format, Limits, Unreadable};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

/// So many documents are read at one time, in all libraries.
static READERS: Semaphore = Semaphore::const_new(2);

/// A letter of text may take six bytes of JSON.
const BYTES_EACH: usize = 6;
/// The allocator asks the system for so much address space at a time. Unless told so, it begins with a gibibyte, and beside that the
/// limit leaves no room: now and then a small document would take too much memory.
const RESERVE: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "64MiB");
/// So much of what the process complains about is looked at.
const COMPLAINT_BYTES: u64 = 4 * 1024;

/// Reads documents by `citewire read-document`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentReader {
    /// The program: citewire itself.
    pub program: PathBuf,
    /// How long it may read one document.
    pub longest: Duration,
    /// How much address space it may take, in bytes; only Unix holds it to that.
    pub memory: u64,
}

impl DocumentReader {
    /// Reads with this program, up to a minute and a gibibyte for each document.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), longest: Duration::from_secs(60), memory: 1024 * 1024 * 1024 }
    }

    /// Reads with the program that runs now, which has to be `citewire`.
    ///
    /// # Errors
    /// When the system does not say where it is.
    pub fn this_program() -> io::Result<Self> {
        std::env::current_exe().map(Self::new)
    }

    /// The text of a document, or why it has none.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub(super) async fn read(&self, bytes: &[u8], format: Format) -> io::Result<Result<Extracted, Unreadable>> {
        // The semaphore is never closed.
        let _turn = READERS.acquire().await.map_err(io::Error::other)?;
        let mut child = self.start(format)?;
        let read = tokio::time::timeout(self.longest, converse(&mut child, bytes)).await;
        let Ok(said) = read else {
            child.kill().await?;
            return Ok(Err(Unreadable::TookTooLong { seconds: self.longest.as_secs() }));
        };
        let Said { answer, complaint } = said?;
        Ok(serde_json::from_slice(&answer).unwrap_or_else(|_| {
            let is_memory = ["memory allocation of", "out of memory"].iter().any(|words| complaint.contains(words));
            Err(if is_memory { Unreadable::TookTooMuchMemory } else { Unreadable::Crashed })
        }))
    }

    fn start(&self, format: Format) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(["read-document", "--format", format.name(), "--memory", &self.memory.to_string()]);
        // A document has no use for the secrets of the server. Windows cannot start a program without this one.
        command.env_clear().envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command.env(RESERVE.0, RESERVE.1);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.spawn()
    }
}

/// What the process wrote.
struct Said {
    answer: Vec<u8>,
    complaint: String,
}

/// Gives the document to the process, and takes what it says until it ends.
async fn converse(child: &mut Child, bytes: &[u8]) -> io::Result<Said> {
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let give = async {
        if let Some(mut input) = input {
            // A process that ends early does not take everything, and says why on its output.
            input.write_all(bytes).await.ok();
        }
    };
    let room = u64::try_from(Limits::default().max_text_bytes.saturating_mul(BYTES_EACH)).unwrap_or(u64::MAX);
    let ((), answer, complaint) = tokio::join!(give, take(output, room), take(errors, COMPLAINT_BYTES));
    child.wait().await?;
    Ok(Said { answer: answer?, complaint: String::from_utf8_lossy(&complaint?).into_owned() })
}

/// The first bytes of what is written. The rest is read and dropped: a writer that waits would never end.
async fn take(from: Option<impl AsyncRead + Unpin>, room: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        (&mut from).take(room).read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
    }
    Ok(bytes)
}
