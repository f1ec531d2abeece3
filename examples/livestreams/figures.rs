//! What comes of all the sockets together.

use std::time::Duration;

use anyhow::Context as _;

use super::reader::Seen;

#[derive(Debug, Default)]
pub(crate) struct Figures {
    newest: Vec<Duration>,
    words: Vec<Duration>,
    frames: usize,
    bytes: usize,
    last_bytes: usize,
}

impl Figures {
    pub(crate) fn add(&mut self, seen: Seen) {
        self.newest.extend(seen.newest);
        self.words.extend(seen.words);
        self.frames += seen.frames;
        self.bytes += seen.bytes;
        self.last_bytes += seen.last_bytes;
    }

    /// The line: streams, words each, frames of a stream; in milliseconds, p50 and p99 of the age of the newest word of each
    /// frame, and p50 and p99 of how much longer than the pacing interval a word took; CPU of the server in milliseconds for
    /// a second of a stream; bytes of all frames against those of the last ones, and what they would have been without
    /// pacing, one frame a word.
    pub(crate) fn line(mut self, streams: usize, words: usize, cpu: f64, interval: Duration) -> String {
        let mut beyond: Vec<_> = self.words.iter().map(|age| age.saturating_sub(interval)).collect();
        let seconds = words as f64 / super::upstream::WORDS_A_SECOND as f64;
        let (bytes, last) = (self.bytes as f64, self.last_bytes as f64);
        format!(
            "{streams} {words} {:.1} {:.2} {:.2} {:.2} {:.2} {:.2} {:.1} {:.1}",
            self.frames as f64 / streams as f64,
            percentile(&mut self.newest, 50),
            percentile(&mut self.newest, 99),
            percentile(&mut beyond, 50),
            percentile(&mut beyond, 99),
            cpu * 1e3 / (streams as f64 * seconds),
            bytes / last,
            (words as f64 + 1.0) / 2.0,
        )
    }
}

fn percentile(times: &mut [Duration], share: usize) -> f64 {
    times.sort();
    times.get(times.len().saturating_sub(1) * share / 100).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// What a process has used of the processors.
pub(crate) fn cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).context("PID")?;
    // Behind the name, which may hold anything, the 12th and 13th fields are ticks of user and system time.
    let fields: Vec<&str> = stat.rsplit_once(')').context("stat")?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11..13).context("stat")?.iter().filter_map(|field| field.parse::<f64>().ok()).sum();
    Ok(ticks / 100.0)
}
