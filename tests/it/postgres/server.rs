use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// A server that lives as long as the process of the tests: its guard stops it when the pipe to the guard is closed, however this
/// process ends.
struct Server {
    folder: PathBuf,
    _guard: Child,
}

/// An empty schema.
pub(crate) struct Database {
    pub(crate) url: String,
}

impl Database {
    pub(crate) async fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let schema = format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed));
        admin(&format!("CREATE SCHEMA {schema}")).await;
        Self { url: format!("{}&options=-csearch_path%3D{schema}", url("postgres")) }
    }

    /// A connection of a test.
    pub(crate) async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("PostgreSQL runs")
    }

    /// The URL with a password, which must not be seen anywhere.
    pub(crate) fn with_password(&self) -> String {
        self.url.replace("citewire@", "citewire:hunter2@")
    }

    /// The URL of this database at another address.
    pub(crate) fn at(&self, hosts: &str) -> String {
        let (_, options) = self.url.split_once("&options=").expect("a schema");
        format!("postgres://citewire@{hosts}/postgres?sslmode=disable&options={options}")
    }

    /// Runs a statement in the schema.
    pub(crate) async fn run(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&mut self.connect().await).await.expect("the statement runs");
    }
}

/// Does something that needs no schema.
pub(crate) async fn admin(statement: &str) {
    let mut connection = PgConnection::connect(&url("postgres")).await.expect("PostgreSQL runs");
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.expect(statement);
}

/// The socket on which the server listens.
pub(crate) fn socket() -> PathBuf {
    server().folder.join(".s.PGSQL.5432")
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(start)
}

/// The URL of a database of the server.
pub(crate) fn url(database: &str) -> String {
    format!("postgres://citewire@localhost/{database}?host={}", server().folder.display())
}

fn start() -> Server {
    let programs = programs();
    let folder = tempfile::Builder::new().prefix("citewire-pg").tempdir().expect("a folder").keep();
    give_away(&folder);
    let data = folder.join("data");
    let mut initdb = command(&programs.join("initdb"));
    initdb.args(["--no-sync", "--auth=trust", "--username=citewire", "--encoding=UTF8", "--locale=C", "--pgdata"]);
    succeed(initdb.arg(&data));
    let settings = format!(
        "-c listen_addresses='' -c unix_socket_directories='{}' -c fsync=off -c full_page_writes=off -c max_connections=500",
        folder.display()
    );
    let mut pg_ctl = command(&programs.join("pg_ctl"));
    pg_ctl.args(["start", "--wait", "--silent", "--options", &settings, "--log"]).arg(folder.join("log"));
    succeed(pg_ctl.arg("--pgdata").arg(&data));
    let stop = "cat >/dev/null; \"$1/pg_ctl\" stop --mode=immediate --silent --pgdata \"$2/data\"; rm -rf \"$2\"";
    let mut guard = command(Path::new("/bin/sh"));
    guard.args(["-c", stop, "guard"]).arg(&programs).arg(&folder);
    let guard = guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a guard");
    Server { folder, _guard: guard }
}

/// A program in a process group of its own, run by a user who may run PostgreSQL.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").process_group(0);
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    command
}

/// Makes that user the owner of a folder.
pub(crate) fn give_away(folder: &Path) {
    if let Some((user, group)) = unprivileged() {
        chown(folder, Some(user), Some(group)).expect("root may give a folder away");
    }
}

pub(super) fn succeed(command: &mut Command) {
    // The server inherits the output, and would keep a pipe open.
    let status = command.stdout(Stdio::null()).status().expect("the program starts");
    assert!(status.success(), "{command:?}: {status}");
}

/// Where the programs of PostgreSQL are: Debian keeps those of each version apart.
pub(super) fn programs() -> PathBuf {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.splice(0..0, std::env::split_paths(&path));
    let found = folders.into_iter().rfind(|folder| folder.join("initdb").is_file());
    found.expect("initdb is missing: install PostgreSQL (Debian: `apt-get install postgresql`)")
}

/// The user and the group that run the server where the tests are run by root, as whom it refuses to start.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
    if id(&["-u"]) != Some(0) {
        return None;
    }
    ["postgres", "nobody"].iter().find_map(|name| Some((id(&["-u", name])?, id(&["-g", name])?)))
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
