use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::messages::Messages;
use super::server::socket;

/// The fault of the connections to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    Fine,
    /// New connections are closed at once.
    Closed,
    /// New connections are taken, and never get an answer.
    Swallows,
    /// The next COMMIT reaches the server, and its answer no client; then it is as `then` says.
    LosesAnswerOfCommit(&'static Weather),
    /// The next COMMIT does not reach the server.
    LosesCommit,
}

/// Between a store and the server.
pub(crate) struct Proxy {
    pub(crate) hosts: String,
    shared: Arc<Shared>,
    _task: JoinSet<()>,
}

struct Shared {
    weather: Mutex<Weather>,
    /// Changes when all connections are to be cut, or to fall silent.
    cut: watch::Sender<u32>,
    silent: watch::Sender<u32>,
    refused: watch::Sender<usize>,
    passed: AtomicUsize,
    /// The delay of each answer, in milliseconds.
    late: AtomicU64,
    /// Notifications are lost.
    deaf: AtomicBool,
    statements: AtomicUsize,
}

impl Proxy {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let hosts = format!("127.0.0.1:{}", listener.local_addr().expect("an address").port());
        let shared = Arc::new(Shared {
            weather: Mutex::new(Weather::Fine),
            cut: watch::Sender::new(0),
            silent: watch::Sender::new(0),
            refused: watch::Sender::new(0),
            passed: AtomicUsize::new(0),
            late: AtomicU64::new(0),
            deaf: AtomicBool::new(false),
            statements: AtomicUsize::new(0),
        });
        let mut task = JoinSet::new();
        let accepting = Arc::clone(&shared);
        task.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.expect("a connection");
                if *accepting.weather.lock().expect("no panic") == Weather::Closed {
                    accepting.refused.send_modify(|refused| *refused += 1);
                    continue;
                }
                accepting.passed.fetch_add(1, Ordering::Relaxed);
                connections.spawn(Arc::clone(&accepting).pass(client));
            }
        });
        Self { hosts, shared, _task: task }
    }

    pub(crate) fn set(&self, weather: Weather) {
        *self.shared.weather.lock().expect("no panic") = weather;
    }

    /// Ends all connections.
    pub(crate) fn cut(&self) {
        self.shared.cut.send_modify(|cut| *cut += 1);
    }

    /// From now on nothing that the server says arrives on those connections that there are.
    pub(crate) fn silence(&self) {
        self.shared.silent.send_modify(|silent| *silent += 1);
    }

    /// Delays each answer by this time from now on.
    pub(crate) fn delay(&self, by: Duration) {
        self.shared.late.store(u64::try_from(by.as_millis()).expect("short"), Ordering::Relaxed);
    }

    /// Whether notifications are lost, as behind a pooler that gives each transaction another connection.
    pub(crate) fn deafen(&self, deaf: bool) {
        self.shared.deaf.store(deaf, Ordering::Relaxed);
    }

    /// Waits until this many more connections were refused.
    pub(crate) async fn refused(&self, count: usize) {
        let mut refused = self.shared.refused.subscribe();
        let before = *refused.borrow();
        refused.wait_for(|now| *now >= before + count).await.expect("the proxy is there");
    }

    /// The number of statements that the server was told to execute.
    pub(crate) fn statements(&self) -> usize {
        self.shared.statements.load(Ordering::Relaxed)
    }

    /// The number of connections so far.
    pub(crate) fn passed(&self) -> usize {
        self.shared.passed.load(Ordering::Relaxed)
    }
}

impl Shared {
    async fn pass(self: Arc<Self>, mut client: TcpStream) {
        let mut server = UnixStream::connect(socket()).await.expect("the server listens");
        let (mut cut, mut silent) = (self.cut.subscribe(), self.silent.subscribe());
        let (mut from_client, mut from_server) = (vec![0; 65536], vec![0; 65536]);
        let mut is_silent = *self.weather.lock().expect("no panic") == Weather::Swallows;
        let (mut asked, mut told) = (Messages::of_client(), Messages::of_server());
        loop {
            tokio::select! {
                _ = cut.changed() => return,
                _ = silent.changed() => is_silent = true,
                length = client.read(&mut from_client) => {
                    let Ok(length @ 1..) = length else { return };
                    let sent = &from_client[..length];
                    let executed = asked.whole(sent).iter().filter(|message| matches!(message[0], b'Q' | b'E')).count();
                    self.statements.fetch_add(executed, Ordering::Relaxed);
                    let lost = sent.windows(7).any(|window| window == b"COMMIT\0").then(|| self.commit()).flatten();
                    if lost == Some(Weather::LosesCommit) {
                        return;
                    }
                    if server.write_all(sent).await.is_err() {
                        return;
                    }
                    if lost.is_some() {
                        // The server has done it when it answers.
                        let _answer = server.read(&mut from_server).await;
                        return;
                    }
                }
                length = server.read(&mut from_server) => {
                    let Ok(length @ 1..) = length else { return };
                    let mut messages = told.whole(&from_server[..length]);
                    if self.deaf.load(Ordering::Relaxed) {
                        messages.retain(|message| message[0] != b'A');
                    }
                    tokio::time::sleep(Duration::from_millis(self.late.load(Ordering::Relaxed))).await;
                    if !is_silent && client.write_all(&messages.concat()).await.is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// A COMMIT passes; what is to become of it where it does not pass as it is.
    fn commit(&self) -> Option<Weather> {
        let mut weather = self.weather.lock().expect("no panic");
        let now = *weather;
        match now {
            Weather::Fine | Weather::Closed | Weather::Swallows => return None,
            Weather::LosesAnswerOfCommit(then) => *weather = *then,
            Weather::LosesCommit => *weather = Weather::Fine,
        }
        Some(now)
    }
}
