//! `POST /v1/activities`: converts an answer into activities.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;

use super::empty_search::log_empty_search;
use super::envelope::AnswerRequest;
use super::query::Query;
use super::{ApiError, State, body};
use crate::answer::{Addresses, LabelCatalog};
use crate::calls::{ActivitiesAnswer, CallError, Request};
use crate::channels::azure_bot::WrittenFor;
use crate::channels::{count_converted, log_report, stopwatch};
use crate::convert::{ConvertError, Converted, EarlierAnswers, convert};
use crate::metrics::{Conversion, Metrics};

/// Bodies from this size on are converted on a thread of their own, so that one large answer does not keep a worker
/// from all its other requests.
pub(crate) const LARGE_BYTES: usize = 32 * 1024;

/// Convert an answer into activities.
///
/// The body can be a stream as the provider sent it: server-sent events, or one JSON object per line. The response then lists
/// the streaming updates before the message.
#[utoipa::path(
    post, path = "/v1/activities", tag = "answers", operation_id = "convertAnswer",
    params(
        ("from" = Option<String>, Query, description = "The format of a raw body; detected when absent"),
        ("channel" = Option<String>, Query, description = "The dialect or channel id for a raw body; else web-chat"),
        ("to" = Option<String>, Query, description = "Another name of `channel`, as on the command line"),
        ("report" = Option<bool>, Query, description = "`false` leaves out the report, which metrics and the log still have"),
    ),
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 200, description = "The activities; the last one is the message", body = ActivitiesAnswer),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 422, description = "The answer lacks the grounding or the support that the options ask for"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn convert_answer(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let wants_report = Query::of(&request).switch("report", true)?;
    let body = read(&state, &request, payload).await?;
    // The readers of these activities are unknown, so addresses are those for anybody.
    let addresses = state.assistants.addresses_for_anybody();
    let readers = Readers { addresses, ..Readers::default() };
    let converted = convert_body(&state, &request, body, Updates::Wanted, readers).await?;
    let report = wants_report.then_some(&converted.report);
    json(HttpResponse::Ok(), &ActivitiesAnswer { activities: &converted.activities, report })
}

/// Takes the body of an answer in.
pub(crate) async fn read(state: &State, request: &HttpRequest, payload: Payload) -> Result<Bytes, ApiError> {
    Ok(body::read(request, payload, state.options.max_body_bytes, state.options.body_timeout).await?)
}

/// The handling of the updates of a streamed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Updates {
    /// The updates stand before the message, as many as the caller asked for.
    Wanted,
    /// The answer has all arrived, so its message alone is delivered.
    Unwanted,
}

/// The readers of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    /// How their channel wants it written, where it wants anything.
    pub(crate) written: Option<WrittenFor>,
    /// The addresses that they can open.
    pub(crate) addresses: Option<Arc<dyn Addresses>>,
    /// The earlier answers that they have seen.
    pub(crate) earlier: Option<Arc<EarlierAnswers>>,
}

/// Converts the answer in a body for its readers.
pub(crate) async fn convert_body(
    state: &State,
    request: &HttpRequest,
    body: Bytes,
    updates: Updates,
    readers: Readers,
) -> Result<Converted, ApiError> {
    let query = Query::of(request);
    let labels = Arc::clone(&state.options.labels);
    if body.len() < LARGE_BYTES {
        run(&state.metrics, &body, &query, labels, updates, readers)
    } else {
        let metrics = state.metrics.clone();
        web::block(move || run(&metrics, &body, &query, labels, updates, readers)).await?
    }
}

/// Counts a conversion by its outcome.
fn count(metrics: &Metrics, from: Option<&'static str>, converted: &Result<Converted, ConvertError>) {
    let outcome = match converted {
        Ok(Converted { report, .. }) => return count_converted(metrics, from, report),
        Err(ConvertError::SupportConflict { .. }) => Conversion::Conflicting,
        Err(ConvertError::GroundingNoTools | ConvertError::GroundingNoCitations) => Conversion::Ungrounded,
        Err(ConvertError::Ingest(_)) => Conversion::Unusable,
    };
    metrics.conversion(from, outcome);
}

