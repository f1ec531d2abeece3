//! Builds and runs the server.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use actix_web::dev::{self, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use actix_web::{App, HttpServer, web};
use futures_util::FutureExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::admission::connections::{ConnectionSlots, KEPT};
use super::tasks::Tasks;
use super::{State, problem, routes};
use crate::bus::Bus;
use crate::channels::direct_line::Publisher;
use crate::channels::direct_line::bot::{BotServer, ServiceUrl};
use crate::channels::{QueueServer, TurnServer};
use crate::store::TurnKind;
use crate::supervision::supervise;
use crate::url::WebUrl;

/// The longest time for the head of a request, so that connections that say nothing do not keep others out.
const HEAD_WITHIN: Duration = Duration::from_secs(5);

/// The time between two searches for conversations that are due to go.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// The time after which an upload to which nothing was added counts as broken off.
const DRAFTS_FOR: Duration = Duration::from_secs(60 * 60);

/// The longest wait for the last messages to readers on other nodes.
const FLUSH_WITHIN: Duration = Duration::from_secs(1);

/// A server that is bound to its port and waits to be run.
pub struct Server {
    inner: dev::Server,
    handle: ServerHandle,
    addresses: Vec<SocketAddr>,
    state: Arc<State>,
}

/// The server cannot be built, or has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The server ended by itself.
    #[error("the server failed")]
    Run(#[source] io::Error),
}

/// Binds the port and prepares everything.
///
/// # Errors
/// When the address cannot be listened on.
pub fn build(state: State) -> Result<Server, ServerError> {
    let state = Arc::new(state);
    let address = state.options.bind;
    let data = web::Data::from(Arc::clone(&state));
    let formats = state.options.formats.clone();
    let app = move || {
        App::new()
            .app_data(data.clone())
            .app_data(formats.clone())
            .configure(|config| routes::configure(config, &data.options))
            .wrap(from_fn(problem::render))
    };
    let stuck_after = state.direct_line.options().write_timeout * 2;
    let workers = match state.options.workers {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        workers => workers,
    };
    let slots = ConnectionSlots::new(state.options.max_connections, state.metrics.clone());
    let server = HttpServer::new(app)
        .disable_signals()
        .workers(workers)
        .max_connections((state.options.max_connections + KEPT).div_ceil(workers))
        .client_request_timeout(HEAD_WITHIN)
        // A client that is gone while it waits for an answer ends the work on it, and the call to a back end with that.
        .h1_allow_half_closed(false)
        .shutdown_timeout(state.options.shutdown_grace.as_secs())
        .on_connect(move |connection, data| {
            let Some(stream) = connection.downcast_ref::<TcpStream>() else { return };
            prepare(stream, stuck_after);
            data.insert(slots.enter(stream));
        });
    let server = server.bind(address).map_err(|source| ServerError::Bind { address, source })?;
    let addresses = server.addrs();
    let inner = server.run();
    Ok(Server { handle: inner.handle(), inner, addresses, state })
}

impl Server {
    /// The addresses on which the server listens; for port 0 with the port that was found.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The address by which readers and a bot on this machine find this server: its public one where there is one, else
    /// the one that it listens on.
    #[must_use]
    pub fn url(&self) -> Option<WebUrl> {
        here(&self.state, &self.addresses)
    }

    /// Serves until `shutdown` resolves, and a little longer, while `/readyz` says so; then closes every stream, lets requests finish, and ends every task.
    ///
    /// # Errors
    /// When the server ends by itself.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let Self { mut inner, handle, state, addresses } = self;
        let tasks = state.tasks.clone();
        let upkeep = (Arc::clone(&state), tasks.clone());
        tasks.spawn(supervise("upkeep", tasks.end_token(), upkeep, |(state, tasks)| sweep(state, tasks).boxed()));
        #[expect(clippy::disallowed_methods, reason = "it carries what other tasks say when they end")]
        let listening = state
            .bus
            .clone()
            .map(|bus| AbortOnDropHandle::new(tokio::spawn(listen(state.direct_line.publisher(), bus))));
        serve_turns(&state, &addresses);
        if let Some(azure) = &state.azure_bot {
            let responder = Arc::new(state.behind_azure(azure));
            let azure = Arc::clone(azure);
            let (tracker, ending) = (tasks.tracker(), tasks.end_of_turns());
            let end = ending.begun.clone();
            tasks.spawn(supervise(name_of(TurnKind::Azure), end, (azure, responder), move |(azure, responder)| {
                azure.run(Arc::clone(responder) as _, tracker.clone(), ending.clone()).boxed()
            }));
        }
        let drained = async {
            shutdown.await;
            tasks.drain();
            tokio::time::sleep(state.options.drain).await;
        };
        let ended = tokio::select! {
            ended = &mut inner => Some(ended),
            () = drained => None,
        };
        tasks.begin_to_end();
        let last = tasks.ended_within(state.options.shutdown_grace);
        let ended = match ended {
            Some(ended) => {
                last.await;
                ended
            }
            None => {
                // The server future has to be polled for the stop to make way.
                let (ended, (), ()) = tokio::join!(inner, handle.stop(true), last);
                ended
            }
        };
        // Answers have ended by now, and their messages to other nodes are on their way.
        if let Some(bus) = &state.bus {
            bus.flush(FLUSH_WITHIN).await;
        }
        drop(listening);
        ended.map_err(ServerError::Run)
    }
}

