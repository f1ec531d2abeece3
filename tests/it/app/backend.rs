use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry, Assistants};
use citewire::upstream::{Ask, Reply, Upstream, UpstreamError};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::timeout;

/// The longest wait for a question that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A back end whose answers a test writes, word by word.
#[derive(Debug)]
pub(crate) struct Backend {
    questions: Mutex<mpsc::UnboundedReceiver<Asked>>,
    tell: mpsc::UnboundedSender<Asked>,
}

/// A question that has arrived at the back end.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) ask: Ask,
    reply: oneshot::Sender<Result<Reply, UpstreamError>>,
}

/// An answer on its way. Its end is when it is dropped.
pub(crate) struct Body(mpsc::UnboundedSender<Result<Bytes, UpstreamError>>);

impl Backend {
    pub(crate) fn new() -> Arc<Self> {
        let (tell, questions) = mpsc::unbounded_channel();
        Arc::new(Self { questions: Mutex::new(questions), tell })
    }

    /// The next question.
    pub(crate) async fn asked(&self) -> Asked {
        timeout(PATIENCE, self.questions.lock().await.recv()).await.expect("a question in time").expect("a question")
    }

    /// Whether no question has arrived that was not looked at.
    pub(crate) async fn is_idle(&self) -> bool {
        self.questions.lock().await.try_recv().is_err()
    }

    /// An assistant with this back end.
    pub(crate) fn assistant(self: &Arc<Self>, name: &str, change: impl FnOnce(&mut AssistantOptions)) -> Assistant {
        let mut options = AssistantOptions::default();
        change(&mut options);
        Assistant::new(name, options, Arc::clone(self) as Arc<dyn Upstream>, Arc::default())
    }

    /// The assistants of a server with this one alone, which answers on the channel itself.
    pub(crate) fn alone(assistant: Assistant) -> Arc<Assistants> {
        let name = assistant.name().to_owned();
        Arc::new(Assistants::new(AssistantRegistry::new([assistant], Some(name))))
    }
}

#[async_trait]
impl Upstream for Backend {
    async fn ask(&self, ask: Ask) -> Result<Reply, UpstreamError> {
        let (reply, replied) = oneshot::channel();
        // A test may be over before its questions are.
        drop(self.tell.send(Asked { ask, reply }));
        match replied.await {
            Ok(reply) => reply,
            Err(_) => std::future::pending().await,
        }
    }

    fn retrieves(&self) -> bool {
        true
    }
}

impl Asked {
    /// The turns of the question, as `user: text`.
    pub(crate) fn turns(&self) -> Vec<String> {
        self.ask.turns.iter().map(|turn| format!("{:?}: {}", turn.speaker, turn.text).to_lowercase()).collect()
    }

    /// Begins to answer, in citewire's own format.
    pub(crate) fn begin(self) -> Body {
        let (write, read) = mpsc::unbounded_channel();
        let body = tokio_stream(read);
        // The asking side may be gone.
        drop(self.reply.send(Ok(Reply::new(Some(citewire::ingest::Provider::Native), body))));
        Body(write)
    }

    /// Does not answer.
    pub(crate) fn fail(self, error: UpstreamError) {
        drop(self.reply.send(Err(error)));
    }
}

fn tokio_stream(
    read: mpsc::UnboundedReceiver<Result<Bytes, UpstreamError>>,
) -> futures_util::stream::BoxStream<'static, Result<Bytes, UpstreamError>> {
    futures_util::stream::unfold(read, |mut read| async move { Some((read.recv().await?, read)) }).boxed()
}

impl Body {
    /// The next event of the stream.
    pub(crate) fn event(&self, event: &Value) {
        // The asking side may be gone.
        drop(self.0.send(Ok(Bytes::from(format!("data: {event}\n\n")))));
    }

    /// The sign that the answer is whole, and the end.
    pub(crate) fn done(self) {
        self.event(&serde_json::json!({"done": true}));
    }

    /// The connection breaks.
    pub(crate) fn break_off(self, error: UpstreamError) {
        drop(self.0.send(Err(error)));
    }

    /// Whether the asking side has gone.
    pub(crate) async fn abandoned(&self) {
        timeout(PATIENCE, self.0.closed()).await.expect("the answer is given up in time");
    }
}
