//! A PostgreSQL server for the tests, and two nodes on one database.

mod bound;
mod command;
mod faults;
mod heart;
mod messages;
mod opening;
mod pair;
mod pooler;
mod proxy;
mod server;
mod start;
mod tasks;
mod tls;
mod two_nodes;

pub(crate) use pair::Pair;
pub(crate) use proxy::{Proxy, Weather};
pub(crate) use server::{Database, admin, command, give_away, unprivileged};
pub(crate) use two_nodes::TwoNodes;

use std::sync::Arc;

use citewire::clock::Clock;
use citewire::store::StoreLimits;
use citewire::store::postgres::{Address, PostgresOptions, PostgresStore};

/// Opens the store of one node of a database.
pub(crate) async fn node(database: &Database, limits: StoreLimits, clock: Arc<dyn Clock>) -> PostgresStore {
    let address = Address::parse(&database.url).expect("an address");
    PostgresStore::open(address, PostgresOptions::default(), limits, clock).await.expect("a store")
}

/// Two nodes of one database, which take calls in turn.
pub(crate) async fn two_nodes(database: &Database, limits: StoreLimits, clock: Arc<dyn Clock>) -> TwoNodes {
    TwoNodes::new([node(database, limits, Arc::clone(&clock)).await, node(database, limits, clock).await])
}
