//! What a client does: start conversations, post to them, open sockets.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// So many calls or handshakes are under way at one time.
pub(crate) const AT_ONCE: usize = 32;

const CONVERSATIONS: &str = "/v3/directline/conversations";

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Whose sockets are opened.
#[derive(Debug)]
pub(crate) enum Server {
    Citewire(DirectLine),
    /// The address of its only socket.
    Echo(String),
}

/// A Direct Line client that holds the secret.
#[derive(Clone, Debug)]
pub(crate) struct DirectLine {
    conversations: String,
    secret: String,
    client: reqwest::Client,
}

impl DirectLine {
    #[expect(clippy::disallowed_methods, reason = "a measurement calls nobody but a server on this machine")]
    pub(crate) fn new(server: &str, secret: &str) -> Self {
        let conversations = format!("{server}{CONVERSATIONS}");
        Self { conversations, secret: secret.to_owned(), client: reqwest::Client::new() }
    }

    /// The same on connections of its own, for another runtime.
    pub(crate) fn apart(&self) -> Self {
        let server = self.conversations.trim_end_matches(CONVERSATIONS);
        Self::new(server, &self.secret)
    }

    /// Starts a conversation and returns its id.
    pub(crate) async fn start(&self) -> anyhow::Result<String> {
        let body = self.call(self.client.post(&self.conversations).json(&json!({}))).await?;
        Ok(body["conversationId"].as_str().context("a conversation id")?.to_owned())
    }

    /// Posts a message of a user.
    pub(crate) async fn post(&self, id: &str, text: &str) -> anyhow::Result<()> {
        let activity = json!({"type": "message", "from": {"id": "dl_ann"}, "text": text});
        self.call(self.client.post(format!("{}/{id}/activities", self.conversations)).json(&activity)).await?;
        Ok(())
    }

    /// The address of a stream from the beginning, good for a minute.
    pub(crate) async fn stream_url(&self, id: &str) -> anyhow::Result<String> {
        self.stream_url_after(id, "-").await
    }

    /// The same from a watermark on. It leads to this server, whatever its public address is.
    pub(crate) async fn stream_url_after(&self, id: &str, watermark: &str) -> anyhow::Result<String> {
        let body = self.call(self.client.get(format!("{}/{id}?watermark={watermark}", self.conversations))).await?;
        let url = body["streamUrl"].as_str().context("a stream URL")?;
        let (_, stream) = url.split_once(CONVERSATIONS).context("a stream of a conversation")?;
        Ok(format!("{}{stream}", self.conversations.replacen("http", "ws", 1)))
    }

    async fn call(&self, request: reqwest::RequestBuilder) -> anyhow::Result<Value> {
        let response = request.bearer_auth(&self.secret).send().await?;
        let (status, body) = (response.status(), response.text().await?);
        ensure!(status.is_success(), "answered {status}: {body}");
        Ok(serde_json::from_str(&body)?)
    }
}

/// Opens a socket that takes little memory here.
pub(crate) async fn open(url: &str) -> anyhow::Result<Socket> {
    let config = WebSocketConfig::default().read_buffer_size(2048).write_buffer_size(0);
    let (socket, _) = connect_async_with_config(url, Some(config), true).await.context("a socket is refused")?;
    Ok(socket)
}

#[expect(clippy::disallowed_methods, reason = "the tasks of this measurement end with it")]
pub(crate) fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    tokio::spawn(task)
}
