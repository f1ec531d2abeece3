//! `citewire config`.

use std::io::{self, Write as _};

use super::Outcome;
use super::args::{ConfigArgs, ConfigCommand};
use crate::config::schema;

pub(super) fn run(args: &ConfigArgs) -> anyhow::Result<Outcome> {
    match args.command {
        ConfigCommand::Schema => writeln!(io::stdout(), "{:#}", schema())?,
    }
    Ok(Outcome::Done)
}
