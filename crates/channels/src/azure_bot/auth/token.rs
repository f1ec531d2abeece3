//! Parses the token in the `Authorization` header.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::claims::Claims;
use super::key::Key;
use super::{TokenPart, Unauthorized};

/// The longest token that is read, in bytes. Those of Azure have one to three thousand.
const LONGEST_TOKEN_BYTES: usize = 16 * 1024;

/// A well-formed token. Its claims are not verified yet.
pub(super) struct Token<'a> {
    text: &'a str,
    /// The key it claims to be signed with.
    pub(super) key_id: String,
    /// The issuer it claims to be of.
    pub(super) issuer: String,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood (RFC 7515, section 4.1.11).
    crit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Issuer {
    iss: Option<String>,
}

impl<'a> Token<'a> {
    /// Reads the value of an `Authorization` header.
    pub(super) fn read(authorization: &'a str) -> Result<Self, Unauthorized> {
        let (scheme, text) = authorization.trim().split_once(' ').ok_or(Unauthorized::NotBearer)?;
        let text = text.trim_start();
        if !scheme.eq_ignore_ascii_case("bearer") || text.contains(char::is_whitespace) {
            return Err(Unauthorized::NotBearer);
        }
        if text.len() > LONGEST_TOKEN_BYTES {
            return Err(Unauthorized::TooLong { limit: LONGEST_TOKEN_BYTES });
        }
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Unauthorized::Malformed { part: TokenPart::Whole });
        };
        let header: Header = decode(header, TokenPart::Header)?;
        if header.alg != "RS256" {
            return Err(Unauthorized::Algorithm);
        }
        if header.crit.is_some() {
            return Err(Unauthorized::Critical);
        }
        let key_id = header.kid.filter(|id| !id.is_empty()).ok_or(Unauthorized::NoKeyId)?;
        let issuer: Issuer = decode(claims, TokenPart::Claims)?;
        let issuer = issuer.iss.ok_or(Unauthorized::MissingClaim { claim: "iss" })?;
        if signature.is_empty() {
            return Err(Unauthorized::Malformed { part: TokenPart::Signature });
        }
        Ok(Self { text, key_id, issuer })
    }

    /// The claims of the token, once its signature has proved to be of this key.
    pub(super) fn verify(&self, key: &Key, rules: &Validation) -> Result<Claims, Unauthorized> {
        let decoded = jsonwebtoken::decode::<Claims>(self.text, key.decoding(), rules);
        decoded.map(|token| token.claims).map_err(|error| {
            let kind = error.kind();
            if matches!(kind, ErrorKind::InvalidSignature) {
                Unauthorized::Signature
            } else if matches!(kind, ErrorKind::Json(_)) {
                Unauthorized::Malformed { part: TokenPart::Claims }
            } else {
                Unauthorized::Malformed { part: TokenPart::Signature }
            }
        })
    }
}

/// The checks of the library: the algorithm and the signature. The rest is checked against the clock that was given, and
/// with words of its own.
pub(super) fn signature_rules() -> Validation {
    let mut rules = Validation::new(Algorithm::RS256);
    rules.validate_exp = false;
    rules.validate_nbf = false;
    rules.validate_aud = false;
    rules.required_spec_claims.clear();
    rules
}

fn decode<T: DeserializeOwned>(text: &str, part: TokenPart) -> Result<T, Unauthorized> {
    let malformed = Unauthorized::Malformed { part };
    let Ok(json) = URL_SAFE_NO_PAD.decode(text) else { return Err(malformed) };
    serde_json::from_slice(&json).map_err(|_| malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(text: &str) -> String {
        URL_SAFE_NO_PAD.encode(text)
    }

    fn refusal(header: &str, claims: &str, signature: &str) -> Option<Unauthorized> {
        let token = format!("Bearer {}.{}.{signature}", encode(header), encode(claims));
        Token::read(&token).err()
    }

    #[test]
    fn a_well_formed_token_names_its_key_and_its_issuer() {
        let token = format!("bearer  {}.{}.c2ln ", encode(r#"{"alg":"RS256","kid":"k1"}"#), encode(r#"{"iss":"i"}"#));
        let token = Token::read(&token).expect("a token");
        assert_eq!((token.key_id.as_str(), token.issuer.as_str()), ("k1", "i"));
    }

    #[test]
    fn only_bearer_tokens_are_read() {
        for other in ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer a.b.c d", "Bearera.b.c", "Bearer a.b\u{a0}.c"] {
            assert!(matches!(Token::read(other), Err(Unauthorized::NotBearer)), "{other:?}");
        }
    }

    #[test]
    fn a_token_has_three_parts_and_a_length() {
        for text in ["a", "a.b", "a.b.c.d", "a.b.c.d.e"] {
            let read = Token::read(&format!("Bearer {text}")).err();
            assert_eq!(read, Some(Unauthorized::Malformed { part: TokenPart::Whole }), "{text}");
        }
        let long = format!("Bearer {}", "a".repeat(LONGEST_TOKEN_BYTES + 1));
        assert_eq!(Token::read(&long).err(), Some(Unauthorized::TooLong { limit: LONGEST_TOKEN_BYTES }));
    }

    #[test]
    fn a_header_is_json_and_says_which_key() {
        let header = Some(Unauthorized::Malformed { part: TokenPart::Header });
        for bad in ["", "{", "[]", "null", "1", r#"{"kid":"k1"}"#, r#"{"alg":1}"#, r#"{"alg":"RS256","alg":"RS256"}"#] {
            assert_eq!(refusal(bad, r#"{"iss":"i"}"#, "c2ln"), header, "{bad}");
        }
        for bad in [r#"{"alg":"RS256"}"#, r#"{"alg":"RS256","kid":""}"#, r#"{"alg":"RS256","kid":null}"#] {
            assert_eq!(refusal(bad, r#"{"iss":"i"}"#, "c2ln"), Some(Unauthorized::NoKeyId), "{bad}");
        }
        let critical = r#"{"alg":"RS256","kid":"k1","crit":["b64"],"b64":false}"#;
        assert_eq!(refusal(critical, r#"{"iss":"i"}"#, "c2ln"), Some(Unauthorized::Critical));
    }

    #[test]
    fn only_rs256_will_do() {
        for alg in ["none", "None", "", "rs256", "HS256", "RS384", "RS512", "PS256", "ES256", "EdDSA"] {
            let header = format!(r#"{{"alg":"{alg}","kid":"k1"}}"#);
            assert_eq!(refusal(&header, r#"{"iss":"i"}"#, ""), Some(Unauthorized::Algorithm), "{alg}");
        }
    }

    #[test]
    fn claims_are_json_and_name_an_issuer() {
        let header = r#"{"alg":"RS256","kid":"k1"}"#;
        for bad in ["", "{", "7", r#"{"iss":7}"#, r#"{"iss":["i"]}"#, r#"{"iss":"a","iss":"b"}"#] {
            let malformed = Some(Unauthorized::Malformed { part: TokenPart::Claims });
            assert_eq!(refusal(header, bad, "c2ln"), malformed, "{bad}");
        }
        assert_eq!(refusal(header, "{}", "c2ln"), Some(Unauthorized::MissingClaim { claim: "iss" }));
        let unsigned = Some(Unauthorized::Malformed { part: TokenPart::Signature });
        assert_eq!(refusal(header, r#"{"iss":"i"}"#, ""), unsigned);
    }
}
