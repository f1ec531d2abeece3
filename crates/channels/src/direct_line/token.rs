//! Tokens: signed, readable by anyone, bound to one conversation.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::hkdf;
use chrono::Duration;
use jsonwebtoken::errors::Error as JwtError;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use crate::activity::ConversationId;
use crate::clock::{Clock, IdSource};
use crate::secret::Secret;

/// The purpose of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// All calls of a Direct Line client.
    Token,
    /// Opening the stream, in the URL. Good for several sockets while it lasts.
    Stream,
    /// The purposes of `Token`, and sending answers into the conversation: the page that citewire serves.
    Page,
}

/// The claims of a token. Every holder of the token can read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The conversation it is good for.
    pub conv: ConversationId,
    /// The user it speaks for. Clients look for this claim by this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The web sites whose pages may use it, `https://contoso.example`; any may where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// The purpose.
    pub kind: TokenKind,
    /// Not before, in seconds since 1970.
    pub nbf: i64,
    /// Expired from then on, in seconds since 1970.
    pub exp: i64,
    /// Makes every token different.
    pub jti: String,
}

impl Claims {
    /// Whether the token may be used from there: a page of a site that it names, or a program that is no browser and has no
    /// `Origin`.
    #[must_use]
    pub fn is_good_from(&self, origin: Option<&str>) -> bool {
        let Some(origin) = origin else { return true };
        self.origins.is_empty() || self.origins.iter().any(|trusted| trusted.eq_ignore_ascii_case(origin))
    }
}

/// The reason why a token is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// It was good once.
    #[error("the token has expired")]
    Expired,
    /// It was never good: not ours, altered, or not a token at all.
    #[error("the token is invalid")]
    Invalid(#[source] JwtError),
    /// It is good for something else.
    #[error("this kind of token is not valid for this request")]
    WrongKind,
    /// No token could be made.
    #[error("the token could not be signed")]
    Sign(#[source] JwtError),
}

/// Makes and reads tokens. The key is derived from the Direct Line secret, so tokens outlive a restart and hold on
/// every node that knows the secret.
pub struct Tokens {
    encoding: EncodingKey,
    /// The key with which tokens are signed, and while the secret is exchanged that of the other one.
    decoding: Vec<DecodingKey>,
    validation: Validation,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(…)")
    }
}

impl Tokens {
    /// Tokens signed with a key that follows from `secret`.
    #[must_use]
    pub fn new(secret: &Secret, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        let key = signing_key(secret);
        let mut validation = Validation::new(Algorithm::HS256);
        // Expiry is judged below, by the clock that was given; the library would read the machine's.
        validation.validate_exp = false;
        validation.required_spec_claims.clear();
        Self {
            encoding: EncodingKey::from_secret(&key),
            decoding: vec![DecodingKey::from_secret(&key)],
            validation,
            clock,
            ids,
        }
    }

    /// Accepts tokens as well that were signed with a key of another secret.
    #[must_use]
    pub fn or_by(mut self, secret: Option<&Secret>) -> Self {
        self.decoding.extend(secret.map(|secret| DecodingKey::from_secret(&signing_key(secret))));
        self
    }

    /// A new token.
    ///
    /// # Errors
    /// [`TokenError::Sign`], when the cryptographic library fails.
    pub fn issue(
        &self,
        kind: TokenKind,
        conv: ConversationId,
        user: Option<String>,
        origins: Vec<String>,
        seconds: u32,
    ) -> Result<String, TokenError> {
        let now = self.clock.now();
        let claims = Claims {
            conv,
            user,
            origins,
            kind,
            nbf: now.timestamp(),
            exp: (now + Duration::seconds(i64::from(seconds))).timestamp(),
            jti: self.ids.fresh().simple().to_string(),
        };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).map_err(TokenError::Sign)
    }

    /// The content of a token that is one of ours, still good, and of one of the wanted kinds.
    ///
    /// # Errors
    /// When it is not.
    pub fn verify(&self, token: &str, wanted: &[TokenKind]) -> Result<Claims, TokenError> {
        let decode = |key| jsonwebtoken::decode::<Claims>(token, key, &self.validation);
        let mut decoded = decode(&self.decoding[0]);
        for key in &self.decoding[1..] {
            decoded = decoded.or_else(|_| decode(key));
        }
        let claims = decoded.map_err(TokenError::Invalid)?.claims;
        if !wanted.contains(&claims.kind) {
            return Err(TokenError::WrongKind);
        }
        if self.clock.now().timestamp() >= claims.exp {
            return Err(TokenError::Expired);
        }
        Ok(claims)
    }
}

