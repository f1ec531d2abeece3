use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::time::timeout;

use super::server::{command, give_away, programs, succeed};
use super::start::{SHARED, refused};
use crate::app::Serving;
use crate::certificates;

/// A server that talks by TLS only.
struct Encrypted {
    folder: TempDir,
    port: u16,
    process: Child,
}

impl Encrypted {
    async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("citewire-tls").tempdir().expect("a folder");
        give_away(folder.path());
        certificates::write(folder.path());
        let (data, file) = (folder.path().join("data"), |name: &str| folder.path().join(name).display().to_string());
        let mut initdb = command(&programs().join("initdb"));
        initdb.args(["--no-sync", "--auth=trust", "--username=citewire", "--encoding=UTF8", "--locale=C", "--pgdata"]);
        succeed(initdb.arg(&data));
        let write = |name: &str, text: &str| std::fs::write(data.join(name), text).expect("written");
        write("pg_hba.conf", "hostssl all all 127.0.0.1/32 trust\n");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let mut postgres = command(&programs().join("postgres"));
        postgres.arg("-D").arg(&data);
        for setting in [
            &format!("port={port}"),
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "ssl=on",
            &format!("ssl_cert_file={}", file(certificates::SERVER)),
            &format!("ssl_key_file={}", file(certificates::KEY)),
        ] {
            postgres.args(["-c", setting]);
        }
        postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self { process: postgres.spawn().expect("PostgreSQL starts"), folder, port };
        let url = server.url("127.0.0.1", "require");
        let starts = async { while PgConnection::connect(&url).await.is_err() {} };
        timeout(Duration::from_secs(30), starts).await.expect("PostgreSQL answers in time");
        server
    }

    fn url(&self, host: &str, mode: &str) -> String {
        format!("postgres://citewire@{host}:{}/postgres?sslmode={mode}", self.port)
    }

    fn root(&self) -> String {
        self.folder.path().join(certificates::ROOT).display().to_string()
    }
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        Command::new("kill").args(["-KILL", "--", &format!("-{}", self.process.id())]).status().expect("kill runs");
        self.process.wait().expect("ended");
    }
}

#[tokio::test]
async fn a_database_is_trusted_by_its_certificate_and_what_cannot_be_trusted_is_refused_with_the_remedy() {
    let server = Encrypted::start().await;
    let (verified, folder) = (server.url("localhost", "verify-full"), tempfile::tempdir().expect("a folder"));
    let set = format!("{verified}&sslrootcert={}", server.root());
    let serving = Serving::start(folder.path(), &[&SHARED[..], &[("CITEWIRE_STORE_URL", &*set)]].concat());
    let ready = reqwest::get(format!("{}/readyz", serving.url)).await.expect("an answer");
    assert_eq!(ready.status(), 200);
    drop(serving);
    let another = tempfile::tempdir().expect("a folder");
    give_away(another.path());
    certificates::write(another.path());
    let another = another.path().join(certificates::ROOT).display().to_string();
    // The root is unknown, or another one.
    for url in [verified.clone(), format!("{verified}&sslrootcert={another}")] {
        let said = refused(&url, &[]);
        assert!(said.contains("cannot be reached by TLS: see that PostgreSQL has it"), "{said}");
        assert!(said.contains("invalid peer certificate"), "{said}");
    }
    // The name is another one.
    let said = refused(&format!("{}&sslrootcert={}", server.url("127.1", "verify-full"), server.root()), &[]);
    assert!(said.contains("a valid certificate for the host in store.url"), "{said}");
    let missing = Path::new(&another).with_file_name("missing.pem").display().to_string();
    let said = refused(&format!("{verified}&sslrootcert={missing}"), &[]);
    assert!(said.contains(&format!("{missing}, which sslrootcert in store.url names, cannot be read")), "{said}");
    // Without TLS it takes no client.
    let said = refused(&server.url("localhost", "disable"), &[]);
    assert!(said.contains("refuses the user") && said.contains("no encryption"), "{said}");
}
