//! A Redis server for a test.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use citewire::bus::{BusKey, BusOptions};
use citewire::secret::Secret;
use tempfile::TempDir;
use tokio::time::timeout;

use crate::app::DIRECT_LINE_SECRET;
use crate::certificates;
use crate::postgres::{give_away, unprivileged};

pub(crate) const PASSWORD: &str = "the-password-of-the-bus";

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server with a port of its own, which can be stopped and started again.
pub(crate) struct Redis {
    port: u16,
    folder: TempDir,
    /// Whether it talks by TLS only.
    is_encrypted: bool,
    /// The shell of the server, which ends it when this process ends, in whatever way.
    guard: Option<Child>,
}

impl Redis {
    pub(crate) fn start() -> Self {
        Self::start_one(false)
    }

    /// Starts a server that talks by TLS; returns it with the root of its certificate.
    pub(crate) fn start_encrypted() -> (Self, PathBuf) {
        let redis = Self::start_one(true);
        let root = redis.folder.path().join(certificates::ROOT);
        (redis, root)
    }

    fn start_one(is_encrypted: bool) -> Self {
        loop {
            let port = free_port();
            let folder = tempfile::tempdir().expect("a folder");
            give_away(folder.path());
            if is_encrypted {
                certificates::write(folder.path());
            }
            let mut redis = Self { port, folder, is_encrypted, guard: None };
            if redis.try_start() {
                return redis;
            }
        }
    }

    /// Starts it again.
    pub(crate) fn restart(&mut self) {
        assert!(self.try_start(), "its port is taken");
    }

    pub(crate) fn stop(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            guard.wait().expect("the server ends");
        }
    }

    /// Whether it started. Another process may have taken the port meanwhile.
    fn try_start(&mut self) -> bool {
        let port = self.port.to_string();
        let mut options = vec!["--bind", "127.0.0.1", "--save", "", "--requirepass", PASSWORD];
        if self.is_encrypted {
            options.extend(["--port", "0", "--tls-port", &port, "--tls-auth-clients", "no"]);
            options.extend(["--tls-cert-file", certificates::SERVER, "--tls-key-file", certificates::KEY]);
            options.extend(["--tls-ca-cert-file", certificates::ROOT]);
        } else {
            options.extend(["--port", &port]);
        }
        let mut command = Command::new("/bin/sh");
        // The shell keeps no end of the pipe: it is closed when the server ends.
        let script = "\"$@\" & server=$!; exec >/dev/null; cat; kill -9 $server; wait";
        command.args(["-c", script, "guard", "redis-server"]).args(options);
        if let Some((user, group)) = unprivileged() {
            command.uid(user).gid(group);
        }
        command.current_dir(self.folder.path()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guard = command.spawn().expect("a shell");
        let said = BufReader::new(guard.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let mut lines = Vec::new();
        let is_ready = said.into_iter().any(|line| {
            lines.push(line);
            lines.last().is_some_and(|line| line.contains("Ready to accept connections"))
        });
        self.guard = Some(guard);
        if !is_ready {
            self.stop();
            let is_taken = lines.iter().any(|line| line.contains("Address already in use"));
            assert!(is_taken, "redis-server does not start (Debian: `apt-get install redis-server`): {lines:?}");
        }
        is_ready
    }

    pub(crate) fn url(&self, password: &str) -> String {
        let scheme = if self.is_encrypted { "rediss" } else { "redis" };
        format!("{scheme}://:{password}@127.0.0.1:{}", self.port)
    }

    /// A bus for nodes of this namespace.
    pub(crate) fn bus(&self, namespace: &str) -> BusOptions {
        BusOptions {
            address: Some(self.url(PASSWORD).parse().expect("an address")),
            namespace: namespace.parse().expect("a namespace"),
            ..BusOptions::default()
        }
    }

    pub(crate) async fn client(&self) -> redis::aio::MultiplexedConnection {
        let client = redis::Client::open(self.url(PASSWORD)).expect("a client");
        client.get_multiplexed_async_connection().await.expect("Redis runs")
    }

    /// A user who may do this, on the channels of citewire.
    pub(crate) async fn add_user(&self, name: &str, password: &str, commands: &[&str]) {
        let mut add = redis::cmd("ACL");
        add.arg("SETUSER").arg(name).arg(&["reset", "on", "&citewire:*"]).arg(format!(">{password}"));
        for command in commands {
            add.arg(format!("+{command}"));
        }
        add.query_async::<()>(&mut self.client().await).await.expect("a user");
    }

    /// Waits until there were so many more connections.
    pub(crate) async fn connected(&self, count: u64) {
        let mut client = self.client().await;
        let mut connections = async || -> u64 {
            let info: String = redis::cmd("INFO").arg("stats").query_async(&mut client).await.expect("an answer");
            let count = info.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
            count.expect("a figure").parse().expect("a number")
        };
        let goal = connections().await + count;
        timeout(PATIENCE, async { while connections().await < goal {} }).await.expect("in time");
    }

    /// Stops the process of the server until the value is dropped.
    pub(crate) async fn pause(&self) -> Paused {
        let mut client = self.client().await;
        let info: String = redis::cmd("INFO").arg("server").query_async(&mut client).await.expect("an answer");
        let process = info.lines().find_map(|line| line.strip_prefix("process_id:")).expect("a number").to_owned();
        let paused = Paused { process };
        paused.signal("-STOP");
        paused
    }

    /// Waits until this many nodes follow a conversation.
    pub(crate) async fn followed(&self, conversation: &str, nodes: u64) {
        let mut client = self.client().await;
        let channel = format!("citewire:default:{conversation}");
        let followed = async {
            loop {
                let mut ask = redis::cmd("PUBSUB");
                let asked = ask.arg("NUMSUB").arg(&channel).query_async::<(String, u64)>(&mut client).await;
                if asked.expect("an answer").1 == nodes {
                    return;
                }
            }
        };
        timeout(PATIENCE, followed).await.expect("the conversation is followed in time");
    }

    /// Publishes a message for the readers of a conversation, as if a node had done it.
    pub(crate) async fn publish(&self, conversation: &str, message: &str) {
        let mut client = self.client().await;
        let channel = format!("citewire:default:{conversation}");
        let key = BusKey::new(&Secret::parse(DIRECT_LINE_SECRET).expect("a secret"));
        let (signed, mut publish) = (key.sign(&channel, message), redis::cmd("PUBLISH"));
        let heard = publish.arg(channel).arg(signed).query_async::<u64>(&mut client).await;
        assert_eq!(heard.expect("published"), 1, "one node follows");
    }
}

/// A server that sleeps until this is dropped.
#[must_use = "dropped, the server wakes up"]
pub(crate) struct Paused {
    process: String,
}

impl Paused {
    fn signal(&self, signal: &str) {
        Command::new("kill").args([signal, &self.process]).status().expect("kill runs");
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.signal("-CONT");
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}