fn run(
    metrics: &Metrics,
    body: &Bytes,
    query: &Query,
    labels: Arc<LabelCatalog>,
    updates: Updates,
    readers: Readers,
) -> Result<Converted, ApiError> {
    let mut request = Request::parse(body, &query.named())?;
    request.conversion.labels = labels;
    request.conversion.stopwatch = Some(stopwatch(metrics));
    request.conversion.addresses = readers.addresses;
    request.conversion.earlier = readers.earlier;
    if let Some(written) = readers.written {
        written.apply(&mut request.conversion);
    }
    if updates == Updates::Unwanted {
        request.conversion.options.updates = Some(0);
    }
    let converted = convert(&request.answer, &request.conversion);
    count(metrics, request.conversion.slug(), &converted);
    if let Ok(converted) = &converted {
        log_report(&converted.report);
    }
    // Few answers cite nothing, and only those are looked at once more.
    let cites_nothing = match &converted {
        Ok(Converted { report, .. }) => report.tools_invoked == Some(true) && report.cited.is_empty(),
        Err(error) => matches!(error, ConvertError::GroundingNoCitations),
    };
    if cites_nothing {
        log_empty_search(&request.answer, &request.conversion.from);
    }
    converted.map_err(|source| CallError::Convert { source, at: request.at }.into())
}

/// Most answers fit, so that their JSON never has to move while it grows: the writer wants room for a text of escapes alone.
const EXPECTED_BYTES: usize = 16 * 1024;

/// A response with a body of JSON. Whatever holds a `RawValue` of `serde_json` is not for this writer, which does not know it.
pub(crate) fn json(
    mut builder: actix_web::HttpResponseBuilder,
    body: &impl Serialize,
) -> Result<HttpResponse, ApiError> {
    let mut json = Vec::with_capacity(EXPECTED_BYTES);
    sonic_rs::to_writer(&mut json, body).map_err(|error| ApiError::Unwritable(error.into()))?;
    Ok(builder.content_type(HeaderValue::from_static("application/json")).body(json))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use actix_web::test::TestRequest;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// The log lines that are written while `does` runs.
    fn logged(does: impl FnOnce()) -> String {
        struct LogLines(Arc<Mutex<Vec<u8>>>);
        impl io::Write for LogLines {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().expect("one thread").extend_from_slice(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = Arc::new(Mutex::new(Vec::new()));
        let writer = Arc::clone(&lines);
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_ansi(false)
            .with_writer(move || LogLines(Arc::clone(&writer)))
            .finish();
        tracing::subscriber::with_default(subscriber, does);
        let lines = lines.lock().expect("one thread").clone();
        String::from_utf8(lines).expect("text")
    }

    #[test]
    fn a_search_in_vain_is_logged_for_every_activity() {
        let query = Query::of(&TestRequest::default().to_http_request());
        let answer = |annotations: Value| {
            let search = json!({"type": "web_search_call", "status": "completed"});
            let content = json!([{"type": "output_text", "text": "secret", "annotations": annotations}]);
            json!({"object": "response", "status": "completed", "output": [search, {"type": "message", "content": content}]})
        };
        let convert = |answer: &Value, options: &Value| {
            let body = Bytes::from(json!({"answer": answer, "options": options}).to_string());
            logged(|| drop(run(&Metrics::new(), &body, &query, Arc::default(), Updates::Wanted, Readers::default())))
        };
        for options in [json!({}), json!({"require_grounding": "any"})] {
            let log = convert(&answer(json!([])), &options);
            assert!(log.contains("tools ran and no source was found") && log.contains("web_search_call"), "{log}");
            assert!(log.lines().count() == 1 && !log.contains("secret"), "{log}");
        }
        let page = json!({"type": "url_citation", "start_index": 0, "end_index": 6, "url": "https://x.example/"});
        assert_eq!(convert(&answer(json!([page])), &json!({})), "");
    }

    /// JSON of all kinds.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 16.0)),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4).prop_map(|members| json!(members)),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_what_was_meant(value in values()) {
            let written = sonic_rs::to_vec(&value).expect("JSON");
            prop_assert_eq!(serde_json::from_slice::<Value>(&written).expect("JSON"), value);
        }

        /// The command writes with `serde_json`, and the same input gives the same bytes.
        #[test]
        fn texts_are_written_as_the_command_writes_them(text in any::<String>()) {
            prop_assert_eq!(sonic_rs::to_vec(&text).expect("JSON"), serde_json::to_vec(&text).expect("JSON"));
        }
    }
}
