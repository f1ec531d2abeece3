//! `citewire serve`.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::FutureExt as _;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Outcome;
use super::args::ServeArgs;
use super::first_steps::{self, Shell};
use super::process;
use super::team::{Openers, Watch, Watched, answering, digests_of_secrets, secrets_of_server};
use crate::assistant::{AssistantManager, Assistants};
use crate::bus::{Bus, BusKey};
use crate::channels::azure_bot::{AzureBot, ConnectorRecords};
use crate::channels::direct_line::bot::BotClient;
use crate::channels::direct_line_client::BoundDirectLine;
use crate::clock::{Clock, ClusterClock, IdSource, RandomIds};
use crate::config::{Config, ConfigSources, read_settings};
use crate::document::{DocumentReader, remember_unreadable_documents_in};
use crate::http::ApiKey;
use crate::private_file;
use crate::redirects::{RedirectLimits, Redirects};
use crate::secret::Secret;
use crate::store::{ConversationStore, Location, Store};
use crate::supervision::supervise;
use crate::url::WebUrl;
use crate::{http, store, telemetry};

/// The longest wait for the store to finish the writes that it has accepted, after everything else has ended.
const CLOSE_WITHIN: Duration = Duration::from_secs(10);

/// The file of the data directory that remembers documents whose reader took too long or crashed.
const UNREADABLE_DOCUMENTS: &str = "unreadable-documents.json";

/// The number of connections that are served at one time, as far as the system has files for them: a client that is
/// idle costs some 20 kB of memory, so that these are two gigabytes.
const MOST_CONNECTIONS: u64 = 100_000;

/// The smallest useful number of connections.
const LEAST_CONNECTIONS: u64 = 16;

/// The number of connections below which the operator is warned: a server of some hundred chats and streams would have
/// none left.
const FEW_CONNECTIONS: usize = 4096;

/// Files that are no connections of clients: the store, and calls to a bot, a Direct Line or a web page.
const OTHER_FILES: u64 = 256;

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<Outcome> {
    let flags = args.bind.map(|bind| ("bind", bind.to_string())).into_iter().collect();
    let sources = ConfigSources { flags, ..ConfigSources::of_this_process(args.config.clone()) };
    let watched = Watched::new(sources);
    let mut config = Config::load(&watched.sources)?;
    config.store.postgres.migrate = !args.no_migrate;
    config.store.postgres.secrets = Some(digests_of_secrets(&config));
    telemetry::start(&config.log, config.log_format).context("log (CITEWIRE_LOG)")?;
    // The workers have runtimes of their own. Answers are written here, and one that is busy must not hold up the others.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(config, watched))?;
    Ok(Outcome::Done)
}

async fn serve(config: Config, watched: Watched) -> anyhow::Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(ClusterClock::default());
    let store = store::open(&config.store, &config.data_dir, Arc::clone(&clock)).await?;
    warn_of_open_folder(&config.data_dir);
    let outcome = serve_from(Arc::clone(&store), config, watched, clock).await;
    // Accepted activities are recorded, however the server ended.
    let closed = tokio::time::timeout(CLOSE_WITHIN, store.close()).await;
    outcome?;
    closed.context("the store did not close in time; nothing that was acknowledged is lost")?.context(
        "the store did not close cleanly; nothing is lost: the next start reads the last changes from its -wal file",
    )?;
    Ok(())
}

/// Tells the operator where other users of the system may put files into the data directory, such as a secret of their own.
fn warn_of_open_folder(folder: &Path) {
    if private_file::is_writable_by_others(folder) {
        let path = folder.display();
        tracing::warn!(data_dir = %path, "other users of this system can put files into the data directory: run chmod 700 {path}");
    }
}

/// The number of connections of clients, after as many files were asked for as the system lets this process have. A
/// server that can open no more files could not reach a bot, so the connections leave some.
fn connections() -> io::Result<usize> {
    let files = rlimit::increase_nofile_limit(MOST_CONNECTIONS + OTHER_FILES)?;
    let connections = files.saturating_sub(OTHER_FILES).clamp(LEAST_CONNECTIONS, MOST_CONNECTIONS);
    Ok(usize::try_from(connections).unwrap_or(usize::MAX))
}

/// Prints the first steps with a new server.
fn say_where_to_go(config: &Config, server: &WebUrl) -> io::Result<()> {
    // A terminal shows the key to the person who started the server; everything else is kept, where others may read it.
    let key = config.http.keys.iter().find(|key| key.name == ApiKey::SINGLE).and_then(|key| key.secrets.first());
    let shown = key.filter(|_| io::stderr().is_terminal()).map(Secret::expose);
    telemetry::say("convert an answer from another terminal:")?;
    telemetry::say(format_args!("    {}", first_steps::convert(server, &config.api_key_place, shown, Shell::HERE)))?;
    if config.http.page {
        telemetry::say(format_args!("ask a question in the browser: {}", server.as_str().trim_end_matches('/')))?;
    }
    Ok(())
}

