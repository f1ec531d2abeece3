//! Takes from a process what reading a document does not need: it runs parsers on files of strangers, under the user of the server.

use std::io;

/// The resources of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessLimits {
    /// Address space in bytes.
    pub(super) memory: u64,
    /// Time of a processor in seconds.
    pub(super) seconds: u64,
}

/// Files that may be open: those of the standard streams, and a few for libraries.
#[cfg(unix)]
const MAX_FILES: u64 = 16;

/// The niceness of the process: it gives way to others.
#[cfg(unix)]
const NICENESS: i32 = 10;

/// Limits this process. Other systems than Unix have no such limits.
///
/// # Errors
/// When the system refuses a limit that it has.
#[cfg(unix)]
pub(super) fn limit(bounds: ProcessLimits) -> io::Result<()> {
    use rlimit::Resource;
    // Not the folder of the server, from which a name without a path would lead to its files.
    std::env::set_current_dir("/")?;
    let ProcessLimits { memory, seconds } = bounds;
    for (resource, most) in [
        (Resource::AS, memory),
        (Resource::CPU, seconds),
        (Resource::FSIZE, 0),
        (Resource::NOFILE, MAX_FILES),
        (Resource::CORE, 0),
    ] {
        if resource.is_supported() {
            // A limit that is lower already cannot be raised. At the first limit of time the system says why it ends the process.
            let last = if resource == Resource::CPU { most.saturating_add(1) } else { most };
            let last = last.min(resource.get_hard()?);
            resource.set(most.min(last), last)?;
        }
    }
    // A user who may not lower the priority is held by the other limits.
    rustix::process::nice(NICENESS).ok();
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(super) fn limit(bounds: ProcessLimits) -> io::Result<()> {
    let _ = (bounds.memory, bounds.seconds);
    Ok(())
}

/// Tells the kernel to refuse all threads of this process, for good, everything but memory, time and the files that are
/// open: to open others, to connect, to start threads and programs, to look into other processes, to gain rights.
/// Systems other than Linux keep the limits of [`limit`] alone, and so does a kernel without filters.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn lock() -> anyhow::Result<()> {
    use seccompiler::{BpfProgram, Error, SeccompAction, SeccompFilter, apply_filter_all_threads};
    let rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    // Libraries do without a call that a kernel does not know.
    let refused = SeccompAction::Errno(u32::try_from(libc::ENOSYS)?);
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    refuse_processes()?;
    match apply_filter_all_threads(&program) {
        // The kernel was built without filters.
        Err(Error::Prctl(error) | Error::Seccomp(error)) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        applied => Ok(applied?),
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn lock() -> anyhow::Result<()> {
    Ok(refuse_processes()?)
}

/// No more threads and processes, where the user of this one is not root.
#[cfg(unix)]
fn refuse_processes() -> io::Result<()> {
    let processes = rlimit::Resource::NPROC;
    if processes.is_supported() { processes.set(0, 0) } else { Ok(()) }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
fn refuse_processes() -> io::Result<()> {
    Ok(())
}

/// The calls that a program makes which reads its input, computes and writes its output.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_ppoll,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    // A program that has found a fault in itself ends by these.
    libc::SYS_tgkill,
    libc::SYS_write,
    libc::SYS_writev,
];
