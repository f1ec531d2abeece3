//! Errors of authentication, and of fetching signing keys.

use std::fmt;

use uuid::Uuid;

use crate::egress::EgressError;

/// The issuer of signing keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyIssuer {
    /// The Bot Connector, for channels.
    Channel,
    /// Entra, for agents and the Emulator.
    Entra,
}

impl fmt::Display for KeyIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Channel => "the Bot Connector",
            Self::Entra => "Entra",
        })
    }
}

/// A part of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPart {
    /// All of it.
    Whole,
    /// The part before the first dot.
    Header,
    /// The part between the dots.
    Claims,
    /// The part behind the last dot.
    Signature,
}

impl fmt::Display for TokenPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "three parts with dots between them",
            Self::Header => "a header of base64url and JSON",
            Self::Claims => "claims of base64url and JSON, each of the right type",
            Self::Signature => "a signature of base64url",
        })
    }
}

/// The reason why a call is not authorized. Messages contain only public ids from the token, and only if its signature is
/// valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unauthorized {
    /// There is no `Authorization`.
    #[error("the request has no token in its Authorization header")]
    NoToken,
    /// There is a token, and no app id that it could be for.
    #[error("tokens cannot be checked: set azure_bot.app_id")]
    NoAppId,
    /// `Authorization` is something else.
    #[error("the Authorization header is not of the form \"Bearer token\"")]
    NotBearer,
    /// The token is longer than any that Azure makes.
    #[error("the token is longer than {limit} bytes")]
    TooLong {
        /// The longest token that is read, in bytes.
        limit: usize,
    },
    /// It is no token, or a damaged one.
    #[error("the token is not well formed: it needs {part}")]
    Malformed {
        /// The fault.
        part: TokenPart,
    },
    /// It is not signed, or not the way that the metadata promises.
    #[error("the token is not signed with RS256")]
    Algorithm,
    /// The header has extensions that must be understood.
    #[error("the token has critical extensions, which citewire does not support")]
    Critical,
    /// The header does not say which key it was signed with.
    #[error("the token does not name its key")]
    NoKeyId,
    /// A claim is not there.
    #[error("the token has no claim {claim}")]
    MissingClaim {
        /// Its name.
        claim: &'static str,
    },
    /// It is of neither the Bot Connector nor Entra, or of those of another cloud.
    #[error(
        "the token is neither from the Bot Connector nor from Entra; for a token of another cloud, set azure_bot.cloud"
    )]
    UnknownIssuer,
    /// It is one of Entra, and nobody may come with one.
    #[error(
        "the token is from Entra: for an agent, set azure_bot.allowed_callers; for the Emulator, set azure_bot.emulator"
    )]
    NoAgents,
    /// The keys could not be fetched, so nothing can be said about the token.
    #[error("the keys of {issuer} cannot be fetched at the moment, so no token can be checked")]
    NoKeys {
        /// Whose keys.
        issuer: KeyIssuer,
    },
    /// It was signed with a key that is not published.
    #[error("the token names a key that {issuer} does not publish")]
    UnknownKey {
        /// Whose keys.
        issuer: KeyIssuer,
    },
    /// The signature is not one of the named key.
    #[error("the signature of the token is wrong")]
    Signature,
    /// It was good once.
    #[error("the token has expired; if it is new, the clock of this machine is wrong")]
    Expired,
    /// It will be good later.
    #[error("the token is not valid yet; if it is new, the clock of this machine is wrong")]
    NotYetValid,
    /// It is for somebody else.
    #[error("the token is for {}; if that is this bot, set azure_bot.app_id to it", meant_for(.audience.as_ref()))]
    WrongAudience {
        /// The app it is for, when it is for one app.
        audience: Option<Uuid>,
    },
    /// The tenant of the token is not that of its issuer.
    #[error("the tenant of the token differs from the tenant of its issuer")]
    TenantMismatch,
    /// The key signs for one tenant, and the token is of another.
    #[error("the token was signed with a key of another tenant")]
    KeyOfAnotherTenant,
    /// The tenant is neither the bot's nor one of Microsoft's.
    #[error("the token is from the tenant {tenant}, which is neither azure_bot.tenant nor a tenant of Microsoft")]
    ForeignTenant {
        /// The tenant of the token.
        tenant: Uuid,
    },
    /// It does not say which app shows it.
    #[error("the token does not name the calling app")]
    NoCaller,
    /// The app that calls may not.
    #[error("the app {app_id} may not call; to accept it, add it to azure_bot.allowed_callers")]
    CallerNotAllowed {
        /// Its app id.
        app_id: Uuid,
    },
    /// The bot itself seems to call, as it does with the Emulator.
    #[error("the token was issued to the bot itself; to accept the Emulator, set azure_bot.emulator")]
    OwnAppId,
    /// The token is good for another `serviceUrl`.
    #[error("the token is for another serviceUrl than that of the activity")]
    ServiceUrlMismatch,
    /// The key may not sign for this channel.
    #[error("the key of the token is not endorsed for the channel of the activity")]
    NotEndorsed,
}

