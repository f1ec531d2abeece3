//! Reads a document in a process of its own: one that crashes, hangs or takes too much memory takes nothing else with it.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use citewire_documents::{Extracted, Format, Limits, Unreadable};
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};

use super::LibraryError;
use super::reading_queue::{Lane, ReadingQueue};
use super::unreadables::{Unreadables, key};

/// The places for documents that are read at one time, in all libraries.
static QUEUE: LazyLock<ReadingQueue> = LazyLock::new(ReadingQueue::default);

/// The documents that cost their readers much, and need not be tried again.
static UNREADABLES: Unreadables = Unreadables::new();

/// Remembers unreadable documents in this file, beyond the end of this process.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn remember_unreadable_documents_in(file: PathBuf) -> io::Result<()> {
    UNREADABLES.keep_in(file)
}

/// The number of documents that wait until they can be read.
#[must_use]
pub fn waiting_documents() -> usize {
    QUEUE.waiting()
}

/// A letter of text may take six bytes of JSON.
const BYTES_EACH: usize = 6;
/// The settings of the allocator: the address space that it asks the system for at a time, and the time until it gives memory back.
/// Unless the first is set, it begins with a gibibyte, and the limit leaves no room beside that: now and then a small document would
/// take too much memory. Given back at once, memory of 193 pages is 34 MB in place of 47 MB.
const ALLOCATOR: [(&str, &str); 2] = [("MIMALLOC_ARENA_RESERVE", "64MiB"), ("MIMALLOC_PURGE_DELAY", "0")];
/// The number of bytes of the process's stderr that are read.
const COMPLAINT_BYTES: u64 = 4 * 1024;

/// Loads the bytes of a document; `None` when it is gone.
pub(super) type Load<'l> = dyn Fn() -> BoxFuture<'l, Result<Option<Vec<u8>>, LibraryError>> + Send + Sync + 'l;

/// Reads documents by `citewire read-document`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentReader {
    /// The program: citewire itself.
    pub program: PathBuf,
    /// The time for one document. A document that takes longer is tried once more, behind all others.
    pub short: Duration,
    /// The time for one document in the second attempt.
    pub longest: Duration,
    /// The address space that it may take, in bytes; only Unix holds it to that.
    pub memory: u64,
    /// The owner of these documents: owners take turns.
    pub owner: String,
}

