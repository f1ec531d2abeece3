//! The clouds of Azure, as data.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use url::Url;
use uuid::{Uuid, uuid};

/// A cloud of Azure: an Entra and a Bot Connector of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cloud {
    /// The one that is meant when nothing is said.
    #[default]
    Public,
    /// Azure for the government of the United States.
    UsGov,
    /// Azure in China, run by 21Vianet.
    China,
}

/// The text is not the name of a cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clouds are public, us-gov and china")]
pub struct UnknownCloud;

/// The URLs and issuers of a cloud. [`Cloud::addresses`] has the published values; each can be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudAddresses {
    /// `iss` of the tokens of the Bot Connector.
    pub channel_issuer: String,
    /// The OpenID metadata of the Bot Connector.
    pub channel_metadata: Url,
    /// The scope of the token with which the Bot Connector is answered.
    pub channel_scope: String,
    /// The OpenID metadata of Entra. Its keys are those of all tenants of the cloud.
    pub entra_metadata: Url,
    /// `iss` of the tokens of Entra, where a tenant stands in it.
    pub entra_issuers: Vec<IssuerTemplate>,
    /// Tenants of Microsoft whose tokens are as good as those of the bot's own tenant: the Emulator uses the credentials
    /// of the bot there.
    pub microsoft_tenants: BTreeSet<Uuid>,
    /// Where Entra gives tokens, without a tenant.
    pub login: Url,
    /// The tenant that stands in the address of a token where the bot has none of its own.
    pub login_tenant: String,
}

/// An issuer of Entra with a placeholder for the tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerTemplate {
    before: String,
    after: String,
}

/// One row of the table.
struct Row {
    name: &'static str,
    channel_issuer: &'static str,
    channel_metadata: &'static str,
    entra_metadata: &'static str,
    entra_issuers: [(&'static str, &'static str); 2],
    microsoft_tenants: &'static [Uuid],
    login: &'static str,
    login_tenant: &'static str,
}

static PUBLIC: Row = Row {
    name: "public",
    channel_issuer: "https://api.botframework.com",
    channel_metadata: "https://login.botframework.com/v1/.well-known/openidconfiguration",
    entra_metadata: "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
    entra_issuers: [("https://sts.windows.net/", "/"), ("https://login.microsoftonline.com/", "/v2.0")],
    microsoft_tenants: &[
        uuid!("d6d49420-f39b-4df7-a1dc-d59a935871db"),
        uuid!("f8cdef31-a31e-4b4a-93e4-5f571e91255a"),
        uuid!("69e9b82d-4842-4902-8d1e-abc5b98a55e8"),
    ],
    login: "https://login.microsoftonline.com/",
    login_tenant: "botframework.com",
};

static US_GOV: Row = Row {
    name: "us-gov",
    channel_issuer: "https://api.botframework.us",
    channel_metadata: "https://login.botframework.azure.us/v1/.well-known/openidconfiguration",
    entra_metadata: "https://login.microsoftonline.us/cab8a31a-1906-4287-a0d8-4eef66b95f6e/v2.0/.well-known/openid-configuration",
    // Version 1 has the same issuer as in the public cloud; the keys tell the two apart.
    entra_issuers: [("https://sts.windows.net/", "/"), ("https://login.microsoftonline.us/", "/v2.0")],
    microsoft_tenants: &[uuid!("cab8a31a-1906-4287-a0d8-4eef66b95f6e")],
    login: "https://login.microsoftonline.us/",
    login_tenant: "MicrosoftServices.onmicrosoft.us",
};

static CHINA: Row = Row {
    name: "china",
    channel_issuer: "https://api.botframework.azure.cn",
    channel_metadata: "https://login.botframework.azure.cn/v1/.well-known/openidconfiguration",
    entra_metadata: "https://login.partner.microsoftonline.cn/a55a4d5b-9241-49b1-b4ff-befa8db00269/v2.0/.well-known/openid-configuration",
    entra_issuers: [("https://sts.chinacloudapi.cn/", "/"), ("https://login.partner.microsoftonline.cn/", "/v2.0")],
    microsoft_tenants: &[uuid!("a55a4d5b-9241-49b1-b4ff-befa8db00269")],
    login: "https://login.partner.microsoftonline.cn/",
    login_tenant: "microsoftservices.partner.onmschina.cn",
};

impl Cloud {
    /// Every cloud.
    pub const ALL: [Self; 3] = [Self::Public, Self::UsGov, Self::China];

    fn row(self) -> &'static Row {
        match self {
            Self::Public => &PUBLIC,
            Self::UsGov => &US_GOV,
            Self::China => &CHINA,
        }
    }

    /// The addresses that are published for this cloud.
    #[must_use]
    pub fn addresses(self) -> CloudAddresses {
        let row = self.row();
        CloudAddresses {
            channel_issuer: row.channel_issuer.to_owned(),
            channel_metadata: address(row.channel_metadata),
            channel_scope: format!("{}/.default", row.channel_issuer),
            entra_metadata: address(row.entra_metadata),
            entra_issuers: row.entra_issuers.map(|(before, after)| IssuerTemplate::new(before, after)).into(),
            microsoft_tenants: row.microsoft_tenants.iter().copied().collect(),
            login: address(row.login),
            login_tenant: row.login_tenant.to_owned(),
        }
    }
}

