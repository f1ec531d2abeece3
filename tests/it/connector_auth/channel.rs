//! The rules for tokens of the Bot Connector, in their order.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use citewire::channels::azure_bot::auth::{Caller, Cloud, KeyIssuer, Unauthorized, UnauthorizedKind};
use serde_json::{Value, json};
use uuid::Uuid;

use super::scene::{SERVICE_URL, Scene};
use super::signing::{CHANNEL_KEY, ENTRA_KEY, FOREIGN_KEY, unsigned};

#[tokio::test]
async fn a_good_token_of_the_connector_is_a_channel_and_is_answered_with_its_scope() {
    let scene = Scene::new().await;
    let caller = scene.call_as_channel().await.expect("it is let in");
    assert_eq!(caller, Caller::Channel);
    let scope = caller.scope(&scene.verifier.options().addresses);
    assert_eq!(scope.as_deref(), Some("https://api.botframework.com/.default"));
}

#[tokio::test]
async fn rule_1_there_is_a_bearer_token() {
    let scene = Scene::new().await;
    let refusal = scene.verifier.verify(None, Some("msteams"), Some(SERVICE_URL)).await.expect_err("no token");
    assert_eq!((refusal.kind(), refusal), (UnauthorizedKind::Unauthenticated, Unauthorized::NoToken));
    let token = CHANNEL_KEY.token(&scene.channel_claims());
    let bare = token.trim_start_matches("Bearer ");
    for other in ["", bare, &format!("Basic {bare}"), &format!("Bearer {bare} {bare}"), &format!("Bearer,{bare}")] {
        assert_eq!(scene.call(other).await, Err(Unauthorized::NotBearer), "{other}");
    }
    assert_eq!(scene.call(&format!("bearer  {bare}")).await, Ok(Caller::Channel));
}

#[tokio::test]
async fn rule_3_the_issuer_is_the_connector_of_this_cloud() {
    let scene = Scene::new().await;
    for issuer in [
        "https://api.botframework.com/",
        "http://api.botframework.com",
        "https://API.botframework.com",
        "https://api.botframework.com.evil.test",
        "https://api.botframework.us",
        "https://api.botframework.azure.cn",
        "https://accounts.example",
        "",
    ] {
        let refusal = scene.call_with(&CHANNEL_KEY, &scene.channel_with("iss", json!(issuer))).await;
        assert_eq!(refusal, Err(Unauthorized::UnknownIssuer), "{issuer}");
    }
    let none = scene.call_with(&CHANNEL_KEY, &scene.channel_with("iss", Value::Null)).await;
    assert_eq!(none, Err(Unauthorized::MissingClaim { claim: "iss" }));
}

#[tokio::test]
async fn rule_3_each_cloud_has_a_connector_of_its_own() {
    for (cloud, issuer, scope) in [
        (Cloud::UsGov, "https://api.botframework.us", "https://api.botframework.us/.default"),
        (Cloud::China, "https://api.botframework.azure.cn", "https://api.botframework.azure.cn/.default"),
    ] {
        let scene = Scene::with(|options| {
            let own = options.addresses.channel_metadata.clone();
            options.addresses = cloud.addresses();
            options.addresses.channel_metadata = own;
        })
        .await;
        let claims = scene.channel_with("iss", json!(issuer));
        let caller = scene.call_with(&CHANNEL_KEY, &claims).await.expect("it is let in");
        assert_eq!(caller.scope(&scene.verifier.options().addresses).as_deref(), Some(scope));
        assert_eq!(scene.call_as_channel().await, Err(Unauthorized::UnknownIssuer), "{cloud}");
    }
}

#[tokio::test]
async fn rule_4_the_audience_is_the_bot() {
    let scene = Scene::new().await;
    let other = Uuid::from_u128(7);
    for (audience, said) in [
        (json!(other.to_string()), Some(other)),
        (json!("https://api.botframework.com"), None),
        (json!(""), None),
        (json!([other.to_string(), Uuid::from_u128(8).to_string()]), None),
    ] {
        let refusal = scene.call_with(&CHANNEL_KEY, &scene.channel_with("aud", audience.clone())).await;
        assert_eq!(refusal, Err(Unauthorized::WrongAudience { audience: said }), "{audience}");
    }
    let none = scene.call_with(&CHANNEL_KEY, &scene.channel_with("aud", Value::Null)).await;
    assert_eq!(none, Err(Unauthorized::MissingClaim { claim: "aud" }));
}