/// Says whether readers on all nodes see livestreams, where there may be several.
fn say_who_sees_livestreams(bus: Option<&Bus>, place: &Location) -> io::Result<()> {
    match (bus, place) {
        (Some(bus), _) => {
            telemetry::say(format_args!("livestreams are shown on all nodes that share the bus at {}", bus.address()))
        }
        (None, Location::Postgres(_)) => telemetry::say(
            "an answer that is being written is shown to readers on the same node, and to others when it is finished; to \
             show it to all while it is written, set bus.url (CITEWIRE_BUS_URL)",
        ),
        (None, Location::Memory | Location::Sqlite(_)) => Ok(()),
    }
}

/// Says which assistants answer. None is kept: what a later configuration replaces would compute vectors on.
fn say_who_answers(assistants: &Assistants) -> io::Result<()> {
    let team = assistants.all();
    let names: Vec<&str> = team.iter().map(|assistant| assistant.name()).collect();
    if names.is_empty() { Ok(()) } else { telemetry::say(answering(&names)) }
}

/// Serves until asked to end.
async fn serve_from(
    store: Arc<dyn Store>,
    mut config: Config,
    watched: Watched,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<()> {
    let place = config.store.location(&config.data_dir)?;
    let ids: Arc<dyn IdSource> = Arc::new(RandomIds);
    config.http.max_connections = connections()?;
    tracing::info!(connections = config.http.max_connections, "the limit of open files allows this many connections");
    if config.http.max_connections < FEW_CONNECTIONS {
        tracing::warn!(
            connections = config.http.max_connections,
            "the limit of open files allows few connections, and each open chat takes one: raise it (LimitNOFILE= of systemd, \
             --ulimit nofile= of containers, ulimit -n)"
        );
    }
    let assistants = Arc::new(Assistants::default());
    let manager = AssistantManager::new(Arc::clone(&assistants), Arc::clone(&store) as _, read_settings);
    let manager = Arc::new(manager.with_reader(DocumentReader::this_program().ok()));
    let unreadable = config.data_dir.join(UNREADABLE_DOCUMENTS);
    remember_unreadable_documents_in(unreadable.clone())
        .with_context(|| format!("{} cannot be read: let this user read it, or delete it", unreadable.display()))?;
    let (options, channel) = (config.http.clone(), config.direct_line.clone());
    let conversations: Arc<dyn ConversationStore> = Arc::clone(&store) as _;
    let mut state =
        http::State::new(options, channel, Arc::clone(&conversations), Arc::clone(&clock), Arc::clone(&ids));
    state = state.with_assistants(Arc::clone(&assistants)).with_manager(Arc::clone(&manager));
    if config.resolve_redirects {
        let limits = RedirectLimits::default();
        state = state.follow(Redirects::new(config.egress.clone(), limits, Arc::clone(&clock))?);
    }
    let key = BusKey::new(&config.http.direct_line_secret).or_by(config.http.second_direct_line_secret.as_ref());
    let bus = Bus::new(&config.bus, ids.fresh(), key)
        .context("bus.url (CITEWIRE_BUS_URL) or bus.root_certificate (CITEWIRE_BUS_ROOT_CERTIFICATE)")?;
    if let Some(bus) = bus.clone() {
        state = state.with_bus(bus);
    }
    if let Some(bot) = config.bot.clone() {
        state = state.with_bot(BotClient::new(bot, config.egress.clone(), Arc::clone(&clock))?);
    }
    if let Some(bot) = config.azure_bot.clone() {
        let (clock, ids) = (Arc::clone(&clock), Arc::clone(&ids));
        let records = ConnectorRecords::new(conversations);
        state = state.with_azure_bot(AzureBot::new(bot, config.egress.clone(), records, clock, ids)?);
    }
    if let Some(binding) = config.direct_line_client.clone() {
        let (clock, ids) = (Arc::clone(&clock), Arc::clone(&ids));
        state = state.bind(BoundDirectLine::new(binding, config.egress.clone(), clock, ids)?);
    }
    let server = http::build(state)?;
    // The address of the server, and with it those of documents, is known only now.
    let openers = Openers {
        clock,
        ids,
        server: server.url().context("the URL of this server is unknown; set public_url (CITEWIRE_PUBLIC_URL)")?,
        direct_line_secret: config.http.direct_line_secret.clone(),
        second_direct_line_secret: config.http.second_direct_line_secret.clone(),
        of_server: secrets_of_server(&config),
    };
    manager.configure(openers.configured(&config)).await?;
    // Before anyone is told that the server is there, and may ask it to end.
    let stop = process::stop_signal()?;
    for line in &config.announcements {
        telemetry::say(line)?;
    }
    match &place {
        Location::Sqlite(path) => telemetry::say(format_args!("conversations are kept in {}", path.display()))?,
        Location::Postgres(address) => {
            telemetry::say(format_args!("conversations are kept in {address}, which several nodes may serve"))?;
        }
        Location::Memory => telemetry::say("conversations are kept in memory, and are lost when citewire stops")?,
    }
    say_who_sees_livestreams(bus.as_ref(), &place)?;
    say_who_answers(&assistants)?;
    if let Some(bot) = &config.azure_bot {
        let anonymous = if bot.auth.anonymous { "; callers on this machine need no token" } else { "" };
        telemetry::say(format_args!("the messaging endpoint for Azure Bot Service is /api/messages{anonymous}"))?;
    }
    if config.http.is_page_without_a_name() {
        telemetry::say(
            "the page is served only at IP addresses and localhost; to serve it at a host name, set public_url \
             (CITEWIRE_PUBLIC_URL) or allowed_hosts (CITEWIRE_ALLOWED_HOSTS); to turn it off, set page to false",
        )?;
    }
    if !config.http.bind.ip().is_loopback() && process::is_root() {
        telemetry::say("citewire runs as root but does not need the rights of root: run it as another user")?;
    }
    say_where_to_go(&config, &openers.server)?;
    for address in server.addresses() {
        telemetry::say(format_args!("citewire is listening on http://{address}"))?;
    }
    let watch = Watch::new(watched, openers, Arc::clone(&manager))?;
    // The tasks end when they are dropped.
    let (mut background, never) = (JoinSet::new(), CancellationToken::new);
    background.spawn(supervise("configuration", never(), watch, |watch| watch.run().boxed()));
    background.spawn(supervise("uploads", never(), Arc::clone(&manager), |manager| manager.read_uploads().boxed()));
    background.spawn(supervise("folders", never(), Arc::clone(&manager), |manager| manager.read_folders().boxed()));
    background.spawn(supervise("buckets", never(), manager, |manager| Arc::clone(manager).watch_buckets().boxed()));
    let ended = server.run(stop).await;
    background.shutdown().await;
    Ok(ended?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::metrics::TaskFigures;
    use crate::supervision::trip::{begun, trip};

    /// The background tasks of a server with everything that has some.
    const TASKS: [&str; 13] = [
        "assistant turns",
        "azure turns",
        "bot turns",
        "bucket",
        "buckets",
        "bus",
        "configuration",
        "embeddings",
        "folders",
        "silent streams",
        "store writer",
        "upkeep",
        "uploads",
    ];

    /// A panic in the watcher of buckets was the end of the process.
    #[tokio::test]
    async fn a_server_outlives_a_bug_in_each_of_its_tasks() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("leave.md"), "# Leave\n\nYou have 30 days.").expect("written");
        let file = folder.path().join("citewire.toml");
        let toml = format!(
            "bind = '127.0.0.1:0'
             drain_seconds = 0
             assistant = 'none'
             [bot]
             endpoint = 'http://127.0.0.1:1/api/messages'
             [bus]
             url = 'redis://127.0.0.1:1'
             [azure_bot]
             anonymous = true
             [assistants.hr.documents]
             folder = '{}'
             [assistants.hr.documents.embeddings]
             url = 'http://127.0.0.1:1/v1'
             model = 'm'
             [assistants.it.documents]
             bucket = 's3://docs'
             bucket_endpoint = 'http://127.0.0.1:1'",
            folder.path().display()
        );
        fs::write(&file, toml).expect("written");
        let data_dir = folder.path().join("data").display().to_string();
        let environment = BTreeMap::from([("CITEWIRE_DATA_DIR".to_owned(), data_dir)]);
        let watched = Watched::new(ConfigSources { environment, file: Some(file), ..ConfigSources::default() });
        let config = Config::load(&watched.sources).expect("a configuration");
        let before = TASKS.map(|task| TaskFigures::of(task).restarts());
        let bugs = async {
            for task in TASKS {
                begun(task, 1).await;
                trip(task);
                begun(task, 2).await;
            }
        };
        tokio::select! {
            ended = serve(config, watched) => panic!("the server has ended: {ended:?}"),
            () = bugs => {}
        }
        for (task, before) in TASKS.iter().zip(before) {
            assert!(TaskFigures::of(task).restarts() > before, "{task}");
        }
    }
}
