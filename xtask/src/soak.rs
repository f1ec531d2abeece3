//! Long runs of the properties, outside the suite: the same tests with as many cases as one likes.

use crate::repository::Repository;
use crate::{debian, npm, process};
use anyhow::{Context as _, Result, bail};
use std::time::Instant;

/// How many generated cases unless one says otherwise.
const CASES: u64 = 1_000_000;

/// How many kills unless one says otherwise.
const KILLS: u64 = 100;

/// How many nodes and how many primaries of clusters end unless one says otherwise.
const NODE_KILLS: u64 = 50;
const PROMOTIONS: u64 = 10;

/// The seed unless one says otherwise.
const SEED: u64 = 1;

/// A property that can be tried for long.
struct Property {
    name: &'static str,
    what: &'static str,
    /// Which test it is, in which file.
    file: &'static [&'static str],
    test: &'static str,
    often: Often,
}

/// The rewritten answers before the Markdown engines: only the core is built for these.
const ENGINES: &[&str] = &["--package", "citewire-core", "--test", "engines"];

/// Black-box tests of the whole service.
const SERVICE: &[&str] = &["--test", "it"];

/// How it is said how often something is tried.
#[derive(Debug, PartialEq, Eq)]
struct Often {
    option: &'static str,
    variable: &'static str,
    unless_said: u64,
}

const GENERATED: Often = Often { option: "--cases", variable: "PROPTEST_CASES", unless_said: CASES };

const PROPERTIES: [Property; 10] = [
    Property {
        name: "citations",
        what: "every engine reads every badge as its source and everything else as it was",
        file: ENGINES,
        test: "property::every_engine_reads_every_badge_as_its_source_and_everything_else_as_it_was",
        often: GENERATED,
    },
    Property {
        name: "formats",
        what: "every engine reads what any provider sends as its markers mean it",
        file: ENGINES,
        test: "property::every_engine_reads_what_any_provider_sends_as_its_markers_mean_it",
        often: GENERATED,
    },
    Property {
        name: "places",
        what: "every engine reads an answer cited at any place as it was, with one badge",
        file: ENGINES,
        test: "spans::every_engine_reads_an_answer_cited_at_any_place_as_it_was_with_one_badge",
        often: GENERATED,
    },
    Property {
        name: "spans",
        what: "every engine reads a cited span as it reads a marker behind it",
        file: ENGINES,
        test: "spans::every_engine_reads_a_cited_span_as_it_reads_a_marker_behind_it",
        often: GENERATED,
    },
    Property {
        name: "streams",
        what: "any cut gives what the whole answer gives",
        file: ENGINES,
        test: "incremental::any_cut_gives_what_the_whole_answer_gives_and_shows_only_its_beginning",
        often: GENERATED,
    },
    Property {
        name: "blocks",
        what: "blocks that are cited at their ends give what the answer with their spans gives",
        file: ENGINES,
        test: "blocks::blocks_cited_at_their_ends_give_what_the_answer_with_their_spans_gives",
        often: GENERATED,
    },
    Property {
        name: "crash",
        what: "what a server has acknowledged outlives every kill",
        file: SERVICE,
        test: "crash::what_was_acknowledged_outlives_every_kill",
        often: Often { option: "--kills", variable: "CITEWIRE_TEST_KILLS", unless_said: KILLS },
    },
    Property {
        name: "nodes",
        what: "nodes that end, sleep and are killed lose and double nothing; begins anew with each ten kills and the next seed",
        file: SERVICE,
        test: "cluster::soak::nothing_is_lost_or_doubled_while_nodes_end",
        often: Often { option: "--kills", variable: "CITEWIRE_TEST_NODE_KILLS", unless_said: NODE_KILLS },
    },
    Property {
        name: "bus",
        what: "the same for nodes that share a bus, over which readers see every answer while it is written",
        file: SERVICE,
        test: "cluster::soak::nothing_comes_behind_an_end_while_nodes_end_that_share_a_bus",
        often: Often { option: "--kills", variable: "CITEWIRE_TEST_NODE_KILLS", unless_said: NODE_KILLS },
    },
    Property {
        name: "failover",
        what: "a standby that is promoted loses and doubles nothing; begins anew with each promotion and the next seed",
        file: SERVICE,
        test: "cluster::soak::nothing_is_lost_or_doubled_while_a_standby_is_promoted",
        often: Often { option: "--promotions", variable: "CITEWIRE_TEST_PROMOTIONS", unless_said: PROMOTIONS },
    },
];

