//! The log of the server.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::str::FromStr;
use std::sync::OnceLock;

use chrono::SecondsFormat;
use serde_json::json;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::clock::{Clock as _, SystemClock};

/// The format of log lines on stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// A JSON object a line: `timestamp` (RFC 3339, UTC), `level`, `target`, `message`, and the fields of the line.
    Json,
}

/// The text is not a log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log formats are text and json")]
pub struct InvalidLogFormat;

impl FromStr for LogFormat {
    type Err = InvalidLogFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(InvalidLogFormat),
        }
    }
}

/// The format in which this process logs; there is one, as there is one stderr.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Writes a line to stderr that operators read at every level, such as the address of the server.
///
/// # Errors
/// When stderr takes nothing.
pub fn say(line: impl Display) -> io::Result<()> {
    let mut text = match FORMAT.get() {
        None | Some(LogFormat::Text) => line.to_string(),
        Some(LogFormat::Json) => {
            let now = SystemClock.now().to_rfc3339_opts(SecondsFormat::Micros, true);
            json!({"timestamp": now, "level": "INFO", "target": "citewire", "message": line.to_string()}).to_string()
        }
    };
    text.push('\n');
    // The text is written in one piece, so that no other line gets between.
    io::stderr().write_all(text.as_bytes())
}

/// The filter, without what the parser of HTTP says of requests that are none: it calls each an error, so that anybody could fill the
/// log. A filter that names the parser, or asks for details, has its lines.
fn with_quiet_parser(filter: &str) -> String {
    const PARSER: &str = "actix_http";
    let is_for_details = filter.split(',').any(|directive| ["debug", "trace"].contains(&directive.trim()));
    if is_for_details || filter.contains(PARSER) { filter.to_owned() } else { format!("{filter},{PARSER}=off") }
}

/// Writes log lines to stderr, as far as the filter lets them through: a level, or directives such as
/// `citewire=debug,warn`. A second call changes nothing.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: &str, format: LogFormat) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(with_quiet_parser(filter))?;
    // Colors are for people who look at a terminal and have not asked to be spared (no-color.org).
    let colours = io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(colours);
    // A failure to write a line is not reported there either: that would end the task that logs.
    let lines = lines.log_internal_errors(false);
    FORMAT.set(format).ok();
    // The first subscriber of a process alone counts, and that is this one.
    match format {
        LogFormat::Text => tracing::subscriber::set_global_default(lines.finish()).ok(),
        // The fields stand beside `message`, where collectors of logs look for them.
        LogFormat::Json => tracing::subscriber::set_global_default(lines.json().flatten_event(true).finish()).ok(),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each malformed request made a line at `error`, at the default level, too.
    #[test]
    fn the_parser_of_http_is_quiet_unless_it_is_asked() {
        for (filter, expected) in [
            ("warn", "warn,actix_http=off"),
            ("citewire=debug,warn", "citewire=debug,warn,actix_http=off"),
            ("debug", "debug"),
            ("warn, trace", "warn, trace"),
            ("warn,actix_http=error", "warn,actix_http=error"),
        ] {
            assert_eq!(with_quiet_parser(filter), expected);
            assert!(EnvFilter::builder().parse(with_quiet_parser(filter)).is_ok(), "{filter}");
        }
    }
}
