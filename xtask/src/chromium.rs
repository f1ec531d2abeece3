//! The browsers that the tests drive.

use crate::{debian, process};
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// A browser, and where it comes from.
struct Browser {
    /// The variable by which tests know it, and by which another program can be named.
    variable: &'static str,
    programs: &'static [&'static str],
    package: &'static str,
}

/// Chromium without windows, which draws the same with half the work.
const HEADLESS: Browser = Browser {
    variable: "CITEWIRE_CHROMIUM",
    programs: &["chromium-headless-shell"],
    package: "chromium-headless-shell",
};

/// Chromium whole, with its viewer of PDFs.
const WHOLE: Browser = Browser {
    variable: "CITEWIRE_WHOLE_CHROMIUM",
    programs: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    package: "chromium",
};

/// Tells tests where the browser is that draws pages.
pub(crate) fn tell(tests: &mut Command) -> Result<()> {
    let program = match HEADLESS.find()? {
        Some(program) => program,
        // It spares work, and nothing else: where it cannot be had, the whole browser draws.
        None => HEADLESS.ensure().or_else(|error| {
            println!("{error:#}; the whole browser draws instead");
            WHOLE.ensure()
        })?,
    };
    tests.env(HEADLESS.variable, program);
    Ok(())
}

/// Tells tests where the browser is that also shows PDFs.
pub(crate) fn tell_whole(tests: &mut Command) -> Result<()> {
    tests.env(WHOLE.variable, WHOLE.ensure()?);
    Ok(())
}

impl Browser {
    /// The browser's program, installed from the system's packages when it is missing and we may.
    fn ensure(&self) -> Result<PathBuf> {
        let Self { variable, package, .. } = self;
        if let Some(program) = self.find()? {
            return Ok(program);
        }
        if !debian::may_install() {
            bail!(
                "Chromium is missing: install it (Debian: `apt-get install {package}`), or name its program in {variable}"
            );
        }
        debian::install(package)?;
        self.find()?
            .with_context(|| format!("{package} was installed but is not on PATH: name its program in {variable}"))
    }

    fn find(&self) -> Result<Option<PathBuf>> {
        let Self { variable, programs, .. } = self;
        let Some(named) = std::env::var_os(variable) else {
            return Ok(programs.iter().find_map(|program| process::on_path(program)));
        };
        let program = PathBuf::from(named);
        if !process::is_program(&program) {
            bail!("{variable} names {}, which is no program", program.display());
        }
        Ok(Some(program))
    }
}
