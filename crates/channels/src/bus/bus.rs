//! The handle of the bus.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use tokio::time::timeout;
use uuid::Uuid;

use super::followed::Followed;
use super::message::{Message, beginning};
use super::outbox::{Outbox, Outgoing};
use super::stream::Connector;
use super::{BusAddress, BusKey, BusOptions, Reach};
use crate::activity::ConversationId;
use crate::metrics::BusFigures;

/// The longest time that an answer waits to learn whether anybody elsewhere would see it.
const PROBE_WITHIN: Duration = Duration::from_millis(250);

/// Takes what other nodes publish.
pub trait Receiver: Send + Sync + 'static {
    /// A message for those who read the conversation here. Must not wait for anything: it is called where the connection is read.
    fn receive(&self, id: &ConversationId, message: Message);
}

/// The bus of one node. Cheap to clone; clones share the connection.
#[derive(Clone)]
pub struct Bus(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) address: BusAddress,
    pub(super) connector: Connector,
    pub(super) key: BusKey,
    /// With what the names of channels begin.
    pub(super) prefix: String,
    pub(super) alive_every: Duration,
    pub(super) silent_after: Duration,
    pub(super) node: String,
    /// With what the messages of this node begin.
    pub(super) own: String,
    pub(super) outbox: Outbox,
    pub(super) followed: Followed,
    pub(super) figures: BusFigures,
    pub(super) is_up: AtomicBool,
    connection: Mutex<Option<MultiplexedConnection>>,
    live: Mutex<BTreeSet<(ConversationId, String)>>,
}

impl fmt::Debug for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bus").field("address", &self.0.address).field("prefix", &self.0.prefix).finish_non_exhaustive()
    }
}

impl Bus {
    /// The bus that the options name, if they name one, for a node with this id, whose messages are signed with this key. It is
    /// connected to as soon as it runs.
    ///
    /// # Errors
    /// When there cannot be a connection to such an address.
    pub fn new(options: &BusOptions, node: Uuid, key: BusKey) -> redis::RedisResult<Option<Self>> {
        let Some(address) = options.address.clone() else { return Ok(None) };
        let node = node.simple().to_string();
        Ok(Some(Self(Arc::new(Inner {
            connector: Connector::new(&address, options.roots.as_ref())?,
            key,
            address,
            prefix: format!("citewire:{}:", options.namespace),
            alive_every: options.alive_every,
            silent_after: options.silent_after,
            own: beginning(&node),
            node,
            outbox: Outbox::default(),
            followed: Followed::default(),
            figures: BusFigures::default(),
            is_up: AtomicBool::new(false),
            connection: Mutex::default(),
            live: Mutex::default(),
        }))))
    }

    /// The address of its server.
    #[must_use]
    pub fn address(&self) -> &BusAddress {
        &self.0.address
    }

    /// Its counters.
    #[must_use]
    pub fn figures(&self) -> &BusFigures {
        &self.0.figures
    }

    /// Whether it is connected.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.0.is_up.load(Ordering::Relaxed)
    }

    /// A stream that nothing was heard of for so long is withdrawn from its readers.
    #[must_use]
    pub fn silent_after(&self) -> Duration {
        self.0.silent_after
    }

    /// Publishes a message, some time soon. `reach` learns whether anybody elsewhere has received it.
    pub fn publish(&self, id: &ConversationId, message: Message, reach: Option<&Reach>) {
        let dropped = self.0.outbox.push(Outgoing { id: id.clone(), message, reach: reach.cloned() });
        self.0.figures.dropped(dropped);
    }

    /// Hears what other nodes publish for a conversation, until the guard is dropped.
    pub fn follow(&self, id: &ConversationId) -> Following {
        self.0.followed.add(id);
        Following { bus: self.clone(), id: id.clone() }
    }

    /// Says over and over that a stream goes on, until the guard is dropped.
    pub fn announce(&self, id: &ConversationId, stream: &str) -> Announced {
        let name = (id.clone(), stream.to_owned());
        self.live().insert(name.clone());
        Announced { bus: self.clone(), name }
    }

    /// Whether anybody on another node would see what is published.
    pub async fn is_read(&self, id: &ConversationId, reach: &Reach) -> bool {
        if reach.has_receivers() {
            return true;
        }
        let Some(connection) = self.connection().clone().filter(|_| reach.is_due()) else { return false };
        let is_read = match timeout(PROBE_WITHIN, self.followers(connection, id)).await {
            Ok(Ok(followers)) => self.is_heard_elsewhere(id, followers),
            Ok(Err(_)) | Err(_) => false,
        };
        reach.set(is_read);
        is_read
    }

    async fn followers(&self, mut connection: MultiplexedConnection, id: &ConversationId) -> redis::RedisResult<u64> {
        let mut ask = redis::cmd("PUBSUB");
        let (_, followers): (String, u64) =
            ask.arg("NUMSUB").arg(self.channel(id)).query_async(&mut connection).await?;
        Ok(followers)
    }

    /// Whether one of so many followers is another node.
    pub(super) fn is_heard_elsewhere(&self, id: &ConversationId, followers: u64) -> bool {
        followers > u64::from(self.0.followed.has(id))
    }

    pub(super) fn channel(&self, id: &ConversationId) -> String {
        format!("{}{id}", self.0.prefix)
    }

    /// Waits until what was published has left, at most for so long.
    pub async fn flush(&self, within: Duration) {
        // Messages that are left then are needed by nobody.
        timeout(within, self.0.outbox.emptied()).await.ok();
    }

    pub(super) fn set_connection(&self, connection: Option<MultiplexedConnection>) {
        let is_up = connection.is_some();
        *self.connection() = connection;
        self.0.figures.set_up(is_up);
        self.0.is_up.store(is_up, Ordering::Relaxed);
        let dropped = self.0.outbox.set_open(is_up);
        self.0.figures.dropped(dropped);
    }

    fn connection(&self) -> MutexGuard<'_, Option<MultiplexedConnection>> {
        self.0.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn live(&self) -> MutexGuard<'_, BTreeSet<(ConversationId, String)>> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A conversation whose messages are heard, until it is dropped.
#[derive(Debug)]
#[must_use = "dropped, nothing is heard"]
pub struct Following {
    bus: Bus,
    id: ConversationId,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.bus.0.followed.remove(&self.id);
    }
}

/// A stream of which others learn that it goes on, until this is dropped.
#[derive(Debug)]
#[must_use = "dropped, the stream falls silent"]
pub struct Announced {
    bus: Bus,
    name: (ConversationId, String),
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.bus.live().remove(&self.name);
    }
}