#[tokio::test]
async fn rule_5_a_token_is_good_in_its_time_give_or_take_five_minutes() {
    let scene = Scene::new().await;
    let (minute, now) = (60, scene.now());
    for (claim, value, verdict) in [
        ("exp", now - 6 * minute, Err(Unauthorized::Expired)),
        ("exp", now - 4 * minute, Ok(Caller::Channel)),
        ("nbf", now + 6 * minute, Err(Unauthorized::NotYetValid)),
        ("nbf", now + 4 * minute, Ok(Caller::Channel)),
    ] {
        let called = scene.call_with(&CHANNEL_KEY, &scene.channel_with(claim, json!(value))).await;
        assert_eq!(called, verdict, "{claim} {}", value - now);
    }
    let endless = scene.call_with(&CHANNEL_KEY, &scene.channel_with("exp", Value::Null)).await;
    assert_eq!(endless, Err(Unauthorized::MissingClaim { claim: "exp" }));
    let at_once = scene.call_with(&CHANNEL_KEY, &scene.channel_with("nbf", Value::Null)).await;
    assert_eq!(at_once, Ok(Caller::Channel));
}

#[tokio::test]
async fn rule_5_a_token_that_was_good_is_not_good_for_ever() {
    let scene = Scene::new().await;
    let token = CHANNEL_KEY.token(&scene.channel_claims());
    assert_eq!(scene.call(&token).await, Ok(Caller::Channel));
    scene.clock.advance(chrono::Duration::minutes(64));
    assert_eq!(scene.call(&token).await, Ok(Caller::Channel));
    scene.clock.advance(chrono::Duration::minutes(2));
    assert_eq!(scene.call(&token).await, Err(Unauthorized::Expired));
}

#[tokio::test]
async fn rule_6_the_key_is_one_that_the_connector_publishes() {
    let scene = Scene::new().await;
    let claims = scene.channel_claims();
    let unknown = Err(Unauthorized::UnknownKey { issuer: KeyIssuer::Channel });
    assert_eq!(scene.call_with(&FOREIGN_KEY, &claims).await, unknown);
    assert_eq!(scene.call_with(&ENTRA_KEY, &claims).await, unknown, "Entra does not sign for the Connector");
    let nameless = CHANNEL_KEY.token_with(&json!({"alg": "RS256"}), &claims);
    assert_eq!(scene.call(&nameless).await, Err(Unauthorized::NoKeyId));
    let under_a_good_name = FOREIGN_KEY.token_with(&json!({"alg": "RS256", "kid": CHANNEL_KEY.id}), &claims);
    assert_eq!(scene.call(&under_a_good_name).await, Err(Unauthorized::Signature));
}

#[tokio::test]
async fn rule_6_keys_that_a_token_brings_along_are_not_looked_at() {
    let scene = Scene::new().await;
    let keys = scene.publisher.at("/evil/keys");
    let own = json!({"alg": "RS256", "kid": CHANNEL_KEY.id, "jwk": FOREIGN_KEY.published(), "jku": keys, "x5u": keys});
    let token = FOREIGN_KEY.token_with(&own, &scene.channel_claims());
    assert_eq!(scene.call(&token).await, Err(Unauthorized::Signature));
    assert_eq!(scene.publisher.count("/evil/keys"), 0);
}

#[tokio::test]
async fn rule_6_the_algorithm_is_rs256_whatever_the_header_says() {
    let scene = Scene::new().await;
    let claims = scene.channel_claims();
    let header = |alg: &str| json!({"typ": "JWT", "alg": alg, "kid": CHANNEL_KEY.id});
    let none = format!("Bearer {}.", unsigned(&header("none"), &claims));
    assert_eq!(scene.call(&none).await, Err(Unauthorized::Algorithm));
    // The public key as the secret of an HMAC: the classic forgery.
    let (modulus, _) = CHANNEL_KEY.components();
    let message = unsigned(&header("HS256"), &claims);
    let secret = hmac::Key::new(hmac::HMAC_SHA256, modulus.as_bytes());
    let tag = URL_SAFE_NO_PAD.encode(hmac::sign(&secret, message.as_bytes()));
    assert_eq!(scene.call(&format!("Bearer {message}.{tag}")).await, Err(Unauthorized::Algorithm));
    let longer = CHANNEL_KEY.token_rs384(&header("RS384"), &claims);
    assert_eq!(scene.call(&longer).await, Err(Unauthorized::Algorithm));
    let disguised = CHANNEL_KEY.token_rs384(&header("RS256"), &claims);
    assert_eq!(scene.call(&disguised).await, Err(Unauthorized::Signature));
}

#[tokio::test]
async fn rule_6_claims_cannot_be_exchanged_under_a_signature() {
    let scene = Scene::new().await;
    let token = CHANNEL_KEY.token(&scene.channel_claims());
    let signature = token.rsplit('.').next().expect("a signature");
    let header = json!({"typ": "JWT", "alg": "RS256", "kid": CHANNEL_KEY.id, "x5t": CHANNEL_KEY.id});
    let other = unsigned(&header, &scene.channel_with("serviceurl", json!("https://evil.test/")));
    assert_eq!(scene.call(&format!("Bearer {other}.{signature}")).await, Err(Unauthorized::Signature));
}

