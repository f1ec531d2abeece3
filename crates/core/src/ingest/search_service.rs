//! Addresses of search services, which all documents of an index share and no reader can open.

use crate::url::WebUrl;

/// The hosts of search services.
const HOSTS: [&str; 1] = [".search.windows.net"];

/// Whether an address is that of a search service, or of one of its knowledge bases or indexes, instead of a document.
pub(super) fn is_search_service(address: &str) -> bool {
    let Ok(url) = address.trim().parse::<WebUrl>() else { return false };
    HOSTS.iter().any(|host| url.host().ends_with(host)) && !url.as_str().contains("/docs/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_service_is_no_document() {
        for address in
            ["https://s.search.windows.net", "https://S.search.windows.net/knowledgebases/hr/mcp?api-version=1"]
        {
            assert!(is_search_service(address), "{address}");
        }
        for address in
            ["https://s.search.windows.net/indexes/i/docs/k1", "https://search.windows.net.example/", "leave.pdf"]
        {
            assert!(!is_search_service(address), "{address}");
        }
    }
}
