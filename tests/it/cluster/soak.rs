//! Nodes and primaries that end while clients are at work; briefly in the suite, and for long by `cargo xtask soak`.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::history::{APOLOGY, Fault, History, Outcome};
use super::load::Load;
use super::model::Model;
use super::node::{Cluster, Node, dead_after};
use super::stage::Doors;
use crate::app::{Dice, number, sized};
use crate::postgres::{Database, Pair};
use crate::redis::{PASSWORD, Redis};

/// The number of nodes.
const NODES: usize = 3;

/// The model says a word each time.
const WORD: Duration = Duration::from_millis(60);

/// The number of kills or promotions after which the history is judged, and new conversations begin. Runs of other
/// seeds begin there.
const ROUND: u64 = 10;

/// The numbers of the rounds, each with how many kills it has: the seed is the number of the first one.
fn rounds(variable: &str, otherwise: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    let (times, seed) = (number(variable, otherwise), number("PROPTEST_RNG_SEED", 1));
    (0..times.div_ceil(most)).map(move |round| (seed + round, most.min(times - round * most)))
}

#[expect(clippy::print_stdout, reason = "long runs say how far they are")]
fn judge(history: &History, seed: u64, rest: &str) {
    let of = |wanted: fn(&Outcome) -> bool| history.calls.iter().filter(|call| wanted(&call.outcome)).count();
    println!(
        "seed {seed}: {} acknowledged, {} refused, {} doubtful, {} questions, {} connections of readers{rest}",
        of(|outcome| matches!(outcome, Outcome::Acknowledged(_))),
        of(|outcome| *outcome == Outcome::Refused),
        of(|outcome| *outcome == Outcome::Doubtful),
        history.calls.iter().filter(|call| call.asks).count(),
        history.readings.len(),
    );
    assert_eq!(history.faults(), Vec::<Fault>::new(), "seed {seed}");
}

/// Makes one kind of trouble for a node.
async fn trouble(cluster: &Cluster, nodes: &mut [Node; NODES], doors: &Doors, which: u64, dice: &mut Dice) {
    let index = usize::try_from(dice.below(NODES as u64)).expect("small");
    if which % 3 == 1 {
        nodes[index].signal("-STOP");
        // Longer than others wait for it.
        sleep(dead_after() + Duration::from_millis(dice.below(2000))).await;
        nodes[index].signal("-CONT");
        return;
    }
    let fresh = cluster.start().await;
    doors.replace(index, fresh.clone());
    let old = std::mem::replace(&mut nodes[index], fresh);
    if which.is_multiple_of(3) {
        old.kill();
    } else {
        old.terminate().await;
    }
}

/// Has nodes end over and over, and judges what clients and readers saw.
async fn nodes_end(change: impl FnOnce(Cluster) -> Cluster) {
    let (database, model) = (Database::new().await, Model::start().await);
    let cluster = change(Cluster::over(&database.url).asking(&model.url));
    for (seed, kills) in rounds("CITEWIRE_TEST_NODE_KILLS", sized(30), ROUND) {
        let (mut dice, begun) = (Dice(seed), Instant::now());
        let mut nodes = cluster.start_many::<NODES>().await;
        let doors = Doors::new(nodes.iter().map(|node| (**node).clone()).collect());
        let work = async {
            let load = Load::start(doors.clone(), 3, &mut dice).await;
            for kill in 0..kills {
                load.progress(20 + dice.below(200)).await;
                trouble(&cluster, &mut nodes, &doors, kill, &mut dice).await;
            }
            load.progress(50).await;
            load.finish(&nodes[0]).await
        };
        let history = tokio::select! {
            history = work => history,
            () = model.answer_all(WORD) => panic!("the model has ended"),
        };
        judge(&history, seed, &format!(", {kills} kills, {:.0} s", begun.elapsed().as_secs_f64()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_while_nodes_end() {
    nodes_end(|cluster| cluster).await;
}

/// Runs the same load where every reader sees every answer while it is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_comes_behind_an_end_while_nodes_end_that_share_a_bus() {
    let redis = Redis::start();
    nodes_end(|cluster| cluster.set("CITEWIRE_BUS_URL", &redis.url(PASSWORD))).await;
}

/// An upgrade: the balancer sends no client to a node that is about to end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_post_is_refused_while_all_nodes_are_replaced() {
    let (database, model) = (Database::new().await, Model::start().await);
    let cluster = Cluster::over(&database.url).asking(&model.url);
    let mut dice = Dice(number("PROPTEST_RNG_SEED", 1));
    let mut nodes = cluster.start_many::<NODES>().await;
    let doors = Doors::new(nodes.iter().map(|node| (**node).clone()).collect());
    let work = async {
        let load = Load::start(doors.clone(), 3, &mut dice).await;
        for (index, node) in nodes.iter_mut().enumerate() {
            load.progress(50).await;
            let fresh = cluster.start().await;
            doors.replace(index, fresh.clone());
            doors.drain().await;
            std::mem::replace(node, fresh).terminate().await;
        }
        load.progress(50).await;
        load.finish(&nodes[0]).await
    };
    let history = tokio::select! {
        history = work => history,
        () = model.answer_all(WORD) => panic!("the model has ended"),
    };
    let lost = history.calls.iter().filter(|call| !matches!(call.outcome, Outcome::Acknowledged(_)));
    assert_eq!(lost.map(|call| &call.text).collect::<Vec<_>>(), Vec::<&String>::new());
    judge(&history, 1, "");
    let apologies = history.logs.values().flatten().filter(|said| said["text"] == APOLOGY).count();
    assert_eq!(apologies, 0, "nobody is told sorry because of an upgrade");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_while_a_standby_is_promoted() {
    let (mut pair, model) = (Pair::start().await, Model::start().await);
    let cluster = Cluster::over(&pair.url()).asking(&model.url);
    let nodes = cluster.start_many::<2>().await;
    let doors = Doors::new(nodes.iter().map(|node| (**node).clone()).collect());
    for (seed, promotions) in rounds("CITEWIRE_TEST_PROMOTIONS", sized(10), 1) {
        assert_eq!(promotions, 1);
        let (mut dice, begun) = (Dice(seed), Instant::now());
        let work = async {
            let load = Load::start(doors.clone(), 5, &mut dice).await;
            load.progress(50 + dice.below(200)).await;
            // Now and then a node sleeps through all of it, and wakes with connections to a server that is gone.
            let sleeper = nodes.get(usize::try_from(dice.below(4)).expect("small"));
            sleeper.inspect(|node| node.signal("-STOP"));
            pair.kill_primary();
            // A monitor of the primary takes about this long.
            sleep(Duration::from_millis(dice.below(3000))).await;
            pair.promote().await;
            sleeper.inspect(|node| node.signal("-CONT"));
            let promoted = Instant::now();
            timeout(Duration::from_secs(5), load.progress(5)).await.expect("writing goes on within five seconds");
            let pause = promoted.elapsed();
            load.progress(50).await;
            (load.finish(&nodes[0]).await, pause)
        };
        let (history, pause) = tokio::select! {
            done = work => done,
            () = model.answer_all(WORD) => panic!("the model has ended"),
        };
        judge(
            &history,
            seed,
            &format!(", writing {} ms after the promotion, {:.0} s", pause.as_millis(), begun.elapsed().as_secs_f64()),
        );
        pair.replace().await;
    }
}
