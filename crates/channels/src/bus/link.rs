//! The connection to Redis: one for a node, which publishes and hears.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, PushInfo, PushKind, RedisError, ServerErrorKind, Value};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::bus::{Bus, Receiver};
use super::message::Message;
use super::signature::unverified;
use super::stream::Unfinished;
use crate::activity::ConversationId;

/// A server that takes longer is treated like one that is gone.
const WITHIN: Duration = Duration::from_secs(3);

/// The pauses between two attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The most channels that are entered or left, and the most streams that are told of, at once.
const AT_ONCE: usize = 256;

impl Bus {
    /// Connects, and connects again after each loss, for ever.
    pub async fn run(&self, receiver: Arc<dyn Receiver>) {
        run(self, receiver).await;
    }
}

async fn run(bus: &Bus, receiver: Arc<dyn Receiver>) {
    let address = bus.address();
    // A connection of a run that a bug has ended.
    bus.set_connection(None);
    let (mut pause, mut is_told) = (FIRST_PAUSE, false);
    loop {
        let error = match connect(bus, &receiver).await {
            Ok(link) => {
                if is_told {
                    tracing::warn!(%address, "the bus is back: readers on all nodes see livestreams again");
                }
                (pause, is_told) = (FIRST_PAUSE, false);
                let error = serve(bus, link).await;
                bus.0.figures.gap();
                bus.set_connection(None);
                error
            }
            Err(error) => error,
        };
        if !is_told {
            let mend = mend(&error, address.is_encrypted());
            tracing::warn!(%address, %error, mend, "the bus cannot be used: answers reach all readers, but livestreams only those on the node that writes them; trying again");
            is_told = true;
        }
        sleep(pause).await;
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

/// An open connection.
struct Link {
    connection: MultiplexedConnection,
    /// Reads and writes it, until it is lost.
    driver: BoxFuture<'static, ()>,
    lost: CancellationToken,
    unfinished: Unfinished,
}

impl Link {
    /// Why it was lost.
    fn error(&self) -> RedisError {
        error_of(&self.unfinished)
    }
}

fn error_of(unfinished: &Unfinished) -> RedisError {
    if unfinished.is_endless() {
        io::Error::new(io::ErrorKind::InvalidData, "it sends an answer without an end").into()
    } else {
        io::Error::from(io::ErrorKind::ConnectionReset).into()
    }
}

async fn connect(bus: &Bus, receiver: &Arc<dyn Receiver>) -> Result<Link, RedisError> {
    let (lost, unfinished) = (CancellationToken::new(), Unfinished::default());
    let hear = {
        let (bus, receiver) = (bus.clone(), Arc::clone(receiver));
        let (lost, unfinished) = (lost.clone(), unfinished.clone());
        move |pushed: PushInfo| {
            unfinished.reset();
            hear(&bus, &*receiver, &lost, &pushed);
            Ok::<(), Infallible>(())
        }
    };
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(WITHIN)).set_push_sender(hear);
    let opening = async {
        let stream = bus.0.connector.connect(unfinished.clone()).await?;
        MultiplexedConnection::new_with_config(bus.address().settings(), stream, config).await
    };
    let late = |_| Err(io::Error::from(io::ErrorKind::TimedOut).into());
    let (connection, driver) = timeout(WITHIN, opening).await.unwrap_or_else(late)?;
    let mut link = Link { connection, driver: driver.boxed(), lost, unfinished };
    let connection = link.connection.clone();
    tokio::select! {
        probed = probe(bus, connection) => probed?,
        () = &mut link.driver => return Err(link.error()),
    }
    Ok(link)
}

/// Does once what is done later: a user who may not do it, or a server that does not answer, is known before the bus counts as back.
/// No conversation has the channel without an id.
async fn probe(bus: &Bus, mut connection: MultiplexedConnection) -> Result<(), RedisError> {
    let channel = &bus.0.prefix;
    connection.subscribe(channel).await?;
    connection.unsubscribe(channel).await?;
    let mut commands = redis::pipe();
    commands.cmd("PUBSUB").arg("NUMSUB").arg(channel).cmd("PUBLISH").arg(channel).arg("").cmd("PING");
    commands.query_async::<Vec<Value>>(&mut connection).await.map(drop)
}

/// Advice to the operator on ending the failure.
fn mend(error: &RedisError, is_encrypted: bool) -> &'static str {
    let kind = error.kind();
    if kind == ErrorKind::AuthenticationFailed {
        "check user and password in bus.url"
    } else if kind == ErrorKind::Server(ServerErrorKind::NoPerm) {
        "let the user of bus.url PUBLISH, SUBSCRIBE, UNSUBSCRIBE, PUBSUB and PING, on the channels citewire:*"
    } else if kind == ErrorKind::RESP3NotSupported {
        "use Redis 6 or later, or Valkey"
    } else if is_encrypted {
        "see that it runs, can be reached, and has a certificate for this name, from a root that bus.root_certificate names or the system trusts"
    } else {
        "see that it runs and can be reached"
    }
}