fn address(text: &str) -> Url {
    Url::parse(text).expect("the table holds whole addresses")
}

impl fmt::Display for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}

impl FromStr for Cloud {
    type Err = UnknownCloud;

    fn from_str(text: &str) -> Result<Self, UnknownCloud> {
        Self::ALL.into_iter().find(|cloud| cloud.row().name == text).ok_or(UnknownCloud)
    }
}

impl CloudAddresses {
    /// Where a token is asked for by client credentials: in the tenant of the bot, or where bots of many tenants ask.
    #[must_use]
    pub fn token_url(&self, tenant: Option<&str>) -> Url {
        let mut url = self.login.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            let tenant = tenant.unwrap_or(&self.login_tenant);
            segments.pop_if_empty().extend([tenant, "oauth2", "v2.0", "token"]);
        }
        url
    }

    /// The tenant whose tokens have this issuer; `None` when it is no issuer of Entra in this cloud.
    #[must_use]
    pub fn tenant_of(&self, issuer: &str) -> Option<Uuid> {
        self.entra_issuers.iter().find_map(|template| template.tenant_of(issuer))
    }
}

impl IssuerTemplate {
    /// An issuer that reads as `before`, the tenant, and `after`.
    #[must_use]
    pub fn new(before: impl Into<String>, after: impl Into<String>) -> Self {
        Self { before: before.into(), after: after.into() }
    }

    fn tenant_of(&self, issuer: &str) -> Option<Uuid> {
        guid(issuer.strip_prefix(&self.before)?.strip_suffix(&self.after)?)
    }
}

/// Reads a GUID in the one spelling that Azure uses, with hyphens.
pub(super) fn guid(text: &str) -> Option<Uuid> {
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENANT: Uuid = uuid!("0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e");

    #[test]
    fn every_cloud_has_its_name_and_whole_addresses() {
        for cloud in Cloud::ALL {
            assert_eq!(cloud.to_string().parse(), Ok(cloud));
            let addresses = cloud.addresses();
            for url in [&addresses.channel_metadata, &addresses.entra_metadata, &addresses.login] {
                assert_eq!(url.scheme(), "https", "{url}");
            }
            assert!(!addresses.microsoft_tenants.is_empty());
        }
        assert_eq!("Public".parse::<Cloud>(), Err(UnknownCloud));
    }

    #[test]
    fn tokens_are_asked_for_in_the_tenant_of_the_bot_or_where_all_do() {
        let public = Cloud::Public.addresses();
        let own = public.token_url(Some("0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"));
        let expected = "https://login.microsoftonline.com/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/oauth2/v2.0/token";
        assert_eq!(own.as_str(), expected);
        let shared = public.token_url(None);
        assert_eq!(shared.as_str(), "https://login.microsoftonline.com/botframework.com/oauth2/v2.0/token");
        let odd = public.token_url(Some("a/b?c"));
        assert_eq!(odd.as_str(), "https://login.microsoftonline.com/a%2Fb%3Fc/oauth2/v2.0/token");
    }

    #[test]
    fn both_versions_of_an_issuer_name_their_tenant() {
        for (cloud, issuers) in [
            (Cloud::Public, ["https://sts.windows.net/{}/", "https://login.microsoftonline.com/{}/v2.0"]),
            (Cloud::UsGov, ["https://sts.windows.net/{}/", "https://login.microsoftonline.us/{}/v2.0"]),
            (Cloud::China, ["https://sts.chinacloudapi.cn/{}/", "https://login.partner.microsoftonline.cn/{}/v2.0"]),
        ] {
            for issuer in issuers {
                let issuer = issuer.replace("{}", &TENANT.to_string());
                assert_eq!(cloud.addresses().tenant_of(&issuer), Some(TENANT), "{issuer}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_an_issuer_of_entra_is_none() {
        let public = Cloud::Public.addresses();
        for issuer in [
            "https://sts.windows.net/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e",
            "https://sts.windows.net/0f1e2d3c4b5a49688778695a4b3c2d1e/",
            "https://sts.windows.net/common/",
            "https://sts.windows.net/../0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/",
            "http://sts.windows.net/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/",
            "https://login.microsoftonline.com/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/v2.0/",
            "https://login.microsoftonline.us/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/v2.0",
            "https://login.microsoftonline.com.evil.test/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/v2.0",
            "https://api.botframework.com",
            "",
        ] {
            assert_eq!(public.tenant_of(issuer), None, "{issuer}");
        }
    }
}
