//! The steps of the suite, in the order in which they are listed.

use super::programs;
use crate::repository::Repository;
use crate::{
    browser, buckets, conformance, debian, documents, guides, in_process, linters, npm, playground, process, prometheus,
};
use anyhow::{Result, bail};

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// In each run.
    Fast,
    /// In a run of the whole suite.
    Whole,
    /// Only where it is named, and in the nightly run: it takes long, and repeats others.
    Named,
}

/// With which other steps a step shares the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Alone, before all others: it is short, or uses every core.
    Alone,
    /// One after the other, beside the other lanes: the test programs.
    Tests,
    /// One after the other, beside the other lanes: what talks to the built program, each with ports and folders of its own, and what
    /// the test programs need not wait for.
    Clients,
    /// One after the other, beside the other lanes: what a browser shows. It waits most, and each of its tests looks at a clock, so
    /// the other lanes make way for it.
    Browser,
}

impl Lane {
    /// How far a step of this lane makes way for those of others, as `nice` counts it.
    pub(super) fn niceness(self) -> &'static str {
        match self {
            Self::Alone | Self::Browser => "0",
            Self::Tests | Self::Clients => "5",
        }
    }
}

pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) when: When,
    pub(super) lane: Lane,
    pub(super) run: fn(&Repository) -> Result<()>,
}

impl Step {
    const fn new(
        name: &'static str,
        when: When,
        lane: Lane,
        run: fn(&Repository) -> Result<()>,
        what: &'static str,
    ) -> Self {
        Self { name, what, when, lane, run }
    }

    /// Whether it uses the test programs or the command, which the step `build` makes.
    pub(super) fn needs_build(&self) -> bool {
        matches!(self.lane, Lane::Clients | Lane::Browser)
            || matches!(self.name, "clippy" | "tests" | "nodes" | "process")
    }
}

pub(super) const BUILD: &str = "build";

pub(super) const STEPS: [Step; 21] = [
    Step::new("fmt", When::Fast, Lane::Alone, fmt, "the code is formatted"),
    Step::new(
        "core",
        When::Fast,
        Lane::Alone,
        core,
        "the core has no I/O, and no crate below the server its framework",
    ),
    Step::new(BUILD, When::Fast, Lane::Alone, programs::build, "the test programs and the command are built"),
    Step::new("clippy", When::Fast, Lane::Tests, programs::lint, "no lint complains"),
    Step::new("tests", When::Fast, Lane::Tests, tests, "unit, golden, property and black-box tests"),
    Step::new("nodes", When::Named, Lane::Tests, nodes, "two servers that take calls in turn do what one does"),
    Step::new("benches", When::Named, Lane::Tests, benches, "each benchmark and example starts"),
    Step::new(
        "process",
        When::Named,
        Lane::Tests,
        packaged,
        "the packages for Node, Python and .NET do what citewire does",
    ),
    Step::new("packages", When::Whole, Lane::Tests, linters::packages, "dependencies are as deny.toml wants them"),
    Step::new("workflows", When::Whole, Lane::Tests, linters::workflows, "no linter of workflows complains"),
    Step::new("guides", When::Whole, Lane::Clients, guides::test, "the commands of README and guides work as written"),
    Step::new("python", When::Whole, Lane::Clients, python, "the core in a process of Python does what it does here"),
    Step::new("metrics", When::Whole, Lane::Clients, prometheus::test, "a real Prometheus reads the figures"),
    Step::new(
        "buckets",
        When::Whole,
        Lane::Clients,
        buckets::test,
        "documents from buckets, and links that their services sign",
    ),
    Step::new("conformance", When::Whole, Lane::Clients, conformance::test, "citewire passes every vector"),
    Step::new("documents", When::Whole, Lane::Clients, documents::test, "real documents of Debian's packages"),
    Step::new("doctests", When::Whole, Lane::Clients, doctests, "the examples in the documentation run"),
    Step::new("doc", When::Whole, Lane::Clients, doc, "the documentation builds without warnings"),
    Step::new("playground", When::Whole, Lane::Browser, playground::test, "Teams' emulator in a real browser"),
    Step::new(
        "sentences",
        When::Whole,
        Lane::Browser,
        browser::test_sentences,
        "badges lead to sentences of many pages and documents",
    ),
    Step::new("browser", When::Whole, Lane::Browser, browser::test, "real Web Chat in a real browser"),
];

fn fmt(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo(&["fmt", "--all", "--check"]))
}

