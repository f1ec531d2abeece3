//! Download addresses of the sources of AssistantHub (rule AH-07).

use std::collections::BTreeMap;

use serde_json::Value;
use url::Url;

use crate::answer::Source;
use crate::url::WebUrl;

/// The values of AssistantHub's setting `CitationLinkMode` (rule AH-07).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkMode {
    /// No links.
    #[default]
    None,
    /// Links for signed-in users.
    Authenticated,
    /// Links for everyone.
    Public,
}

impl LinkMode {
    /// The mode that a setting names, in any case. An unknown or missing setting means `None`.
    #[must_use]
    pub fn named(setting: Option<&str>) -> Self {
        let is = |name: &str| setting.is_some_and(|setting| setting.eq_ignore_ascii_case(name));
        if is("Authenticated") {
            Self::Authenticated
        } else if is("Public") {
            Self::Public
        } else {
            Self::None
        }
    }
}

/// Where the download addresses of one answer come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DownloadLinks {
    /// The provider's address, if it gave one.
    #[default]
    Given,
    /// No addresses.
    None,
    /// `/v1.0/documents/{documentId}/download` behind `base`, which is empty or an address without a slash at its end.
    Authenticated {
        /// The prefix of the path.
        base: String,
    },
    /// `/v1.0/assistants/{assistantId}/documents/{documentId}/download` behind `base`. AssistantHub's code makes public
    /// links in this form.
    PublicEndpoint {
        /// The prefix of the path.
        base: String,
        /// The id of the assistant that answers.
        assistant_id: String,
    },
    /// Addresses by document id that the caller has signed. AssistantHub's documentation describes public links in this
    /// form. An address with an S3 signature is valid for at most seven days, and no longer than the credentials that signed
    /// it.
    Presigned(BTreeMap<String, String>),
}

impl DownloadLinks {
    /// The addresses for a mode; public links use the endpoint.
    #[must_use]
    pub fn of_mode(mode: LinkMode, base: &str, assistant_id: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        match mode {
            LinkMode::None => Self::None,
            LinkMode::Authenticated => Self::Authenticated { base },
            LinkMode::Public => Self::PublicEndpoint { base, assistant_id: assistant_id.to_owned() },
        }
    }

    /// The address of a source; `None` if the mode needs a document id and the source has none.
    #[must_use]
    pub fn address(&self, source: &Source) -> Option<String> {
        let document = || source.id.as_deref().and_then(path_segment);
        match self {
            Self::Given => given(source),
            Self::None => None,
            Self::Authenticated { base } => Some(format!("{base}/v1.0/documents/{}/download", document()?)),
            Self::PublicEndpoint { base, assistant_id } => {
                let assistant = path_segment(assistant_id)?;
                Some(format!("{base}/v1.0/assistants/{assistant}/documents/{}/download", document()?))
            }
            Self::Presigned(addresses) => addresses.get(source.id.as_deref()?).cloned(),
        }
    }
}

/// The address of the source, else AssistantHub's `download_url` if it is a path on its own server.
fn given(source: &Source) -> Option<String> {
    let url = source.url.as_ref().map(WebUrl::as_str);
    // A path begins with one slash; two slashes would begin an address on another server.
    let path = source.metadata.get("download_url").and_then(Value::as_str);
    let path = path.filter(|path| path.starts_with('/') && !path.starts_with("//") && !path.contains('\\'));
    url.or(path).map(str::to_owned)
}

/// An id as one percent-encoded path segment; `None` if it is empty, `.` or `..`.
fn path_segment(id: &str) -> Option<String> {
    let mut address = Url::parse("https://path.invalid").ok()?;
    address.path_segments_mut().ok()?.push(id);
    let segment = address.path().trim_start_matches('/');
    (!segment.is_empty()).then(|| segment.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(id: &str) -> Source {
        Source { id: Some(id.into()), url: "https://x/a.pdf".parse().ok(), ..Source::default() }
    }

    #[test]
    fn a_mode_is_compared_without_case_and_what_is_unknown_is_none() {
        for (setting, mode) in [
            (Some("None"), LinkMode::None),
            (Some("AUTHENTICATED"), LinkMode::Authenticated),
            (Some("public"), LinkMode::Public),
            (Some("Signed"), LinkMode::None),
            (Some(""), LinkMode::None),
            (None, LinkMode::None),
        ] {
            assert_eq!(LinkMode::named(setting), mode, "{setting:?}");
        }
    }

    #[test]
    fn each_mode_has_its_address() {
        let of = |mode| DownloadLinks::of_mode(mode, "https://hub.example/", "asst_1").address(&document("adoc_1"));
        assert_eq!(of(LinkMode::None), None);
        let authenticated = "https://hub.example/v1.0/documents/adoc_1/download";
        assert_eq!(of(LinkMode::Authenticated).as_deref(), Some(authenticated));
        let public = "https://hub.example/v1.0/assistants/asst_1/documents/adoc_1/download";
        assert_eq!(of(LinkMode::Public).as_deref(), Some(public));
        let relative = DownloadLinks::of_mode(LinkMode::Authenticated, "", "").address(&document("adoc_1"));
        assert_eq!(relative.as_deref(), Some("/v1.0/documents/adoc_1/download"));
    }

    #[test]
    fn public_links_may_be_signed_by_the_caller() {
        let links = DownloadLinks::Presigned(
            [("adoc_1".to_owned(), "https://s3/adoc_1?X-Amz-Expires=604800".to_owned())].into(),
        );
        assert_eq!(links.address(&document("adoc_1")).as_deref(), Some("https://s3/adoc_1?X-Amz-Expires=604800"));
        assert_eq!(links.address(&document("adoc_2")), None);
    }

    #[test]
    fn an_id_is_one_part_of_the_path() {
        let links = DownloadLinks::Authenticated { base: String::new() };
        assert_eq!(
            links.address(&document("a/../b c?d")).as_deref(),
            Some("/v1.0/documents/a%2F..%2Fb%20c%3Fd/download")
        );
        for id in ["", "..", "."] {
            assert_eq!(links.address(&document(id)), None, "{id:?}");
        }
        assert_eq!(links.address(&Source::default()), None);
    }

    #[test]
    fn what_the_provider_gave_is_an_address_or_a_path_of_its_own_server() {
        let given = |path: &str| {
            let metadata = json!({"download_url": path}).as_object().cloned().unwrap_or_default();
            DownloadLinks::Given.address(&Source { metadata, ..Source::default() })
        };
        assert_eq!(DownloadLinks::Given.address(&document("a")).as_deref(), Some("https://x/a.pdf"));
        assert_eq!(given("/v1.0/documents/a/download").as_deref(), Some("/v1.0/documents/a/download"));
        for path in ["//evil.example/a", "javascript:x", "a.pdf", "/\\evil.example"] {
            assert_eq!(given(path), None, "{path}");
        }
    }
}
