//! The URL under which a client reaches this server.

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderName, ORIGIN};

use super::HttpOptions;

/// The base of WebSocket URLs for the client that sent this request, without a slash at the end: the configured public
/// URL, else what a trusted proxy says, else what the client says itself. Never the address that the server is bound
/// to, which a client need not be able to reach.
pub(crate) fn web_socket_base(options: &HttpOptions, request: &HttpRequest) -> String {
    if let Some(url) = &options.public_url {
        return url.web_socket_base();
    }
    let scheme = match options.trusted_proxies.said(request, &HeaderName::from_static("x-forwarded-proto")) {
        Some("https" | "wss") => "wss",
        Some(_) | None => "ws",
    };
    let host =
        client_host(options, request).map_or_else(|| request.app_config().local_addr().to_string(), str::to_owned);
    format!("{scheme}://{host}")
}

/// The host that the client called: what a trusted proxy says, else what stands in `Host`.
pub(crate) fn client_host<'r>(options: &HttpOptions, request: &'r HttpRequest) -> Option<&'r str> {
    let forwarded = options.trusted_proxies.said(request, &HeaderName::from_static("x-forwarded-host"));
    forwarded.filter(|host| is_authority(host)).or_else(|| host(request))
}

/// The web site whose page calls, as its browser says.
pub(crate) fn origin(request: &HttpRequest) -> Option<&str> {
    request.headers().get(ORIGIN).map(|origin| origin.to_str().unwrap_or_default())
}

/// The base address for everything that is not a WebSocket.
pub(crate) fn http_base(options: &HttpOptions, request: &HttpRequest) -> String {
    web_socket_base(options, request).replacen("ws", "http", 1)
}

/// The value of `Host`, if it can stand in a URL.
pub(crate) fn host(request: &HttpRequest) -> Option<&str> {
    request.headers().get(HOST)?.to_str().ok().filter(|host| is_authority(host))
}

/// Whether the text can be a host with a port. It is copied into a header and into URLs, so nothing else may pass.
fn is_authority(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::http::TrustedProxies;
    use crate::secret::Secret;

    fn options() -> HttpOptions {
        let secret = Secret::parse("sixteen-or-more-characters").expect("a secret");
        HttpOptions::new("127.0.0.1:0".parse().expect("an address"), secret.clone(), secret)
    }

    fn request() -> HttpRequest {
        TestRequest::default()
            .peer_addr("127.0.0.1:4000".parse().expect("a peer"))
            .insert_header(("host", "localhost:3978"))
            .insert_header(("x-forwarded-proto", "https"))
            .insert_header(("x-forwarded-host", "bot.example, inner"))
            .to_http_request()
    }

    #[test]
    fn the_configured_address_comes_first() {
        let options = HttpOptions { public_url: "https://chat.example/x".parse().ok(), ..options() };
        assert_eq!(web_socket_base(&options, &request()), "wss://chat.example/x");
    }

    #[test]
    fn forwarded_headers_count_only_when_trusted() {
        assert_eq!(web_socket_base(&options(), &request()), "ws://localhost:3978");
        let options = HttpOptions { trusted_proxies: TrustedProxies::nearby(), ..options() };
        assert_eq!(web_socket_base(&options, &request()), "wss://bot.example");
        assert_eq!(http_base(&options, &request()), "https://bot.example");
    }
}
