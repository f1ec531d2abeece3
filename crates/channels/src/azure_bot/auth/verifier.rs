//! Verifies the token of a call.

use std::fmt;
use std::sync::Arc;

use jsonwebtoken::Validation;
use uuid::Uuid;

use super::claims::Claims;
use super::key::Key;
use super::key_set::KeySet;
use super::key_source::KeySource;
use super::service_url::same_service;
use super::token::{Token, signature_rules};
use super::{AuthOptions, Caller, KeyIssuer, Unauthorized};
use crate::clock::Clock;
use crate::egress::Client;

/// Checks the tokens of callers, by the rules of the Bot Connector and those for agents.
///
/// Every token must be signed with RS256 by a published key of its issuer, be for the bot, and be in its time, give or
/// take five minutes. One of the Bot Connector must be for the `serviceUrl` of the activity, and its key endorsed for the
/// channel. One of Entra must be of an accepted tenant, and name an app that may call. Nothing of this can be switched
/// off; [`AuthOptions::anonymous`] lets calls in that have no token at all.
#[derive(Debug)]
pub struct Verifier {
    options: AuthOptions,
    channel_keys: KeySet,
    entra_keys: KeySet,
    signature_rules: Validation,
    clock: Arc<dyn Clock>,
}

/// The result of checking the token, before the activity is known.
pub struct Bearer {
    caller: Caller,
    /// The claims of the token and the key that has signed it; `None` for a call without a token.
    token: Option<(Claims, Arc<Key>)>,
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bearer").field("caller", &self.caller).finish_non_exhaustive()
    }
}

impl Bearer {
    /// The caller, where the token is good for this `channelId` and this `serviceUrl`.
    pub(crate) fn speaks_for(
        self,
        channel_id: Option<&str>,
        service_url: Option<&str>,
    ) -> Result<Caller, Unauthorized> {
        let Some((claims, key)) = self.token else { return Ok(self.caller) };
        check_service_url(&self.caller, &claims, service_url)?;
        if key.endorses(channel_id) { Ok(self.caller) } else { Err(Unauthorized::NotEndorsed) }
    }
}

/// The apparent issuer of a token.
enum Issuer {
    Channel,
    Entra { tenant: Uuid },
}

