//! Many generated cases of a property: seeded, in parallel, and every failure in its smallest form.
//!
//! The suite tries 2,000 cases; `cargo xtask soak` runs the same tests with as many as one likes. The environment tells how:
//! `PROPTEST_CASES`, `PROPTEST_RNG_SEED`, and `CITEWIRE_TEST_WORKERS` (threads, one unless it says otherwise).

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Cases that are generated from one seed and tried together.
const BATCH: u64 = 64;

/// After so many different failures there is enough to do.
const MAX_FAILURES: usize = 40;

const PROGRESS_EVERY: Duration = Duration::from_secs(20);

/// The outcome of one case.
pub(super) enum Verdict {
    Holds,
    /// Nothing can be said of it.
    Discarded,
    Fails(String),
}

impl Verdict {
    /// The verdict of this function on a case. A panic in it is a failure that names the case.
    pub(super) fn of<E: Display>(case: &impl Debug, judge: impl FnOnce() -> Result<(), E>) -> Self {
        match catch_unwind(AssertUnwindSafe(judge)) {
            Ok(Ok(())) => Self::Holds,
            Ok(Err(error)) => Self::Fails(error.to_string()),
            Err(_) => Self::Fails(format!("it panics at {case:?}")),
        }
    }
}

/// A case that can be made smaller.
pub(super) trait Case: Clone + Debug {
    /// Without the part at this place; `None` behind the last one.
    fn without(&self, at: usize) -> Option<Self>;
}

impl<T: Clone + Debug> Case for Vec<T> {
    fn without(&self, at: usize) -> Option<Self> {
        let mut less = self.clone();
        (at < less.len()).then(|| less.remove(at))?;
        Some(less)
    }
}

impl<A: Case, B: Case> Case for (A, B) {
    fn without(&self, at: usize) -> Option<Self> {
        let parts = (0..).take_while(|at| self.0.without(*at).is_some()).count();
        match self.0.without(at) {
            Some(less) => Some((less, self.1.clone())),
            None => Some((self.0.clone(), self.1.without(at - parts)?)),
        }
    }
}

/// How many cases were tried, and what became of them.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) tried: u64,
    pub(super) discarded: u64,
    /// The smallest forms of what failed, with the reasons and how often they were met.
    failures: BTreeMap<String, (String, u64)>,
}

impl Tally {
    pub(super) fn assert_all_hold(&self) {
        let failures = &self.failures;
        assert!(failures.is_empty(), "{} different failures in {} cases, told above", failures.len(), self.tried);
    }

    /// Demands that the generator makes at most this share of answers that cannot be judged. The share of a small sample varies:
    /// three standard deviations are allowed on top, which is 2.6 percentage points in 400 cases and 0.4 in 20,000.
    pub(super) fn assert_few_discarded(&self, percent: f64) {
        let (tried, share) = (self.tried as f64, percent / 100.0);
        let most = tried * share + 3.0 * (tried * share * (1.0 - share)).sqrt();
        let discarded = self.discarded;
        assert!((discarded as f64) < most, "{discarded} of {tried} answers were not judged, where {most:.0} may be");
    }

    fn tell(&self, name: &str, since: Instant) -> String {
        let seconds = since.elapsed().as_secs_f64();
        format!(
            "{name}: {} cases in {seconds:.0} s ({:.0} a second), {} discarded ({:.2} %), {} different failures",
            self.tried,
            self.tried as f64 / seconds,
            self.discarded,
            self.discarded as f64 * 100.0 / self.tried.max(1) as f64,
            self.failures.len()
        )
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(value) => value.parse().unwrap_or_else(|error| panic!("{name} is {value:?}: {error}")),
        Err(_) => otherwise,
    }
}

/// The batch of that number: the same for the same seed, whoever tries it.
fn batch<S: Strategy>(strategy: &S, seed: u64, number: u64, size: u64) -> Vec<S::Value> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..size).map(|_| strategy.new_tree(&mut runner).expect("a case").current()).collect()
}

/// Tries a property with generated cases. Each worker starts a judge of its own, which judges several cases at once.
#[expect(clippy::print_stdout, reason = "a long run tells how it goes")]
pub(super) fn try_all<S, J>(name: &str, strategy: impl Fn() -> S + Sync, start: impl Fn() -> J + Sync) -> Tally
where
    S: Strategy,
    S::Value: Case,
    J: FnMut(&[S::Value]) -> Vec<Verdict>,
{
    let (cases, seed) = (setting("PROPTEST_CASES", 2_000), setting("PROPTEST_RNG_SEED", 20_240_704));
    let workers = setting("CITEWIRE_TEST_WORKERS", 1);
    let since = Instant::now();
    let next = AtomicU64::new(0);
    let shared = Mutex::new((Tally::default(), since));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let (strategy, mut judge) = (strategy(), start());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let first = number * BATCH;
                    if first >= cases || shared.lock().expect("the tally").0.failures.len() >= MAX_FAILURES {
                        break;
                    }
                    let batch = batch(&strategy, seed, number, BATCH.min(cases - first));
                    let verdicts = judge(&batch);
                    assert_eq!(verdicts.len(), batch.len(), "every case is judged");
                    let mut failed = Vec::new();
                    let mut discarded = 0;
                    for (case, verdict) in batch.iter().zip(verdicts) {
                        match verdict {
                            Verdict::Holds => {}
                            Verdict::Discarded => discarded += 1,
                            Verdict::Fails(reason) => failed.push(smallest(case.clone(), reason, &mut judge)),
                        }
                    }
                    let (tally, told) = &mut *shared.lock().expect("the tally");
                    tally.tried += batch.len() as u64;
                    tally.discarded += discarded;
                    for (case, reason) in failed {
                        let failure = tally.failures.entry(format!("{case:?}")).or_insert_with(|| {
                            let case = shortened(&format!("{case:?}"));
                            println!("\n{name} fails, seed {seed}, batch {number}: {case}\n{}", shortened(&reason));
                            (reason, 0)
                        });
                        failure.1 += 1;
                    }
                    if told.elapsed() >= PROGRESS_EVERY {
                        *told = Instant::now();
                        println!("{}", tally.tell(name, since));
                    }
                }
            });
        }
    });
    let (tally, _) = shared.into_inner().expect("the tally");
    println!("{}, seed {seed}, {workers} workers", tally.tell(name, since));
    for (case, (_, times)) in &tally.failures {
        println!("{times:6} times {}", shortened(case));
    }
    tally
}

/// With long runs of one word or letter told by their lengths.
fn shortened(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let unit = if rest.starts_with("word ") { "word " } else { &rest[..first.len_utf8()] };
        let length = rest.len() - rest.trim_start_matches(unit).len();
        if length > 40 * unit.len() {
            short.push_str(&format!("⟨{} times {unit:?}⟩", length / unit.len()));
            rest = &rest[length..];
        } else {
            short.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    short
}

/// Takes parts away as long as it goes on failing.
fn smallest<C: Case>(mut case: C, mut reason: String, judge: &mut impl FnMut(&[C]) -> Vec<Verdict>) -> (C, String) {
    loop {
        let smaller: Vec<C> = (0..).map_while(|at| case.without(at)).collect();
        let failing = judge(&smaller).into_iter().zip(smaller).find_map(|(verdict, less)| match verdict {
            Verdict::Fails(reason) => Some((less, reason)),
            Verdict::Holds | Verdict::Discarded => None,
        });
        match failing {
            Some(less) => (case, reason) = less,
            None => return (case, reason),
        }
    }
}
