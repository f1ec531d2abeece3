//! `GET /v1/documents/{id}/passage`: shows a passage of a cited document.

use actix_web::web::{Data, Path, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use chrono::DateTime;

use super::page::{AROUND, Leads, page, response};
use crate::document::{
    DownloadAddress, DownloadError, DownloadKey, PassageAddress, Readership, ShownPassage, SignedReaders,
};
use crate::http::documents::{BEGUN, CONVERSATION, DownloadReader, EDITION, EXPIRES, SIGNATURE, admitted, limited};
use crate::http::error::DocumentError;
use crate::http::query::Query;
use crate::http::{ApiError, State};

/// Show a passage of a cited document.
///
/// The response is a web page with the passage and those around it, and the cited words marked. The request needs what the
/// [download](#tag/documents/operation/downloadDocument) of the document needs. The signature of a link covers all its parameters,
/// and is none for the download. Faults are pages, too, but problems in JSON for callers that send a credential.
#[utoipa::path(
    get, path = "/v1/documents/{id}/passage", tag = "documents", operation_id = "showPassage",
    params(
        ("id" = String, Path, description = "The assistant and the document: `{assistant}.{document}`"),
        ("place" = Option<u64>, Query, description = "The place of the passage in the document, counted from 0"),
        ("from" = Option<u64>, Query, description = "The first marked byte of the passage"),
        ("to" = Option<u64>, Query, description = "The byte behind the marked ones"),
        ("words" = Option<String>, Query, description = "The number and the digest of the marked words"),
        ("version" = Option<String>, Query, description = "The version of the document that was cited"),
        ("expires" = Option<i64>, Query, description = "When the link expires, in seconds since 1970"),
        ("edition" = Option<u64>, Query, description = "The upload to which the link leads"),
        ("conversation" = Option<String>, Query, description = "The conversation whose readers may use the link"),
        ("begun" = Option<i64>, Query, description = "The creation time of that conversation, in ms since 1970"),
        ("signature" = Option<String>, Query, description = "The signature of the link, which replaces a credential"),
    ),
    responses(
        (status = 200, description = "The page", content_type = "text/html"),
        (status = 401, description = "The request has neither a credential nor a signature"),
        (status = 403, description = "The link or the token has expired or is invalid, or the documents are not \
            public"),
        (status = 404, description = "The document does not exist"),
        (status = 429, description = "Too many requests or downloads from this address; retry after `Retry-After`"),
    ),
    security(("reader" = []))
)]
pub(crate) async fn show(
    state: Data<State>,
    reader: ReqData<DownloadReader>,
    id: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    limited(&state, &reader, &request)?;
    let address = DownloadAddress::parse(&id).ok_or(DocumentError::Unknown)?;
    let query = Query::of(&request);
    let passage = PassageAddress::parse(|name| query.get(name));
    let (passage, signed) = match (&*reader, passage) {
        (DownloadReader::Unknown, None) => return Err(DocumentError::from(DownloadError::Forged).into()),
        // Before anything is looked up: to strangers, all assistants and documents are the same.
        (DownloadReader::Unknown, Some(passage)) => {
            let readers = judge(&state, &address, &passage, &query).await?;
            (passage, Some(readers))
        }
        (DownloadReader::Trusted | DownloadReader::Of(_), passage) => {
            (passage.unwrap_or_else(|| PassageAddress::whole(0)), None)
        }
    };
    let assistant = admitted(&state, &reader, &address, signed.as_ref())?;
    let library = assistant.library().ok_or(DocumentError::Unknown)?;
    let shown = library.shown(&address.document, &passage).ok_or(DocumentError::Unknown)?;
    if let Some(SignedReaders::ForATime { edition, .. }) = signed
        && edition != shown.document.edition
    {
        return Err(DocumentError::Unknown.into());
    }
    Ok(response(HttpResponse::Ok(), page(&shown, &leads(&state.download_key, &address, signed.as_ref(), &shown))))
}

/// The readers for whom the signature of an address is valid.
async fn judge(
    state: &State,
    address: &DownloadAddress,
    passage: &PassageAddress,
    query: &Query,
) -> Result<SignedReaders, ApiError> {
    let forged = || ApiError::from(DocumentError::from(DownloadError::Forged));
    let readers = signed_readers(query).ok_or_else(forged)?;
    let signature = query.get(SIGNATURE).unwrap_or_default();
    if !state.download_key.is_passage_signed(&readers, address, passage, signature) {
        return Err(forged());
    }
    match &readers {
        SignedReaders::Of(readership) => {
            let judged = state.downloads().judge_readers(readership.clone()).await?;
            judged.map_err(DocumentError::from)?;
        }
        SignedReaders::ForATime { expires, .. } if state.clock.now().timestamp() >= *expires => {
            return Err(DocumentError::from(DownloadError::Expired).into());
        }
        SignedReaders::ForATime { .. } => {}
    }
    Ok(readers)
}

/// The readers that an address names; `None` where a number is not written as this server writes it.
fn signed_readers(query: &Query) -> Option<SignedReaders> {
    let number = |name| {
        let text = query.get(name)?;
        text.parse().ok().filter(|number: &i64| number.to_string() == text)
    };
    if let Some(conversation) = query.get(CONVERSATION) {
        let begun = DateTime::from_timestamp_millis(number(BEGUN)?)?;
        return Some(SignedReaders::Of(Readership { conversation: conversation.to_owned(), begun }));
    }
    let edition = match query.get(EDITION) {
        Some(_) => Some(u64::try_from(number(EDITION)?).ok()?),
        None => None,
    };
    Some(SignedReaders::ForATime { edition, expires: number(EXPIRES)? })
}

/// The links of the page, for the same readers.
fn leads(key: &DownloadKey, address: &DownloadAddress, signed: Option<&SignedReaders>, shown: &ShownPassage) -> Leads {
    let to = |place: usize| {
        let passage = PassageAddress::whole(place);
        let query = match signed {
            Some(readers) => key.passage_query(readers, address, &passage),
            None => DownloadKey::open_query(&passage),
        };
        format!("passage{query}")
    };
    let file = signed.map(|readers| key.download_query(readers, address)).unwrap_or_default();
    Leads {
        file: format!("download{file}"),
        earlier: shown.place.checked_sub(AROUND + 1).map(to),
        later: Some(shown.place + AROUND + 1).filter(|place| *place < shown.passages.len()).map(to),
    }
}
