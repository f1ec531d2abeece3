//! Steps side by side. Each is a process of its own, in the group of this one, so that an interrupt ends all of them.

use super::steps::{BUILD, Lane, Step};
use crate::repository::{BUILT, Repository};
use anyhow::{Context as _, Result, anyhow, bail};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How a step went.
pub(super) struct Outcome {
    pub(super) name: &'static str,
    pub(super) time: Duration,
    pub(super) result: Result<()>,
    /// Its output where it ran beside others; nothing where its output has just gone to the terminal.
    pub(super) output: String,
}

/// The processes of a run.
pub(super) struct Runner {
    /// This program. The build may put another file in its place, with the code that this one has.
    program: PathBuf,
    /// Where the output of steps waits that run beside others.
    folder: PathBuf,
    environment: Vec<(&'static str, &'static str)>,
    /// Taken to write to the terminal, so that no block is in another.
    terminal: Mutex<()>,
}

impl Runner {
    pub(super) fn new(repository: &Repository, environment: Vec<(&'static str, &'static str)>) -> Result<Self> {
        let folder = repository.target("suite");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let program = std::env::current_exe().context("where this program is")?;
        Ok(Self { program, folder, environment, terminal: Mutex::new(()) })
    }

    /// Runs the steps that want to be alone, and then the lanes beside each other.
    pub(super) fn run(&self, steps: &[&'static Step]) -> Vec<Outcome> {
        let of =
            |lane: Lane| -> Vec<&'static Step> { steps.iter().copied().filter(|step| step.lane == lane).collect() };
        let mut outcomes: Vec<Outcome> = of(Lane::Alone).into_iter().map(|step| self.step(step, true, false)).collect();
        let built = outcomes.iter().find(|outcome| outcome.name == BUILD).map(|outcome| outcome.result.is_ok());
        let mut lanes = [Lane::Tests, Lane::Clients, Lane::Browser].map(of).to_vec();
        lanes.retain(|steps| !steps.is_empty());
        let is_alone = lanes.len() < 2;
        let lane = |steps: Vec<&'static Step>| -> Vec<Outcome> {
            let one = |step: &'static Step| match built {
                Some(false) if step.needs_build() => {
                    let result = Err(anyhow!("nothing was built"));
                    Outcome { name: step.name, time: Duration::ZERO, result, output: String::new() }
                }
                _ => self.step(step, is_alone, built == Some(true)),
            };
            steps.into_iter().map(one).collect()
        };
        std::thread::scope(|scope| {
            let lanes: Vec<_> = lanes.into_iter().map(|steps| scope.spawn(|| lane(steps))).collect();
            for ended in lanes {
                outcomes.extend(ended.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
        outcomes
    }

    /// Runs a step; its output goes to the terminal as it comes when nothing runs beside it, and else when it ends.
    fn step(&self, step: &'static Step, is_alone: bool, is_built: bool) -> Outcome {
        self.say(&format!("\n== {}: {}{}", step.name, step.what, if is_alone { "" } else { " (begun)" }));
        let begun = Instant::now();
        let log = self.folder.join(format!("{}.log", step.name));
        let result = self.process(step, is_built, (!is_alone).then_some(&log));
        let time = begun.elapsed();
        let output = if is_alone { String::new() } else { read(&log) };
        let block = if is_alone { String::new() } else { format!("\n== output of {}\n{output}\n", log.display()) };
        let taken = seconds(time);
        self.say(&match &result {
            Ok(()) => format!("{block}== {} passed in {taken}", step.name),
            Err(error) => format!("{block}== {} FAILED in {taken}: {error:#}", step.name),
        });
        Outcome { name: step.name, time, result, output }
    }

    fn process(&self, step: &Step, is_built: bool, log: Option<&PathBuf>) -> Result<()> {
        let mut command = Command::new("nice");
        command.args(["-n", step.lane.niceness()]).arg(&self.program);
        command.args(["step", step.name]).stdin(Stdio::null()).envs(self.environment.iter().copied());
        if is_built {
            command.env(BUILT, "1");
        }
        if let Some(log) = log {
            let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
            command.stdout(file.try_clone()?).stderr(file);
        }
        let status = command.status().with_context(|| format!("cannot start {}", self.program.display()))?;
        if !status.success() {
            bail!("{status}");
        }
        Ok(())
    }

    fn say(&self, text: &str) {
        let _terminal = self.terminal.lock();
        println!("{text}");
    }
}

/// The output of a step that has ended.
fn read(log: &PathBuf) -> String {
    let bytes = fs::read(log).unwrap_or_else(|error| format!("it cannot be read: {error}").into_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::steps::{BUILD, Lane, Step, When};
    use super::{Outcome, Runner};
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::sync::Mutex;

    const fn step(name: &'static str, lane: Lane) -> Step {
        Step { name, what: "a stand-in", when: When::Whole, lane, run: |_| Ok(()) }
    }

    static BUILT: Step = step(BUILD, Lane::Alone);
    static TESTS: Step = step("tests", Lane::Tests);
    static BROWSER: Step = step("browser", Lane::Browser);

    /// Which steps succeed when a script stands in for this program.
    fn succeeded(folder: &Path, script: &str) -> BTreeMap<&'static str, bool> {
        let program = folder.join("program");
        fs::write(&program, format!("#!/bin/sh\ncd '{}'\n{script}", folder.display())).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        let terminal = Mutex::new(());
        let runner = Runner { program, folder: folder.to_owned(), environment: Vec::new(), terminal };
        let outcomes = runner.run(&[&BUILT, &TESTS, &BROWSER]);
        outcomes.iter().map(|Outcome { name, result, .. }| (*name, result.is_ok())).collect()
    }

    /// One writes into a pipe, from which the other reads: each waits for the other.
    #[test]
    fn steps_of_different_lanes_run_beside_each_other_and_each_has_a_block_of_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = "case $2 in build) mkfifo pipe;; tests) echo hello > pipe;; browser) cat pipe;; esac\n";
        let expected = BTreeMap::from([("build", true), ("tests", true), ("browser", true)]);
        assert_eq!(succeeded(folder.path(), script), expected);
        assert_eq!(fs::read_to_string(folder.path().join("browser.log")).expect("a block"), "hello\n");
    }

    #[test]
    fn a_step_that_fails_stops_no_other_and_nothing_is_tried_with_a_program_that_was_not_built() {
        let folder = tempfile::tempdir().expect("a folder");
        let expected = BTreeMap::from([("build", true), ("tests", false), ("browser", true)]);
        assert_eq!(succeeded(folder.path(), "[ $2 != tests ]\n"), expected);
        let expected = BTreeMap::from([("build", false), ("tests", false), ("browser", false)]);
        assert_eq!(succeeded(folder.path(), "touch \"ran-$2\"\n[ $2 != build ]\n"), expected);
        assert!(!folder.path().join("ran-tests").exists());
    }
}
