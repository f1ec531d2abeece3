//! Tells listeners on every node what has changed: those of this node at once, those of others by NOTIFY.
//!
//! Rings may be lost, doubled and late; the sweep of `keeper.rs` finds what was missed.

mod ear;
mod message;
mod outbox;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::postgres::PgConnection;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::claims::Claims;
use super::connect::Connector;
use super::row::undecodable;
use crate::activity::{ConversationId, Watermark};
use crate::store::TurnKind;
use crate::store::notifier_registry::NotifierRegistry;
use outbox::Outbox;

/// The bells of one node.
#[derive(Debug)]
pub(super) struct Bells {
    pub(super) registry: NotifierRegistry,
    pub(super) claims: Arc<Claims>,
    outbox: Arc<Outbox>,
    hearing: AtomicBool,
    /// Something may have been missed since the sweep was told last.
    gap: AtomicBool,
}

impl Bells {
    /// Starts to listen, and the tasks that ring and hear until the end.
    pub(super) async fn start(
        connector: &Connector,
        connection: &mut PgConnection,
        claims: Arc<Claims>,
        tasks: &TaskTracker,
        end: &CancellationToken,
    ) -> Result<Arc<Self>, sqlx::Error> {
        let (channel, sender) = names(connection).await?;
        let bells = Arc::new(Self {
            registry: NotifierRegistry::default(),
            claims,
            outbox: Arc::new(Outbox::new(channel, sender)),
            hearing: AtomicBool::new(true),
            gap: AtomicBool::new(false),
        });
        let listener = ear::listen(connector, bells.channel()).await?;
        tasks.spawn(ear::run(Arc::clone(&bells), connector.clone(), listener, end.clone()));
        tasks.spawn(Arc::clone(&bells.outbox).run(connector.clone(), end.clone()));
        Ok(bells)
    }

    /// The conversation reaches as far as this.
    pub(super) fn ring(&self, id: &ConversationId, newest: Watermark) {
        self.registry.reaches(id, newest);
        self.outbox.tell(id, Some(newest));
    }

    /// The conversation is gone.
    pub(super) fn gone(&self, id: &ConversationId) {
        self.registry.close(id);
        self.outbox.tell(id, None);
    }

    /// A turn waits in the conversation, and nobody may hold its line.
    pub(super) fn turn(&self, id: &ConversationId, kind: TurnKind) {
        if self.registry.is_heard(id) {
            return self.claims.want(id, kind);
        }
        self.outbox.tell_turn(id, kind);
        self.claims.ring_later(kind);
    }

    /// Tells something that has to come back.
    pub(super) fn beat(&self) {
        self.outbox.tell_alive();
    }

    /// Whether other nodes are heard.
    pub(super) fn is_hearing(&self) -> bool {
        self.hearing.load(Ordering::Relaxed)
    }

    /// Whether something may have been missed since this was asked last.
    pub(super) fn take_gap(&self) -> bool {
        self.gap.swap(false, Ordering::Relaxed)
    }

    fn set_hearing(&self, hearing: bool) {
        let before = self.hearing.swap(hearing, Ordering::Relaxed);
        if hearing && !before {
            self.gap.store(true, Ordering::Relaxed);
        }
    }

    fn channel(&self) -> &str {
        &self.outbox.channel
    }

    fn sender(&self) -> Uuid {
        self.outbox.sender
    }
}

/// The channel, and the name by which this node knows what it has sent. A channel of NOTIFY belongs to a database, and the tables to a
/// schema in it; a name has 63 bytes at most.
async fn names(connection: &mut PgConnection) -> Result<(String, Uuid), sqlx::Error> {
    let names = "SELECT left('citewire_' || current_schema(), 60), gen_random_uuid()::text";
    let (channel, sender): (String, String) = sqlx::query_as(names).fetch_one(connection).await?;
    Ok((channel, sender.parse().map_err(undecodable)?))
}
