use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::turn_queue::RunningTurn;
use super::{Fingerprint, Full, Offer, Offered, TurnLimits, TurnQueue};

const LIMITS: TurnLimits = TurnLimits {
    at_once: 2,
    waiting: 4,
    waiting_each: 4,
    waiting_bytes: 100,
    remembered: 10,
    remember_for: Duration::from_secs(600),
    last_words: Duration::from_secs(5),
};

/// What a test puts into a line: a number, and what tells it that it is forgotten.
type Job = (u32, CancellationToken);

fn turns() -> Arc<TurnQueue<Job>> {
    Arc::new(TurnQueue::new(LIMITS))
}

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

fn offer(turns: &TurnQueue<Job>, line: &str, job: u32) -> Offered {
    offer_as(turns, line, job, None, 1)
}

fn offer_as(turns: &TurnQueue<Job>, line: &str, job: u32, id: Option<&str>, bytes: usize) -> Offered {
    let forgotten = CancellationToken::new();
    let fingerprint = id.map(|id| Fingerprint::of("msteams:a", id));
    turns.offer(Offer { line, fingerprint, bytes, forgotten: &forgotten }, (job, forgotten.clone()), now())
}

/// A turn that has begun, and lasts until the test says how it ends.
struct Begun {
    job: u32,
    forgotten: CancellationToken,
    end: oneshot::Sender<End>,
}

enum End {
    Well,
    InPanic,
}

struct Serving {
    begun: mpsc::UnboundedReceiver<Begun>,
    ending: CancellationToken,
    run: JoinHandle<usize>,
}

impl Serving {
    fn start(turns: &Arc<TurnQueue<Job>>) -> Self {
        let (tell, begun) = mpsc::unbounded_channel();
        let serve = move |mut turn: RunningTurn<Job>| {
            let tell = tell.clone();
            async move {
                let (end, ended) = oneshot::channel();
                let (job, forgotten) = turn.take().expect("a job");
                drop(tell.send(Begun { job, forgotten, end }));
                match ended.await {
                    Ok(End::InPanic) => panic!("as the test wants it"),
                    Ok(End::Well) | Err(_) => {}
                }
            }
        };
        let (tasks, ending) = (TaskTracker::new(), CancellationToken::new());
        let run = Arc::clone(turns).run(serve, tasks.clone(), ending.clone());
        Self { begun, ending, run: tasks.spawn(run) }
    }

    async fn begun(&mut self) -> Begun {
        self.begun.recv().await.expect("a turn")
    }

    fn is_quiet(&mut self) -> bool {
        self.begun.try_recv().is_err()
    }
}

impl Begun {
    fn ends(self, end: End) {
        drop(self.end.send(end));
    }
}

/// Lets every task that can go on do so.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_conversation_has_one_turn_at_a_time_and_others_do_not_wait_for_it() {
    let turns = turns();
    for (line, job) in [("a", 1), ("a", 2), ("b", 3)] {
        assert_eq!(offer(&turns, line, job), Offered::Taken);
    }
    let mut serving = Serving::start(&turns);
    let (first, other) = (serving.begun().await, serving.begun().await);
    assert_eq!((first.job, other.job), (1, 3));
    settle().await;
    assert!(serving.is_quiet());
    first.ends(End::Well);
    assert_eq!(serving.begun().await.job, 2);
}

#[tokio::test]
async fn so_many_run_at_once_and_a_busy_conversation_goes_behind_the_others() {
    let turns = turns();
    for (line, job) in [("a", 1), ("a", 2), ("b", 3), ("c", 4)] {
        assert_eq!(offer(&turns, line, job), Offered::Taken);
    }
    let mut serving = Serving::start(&turns);
    let (first, second) = (serving.begun().await, serving.begun().await);
    settle().await;
    assert!(serving.is_quiet(), "two run at once");
    first.ends(End::Well);
    let third = serving.begun().await;
    assert_eq!(third.job, 4);
    drop((second, third));
    assert_eq!(serving.begun().await.job, 2);
}

#[tokio::test]
async fn a_turn_that_panics_does_not_lose_its_line() {
    let turns = turns();
    for job in [1, 2] {
        assert_eq!(offer(&turns, "a", job), Offered::Taken);
    }
    let mut serving = Serving::start(&turns);
    serving.begun().await.ends(End::InPanic);
    let next = serving.begun().await;
    assert_eq!(next.job, 2);
    next.ends(End::Well);
    settle().await;
    assert_eq!(offer(&turns, "a", 3), Offered::Taken);
    assert_eq!(serving.begun().await.job, 3);
}

