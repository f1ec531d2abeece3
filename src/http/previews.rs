//! `POST /page/previews`: one answer in every form that this server writes, for the page that shows them side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::web::{self, Bytes, Data, Payload, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::auth::PageCaller;
use super::envelope::AnswerRequest;
use super::markdown;
use super::query::Query;
use super::{ApiError, State, outputs, records, visitor_answer};
use crate::answer::Addresses;
use crate::calls::{CallError, Request};
use crate::channels::Whereabouts;
use crate::check::{Channel, Finding, Profile, check, check_profile};
use crate::convert::{Options, OutgoingForm, convert};
use crate::dialect::Dialect;
use crate::report::Report;

/// The forms of dialects that an option asks for: name, dialect, option and its value.
const BY_OPTION: [(&str, Dialect, &str, &str); 1] = [("teams-extended", Dialect::Teams, "text_format", "\"extended\"")];

/// The forms for other programs.
const OTHERS: [(&str, Option<OutgoingForm>); 3] =
    [("open-webui", Some(OutgoingForm::Chunks)), ("assistanthub", Some(OutgoingForm::AssistantHub)), ("records", None)];

/// The names of all forms, in the order of the page.
pub(super) fn names() -> Vec<String> {
    let mut names = Vec::new();
    for dialect in Dialect::ALL {
        names.push(dialect.to_string());
        names.extend(variants(dialect).map(|(name, ..)| name.to_owned()));
    }
    names.extend(OTHERS.map(|(name, _)| name.to_owned()));
    names
}

/// The forms of a dialect besides its usual one.
fn variants(dialect: Dialect) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let of_dialect = BY_OPTION.into_iter().filter(move |(_, of, ..)| *of == dialect);
    let known =
        |option: &str, value: &str| serde_json::from_str::<Options>(&format!("{{\"{option}\": {value}}}")).is_ok();
    // A form whose option the core does not have is not offered.
    of_dialect
        .filter(move |(_, _, option, value)| known(option, value))
        .map(|(name, _, option, value)| (name, option, value))
}

/// An answer in every form.
#[derive(Serialize, ToSchema)]
pub(crate) struct Previews {
    /// The forms, in the order of the page: one for each dialect, then those for other programs.
    forms: Vec<Preview>,
}

/// An answer in one form.
#[derive(Serialize, ToSchema)]
pub(crate) struct Preview {
    /// The name of the dialect, or `open-webui`, `assistanthub` or `records`.
    #[schema(example = "teams")]
    name: String,
    /// The activity, or the output for another program.
    #[schema(value_type = Object)]
    output: Value,
    /// The Markdown text of the form as HTML, in which all markup is citewire's own; null where its text is no Markdown.
    html: Option<String>,
    report: Report,
    /// The findings of `check`; null where it has no rules for this form.
    findings: Option<Vec<Finding>>,
}

