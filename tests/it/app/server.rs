use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use citewire::activity::{Activity, ChannelAccount, ConversationId, Role};
use citewire::assistant::Assistants;
use citewire::bus::{Bus, BusKey, BusOptions};
use citewire::channels::azure_bot::{AzureBot, AzureBotOptions, ConnectorRecords, ProactiveMessages};
use citewire::channels::direct_line::DirectLineOptions;
use citewire::channels::direct_line::bot::{BotBinding, BotClient};
use citewire::channels::direct_line_client::{Binding, BoundDirectLine};
use citewire::clock::{Clock, IdSource as _, ManualClock, RandomIds};
use citewire::egress::EgressOptions;
use citewire::http::{self, HttpOptions};
use citewire::redirects::{RedirectLimits, Redirects};
use citewire::secret::Secret;
use citewire::store::{Batch, ConversationStore, StoreLimits};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::sync::oneshot;

use super::nodes::{Front, Nodes, close, shared_bus};

pub(crate) const API_KEY: &str = "the-api-key-of-the-tests";
/// Longer than any pause between two calls, and shorter than what a stream may take.
const LONG: Duration = Duration::from_secs(34);

pub(crate) const DIRECT_LINE_SECRET: &str = "the-direct-line-secret-of-the-tests";

/// The test's clock for answers through Azure: short waits pass at once, and long ones never, since no test here waits
/// for them.
#[derive(Debug)]
struct Eager(Arc<ManualClock>);

#[async_trait]
impl Clock for Eager {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }

    async fn wait(&self, time: Duration) {
        if time > LONG {
            std::future::pending::<()>().await;
        }
        self.0.wait(time).await;
    }
}

/// The settings that a test may change before the server starts.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) http: HttpOptions,
    pub(crate) direct_line: DirectLineOptions,
    pub(crate) memory: StoreLimits,
    pub(crate) binding: Option<Binding>,
    pub(crate) egress: EgressOptions,
    pub(crate) follow_redirects: bool,
    pub(crate) bot: Option<BotBinding>,
    pub(crate) azure_bot: Option<AzureBotOptions>,
    pub(crate) assistants: Option<Arc<Assistants>>,
    pub(crate) proactive: Option<ProactiveMessages>,
    pub(crate) bus: BusOptions,
    pub(crate) nodes: Nodes,
}

/// A running server. It is stopped when the value is dropped, and must then end by itself.
pub(crate) struct TestApp {
    pub(crate) url: String,
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<dyn ConversationStore>,
    /// The stores, one for each node.
    stores: Vec<Arc<dyn ConversationStore>>,
    nodes: Vec<Node>,
}

impl Setup {
    fn changed(change: impl FnOnce(&mut Self)) -> Self {
        let secret = |text| Secret::parse(text).expect("a secret");
        let bind = "127.0.0.1:0".parse().expect("an address");
        let mut setup = Self {
            http: HttpOptions::new(bind, secret(API_KEY), secret(DIRECT_LINE_SECRET)),
            direct_line: DirectLineOptions::default(),
            memory: StoreLimits::in_memory(),
            binding: None,
            egress: EgressOptions::default(),
            follow_redirects: false,
            bot: None,
            azure_bot: None,
            assistants: None,
            proactive: None,
            bus: BusOptions::default(),
            nodes: Nodes::default(),
        };
        setup.http.workers = 1;
        // Back ends of tests that say nothing are not waited for.
        setup.http.shutdown_grace = Duration::from_secs(2);
        change(&mut setup);
        setup
    }

    /// The state of a node.
    fn state(&self, store: &Arc<dyn ConversationStore>, clock: &Arc<ManualClock>) -> http::State {
        let setup = self.clone();
        let mut state = http::State::new(
            setup.http,
            setup.direct_line,
            Arc::clone(store),
            Arc::clone(clock) as Arc<dyn Clock>,
            Arc::new(RandomIds),
        );
        if let Some(bus) =
            Bus::new(&setup.bus, RandomIds.fresh(), BusKey::new(&self.http.direct_line_secret)).expect("a client")
        {
            state = state.with_bus(bus);
        }
        if setup.follow_redirects {
            let clock = Arc::clone(clock) as Arc<dyn Clock>;
            let redirects = Redirects::new(setup.egress.clone(), RedirectLimits::default(), clock);
            state = state.follow(redirects.expect("a client"));
        }
        if let Some(bot) = setup.bot {
            let client = BotClient::new(bot, setup.egress.clone(), Arc::clone(clock) as Arc<dyn Clock>);
            state = state.with_bot(client.expect("a client"));
        }
        if let Some(assistants) = setup.assistants {
            state = state.with_assistants(assistants);
        }
        if let Some(options) = setup.azure_bot {
            let records = ConnectorRecords::new(Arc::clone(store));
            let clock = Arc::new(Eager(Arc::clone(clock)));
            let azure = AzureBot::new(options, setup.egress.clone(), records, clock, Arc::new(RandomIds));
            state = state.with_azure_bot(azure.expect("a bot"));
        }
        if let Some(proactive) = setup.proactive {
            state = state.answer_later(proactive);
        }
        if let Some(binding) = setup.binding {
            let clock = Arc::clone(clock) as Arc<dyn Clock>;
            let bound = BoundDirectLine::new(binding, setup.egress, clock, Arc::new(RandomIds));
            state = state.bind(bound.expect("a client"));
        }
        state
    }
}

