//! The suite: named steps, the time of each, and a table at the end.

use crate::repository::Repository;
use crate::{browser, buckets, debian, deny, documents, guides, npm, playground, process, prometheus, timing};
use anyhow::{Result, bail};
use std::time::{Duration, Instant};

/// How many cases a property is tried with, and from which seed, unless the environment says otherwise.
const PROPERTY_DEFAULTS: [(&str, &str); 2] = [("PROPTEST_CASES", "2000"), ("PROPTEST_RNG_SEED", "20240704")];

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// In each run.
    Fast,
    /// In a run of the whole suite.
    Whole,
    /// Only where it is named: it takes long, and repeats others.
    Named,
}

struct Step {
    name: &'static str,
    what: &'static str,
    when: When,
    run: fn(&Repository) -> Result<()>,
}

const STEPS: [Step; 14] = [
    Step { name: "fmt", what: "the code is formatted", when: When::Fast, run: fmt },
    Step { name: "clippy", what: "no lint complains", when: When::Fast, run: clippy },
    Step { name: "core", what: "the core depends on nothing that has I/O", when: When::Fast, run: core },
    Step { name: "tests", what: "unit, golden, property and black-box tests", when: When::Fast, run: tests },
    Step { name: "nodes", what: "two servers that take calls in turn do what one does", when: When::Named, run: nodes },
    Step { name: "doctests", what: "the examples in the documentation run", when: When::Whole, run: doctests },
    Step { name: "doc", what: "the documentation builds without warnings", when: When::Whole, run: doc },
    Step { name: "packages", what: "dependencies are as deny.toml wants them", when: When::Whole, run: deny::check },
    Step {
        name: "guides",
        what: "the commands of README and guides work as written",
        when: When::Whole,
        run: guides::test,
    },
    Step { name: "metrics", what: "a real Prometheus reads the figures", when: When::Whole, run: prometheus::test },
    Step {
        name: "buckets",
        what: "documents from buckets, and links that their services sign",
        when: When::Whole,
        run: buckets::test,
    },
    Step { name: "documents", what: "real documents of Debian's packages", when: When::Whole, run: documents::test },
    Step { name: "playground", what: "Teams' emulator in a real browser", when: When::Whole, run: playground::test },
    Step { name: "browser", what: "real Web Chat in a real browser", when: When::Whole, run: browser::test },
];

/// Runs the chosen steps, all of them even when one fails, and fails when one did.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--list") {
        for step in &STEPS {
            println!(
                "{:10} {}{}",
                step.name,
                step.what,
                match step.when {
                    When::Fast => " (fast)",
                    When::Whole => "",
                    When::Named => " (only by name)",
                }
            );
        }
        return Ok(());
    }
    let chosen = choose(arguments)?;
    let start = Instant::now();
    let mut results = Vec::new();
    for step in chosen {
        println!("\n== {}: {}", step.name, step.what);
        let begun = Instant::now();
        let result = (step.run)(repository);
        let taken = begun.elapsed();
        match &result {
            Ok(()) => println!("== {} passed in {}", step.name, seconds(taken)),
            Err(error) => println!("== {} FAILED in {}: {error:#}", step.name, seconds(taken)),
        }
        results.push((step.name, taken, result));
    }
    println!("\n{:10} {:>9}  result", "step", "time");
    for (name, taken, result) in &results {
        println!("{name:10} {:>9}  {}", seconds(*taken), if result.is_ok() { "passed" } else { "FAILED" });
    }
    println!("{:10} {:>9}", "all", seconds(start.elapsed()));
    let failed: Vec<&str> = results.iter().filter_map(|(name, _, result)| result.is_err().then_some(*name)).collect();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn choose(arguments: &[String]) -> Result<Vec<&'static Step>> {
    let fast = arguments.iter().any(|argument| argument == "--fast");
    let names: Vec<&str> = arguments.iter().map(String::as_str).filter(|argument| *argument != "--fast").collect();
    for name in &names {
        if !STEPS.iter().any(|step| step.name == *name) {
            bail!("there is no step `{name}`; `cargo xtask test --list` names them");
        }
    }
    Ok(STEPS
        .iter()
        .filter(|step| match step.when {
            _ if !names.is_empty() => names.contains(&step.name),
            When::Fast => true,
            When::Whole => !fast,
            When::Named => false,
        })
        .collect())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn fmt(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo(&["fmt", "--all", "--check"]))
}