#[test]
fn what_there_is_no_room_for_is_refused_and_not_remembered() {
    let turns = turns();
    for (job, id) in [(1, "1"), (2, "2"), (3, "3"), (4, "4")] {
        assert_eq!(offer_as(&turns, "a", job, Some(id), 1), Offered::Taken);
    }
    assert_eq!(offer_as(&turns, "a", 5, Some("5"), 1), Offered::Full(Full::Waiting));
    assert_eq!(offer_as(&turns, "b", 4, Some("4"), 1), Offered::Repeated, "it waits already");
    assert_eq!(turns.forget("a"), 4);
    assert_eq!(offer_as(&turns, "a", 5, Some("5"), 1), Offered::Taken, "it comes again");
    assert_eq!(offer_as(&turns, "a", 6, Some("6"), 100), Offered::Full(Full::WaitingBytes));
    turns.let_come_again(Fingerprint::of("msteams:a", "5"));
    assert_eq!(offer_as(&turns, "a", 5, Some("5"), 1), Offered::Taken, "nobody has its outcome");
}

#[test]
fn no_conversation_takes_all_of_the_room() {
    let turns = TurnQueue::new(TurnLimits { waiting_bytes: 1_000, ..LIMITS }.with_waiting(8));
    let taken = |line: &str| (0..8).filter(|job| offer(&turns, line, *job) == Offered::Taken).count();
    assert_eq!(taken("a"), 2);
    assert_eq!(offer(&turns, "a", 9), Offered::Full(Full::WaitingEach));
    assert_eq!([taken("a"), taken("b"), taken("c"), taken("d"), taken("e")], [0, 2, 2, 2, 0]);
    assert_eq!(offer(&turns, "a", 9), Offered::Full(Full::Waiting));
}

#[test]
fn what_needs_no_line_is_not_done_twice_either() {
    let turns = turns();
    let invoke = Some(Fingerprint::of("msteams:a", "1"));
    assert!(!turns.is_repeated(invoke, now()) && !turns.is_repeated(invoke, now()), "it was not done yet");
    turns.remember(invoke, now());
    turns.remember(None, now());
    assert!(turns.is_repeated(invoke, now()) && !turns.is_repeated(None, now()));
    assert!(!turns.is_repeated(invoke, now() + chrono::Duration::minutes(10)));
}

#[tokio::test]
async fn a_conversation_that_is_forgotten_waits_no_more_and_what_runs_is_told() {
    let turns = turns();
    for (line, job) in [("a", 1), ("a", 2), ("b", 3)] {
        assert_eq!(offer(&turns, line, job), Offered::Taken);
    }
    let mut serving = Serving::start(&turns);
    let (first, other) = (serving.begun().await, serving.begun().await);
    assert_eq!((turns.forget("a"), turns.forget("nobody")), (1, 0));
    assert!(first.forgotten.is_cancelled() && !other.forgotten.is_cancelled());
    first.ends(End::Well);
    settle().await;
    assert!(serving.is_quiet());
    assert_eq!(offer(&turns, "a", 4), Offered::Taken);
    let fresh = serving.begun().await;
    assert!(fresh.job == 4 && !fresh.forgotten.is_cancelled());
}

#[tokio::test]
async fn at_the_end_those_who_wait_get_their_turn_and_nobody_is_taken_in() {
    let turns = turns();
    for (line, job) in [("a", 1), ("b", 2), ("c", 3), ("c", 4)] {
        assert_eq!(offer(&turns, line, job), Offered::Taken);
    }
    let mut serving = Serving::start(&turns);
    let running = [serving.begun().await, serving.begun().await];
    serving.ending.cancel();
    settle().await;
    assert_eq!(offer(&turns, "d", 5), Offered::Closed);
    for begun in running {
        begun.ends(End::Well);
    }
    for job in [3, 4] {
        let begun = serving.begun().await;
        assert_eq!(begun.job, job);
        begun.ends(End::Well);
    }
    assert_eq!(serving.run.await.expect("it ends"), 0);
}

#[tokio::test(start_paused = true)]
async fn who_cannot_be_told_in_time_is_let_go_of_and_counted() {
    let turns = turns();
    for (line, job) in [("a", 1), ("b", 2), ("c", 3), ("a", 4)] {
        assert_eq!(offer(&turns, line, job), Offered::Taken);
    }
    let mut serving = Serving::start(&turns);
    let _running = [serving.begun().await, serving.begun().await];
    serving.ending.cancel();
    assert_eq!(serving.run.await.expect("it ends"), 2);
    assert_eq!(turns.waiting(), 0);
}