/// Serves until the connection is lost.
async fn serve(bus: &Bus, link: Link) -> RedisError {
    let Link { connection, driver, lost, unfinished } = link;
    bus.0.followed.begin_anew();
    bus.set_connection(Some(connection.clone()));
    let is_lost = async {
        tokio::select! {
            () = lost.cancelled() => {}
            () = driver => {}
        }
        Err::<Infallible, RedisError>(error_of(&unfinished))
    };
    let Err(error) = tokio::try_join!(
        is_lost,
        follow(bus, connection.clone()),
        publish(bus, connection.clone(), &unfinished),
        stay_alive(bus, connection, &unfinished)
    );
    error
}

/// Enters and leaves channels.
async fn follow(bus: &Bus, mut connection: MultiplexedConnection) -> Result<Infallible, RedisError> {
    loop {
        let changes = bus.0.followed.changes(AT_ONCE).await;
        let channels = |ids: Vec<ConversationId>| ids.iter().map(|id| bus.channel(id)).collect::<Vec<_>>();
        if !changes.leave.is_empty() {
            connection.unsubscribe(channels(changes.leave)).await?;
        }
        if !changes.enter.is_empty() {
            connection.subscribe(channels(changes.enter)).await?;
        }
    }
}

async fn publish(
    bus: &Bus,
    mut connection: MultiplexedConnection,
    unfinished: &Unfinished,
) -> Result<Infallible, RedisError> {
    loop {
        let batch = bus.0.outbox.batch().await;
        let messages = batch.iter().map(|outgoing| (&outgoing.id, &outgoing.message));
        let receivers = send(bus, &mut connection, messages).await?;
        unfinished.reset();
        for (outgoing, receivers) in batch.iter().zip(receivers) {
            if let Some(reach) = &outgoing.reach {
                reach.set(bus.is_heard_elsewhere(&outgoing.id, receivers));
            }
        }
    }
}

/// Publishes messages, and returns how many nodes have received each, this one included.
async fn send<'m>(
    bus: &Bus,
    connection: &mut MultiplexedConnection,
    messages: impl Iterator<Item = (&'m ConversationId, &'m Message)>,
) -> Result<Vec<u64>, RedisError> {
    let mut commands = redis::pipe();
    for (id, message) in messages {
        // A frame that is no JSON is shown nowhere: its message is empty, and nobody understands that.
        let (channel, text) = (bus.channel(id), message.encode(&bus.0.node).unwrap_or_default());
        let signed = bus.0.key.sign(&channel, &text);
        commands.cmd("PUBLISH").arg(channel).arg(signed);
    }
    let receivers: Vec<u64> = commands.query_async(connection).await?;
    bus.0.figures.published(receivers.len());
    Ok(receivers)
}

