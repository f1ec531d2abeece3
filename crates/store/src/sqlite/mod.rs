//! The store in one SQLite file.
//!
//! One task writes; everything that waits goes into one transaction (`writer.rs`), whose rows are worked out beforehand
//! (`../writing`). What it does besides is in `upkeep.rs`, and what it tells of failures in `../writing/health.rs`. Reads run beside it
//! on connections of their own (`reader.rs`). Another process is kept away by a lock on a file beside (`lock.rs`); one that
//! only reads is welcome (`archive.rs`).

mod archive;
mod assistant_work;
mod assistant_writer;
mod assistants;
mod connect;
mod copies;
mod error;
mod failure;
mod lock;
mod place;
mod reader;
mod schema;
mod sqlite_store;
mod turn_rows;
mod turn_writer;
mod turns;
mod upkeep;
mod work;
mod writer;

pub use archive::Archive;
pub use error::SqliteError;
pub use sqlite_store::SqliteStore;