#[tokio::test]
async fn rule_7_the_token_is_for_the_service_url_of_the_activity() {
    let scene = Scene::new().await;
    for (what, claim) in [
        ("host", "https://other.trafficmanager.net/teams/"),
        ("port", "https://smba.trafficmanager.net:8443/teams/"),
        ("scheme", "http://smba.trafficmanager.net/teams/"),
        ("look-alike", "https://smba.trafficmanager.net.evil.test/teams/"),
        ("look-alike", "https://smba.trafficmanager.net@evil.test/teams/"),
        ("look-alike", "https://evil.test/smba.trafficmanager.net/"),
        ("no address", "smba.trafficmanager.net"),
        ("nothing", ""),
    ] {
        let called = scene.call_with(&CHANNEL_KEY, &scene.channel_with("serviceurl", json!(claim))).await;
        assert_eq!(called, Err(Unauthorized::ServiceUrlMismatch), "{what}: {claim}");
    }
    for claim in ["https://smba.trafficmanager.net", "https://SMBA.TrafficManager.net:443/emea/"] {
        let called = scene.call_with(&CHANNEL_KEY, &scene.channel_with("serviceurl", json!(claim))).await;
        assert_eq!(called, Ok(Caller::Channel), "{claim}");
    }
}

#[tokio::test]
async fn rule_7_the_claim_has_two_spellings_and_none_is_too_few() {
    let scene = Scene::new().await;
    let none = scene.channel_with("serviceurl", Value::Null);
    assert_eq!(scene.call_with(&CHANNEL_KEY, &none).await, Err(Unauthorized::ServiceUrlMismatch));
    let documented = super::scene::changed(none.clone(), "serviceUrl", json!(SERVICE_URL));
    assert_eq!(scene.call_with(&CHANNEL_KEY, &documented).await, Ok(Caller::Channel));
    let contradicting = scene.channel_with("serviceUrl", json!("https://evil.test/"));
    assert_eq!(scene.call_with(&CHANNEL_KEY, &contradicting).await, Err(Unauthorized::ServiceUrlMismatch));
}

#[tokio::test]
async fn rule_7_an_activity_of_a_channel_has_a_service_url() {
    let scene = Scene::new().await;
    let token = CHANNEL_KEY.token(&scene.channel_claims());
    for none in [None, Some("")] {
        let called = scene.verifier.verify(Some(&token), Some("msteams"), none).await;
        assert_eq!(called, Err(Unauthorized::ServiceUrlMismatch));
    }
}

#[tokio::test]
async fn rule_8_a_key_with_endorsements_signs_for_its_channels_only() {
    let scene = Scene::new().await;
    let token = CHANNEL_KEY.token(&scene.channel_claims());
    for (channel, verdict) in [
        (Some("msteams"), Ok(Caller::Channel)),
        (Some("webchat"), Ok(Caller::Channel)),
        (Some(""), Ok(Caller::Channel)),
        (None, Ok(Caller::Channel)),
        (Some("directline"), Err(Unauthorized::NotEndorsed)),
        (Some("msteamsx"), Err(Unauthorized::NotEndorsed)),
    ] {
        assert_eq!(scene.verifier.verify(Some(&token), channel, Some(SERVICE_URL)).await, verdict, "{channel:?}");
    }
    assert_eq!(Unauthorized::NotEndorsed.kind(), UnauthorizedKind::Forbidden);
}

#[tokio::test]
async fn rule_8_a_key_without_endorsements_signs_for_every_channel() {
    for key in [CHANNEL_KEY.published(), CHANNEL_KEY.endorsed_for(&[])] {
        let scene = Scene::new().await;
        scene.publisher.put_keys(super::publisher::CHANNEL_KEYS, &[key]);
        let token = CHANNEL_KEY.token(&scene.channel_claims());
        let called = scene.verifier.verify(Some(&token), Some("directline"), Some(SERVICE_URL)).await;
        assert_eq!(called, Ok(Caller::Channel));
    }
}

#[tokio::test]
async fn nothing_is_let_in_without_an_app_id() {
    let scene = Scene::with(|options| options.app_id = None).await;
    assert_eq!(scene.call_as_channel().await, Err(Unauthorized::NoAppId));
}

#[tokio::test]
async fn anonymous_calls_are_let_in_where_that_is_on_and_tokens_are_checked_all_the_same() {
    let scene = Scene::with(|options| options.anonymous = true).await;
    let anonymous = scene.verifier.verify(None, Some("msteams"), Some("http://localhost:56150/_connector")).await;
    assert_eq!(anonymous, Ok(Caller::Anonymous));
    let expired = scene.channel_with("exp", json!(scene.now() - 3600));
    assert_eq!(scene.call_with(&CHANNEL_KEY, &expired).await, Err(Unauthorized::Expired));
    assert_eq!(scene.call("").await, Err(Unauthorized::NotBearer));
}