fn clippy(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo(&["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Packages that reach for sockets, files, threads or the clock of the machine, or that run futures.
const WITH_IO: [&str; 10] =
    ["actix-web", "aws-lc-rs", "futures-executor", "hyper", "mio", "reqwest", "socket2", "sqlx", "tokio", "tracing"];

fn core(repository: &Repository) -> Result<()> {
    let tree =
        ["tree", "--locked", "--package", "citewire-core", "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = process::output(&mut repository.cargo(&tree))?;
    let named: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    if !named.contains(&"pulldown-cmark") {
        bail!("`cargo tree` does not list the dependencies of citewire-core: {tree}");
    }
    let found: Vec<&str> = WITH_IO.into_iter().filter(|package| named.contains(package)).collect();
    if !found.is_empty() {
        bail!("citewire-core depends on {}, which no pure core needs", found.join(" and "));
    }
    Ok(())
}

fn tests(repository: &Repository) -> Result<()> {
    ensure_databases()?;
    debian::ensure("systemd-analyze", "systemd")?;
    debian::ensure("kubectl", "kubernetes-client")?;
    debian::ensure("faketime", "faketime")?;
    debian::ensure("pgbouncer", "pgbouncer")?;
    debian::ensure("openssl", "openssl")?;
    npm::install(&repository.path("crates/core/tests/engines"))?;
    npm::install(&repository.path("tests/bot"))?;
    npm::install(&repository.path("tests/client"))?;
    npm::install(&repository.path("tests/completions"))?;
    npm::install(&repository.path("tests/workflows"))?;
    let mut command = repository.cargo(&["test", "--locked", "--workspace", "--all-targets", "--no-fail-fast"]);
    for (name, value) in PROPERTY_DEFAULTS {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    timing::timed(&mut command)?;
    timing::run(&mut command)
}

fn ensure_databases() -> Result<()> {
    debian::ensure_postgresql()?;
    debian::ensure("redis-server", "redis-server")
}

/// The modules of the black-box tests in which a server keeps conversations, and what is left out of them: it takes long, and
/// shows nothing new with two nodes.
const FOR_TWO_NODES: [&str; 7] =
    ["answers::", "assistants::", "azure_bot::", "bot::", "conversations::", "direct_line::", "live::"];
const FOR_ONE: [&str; 3] = ["azure_bot::load::", "direct_line_client::", "after_a_hundred_cuts"];

fn nodes(repository: &Repository) -> Result<()> {
    ensure_databases()?;
    npm::install(&repository.path("tests/bot"))?;
    npm::install(&repository.path("tests/client"))?;
    // With the whole workspace, nothing has to be built again.
    let mut command = repository.cargo(&["test", "--locked", "--workspace", "--test", "it", "--"]);
    command.args(FOR_TWO_NODES).args(FOR_ONE.iter().flat_map(|name| ["--skip", name]));
    process::run(command.env("CITEWIRE_TEST_NODES", "2"))
}

fn doctests(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo(&["test", "--locked", "--workspace", "--doc"]))
}

fn doc(repository: &Repository) -> Result<()> {
    let mut command = repository.cargo(&["doc", "--locked", "--workspace", "--no-deps", "--document-private-items"]);
    process::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

#[cfg(test)]
mod tests {
    use super::choose;

    fn names(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        choose(&arguments).expect("known steps").iter().map(|step| step.name).collect()
    }

    #[test]
    fn the_fast_run_is_formatting_lints_core_and_tests() {
        assert_eq!(names(&["--fast"]), ["fmt", "clippy", "core", "tests"]);
    }

    #[test]
    fn the_whole_run_ends_in_the_browser() {
        assert_eq!(names(&[]).last(), Some(&"browser"));
    }

    #[test]
    fn what_only_repeats_others_runs_by_name() {
        assert!(!names(&[]).contains(&"nodes"));
        assert_eq!(names(&["nodes"]), ["nodes"]);
    }

    #[test]
    fn a_named_step_runs_alone() {
        assert_eq!(names(&["packages"]), ["packages"]);
    }

    #[test]
    fn an_unknown_step_is_refused() {
        assert!(choose(&["nonsense".to_owned()]).is_err());
    }
}
