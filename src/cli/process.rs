//! What the system tells this process: whose it is, and when it is to end or to read its configuration again.

use std::io;

/// Whether this process may do everything. Known only where the system has `/proc`.
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

/// Hears when somebody asks for the configuration to be read again: by SIGHUP on Unix. Windows has nothing like it; there citewire
/// sees that the file has changed.
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

    /// Resolves when it is asked for, and never where nobody can ask.
    #[cfg(unix)]
    pub(super) async fn asked(&mut self) {
        self.hangup.recv().await;
    }

    #[cfg(not(unix))]
    pub(super) async fn asked(&mut self) {
        std::future::pending().await
    }
}