/// Packages that reach for sockets, files, threads or the clock of the machine, or that run futures.
const WITH_IO: [&str; 10] =
    ["actix-web", "aws-lc-rs", "futures-executor", "hyper", "mio", "reqwest", "socket2", "sqlx", "tokio", "tracing"];

/// Packages that only the server itself may use.
const OF_THE_SERVER: [&str; 2] = ["actix-web", "clap"];

fn core(repository: &Repository) -> Result<()> {
    without(repository, "citewire-core", "pulldown-cmark", &WITH_IO)?;
    // It depends on all other crates below the server.
    without(repository, "citewire-assistants", "citewire-store", &OF_THE_SERVER)
}

/// Fails when a package depends on one of these. The one that it surely depends on shows that its tree was read.
fn without(repository: &Repository, package: &str, surely: &str, refused: &[&str]) -> Result<()> {
    let tree = ["tree", "--locked", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = process::output(&mut repository.cargo(&tree))?;
    let named: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    if !named.contains(&surely) {
        bail!("`cargo tree` does not list the dependencies of {package}: {tree}");
    }
    let found: Vec<&str> = refused.iter().copied().filter(|package| named.contains(package)).collect();
    if !found.is_empty() {
        bail!("{package} depends on {}, which it must not need", found.join(" and "));
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
    npm::install(&repository.path("tests/mcp"))?;
    programs::run_all(repository)
}

fn ensure_databases() -> Result<()> {
    debian::ensure_postgresql()?;
    debian::ensure("redis-server", "redis-server")
}

fn packaged(repository: &Repository) -> Result<()> {
    in_process::node::test(repository, programs::one(repository, "vectors")?)?;
    in_process::python::test_wheel(repository, programs::one(repository, "vectors")?)?;
    in_process::dotnet::test(repository, &repository.build_for_tests()?, programs::one(repository, "vectors")?)
}

fn python(repository: &Repository) -> Result<()> {
    let module = programs::library(repository, "_native")?;
    in_process::python::test(repository, &module, programs::one(repository, "vectors")?)
}

/// The cargo command that tries the examples in the documentation of libraries.
const DOCTESTS: [&str; 4] = ["test", "--locked", "--workspace", "--doc"];

/// The modules of the black-box tests in which a server keeps conversations, and what is left out of them: it takes long, and
/// shows nothing new with two nodes.
const FOR_TWO_NODES: [&str; 7] =
    ["answers::", "assistants::", "azure_bot::", "bot::", "conversations::", "direct_line::", "live::"];
const FOR_ONE: [&str; 3] = ["azure_bot::load::", "direct_line_client::", "after_many_cuts"];

fn nodes(repository: &Repository) -> Result<()> {
    ensure_databases()?;
    npm::install(&repository.path("tests/bot"))?;
    npm::install(&repository.path("tests/client"))?;
    all_are_tests(&process::output(programs::one(repository, "it")?.arg("--list"))?)?;
    let mut it = programs::one(repository, "it")?;
    it.args(FOR_TWO_NODES).args(FOR_ONE.iter().flat_map(|name| ["--skip", name]));
    process::run(it.env("CITEWIRE_TEST_NODES", "2"))
}

/// Fails when a module is named that has no test: one that was renamed would be left out without a word.
fn all_are_tests(list: &str) -> Result<()> {
    let is_there = |name: &str| list.lines().any(|line| line.ends_with(": test") && line.contains(name));
    let missing: Vec<&str> = FOR_TWO_NODES.iter().chain(&FOR_ONE).copied().filter(|name| !is_there(name)).collect();
    anyhow::ensure!(missing.is_empty(), "no test of `it` is named {}", missing.join(", "));
    Ok(())
}

fn benches(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo_with_lints(&["test", "--locked", "--workspace", "--benches", "--examples"]))
}

fn doctests(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo_with_lints(&DOCTESTS))
}

/// Has the documentation of libraries written from what is compiled for their examples, and that of xtask, which is small, by
/// `cargo doc`, which compiles all dependencies of a package once more.
fn doc(repository: &Repository) -> Result<()> {
    let mut libraries = repository.cargo_with_lints(&DOCTESTS);
    libraries.env("RUSTDOC", repository.path("xtask/compilers/rustdoc"));
    process::run(libraries.env("CITEWIRE_DOC", repository.target("doc")))?;
    let mut xtask =
        repository.cargo(&["doc", "--locked", "--package", "xtask", "--no-deps", "--document-private-items"]);
    process::run(xtask.env("RUSTDOCFLAGS", "-D warnings"))
}
