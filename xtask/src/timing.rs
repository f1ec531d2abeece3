//! How long each test takes: cargo starts the test programs through `cargo xtask timed`, which asks them for times.

use crate::process;
use anyhow::{Context as _, Result, bail};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How many of the slowest tests are shown.
const SHOWN: usize = 10;

/// Runs a test program with the time of each test in its output.
///
/// The option is one of nightly compilers. The test programs look at this variable when they start, so nothing is built with it,
/// unlike a variable that cargo sees.
pub(crate) fn run_timed(arguments: &[OsString]) -> Result<()> {
    let Some((program, rest)) = arguments.split_first() else { bail!("say which program to run") };
    let mut command = Command::new(program);
    command.args(rest);
    if !is_benchmark(Path::new(program)) {
        command.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
    }
    process::become_it(command)
}

/// Benchmarks have a harness of their own, without this option.
const BENCHMARKS: [&str; 6] = ["allocations", "conversion", "formats", "search", "store", "token"];

fn is_benchmark(program: &Path) -> bool {
    let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.rsplit_once('-').is_some_and(|(name, _)| BENCHMARKS.contains(&name))
}

/// Has cargo start its test programs through this program.
pub(crate) fn timed(command: &mut Command) -> Result<()> {
    let this = std::env::current_exe().context("where this program is")?;
    let this = this.to_str().context("this program stands where no text leads")?.replace('\\', "/");
    command.args(["--config", &format!("target.'cfg(all())'.runner=['{this}', 'timed']")]);
    Ok(())
}

/// Runs a command, shows its output, and then the slowest tests in it.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = child.stdout.take().context("the output of cargo")?;
    let mut tests = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        tests.extend(time(&line).map(|(name, time)| (time, name.to_owned())));
    }
    let status = child.wait()?;
    if !tests.is_empty() {
        println!("\nthe slowest of {} tests:", tests.len());
        for (time, name) in slowest(tests) {
            println!("{:>9.2} s  {name}", time.as_secs_f64());
        }
    }
    if !status.success() {
        bail!("the tests ended with {status}");
    }
    Ok(())
}

fn slowest(mut tests: Vec<(Duration, String)>) -> Vec<(Duration, String)> {
    tests.sort_by(|one, other| other.cmp(one));
    tests.truncate(SHOWN);
    tests
}

/// The test and its time of a line such as `test cite::a_name ... ok <0.012s>`.
fn time(line: &str) -> Option<(&str, Duration)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = rest.split_once('<')?.1.split_once("s>")?.0.parse().ok()?;
    Some((name, Duration::try_from_secs_f64(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_test_stands_behind_its_outcome() {
        assert_eq!(time("test a::b ... ok <0.250s>"), Some(("a::b", Duration::from_millis(250))));
        assert_eq!(time("test a::b ... FAILED <12.5s>"), Some(("a::b", Duration::from_millis(12_500))));
        for line in ["test a::b ... ok", "running 5 tests", "test result: ok. 3 passed; finished in 0.5s", ""] {
            assert_eq!(time(line), None, "{line}");
        }
    }

    #[test]
    fn the_slowest_tests_come_first_and_no_more_than_ten() {
        let tests = (0..20).map(|n| (Duration::from_millis(n), n.to_string())).collect();
        let slowest = slowest(tests);
        assert_eq!((slowest.len(), slowest[0].1.as_str(), slowest[9].1.as_str()), (10, "19", "10"));
    }

    #[test]
    fn benchmarks_are_started_as_they_are() {
        let manifests = [include_str!("../../Cargo.toml"), include_str!("../../crates/core/Cargo.toml")];
        let benches = manifests.iter().flat_map(|manifest| manifest.split("[[bench]]\nname = \"").skip(1));
        let mut names: Vec<&str> = benches.filter_map(|bench| bench.split('"').next()).collect();
        names.sort_unstable();
        assert_eq!(names, BENCHMARKS);
        assert!(is_benchmark(Path::new("target/debug/deps/conversion-0123")));
        assert!(!is_benchmark(Path::new("target/debug/deps/it-0123")));
    }
}