/// The kind of authentication error, for the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnauthorizedKind {
    /// Come with a good token: 401.
    Unauthenticated,
    /// Nothing: it is known who calls, or it is nobody who could be let in: 403.
    Forbidden,
    /// Try again later: 503.
    Unavailable,
}

impl Unauthorized {
    /// Advice for the other side.
    #[must_use]
    pub fn kind(&self) -> UnauthorizedKind {
        match self {
            Self::NoToken
            | Self::NoAppId
            | Self::NotBearer
            | Self::TooLong { .. }
            | Self::Malformed { .. }
            | Self::Algorithm
            | Self::Critical
            | Self::NoKeyId
            | Self::MissingClaim { .. }
            | Self::UnknownIssuer
            | Self::UnknownKey { .. }
            | Self::Signature
            | Self::Expired
            | Self::NotYetValid
            | Self::WrongAudience { .. }
            | Self::TenantMismatch
            | Self::KeyOfAnotherTenant
            | Self::ForeignTenant { .. }
            | Self::NoCaller
            | Self::ServiceUrlMismatch => UnauthorizedKind::Unauthenticated,
            Self::NoAgents | Self::CallerNotAllowed { .. } | Self::OwnAppId | Self::NotEndorsed => {
                UnauthorizedKind::Forbidden
            }
            Self::NoKeys { .. } => UnauthorizedKind::Unavailable,
        }
    }
}

fn meant_for(audience: Option<&Uuid>) -> String {
    audience.map_or_else(|| "something other than an app".to_owned(), |app_id| format!("the app {app_id}"))
}

/// Why keys could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// An attacker on the way could put keys of his own in.
    #[error("the metadata URL at {host} must use https; only URLs of this machine may use http")]
    NotHttps {
        /// The host of the metadata.
        host: String,
    },
    /// There was no whole answer.
    #[error(transparent)]
    Turn(#[from] EgressError),
    /// There was no whole answer in time.
    #[error("{host} did not send its keys within {seconds} s")]
    Slow {
        /// The host of the metadata.
        host: String,
        /// How long was waited.
        seconds: f32,
    },
    /// The answer was another one.
    #[error("{host} answered {status} instead of its {document}")]
    Status {
        /// The host.
        host: String,
        /// The request.
        document: &'static str,
        /// The response.
        status: u16,
    },
    /// The answer was something else.
    #[error("{host} sent an invalid {document}: {source}")]
    Format {
        /// The host.
        host: String,
        /// The request.
        document: &'static str,
        /// The reader's words.
        source: serde_json::Error,
    },
    /// The metadata leads nowhere.
    #[error("the metadata of {host} contains an invalid URL of its keys: {source}")]
    Address {
        /// The host of the metadata.
        host: String,
        /// The reader's words.
        source: url::ParseError,
    },
    /// The metadata leads elsewhere.
    #[error("the metadata of {host} points to keys on another site, {elsewhere}")]
    Elsewhere {
        /// The host of the metadata.
        host: String,
        /// Where the keys would be: scheme, host and port.
        elsewhere: String,
    },
    /// The metadata does not list the algorithm that citewire insists on.
    #[error("the metadata of {host} does not list RS256 among its algorithms")]
    Algorithms {
        /// The host of the metadata.
        host: String,
    },
    /// There are more keys than anybody needs.
    #[error("{host} sent {count} keys, more than the limit of {limit}")]
    TooMany {
        /// The host.
        host: String,
        /// How many there are.
        count: usize,
        /// How many are read.
        limit: usize,
    },
    /// No key can be used.
    #[error("none of the {count} keys of {host} is an RSA key for RS256 with an id")]
    NoneUsable {
        /// The host.
        host: String,
        /// How many there are.
        count: usize,
    },
}

#[cfg(test)]
mod tests {
    use uuid::uuid;

    use super::*;

    #[test]
    fn the_words_say_what_to_set() {
        let app_id = uuid!("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1");
        for (refusal, setting) in [
            (Unauthorized::NoAppId, "azure_bot.app_id"),
            (Unauthorized::UnknownIssuer, "azure_bot.cloud"),
            (Unauthorized::NoAgents, "azure_bot.allowed_callers"),
            (Unauthorized::WrongAudience { audience: Some(app_id) }, "azure_bot.app_id"),
            (Unauthorized::ForeignTenant { tenant: app_id }, "azure_bot.tenant"),
            (Unauthorized::CallerNotAllowed { app_id }, "azure_bot.allowed_callers"),
            (Unauthorized::OwnAppId, "azure_bot.emulator"),
        ] {
            assert!(refusal.to_string().contains(setting), "{refusal}");
        }
        let nobody = Unauthorized::WrongAudience { audience: None }.to_string();
        assert!(nobody.starts_with("the token is for something other than an app"), "{nobody}");
    }
}