impl Verifier {
    /// A verifier that fetches keys through `egress`. It fetches none before it has to;
    /// [`keep_fresh`](Self::keep_fresh) has it do so in advance.
    #[must_use]
    pub fn new(options: AuthOptions, egress: Client, clock: Arc<dyn Clock>) -> Self {
        let (addresses, limit) = (&options.addresses, options.key_timeout);
        let channel = KeySource::new(addresses.channel_metadata.clone(), egress.clone(), limit);
        let entra = KeySource::new(addresses.entra_metadata.clone(), egress, limit);
        Self {
            channel_keys: KeySet::new(KeyIssuer::Channel, channel, Arc::clone(&clock)),
            entra_keys: KeySet::new(KeyIssuer::Entra, entra, Arc::clone(&clock)),
            signature_rules: signature_rules(),
            options,
            clock,
        }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &AuthOptions {
        &self.options
    }

    /// The caller, from its `Authorization` header and the `channelId` and `serviceUrl` of its activity.
    ///
    /// # Errors
    /// When the call is not to be let in.
    pub async fn verify(
        &self,
        authorization: Option<&str>,
        channel_id: Option<&str>,
        service_url: Option<&str>,
    ) -> Result<Caller, Unauthorized> {
        self.read(authorization).await?.speaks_for(channel_id, service_url)
    }

    /// All that can be judged of a call before its activity was read.
    ///
    /// # Errors
    /// When no activity could have it let in.
    pub async fn read(&self, authorization: Option<&str>) -> Result<Bearer, Unauthorized> {
        let authorization = match authorization {
            Some(authorization) => authorization,
            None if self.options.anonymous => return Ok(Bearer { caller: Caller::Anonymous, token: None }),
            None => return Err(Unauthorized::NoToken),
        };
        let app_id = self.options.app_id.ok_or(Unauthorized::NoAppId)?;
        let token = Token::read(authorization)?;
        let issuer = self.issuer(&token.issuer)?;
        let keys = match issuer {
            Issuer::Channel => &self.channel_keys,
            Issuer::Entra { .. } => &self.entra_keys,
        };
        let key = keys.find(&token.key_id).await?;
        let claims = token.verify(&key, &self.signature_rules)?;
        claims.check_time(self.clock.now().timestamp())?;
        claims.check_audience(app_id)?;
        let caller = match issuer {
            Issuer::Channel => Caller::Channel,
            Issuer::Entra { tenant } => self.agent(&claims, &key, tenant, app_id)?,
        };
        Ok(Bearer { caller, token: Some((claims, key)) })
    }

    /// Fetches keys before anybody needs them, and again when they are a day old. To be called from time to time; it
    /// waits for the answers. The keys of Entra are left alone where nobody may come with a token of it.
    pub async fn keep_fresh(&self) {
        if self.options.app_id.is_none() {
            return;
        }
        let entra = async {
            if self.options.knows_agents() {
                self.entra_keys.keep_fresh().await;
            }
        };
        tokio::join!(self.channel_keys.keep_fresh(), entra);
    }

    /// Whose keys to look into: all that is taken from a token before its signature was checked.
    fn issuer(&self, name: &str) -> Result<Issuer, Unauthorized> {
        let addresses = &self.options.addresses;
        if name == addresses.channel_issuer {
            return Ok(Issuer::Channel);
        }
        let tenant = addresses.tenant_of(name).ok_or(Unauthorized::UnknownIssuer)?;
        if self.options.knows_agents() { Ok(Issuer::Entra { tenant }) } else { Err(Unauthorized::NoAgents) }
    }

    /// The agent that shows a token of Entra. `tenant` is the one in its issuer.
    fn agent(&self, claims: &Claims, key: &Key, tenant: Uuid, own: Uuid) -> Result<Caller, Unauthorized> {
        // The keys of Entra are the same for all tenants, so these two checks are what keeps tenants apart.
        if claims.tenant() != Some(tenant) {
            return Err(Unauthorized::TenantMismatch);
        }
        let is_known = self.knows(tenant);
        if self.options.tenant.is_some() && !is_known {
            return Err(Unauthorized::ForeignTenant { tenant });
        }
        if !key.signs_for(tenant) {
            return Err(Unauthorized::KeyOfAnotherTenant);
        }
        let app_id = claims.caller().ok_or(Unauthorized::NoCaller)?;
        if app_id == own {
            // The Emulator asks for its tokens where the bot does. In a tenant of his own anyone could.
            return match self.options.emulator {
                true if is_known => Ok(Caller::Emulator),
                true => Err(Unauthorized::ForeignTenant { tenant }),
                false => Err(Unauthorized::OwnAppId),
            };
        }
        if !self.options.allowed_callers.admits(app_id) {
            return Err(Unauthorized::CallerNotAllowed { app_id });
        }
        Ok(Caller::Agent { app_id: app_id.to_string() })
    }

    /// Whether a tenant is the bot's or one of Microsoft's.
    fn knows(&self, tenant: Uuid) -> bool {
        self.options.tenant == Some(tenant) || self.options.addresses.microsoft_tenants.contains(&tenant)
    }
}

/// Whether the token is for the place where the answer would go. A channel has to say so. An agent need not, and what it
/// says is of no matter when the activity has no `serviceUrl`: then nothing goes out.
fn check_service_url(caller: &Caller, claims: &Claims, service_url: Option<&str>) -> Result<(), Unauthorized> {
    let service_url = service_url.filter(|url| !url.is_empty());
    let has_to_match = matches!(caller, Caller::Channel);
    let matches = match service_url {
        Some(url) => {
            let mut claimed = claims.service_urls().peekable();
            (claimed.peek().is_some() || !has_to_match) && claimed.all(|claim| same_service(claim, url))
        }
        None => !has_to_match,
    };
    if matches { Ok(()) } else { Err(Unauthorized::ServiceUrlMismatch) }
}
