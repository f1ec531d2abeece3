//! A Redis server for a test.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use citewire::bus::BusOptions;
use tempfile::TempDir;
use tokio::time::timeout;

use crate::postgres::unprivileged;

pub(crate) const PASSWORD: &str = "the-password-of-the-bus";

/// So long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server with a port of its own, which can be stopped and started again.
pub(crate) struct Redis {
    port: u16,
    folder: TempDir,
    /// Its shell, which ends the server when this process ends, however that is.
    guard: Option<Child>,
}

impl Redis {
    pub(crate) fn start() -> Self {
        loop {
            let port = free_port();
            let folder = tempfile::tempdir().expect("a folder");
            if let Some((user, group)) = unprivileged() {
                chown(folder.path(), Some(user), Some(group)).expect("root may give a folder away");
            }
            let mut redis = Self { port, folder, guard: None };
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

    /// Whether it started. Somebody else may have taken the port meanwhile.
    fn try_start(&mut self) -> bool {
        let port = self.port.to_string();
        let options = ["--port", &port, "--bind", "127.0.0.1", "--save", "", "--requirepass", PASSWORD];
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
        format!("redis://:{password}@127.0.0.1:{}", self.port)
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

    /// Waits until so many nodes follow a conversation.
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
        let mut publish = redis::cmd("PUBLISH");
        let heard = publish.arg(channel).arg(message).query_async::<u64>(&mut client).await;
        assert_eq!(heard.expect("published"), 1, "one node follows");
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
