//! `cargo xtask recorded`: converts answers that providers really sent, and tells how each was read.

mod bodies;
mod expected;
mod reading;
mod row;
mod table;
mod verdict;

use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use bodies::Body;
use expected::Expectations;
use reading::Citewire;
use row::Row;
use std::path::Path;

/// Converts every body in a folder, by automatic detection and, where a format is known, by its name.
///
/// # Errors
/// The folder is missing or has no bodies, the file of expectations cannot be read, citewire cannot be built, or a body
/// was not read as expected.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let [folder] = arguments else {
        bail!("say in which folder the bodies are: cargo xtask recorded DIR");
    };
    let folder = Path::new(folder);
    let folder = folder.canonicalize().with_context(|| format!("there is no folder `{}`", folder.display()))?;
    // Read before citewire is built, so that a wrong path is told at once.
    let found = bodies::find(&folder)?;
    let expectations = Expectations::of(&folder)?;
    let missing = expectations.without_body(&found.bodies);
    if !missing.is_empty() {
        bail!("{} names bodies that are not there: {}", bodies::EXPECTATIONS, missing.join(", "));
    }

    let citewire = Citewire::new(repository.build(false)?)?;
    let mut rows = Vec::new();
    for body in &found.bodies {
        rows.push(row(&citewire, body, &expectations)?);
    }
    print!("{}", table::table(&rows));
    println!("\n{}", table::summary(&rows));
    if found.others > 0 {
        println!("{} other files were left out: a body ends in .{}", found.others, bodies::EXTENSIONS.join(", ."));
    }
    match rows.iter().filter(|row| !row.verdict.is_empty()).count() {
        0 => Ok(()),
        wrong => bail!("{wrong} of {} bodies were not read as expected", rows.len()),
    }
}

fn row(citewire: &Citewire, body: &Body, expectations: &Expectations) -> Result<Row> {
    let expected = expectations.get(&body.name);
    if let Some(format) = expected.and_then(|expected| expected.format.as_deref())
        && !citewire.formats.iter().any(|known| known == format)
    {
        bail!("{}: {}: there is no format `{format}`", bodies::EXPECTATIONS, body.name);
    }
    let known = expected
        .and_then(|expected| expected.format.clone())
        .or_else(|| bodies::format_in(&body.name, &citewire.formats).map(str::to_owned));
    let auto = citewire.read(&body.path, None)?;
    let named = known.as_deref().map(|format| citewire.read(&body.path, Some(format))).transpose()?;
    let verdict = verdict::verdict(&auto, named.as_ref(), known.as_deref(), expected);
    let format = known.or_else(|| auto.read().map(|reading| reading.format.clone()));
    Ok(Row { name: body.name.clone(), format, auto, named, verdict })
}
