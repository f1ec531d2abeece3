//! The claims of a token.

use serde::Deserialize;
use uuid::Uuid;

use super::Unauthorized;
use super::cloud::guid;

/// How far the clocks of others may be off, in seconds.
const SKEW_S: f64 = 300.0;

/// The claims that the rules look at. Times are seconds since 1970 and need not be whole (RFC 7519, section 2).
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    aud: Option<Audience>,
    exp: Option<f64>,
    nbf: Option<f64>,
    ver: Option<String>,
    appid: Option<String>,
    azp: Option<String>,
    tid: Option<String>,
    /// As the Bot Connector writes it.
    serviceurl: Option<String>,
    /// As its documentation writes it.
    #[serde(rename = "serviceUrl")]
    service_url: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Claims {
    /// Whether the token is good at this time, in seconds since 1970.
    pub(super) fn check_time(&self, now: i64) -> Result<(), Unauthorized> {
        // Exact: these are whole numbers far below 2^53.
        let now = now as f64;
        let expires = self.exp.ok_or(Unauthorized::MissingClaim { claim: "exp" })?;
        if expires + SKEW_S < now {
            return Err(Unauthorized::Expired);
        }
        if self.nbf.is_some_and(|begins| begins - SKEW_S > now) {
            return Err(Unauthorized::NotYetValid);
        }
        Ok(())
    }

    /// Whether the token is for this app.
    pub(super) fn check_audience(&self, app_id: Uuid) -> Result<(), Unauthorized> {
        let audiences = match &self.aud {
            Some(Audience::One(one)) => std::slice::from_ref(one),
            Some(Audience::Several(several)) => several.as_slice(),
            None => return Err(Unauthorized::MissingClaim { claim: "aud" }),
        };
        if audiences.iter().any(|audience| guid(audience) == Some(app_id)) {
            return Ok(());
        }
        let audience = if let [one] = audiences { guid(one) } else { None };
        Err(Unauthorized::WrongAudience { audience })
    }

    /// The tenant of the token.
    pub(super) fn tenant(&self) -> Option<Uuid> {
        guid(self.tid.as_deref()?)
    }

    /// The app that shows the token, by the version of the token.
    pub(super) fn caller(&self) -> Option<Uuid> {
        let claim = match self.ver.as_deref()? {
            "1.0" => self.appid.as_deref(),
            "2.0" => self.azp.as_deref(),
            _ => None,
        };
        guid(claim?)
    }

    /// For which `serviceUrl` the token is, in whichever spelling; twice when it is in both.
    pub(super) fn service_urls(&self) -> impl Iterator<Item = &str> {
        [&self.serviceurl, &self.service_url].into_iter().filter_map(Option::as_deref)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::uuid;

    use super::*;

    const APP: Uuid = uuid!("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1");

    fn claims(json: Value) -> Claims {
        serde_json::from_value(json).expect("claims")
    }

    #[test]
    fn five_minutes_are_allowed_on_both_sides_and_no_second_more() {
        let token = claims(json!({"nbf": 10_000, "exp": 20_000}));
        for (now, verdict) in [
            (9_699, Err(Unauthorized::NotYetValid)),
            (9_700, Ok(())),
            (15_000, Ok(())),
            (20_300, Ok(())),
            (20_301, Err(Unauthorized::Expired)),
        ] {
            assert_eq!(token.check_time(now), verdict, "{now}");
        }
        assert_eq!(claims(json!({"exp": 20_000.5})).check_time(20_300), Ok(()));
        let endless = Err(Unauthorized::MissingClaim { claim: "exp" });
        assert_eq!(claims(json!({"nbf": 10_000})).check_time(15_000), endless);
    }

    #[test]
    fn an_audience_is_the_app_id_in_either_case_and_may_be_one_of_several() {
        for aud in [json!(APP.to_string()), json!(APP.to_string().to_uppercase()), json!(["other", APP.to_string()])] {
            assert_eq!(claims(json!({"aud": aud})).check_audience(APP), Ok(()), "{aud}");
        }
        let other = uuid!("11111111-2222-4333-8444-555555555555");
        for (aud, audience) in [
            (json!(other.to_string()), Some(other)),
            (json!("https://api.botframework.com"), None),
            (json!(APP.simple().to_string()), None),
            (json!([]), None),
            (json!(""), None),
        ] {
            let verdict = claims(json!({"aud": aud})).check_audience(APP);
            assert_eq!(verdict, Err(Unauthorized::WrongAudience { audience }), "{aud}");
        }
        assert_eq!(claims(json!({})).check_audience(APP), Err(Unauthorized::MissingClaim { claim: "aud" }));
    }

    #[test]
    fn the_caller_is_where_the_version_of_the_token_puts_it() {
        let other = "11111111-2222-4333-8444-555555555555";
        for (json, caller) in [
            (json!({"ver": "1.0", "appid": APP.to_string(), "azp": other}), Some(APP)),
            (json!({"ver": "2.0", "appid": other, "azp": APP.to_string()}), Some(APP)),
            (json!({"ver": "1.0", "azp": APP.to_string()}), None),
            (json!({"ver": "2.0", "appid": APP.to_string()}), None),
            (json!({"ver": "3.0", "appid": APP.to_string(), "azp": APP.to_string()}), None),
            (json!({"appid": APP.to_string(), "azp": APP.to_string()}), None),
            (json!({"ver": "2.0", "azp": "somebody"}), None),
        ] {
            assert_eq!(claims(json.clone()).caller(), caller, "{json}");
        }
    }
}
