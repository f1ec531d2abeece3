//! The chats of a service as users see them, and how streams change them.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use super::rules::{error, refusal, stream_info};

/// The service that is imitated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Microsoft Teams.
    Teams,
    /// Microsoft 365 Copilot: nothing can be replaced.
    Copilot,
    /// Web Chat and Direct Line behind Azure: nothing can be replaced, and texts of streams may change.
    WebChat,
    /// The emulator of Teams.
    Playground,
}

/// The response to a call.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Json(u16, Value),
    Html(u16, &'static str),
    /// None at all.
    Nothing,
}

/// One bubble, as a user sees it.
#[derive(Clone, Debug)]
pub(crate) struct Bubble {
    pub(crate) id: String,
    /// The activity that was sent last.
    pub(crate) activity: Value,
    /// Whether more is to come: its cursor blinks.
    pub(crate) growing: bool,
    pub(crate) begun: DateTime<Utc>,
    /// The number of the newest update.
    sequence: u64,
    /// The text of the answer so far.
    shown: String,
    stopped: bool,
    out_of_time: bool,
}

impl Bubble {
    pub(crate) fn text(&self) -> &str {
        self.activity["text"].as_str().unwrap_or_default()
    }

    /// The claims of its Message entity.
    pub(crate) fn claims(&self) -> Vec<Value> {
        let entities = self.activity["entities"].as_array().cloned().unwrap_or_default();
        let thing = entities.into_iter().find(|entity| entity["type"] == "https://schema.org/Message");
        thing.and_then(|thing| thing["citation"].as_array().cloned()).unwrap_or_default()
    }
}

/// All conversations of a service.
pub(super) struct Chats {
    flavour: Flavour,
    chats: BTreeMap<String, Vec<Bubble>>,
    /// Conversations in which the emulator has refused a stream: it never answers a stream there again.
    sulking: Vec<String>,
    pub(super) faults: Vec<String>,
    ids: usize,
}

fn not_allowed(message: &str) -> Answer {
    error(403, "ContentStreamNotAllowed", message)
}

/// The parts of a path behind `/v3/conversations/`, as they were meant.
fn parts(path: &str) -> Vec<String> {
    let behind = path.split_once("/v3/conversations/").map_or("", |(_, behind)| behind);
    let decoded = |part: &str| {
        let mut bytes = part.bytes();
        let mut out = Vec::new();
        while let Some(byte) = bytes.next() {
            let hex: Option<Vec<u8>> = (byte == b'%').then(|| bytes.by_ref().take(2).collect());
            out.push(hex.map_or(byte, |hex| {
                u8::from_str_radix(&String::from_utf8(hex).expect("ASCII"), 16).expect("two digits")
            }));
        }
        String::from_utf8(out).expect("UTF-8")
    };
    behind.split('/').map(decoded).collect()
}

impl Chats {
    pub(super) fn new(flavour: Flavour) -> Self {
        Self { flavour, chats: BTreeMap::new(), sulking: Vec::new(), faults: Vec::new(), ids: 0 }
    }

    pub(super) fn of(&self, conversation: &str) -> Vec<Bubble> {
        self.chats.get(conversation).cloned().unwrap_or_default()
    }

    pub(super) fn stop(&mut self, conversation: &str) {
        for bubble in self.chats.entry(conversation.to_owned()).or_default() {
            bubble.stopped |= bubble.growing;
            bubble.growing = false;
        }
    }

    fn fault(&mut self, what: &str) {
        self.faults.push(what.to_owned());
    }

    fn id(&mut self) -> String {
        self.ids += 1;
        format!("17{:011}|{}", self.ids, self.ids)
    }

    /// Takes a call, `POST /…`.
    pub(super) fn take(&mut self, call: &str, activity: &Value, now: DateTime<Utc>) -> Answer {
        let (method, path) = call.split_once(' ').expect("a method");
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let parts = parts(path);
        if let Some(query) = query {
            self.targeted(query, activity);
        }
        let (Some(conversation), Some("activities")) = (parts.first().cloned(), parts.get(1).map(String::as_str))
        else {
            return error(404, "NotFound", "no such route");
        };
        if activity["conversation"]["id"] != conversation.as_str() {
            self.fault("the conversation of the activity is not that of the path");
        }
        match (method, parts.get(2)) {
            ("POST", _) => self.post(&conversation, activity, now),
            ("PUT", Some(id)) => self.put(&conversation, id, activity, now),
            _ => error(405, "MethodNotAllowed", "not allowed"),
        }
    }

