//! Tells listeners on every node what has changed: those of this node at once, those of others by NOTIFY.
//!
//! Rings may be lost, doubled and late; the sweep of `keeper.rs` finds what was missed.

mod ear;
mod message;
mod outbox;
mod rings;

pub(super) use rings::Bells;

use std::sync::Arc;

use futures_util::FutureExt as _;
use sqlx::postgres::PgConnection;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::claims::Claims;
use super::connect::Connector;
use super::row::undecodable;
use crate::supervision::supervise;

/// Starts to listen, and the tasks that ring and hear until the end.
pub(super) async fn start(
    connector: &Connector,
    connection: &mut PgConnection,
    claims: Arc<Claims>,
    tasks: &TaskTracker,
    end: &CancellationToken,
) -> Result<Arc<Bells>, sqlx::Error> {
    let (channel, sender) = names(connection).await?;
    let bells = Arc::new(Bells::new(channel, sender, claims));
    let listener = ear::listen(connector, bells.channel()).await?;
    let hearing = (Arc::clone(&bells), Some(listener), connector.clone(), end.clone());
    tasks.spawn(supervise("store ear", end.clone(), hearing, |(bells, first, connector, end)| {
        ear::run(bells, connector, first.take(), end).boxed()
    }));
    let ringing = (Arc::clone(&bells.outbox), connector.clone(), end.clone());
    tasks.spawn(supervise("store bells", end.clone(), ringing, |(outbox, connector, end)| {
        outbox.run(connector, end).boxed()
    }));
    Ok(bells)
}

/// The channel, and the name by which this node knows what it has sent. A channel of NOTIFY belongs to a database, and the tables to a
/// schema in it; a name has 63 bytes at most.
async fn names(connection: &mut PgConnection) -> Result<(String, Uuid), sqlx::Error> {
    let names = "SELECT left('citewire_' || current_schema(), 60), gen_random_uuid()::text";
    let (channel, sender): (String, String) = sqlx::query_as(names).fetch_one(connection).await?;
    Ok((channel, sender.parse().map_err(undecodable)?))
}