/// HKDF-SHA-256 (RFC 5869) of the secret; the label is the version of the derivation.
fn signing_key(secret: &Secret) -> [u8; 32] {
    let mut key = [0; 32];
    hkdf::Salt::new(hkdf::HKDF_SHA256, b"citewire direct line")
        .extract(secret.expose().as_bytes())
        .expand(&[b"token signing, version 1"], hkdf::HKDF_SHA256)
        .and_then(|okm| okm.fill(&mut key))
        .expect("HKDF-SHA-256 gives 32 bytes");
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{CountingIds, ManualClock};

    fn clock() -> Arc<ManualClock> {
        Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")))
    }

    fn tokens(secret: &str, clock: &Arc<ManualClock>) -> Tokens {
        let secret = Secret::parse(secret).expect("a secret");
        Tokens::new(&secret, Arc::clone(clock) as Arc<dyn Clock>, Arc::new(CountingIds::default()))
    }

    fn issue(tokens: &Tokens, kind: TokenKind) -> String {
        tokens.issue(kind, "c1".parse().expect("an id"), Some("dl_u".to_owned()), Vec::new(), 1800).expect("a token")
    }

    #[test]
    fn a_token_outlives_a_restart_with_the_same_secret() {
        let clock = clock();
        let token = issue(&tokens("the-same-secret-twice", &clock), TokenKind::Token);
        let claims = tokens("the-same-secret-twice", &clock).verify(&token, &[TokenKind::Token]).expect("good");
        assert_eq!((claims.conv.as_str(), claims.user.as_deref()), ("c1", Some("dl_u")));
    }

    #[test]
    fn a_token_of_another_secret_is_invalid() {
        let clock = clock();
        let token = issue(&tokens("one-secret-of-theirs", &clock), TokenKind::Token);
        let error = tokens("one-secret-of-ours-0", &clock).verify(&token, &[TokenKind::Token]).expect_err("foreign");
        assert!(matches!(error, TokenError::Invalid(_)), "{error:?}");
    }

    #[test]
    fn a_token_is_good_until_the_second_it_expires() {
        let clock = clock();
        let tokens = tokens("the-same-secret-twice", &clock);
        let token = issue(&tokens, TokenKind::Token);
        clock.advance(Duration::milliseconds(1_799_999));
        assert!(tokens.verify(&token, &[TokenKind::Token]).is_ok());
        clock.advance(Duration::milliseconds(1));
        assert!(matches!(tokens.verify(&token, &[TokenKind::Token]), Err(TokenError::Expired)));
    }

    #[test]
    fn a_stream_credential_opens_nothing_else() {
        let clock = clock();
        let tokens = tokens("the-same-secret-twice", &clock);
        let token = issue(&tokens, TokenKind::Stream);
        let error = tokens.verify(&token, &[TokenKind::Token, TokenKind::Page]).expect_err("the wrong kind");
        assert!(matches!(error, TokenError::WrongKind), "{error:?}");
    }

    #[test]
    fn an_unsigned_token_is_invalid() {
        let clock = clock();
        let tokens = tokens("the-same-secret-twice", &clock);
        let token = issue(&tokens, TokenKind::Token);
        let (_, rest) = token.split_once('.').expect("a header");
        let (claims, _) = rest.split_once('.').expect("claims");
        // The header is {"alg":"none","typ":"JWT"}.
        let forged = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.");
        assert!(matches!(tokens.verify(&forged, &[TokenKind::Token]), Err(TokenError::Invalid(_))));
    }
}
