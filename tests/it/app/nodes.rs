//! One server with its conversations in memory, or two servers over one PostgreSQL database and one Redis, which take connections
//! in turn.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use citewire::bus::BusOptions;
use citewire::clock::{Clock, ManualClock};
use citewire::store::{ConversationStore, SqliteStore, StoreLimits};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::postgres::{Database, node};
use crate::redis::Redis;

/// Runs what the nodes share, and outlives the servers of each test.
fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
    });
    &RUNTIME
}

/// Does something on that runtime, while the test, which may run on another one, waits.
fn done<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    std::thread::spawn(|| runtime().block_on(work)).join().expect("done")
}

/// How many servers a test is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Nodes {
    /// The number of `CITEWIRE_TEST_NODES`, or one.
    #[default]
    Any,
    /// One: the test is about what each node counts for itself, or what holds without a public URL.
    One,
    /// Two.
    Two,
}

impl Nodes {
    /// An empty store for each.
    pub(super) fn stores(self, limits: StoreLimits, clock: &Arc<ManualClock>) -> Vec<Arc<dyn ConversationStore>> {
        let clock = Arc::clone(clock) as Arc<dyn Clock>;
        let are_two = self == Self::Two || self == Self::Any && environment_says_two();
        if !are_two {
            let open = move || runtime().block_on(SqliteStore::in_memory(limits, clock));
            let store = std::thread::spawn(open).join().expect("done");
            return vec![Arc::new(store.expect("a store"))];
        }
        done(async move {
            let database = Database::new().await;
            let mut nodes: Vec<Arc<dyn ConversationStore>> = Vec::new();
            for _ in 0..2 {
                nodes.push(Arc::new(node(&database, limits, Arc::clone(&clock)).await));
            }
            nodes
        })
    }
}

fn environment_says_two() -> bool {
    match std::env::var("CITEWIRE_TEST_NODES").as_deref() {
        Err(_) => false,
        Ok("2") => true,
        Ok(other) => panic!("CITEWIRE_TEST_NODES is {other:?}: there are tests for 2 nodes"),
    }
}

/// A bus for the nodes of one test.
pub(super) fn shared_bus() -> BusOptions {
    static REDIS: LazyLock<Redis> = LazyLock::new(Redis::start);
    static COUNT: AtomicU32 = AtomicU32::new(0);
    REDIS.bus(&format!("nodes-{}", COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// An address behind which nodes take connections in turn.
pub(super) struct Front {
    listener: TcpListener,
    address: SocketAddr,
}

impl Front {
    pub(super) fn new() -> Self {
        let listener = done(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        Self { listener, address }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn lead_to(self, nodes: Vec<SocketAddr>) -> SocketAddr {
        let Self { listener, address } = self;
        runtime().spawn(async move {
            for node in nodes.iter().cycle() {
                let (mut client, _) = listener.accept().await.expect("a connection");
                // A server that has ended takes none.
                if let Ok(mut server) = TcpStream::connect(node).await {
                    runtime().spawn(async move { copy_bidirectional(&mut client, &mut server).await });
                }
            }
        });
        address
    }
}

/// Closes the connections of the stores.
pub(super) fn close(stores: Vec<Arc<dyn ConversationStore>>) {
    done(async move {
        for store in stores {
            store.close().await.expect("closed");
        }
    });
}