impl DocumentReader {
    /// Reads with this program, up to ten seconds, then a minute, and a gibibyte for each document.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            short: Duration::from_secs(10),
            longest: Duration::from_secs(60),
            memory: 1024 * 1024 * 1024,
            owner: String::new(),
        }
    }

    /// Reads for this owner.
    #[must_use]
    pub fn of(self, owner: impl Into<String>) -> Self {
        Self { owner: owner.into(), ..self }
    }

    /// Reads with the program that runs now, which has to be `citewire`.
    ///
    /// # Errors
    /// When the system does not say where it is.
    pub fn this_program() -> io::Result<Self> {
        std::env::current_exe().map(Self::new)
    }

    /// The text of a document, or why it has none; `None` when the document is gone. It is loaded when its turn has come: what
    /// waits takes no memory.
    ///
    /// # Errors
    /// When it cannot be loaded, or the program cannot be started.
    pub(super) async fn read(
        &self,
        format: Format,
        load: &Load<'_>,
    ) -> Result<Option<Result<Extracted, Unreadable>>, LibraryError> {
        let lane = if format == Format::Csv { Lane::Quick } else { Lane::Parsed };
        for (lane, time) in [(lane, self.short.min(self.longest)), (Lane::Late, self.longest)] {
            let _turn = QUEUE.take(&self.owner, lane).await;
            let Some(bytes) = load().await? else { return Ok(None) };
            let key = self.key(format, &bytes);
            if let Some(reason) = UNREADABLES.reason(&key) {
                return Ok(Some(Err(reason)));
            }
            let read = self.attempt(&bytes, format, time).await;
            let read = read.map_err(|source| LibraryError::Reader { program: self.program.clone(), source })?;
            match read {
                Some(Err(reason)) => {
                    UNREADABLES.note(key, &reason);
                    return Ok(Some(Err(reason)));
                }
                Some(Ok(text)) => return Ok(Some(Ok(text))),
                None if time >= self.longest => {
                    let reason = Unreadable::TookTooLong { seconds: self.longest.as_secs() };
                    UNREADABLES.note(key, &reason);
                    return Ok(Some(Err(reason)));
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// The key under which this reader remembers a document: another one, or one with other limits, may be able to read
    /// it.
    fn key(&self, format: Format, bytes: &[u8]) -> String {
        let limits = format!("{format} {} {}", self.longest.as_secs(), self.memory);
        key([limits.as_bytes(), self.program.as_os_str().as_encoded_bytes(), bytes])
    }

    /// Reads within this time; `None` when it takes longer.
    async fn attempt(
        &self,
        bytes: &[u8],
        format: Format,
        time: Duration,
    ) -> io::Result<Option<Result<Extracted, Unreadable>>> {
        let begun = Instant::now();
        let mut child = self.start(format, bytes.len(), time)?;
        let Ok(said) = tokio::time::timeout(time, converse(&mut child, bytes)).await else {
            child.kill().await?;
            return Ok(None);
        };
        let ProcessOutput { answer, complaint } = said?;
        match serde_json::from_slice(&answer) {
            Ok(extracted) => Ok(Some(extracted)),
            // A busy server may come too late to end a process that the system has ended for the time that it took.
            Err(_) if begun.elapsed() >= time => Ok(None),
            Err(_) => {
                let is_memory = ["memory allocation of", "out of memory"].iter().any(|words| complaint.contains(words));
                let reason = if is_memory { Unreadable::TookTooMuchMemory } else { Unreadable::Crashed };
                Ok(Some(Err(reason)))
            }
        }
    }

    fn start(&self, format: Format, size: usize, time: Duration) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        let (memory, seconds) = (self.memory.to_string(), time.as_secs().max(1).to_string());
        command.args(["read-document", "--format", format.name(), "--memory", &memory, "--seconds", &seconds]);
        command.args(["--size", &size.to_string()]);
        // A document has no use for the secrets of the server. Windows cannot start a program without this one.
        command.env_clear().envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command.envs(ALLOCATOR);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.spawn()
    }
}

/// The output of the process.
struct ProcessOutput {
    answer: Vec<u8>,
    complaint: String,
}

/// Gives the document to the process, and takes what it says until it ends.
async fn converse(child: &mut Child, bytes: &[u8]) -> io::Result<ProcessOutput> {
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // The input stays open until the process has ended: one whose input ends knows that its server is gone.
    let give = async {
        let mut input: Option<ChildStdin> = input;
        if let Some(input) = &mut input {
            // A process that ends early does not take everything, and says why on its output.
            input.write_all(bytes).await.ok();
        }
        input
    };
    let room = u64::try_from(Limits::default().max_text_bytes.saturating_mul(BYTES_EACH)).unwrap_or(u64::MAX);
    let (input, answer, complaint) = tokio::join!(give, take(output, room), take(errors, COMPLAINT_BYTES));
    child.wait().await?;
    drop(input);
    let complaint = String::from_utf8_lossy(&complaint?).into_owned();
    Ok(ProcessOutput { answer: answer?, complaint })
}

/// The first bytes of an output. The rest is read and dropped: a writer that waits would never end.
async fn take(from: Option<impl AsyncRead + Unpin>, room: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        (&mut from).take(room).read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_its_content_and_the_limits_of_its_reader() {
        let reader = DocumentReader::new("/bin/citewire");
        let first = reader.key(Format::Pdf, b"x");
        assert_eq!(first, reader.clone().of("hr").key(Format::Pdf, b"x"));
        assert_ne!(first, reader.key(Format::Pdf, b"y"));
        assert_ne!(first, reader.key(Format::Html, b"x"));
        let patient = DocumentReader { longest: Duration::from_secs(120), ..reader };
        assert_ne!(first, patient.key(Format::Pdf, b"x"));
    }
}
