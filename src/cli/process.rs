//! The user of this process, and its signals: stop, and reload the configuration.

use std::io;

/// Whether this process runs as root. Known only on systems with `/proc`.
#[cfg(unix)]
pub(super) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(not(unix))]
pub(super) fn is_root() -> bool {
    false
}

/// Resolves when the process is asked to end: SIGTERM and SIGINT on Unix. On Windows Ctrl+C and Ctrl+Break, the closing of the
/// console, and the end of the session.
#[cfg(unix)]
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(windows)]
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};
    let (mut interrupt, mut stop, mut close, mut shutdown) =
        (ctrl_c()?, ctrl_break()?, ctrl_close()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = stop.recv() => {}
            _ = close.recv() => {}
            _ = shutdown.recv() => {}
        }
    })
}

/// Listens for the signal to reload the configuration: SIGHUP on Unix. Windows has no such signal; there citewire reloads
/// the file when it changes.
#[derive(Debug)]
pub(super) struct Reload {
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Reload {
    #[cfg(unix)]
    pub(super) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { hangup: signal(SignalKind::hangup())? })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Resolves at the signal; never on systems without one.
    #[cfg(unix)]
    pub(super) async fn asked(&mut self) {
        self.hangup.recv().await;
    }

    #[cfg(not(unix))]
    pub(super) async fn asked(&mut self) {
        std::future::pending().await
    }
}
