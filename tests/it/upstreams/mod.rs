mod failures;
mod given;
mod guide;
mod kinds;
pub(crate) mod model;
mod streams;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use citewire::clock::{CountingIds, ManualClock};
use citewire::convert::convert;
use citewire::dialect::Dialect;
use citewire::egress::EgressOptions;
use citewire::ingest::{AnswerFormat, Provider};
use citewire::secret_source::SecretSource;
use citewire::upstream::{
    Ask, ChatMessage, Reply, Speaker, Surroundings, Upstream, UpstreamError, UpstreamFault, UpstreamOptions,
};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::app::native;
use crate::samples::{input, json_file, to_message};

/// The keys that these tests have in their environment.
pub(crate) const KEY: &str = "sk-model-key";
pub(crate) const SEARCH_KEY: &str = "the-key-of-the-index";

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-11-22T10:00:00Z".parse().expect("a time")))
}

/// Opens a back end by the TOML of its section.
pub(crate) fn try_open(
    kind: &str,
    section: &str,
    clock: Arc<ManualClock>,
) -> Result<Arc<dyn Upstream>, Vec<UpstreamFault>> {
    let environment = BTreeMap::from([("MODEL_KEY", KEY), ("SEARCH_KEY", SEARCH_KEY)]);
    let environment = environment.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let secrets = SecretSource::of_environment(environment);
    let section = toml::from_str(section).expect("TOML");
    let options = UpstreamOptions::read(kind, section).map_err(|fault| vec![fault])?;
    let egress = EgressOptions::default();
    let surroundings = Surroundings {
        formats: citewire::ingest::Mappings::default(),
        secrets: &secrets,
        may_call_private_hosts: true,
        egress: &egress,
        clock,
        ids: Arc::new(CountingIds::default()),
    };
    options.open(&surroundings)
}

pub(crate) fn open(kind: &str, section: &str) -> Arc<dyn Upstream> {
    try_open(kind, section, clock()).expect("a back end")
}

/// A question with something said before, and instructions.
pub(crate) fn ask() -> Ask {
    let mut ask = Ask::new(vec![
        ChatMessage::new(Speaker::Assistant, "Hello!"),
        ChatMessage::new(Speaker::User, "I am new here."),
        ChatMessage::new(Speaker::Assistant, "Welcome."),
        ChatMessage::new(Speaker::User, "One thing."),
        ChatMessage::new(Speaker::User, "How long is leave?"),
    ]);
    ask.instructions = Some("Be kind.".to_owned());
    ask
}

/// The messages of [`ask`] in a chat without a system message.
pub(crate) fn messages() -> Value {
    json!([
        {"role": "user", "content": "I am new here."},
        {"role": "assistant", "content": "Welcome."},
        {"role": "user", "content": "One thing.\n\nHow long is leave?"},
    ])
}

/// The body of a sample.
pub(crate) fn sample(case: &str) -> Vec<u8> {
    input(&folder(case))
}

fn folder(case: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/answers").join(case)
}

/// The whole body of a reply, or what came of it and why it ended.
pub(crate) async fn read(reply: Reply) -> Result<Vec<u8>, (Vec<u8>, UpstreamError)> {
    let mut body = Vec::new();
    let mut pieces = native::parts(reply);
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(piece) => body.extend(native::bytes(piece)),
            Err(error) => {
                assert!(pieces.next().await.is_none(), "an error is the end");
                return Err((body, error));
            }
        }
    }
    Ok(body)
}

/// The message for Web Chat that a body is.
pub(crate) fn message(body: &[u8], from: impl Into<AnswerFormat>) -> Value {
    let mut conversion = to_message(Dialect::WebChat);
    conversion.from = from.into();
    let converted = convert(body, &conversion).expect("a message");
    serde_json::to_value(&converted.activities[0]).expect("JSON")
}

/// The message for Web Chat that a sample promises.
pub(crate) fn promised(case: &str) -> Value {
    let written = folder(case).join("activity.json");
    if written.exists() { json_file(&written) } else { message(&sample(case), None) }
}

/// Whether a body is complete, and its error.
pub(crate) fn end(body: &[u8]) -> (bool, Option<String>) {
    let answer = citewire::ingest::ingest(body, Some(Provider::Native)).expect("an answer");
    (answer.complete, answer.error.map(|error| error.to_string()))
}

/// The events of a body in citewire's own format.
pub(crate) fn events(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).expect("UTF-8");
    let data = text.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").expect("an event"));
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}