    /// Judges a message that only its recipient sees.
    fn targeted(&mut self, query: &str, activity: &Value) {
        if query != "isTargetedActivity=true" {
            self.fault("a query that the service does not know");
        }
        if activity["conversation"]["conversationType"] == "personal" {
            self.fault("a targeted message in a chat of two");
        }
        if !activity["recipient"]["id"].is_string() || activity["replyToId"].is_string() {
            self.fault("a targeted message has a recipient and answers nothing");
        }
    }

    fn post(&mut self, conversation: &str, activity: &Value, now: DateTime<Utc>) -> Answer {
        if let Some(info) = stream_info(activity) {
            return self.stream(conversation, activity, info, now);
        }
        if let Some(refused) = refusal(activity, self.flavour) {
            return refused;
        }
        if activity["type"] == "typing" {
            return Answer::Json(202, json!({}));
        }
        if activity["channelData"]["streamType"].is_string() {
            self.fault("channelData of a stream without its entity");
        }
        if self.chats.get(conversation).is_some_and(|chat| chat.iter().any(|bubble| bubble.growing)) && self.is_teams()
        {
            // The service takes it, but its user is left with a cursor that blinks.
            self.faults.push("a message beside a stream that has not ended".to_owned());
        }
        let id = self.id();
        self.show(conversation, &id, activity, false, now);
        Answer::Json(201, json!({"id": id}))
    }

    fn is_teams(&self) -> bool {
        matches!(self.flavour, Flavour::Teams | Flavour::Copilot)
    }

    fn show(&mut self, conversation: &str, id: &str, activity: &Value, growing: bool, now: DateTime<Utc>) {
        self.chats.entry(conversation.to_owned()).or_default().push(Bubble {
            id: id.to_owned(),
            activity: activity.clone(),
            growing,
            begun: now,
            sequence: 1,
            shown: String::new(),
            stopped: false,
            out_of_time: false,
        });
    }

    fn put(&mut self, conversation: &str, id: &str, activity: &Value, now: DateTime<Utc>) -> Answer {
        if matches!(self.flavour, Flavour::Copilot | Flavour::WebChat) {
            return error(405, "MethodNotAllowed", "The operation is not supported by the channel");
        }
        if let Some(refused) = refusal(activity, self.flavour) {
            return refused;
        }
        if stream_info(activity).is_some() {
            self.fault("an update of a message that is a stream");
        }
        let chat = self.chats.entry(conversation.to_owned()).or_default();
        let Some(bubble) = chat.iter_mut().find(|bubble| bubble.id == id) else {
            return error(404, "ActivityNotFoundInConversation", "Message does not exist in the thread.");
        };
        (bubble.activity, bubble.growing, bubble.begun) = (activity.clone(), false, bubble.begun.min(now));
        Answer::Json(200, json!({"id": id}))
    }

