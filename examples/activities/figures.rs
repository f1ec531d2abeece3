//! What comes of all the messages together.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::posting::Posted;
use super::service::Answered;

#[derive(Debug)]
pub(crate) struct Figures {
    acknowledged: Vec<Duration>,
    answered: Vec<Duration>,
    /// From the first post to the last answer.
    altogether: Duration,
}

impl Figures {
    pub(crate) fn new(posted: &[Posted], answered: &Answered) -> anyhow::Result<Self> {
        let first = posted.iter().map(|each| each.at).min().context("nothing was posted")?;
        let mut last: Instant = first;
        let mut times = Vec::with_capacity(posted.len());
        for (number, each) in posted.iter().enumerate() {
            let at = answered.at(number).context("a message that was not answered")?;
            times.push(at.saturating_duration_since(each.at));
            last = last.max(at);
        }
        let acknowledged = posted.iter().map(|each| each.acknowledged).collect();
        Ok(Self { acknowledged, answered: times, altogether: last.saturating_duration_since(first) })
    }

    /// The line: messages; answered a second, from the first post to the last answer; in milliseconds, p50 and p99 until the bot
    /// had taken a message, and until its answer was there; CPU of the bot in milliseconds a message; its largest RSS in KiB.
    pub(crate) fn line(mut self, cpu: f64, peak_kib: u64) -> String {
        let count = self.answered.len() as f64;
        format!(
            "{count} {:.0} {:.2} {:.2} {:.2} {:.2} {:.3} {peak_kib}",
            count / self.altogether.as_secs_f64(),
            percentile(&mut self.acknowledged, 50),
            percentile(&mut self.acknowledged, 99),
            percentile(&mut self.answered, 50),
            percentile(&mut self.answered, 99),
            cpu * 1e3 / count,
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

/// The most memory that a process has had.
pub(crate) fn peak_kib(pid: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).context("PID")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("status")?;
    line.trim().trim_end_matches(" kB").parse().context("VmHWM")
}
