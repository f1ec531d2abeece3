//! The registrable domain of a host, by the public suffix list that is compiled in (rule RC-03).

use std::net::IpAddr;

/// Top-level domains reserved for examples and tests (RFC 2606). The suffix list lacks them.
const RESERVED: [&str; 3] = ["example", "test", "invalid"];

/// The registrable domain of a host: `example.co.uk` of `a.example.co.uk`. A host without a registrable domain, such as an
/// IP address or a single label, is returned itself, in lower case.
pub(super) fn registrable_domain(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if is_address(&host) {
        return host;
    }
    psl::domain_str(&host).map(str::to_owned).unwrap_or(host)
}

/// Whether a text is a host name and nothing else: labels with dots between them, no blanks, and a known public suffix at
/// the end. The suffix distinguishes `example.net` from `report.pdf`.
pub(super) fn is_host_name(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    let name = text.to_lowercase();
    let Some((_, last)) = name.rsplit_once('.') else { return false };
    let ends_well = || RESERVED.contains(&last) || psl::suffix(name.as_bytes()).is_some_and(|end| end.is_known());
    name.split('.').all(is_label) && ends_well()
}

fn is_address(host: &str) -> bool {
    host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_belongs_to_its_registrable_domain() {
        for (host, domain) in [
            ("a.example.co.uk", "example.co.uk"),
            ("WWW.Example.com", "example.com"),
            ("ec.europa.eu", "europa.eu"),
            ("shop.xn--bcher-kva.de", "xn--bcher-kva.de"),
            ("localhost", "localhost"),
            ("10.0.0.7", "10.0.0.7"),
            ("[::1]", "[::1]"),
            ("co.uk", "co.uk"),
            ("hr.contoso.example.", "contoso.example"),
        ] {
            assert_eq!(registrable_domain(host), domain, "{host}");
        }
    }

    #[test]
    fn a_title_may_be_a_host_name_but_a_file_name_is_none() {
        for title in ["bank.example.net", "BBC.co.uk", "news.example", "münchen.de"] {
            assert!(is_host_name(title), "{title}");
        }
        for title in ["Weekly market letter", "report.pdf", "example", "a..net", "-a.net", "Rates. Now.net", ""] {
            assert!(!is_host_name(title), "{title}");
        }
    }
}
