use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::server::{admin, command, give_away, socket};
use super::start::{SHARED, refused};
use crate::app::Serving;

/// PgBouncer in front of a database of its own.
struct Pooler {
    _folder: TempDir,
    port: u16,
    process: Child,
}

impl Pooler {
    async fn start(mode: &str) -> Self {
        let database = format!("pooled_{mode}");
        admin(&format!("CREATE DATABASE {database}")).await;
        let folder = tempfile::Builder::new().prefix("citewire-pooler").tempdir().expect("a folder");
        give_away(folder.path());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let settings = format!(
            "[databases]\nchats = host={} dbname={database} user=citewire\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n\
             ignore_startup_parameters = extra_float_digits\n",
            socket().parent().expect("a folder").display()
        );
        let file = folder.path().join("settings");
        std::fs::write(&file, settings).expect("written");
        // Debian keeps it where only root looks.
        let debian = Path::new("/usr/sbin/pgbouncer");
        let mut pooler = command(if debian.is_file() { debian } else { Path::new("pgbouncer") });
        pooler.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = pooler.spawn().expect("pgbouncer is missing: install it (Debian: `apt-get install pgbouncer`)");
        let listens = async { while TcpStream::connect(("127.0.0.1", port)).await.is_err() {} };
        timeout(Duration::from_secs(10), listens).await.expect("it listens in time");
        Self { _folder: folder, port, process }
    }

    fn url(&self) -> String {
        format!("postgres://citewire@127.0.0.1:{}/chats?sslmode=disable", self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}

#[tokio::test]
async fn a_pooler_of_transactions_is_refused_and_one_of_sessions_is_used() {
    let pooler = Pooler::start("transaction").await;
    let said = refused(&pooler.url(), &[]);
    assert!(said.contains("is a pooler that gives each transaction another connection"), "{said}");
    assert!(said.contains("pool_mode = session"), "{said}");
    let (pooler, folder) = (Pooler::start("session").await, tempfile::tempdir().expect("a folder"));
    let url = pooler.url();
    let serving = Serving::start(folder.path(), &[&SHARED[..], &[("CITEWIRE_STORE_URL", &*url)]].concat());
    let ready = reqwest::get(format!("{}/readyz", serving.url)).await.expect("an answer");
    assert_eq!(ready.status(), 200);
}
