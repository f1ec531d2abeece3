//! `/bot/{ticket}/v3/…`: the Connector routes for a bot that authenticates with the ticket in its `serviceUrl`.

use actix_web::HttpMessage as _;
use actix_web::dev::ServiceRequest;
use actix_web::http::Uri;
use actix_web::http::uri::PathAndQuery;

use crate::channels::direct_line::bot::TICKET_PREFIX;

/// The ticket of a request.
#[derive(Clone)]
pub(crate) struct ConnectorTicket(pub(crate) String);

/// Takes the ticket out of the path, which then is that of a Connector route. Whether the ticket is good is seen there.
pub(crate) fn take(request: &mut ServiceRequest) {
    if let Some((ticket, uri)) = split(request.uri()) {
        request.match_info_mut().get_mut().update(&uri);
        request.head_mut().uri = uri;
        request.extensions_mut().insert(ConnectorTicket(ticket));
    }
}

/// Ticket and rest; `None` for every other path. Only Connector routes may follow: a ticket is a credential for nothing
/// else.
fn split(uri: &Uri) -> Option<(String, Uri)> {
    let (ticket, rest) = uri.path().strip_prefix(TICKET_PREFIX)?.strip_prefix('/')?.split_once('/')?;
    let path = format!("/{}", rest.trim_start_matches('/'));
    if !path.starts_with("/v3/conversations") && !path.starts_with("/v3/attachments") {
        return None;
    }
    let path = uri.query().map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.parse::<PathAndQuery>().ok()?);
    Some((ticket.to_owned(), Uri::from_parts(parts).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_text(path: &str) -> Option<(String, String)> {
        split(&path.parse().expect("a URI")).map(|(ticket, uri)| (ticket, uri.to_string()))
    }

    #[test]
    fn the_ticket_is_taken_out_of_the_path() {
        let split = |path| split_text(path).expect("a ticket");
        let expected = ("T-_1".to_owned(), "/v3/conversations/c1/activities/c1%7C0?a=1".to_owned());
        assert_eq!(split("/bot/T-_1/v3/conversations/c1/activities/c1%7C0?a=1"), expected);
        assert_eq!(split("/bot/T//v3/conversations").1, "/v3/conversations");
    }

    #[test]
    fn other_paths_stay_as_they_are() {
        for path in [
            "/",
            "/bot",
            "/bot/T",
            "/bot/T/v1/activities",
            "/bot/T/v3/directline/conversations",
            "/x/T/v3/conversations",
        ] {
            assert_eq!(split_text(path), None, "{path}");
        }
    }
}
