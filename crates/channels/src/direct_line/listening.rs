//! Shows the readers of this node what other nodes publish.

use std::sync::Arc;

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::hub::Hub;
use super::publisher::Publisher;
use super::remote::{RemoteStreams, withdrawal};
use super::room::{Place, Shown};
use super::running::Part;
use crate::activity::{ActivityId, ConversationId};
use crate::bus::{Bus, Message, Receiver};

/// A stream that has fallen silent is noticed within this part of the time in which it falls silent.
const LOOKS: u32 = 15;

/// Takes what the bus brings, for the readers of a channel.
struct Listening(Arc<Publisher>);

impl Receiver for Listening {
    fn receive(&self, id: &ConversationId, message: Message) {
        let fresh = || self.0.fresh_id(id);
        self.0.hub().receive(id, message, &fresh);
    }
}

impl Publisher {
    /// Shows what other nodes publish, for ever.
    pub async fn hear(self: Arc<Self>, bus: Bus) {
        bus.run(Arc::new(Listening(self))).await;
    }

    /// Withdraws streams whose nodes say nothing any more, for ever.
    pub async fn withdraw_silent(&self, bus: &Bus) {
        let mut looks = interval(bus.silent_after() / LOOKS);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            for (id, room) in self.hub().occupied() {
                let Some(streams) = &room.remote else { continue };
                if !bus.is_up() {
                    streams.excuse(Instant::now());
                    continue;
                }
                for (name, running, last) in streams.silent(bus.silent_after(), Instant::now()) {
                    tracing::info!(conversation.id = %id, "a livestream is withdrawn, because nothing was heard of its node");
                    if let Some(frame) = withdrawal(self.fresh_id(&id), &name, &last) {
                        let part = Some((running, Part::Withdrawal));
                        room.show(Shown { after: Place::Elsewhere(None), frame, part });
                    }
                }
            }
        }
    }
}

impl Hub {
    /// Shows what another node has published to those who read here.
    fn receive(&self, id: &ConversationId, message: Message, fresh: &dyn Fn() -> ActivityId) {
        let Some(room) = self.find(id) else { return };
        let Some(streams) = &room.remote else { return };
        if let Some(shown) = to_show(streams, message, Instant::now(), fresh) {
            // The ring that says that the conversation has grown may come later than what follows it.
            if let Place::Elsewhere(after) = shown.after {
                room.cache.must_reach(after);
            }
            room.show(shown);
        }
    }
}

fn to_show(streams: &RemoteStreams, message: Message, now: Instant, fresh: &dyn Fn() -> ActivityId) -> Option<Shown> {
    let (after, frame, part) = match message {
        Message::Shown { frame, after, stream } => {
            if stream.is_some_and(|stream| streams.is_over(&stream)) {
                return None;
            }
            (after, frame, None)
        }
        Message::Piece { stream, first, frame, number, after } => {
            let running = streams.piece(&stream, &first, (&frame, number), now)?;
            (after, frame, Some((running, Part::Piece)))
        }
        Message::Withdrawal { stream, after } => {
            let (running, last) = streams.withdraw(&stream, now)?;
            (after, withdrawal(fresh(), &stream, &last)?, Some((running, Part::Withdrawal)))
        }
        Message::End { stream } => {
            streams.ended(&stream, now);
            return None;
        }
        Message::Alive { stream } => {
            streams.is_alive(&stream, now);
            return None;
        }
    };
    Some(Shown { after: Place::Elsewhere(after), frame, part })
}