/// A server in a thread of its own.
struct Node {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Node {
    fn start(state: http::State) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let server = http::build(state).expect("a server");
                tell.send(server.addresses()[0]).expect("the test waits");
                server.run(async move { drop(stopped.await) }).await.expect("the server ends well");
            });
        });
        let address = told.recv().expect("the server starts");
        Self { address, stop: Some(stop), thread: Some(thread) }
    }
}

impl TestApp {
    pub(crate) fn start() -> Self {
        Self::with(|_| {})
    }

    /// A server by itself, also where others are two nodes.
    pub(crate) fn alone() -> Self {
        Self::with(|setup| setup.nodes = Nodes::One)
    }

    pub(crate) fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        Self::over(None, clock, change)
    }

    /// A server without conversations, for which it is this late.
    pub(crate) fn at(clock: Arc<ManualClock>, change: impl FnOnce(&mut Setup)) -> Self {
        Self::over(None, clock, change)
    }

    /// Another server over the conversations of one that has ended.
    pub(crate) fn going_on(
        store: Arc<dyn ConversationStore>,
        clock: Arc<ManualClock>,
        change: impl FnOnce(&mut Setup),
    ) -> Self {
        Self::over(Some(store), clock, change)
    }

    fn over(
        store: Option<Arc<dyn ConversationStore>>,
        clock: Arc<ManualClock>,
        change: impl FnOnce(&mut Setup),
    ) -> Self {
        let mut setup = Setup::changed(change);
        if setup.bus.address.is_some() {
            // The test starts the other nodes itself.
            setup.nodes = Nodes::One;
        }
        let stores = store.map_or_else(|| setup.nodes.stores(setup.memory, &clock), |store| vec![store]);
        let store = Arc::clone(&stores[0]);
        let mut front = None;
        if stores.len() > 1 {
            let front = front.insert(Front::new());
            setup.http.public_url.get_or_insert(front.url().parse().expect("a URL"));
            setup.bus = shared_bus();
        }
        let start = |store: &Arc<dyn ConversationStore>| Node::start(setup.state(store, &clock));
        let nodes: Vec<Node> = stores.iter().map(start).collect();
        let address = match front {
            Some(front) => front.lead_to(nodes.iter().map(|node| node.address).collect()),
            None => nodes[0].address,
        };
        // Each request has a connection of its own, so that nodes take them in turn.
        let idle = if nodes.len() > 1 { 0 } else { usize::MAX };
        let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).pool_max_idle_per_host(idle);
        // The server closes a connection that is idle for five seconds, perhaps while the next request is on its way.
        let client = client.pool_idle_timeout(Duration::from_secs(2)).build();
        let url = format!("http://{address}");
        Self { url, address, client: client.expect("a client"), clock, store, stores, nodes }
    }

    /// Tells the server to stop, without waiting for it.
    pub(crate) fn stop(&mut self) {
        self.nodes.iter_mut().for_each(|node| drop(node.stop.take()));
    }

    /// Waits until the server has ended.
    pub(crate) async fn ended(mut self) {
        self.stop();
        for node in &mut self.nodes {
            let thread = node.thread.take().expect("the server was not waited for");
            tokio::task::spawn_blocking(|| thread.join().expect("the server ends well")).await.expect("joined");
        }
    }

    /// A request without a credential.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) fn get(&self, path: &str, bearer: &str) -> RequestBuilder {
        self.request(Method::GET, path).bearer_auth(bearer)
    }

    pub(crate) fn post(&self, path: &str, bearer: &str) -> RequestBuilder {
        self.request(Method::POST, path).bearer_auth(bearer)
    }

    /// Has the bot say something in a conversation.
    pub(crate) async fn say(&self, id: &str, text: &str) {
        let id: ConversationId = id.parse().expect("a conversation id");
        let mut activity = Activity::message(text);
        activity.from = Some(ChannelAccount::new("citewire", Role::Bot));
        activity.channel_id = Some("directline".to_owned());
        self.store.append(&id, Batch::new(vec![activity])).await.expect("a store").expect("a conversation");
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop();
        for thread in self.nodes.iter_mut().filter_map(|node| node.thread.take()) {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server did not end well");
        }
        if self.nodes.len() > 1 {
            let mut stores = std::mem::take(&mut self.stores);
            // A test may go on with the conversations, and only one of the nodes with them.
            if Arc::strong_count(&self.store) > 2 {
                stores.remove(0);
            }
            close(stores);
        }
    }
}

/// Sends a request and returns status and body; an empty body is null.
pub(crate) async fn answer(request: RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.expect("an answer");
    let status = response.status();
    let body = response.bytes().await.expect("a body");
    // `raw` of records once arrived as the inside of a `RawValue`, which serde_json puts right again when it reads.
    assert!(!body.windows(11).any(|bytes| bytes == b"$serde_json"), "the inside of a type of serde_json is sent");
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).expect("JSON") };
    (status, body)
}
