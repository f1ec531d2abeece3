//! Hears what other nodes tell.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::message::{Message, unpack};
use super::sender::Notifications;
use crate::postgres::connect::Connector;
use crate::postgres::connections::pause;
use crate::postgres::failure::timed_out;

/// A connection on which nothing of what this node tells comes back for so long is replaced: it may be dead for a quarter of an
/// hour without any error.
const SILENCE: Duration = Duration::from_secs(7);

/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a connection is replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// It is lost, or nothing comes any more.
    Broken,
    /// Nothing has ever come of what this node told, though the server took it.
    Deaf,
}

impl Ended {
    /// Whether it is to be said, where this was said last. Nothing is said twice until something is heard.
    fn is_news(self, told: Option<Self>) -> bool {
        match told {
            None => true,
            Some(Self::Broken) => self == Self::Deaf,
            Some(Self::Deaf) => false,
        }
    }

    fn say(self) {
        match self {
            Self::Broken => {
                tracing::warn!("other nodes are not heard for a moment: the connection that listens is replaced");
            }
            Self::Deaf => tracing::warn!(
                "PostgreSQL delivers no notification to this node, which therefore asks once a second what other nodes have \
                 recorded: where a pooler is in front, let it pool sessions (PgBouncer: pool_mode = session), or name \
                 PostgreSQL itself in store.url"
            ),
        }
    }
}

/// Listens on a connection of its own.
pub(super) async fn listen(connector: &Connector, channel: &str) -> Result<PgListener, sqlx::Error> {
    let deadline = Instant::now() + PATIENCE;
    let (connection, host) = connector.find(deadline).await?;
    drop(connection);
    let pool = PgPoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None).connect_lazy_with(host);
    let connect = async {
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.ignore_pool_close_event(true);
        listener.eager_reconnect(false);
        listener.listen(channel).await?;
        Ok(listener)
    };
    timeout_at(deadline, connect).await.unwrap_or_else(|_| Err(timed_out()))
}

/// Listens until the end. After each gap the sweep looks at everything.
pub(super) async fn run(
    notifications: &Notifications,
    connector: &Connector,
    first: Option<PgListener>,
    end: &CancellationToken,
) {
    let (mut listener, mut told) = (first, None);
    if listener.is_none() {
        notifications.set_hearing(false);
    }
    loop {
        if let Some(open) = listener.take() {
            let ended = tokio::select! {
                () = end.cancelled() => return,
                ended = hear(notifications, open, &mut told) => ended,
            };
            notifications.set_hearing(false);
            if ended.is_news(told) {
                told = Some(ended);
                ended.say();
            }
        }
        tokio::select! {
            () = end.cancelled() => return,
            again = listen(connector, notifications.channel()) => match again {
                Ok(again) => listener = Some(again),
                Err(error) => {
                    tracing::debug!(%error, "other nodes cannot be heard yet");
                    pause(Instant::now() + PATIENCE).await;
                }
            },
        }
    }
}

/// Hears until the connection is lost, or silent for too long.
async fn hear(notifications: &Notifications, mut listener: PgListener, told: &mut Option<Ended>) -> Ended {
    let (mut last, mut hears) = (Instant::now(), false);
    loop {
        let received = timeout(SILENCE.saturating_sub(last.elapsed()), listener.try_recv()).await;
        let Ok(Ok(Some(notification))) = received else {
            let is_deaf = received.is_err() && !hears && notifications.outbox.is_telling();
            return if is_deaf { Ended::Deaf } else { Ended::Broken };
        };
        let Some((sender, messages)) = unpack(notification.payload()) else { continue };
        let is_own = sender == notifications.sender();
        for message in messages {
            match message {
                Message::Alive if is_own => {
                    (last, hears) = (Instant::now(), true);
                    notifications.set_hearing(true);
                    if told.take() == Some(Ended::Deaf) {
                        tracing::warn!("PostgreSQL delivers notifications to this node again");
                    }
                }
                Message::Alive => {}
                // Rung before they were sent.
                Message::Reaches(..) | Message::Gone(_) | Message::Turn(..) if is_own => {}
                Message::Reaches(id, newest) => notifications.registry.reaches(&id, newest),
                Message::Gone(id) => notifications.registry.close(&id),
                Message::Turn(kind, id) if notifications.registry.is_heard(&id) => notifications.claims.want(&id, kind),
                // A node on which somebody reads the conversation comes first, and then the one that has told.
                Message::Turn(..) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_listener_that_never_hears_each_thing_is_said_once() {
        let mut told = None;
        let said = [Ended::Broken, Ended::Broken, Ended::Deaf, Ended::Broken, Ended::Deaf].map(|ended| {
            let is_news = ended.is_news(told);
            told = if is_news { Some(ended) } else { told };
            is_news
        });
        assert_eq!(said, [true, false, true, false, false]);
    }
}
