use std::sync::Arc;

use citewire::clock::SystemClock;
use citewire::store::postgres::{Address, PostgresError, PostgresOptions, PostgresStore};
use citewire::store::{Batch, ConversationStore as _, StoreLimits};
use sqlx::Row as _;

use super::proxy::Proxy;
use super::server::admin;
use super::{Database, node};

async fn open_with(url: &str, options: PostgresOptions) -> Result<PostgresStore, PostgresError> {
    let address = Address::parse(url).expect("an address");
    PostgresStore::open(address, options, StoreLimits::in_database(), Arc::new(SystemClock)).await
}

async fn refused(url: &str) -> PostgresError {
    open_with(url, PostgresOptions::default()).await.expect_err("refused")
}

#[tokio::test]
async fn nodes_that_start_at_once_migrate_once() {
    let database = Database::new().await;
    let open = || node(&database, StoreLimits::in_database(), Arc::new(SystemClock));
    let (a, b, c) = tokio::join!(open(), open(), open());
    let mut connection = database.connect().await;
    let rows = sqlx::query("SELECT version FROM citewire_schema").fetch_all(&mut connection).await.expect("rows");
    let versions: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(versions, [1, 2, 3, 4, 5]);
    for store in [a, b, c] {
        store.close().await.expect("closed");
    }
}

#[tokio::test]
async fn without_leave_to_migrate_an_empty_database_is_refused_and_stays_empty() {
    let database = Database::new().await;
    let options = PostgresOptions { migrate: false, ..PostgresOptions::default() };
    let error = open_with(&database.url, options).await.expect_err("refused");
    assert!(error.to_string().contains("citewire store migrate"), "{error}");
    let mut connection = database.connect().await;
    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()";
    let tables: i64 = sqlx::query_scalar(tables).fetch_one(&mut connection).await.expect("a count");
    assert_eq!(tables, 0);
}

/// Otherwise a node that fails while an upgrade is under way could not start again.
#[tokio::test]
async fn a_newer_schema_is_used_where_it_says_that_this_version_can() {
    let database = Database::new().await;
    node(&database, StoreLimits::in_database(), Arc::new(SystemClock)).await.close().await.expect("closed");
    let mut connection = database.connect().await;
    let newer = "INSERT INTO citewire_schema (version, applied, usable_from) VALUES (9999, now(), 1)";
    sqlx::query(newer).execute(&mut connection).await.expect("a row");
    let store = node(&database, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    store.create(&"c".parse().expect("an id"), None).await.expect("created");
    store.close().await.expect("closed");
    sqlx::query("UPDATE citewire_schema SET usable_from = 9999").execute(&mut connection).await.expect("rows");
    let error = refused(&database.url).await;
    assert!(matches!(error, PostgresError::Newer { found: 9999, .. }), "{error:?}");
}

#[tokio::test]
async fn a_user_who_may_not_write_is_named_as_the_reason() {
    admin("CREATE ROLE guest LOGIN").await;
    let error = refused(&Database::new().await.url.replace("citewire@", "guest@")).await;
    assert!(matches!(error, PostgresError::Denied { .. }), "{error:?}");
}

#[tokio::test]
async fn of_several_hosts_the_first_that_answers_is_used() {
    let (database, proxy) = (Database::new().await, Proxy::start().await);
    let closed = Proxy::start().await;
    closed.set(super::proxy::Weather::Closed);
    let url = database.at(&format!("{},{}", closed.hosts, proxy.hosts));
    let store = open_with(&url, PostgresOptions::default()).await.expect("a store");
    let id = "c".parse().expect("an id");
    store.create(&id, None).await.expect("created");
    store.close().await.expect("closed");
    assert!(proxy.passed() > 0);
    let error = refused(&database.at(&closed.hosts)).await;
    assert!(matches!(error, PostgresError::Unreachable { .. }), "{error}");
}

/// No row of any table names a conversation that is not there.
#[tokio::test]
async fn a_deletion_leaves_no_row_behind_whoever_writes_meanwhile() {
    let database = Database::new().await;
    let store = super::two_nodes(&database, StoreLimits::in_database(), Arc::new(SystemClock)).await;
    let id = "c".parse().expect("an id");
    for round in 0..20 {
        store.create(&id, None).await.expect("created");
        let appends = (0..10).map(|number: u32| {
            let batch = Batch::new(vec![citewire::activity::Activity::message("x")]).keyed(Some(number.to_string()));
            store.append(&id, batch)
        });
        let (appended, deleted) = tokio::join!(futures_util::future::join_all(appends), store.delete(&id));
        assert!(deleted.expect("a store"), "round {round}");
        assert!(appended.into_iter().all(|outcome| outcome.is_ok()));
    }
    let mut connection = database.connect().await;
    let tables = "SELECT table_name::text FROM information_schema.columns \
                  WHERE table_schema = current_schema() AND column_name = 'conversation'";
    for row in sqlx::query(tables).fetch_all(&mut connection).await.expect("tables") {
        let table: String = row.get(0);
        let orphans = format!("SELECT count(*) FROM {table} WHERE conversation NOT IN (SELECT key FROM conversation)");
        let orphans = sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(orphans)).fetch_one(&mut connection).await;
        assert_eq!(orphans.expect("a count"), 0, "{table}");
    }
    store.close().await.expect("closed");
}