/// Convert an answer into every form that the server writes, without sending it anywhere.
#[utoipa::path(
    post, path = "/page/previews", tag = "page", operation_id = "previewPageAnswer",
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw; `channel` is ignored"),
    responses(
        (status = 200, description = "The forms", body = Previews),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 422, description = "The answer lacks the grounding or the support that the options ask for"),
        (status = 403, description = "The token has expired or is not from `POST /page/session`, or the setting \
            `page_answers` is off"),
        (status = 429, description = "Too many posts with this token; retry after `Retry-After`"),
    ),
    security(("page" = []))
)]
pub(crate) async fn preview_answer(
    state: Data<State>,
    caller: ReqData<PageCaller>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = visitor_answer::read(&state, &caller, &request, payload).await?;
    let addresses = match state.delivery.locate(caller.0.conv.as_str()).await? {
        Some(Whereabouts::Here(id)) => state.downloads().for_conversation(&id).await,
        Some(Whereabouts::Elsewhere(_) | Whereabouts::BehindAzure(_)) | None => None,
    };
    let query = Query::of(&request);
    // Every form is one conversion, so that even small answers take a while.
    let previews = web::block(move || previews(&state, &body, &query, addresses.as_ref())).await??;
    let body = serde_json::to_vec(&previews).map_err(|error| ApiError::Unwritable(error.into()))?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

fn previews(
    state: &State,
    body: &Bytes,
    query: &Query,
    addresses: Option<&Arc<dyn Addresses>>,
) -> Result<Previews, ApiError> {
    let mut forms = Vec::new();
    for dialect in Dialect::ALL {
        forms.push(in_dialect(state, body, query, dialect.to_string(), dialect, addresses)?);
        for (name, option, value) in variants(dialect) {
            let Some(body) = with_option(body, option, value) else { continue };
            forms.push(in_dialect(state, &body, query, name.to_owned(), dialect, addresses)?);
        }
    }
    for (name, form) in OTHERS {
        forms.push(for_program(state, body, query, name, form)?);
    }
    Ok(Previews { forms })
}

/// The form of another program; records where it is none that is written for one.
fn for_program(
    state: &State,
    body: &Bytes,
    query: &Query,
    name: &str,
    form: Option<OutgoingForm>,
) -> Result<Preview, ApiError> {
    let unwritable = |error: serde_json::Error| ApiError::Unwritable(error.into());
    let (output, report) = match form {
        Some(form) => {
            let (written, report) = outputs::whole(state, body, query, form)?;
            (serde_json::from_slice(&written).map_err(unwritable)?, report)
        }
        None => {
            let read = records::run(&state.metrics, body, query, &state.options.redirectors)?;
            (serde_json::to_value(&read.records).map_err(unwritable)?, read.report)
        }
    };
    let html = output["content"].as_str().map(markdown::likeness);
    Ok(Preview { name: name.to_owned(), output, html, report, findings: None })
}

/// A wrapped body with one more option; `None` for a raw one, which has no options.
fn with_option(body: &[u8], option: &str, value: &str) -> Option<Bytes> {
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(body).ok()?;
    members.get("answer")?;
    let given = members.get("options").filter(|options| options.get() != "null");
    let mut options: BTreeMap<String, Box<RawValue>> = match given {
        Some(options) => serde_json::from_str(options.get()).ok()?,
        None => BTreeMap::new(),
    };
    options.insert(option.to_owned(), RawValue::from_string(value.to_owned()).ok()?);
    members.insert("options".to_owned(), serde_json::value::to_raw_value(&options).ok()?);
    serde_json::to_vec(&members).ok().map(Bytes::from)
}

fn in_dialect(
    state: &State,
    body: &Bytes,
    query: &Query,
    name: String,
    dialect: Dialect,
    addresses: Option<&Arc<dyn Addresses>>,
) -> Result<Preview, ApiError> {
    let mut request = Request::parse(body, &query.named())?;
    request.conversion.to = dialect;
    request.conversion.labels = Arc::clone(&state.options.labels);
    request.conversion.addresses = addresses.cloned();
    request.conversion.options.updates = Some(0);
    let at = request.at;
    let converted =
        convert(&request.answer, &request.conversion).map_err(|source| CallError::Convert { source, at })?;
    let activity = converted.activities.last();
    let output = activity.map_or(Ok(Value::Null), serde_json::to_value);
    let output = output.map_err(|error| ApiError::Unwritable(error.into()))?;
    let findings = match (name.parse::<Profile>(), dialect.to_string().parse::<Channel>()) {
        (Ok(profile), _) => Some(check_profile(&output, profile)),
        (Err(_), Ok(channel)) => Some(check(&output, channel)),
        (Err(_), Err(_)) => None,
    };
    let html = markdown_of(&output).map(markdown::likeness);
    Ok(Preview { name, output, html, report: converted.report, findings })
}

/// The text of an activity, where it is Markdown, also where a channel has its own message.
fn markdown_of(activity: &Value) -> Option<&str> {
    let native = &activity["channelData"];
    if native["markupSyntax"].as_str().is_some_and(|syntax| syntax.contains("MARKDOWN")) {
        return native["text"].as_str();
    }
    let is_markdown = activity["textFormat"].as_str().is_none_or(|format| format.contains("markdown"));
    activity["text"].as_str().filter(|_| is_markdown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_option_is_added_to_those_of_the_caller() {
        let body = json!({"answer": {"text": "x"}, "options": {"feedback": true}}).to_string();
        let with = with_option(body.as_bytes(), "hard_breaks", "true").expect("wrapped");
        let with: Value = serde_json::from_slice(&with).expect("JSON");
        assert_eq!(with, json!({"answer": {"text": "x"}, "options": {"feedback": true, "hard_breaks": true}}));
        assert_eq!(with_option(br#"{"text": "raw"}"#, "hard_breaks", "true"), None);
    }

    #[test]
    fn every_form_has_one_name() {
        let names = names();
        assert!(names.len() > Dialect::ALL.len() + 2, "{names:?}");
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} is there twice");
        }
    }
}
