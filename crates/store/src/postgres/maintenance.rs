//! Looks after the store once a second: what notifications have missed, and how much there is.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::writer::Shared;
use crate::activity::{ConversationId, Watermark};
use crate::metrics::NodeEvent;

/// All conversations that somebody listens to are looked at in so many seconds.
const ROUND: usize = 10;

/// The seconds between two messages to the node itself.
const BEAT: u64 = 2;

/// And between two looks at how many bytes there are and how many turns wait, and how many conversations there are.
const WEIGH: u64 = 10;
const COUNT: u64 = 60;

const FORGET_NAMES: &str = "DELETE FROM seen WHERE until < $1";

const SWEEP: &str =
    "SELECT c.id, h.next FROM conversation c JOIN head h ON h.conversation = c.key WHERE c.id = ANY($1)";

/// Works until the end.
pub(super) async fn run(shared: &Shared, end: &CancellationToken) {
    let mut seconds = interval(Duration::from_secs(1));
    // After a pause there is nothing to catch up with.
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut second, mut cursor) = (0_u64, None);
    loop {
        tokio::select! {
            () = end.cancelled() => return,
            _ = seconds.tick() => {}
        }
        second += 1;
        if second.is_multiple_of(BEAT) {
            shared.notifications.beat();
        }
        let done = async {
            sweep(shared, &mut cursor).await?;
            look(shared, second).await
        };
        tokio::select! {
            () = end.cancelled() => return,
            done = done => if let Err(error) = done {
                tracing::debug!(%error, "the database could not be looked at");
            },
        }
    }
}

async fn look(shared: &Shared, second: u64) -> Result<(), sqlx::Error> {
    let room = &shared.room;
    if room.has_byte_limit() && second.is_multiple_of(WEIGH) {
        weigh(shared).await?;
    }
    if second.is_multiple_of(WEIGH) {
        let counted = shared.connections.run(|mut c| async move {
            shared.waiting.count(&mut c).await?;
            c.done(())
        });
        counted.await?;
    }
    if second.is_multiple_of(COUNT) {
        let counted = shared.connections.run(|mut c| async move {
            room.count(&mut c).await?;
            sqlx::query(FORGET_NAMES).bind(shared.clock.now()).execute(&mut *c).await?;
            c.done(())
        });
        counted.await?;
    }
    Ok(())
}

/// Counts the bytes anew.
pub(super) async fn weigh(shared: &Shared) -> Result<(), sqlx::Error> {
    let weighed = shared.connections.run(|mut c| async move {
        shared.room.weigh(&mut c).await?;
        c.done(())
    });
    weighed.await
}

/// Asks how far some of the conversations reach that somebody listens to; all of them where something may have been missed.
async fn sweep(shared: &Shared, cursor: &mut Option<ConversationId>) -> Result<(), sqlx::Error> {
    let registry = &shared.notifications.registry;
    let gap = shared.notifications.take_gap();
    shared.figures.node_events(NodeEvent::Gap, gap.into());
    let everything = gap || !shared.notifications.is_hearing();
    let most = if everything { usize::MAX } else { registry.len().div_ceil(ROUND) };
    let heard = registry.heard(cursor.as_ref().filter(|_| !everything), most);
    *cursor = heard.last().map(|(id, _)| id.clone()).filter(|_| heard.len() == most);
    if heard.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = heard.iter().map(|(id, _)| id.as_str()).collect();
    let found = shared.connections.run(|mut c| {
        let ids = ids.clone();
        async move {
            let found: Vec<(String, i64)> = sqlx::query_as(SWEEP).bind(ids).fetch_all(&mut *c).await?;
            c.done(found)
        }
    });
    let found: BTreeMap<String, i64> = found.await?.into_iter().collect();
    for (id, known) in heard {
        let next = found.get(id.as_str()).map(|next| next.unsigned_abs());
        let reached = next.and_then(|next| next.checked_sub(1)).map(Watermark::from_index);
        match (next, reached) {
            // Gone, or another one has its id by now, which does not reach as far.
            (None, _) => registry.close(&id),
            (Some(_), reached) if reached < known => registry.close(&id),
            (Some(_), Some(newest)) => {
                shared.figures.node_events(NodeEvent::MissedSignal, (reached > known).into());
                registry.reaches(&id, newest);
            }
            (Some(_), None) => {}
        }
    }
    Ok(())
}