fn here(state: &State, addresses: &[SocketAddr]) -> Option<WebUrl> {
    let listening = addresses.first().map(|address| {
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
        };
        format!("http://{}", SocketAddr::new(ip, address.port()))
    });
    let public = state.options.public_url.as_ref().map(|url| url.as_str().to_owned());
    public.or(listening)?.parse().ok()
}

/// Starts answering the turns of the channel, by the bot and by the assistants.
fn serve_turns(state: &State, addresses: &[SocketAddr]) {
    let tasks = &state.tasks;
    let queues = |kind, at_once| QueueServer::new(Arc::clone(&state.store), kind, at_once);
    let assistants = |kind| {
        let Some(answering) = state.answering.clone() else { return };
        serve_queues(kind, queues(kind, usize::MAX), Arc::new(answering), tasks);
    };
    assistants(TurnKind::Assistant);
    let Some(bot) = &state.bot else {
        // A bot that was here before may have left turns.
        return assistants(TurnKind::Bot);
    };
    match here(state, addresses).and_then(|url| url.as_str().parse::<ServiceUrl>().ok()) {
        Some(here) => {
            let of_bot = queues(TurnKind::Bot, bot.options().max_turns);
            let server = Arc::new(BotServer::new(Arc::clone(bot), here));
            serve_queues(TurnKind::Bot, of_bot, server, tasks);
        }
        None => tracing::error!(
            "the bot gets no activities, because the URL of this server is unknown: set bot.service_url"
        ),
    }
}

/// The name of the task that serves turns of this kind.
const fn name_of(kind: TurnKind) -> &'static str {
    match kind {
        TurnKind::Assistant => "assistant turns",
        TurnKind::Bot => "bot turns",
        TurnKind::Azure => "azure turns",
    }
}

/// Starts one answerer of turns on these queues.
fn serve_queues<S: TurnServer>(kind: TurnKind, queues: QueueServer, server: Arc<S>, tasks: &Tasks) {
    let (ending, tracker) = (tasks.end_of_turns(), tasks.tracker());
    let end = ending.begun.clone();
    tasks.spawn(supervise(name_of(kind), end, (queues, server), move |(queues, server)| {
        queues.run(Arc::clone(server), tracker.clone(), ending.clone()).boxed()
    }));
}

/// Shows readers what other nodes show, until it is dropped: until the last node could say something.
async fn listen(publisher: Arc<Publisher>, bus: Bus) {
    let never = CancellationToken::new();
    let heard = supervise("bus", never.clone(), (Arc::clone(&publisher), bus.clone()), |(publisher, bus)| {
        Arc::clone(publisher).hear(bus.clone()).boxed()
    });
    let silent =
        supervise("silent streams", never, (publisher, bus), |(publisher, bus)| publisher.withdraw_silent(bus).boxed());
    tokio::join!(heard, silent);
}

/// Renews what expires and deletes conversations that are due, over and over.
async fn sweep(state: &State, tasks: &Tasks) {
    loop {
        tokio::select! {
            () = tasks.ending() => return,
            () = keep_fresh(state) => {}
        }
        tokio::select! {
            () = tasks.ending() => return,
            () = tokio::time::sleep(SWEEP_EVERY) => {}
        }
        state.limits.forget();
        discard_drafts(state).await;
        match state.retention.run_once().await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(conversations = deleted, "old conversations were deleted"),
            Err(error) => tracing::error!(%error, "old conversations could not be deleted"),
        }
    }
}

/// Deletes the rests of uploads that broke off: each deletes its own, unless its process ended or the store failed.
async fn discard_drafts(state: &State) {
    let Some(manager) = &state.manager else { return };
    match manager.store().discard_drafts(state.clock.now() - DRAFTS_FOR).await {
        Ok(0) => {}
        Ok(drafts) => tracing::info!(drafts, "uploads that broke off were deleted"),
        Err(error) => tracing::error!(%error, "uploads that broke off could not be deleted"),
    }
}

/// Renews what opens the way to others, before anybody needs it.
async fn keep_fresh(state: &State) {
    let azure = async {
        if let Some(azure) = &state.azure_bot {
            azure.keep_fresh().await;
        }
    };
    tokio::join!(state.delivery.keep_fresh(), azure);
}

/// Tells the system to give up on a connection whose other end takes nothing any more: closing it from here would wait
/// for the same bytes to leave.
fn prepare(stream: &TcpStream, stuck_after: Duration) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_user_timeout(Some(stuck_after)) {
        tracing::debug!(%error, "a connection has no time limit for unsent data");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, stuck_after);
}