/// The property to try, and how often.
#[derive(Debug, PartialEq, Eq)]
struct Soak {
    file: &'static [&'static str],
    test: &'static str,
    variable: &'static str,
    times: u64,
    seed: u64,
    workers: u64,
}

/// Tries one property with many cases; fails when one case does.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let soak = parse(arguments)?;
    npm::install(&repository.path("crates/core/tests/engines"))?;
    debian::ensure_postgresql()?;
    // Built as the suite builds it: most of the time goes to the engines.
    let built = || {
        let mut command = repository.cargo(&["test", "--locked"]);
        command.args(soak.file);
        command
    };
    process::run(built().arg("--no-run"))?;
    let since = Instant::now();
    let mut command = built();
    command.args(["--", "--exact", soak.test, "--nocapture"]);
    command.env(soak.variable, soak.times.to_string());
    command.env("PROPTEST_RNG_SEED", soak.seed.to_string());
    command.env("CITEWIRE_TEST_WORKERS", soak.workers.to_string());
    let result = process::run(&mut command);
    println!("{} times, seed {}: {:.0} s", soak.times, soak.seed, since.elapsed().as_secs_f64());
    result
}

fn parse(arguments: &[String]) -> Result<Soak> {
    let known = || PROPERTIES.map(|property| format!("  {:10} {}", property.name, property.what)).join("\n");
    let Some((name, mut rest)) = arguments.split_first() else {
        bail!("say what to soak:\n{}", known());
    };
    let Some(property) = PROPERTIES.iter().find(|property| property.name == name) else {
        bail!("there is no property `{name}`; there are:\n{}", known());
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let Often { option: often, variable, unless_said } = property.often;
    let mut soak =
        Soak { file: property.file, test: property.test, variable, times: unless_said, seed: SEED, workers: cores };
    while let [option, value, behind @ ..] = rest {
        let number = || value.replace('_', "").parse::<u64>().with_context(|| format!("{option} {value}"));
        match option.as_str() {
            option if option == often => soak.times = number()?,
            "--seed" => soak.seed = number()?,
            "--workers" => soak.workers = number()?.max(1),
            _ => bail!("there is no option `{option}`; there are {often}, --seed and --workers"),
        }
        rest = behind;
    }
    if let [option] = rest {
        bail!("`{option}` needs a number");
    }
    Ok(soak)
}

#[cfg(test)]
mod tests {
    use super::{CASES, parse};

    fn arguments(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_million_cases_are_tried_unless_one_says_otherwise() {
        let soak = parse(&arguments("citations")).expect("a soak");
        assert_eq!((soak.times, soak.seed), (CASES, 1));
        let soak = parse(&arguments("streams --cases 20_000 --seed 7 --workers 1")).expect("a soak");
        assert_eq!((soak.times, soak.seed, soak.workers), (20_000, 7, 1));
        let soak = parse(&arguments("crash --kills 7")).expect("a soak");
        assert_eq!((soak.variable, soak.times), ("CITEWIRE_TEST_KILLS", 7));
        let soak = parse(&arguments("nodes --kills 500 --seed 31")).expect("a soak");
        assert_eq!((soak.variable, soak.times, soak.seed), ("CITEWIRE_TEST_NODE_KILLS", 500, 31));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in
            ["nonsense", "citations --often 3", "citations --cases", "citations --cases many", "crash --cases 3"]
        {
            assert!(parse(&arguments(line)).is_err(), "{line}");
        }
    }
}
