//! Tells listeners on every node what has changed: those of this node at once, those of others by NOTIFY.
//!
//! Notifications may be lost, doubled and late; the sweep of `maintenance.rs` finds what was missed.

mod listener;
mod message;
mod outbox;
mod sender;

pub(super) use sender::Notifications;

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

/// Starts to listen, and the tasks that send and receive until the end.
pub(super) async fn start(
    connector: &Connector,
    connection: &mut PgConnection,
    claims: Arc<Claims>,
    tasks: &TaskTracker,
    end: &CancellationToken,
) -> Result<Arc<Notifications>, sqlx::Error> {
    let (channel, sender) = names(connection).await?;
    let notifications = Arc::new(Notifications::new(channel, sender, claims));
    let listener = listener::listen(connector, notifications.channel()).await?;
    let hearing = (Arc::clone(&notifications), Some(listener), connector.clone(), end.clone());
    tasks.spawn(supervise("store listener", end.clone(), hearing, |(notifications, first, connector, end)| {
        listener::run(notifications, connector, first.take(), end).boxed()
    }));
    let sending = (Arc::clone(&notifications.outbox), connector.clone(), end.clone());
    tasks.spawn(supervise("store notifier", end.clone(), sending, |(outbox, connector, end)| {
        outbox.run(connector, end).boxed()
    }));
    Ok(notifications)
}

/// The channel, and the name by which this node knows what it has sent. A channel of NOTIFY belongs to a database, and the tables to a
/// schema in it; a name has 63 bytes at most.
async fn names(connection: &mut PgConnection) -> Result<(String, Uuid), sqlx::Error> {
    let names = "SELECT left('citewire_' || current_schema(), 60), gen_random_uuid()::text";
    let (channel, sender): (String, String) = sqlx::query_as(names).fetch_one(connection).await?;
    Ok((channel, sender.parse().map_err(undecodable)?))
}
