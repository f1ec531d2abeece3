//! Messages of a server that cannot start with the database it is given.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Output, Stdio};

use super::Database;
use crate::app::{Serving, citewire};

/// The settings that every node must have.
pub(super) const SHARED: [(&str, &str); 4] = [
    ("CITEWIRE_API_KEY", "the-api-key-of-the-tests"),
    ("CITEWIRE_DIRECT_LINE_SECRET", "the-direct-line-secret-of-the-tests"),
    ("CITEWIRE_PUBLIC_URL", "https://chat.example"),
    // How long a start waits for a database that cannot be reached.
    ("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", "2"),
];

fn start(url: &str, arguments: &[&str]) -> Output {
    let mut command = citewire(&[&["serve", "--bind", "127.0.0.1:0"], arguments].concat());
    command.envs(SHARED).env("CITEWIRE_STORE_URL", url).env("CITEWIRE_ASSISTANT", "none");
    command.output().expect("the command ends")
}

/// The last line of what a refused start said.
pub(super) fn refused(url: &str, arguments: &[&str]) -> String {
    let output = start(url, arguments);
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{said}");
    said.lines().last().expect("a line").to_owned()
}

#[tokio::test]
async fn a_node_says_that_there_may_be_others_and_which_readers_see_answers_live() {
    let (database, folder) = (Database::new().await, tempfile::tempdir().expect("a folder"));
    let set = [&SHARED[..], &[("CITEWIRE_STORE_URL", &*database.url)]].concat();
    let serving = Serving::start(folder.path(), &set);
    let said = serving.said.join("\n");
    assert!(said.contains("which several nodes may serve") && said.contains("readers on the same node"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is kept here");
    assert_eq!(serving.interrupt(), Some(0));
}

#[tokio::test]
async fn a_server_that_is_too_old_is_named_with_its_version() {
    let database = Database::new().await;
    // Stands before the function of the server, which asks it for its version.
    database
        .run(
            "CREATE FUNCTION current_setting(name text) RETURNS text LANGUAGE sql AS $$ SELECT CASE name \
             WHEN 'server_version_num' THEN '130016' WHEN 'server_version' THEN '13.16' \
             ELSE pg_catalog.current_setting(name) END $$",
        )
        .await;
    let said = refused(&format!("{},pg_catalog", database.url), &[]);
    assert!(said.contains("is PostgreSQL 13.16, and citewire needs PostgreSQL 14 or later"), "{said}");
}

#[tokio::test]
async fn a_database_with_another_encoding_is_refused() {
    let database = Database::new().await;
    database.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'").await;
    let said = refused(&database.url.replacen("/postgres?", "/latin?", 1), &[]);
    assert!(said.contains("has the encoding LATIN1") && said.contains("ENCODING 'UTF8'"), "{said}");
}

#[tokio::test]
async fn a_database_that_takes_no_writes_is_refused() {
    let database = Database::new().await;
    let said = refused(&format!("{} -cdefault_transaction_read_only%3Don", database.url), &[]);
    assert!(said.contains("is read-only: unset default_transaction_read_only"), "{said}");
}

#[tokio::test]
async fn a_database_that_is_not_there_and_a_user_that_is_refused_are_told_apart() {
    let database = Database::new().await;
    let absent = database.url.replacen("/postgres?", "/absent?", 1);
    let said = refused(&absent, &[]);
    assert!(said.contains("cannot be used") && said.contains("\"absent\" does not exist"), "{said}");
    let said = refused(&database.url.replacen("//citewire@", "//stranger@", 1), &[]);
    assert!(said.contains("refuses the user: check user and password"), "{said}");
    let said = refused(&database.url.replacen("?host=/", "?host=/nowhere/", 1), &[]);
    assert!(said.contains("cannot be reached, or takes no writes: see that PostgreSQL runs there"), "{said}");
}

#[tokio::test]
async fn a_database_is_waited_for_that_starts_at_the_same_time() {
    let (database, folder) = (Database::new().await, tempfile::tempdir().expect("a folder"));
    let socket = database.url.split(['=', '&']).nth(1).expect("the folder of the socket");
    let url = database.url.replacen(socket, &folder.path().display().to_string(), 1);
    let mut command = citewire(&["serve", "--bind", "127.0.0.1:0"]);
    command.envs(SHARED).env("CITEWIRE_STORE_URL", url).env("CITEWIRE_ASSISTANT", "none");
    command.env("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", "60");
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the command runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let waits = lines.next().is_some_and(|line| line.contains("the database cannot be reached yet"));
    let name = ".s.PGSQL.5432";
    symlink(Path::new(socket).join(name), folder.path().join(name)).expect("the socket is there");
    let serves = lines.any(|line| line.starts_with("citewire is listening on "));
    child.kill().and_then(|()| child.wait()).expect("the server ends");
    assert!(waits && serves);
}

#[tokio::test]
async fn a_schema_of_a_later_version_is_refused_and_an_older_one_where_nothing_is_to_be_migrated() {
    let database = Database::new().await;
    let said = refused(&database.url, &["--no-migrate"]);
    assert!(said.contains("has schema version 0") && said.contains("run `citewire store migrate`"), "{said}");
    let migrate = || citewire(&["store", "migrate"]).env("CITEWIRE_STORE_URL", &database.url).output();
    assert!(migrate().expect("the command ends").status.success());
    database.run("INSERT INTO citewire_schema VALUES (9999, now())").await;
    for arguments in [&[][..], &["--no-migrate"]] {
        let said = refused(&database.url, arguments);
        assert!(said.contains("has schema version 9999") && said.contains("use a newer citewire"), "{said}");
    }
    assert_eq!(migrate().expect("the command ends").status.code(), Some(2));
}
