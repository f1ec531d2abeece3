use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{DIRECT_LINE_SECRET, Socket, TestApp, answer};

/// A conversation as its client sees it.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) stream_url: String,
}

impl Conversation {
    pub(crate) fn of(body: &Value) -> Self {
        let text = |name: &str| body[name].as_str().unwrap_or_else(|| panic!("{name} in {body}")).to_owned();
        Self { id: text("conversationId"), token: text("token"), stream_url: text("streamUrl") }
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v3/directline/conversations/{}{rest}", self.id)
    }
}

impl TestApp {
    /// A token that the secret was used for; starts nothing.
    pub(crate) async fn generate(&self, parameters: Value) -> Value {
        let request = self.post("/v3/directline/tokens/generate", DIRECT_LINE_SECRET).json(&parameters);
        let (status, body) = answer(request).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body
    }

    /// Starts the conversation of a token, or another one for the secret.
    pub(crate) async fn start_as(&self, bearer: &str, parameters: Value) -> (StatusCode, Value) {
        answer(self.post("/v3/directline/conversations", bearer).json(&parameters)).await
    }

    /// A conversation of the user `dl_ann`.
    pub(crate) async fn conversation(&self) -> Conversation {
        let grant = self.generate(json!({"user": {"id": "dl_ann"}})).await;
        let (status, body) = self.start_as(grant["token"].as_str().expect("a token"), json!({})).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        Conversation::of(&body)
    }

    /// A conversation whose token names no user.
    pub(crate) async fn conversation_of_nobody(&self) -> Conversation {
        let (status, body) = self.start_as(DIRECT_LINE_SECRET, json!({})).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        Conversation::of(&body)
    }

    /// Posts an activity and returns its id.
    pub(crate) async fn post_activity(&self, conversation: &Conversation, activity: &Value) -> String {
        let (status, body) = self.try_post(conversation, activity).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body["id"].as_str().expect("an id").to_owned()
    }

    pub(crate) async fn try_post(&self, conversation: &Conversation, activity: &Value) -> (StatusCode, Value) {
        answer(self.post(&conversation.path("/activities"), &conversation.token).json(activity)).await
    }

    /// Posts a message with this text and returns its id.
    pub(crate) async fn post_text(&self, conversation: &Conversation, text: &str) -> String {
        self.post_activity(conversation, &json!({"type": "message", "text": text, "from": {"id": "dl_ann"}})).await
    }

    /// `GET …/activities`; `query` comes after the path as it is.
    pub(crate) async fn history(&self, conversation: &Conversation, query: &str) -> Value {
        let path = conversation.path(&format!("/activities{query}"));
        let (status, body) = answer(self.get(&path, &conversation.token)).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body
    }

    /// `GET …/conversations/{id}`: a new token and stream.
    pub(crate) async fn reconnect(&self, conversation: &Conversation, query: &str) -> Conversation {
        let (status, body) = answer(self.get(&conversation.path(query), &conversation.token)).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        Conversation::of(&body)
    }

    pub(crate) async fn open(&self, conversation: &Conversation) -> Socket {
        Socket::open(&conversation.stream_url).await
    }
}

/// The texts of an ActivitySet.
pub(crate) fn texts(set: &Value) -> Vec<String> {
    let activities = set["activities"].as_array().expect("activities");
    activities.iter().map(|activity| activity["text"].as_str().unwrap_or_default().to_owned()).collect()
}