/// Says over and over which streams go on. A server that does not answer is noticed by it.
async fn stay_alive(
    bus: &Bus,
    mut connection: MultiplexedConnection,
    unfinished: &Unfinished,
) -> Result<Infallible, RedisError> {
    let mut beats = interval(bus.0.alive_every);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        let live: Vec<_> = bus.live().iter().cloned().collect();
        let live: Vec<_> = live.into_iter().map(|(id, stream)| (id, Message::Alive { stream })).collect();
        for some in live.chunks(AT_ONCE) {
            send(bus, &mut connection, some.iter().map(|(id, message)| (id, message))).await?;
        }
        let _: Value = redis::cmd("PING").query_async(&mut connection).await?;
        unfinished.reset();
    }
}

/// Takes what the server pushes. It is called by the task that reads the connection: Redis gives up a node that reads too slowly, so
/// nothing has to be kept here.
fn hear(bus: &Bus, receiver: &dyn Receiver, lost: &CancellationToken, pushed: &PushInfo) {
    if pushed.kind == PushKind::Disconnection {
        return lost.cancel();
    }
    let [Value::BulkString(channel), Value::BulkString(text)] = &*pushed.data else { return };
    // Its own messages need no judgement: nobody gets anything of them.
    if pushed.kind != PushKind::Message || unverified(text).starts_with(bus.0.own.as_bytes()) {
        return;
    }
    let Ok(channel) = std::str::from_utf8(channel) else { return };
    let Some(text) = bus.0.key.verify(channel, text) else {
        return refuse(bus, text);
    };
    let id = channel.strip_prefix(&bus.0.prefix).and_then(|id| ConversationId::try_from(id.to_owned()).ok());
    let (Some(id), Some(message)) = (id, Message::decode(text)) else {
        tracing::debug!("a message of the bus was not understood, which another version may have sent");
        return;
    };
    bus.0.figures.received();
    receiver.receive(&id, message);
}

/// Counts a message that no node of this cluster has signed. The first, tenth and hundredth are logged.
fn refuse(bus: &Bus, text: &[u8]) {
    let refused = bus.0.figures.refused();
    if refused.checked_ilog10().is_some_and(|power| 10_u64.pow(power) == refused) {
        let reason = if text.starts_with(b"{") {
            "it has no signature: a node of an older version has sent it, or somebody else who can write to the bus"
        } else {
            "its signature is wrong: a node with another direct_line_secret has sent it, or somebody else who can write to the bus"
        };
        let address = bus.address();
        tracing::warn!(%address, refused, reason, "a message of the bus was not shown");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;
    use uuid::Uuid;

    use super::*;
    use crate::bus::{BusKey, BusOptions};
    use crate::secret::Secret;

    struct Nobody;

    impl Receiver for Nobody {
        fn receive(&self, _: &ConversationId, _: Message) {}
    }

    /// A server that sends without an end filled the memory until its answer was too late.
    #[tokio::test]
    async fn an_answer_without_an_end_ends_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let options = BusOptions {
            address: Some(format!("redis://{address}").parse().expect("an address")),
            ..BusOptions::default()
        };
        let key = BusKey::new(&Secret::parse("the-secret-of-all-nodes").expect("a secret"));
        let bus = Bus::new(&options, Uuid::nil(), key).expect("a client").expect("a bus");
        let flood = async {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let piece = vec![b'x'; 64 * 1024];
            let mut sent = 0;
            stream.write_all(b"$999999999999\r\n").await.expect("written");
            while stream.write_all(&piece).await.is_ok() {
                sent += piece.len();
            }
            sent
        };
        let sent = tokio::select! {
            sent = flood => sent,
            () = run(&bus, Arc::new(Nobody)) => panic!("it goes on for ever"),
        };
        // Bytes on their way are in the buffers of the system.
        assert!(sent < 40 * 1024 * 1024, "{sent}");
    }
}
