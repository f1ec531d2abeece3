//! A Bot Connector of the test's own, on a free port: it keeps to the rules of the service, says what the service says, fails
//! when it is told to, and keeps what users see.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use citewire::clock::{Clock, ManualClock};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use super::chat::{Answer, Bubble, Chats, Flavour};
use crate::app::{Request, respond};

/// The longest wait for a call that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a call goes wrong.
#[derive(Clone, Debug)]
pub(crate) enum Mishap {
    /// Answers with a status and JSON.
    Json(u16, Value),
    /// Answers with a status, one more header, and text.
    With(u16, &'static str, String, String),
    /// Closes the connection.
    Close,
    /// Never answers.
    Silence,
    /// Begins an answer and never ends it.
    Half,
}

impl Mishap {
    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        Self::Json(status, json!({"error": {"code": code, "message": message}}))
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::error(status, "ServiceError", "scripted")
    }
}

/// A call that was made to the Connector.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path, as it was written.
    pub(crate) call: String,
    pub(crate) bearer: Option<String>,
    pub(crate) body: Value,
}

/// The mishap of the n-th call to the Connector, and whether the call is taken before that.
type Plan = dyn Fn(usize, &Seen) -> Option<(Mishap, bool)> + Send;

/// The state behind the port.
struct Inner {
    chats: Chats,
    seen: Vec<Seen>,
    plan: Box<Plan>,
    /// The bodies of the calls for tokens.
    asked: Vec<String>,
    /// The mishap of the n-th call for a token.
    token_plan: Box<dyn Fn(usize) -> Option<Mishap> + Send>,
    /// The number of tokens that were issued; the newest one is valid.
    tokens: usize,
    /// Whether calls need a token.
    guarded: bool,
    expires_in: Value,
}

/// A local Connector. It ends when the value is dropped.
pub(crate) struct Service {
    /// The address without a path.
    origin: String,
    inner: Arc<Mutex<Inner>>,
    calls: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

impl Service {
    /// A service of this kind, whose clock is the test's.
    pub(crate) async fn start(flavour: Flavour, clock: Arc<ManualClock>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let inner = Arc::new(Mutex::new(Inner {
            chats: Chats::new(flavour),
            seen: Vec::new(),
            plan: Box::new(|_, _| None),
            asked: Vec::new(),
            token_plan: Box::new(|_| None),
            tokens: 0,
            guarded: false,
            expires_in: json!(3600),
        }));
        let (tell, calls) = watch::channel(0);
        let mut tasks = JoinSet::new();
        let shared = Arc::clone(&inner);
        tasks.spawn(async move {
            let tell = Arc::new(tell);
            let mut serving = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                serving.spawn(serve(stream, Arc::clone(&shared), Arc::clone(&clock), Arc::clone(&tell)));
            }
        });
        Self { origin, inner, calls, _tasks: tasks }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("a lock")
    }

    /// The `serviceUrl` of its conversations.
    pub(crate) fn url(&self) -> String {
        format!("{}/emea/", self.origin)
    }

    /// The login service: tokens are asked for below it.
    pub(crate) fn login(&self) -> String {
        self.origin.clone()
    }

    /// The address at which bots of many tenants get tokens.
    pub(crate) fn token_url(&self) -> Url {
        format!("{}/botframework.com/oauth2/v2.0/token", self.origin).parse().expect("an address")
    }

    /// From now on calls need the newest token.
    pub(crate) fn guard(&self) {
        self.inner().guarded = true;
    }

    /// Sets the lifetime of tokens.
    pub(crate) fn expire_in(&self, seconds: Value) {
        self.inner().expires_in = seconds;
    }

    /// The tokens that were given open nothing any more.
    pub(crate) fn revoke(&self) {
        self.inner().tokens += 1;
    }

    /// Sets the mishap of the n-th call to the Connector, counted from 0, and whether the call is taken before that.
    pub(crate) fn plan(&self, plan: impl Fn(usize, &Seen) -> Option<(Mishap, bool)> + Send + 'static) {
        self.inner().plan = Box::new(plan);
    }

    /// The first calls go wrong like this, and nothing of them is taken.
    pub(crate) fn fail_first(&self, mishaps: Vec<Mishap>) {
        self.plan(move |n, _| mishaps.get(n).map(|mishap| (mishap.clone(), false)));
    }

    /// Sets the mishap of the n-th call for a token.
    pub(crate) fn plan_tokens(&self, plan: impl Fn(usize) -> Option<Mishap> + Send + 'static) {
        self.inner().token_plan = Box::new(plan);
    }

