use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// The longest wait for an event that must come. Tests never wait for one that must not come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client's end of a stream.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) async fn open(url: &str) -> Self {
        Self::try_open(url).await.expect("the handshake succeeds")
    }

    /// The status with which the handshake is refused, if it is.
    pub(crate) async fn try_open(url: &str) -> Result<Self, u16> {
        match connect_async(url).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// The next message that is not a ping or pong.
    pub(crate) async fn message(&mut self) -> Option<Message> {
        timeout(PATIENCE, self.next_message()).await.expect("a message in time")
    }

    async fn next_message(&mut self) -> Option<Message> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(message)) => return Some(message),
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// The next frame that is not empty: an ActivitySet. Neither pings nor empty frames prolong the wait.
    pub(crate) async fn set(&mut self) -> Value {
        let set = async {
            loop {
                match self.next_message().await {
                    Some(Message::Text(text)) if text.is_empty() => {}
                    Some(Message::Text(text)) => return text,
                    other => panic!("a text frame was expected, not {other:?}"),
                }
            }
        };
        let text = timeout(PATIENCE, set).await.expect("an activity in time");
        let set: Value = serde_json::from_str(&text).expect("JSON");
        let activities = set["activities"].as_array().expect("activities");
        assert_eq!(activities.len(), 1, "one activity a frame: {set}");
        set
    }

    /// The next activity.
    pub(crate) async fn activity(&mut self) -> Value {
        self.set().await["activities"][0].take()
    }

    /// The texts of the next activities.
    pub(crate) async fn texts(&mut self, count: usize) -> Vec<String> {
        let mut texts = Vec::new();
        for _ in 0..count {
            texts.push(self.activity().await["text"].as_str().unwrap_or_default().to_owned());
        }
        texts
    }

    /// The code with which the server closes.
    pub(crate) async fn close_code(&mut self) -> Option<CloseCode> {
        loop {
            match self.message().await {
                Some(Message::Close(frame)) => return frame.map(|frame| frame.code),
                Some(_) => {}
                None => return None,
            }
        }
    }

    pub(crate) async fn send(&mut self, message: Message) {
        self.0.send(message).await.expect("sent");
    }

    pub(crate) async fn ping(&mut self) {
        self.send(Message::Ping(Vec::new().into())).await;
        loop {
            match timeout(PATIENCE, self.0.next()).await.expect("a pong in time") {
                Some(Ok(Message::Pong(_))) => return,
                Some(Ok(_)) => {}
                other => panic!("a pong was expected, not {other:?}"),
            }
        }
    }
}
