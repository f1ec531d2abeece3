//! Searches of documents by words alone, and by words and vectors: time of a search, time and memory of an index.
//!
//!     cargo bench --package citewire-assistants --bench search
//!     cargo bench --package citewire-assistants --bench search -- words
//!
//! The second command leaves out vectors. Processor time depends less than times by the clock on what else runs. The vectors have 768 dimensions and come from a generator in this process, so that no network is measured.

#![expect(clippy::print_stdout, reason = "the table is what this is for")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use citewire_assistants::document::{
    Embedder, EmbeddingError, HybridSearch, Library, LibraryOptions, Search, VectorModel,
};
use citewire_base::clock::SystemClock;
use futures_util::future::join_all;

const DIMENSION: usize = 768;

/// The passages of one file.
const IN_FILE: usize = 100;

/// How many searches are measured.
const SEARCHES: usize = 200;

/// Numbers that look like chance, the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        // The constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A word: a few are everywhere and most are rare, as in any language.
    fn word(&mut self) -> String {
        let most = 1 << (self.next() % 14 + 2);
        format!("w{:x}", self.next() % most)
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug)]
struct Generator(VectorModel);

impl Generator {
    fn vector(text: &str) -> Vec<f32> {
        let seed = text.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let mut numbers = Numbers(seed);
        (0..DIMENSION).map(|_| (numbers.next() % 2001) as f32 / 1000.0 - 1.0).collect()
    }
}

#[async_trait]
impl Embedder for Generator {
    fn model(&self) -> &VectorModel {
        &self.0
    }

    fn batch(&self) -> usize {
        256
    }

    async fn passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }

    async fn question(&self, question: &str, _dimension: usize) -> Option<Vec<f32>> {
        Some(Self::vector(question))
    }
}

/// The memory of this process, in MB.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().split(' ').next().and_then(|kib| kib.parse::<usize>().ok()).unwrap_or_default() / 1024
}

/// The processor time of this process so far.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    // The kernel counts hundredths of a second.
    Duration::from_millis(10 * fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>())
}

/// Times of many searches: their median, the 99th percentile, and the mean processor time of one.
struct Taken {
    p50: Duration,
    p99: Duration,
    processor: Duration,
}

/// The times of searches by some who ask at once, each one question after the other.
async fn times(search: &dyn Search, searches: usize, askers: u64) -> Taken {
    let ask = |asker: u64| async move {
        let mut numbers = Numbers(42 + asker);
        let mut taken = Vec::with_capacity(searches);
        for _ in 0..searches {
            let question = numbers.words(6);
            let begun = Instant::now();
            search.search(&question, 6).await.expect("a search");
            taken.push(begun.elapsed());
        }
        taken
    };
    let before = processor();
    let mut taken = join_all((0..askers).map(ask)).await.concat();
    let processor = (processor() - before) / u32::try_from(taken.len()).expect("few searches");
    taken.sort_unstable();
    let at = |share: usize| taken[(taken.len() * share / 100).min(taken.len() - 1)];
    Taken { p50: at(50), p99: at(99), processor }
}

async fn row(passages: usize, searches: usize, with_vectors: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut numbers = Numbers(1);
    for file in 0..passages.div_ceil(IN_FILE) {
        let part = |_| format!("## {}\n\n{}.\n\n", numbers.words(3), numbers.words(60));
        let text: String = (0..IN_FILE.min(passages)).map(part).collect();
        std::fs::write(folder.path().join(format!("{file}.md")), text).expect("written");
    }
    let (begun, before) = (Instant::now(), memory());
    let library = Arc::new(Library::open(LibraryOptions::new(folder.path())).await.expect("a library"));
    let (built, with_words) = (begun.elapsed(), memory());
    let one = times(&*library, searches, 1).await;
    let eight = times(&*library, searches, 8).await;
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
    let mut columns = vec![passages.to_string()];
    for taken in [one, eight] {
        columns.extend([ms(taken.p50), ms(taken.p99), format!("{:.2}", taken.processor.as_secs_f64() * 1000.0)]);
    }
    columns.extend([format!("{:.1}", built.as_secs_f64()), with_words.saturating_sub(before).to_string()]);
    if with_vectors {
        let begun = Instant::now();
        let embedder = Arc::new(Generator(VectorModel::new("generator", Some(DIMENSION))));
        let hybrid = HybridSearch::begin("bench", library, embedder, Arc::new(SystemClock));
        hybrid.embedded().await;
        let (embedded, all) = (begun.elapsed(), memory());
        let both = times(&hybrid, searches, 1).await;
        columns.extend([ms(both.p50), ms(both.p99), format!("{:.1}", embedded.as_secs_f64())]);
        columns.push(all.saturating_sub(with_words).to_string());
    }
    println!("| {} |", columns.join(" | "));
}

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    // `cargo bench` says so; the suite only looks whether this program still works.
    let measured = std::env::args().any(|argument| argument == "--bench");
    let with_vectors = !std::env::args().any(|argument| argument == "words");
    let mut columns = "| passages | words p50, ms | p99 | processor | eight at once, p50, ms | p99 | processor | index, s | index, MB |".to_owned();
    if with_vectors {
        columns.push_str(" words and vectors p50, ms | p99 | vectors, s | vectors, MB |");
    }
    println!("{columns}\n|{}", "---|".repeat(columns.matches('|').count() - 1));
    let sizes: &[usize] = if measured { &[1_000, 10_000, 100_000] } else { &[100] };
    for passages in sizes {
        runtime.block_on(row(*passages, if measured { SEARCHES } else { 5 }, with_vectors));
    }
}