    fn stream(&mut self, conversation: &str, activity: &Value, info: &Value, now: DateTime<Utc>) -> Answer {
        let data = &activity["channelData"];
        if ["streamType", "streamSequence", "streamId"].iter().any(|member| data[*member] != info[*member]) {
            self.fault("entity and channelData of a stream differ");
        }
        let personal = activity["conversation"]["conversationType"] == "personal";
        if self.sulking.iter().any(|sulking| sulking == conversation) {
            return Answer::Nothing;
        }
        match self.flavour {
            Flavour::Playground if !personal => {
                self.sulking.push(conversation.to_owned());
                let words = " Streaming API is not enabled for non personal scope or non copilot conversations.";
                return Answer::Json(405, json!({"code": "BadArgument", "message": words}));
            }
            Flavour::Teams | Flavour::Copilot if !personal => {
                return error(400, "BadArgument", "Bad Argument: streaming api is not enabled");
            }
            Flavour::Teams | Flavour::Copilot | Flavour::WebChat | Flavour::Playground => {}
        }
        let text = activity["text"].as_str().unwrap_or_default();
        if text.trim().is_empty() {
            return error(400, "BadRequest", "Start streaming activities should include text");
        }
        if info["streamType"] == "final" && info.get("streamSequence").is_some() {
            self.fault("a final with a sequence");
        }
        if (info["streamType"] == "final") != (activity["type"] == "message") {
            self.fault("a final is a message, and everything before it is typing");
        }
        let cites = activity["entities"].to_string().contains("\"citation\"");
        if self.is_teams() && info["streamType"] != "final" && cites {
            self.fault("an update with claims");
        }
        let Some(id) = info["streamId"].as_str() else {
            return self.begin(conversation, activity, info, now);
        };
        if activity["id"] != id {
            self.fault("an activity of a stream without the id of the stream");
        }
        self.go_on(conversation, id, activity, info, now)
    }

    fn begin(&mut self, conversation: &str, activity: &Value, info: &Value, now: DateTime<Utc>) -> Answer {
        if info["streamSequence"] != 1 {
            return error(500, "ActivityNotFoundInConversation", "Message does not exist in the thread.");
        }
        let chat = self.chats.get(conversation);
        if self.is_teams() && chat.is_some_and(|chat| chat.iter().any(|bubble| bubble.growing)) {
            self.fault("two streams at once");
        }
        if let Some(refused) = refusal(activity, self.flavour) {
            return refused;
        }
        let id = self.id();
        self.show(conversation, &id, activity, info["streamType"] != "final", now);
        Answer::Json(201, json!({"id": id}))
    }

    fn go_on(&mut self, conversation: &str, id: &str, activity: &Value, info: &Value, now: DateTime<Utc>) -> Answer {
        let (flavour, is_teams) = (self.flavour, self.is_teams());
        let chat = self.chats.entry(conversation.to_owned()).or_default();
        let Some(bubble) = chat.iter_mut().find(|bubble| bubble.id == id) else {
            return error(500, "ActivityNotFoundInConversation", "Message does not exist in the thread.");
        };
        if is_teams {
            if bubble.stopped {
                return not_allowed("Content stream was cancelled by user.");
            }
            if bubble.out_of_time || (bubble.growing && now - bubble.begun > Duration::minutes(2)) {
                (bubble.growing, bubble.out_of_time) = (false, true);
                return not_allowed("Content stream finished due to exceeded streaming time.");
            }
            if !bubble.growing {
                return not_allowed("Content stream is not allowed on an already completed streamed message");
            }
            let text = activity["text"].as_str().unwrap_or_default();
            if !text.contains(&bubble.shown) {
                return not_allowed("Request streamed content should contain the previously streamed content");
            }
            if info["streamType"] == "informative" && !bubble.shown.is_empty() {
                return error(400, "BadRequest", "informative updates cannot follow streamed text");
            }
        }
        if let Some(refused) = refusal(activity, flavour) {
            return refused;
        }
        let has_card = activity["entities"].to_string().contains("encodingFormat");
        if info["streamType"] == "final" {
            if is_teams && has_card {
                return error(500, "ServiceError", "Internal server error");
            }
            (bubble.activity, bubble.growing) = (activity.clone(), false);
            return Answer::Json(202, json!({}));
        }
        let sequence = info["streamSequence"].as_u64().unwrap_or_default();
        if sequence <= bubble.sequence && is_teams {
            let words = "the sequence is behind one that has arrived";
            return error(202, "ContentStreamSequenceOrderPreConditionFailed", words);
        }
        let gap = sequence != bubble.sequence + 1;
        bubble.sequence = sequence;
        if info["streamType"] == "streaming" {
            activity["text"].as_str().unwrap_or_default().clone_into(&mut bubble.shown);
        }
        bubble.activity = activity.clone();
        if gap {
            self.fault("a number of the stream is missing");
        }
        Answer::Json(202, json!({}))
    }
}
