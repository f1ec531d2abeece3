//! Long runs of the properties, outside the suite: the same tests with as many cases as one likes.

use crate::repository::Repository;
use crate::{debian, npm, process};
use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use std::time::Instant;

/// The properties that can be tried for long.
const PROPERTIES: &str = include_str!("soak.json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Property {
    name: String,
    what: String,
    /// The program of tests with its test: `engines` holds answers before the Markdown engines, `it` starts the whole service.
    program: String,
    test: String,
    /// The option and the variable that say how often it is tried.
    option: String,
    variable: String,
    /// How often it is tried, unless the option says so.
    times: u64,
}

/// The property to try, and how.
#[derive(Debug)]
struct Soak {
    property: Property,
    seed: u64,
    workers: usize,
}

/// Tries one property with many cases; fails when one case does.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let Soak { property, seed, workers } = parse(arguments)?;
    npm::install(&repository.path("crates/core/tests/engines"))?;
    debian::ensure_postgresql()?;
    let package = if property.program == "engines" { "citewire-core" } else { "citewire" };
    // Built as the suite builds it: most of the time goes to the engines.
    let built =
        || repository.cargo_with_lints(&["test", "--locked", "--package", package, "--test", &property.program]);
    // A program of tests runs none, and passes, when none has the name.
    let listed = process::output(built().args(["--", "--exact", &property.test, "--list"]))?;
    ensure!(listed.contains(&format!("{}: test", property.test)), "there is no test {}: soak.json", property.test);
    let since = Instant::now();
    let mut command = built();
    command.args(["--", "--exact", &property.test, "--nocapture"]);
    command.env(&property.variable, property.times.to_string());
    command.env("PROPTEST_RNG_SEED", seed.to_string()).env("CITEWIRE_TEST_WORKERS", workers.to_string());
    let result = process::run(&mut command);
    println!("{} times, seed {seed}: {:.0} s", property.times, since.elapsed().as_secs_f64());
    result
}

fn parse(arguments: &[String]) -> Result<Soak> {
    let properties: Vec<Property> = serde_json::from_str(PROPERTIES).context("soak.json")?;
    let known: Vec<String> = properties.iter().map(|known| format!("  {:10} {}", known.name, known.what)).collect();
    let Some((name, mut rest)) = arguments.split_first() else {
        bail!("say what to soak:\n{}", known.join("\n"));
    };
    let Some(property) = properties.into_iter().find(|property| property.name == *name) else {
        bail!("there is no property `{name}`; there are:\n{}", known.join("\n"));
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut soak = Soak { property, seed: 1, workers };
    while let [option, value, behind @ ..] = rest {
        let number = || value.replace('_', "").parse::<u64>().with_context(|| format!("{option} {value}"));
        match option.as_str() {
            "--seed" => soak.seed = number()?,
            "--workers" => soak.workers = usize::try_from(number()?)?.max(1),
            often if often == soak.property.option => soak.property.times = number()?,
            _ => bail!("there is no option `{option}`; there are {}, --seed and --workers", soak.property.option),
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
    use super::parse;

    fn arguments(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_million_cases_are_tried_unless_one_says_otherwise() {
        let soak = parse(&arguments("citations")).expect("a soak");
        assert_eq!((soak.property.times, soak.seed), (1_000_000, 1));
        let soak = parse(&arguments("streams --cases 20_000 --seed 7 --workers 1")).expect("a soak");
        assert_eq!((soak.property.times, soak.seed, soak.workers), (20_000, 7, 1));
        let soak = parse(&arguments("crash --kills 7")).expect("a soak");
        assert_eq!((soak.property.variable.as_str(), soak.property.times), ("CITEWIRE_TEST_KILLS", 7));
        let soak = parse(&arguments("nodes --kills 500 --seed 31")).expect("a soak");
        assert_eq!(
            (soak.property.variable.as_str(), soak.property.times, soak.seed),
            ("CITEWIRE_TEST_NODE_KILLS", 500, 31)
        );
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
