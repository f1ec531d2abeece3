use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The command, in an environment in which nothing is set.
pub(crate) fn citewire(arguments: &[&str]) -> Command {
    bare(Command::new(env!("CARGO_BIN_EXE_citewire")), arguments)
}

fn bare(mut command: Command, arguments: &[&str]) -> Command {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CITEWIRE_")) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

/// A server as a child process, and what it said before it was ready.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) said: Vec<String>,
    pub(crate) url: String,
}

impl Serving {
    /// A server with a data directory.
    pub(crate) fn start(data: &Path, environment: &[(&str, &str)]) -> Self {
        Self::spawn(citewire(&["serve", "--bind", "127.0.0.1:0"]), data, environment)
    }

    /// Starts with the address from the environment.
    pub(crate) fn start_at_address_of(environment: &[(&str, &str)], data: &Path) -> Self {
        Self::spawn(citewire(&["serve"]), data, environment)
    }

    /// Starts a server none of whose files may grow beyond `blocks` of 512 bytes, which it cannot tell from a disk that
    /// fails. The limit can be lifted with `prlimit`.
    pub(crate) fn start_confined(blocks: u32, data: &Path, environment: &[(&str, &str)]) -> Self {
        // A write beyond the limit is to fail like any other write: not to end the process.
        let script = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
        let program = env!("CARGO_BIN_EXE_citewire");
        let shell = bare(Command::new("sh"), &["-c", &script, program, "serve", "--bind", "127.0.0.1:0"]);
        Self::spawn(shell, data, environment)
    }

    /// Starts a server that may have this number of files open.
    pub(crate) fn start_with_files(files: u32, data: &Path, environment: &[(&str, &str)]) -> Self {
        let script = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
        let program = env!("CARGO_BIN_EXE_citewire");
        let shell = bare(Command::new("sh"), &["-c", &script, program, "serve", "--bind", "127.0.0.1:0"]);
        Self::spawn(shell, data, environment)
    }

    /// Starts a server on a disk of its own, which ends with the server; five eighths of its `kib` KiB are taken by the
    /// file `ballast` in the data directory. The directory is seen by the server only: see [`Self::path_of_its_own`].
    pub(crate) fn start_on_small_disk(kib: u32, data: &Path, environment: &[(&str, &str)]) -> Self {
        let script = format!(
            "mount -t tmpfs -o size={kib}k none \"$CITEWIRE_DATA_DIR\" && head -c {} /dev/zero > \"$CITEWIRE_DATA_DIR/ballast\" \
             && exec \"$0\" \"$@\"",
            kib * 1024 / 8 * 5
        );
        let program = env!("CARGO_BIN_EXE_citewire");
        let arguments = ["--user", "--map-root-user", "--mount", "sh", "-c", &script, program, "serve", "--bind"];
        let mut unshare = bare(Command::new("unshare"), &arguments);
        unshare.arg("127.0.0.1:0");
        Self::spawn(unshare, data, environment)
    }

    /// The path at which other processes find a file that the server sees at this path.
    pub(crate) fn path_of_its_own(&self, path: &Path) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.child.id()));
        root.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn spawn(mut command: Command, data: &Path, environment: &[(&str, &str)]) -> Self {
        // No assistant answers unless a test says which.
        command.env("CITEWIRE_DATA_DIR", data).env("CITEWIRE_ASSISTANT", "none").envs(environment.iter().copied());
        let child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
        let mut serving = Self { child, said: Vec::new(), url: String::new() };
        for line in BufReader::new(serving.child.stderr.take().expect("a pipe")).lines() {
            let line = line.expect("a line");
            serving.url = line.strip_prefix("citewire is listening on ").unwrap_or_default().to_owned();
            serving.said.push(line);
            if !serving.url.is_empty() {
                return serving;
            }
        }
        panic!("the server did not start: {:?}", serving.said);
    }

    /// A secret that the server has made: it is printed when it is made, and its file is named afterwards.
    pub(crate) fn secret(&self, name: &str) -> String {
        let line = self.said.iter().find(|line| line.starts_with(name)).expect("a line for the secret");
        match line.split_once(" was generated: ") {
            Some((_, made)) => made.split(' ').next().expect("the secret").to_owned(),
            None => {
                let path = line.split_once("kept in ").expect("a file").1.trim_end_matches(')');
                std::fs::read_to_string(path).expect("the file").trim().to_owned()
            }
        }
    }

    /// Ends the server as a terminal does, and returns its exit code.
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        let asked = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill runs");
        assert!(asked.success());
        self.child.wait().expect("the server ends").code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Nothing is left behind, even when a test fails half-way.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
