//! The store in a PostgreSQL database, which several nodes share.
//!
//! One task writes; everything that waits goes into one transaction (`writer.rs`), whose rows are worked out beforehand (`../writing`). Reads, deletions and changes of assistants share some
//! connections (`connections.rs`). The other nodes are told what has changed by NOTIFY (`notifications`). Each queue of turns is served by one
//! node (`claims.rs`), and by another one when that is dead (`node.rs`).

mod address;
mod archive;
mod assistants;
mod claims;
mod connect;
mod connections;
mod error;
mod escape;
mod failure;
mod group;
mod maintenance;
mod node;
mod notifications;
mod options;
mod postgres_store;
mod queues;
mod reader;
mod removal;
mod room;
mod row;
mod schema;
mod settle;
mod statement;
mod transact;
mod turns;
mod waiting;
mod writer;

pub use address::{Address, AddressError};
pub use archive::{Archive, migrate};
pub use error::PostgresError;
pub use options::{PostgresOptions, SecretDigests};
pub use postgres_store::PostgresStore;
