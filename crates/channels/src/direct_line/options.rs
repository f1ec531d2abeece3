//! The options of the embedded channel.

use std::time::Duration;

/// The options of the embedded Direct Line channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectLineOptions {
    /// How long a token is good for, in seconds. directlinejs refreshes every 15 minutes without looking at
    /// `expires_in`, so less than 900 breaks it.
    pub token_seconds: u32,
    /// How long a stream URL may be used, in seconds.
    pub stream_seconds: u32,
    /// The size of an activity that a client may post, in bytes.
    pub max_activity_bytes: usize,
    /// The size of an upload, all files together, in bytes.
    pub max_upload_bytes: usize,
    /// Uploads of the largest size for which there is room in memory at one time, and as many again of holders of keys and secrets.
    /// Others wait for a while.
    pub max_uploads: usize,
    /// Questions that are answered at one time, in all conversations together; others wait for a while.
    pub max_turns: usize,
    /// The longest question that goes to an assistant, in bytes.
    pub max_question_bytes: usize,
    /// The longest answer, in bytes of its text; the rest of a longer one is left out.
    pub max_answer_bytes: usize,
    /// How long an answer of an assistant may take in all, from the question to its last word.
    pub answer_within: Duration,
    /// How many activities one `GET …/activities` returns at most.
    pub page_size: usize,
    /// Sockets on one conversation; the newest beyond is refused at the handshake. directlinejs opens several on one
    /// URL after a 403, and evicting older ones makes it open ever more.
    pub max_sockets_per_conversation: usize,
    /// Typing indicators and the like that wait for one socket; beyond, the oldest are dropped.
    pub max_ephemeral: usize,
    /// An empty frame goes out after so long a silence, and the store is asked again, should a notification have been lost.
    pub keep_alive: Duration,
    /// A reader that takes no frame for so long is dropped; it comes back with its watermark.
    pub write_timeout: Duration,
    /// Whether ids of users must begin with `dl_`, as with enhanced authentication of Azure.
    pub require_dl_ids: bool,
    /// The id under which answers appear.
    pub bot_id: String,
    /// The name under which answers appear.
    pub bot_name: String,
}

impl Default for DirectLineOptions {
    fn default() -> Self {
        Self {
            token_seconds: 1800,
            stream_seconds: 60,
            max_activity_bytes: 256 * 1024,
            max_upload_bytes: 16 * 1024 * 1024,
            max_uploads: 8,
            max_turns: 64,
            max_question_bytes: 8 * 1024,
            max_answer_bytes: 1024 * 1024,
            answer_within: Duration::from_secs(110),
            page_size: 1000,
            max_sockets_per_conversation: 8,
            max_ephemeral: 64,
            keep_alive: Duration::from_secs(15),
            write_timeout: Duration::from_secs(10),
            require_dl_ids: false,
            bot_id: "citewire".to_owned(),
            bot_name: "citewire".to_owned(),
        }
    }
}
