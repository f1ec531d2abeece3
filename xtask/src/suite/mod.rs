//! The suite: named steps in lanes, the time of each, and a table at the end.

mod causes;
mod lanes;
mod programs;
mod steps;

use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use causes::causes;
use lanes::{Outcome, Runner, seconds};
use std::time::Instant;
use steps::{BUILD, STEPS, Step, When};

/// The size of tests that repeat, by the variables that they read: how many cases a property is tried with, and how many hundredths
/// of the kills, cuts and calls of a test under load there are. The seed stays, so that a failure comes again.
type Size = [(&'static str, &'static str); 3];

const SUITE: Size = [("PROPTEST_CASES", "400"), ("CITEWIRE_TEST_SIZE", "10"), ("PROPTEST_RNG_SEED", "20240704")];
const WHOLE: Size = [("PROPTEST_CASES", "20000"), ("CITEWIRE_TEST_SIZE", "100"), ("PROPTEST_RNG_SEED", "20240704")];

/// The steps of a nightly run: those whose tests repeat, and what the suite leaves out.
const NIGHTLY: [&str; 6] = [BUILD, "tests", "nodes", "process", "benches", "sentences"];

/// Runs the chosen steps, all of them even when one fails, and fails when one did.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--list") {
        list();
        return Ok(());
    }
    run_steps(repository, &choose(arguments)?, SUITE)
}

/// Runs the tests that repeat as often as they are meant to.
pub(crate) fn nightly(repository: &Repository) -> Result<()> {
    run_steps(repository, &choose(&NIGHTLY.map(str::to_owned))?, WHOLE)
}

/// Runs one step in this process; the suite starts one for each.
pub(crate) fn run_step(repository: &Repository, arguments: &[String]) -> Result<()> {
    let [name] = arguments else { bail!("say which step") };
    let step = STEPS.iter().find(|step| step.name == name).with_context(|| format!("there is no step `{name}`"))?;
    (step.run)(repository)
}

fn list() {
    for step in &STEPS {
        let when = match step.when {
            When::Fast => " (fast)",
            When::Whole => "",
            When::Named => " (only by name)",
        };
        println!("{:10} {}{when}", step.name, step.what);
    }
}

fn run_steps(repository: &Repository, steps: &[&'static Step], size: Size) -> Result<()> {
    let begun = Instant::now();
    let unset = size.into_iter().filter(|(name, _)| std::env::var_os(name).is_none());
    let outcomes = Runner::new(repository, unset.collect())?.run(steps);
    println!("\n{:10} {:>9}  result", "step", "time");
    for Outcome { name, time, result, .. } in &outcomes {
        println!("{name:10} {:>9}  {}", seconds(*time), if result.is_ok() { "passed" } else { "FAILED" });
    }
    println!("{:10} {:>9}", "all", seconds(begun.elapsed()));
    for Outcome { name, output, .. } in outcomes.iter().filter(|outcome| outcome.result.is_err()) {
        if !output.is_empty() {
            println!("\n== why {name} failed\n{}", causes(output));
        }
    }
    let failed: Vec<&str> =
        outcomes.iter().filter_map(|outcome| outcome.result.is_err().then_some(outcome.name)).collect();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// The steps that arguments name, with the build before those that use it; all that are not left out when they name none.
fn choose(arguments: &[String]) -> Result<Vec<&'static Step>> {
    let fast = arguments.iter().any(|argument| argument == "--fast");
    let names: Vec<&str> = arguments.iter().map(String::as_str).filter(|argument| *argument != "--fast").collect();
    for name in &names {
        if !STEPS.iter().any(|step| step.name == *name) {
            bail!("there is no step `{name}`; `cargo xtask test --list` names them");
        }
    }
    let is_named = |step: &Step| names.contains(&step.name);
    let builds = STEPS.iter().any(|step| is_named(step) && step.needs_build());
    let is_chosen = |step: &Step| match step.when {
        _ if !names.is_empty() => is_named(step) || (builds && step.name == BUILD),
        When::Fast => true,
        When::Whole => !fast,
        When::Named => false,
    };
    Ok(STEPS.iter().filter(|step| is_chosen(step)).collect())
}

#[cfg(test)]
mod tests {
    use super::{NIGHTLY, choose};

    fn names(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        choose(&arguments).expect("known steps").iter().map(|step| step.name).collect()
    }

    #[test]
    fn the_fast_run_is_formatting_core_lints_and_tests() {
        assert_eq!(names(&["--fast"]), ["fmt", "core", "build", "clippy", "tests"]);
    }

    #[test]
    fn the_whole_run_ends_in_the_browser() {
        assert_eq!(names(&[]).last(), Some(&"browser"));
    }

    #[test]
    fn what_only_repeats_others_runs_by_name() {
        assert!(!names(&[]).contains(&"nodes"));
        assert_eq!(names(&["nodes"]), ["build", "nodes"]);
    }

    #[test]
    fn a_named_step_runs_alone() {
        assert_eq!(names(&["packages"]), ["packages"]);
    }

    #[test]
    fn the_program_is_built_before_a_step_that_talks_to_it() {
        assert_eq!(names(&["browser"]), ["build", "browser"]);
    }

    #[test]
    fn every_step_of_the_nightly_run_exists() {
        assert_eq!(choose(&NIGHTLY.map(str::to_owned)).expect("known steps").len(), NIGHTLY.len());
    }

    #[test]
    fn an_unknown_step_is_refused() {
        assert!(choose(&["nonsense".to_owned()]).is_err());
    }
}
