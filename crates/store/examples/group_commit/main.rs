//! The floor that `benches/posts.sh` measures against: durable appends per second of SQLite itself, of the bytes that
//! a store of citewire holds.
//!
//!     cargo run --release --package citewire-store --example group_commit -- STORE FOLDER GROUP SECONDS
//!
//! Takes the body of the newest activity of the database STORE, appends it in groups of so many rows into a database
//! of its own in FOLDER, and prints appends per second and bytes of a body. The folder is to be deleted by the caller.

mod floor;

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [store, folder, group, seconds] = arguments.as_slice() else {
        anyhow::bail!("four arguments are wanted: STORE FOLDER GROUP SECONDS");
    };
    let (group, seconds) = (group.parse().context("GROUP")?, seconds.parse().context("SECONDS")?);
    let body = newest_body(Path::new(store)).await.context("no activity in the store")?;
    let path = Path::new(folder).join("floor.db");
    let rate = floor::appends_per_second(&path, &body, group, Duration::from_secs(seconds)).await?;
    #[expect(clippy::print_stdout, reason = "this is what the program is for")]
    {
        println!("{rate:.0} {}", body.len());
    }
    Ok(())
}

async fn newest_body(store: &Path) -> Result<String, sqlx::Error> {
    let mut connection = SqliteConnectOptions::new().filename(store).read_only(true).connect().await?;
    let newest = "SELECT body FROM activity ORDER BY key DESC LIMIT 1";
    let body = sqlx::query_scalar(newest).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(body)
}