    /// A user presses the stop button.
    pub(crate) fn stop(&self, conversation: &str) {
        self.inner().chats.stop(conversation);
    }

    /// The messages of a conversation, as its users see it.
    pub(crate) fn chat(&self, conversation: &str) -> Vec<Bubble> {
        self.inner().chats.of(conversation)
    }

    /// The faults against the contract that were not refused.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.inner().chats.faults.clone()
    }

    /// The calls to the Connector.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.inner().seen.clone()
    }

    /// The bodies of the calls for tokens.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.inner().asked.clone()
    }

    /// Waits until this many bubbles of a conversation have ended, and none is growing. A streamed answer may have had updates
    /// before its message or none, by how its body arrived, so the number of calls does not tell.
    pub(crate) async fn ended(&self, conversation: &str, count: usize) {
        let mut calls = self.calls.clone();
        let have_ended = |_: &usize| {
            let chat = self.chat(conversation);
            chat.len() >= count && chat.iter().all(|bubble| !bubble.growing)
        };
        let enough = timeout(PATIENCE, calls.wait_for(have_ended)).await;
        enough.expect("the answers end in time").expect("the service lives");
    }

    /// Waits until this many calls have come to the Connector.
    pub(crate) async fn called(&self, count: usize) {
        let mut calls = self.calls.clone();
        let enough = timeout(PATIENCE, calls.wait_for(|calls| *calls >= count)).await;
        enough.expect("the calls come in time").expect("the service lives");
    }
}

async fn serve(
    mut stream: TcpStream,
    inner: Arc<Mutex<Inner>>,
    clock: Arc<ManualClock>,
    tell: Arc<watch::Sender<usize>>,
) {
    let Some(request) = Request::read(&mut stream).await else { return };
    let mishap = {
        let mut inner = inner.lock().expect("a lock");
        if request.path.ends_with("/oauth2/v2.0/token") { inner.token(&request) } else { inner.call(&request, &*clock) }
    };
    tell.send_modify(|calls| *calls = inner.lock().expect("a lock").seen.len());
    play(&mut stream, mishap).await;
}

impl Inner {
    fn token(&mut self, request: &Request) -> Mishap {
        let n = self.asked.len();
        self.asked.push(format!("{} {}", request.path, String::from_utf8_lossy(&request.body)));
        if let Some(mishap) = (self.token_plan)(n) {
            return mishap;
        }
        self.tokens += 1;
        let token = format!("token-{}", self.tokens);
        Mishap::Json(
            200,
            json!({"token_type": "Bearer", "expires_in": self.expires_in, "ext_expires_in": 1, "access_token": token}),
        )
    }

    fn call(&mut self, request: &Request, clock: &dyn Clock) -> Mishap {
        let call = format!("{} {}", request.method, request.path);
        let seen = Seen { call, bearer: request.bearer().map(str::to_owned), body: request.json() };
        let n = self.seen.len();
        self.seen.push(seen.clone());
        let planned = (self.plan)(n, &seen);
        if let Some((mishap, false)) = planned {
            return mishap;
        }
        let newest = format!("token-{}", self.tokens);
        if self.guarded && request.bearer() != Some(newest.as_str()) {
            return Mishap::error(401, "Unauthorized", "Authorization has been denied for this request.");
        }
        let answer = self.chats.take(&seen.call, &seen.body, clock.now());
        match (planned, answer) {
            (Some((mishap, _)), _) => mishap,
            (None, Answer::Json(status, body)) => Mishap::Json(status, body),
            (None, Answer::Html(status, page)) => {
                Mishap::With(status, "content-type", "text/html".to_owned(), page.to_owned())
            }
            (None, Answer::Nothing) => Mishap::Silence,
        }
    }
}

/// Does what the call gets. The caller may be gone, which is no fault.
async fn play(stream: &mut TcpStream, mishap: Mishap) {
    let (status, header, body) = match mishap {
        Mishap::Json(status, Value::Null) => (status, "x-nothing: 1".to_owned(), String::new()),
        Mishap::Json(status, body) => (status, "content-type: application/json".to_owned(), body.to_string()),
        Mishap::With(status, name, value, body) => (status, format!("{name}: {value}"), body),
        Mishap::Close => return,
        Mishap::Silence => return std::future::pending().await,
        Mishap::Half => {
            stream.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{\"id\"").await.ok();
            return std::future::pending().await;
        }
    };
    respond(stream, status, &header, &body).await;
}
