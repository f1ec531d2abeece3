use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::{Bytes, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use citewire::channels::direct_line::bot::{BotBinding, BotOptions};
use citewire::secret::Secret;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

pub(crate) const BOT_SECRET: &str = "the-bot-secret-of-the-tests";

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// The reaction of the bot to one activity.
pub(crate) enum Reaction {
    /// Answers with a status and nothing else.
    Status(u16),
    /// Answers with JSON.
    Json(Value),
    /// Answers with text.
    Text(&'static str),
    /// Never answers.
    Silence,
}

/// A request that the bot was sent.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedActivity {
    pub(crate) activity: Value,
    pub(crate) authorization: Option<String>,
}

/// The script of the bot, and the requests that it was sent.
type Behaviour = (Arc<Script>, Arc<watch::Sender<Vec<ReceivedActivity>>>);

type Script = dyn Fn(&Value) -> Reaction + Send + Sync;

/// A bot that does with each activity what its script says. It ends when the value is dropped.
pub(crate) struct Bot {
    endpoint: String,
    told: watch::Receiver<Vec<ReceivedActivity>>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Bot {
    /// A bot that takes everything and says nothing.
    pub(crate) fn quiet() -> Self {
        Self::acting(|_| Reaction::Status(202))
    }

    pub(crate) fn acting(script: impl Fn(&Value) -> Reaction + Send + Sync + 'static) -> Self {
        Self::listening(TcpListener::bind("127.0.0.1:0").expect("a port"), script)
    }

    /// A bot at a port that is there already.
    pub(crate) fn listening(
        listener: TcpListener,
        script: impl Fn(&Value) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        let script: Arc<Script> = Arc::new(script);
        let (tell, told) = watch::channel(Vec::new());
        let tell = Arc::new(tell);
        let app = move || {
            let messages = web::resource("/api/messages").route(web::post().to(react));
            App::new().app_data(Data::new((Arc::clone(&script), Arc::clone(&tell)))).service(messages)
        };
        let (send, receive) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).expect("a port");
                let address = server.addrs()[0];
                let server = server.run();
                send.send((address, server.handle())).expect("the test waits");
                server.await.expect("the bot ends well");
            });
        });
        let (address, handle) = receive.recv().expect("the bot starts");
        Self { endpoint: format!("http://{address}/api/messages"), told, handle, thread: Some(thread) }
    }

    pub(crate) fn binding(&self) -> BotBinding {
        binding(&self.endpoint)
    }

    /// The requests that the bot was sent, as soon as there are `count`.
    pub(crate) async fn told(&self, count: usize) -> Vec<ReceivedActivity> {
        let mut told = self.told.clone();
        let enough = timeout(PATIENCE, told.wait_for(|told| told.len() >= count)).await;
        let told = enough.expect("the bot is told in time").expect("the bot lives").clone();
        assert_eq!(told.len(), count, "{told:?}");
        told
    }

    /// The activities of that.
    pub(crate) async fn activities(&self, count: usize) -> Vec<Value> {
        self.told(count).await.into_iter().map(|told| told.activity).collect()
    }
}

/// A bot at this address.
pub(crate) fn binding(endpoint: &str) -> BotBinding {
    BotBinding {
        endpoint: endpoint.parse().expect("an address"),
        secret: Secret::parse(BOT_SECRET).expect("a secret"),
        options: BotOptions::default(),
    }
}

async fn react(request: HttpRequest, body: Bytes, bot: Data<Behaviour>) -> HttpResponse {
    let activity: Value = serde_json::from_slice(&body).expect("JSON");
    let reaction = (bot.0)(&activity);
    let authorization = request.headers().get("authorization");
    let authorization = authorization.map(|header| header.to_str().expect("text").to_owned());
    bot.1.send_modify(|told| told.push(ReceivedActivity { activity, authorization }));
    match reaction {
        Reaction::Status(status) => HttpResponse::build(status.try_into().expect("a status")).finish(),
        Reaction::Json(body) => HttpResponse::Ok().json(body),
        Reaction::Text(body) => HttpResponse::Ok().body(body),
        Reaction::Silence => std::future::pending().await,
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // The command to stop is on its way once this returns; waiting for it would wait for answers that never come.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the bot did not end well");
        }
    }
}
