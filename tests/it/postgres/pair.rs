use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use super::server::{command, give_away, programs, succeed};

/// The longest wait for a server.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pause before a server is asked again.
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// A primary and its synchronous standby.
pub(crate) struct Pair {
    folder: TempDir,
    /// The first one is the primary.
    members: [Member; 2],
    /// The number of standbys so far.
    made: usize,
}

/// A server of the pair. Its process is the leader of a group.
struct Member {
    port: u16,
    data: PathBuf,
    process: Option<Child>,
}

impl Member {
    fn in_folder(folder: &Path, name: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        Self { port, data: folder.join(name), process: None }
    }

    fn url(&self) -> String {
        format!("postgres://citewire@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    async fn start(&mut self) {
        let mut postgres = command(&programs().join("postgres"));
        postgres.arg("-D").arg(&self.data);
        for setting in [
            &format!("port={}", self.port),
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "dynamic_shared_memory_type=mmap",
            "shared_buffers=16MB",
            "max_connections=80",
            // A kill of the processes loses nothing that the system has been given.
            "fsync=off",
            "wal_receiver_status_interval=1",
        ] {
            postgres.args(["-c", setting]);
        }
        postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(postgres.spawn().expect("PostgreSQL starts"));
        self.connect().await;
    }

    /// A connection, as soon as there can be one.
    async fn connect(&self) -> PgConnection {
        let connected = async {
            loop {
                if let Ok(connection) = PgConnection::connect(&self.url()).await {
                    return connection;
                }
                sleep(BETWEEN_TRIES).await;
            }
        };
        timeout(PATIENCE, connected).await.expect("PostgreSQL answers in time")
    }

    /// Ends the whole group at once.
    fn kill(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let killed =
            Command::new("kill").args(["-KILL", "--", &format!("-{}", process.id())]).status().expect("kill runs");
        assert!(killed.success());
        process.wait().expect("ended");
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Pair {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("citewire-pair").tempdir().expect("a folder");
        give_away(folder.path());
        let members = ["0", "1"].map(|name| Member::in_folder(folder.path(), name));
        let mut pair = Self { folder, members, made: 2 };
        let mut initdb = command(&programs().join("initdb"));
        initdb.args(["--no-sync", "--auth=trust", "--username=citewire", "--encoding=UTF8", "--locale=C", "--pgdata"]);
        succeed(initdb.arg(&pair.members[0].data));
        pair.members[0].start().await;
        pair.follow().await;
        pair
    }

    /// The URL that names both, the standby last.
    pub(crate) fn url(&self) -> String {
        let [primary, standby] = &self.members;
        format!("postgres://citewire@127.0.0.1:{},127.0.0.1:{}/postgres?sslmode=disable", primary.port, standby.port)
    }

    /// Makes the second one follow the first one, and has commits wait for it.
    async fn follow(&mut self) {
        let [primary, standby] = &mut self.members;
        let mut backup = command(&programs().join("pg_basebackup"));
        backup.args([
            "--checkpoint=fast",
            "--no-sync",
            "--write-recovery-conf",
            "--dbname",
            &primary.url(),
            "--pgdata",
        ]);
        succeed(backup.arg(&standby.data));
        standby.start().await;
        let mut connection = primary.connect().await;
        configure(&mut connection, "ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        // A copy of one that has a standby would wait for one of its own, once it is promoted.
        configure(&mut standby.connect().await, "ALTER SYSTEM RESET synchronous_standby_names").await;
        let synchronous = async {
            let state = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            while sqlx::query_scalar::<_, i64>(state).fetch_one(&mut connection).await.expect(state) == 0 {
                sleep(BETWEEN_TRIES).await;
            }
        };
        timeout(PATIENCE, synchronous).await.expect("the standby follows in time");
    }

    /// Ends the primary without warning.
    pub(crate) fn kill_primary(&mut self) {
        self.members[0].kill();
    }

    /// Makes the standby the primary, which then waits for no standby.
    pub(crate) async fn promote(&mut self) {
        let mut connection = self.members[1].connect().await;
        let promote = "SELECT pg_promote(true, 30)";
        assert!(sqlx::query_scalar::<_, bool>(promote).fetch_one(&mut connection).await.expect(promote));
        self.members.swap(0, 1);
    }

    /// Ends the standby without warning: commits wait for it.
    pub(crate) fn kill_standby(&mut self) {
        self.members[1].kill();
    }

    /// Lets commits wait for no standby any more.
    pub(crate) async fn wait_for_nobody(&self) {
        configure(&mut self.members[0].connect().await, "ALTER SYSTEM RESET synchronous_standby_names").await;
    }

    /// Replaces what was killed by a new standby at its address.
    pub(crate) async fn replace(&mut self) {
        let lost = &mut self.members[1];
        std::fs::remove_dir_all(&lost.data).expect("removed");
        lost.data = self.folder.path().join(self.made.to_string());
        self.made += 1;
        self.follow().await;
    }
}

async fn configure(connection: &mut PgConnection, statement: &'static str) {
    for statement in [statement, "SELECT pg_reload_conf()"] {
        sqlx::raw_sql(statement).execute(&mut *connection).await.expect(statement);
    }
}
