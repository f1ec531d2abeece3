//! What the operator can see of a running server.

use std::env;
use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

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
pub fn start(filter: &str) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(with_quiet_parser(filter))?;
    // Colours are for people who look at a terminal and have not asked to be spared (no-color.org).
    let colours = io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(colours);
    // What cannot be written there is not complained about there either, which would end the task that logs.
    let subscriber = lines.log_internal_errors(false).finish();
    // Only the first subscriber of a process counts, and that is the one wanted.
    tracing::subscriber::set_global_default(subscriber).ok();
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
