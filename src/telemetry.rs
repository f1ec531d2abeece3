//! What the operator can see of a running server.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Writes log lines to stderr, as far as the filter lets them through: a level, or directives such as
/// `citewire=debug,warn`. A second call changes nothing.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: &str) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(filter)?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // What cannot be written there is not complained about there either, which would end the task that logs.
    let subscriber = lines.log_internal_errors(false).finish();
    // Only the first subscriber of a process counts, and that is the one wanted.
    tracing::subscriber::set_global_default(subscriber).ok();
    Ok(())
}
