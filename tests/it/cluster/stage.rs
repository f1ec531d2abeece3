//! The state that the clients of a run share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, RwLock, watch};
use tokio_util::sync::CancellationToken;

use super::history::{Call, Reading};
use super::node::Door;
use crate::app::Dice;

/// The longest wait of a client for an answer to a call, before it goes to another node.
pub(super) const CALL: Duration = Duration::from_secs(12);

/// The nodes that a balancer knows.
#[derive(Clone, Debug)]
pub(crate) struct Doors {
    doors: Arc<Mutex<Vec<Door>>>,
    /// Taken by each post, and whole by one that waits for the end of those on their way.
    posts: Arc<RwLock<()>>,
}

impl Doors {
    pub(crate) fn new(doors: Vec<Door>) -> Self {
        Self { doors: Arc::new(Mutex::new(doors)), posts: Arc::default() }
    }

    /// Another node takes the place of one.
    pub(crate) fn replace(&self, index: usize, door: Door) {
        self.doors.lock().expect("no panic")[index] = door;
    }

    /// Waits until every post that is on its way is answered, as a balancer does before it lets a node go: one that has chosen its node
    /// may come when that has closed its connections.
    pub(super) async fn drain(&self) {
        drop(self.posts.write().await);
    }

    /// A node for one post, for as long as that is on its way.
    pub(super) async fn for_post(&self, dice: &mut Dice) -> (Door, OwnedRwLockReadGuard<()>) {
        let post = Arc::clone(&self.posts).read_owned().await;
        (self.any(dice), post)
    }

    pub(super) fn any(&self, dice: &mut Dice) -> Door {
        let doors = self.doors.lock().expect("no panic");
        doors[usize::try_from(dice.below(doors.len() as u64)).expect("small")].clone()
    }
}

/// The state that the clients of one run share.
pub(super) struct Shared {
    pub(super) doors: Doors,
    pub(super) calls: Mutex<Vec<Call>>,
    pub(super) readings: Mutex<Vec<Reading>>,
    /// The questions to which readers have seen an answer.
    pub(super) answered: watch::Sender<BTreeSet<String>>,
    pub(super) acknowledged: watch::Sender<u64>,
    /// The last place of each conversation, once it is known.
    pub(super) goals: watch::Sender<BTreeMap<String, u64>>,
    pub(super) texts: AtomicU64,
    pub(super) stop: CancellationToken,
}

impl Shared {
    pub(super) fn new(doors: Doors) -> Self {
        Self {
            doors,
            calls: Mutex::default(),
            readings: Mutex::default(),
            answered: watch::Sender::default(),
            acknowledged: watch::Sender::default(),
            goals: watch::Sender::default(),
            texts: AtomicU64::default(),
            stop: CancellationToken::new(),
        }
    }
}
